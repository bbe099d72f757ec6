//! Least squares on one support, from the triangle.
//!
//! The chosen columns are triangularised once more and solved by back substitution, in
//! double-double arithmetic throughout. A support has few columns, so this costs microseconds and
//! adds no error to that of the triangle.

use qd::Quad;

use super::Reduction;
use super::reducer::{exponent_or_zero, times_power_of_two, triangularise};
use crate::numeric::householder::{Scalar, reflect};
use crate::numeric::matrix::Matrix;
use crate::reduce::support::Support;

/// A term counts as linearly dependent on those before it if its orthogonal part is at most this
/// fraction of its length.
///
/// Terms made of functions carry rounding errors of a few ulp (2e-16); 64 ulp leave room for sums
/// of them. This is far below the orthogonal parts of powers of real data (1e-10 for NIST's Filip
/// set).
pub(super) const DEPENDENT: f64 = 64.0 * f64::EPSILON;

/// Least squares on one support: what every criterion and every model is computed from.
///
/// Where terms are linearly dependent, the coefficients of the later ones are zero, and these are
/// listed in [`dependent`](Self::dependent).
#[derive(Debug, Clone)]
pub struct Fit {
    support: Support,
    dependent: Support,
    n_obs: usize,
    residual_norm: f64,
    coefficients: Vec<f64>,
    /// The fields below are about the linearly independent terms only: their triangle, the target
    /// in the same coordinates, and the powers of two that scale both to the units of the data.
    triangle: Matrix<Quad>,
    rotated_target: Vec<f64>,
    exponents: Vec<i32>,
}

impl Fit {
    pub(super) fn new(reduction: &Reduction, support: &Support) -> Self {
        // Notation: R the triangle of the m independent terms, z the rotated target.
        let Factor {
            independent,
            triangle,
            target,
            residual,
        } = Factor::new(reduction, support.indices());
        let exponent = |column: usize| exponent_or_zero(reduction.exponents[column]);
        let target_exponent = exponent(reduction.n_terms());
        let exponents: Vec<i32> = independent.iter().map(|&term| exponent(term)).collect();
        let mut fit = Self {
            support: support.clone(),
            dependent: left_out(support, &independent),
            n_obs: reduction.n_obs,
            residual_norm: times_power_of_two(residual, target_exponent),
            coefficients: Vec::new(),
            rotated_target: target
                .iter()
                .map(|z| times_power_of_two(z.0, target_exponent))
                .collect(),
            triangle,
            exponents,
        };
        let solution = solve(&fit.triangle, target);
        let own: Vec<f64> = solution
            .iter()
            .zip(&fit.exponents)
            .map(|(w, exponent)| times_power_of_two(w.0, target_exponent - exponent))
            .collect();
        fit.coefficients = fit.spread(&own);
        fit
    }

    /// The terms that were fitted.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// The terms that are linear combinations of earlier ones on these data; their coefficients
    /// are 0.
    pub fn dependent(&self) -> &Support {
        &self.dependent
    }

    /// The number of observations.
    pub fn n_obs(&self) -> usize {
        self.n_obs
    }

    /// The length of the residual vector.
    pub fn residual_norm(&self) -> f64 {
        self.residual_norm
    }

    /// The residual sum of squares; infinite if it is too large for a number.
    pub fn rss(&self) -> f64 {
        self.residual_norm * self.residual_norm
    }

    /// The residual sum of squares relative to that of another fit, to full precision.
    ///
    /// Against a fit of the constant alone this is `1 − R²`; against the empty support, `1 − R²`
    /// about zero.
    pub fn share_of(&self, baseline: &Self) -> f64 {
        if baseline.residual_norm > 0.0 {
            (self.residual_norm / baseline.residual_norm).powi(2)
        } else {
            0.0
        }
    }

