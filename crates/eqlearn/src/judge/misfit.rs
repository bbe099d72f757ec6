//! Is the law among those that were compared at all?
//!
//! A search ranks what it was given. Where the law is not among that, the best imitation wins, with
//! a probability near one. So what the chosen terms leave over is compared with noise: the model
//!
//! ```text
//! target = terms + noise          against
//! target = terms + a smooth function of the features + noise
//! ```
//!
//! The smooth function is a Gaussian process with squared exponential covariance `σ² a K`. The
//! terms are projected out of both, and the noise level σ is integrated out with its scale
//! invariant prior, so that only lengths and relative amplitudes `a` are left. The Bayes factor is
//! the mean over a grid of these: with n rows, m of them spent on the terms, and all vectors in
//! the space that is orthogonal to the terms,
//!
//! ```text
//! log BF = −½ ln det(I + aK) − ½ (n − m) ln( rᵀ(I + aK)⁻¹r / rᵀr )
//! ```
//!
//! Always holds: the order of the rows changes no bit of the answer. What makes noise look like
//! structure is bounded: residuals are cut at a few times their typical size, so that outliers,
//! heavy tails and rows with more noise than others are no misfit.
//!
//! Rasmussen and Williams, Gaussian Processes for Machine Learning, chapters 2 and 5; Harville,
//! Biometrika 61, 383 (1974), for the restricted likelihood.

mod process;

use serde::{Deserialize, Serialize};

pub(crate) use process::Rows;

/// The most rows that are looked at: enough to see what matters, and a few milliseconds of work.
const MOST_ROWS: usize = 400;

/// Residuals are cut at this multiple of their typical size: normal noise is hardly touched.
const CUT: f64 = 3.0;

/// The log Bayes factor from which on a misfit is a warning: odds of twenty to one.
pub const WARNED: f64 = 3.0;

/// Below this share of the target's sum of squares, residuals are rounding errors.
pub(crate) const ROUNDING: f64 = 1e-26;

/// The highest rank of a covariance.
const RANK: usize = 128;

/// What is known of a fit row by row, in units in which the noise is even.
#[derive(Debug, Clone, Copy)]
pub struct Residuals<'a> {
    /// The features, one column each, one value per row.
    pub features: &'a [&'a [f64]],
    /// The columns that the fit is free in (terms, or derivatives by each parameter), times the
    /// row's weight.
    pub tangents: &'a [&'a [f64]],
    /// What the law leaves of the target, times the row's weight.
    pub residuals: &'a [f64],
}

/// How probable it is that the law is none of those that were compared.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq)]
pub struct Misfit {
    /// The log Bayes factor of something smooth being left over against noise alone.
    pub log_bayes_factor: f64,
    /// The probability of it, if both were equally probable beforehand.
    pub probability: f64,
}

/// Terms that were tried beside those of a law that leaves too much.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Remedy {
    /// The best of them, one or two; empty if none lowers the residuals clearly.
    pub terms: Vec<String>,
    /// By how much they lower the sum of squared residuals.
    pub factor: f64,
}

impl Misfit {
    fn new(log_bayes_factor: f64) -> Self {
        Self {
            log_bayes_factor,
            probability: 1.0 / (1.0 + (-log_bayes_factor).exp()),
        }
    }
}

/// Judges whether residuals are noise, or whether a smooth function of the features is left.
///
/// None where it cannot be judged: with too few rows, without a feature that varies, or if most
/// residuals are zero.
///
/// ```
/// use eqlearn::judge::misfit::{Residuals, misfit};
///
/// // A straight line through a parabola.
/// let x: Vec<f64> = (0..40).map(f64::from).collect();
/// let ones = vec![1.0; 40];
/// let residuals: Vec<f64> = x.iter().map(|x| (x - 19.5).powi(2) - 133.25).collect();
/// let left = misfit(&Residuals {
///     features: &[&x],
///     tangents: &[&ones, &x],
///     residuals: &residuals,
/// });
/// assert!(left.expect("forty rows").probability > 0.999);
/// ```
pub fn misfit(rows: &Residuals<'_>) -> Option<Misfit> {
    let chosen = canonical_rows(rows);
    let features: Vec<Vec<f64>> = rows.features.iter().map(|x| pick(x, &chosen)).collect();
    let tangents: Vec<Vec<f64>> = rows.tangents.iter().map(|x| pick(x, &chosen)).collect();
    let rows = Rows {
        points: &features,
        tangents: &tangents,
        residuals: pick(rows.residuals, &chosen),
        cut: CUT,
        rank: RANK,
    };
    rows.judge(&|columns| columns)
}

