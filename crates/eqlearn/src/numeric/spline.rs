//! The cubic smoothing spline, with the smoothing chosen by generalised cross-validation.
//!
//! It minimises `Σ (x_i − g(t_i))² + λ ∫ g''²`. With the second derivatives `γ` of the spline at
//! the inner samples as unknowns this is a system with five diagonals (Reinsch 1967),
//! `(R + λ QᵀQ) γ = Qᵀ x`, and `g = x − λ Q γ`. Generalised cross-validation chooses the `λ` that
//! minimises `(rss/n) / (tr(I − A)/n)²`, whose trace needs only the five middle diagonals of an
//! inverse (Hutchinson and de Hoog 1985). The time is proportional to the number of samples.

use crate::numeric::minimise::golden;

/// Values of the curve and of its derivative at the samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Smoothed {
    pub(crate) values: Vec<f64>,
    pub(crate) slopes: Vec<f64>,
}

/// Powers of ten between the stiffest and the softest curve that are tried, for steps of length
/// one.
const POWERS: std::ops::RangeInclusive<i32> = -8..=9;

/// Rounds of the search for the best between two powers.
const ROUNDS: usize = 30;

/// The smoothing spline through at least four samples.
pub(crate) fn smoothed(times: &[f64], values: &[f64]) -> Smoothed {
    let step = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
    let problem = Problem::new(times, values, step);
    let score = |power: f64| problem.solve(10.0_f64.powf(power)).score;
    let best = POWERS.min_by(|a, b| score(f64::from(*a)).total_cmp(&score(f64::from(*b))));
    let best = f64::from(best.expect("there are powers"));
    let power = golden((best - 1.0, best + 1.0), ROUNDS, score);
    let solution = problem.solve(10.0_f64.powf(power));
    let slopes = problem.slopes(&solution).iter().map(|v| v / step).collect();
    Smoothed {
        values: solution.curve,
        slopes,
    }
}

/// A symmetric matrix with five diagonals: the main one, and those one and two places off it.
type Bands = [Vec<f64>; 3];

struct Problem<'a> {
    values: &'a [f64],
    /// The steps between samples, in units of the mean one.
    steps: Vec<f64>,
    /// `R`, with three diagonals.
    roughness: Bands,
    /// `QᵀQ`.
    squares: Bands,
}

struct Solution {
    curve: Vec<f64>,
    /// Second derivatives at the inner samples.
    bends: Vec<f64>,
    score: f64,
}

impl<'a> Problem<'a> {
    fn new(times: &[f64], values: &'a [f64], step: f64) -> Self {
        let steps: Vec<f64> = times.windows(2).map(|t| (t[1] - t[0]) / step).collect();
        let inner = steps.len() - 1;
        // Column i of Q: the second difference around sample i + 1.
        let q = |i: usize| {
            let (left, right) = (1.0 / steps[i], 1.0 / steps[i + 1]);
            [left, -left - right, right]
        };
        let product = |i: usize, j: usize| -> f64 {
            let (a, b) = (q(i), q(j));
            (j - i..3).map(|k| a[k] * b[k + i - j]).sum()
        };
        let band = |off: usize, entry: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..inner.saturating_sub(off)).map(entry).collect()
        };
        Self {
            roughness: [
                band(0, &|i| (steps[i] + steps[i + 1]) / 3.0),
                band(1, &|i| steps[i + 1] / 6.0),
                vec![0.0; inner.saturating_sub(2)],
            ],
            squares: [
                band(0, &|i| product(i, i)),
                band(1, &|i| product(i, i + 1)),
                band(2, &|i| product(i, i + 2)),
            ],
            values,
            steps,
        }
    }

    /// `Qᵀ v`.
    fn bend(&self, v: &[f64]) -> Vec<f64> {
        let slope = |i: usize| (v[i + 1] - v[i]) / self.steps[i];
        (0..self.steps.len() - 1)
            .map(|i| slope(i + 1) - slope(i))
            .collect()
    }

    /// `Q v`.
    fn unbend(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.values.len()];
        for (i, v) in v.iter().enumerate() {
            let (left, right) = (1.0 / self.steps[i], 1.0 / self.steps[i + 1]);
            out[i] += v * left;
            out[i + 1] -= v * (left + right);
            out[i + 2] += v * right;
        }
        out
    }

    fn solve(&self, lambda: f64) -> Solution {
        let mix = |k: usize| -> Vec<f64> {
            let both = self.roughness[k].iter().zip(&self.squares[k]);
            both.map(|(r, s)| r + lambda * s).collect()
        };
        let factor = Factor::new([mix(0), mix(1), mix(2)]);
        let bends = factor.solve(self.bend(self.values));
        let removed: Vec<f64> = self.unbend(&bends).iter().map(|v| lambda * v).collect();
        let rss: f64 = removed.iter().map(|v| v * v).sum();
        let trace = lambda * factor.trace_of_inverse_times(&self.squares);
        Solution {
            curve: self
                .values
                .iter()
                .zip(&removed)
                .map(|(x, r)| x - r)
                .collect(),
            bends,
            score: rss / (trace * trace),
        }
    }

    /// Slopes at the samples, per mean step.
    fn slopes(&self, solution: &Solution) -> Vec<f64> {
        let n = self.values.len();
        let bend = |i: usize| match i {
            0 => 0.0,
            i if i == n - 1 => 0.0,
            i => solution.bends[i - 1],
        };
        let chord = |i: usize| (solution.curve[i + 1] - solution.curve[i]) / self.steps[i];
        let at_left = |i: usize| chord(i) - self.steps[i] * (2.0 * bend(i) + bend(i + 1)) / 6.0;
        let last = chord(n - 2) + self.steps[n - 2] * (bend(n - 2) + 2.0 * bend(n - 1)) / 6.0;
        (0..n - 1).map(at_left).chain([last]).collect()
    }
}