    /// The fraction of another fit's residual sum of squares that this one explains, to full
    /// precision.
    ///
    /// `R²`, where the baseline is the constant alone or nothing. Where little is explained, this
    /// avoids the cancellation in `1 − share_of`. The baseline's terms must come first in this
    /// fit's support.
    pub fn explained_share(&self, baseline: &Self) -> f64 {
        let before = baseline.support.len() - baseline.dependent.len();
        let squared: f64 = self.rotated_target[before..]
            .iter()
            .map(|z| (z / baseline.residual_norm).powi(2))
            .sum();
        let unexplained = self.share_of(baseline);
        if squared < unexplained {
            squared
        } else {
            1.0 - unexplained
        }
    }

    /// Observations less independent terms, or 0.
    pub fn degrees_of_freedom(&self) -> usize {
        self.n_obs
            .saturating_sub(self.support.len() - self.dependent.len())
    }

    /// The estimated noise level, if a degree of freedom is left to estimate it from.
    ///
    /// # Formula
    /// ```text
    /// σ = √(rss / (n_obs − n_terms))
    /// ```
    pub fn sigma(&self) -> Option<f64> {
        let freedom = self.degrees_of_freedom();
        (freedom > 0).then(|| self.residual_norm / (freedom as f64).sqrt())
    }

    /// One coefficient per term of the support, in the units of the data.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The standard error of each coefficient, if the noise level can be estimated.
    pub fn std_errors(&self) -> Option<Vec<f64>> {
        let sigma = self.sigma()?;
        let inverse = self.inverse();
        let m = self.exponents.len();
        let error = |i: usize| {
            let unit = row_product(&inverse, i, i).sqrt().0;
            sigma * times_power_of_two(unit, -self.exponents[i])
        };
        Some(self.spread(&(0..m).map(error).collect::<Vec<_>>()))
    }

    /// The covariance of the coefficients, row by row, if the noise level can be estimated.
    pub fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        Some(self.covariance_at(self.sigma()?))
    }

    /// The covariance of the coefficients, row by row, at a noise level that is known.
    pub(super) fn covariance_at(&self, sigma: f64) -> Vec<Vec<f64>> {
        let inverse = self.inverse();
        let m = self.exponents.len();
        // Each row and column is scaled by its own standard error, so that no intermediate result
        // overflows.
        let scaled = |i: usize, k: usize| {
            let product = row_product(&inverse, i, k).0;
            sigma
                * times_power_of_two(product, -self.exponents[i])
                * times_power_of_two(sigma, -self.exponents[k])
        };
        let rows: Vec<Vec<f64>> = (0..m)
            .map(|i| self.spread(&(0..m).map(|k| scaled(i, k)).collect::<Vec<_>>()))
            .collect();
        let mut independent = rows.into_iter();
        let row = |term: &usize| {
            let zeros = || vec![0.0; self.support.len()];
            if self.dependent.contains(*term) {
                zeros()
            } else {
                independent.next().unwrap_or_else(zeros)
            }
        };
        self.support.indices().iter().map(row).collect()
    }

    /// Puts one value per independent term in its place among all terms; the others get 0.
    fn spread(&self, values: &[f64]) -> Vec<f64> {
        let mut values = values.iter();
        let value = |term: &usize| {
            if self.dependent.contains(*term) {
                0.0
            } else {
                *values.next().expect("one per independent term")
            }
        };
        self.support.indices().iter().map(value).collect()
    }

    /// The columns of `R⁻¹`, each up to its diagonal.
    fn inverse(&self) -> Vec<Vec<Quad>> {
        let unit = |j: usize| {
            (0..=j)
                .map(|i| Quad::from(f64::from(u8::from(i == j))))
                .collect()
        };
        (0..self.exponents.len())
            .map(|j| solve(&self.triangle, unit(j)))
            .collect()
    }

    /// `ln det(I + ratio · UᵀU)` for the columns `U` of the independent terms after the first
    /// `always_in`, once those are projected out and each is scaled to unit length.
    ///
    /// The Occam factor of a Gaussian prior, accurate for collinear terms too.
    pub fn log_det_plus_one(&self, always_in: usize, ratio: f64) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let log_square = |j: usize| {
            (stacked[(j, j)] * stacked[(j, j)] - Quad::from(1.0))
                .0
                .ln_1p()
        };
        (0..stacked.n_cols() - 1).map(log_square).sum()
    }

    /// The residual relative to that of `baseline` when the same prior shrinks the coefficients.
    pub fn shrunken_share(&self, always_in: usize, ratio: f64, baseline: &Self) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let last = stacked.n_cols() - 1;
        let shrinkage = if last < stacked.n_rows() {
            stacked[(last, last)].0 / baseline.residual_norm
        } else {
            0.0
        };
        self.share_of(baseline) + shrinkage * shrinkage
    }

    /// The triangle of `[√ratio · U | z]` stacked on `[I | 0]`.
    fn with_prior(&self, always_in: usize, ratio: f64) -> Matrix<Quad> {
        let m = self.triangle.n_cols().saturating_sub(always_in);
        let entry = |i: usize, j: usize| self.triangle[(always_in + i, always_in + j)];
        let length = |j: usize| {
            (0..=j)
                .fold(Quad::ZERO, |sum, i| sum + entry(i, j) * entry(i, j))
                .sqrt()
        };
        let root = Quad::from(ratio).sqrt();
        let scales: Vec<Quad> = (0..m).map(|j| root / length(j)).collect();
        let mut stacked = Matrix::from_fn(2 * m, m + 1, |i, j| match (i < m, j < m) {
            (true, true) => entry(i, j) * scales[j],
            (true, false) => Quad::from(self.rotated_target[always_in + i]),
            (false, true) => Quad::from(f64::from(u8::from(i - m == j))),
            (false, false) => Quad::ZERO,
        });
        triangularise(&mut stacked);
        stacked
    }
}

