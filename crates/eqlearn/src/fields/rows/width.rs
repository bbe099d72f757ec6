//! How wide bumps are, from the data.
//!
//! A bump should pass what the field consists of and hold back noise. The amplitudes of the waves
//! along an axis, added up from long to short ones, rise steeply as far as the field goes and then
//! slowly: the corner is the shortest wave of the field. The spectrum of the bump `(1 − v²)^p` of
//! half width `m` reaches to about `√(2p + 3) N / (2π m)`, and it is placed so that the corner is
//! a little beyond it.

use crate::fields::rows::bump::power;
use crate::numeric::fourier::Fourier;

/// How far in the tail of the bump's spectrum the corner is, in its standard deviations.
const TAIL: f64 = 2.0;
/// Bumps take at most this share of an axis, from end to end: with few places that share no points
/// the weights of the scores would follow the noise.
const WIDEST: f64 = 0.2;
/// The least half width beyond the highest order.
const BEYOND: usize = 3;
/// The least half width of all: sums over narrower bumps are no integrals to ten digits, because
/// their spectra reach the shortest wave of the grid.
const NARROWEST: usize = 8;

/// The least half width for derivatives of this order.
pub(crate) fn least(order: u32) -> usize {
    (order as usize + BEYOND).max(NARROWEST)
}

/// The half width along an axis in steps; none if the axis has too few points.
pub(crate) fn half_width(corner: usize, n_points: usize, order: u32) -> Option<usize> {
    let widest = (WIDEST * n_points as f64 / 2.0).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number below that of the points"
    )]
    let widest = (widest as usize).max(least(order));
    if 2 * widest + 1 > n_points {
        return None;
    }
    let reaches = |half: usize| {
        let p = f64::from(power(half, order));
        let wanted = TAIL * n_points as f64 * (2.0 * p + 3.0).sqrt();
        std::f64::consts::TAU * corner as f64 * half as f64 >= wanted
    };
    (least(order)..=widest)
        .find(|&half| reaches(half))
        .or(Some(widest))
}

/// The place of the corner of the amplitudes along an axis, in waves per length of the axis; noise
/// of standard deviation `sigma` is taken out of them.
pub(crate) fn corner(
    values: &[f64],
    shape: &[usize],
    axis: usize,
    periodic: bool,
    sigma: f64,
) -> usize {
    let (n, after) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    // The ends of an open axis are no jump of the field.
    let taper = |i: usize| {
        let phase = std::f64::consts::TAU * (i as f64 + 0.5) / n as f64;
        if periodic {
            1.0
        } else {
            0.5 - 0.5 * phase.cos()
        }
    };
    let taper: Vec<f64> = (0..n).map(taper).collect();
    let mut powers = vec![0.0; n / 2 + 1];
    let mut line = vec![0.0; n];
    let fourier = Fourier::new(n);
    // A few hundred lines tell the mean spectrum as well as all.
    let n_lines = values.len() / n;
    let every = n_lines.div_ceil(LINES).max(1);
    let mut used = 0_u32;
    for number in (0..n_lines).step_by(every) {
        let first = number / after * n * after + number % after;
        for (i, value) in line.iter_mut().enumerate() {
            *value = values[first + i * after];
        }
        if line.iter().any(|value| value.is_nan()) {
            continue;
        }
        used += 1;
        let mean = line.iter().sum::<f64>() / n as f64;
        for (value, taper) in line.iter_mut().zip(&taper) {
            *value = (*value - mean) * taper;
        }
        for (power, amplitude) in powers.iter_mut().zip(fourier.amplitudes(&line)) {
            *power += amplitude * amplitude;
        }
    }
    let of_noise = sigma * sigma * taper.iter().map(|t| t * t).sum::<f64>();
    let lines = f64::from(used);
    let mut total = 0.0;
    let cumulated: Vec<f64> = powers
        .iter()
        .map(|power| {
            let noise = of_noise * (lines + SURE * lines.sqrt());
            total += (power - noise).max(0.0).sqrt();
            total
        })
        .collect();
    elbow(&cumulated).max(1)
}

/// How many standard deviations the power of a wave must be above that of noise.
const SURE: f64 = 4.0;
/// Lines whose spectra are averaged.
const LINES: usize = 400;

/// Where two straight lines, from the first point to it and from it to the last point, are nearest
/// to a curve.
fn elbow(curve: &[f64]) -> usize {
    let last = curve.len() - 1;
    let misses = |from: usize, to: usize| -> f64 {
        let slope = (curve[to] - curve[from]) / (to - from).max(1) as f64;
        let miss = |i: usize| curve[i] - curve[from] - slope * (i - from) as f64;
        (from..=to).map(|i| miss(i).powi(2)).sum()
    };
    let cost = |&k: &usize| misses(0, k) + misses(k, last);
    let costs = (1..last).map(|k| (cost(&k), k));
    costs
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1, |best| best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_is_the_shortest_wave_with_noise_or_without() {
        let wave = |i: usize| {
            let x = std::f64::consts::TAU * i as f64 / 128.0;
            (1..=9)
                .map(|k| (f64::from(k) * x + f64::from(k * k)).cos())
                .sum::<f64>()
        };
        let noise = |i: usize| 0.2 * ((i * i * 7919 % 1009) as f64 / 504.0 - 1.0);
        let clean: Vec<f64> = (0..128).map(wave).collect();
        let noisy: Vec<f64> = (0..128).map(|i| wave(i) + noise(i)).collect();
        assert!(corner(&clean, &[128], 0, true, 0.0).abs_diff(9) <= 1);
        assert!(corner(&noisy, &[128], 0, true, 0.2 / 3_f64.sqrt()).abs_diff(9) <= 1);
    }

    #[test]
    fn short_waves_get_narrow_bumps() {
        let halves: Vec<usize> = [2, 5, 10, 40]
            .map(|corner| half_width(corner, 256, 4).unwrap())
            .to_vec();
        assert!(
            halves.is_sorted_by(|a, b| a >= b) && halves[0] == 25,
            "{halves:?}"
        );
        assert!(half_width(3, 12, 4).is_none());
    }
}