/// `L D Lᵀ` of a positive matrix with five diagonals.
struct Factor {
    d: Vec<f64>,
    one: Vec<f64>,
    two: Vec<f64>,
}

impl Factor {
    fn new([main, first, second]: Bands) -> Self {
        let n = main.len();
        let (mut d, mut one, mut two) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let before = |k: usize| i.checked_sub(k);
            let mut pivot = main[i];
            if let Some(k) = before(1) {
                pivot -= one[k] * one[k] * d[k];
            }
            if let Some(k) = before(2) {
                pivot -= two[k] * two[k] * d[k];
            }
            d[i] = pivot;
            if i + 1 < n {
                let carried = before(1).map_or(0.0, |k| one[k] * two[k] * d[k]);
                one[i] = (first[i] - carried) / pivot;
            }
            if i + 2 < n {
                two[i] = second[i] / pivot;
            }
        }
        Self { d, one, two }
    }

    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for i in 0..n {
            if i >= 1 {
                b[i] -= self.one[i - 1] * b[i - 1];
            }
            if i >= 2 {
                b[i] -= self.two[i - 2] * b[i - 2];
            }
        }
        for i in (0..n).rev() {
            b[i] /= self.d[i];
            if i + 1 < n {
                b[i] -= self.one[i] * b[i + 1];
            }
            if i + 2 < n {
                b[i] -= self.two[i] * b[i + 2];
            }
        }
        b
    }

    /// `tr(B⁻¹ S)` for a matrix of five diagonals, from those of the inverse, last row first.
    fn trace_of_inverse_times(&self, s: &Bands) -> f64 {
        let n = self.d.len();
        let mut trace = 0.0;
        // Entries of the inverse around the place below: (i+1,i+1), (i+1,i+2), (i+2,i+2).
        let (mut near, mut across, mut far) = (0.0, 0.0, 0.0);
        for i in (0..n).rev() {
            let (a, b) = (self.one[i], self.two[i]);
            let first = -a * near - b * across;
            let second = -a * across - b * far;
            let main = 1.0 / self.d[i] - a * first - b * second;
            trace += main * s[0][i];
            if i + 1 < n {
                trace += 2.0 * first * s[1][i];
            }
            if i + 2 < n {
                trace += 2.0 * second * s[2][i];
            }
            (far, across, near) = (near, first, main);
        }
        trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize) -> (Vec<f64>, Vec<f64>) {
        let times: Vec<f64> = (0..n)
            .map(|i| 0.05 * i as f64 + 0.01 * (i % 3) as f64)
            .collect();
        let x = times.iter().map(|t| t.sin()).collect();
        (times, x)
    }

    #[test]
    fn without_noise_it_goes_through_the_samples() {
        let (times, x) = wave(200);
        let spline = smoothed(&times, &x);
        for i in 10..190 {
            assert!((spline.values[i] - x[i]).abs() < 1e-6);
            assert!((spline.slopes[i] - times[i].cos()).abs() < 1e-4);
        }
    }

    #[test]
    fn noise_is_taken_out_and_the_slope_survives() {
        let (times, clean) = wave(400);
        // A fixed, rough disturbance of size 0.05.
        let noisy: Vec<f64> = clean
            .iter()
            .enumerate()
            .map(|(i, x)| x + 0.05 * (12.9898 * (i * i) as f64).sin())
            .collect();
        let spline = smoothed(&times, &noisy);
        let off = |a: &[f64], b: &dyn Fn(usize) -> f64| {
            let squares: f64 = (20..380).map(|i| (a[i] - b(i)).powi(2)).sum();
            (squares / 360.0).sqrt()
        };
        assert!(off(&spline.values, &|i| clean[i]) < 0.015);
        assert!(off(&spline.slopes, &|i| times[i].cos()) < 0.06);
        // Differences of neighbours are off by more than 0.5.
    }

    #[test]
    fn the_trace_is_that_of_the_whole_inverse() {
        let (times, x) = wave(12);
        let problem = Problem::new(&times, &x, 0.05);
        let lambda = 0.7;
        let mix = |k: usize| -> Vec<f64> {
            let both = problem.roughness[k].iter().zip(&problem.squares[k]);
            both.map(|(r, s)| r + lambda * s).collect()
        };
        let factor = Factor::new([mix(0), mix(1), mix(2)]);
        let n = factor.d.len();
        let entry = |s: &Bands, i: usize, j: usize| match i.abs_diff(j) {
            k @ 0..=2 => s[k][i.min(j)],
            _ => 0.0,
        };
        let mut trace = 0.0;
        for j in 0..n {
            let column: Vec<f64> = (0..n).map(|i| entry(&problem.squares, i, j)).collect();
            trace += factor.solve(column)[j];
        }
        let quick = factor.trace_of_inverse_times(&problem.squares);
        assert!((quick - trace).abs() < 1e-10 * trace, "{quick} {trace}");
    }
}