/// Some terms and the target, triangularised.
struct Factor {
    /// The terms that are linearly independent of those before them.
    independent: Vec<usize>,
    /// Their triangle.
    triangle: Matrix<Quad>,
    /// The part of the target that they explain, in the triangle's coordinates.
    target: Vec<Quad>,
    /// The length of the rest.
    residual: f64,
}

impl Factor {
    fn new(reduction: &Reduction, terms: &[usize]) -> Self {
        let height = reduction.triangle.n_rows();
        let mut columns = columns(reduction, terms.iter().chain([&reduction.n_terms()]));
        let places = independent(&mut columns, height, terms.len(), |_| height);
        let m = places.len();
        let (columns, target) = columns.split_at_mut(terms.len() * height);
        let triangle = Matrix::from_fn(m, m, |i, j| {
            if i <= j {
                columns[places[j] * height + i]
            } else {
                Quad::ZERO
            }
        });
        let rest = Quad::axis(&mut target[m..], 0.0);
        Self {
            independent: places.iter().map(|&place| terms[place]).collect(),
            triangle,
            target: target[..m].to_vec(),
            residual: rest.map_or(0.0, |rest| rest.diagonal.0.abs()),
        }
    }
}

/// The terms that are linear combinations of those before them.
///
/// The columns are a triangle already: only after a skipped column are there entries to eliminate.
/// So this is cheap where all terms are independent.
pub(super) fn dependent(reduction: &Reduction) -> Support {
    let (n_terms, height) = (reduction.n_terms(), reduction.triangle.n_rows());
    let all: Support = (0..n_terms).collect();
    let mut columns = columns(reduction, all.indices());
    let independent = independent(&mut columns, height, n_terms, |j| height.min(j + 1));
    left_out(&all, &independent)
}

/// Columns of the triangle, one after another.
fn columns<'a>(reduction: &Reduction, which: impl IntoIterator<Item = &'a usize>) -> Vec<Quad> {
    let which = which.into_iter();
    which
        .flat_map(|&j| reduction.triangle.col(j).iter().copied())
        .collect()
}

