//! Local polynomials: a function and its derivatives at one place, from the samples in a window.
//!
//! The polynomial of some degree that fits a window best, by least squares, is linear in the
//! samples; so is every derivative of it. The weights come from polynomials that are orthogonal on
//! the sample positions in the window, so unequal steps are no special case.

/// Weights of samples at some places: their sum is the derivative, at one place, of the polynomial
/// that fits them best.
///
/// With fewer places than the degree needs, the degree is lowered.
pub(crate) fn weights(places: &[f64], at: f64, degree: usize, derivative: usize) -> Vec<f64> {
    let scale = places.iter().fold(0.0_f64, |a, t| a.max((t - at).abs()));
    let scaled: Vec<f64> = places.iter().map(|t| (t - at) / scale).collect();
    let mut basis: Vec<Polynomial> = Vec::new();
    for power in 0..=degree.min(places.len() - 1) {
        let mut next = Polynomial::power(power, &scaled, derivative);
        // Orthogonalised twice, to remove the rounding errors of the first pass.
        for _ in 0..2 {
            for known in &basis {
                next.take_out(known);
            }
        }
        basis.push(next.normalised());
    }
    let unit = scale.powi(i32::try_from(derivative).expect("a small order"));
    let weight = |i: usize| {
        let parts = basis.iter().map(|p| p.derivative * p.values[i]);
        parts.sum::<f64>() / unit
    };
    (0..places.len()).map(weight).collect()
}

/// A polynomial by its values at the places, and the derivative in question at zero.
struct Polynomial {
    values: Vec<f64>,
    derivative: f64,
}

impl Polynomial {
    fn power(power: usize, places: &[f64], derivative: usize) -> Self {
        let exponent = i32::try_from(power).expect("a small degree");
        let factorial: f64 = (1..=power).map(|k| k as f64).product();
        Self {
            values: places.iter().map(|t| t.powi(exponent)).collect(),
            derivative: if power == derivative { factorial } else { 0.0 },
        }
    }

    fn take_out(&mut self, known: &Self) {
        let share: f64 = self
            .values
            .iter()
            .zip(&known.values)
            .map(|(a, b)| a * b)
            .sum();
        for (a, b) in self.values.iter_mut().zip(&known.values) {
            *a -= share * b;
        }
        self.derivative -= share * known.derivative;
    }

    fn normalised(mut self) -> Self {
        let length = self.values.iter().map(|v| v * v).sum::<f64>().sqrt();
        for value in &mut self.values {
            *value /= length;
        }
        self.derivative /= length;
        self
    }
}

/// The window around a sample: as many samples on each side, moved inwards at the ends.
pub(crate) fn window(n: usize, at: usize, half: usize) -> std::ops::Range<usize> {
    let length = (2 * half + 1).min(n);
    let first = at.saturating_sub(half).min(n - length);
    first..first + length
}

/// A derivative of a sampled function at every sample, from windows.
pub(crate) fn derivative(
    times: &[f64],
    values: &[f64],
    half: usize,
    degree: usize,
    order: usize,
) -> Vec<f64> {
    let one = |i: usize| {
        let window = window(times.len(), i, half);
        let weights = weights(&times[window.clone()], times[i], degree, order);
        weights
            .iter()
            .zip(&values[window])
            .map(|(w, x)| w * x)
            .sum()
    };
    (0..times.len()).map(one).collect()
}

/// The highest order of differences tried: there the variance of the noise is multiplied by
/// C(16, 8) = 12,870.
const MAX_ORDER: usize = 8;

/// The median of |z| for a standard normal z.
const NORMAL_MEDIAN: f64 = 0.674_489_750_196_081_7;

/// The noise of one sampled function, recorded in pieces.
///
/// Differences of order `k` of a smooth signal shrink with the step to the power `k`, those of
/// white noise do not: their variance is `C(2k, k) σ²`. The smallest estimate over the orders is
/// the answer, from medians, because bursts of fast motion are not noise. It is an upper bound:
/// where the sampling is so coarse that all differences contain signal, it is the error with which
/// samples can be predicted from their neighbours.
pub(crate) fn noise(pieces: &[&[f64]]) -> f64 {
    let largest = pieces
        .iter()
        .flat_map(|piece| piece.iter())
        .fold(0.0_f64, |a, v| a.max(v.abs()));
    let mut differences: Vec<Vec<f64>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    let mut best = f64::INFINITY;
    let mut gain = 1.0;
    for order in 1..=MAX_ORDER {
        let k = order as f64;
        gain *= 2.0 * (2.0 * k - 1.0) / k;
        for piece in &mut differences {
            *piece = piece.windows(2).map(|pair| pair[1] - pair[0]).collect();
        }
        let mut sizes: Vec<f64> = differences.iter().flatten().map(|v| v.abs()).collect();
        if sizes.is_empty() {
            break;
        }
        let middle = sizes.len() / 2;
        let (_, &mut median, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
        best = best.min(median / NORMAL_MEDIAN / gain.sqrt());
    }
    // Rounding of the samples limits the accuracy.
    best.max(0.3 * f64::EPSILON * largest)
}

/// The degree of the polynomials from which a derivative of some order is taken.
pub(crate) fn degree(order: usize) -> usize {
    order + 3
}

/// The narrowest window, in samples on a side, that still averages noise.
pub(crate) fn narrowest(order: usize) -> usize {
    degree(order) / 2 + 3
}

/// The narrowest window, in samples on a side, that determines the polynomial.
pub(crate) fn determining(order: usize) -> usize {
    degree(order).div_ceil(2)
}

/// A sampled function, perhaps in pieces, and its noise.
pub(crate) struct Curve<'a> {
    /// Places and values.
    pub(crate) pieces: Vec<(&'a [f64], &'a [f64])>,
    pub(crate) sigma: f64,
}