fn pick(column: &[f64], chosen: &[usize]) -> Vec<f64> {
    chosen.iter().map(|&row| column[row]).collect()
}

/// At most [`MOST_ROWS`] rows in an order that depends on their values alone.
///
/// Rows are chosen as if by lot, by a hash of their features: every so many of a sorted list would
/// miss whole columns of a grid. Residuals have no part in it, because their last bits depend on
/// the order of rows in the sums behind them; they only number rows with equal features.
fn canonical_rows(rows: &Residuals<'_>) -> Vec<usize> {
    // Rows without weight were not seen by the fit.
    let counts = |row: usize| {
        let value = |column: &&[f64]| column[row] != 0.0;
        rows.tangents.is_empty() || value(&rows.residuals) || rows.tangents.iter().any(value)
    };
    let by_features = |&a: &usize, &b: &usize| {
        let pairs = rows.features.iter().map(|x| x[a].total_cmp(&x[b]));
        pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    let in_order = |a: &usize, b: &usize| {
        let residuals = || rows.residuals[*a].total_cmp(&rows.residuals[*b]);
        let tangents = rows.tangents.iter().map(|x| x[*a].total_cmp(&x[*b]));
        let ties = || tangents.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        by_features(a, b).then_with(residuals).then_with(ties)
    };
    let mut order: Vec<usize> = (0..rows.residuals.len()).filter(|&i| counts(i)).collect();
    order.sort_by(in_order);
    if order.len() <= MOST_ROWS {
        return order;
    }
    let mut lots: Vec<(u64, usize)> = Vec::with_capacity(order.len());
    let mut repeat = 0;
    for (place, row) in order.iter().enumerate() {
        let is_repeat = place > 0 && by_features(&order[place - 1], row).is_eq();
        repeat = if is_repeat { repeat + 1 } else { 0 };
        let values = rows.features.iter().map(|x| x[*row].to_bits());
        let hash = values.fold(mixed(repeat), |hash, bits| mixed(hash ^ bits));
        lots.push((hash, place));
    }
    lots.sort_unstable();
    lots.truncate(MOST_ROWS);
    let mut places: Vec<usize> = lots.into_iter().map(|(_, place)| place).collect();
    places.sort_unstable();
    places.into_iter().map(|place| order[place]).collect()
}

/// Scatters bits (the finaliser of `SplitMix64`).
fn mixed(bits: u64) -> u64 {
    let z = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::vector::dot;

    /// Numbers that look random, evenly from −1 to 1.
    fn scattered(seed: u64, count: usize) -> Vec<f64> {
        let unit = |i: usize| mixed(seed ^ mixed(i as u64)) as f64 / u64::MAX as f64;
        (0..count).map(|i| 2.0 * unit(i) - 1.0).collect()
    }

    /// Nearly normal noise.
    fn noise(seed: u64, count: usize) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = (0..6).map(|k| scattered(seed + 1000 * k, count)).collect();
        let sum = |i: usize| parts.iter().map(|part| part[i]).sum::<f64>();
        (0..count).map(|i| sum(i) / 2_f64.sqrt()).collect()
    }

    /// What least squares leaves of a target.
    pub(super) fn without(tangents: &[&[f64]], target: &[f64]) -> Vec<f64> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let remove = |basis: &[Vec<f64>], column: &mut Vec<f64>| {
            for _ in 0..2 {
                for known in basis {
                    let share = dot(known, column);
                    column
                        .iter_mut()
                        .zip(known)
                        .for_each(|(x, k)| *x -= share * k);
                }
            }
        };
        for tangent in tangents {
            let mut column = tangent.to_vec();
            remove(&basis, &mut column);
            let length = dot(&column, &column).sqrt();
            basis.push(column.iter().map(|x| x / length).collect());
        }
        let mut left = target.to_vec();
        remove(&basis, &mut left);
        left
    }

    pub(super) struct Case {
        pub(super) features: Vec<Vec<f64>>,
        pub(super) tangents: Vec<Vec<f64>>,
        pub(super) residuals: Vec<f64>,
    }

    impl Case {
        /// A plane through a function of two features.
        pub(super) fn new(n_rows: usize, target: impl Fn(f64, f64, f64) -> f64) -> Self {
            let features = [1, 2].map(|seed| scattered(seed, n_rows)).to_vec();
            let noise = noise(3, n_rows);
            let at = |i: usize| target(features[0][i], features[1][i], noise[i]);
            let target: Vec<f64> = (0..n_rows).map(at).collect();
            let tangents = vec![vec![1.0; n_rows], features[0].clone(), features[1].clone()];
            let slices: Vec<&[f64]> = tangents.iter().map(Vec::as_slice).collect();
            let residuals = without(&slices, &target);
            Self {
                features,
                tangents,
                residuals,
            }
        }

        fn judge(&self) -> Option<Misfit> {
            let features: Vec<&[f64]> = self.features.iter().map(Vec::as_slice).collect();
            let tangents: Vec<&[f64]> = self.tangents.iter().map(Vec::as_slice).collect();
            misfit(&Residuals {
                features: &features,
                tangents: &tangents,
                residuals: &self.residuals,
            })
        }

        fn log_bayes_factor(&self) -> f64 {
            self.judge().expect("it can be judged").log_bayes_factor
        }

        fn shuffled(&self) -> Self {
            let mut order: Vec<usize> = (0..self.residuals.len()).collect();
            order.sort_by_key(|&i| mixed(i as u64));
            let all = |columns: &[Vec<f64>]| columns.iter().map(|x| pick(x, &order)).collect();
            Self {
                features: all(&self.features),
                tangents: all(&self.tangents),
                residuals: pick(&self.residuals, &order),
            }
        }
    }

    #[test]
    fn noise_is_no_misfit_and_a_curve_is_one() {
        for n_rows in [20, 60, 300, 1000] {
            let inside = Case::new(n_rows, |x, z, noise| 1.0 + x - 2.0 * z + 0.1 * noise);
            assert!(inside.log_bayes_factor() < 0.5, "{n_rows}");
            let outside = Case::new(n_rows, |x, z, noise| (2.0 * x).exp() + z + 0.1 * noise);
            assert!(outside.log_bayes_factor() > 5.0, "{n_rows}");
        }
    }

    #[test]
    fn the_order_of_rows_changes_no_bit() {
        for n_rows in [50, 1500] {
            let case = Case::new(n_rows, |x, z, noise| (x * z).sin() + 0.2 * noise);
            assert_eq!(case.judge(), case.shuffled().judge());
        }
    }

    #[test]
    fn repeated_rows_are_chosen_from_all_places() {
        // Five places with 300 measurements each: every place must be seen.
        let places: Vec<f64> = (0..1500).map(|i| f64::from(i % 5)).collect();
        let rows = Residuals {
            features: &[&places],
            tangents: &[],
            residuals: &noise(5, 1500),
        };
        let chosen = canonical_rows(&rows);
        assert_eq!(chosen.len(), MOST_ROWS);
        for place in 0..5 {
            let own = chosen.iter().filter(|&&row| row % 5 == place).count();
            assert!((50..110).contains(&own), "{own} rows at {place}");
        }
    }

    #[test]
    fn one_wild_row_among_noise_is_no_misfit() {
        let mut case = Case::new(80, |x, z, noise| 1.0 + x - 2.0 * z + 0.1 * noise);
        case.residuals[17] += 1e6;
        assert!(case.log_bayes_factor() < 1.0);
    }

    #[test]
    fn a_tiny_smooth_remainder_is_found_and_zeros_are_not_judged() {
        let smooth = Case::new(60, |x, _, _| 1e-6 * (3.0 * x).sin());
        assert!(smooth.log_bayes_factor() > 50.0);
        let mut exact = smooth;
        exact.residuals.fill(0.0);
        assert_eq!(exact.judge(), None);
    }

    #[test]
    fn few_rows_and_constant_features_are_not_judged() {
        assert_eq!(Case::new(8, |x, _, noise| x + noise).judge(), None);
        let mut case = Case::new(40, |_, _, noise| noise);
        case.features = vec![vec![0.1; 40]];
        assert_eq!(case.judge(), None);
    }
}