/// Triangularises the first `n_terms` columns, applies the reflections to those behind them too,
/// and returns the places of the independent ones.
///
/// In one pass: a column that is linearly dependent on those before it is skipped and takes no row.
/// From row `end(j)` on, column `j` and all before it are zero.
fn independent(
    columns: &mut [Quad],
    height: usize,
    n_terms: usize,
    end: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let length = |j: usize| -> f64 {
        let squares = columns[j * height..][..height].iter().map(|v| v.0 * v.0);
        squares.sum::<f64>().sqrt()
    };
    let lengths: Vec<f64> = (0..n_terms).map(length).collect();
    let mut independent = Vec::with_capacity(n_terms);
    for (place, length) in lengths.iter().enumerate() {
        let rows = independent.len()..end(place);
        if reflect(columns, height, place, rows, DEPENDENT * length) {
            independent.push(place);
        }
    }
    independent
}

/// The terms of a support that are not among these.
fn left_out(support: &Support, terms: &[usize]) -> Support {
    let others = support.indices().iter().copied();
    others
        .filter(|term| terms.binary_search(term).is_err())
        .collect()
}

/// `R⁻¹ b`, by back substitution, for the leading part of an upper triangle.
fn solve(triangle: &Matrix<Quad>, mut b: Vec<Quad>) -> Vec<Quad> {
    for j in (0..b.len()).rev() {
        b[j] /= triangle[(j, j)];
        for i in 0..j {
            let product = triangle[(i, j)] * b[j];
            b[i] -= product;
        }
    }
    b
}

/// Row `i` times row `k` of an upper triangle that is given by its columns.
fn row_product(columns: &[Vec<Quad>], i: usize, k: usize) -> Quad {
    columns[i.max(k)..]
        .iter()
        .fold(Quad::ZERO, |sum, column| sum + column[i] * column[k])
}

#[cfg(test)]
mod tests {
    use crate::numeric::householder::tests::TURNED;
    use crate::reduce::Reduction;
    use crate::reduce::support::Support;

    /// As many columns, every second one a copy of the one before, and a target.
    fn twins(n_terms: usize) -> Reduction {
        let n_rows = n_terms + 5;
        let entry = |i: usize, j: usize| (1.0 + (i * i + 7 * i * j + 3 * j * j) as f64).sin();
        let columns: Vec<Vec<f64>> = (0..=n_terms)
            .map(|j| (0..n_rows).map(|i| entry(i, j / 2)).collect())
            .collect();
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Reduction::from_columns(&slices)
    }

    /// How many columns are turned by this.
    fn turned(work: impl FnOnce() -> Support) -> (Support, usize) {
        TURNED.set(0);
        (work(), TURNED.get())
    }

    #[test]
    fn a_dependent_column_does_not_begin_the_factorisation_anew() {
        let n_terms = 200;
        let reduction = twins(n_terms);
        let all: Support = (0..n_terms).collect();
        let copies: Support = (1..n_terms).step_by(2).collect();
        // Every column at most once for each that is independent and before it.
        let most = n_terms * n_terms / 4 + n_terms;
        let (dependent, work) = turned(|| reduction.fit(&all).dependent().clone());
        assert_eq!(dependent, copies);
        assert!(work <= most, "{work} columns");
        let (dependent, work) = turned(|| reduction.dependent());
        assert_eq!(dependent, copies);
        assert!(work <= most, "{work} columns");
    }

    #[test]
    fn what_is_left_of_dependent_terms_is_the_fit_of_the_others() {
        let reduction = twins(12);
        let fit = reduction.fit(&(0..12).collect());
        let others = reduction.fit(&(0..12).step_by(2).collect());
        let own: Vec<f64> = fit.coefficients().iter().copied().step_by(2).collect();
        assert_eq!(own, others.coefficients());
        assert!(
            fit.coefficients()
                .iter()
                .skip(1)
                .step_by(2)
                .all(|w| w.abs() <= 0.0)
        );
        assert_eq!(
            fit.residual_norm().to_bits(),
            others.residual_norm().to_bits()
        );
        assert_eq!(
            fit.log_det_plus_one(0, 2.0).to_bits(),
            others.log_det_plus_one(0, 2.0).to_bits()
        );
    }
}