/// How much wider the next window to try is.
const WIDER: f64 = 1.25;
/// Windows of each width that are looked at.
const LOOKS: usize = 200;

/// The window, in samples on a side, whose derivatives have the smallest expected error.
///
/// A wider window averages more noise and has a larger bias. The variance follows from the noise
/// level. The bias is estimated from the difference to polynomials two degrees higher, minus what
/// noise contributes to it.
pub(crate) fn best_window(curves: &[Curve<'_>], order: usize) -> usize {
    let lengths = curves
        .iter()
        .flat_map(|c| c.pieces.iter().map(|p| p.0.len()));
    let widest = lengths.max().unwrap_or(0) / 6;
    let mut half = narrowest(order);
    let mut best = (f64::INFINITY, half);
    while half <= widest.max(narrowest(order)) {
        let error: f64 = curves.iter().map(|curve| curve.error(half, order)).sum();
        if error < best.0 {
            best = (error, half);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let wider = (half as f64 * WIDER).ceil() as usize;
        half = wider;
    }
    best.1
}

impl Curve<'_> {
    /// The expected squared error of derivatives over their mean square.
    fn error(&self, half: usize, order: usize) -> f64 {
        let (mut disagreement, mut size) = (0.0, 0.0);
        let (mut gain, mut finer_gain, mut looks) = (0.0, 0.0, 0.0);
        for (times, values) in &self.pieces {
            let n = times.len();
            for at in (half..n.saturating_sub(half)).step_by((n / LOOKS).max(1)) {
                let window = window(n, at, half);
                let weights =
                    |degree: usize| weights(&times[window.clone()], times[at], degree, order);
                let (coarse, fine) = (weights(degree(order)), weights(degree(order) + 2));
                let sum = |w: &[f64]| -> f64 {
                    w.iter()
                        .zip(&values[window.clone()])
                        .map(|(w, x)| w * x)
                        .sum()
                };
                gain += coarse.iter().map(|w| w * w).sum::<f64>();
                finer_gain += fine.iter().map(|w| w * w).sum::<f64>();
                looks += 1.0;
                disagreement += (sum(&coarse) - sum(&fine)).powi(2);
                size += sum(&fine).powi(2);
            }
        }
        if looks < 1.0 {
            return f64::INFINITY;
        }
        let noise = self.sigma.powi(2);
        let blur = (disagreement - noise * (finer_gain - gain)).max(0.0);
        (blur + noise * gain) / size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_its_degree_is_met_exactly_on_unequal_places() {
        let places: Vec<f64> = (0..9)
            .map(|i| f64::from(i) + 0.3 * f64::from(i % 3))
            .collect();
        let value = |t: f64| 1.0 - 2.0 * t + 0.5 * t * t + 0.1 * t.powi(3);
        let wanted = |t: f64, order: usize| match order {
            0 => value(t),
            1 => -2.0 + t + 0.3 * t * t,
            2 => 1.0 + 0.6 * t,
            _ => 0.6,
        };
        for order in 0..4 {
            let sum: f64 = weights(&places, 3.3, 4, order)
                .iter()
                .zip(&places)
                .map(|(w, t)| w * value(*t))
                .sum();
            assert!((sum - wanted(3.3, order)).abs() < 1e-10, "{order}: {sum}");
        }
    }

    #[test]
    fn weights_are_those_of_savitzky_and_golay() {
        // Their table for a quadratic through five points, as every textbook prints it.
        let places = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let smooth = [-3.0, 12.0, 17.0, 12.0, -3.0].map(|w| w / 35.0);
        let slope = [-0.2, -0.1, 0.0, 0.1, 0.2];
        for (order, wanted) in [(0, smooth), (1, slope)] {
            for (a, b) in weights(&places, 0.0, 2, order).iter().zip(wanted) {
                assert!((a - b).abs() < 1e-14, "{order}");
            }
        }
    }
}
