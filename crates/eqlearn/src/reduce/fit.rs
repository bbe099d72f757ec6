//! Least squares on one support, read off the triangle.
//!
//! The chosen columns are triangularised once more and solved by back substitution, in double-double
//! arithmetic throughout: a support has few columns, so this costs microseconds and the
//! answer is as good as the triangle.

use faer::{Mat, fx128};

use super::Reduction;
use super::fold::{exponent_or_zero, times_power_of_two, triangularise};
use crate::reduce::support::Support;

/// A term counts as a combination of those before it if no more than this share of its length is new.
///
/// Terms made of functions carry rounding errors of a few ulp (2e-16); 64 ulp leave room for
/// sums of them and still lie far below what powers of real data leave (1e-10 for NIST's Filip set).
const DEPENDENT: f64 = 64.0 * f64::EPSILON;

/// Least squares on one support: what every criterion and every model is computed from.
///
/// Where terms depend on each other, those that come later in the support are left at zero and
/// listed in [`dependent`](Self::dependent).
#[derive(Debug, Clone)]
pub struct Fit {
    support: Support,
    dependent: Support,
    n_obs: usize,
    residual_norm: f64,
    coefficients: Vec<f64>,
    /// What follows is about the independent terms only: their triangle, the target rotated with it, and the
    /// powers of two that turn both into the units of the data.
    triangle: Mat<fx128>,
    rotated_target: Vec<f64>,
    exponents: Vec<i32>,
}

impl Fit {
    pub(super) fn new(reduction: &Reduction, support: &Support) -> Self {
        let mut independent = support.clone();
        loop {
            let columns = Columns::new(reduction, &independent);
            match columns.first_dependent() {
                Some(place) => independent = independent.without(independent.indices()[place]),
                None => return Self::from_columns(&columns, reduction, support, &independent),
            }
        }
    }

    fn from_columns(
        columns: &Columns,
        reduction: &Reduction,
        support: &Support,
        independent: &Support,
    ) -> Self {
        // Notation: R the triangle of m terms, z the rotated target.
        let (m, r) = (independent.len(), &columns.triangle);
        let exponent = |column: usize| exponent_or_zero(reduction.exponents[column]);
        let target_exponent = exponent(reduction.n_terms());
        let z: Vec<fx128> = (0..m).map(|i| r[(i, m)]).collect();
        let rotated_target = z
            .iter()
            .map(|z| times_power_of_two(z.0, target_exponent))
            .collect();
        let exponents: Vec<i32> = independent
            .indices()
            .iter()
            .map(|&term| exponent(term))
            .collect();
        let solution = solve(r, z);
        let residual = if m < r.nrows() {
            r[(m, m)].0.abs()
        } else {
            0.0
        };
        let coefficient = |term: &usize| match independent.indices().binary_search(term) {
            Ok(i) => times_power_of_two(solution[i].0, target_exponent - exponents[i]),
            Err(_) => 0.0,
        };
        let dependent = support
            .indices()
            .iter()
            .copied()
            .filter(|&term| !independent.contains(term));
        Self {
            support: support.clone(),
            dependent: dependent.collect(),
            n_obs: reduction.n_obs,
            residual_norm: times_power_of_two(residual, target_exponent),
            coefficients: support.indices().iter().map(coefficient).collect(),
            triangle: r.submatrix(0, 0, m, m).to_owned(),
            rotated_target,
            exponents,
        }
    }

    /// The terms that were fitted.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// The terms that are combinations of earlier ones on these data; their coefficients are 0.
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

    /// The residual sum of squares as a share of that of another fit, with all its digits.
    ///
    /// Against a fit of the constant alone this is `1 − R²`; against the empty support, `1 − R²` about zero.
    pub fn share_of(&self, baseline: &Self) -> f64 {
        if baseline.residual_norm > 0.0 {
            (self.residual_norm / baseline.residual_norm).powi(2)
        } else {
            0.0
        }
    }

    /// The share of another fit's residual sum of squares that this one explains, with all its digits.
    ///
    /// `R²`, where the baseline is the constant alone or nothing. Where little is explained this keeps the
    /// digits that `1 − share_of` has lost. The baseline's terms must come first in this fit's support.
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
        let sigma = self.sigma()?;
        let inverse = self.inverse();
        let m = self.exponents.len();
        // Each row and column is scaled by its own standard error, so that nothing overflows on the way.
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
        Some(self.support.indices().iter().map(row).collect())
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
    fn inverse(&self) -> Vec<Vec<fx128>> {
        let unit = |j: usize| {
            (0..=j)
                .map(|i| fx128::from(f64::from(u8::from(i == j))))
                .collect()
        };
        (0..self.exponents.len())
            .map(|j| solve(&self.triangle, unit(j)))
            .collect()
    }

    /// `ln det(I + ratio · UᵀU)` for the columns `U` of the independent terms after the first `always_in`, once those
    /// are projected out and each is scaled to unit length.
    ///
    /// The Occam factor of a Gaussian prior, accurate for collinear terms too.
    pub fn log_det_plus_one(&self, always_in: usize, ratio: f64) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let log_square = |j: usize| {
            (stacked[(j, j)] * stacked[(j, j)] - fx128::from(1.0))
                .0
                .ln_1p()
        };
        (0..stacked.ncols() - 1).map(log_square).sum()
    }

    /// The residual share of `baseline` when the same prior pulls the coefficients towards zero.
    pub fn shrunken_share(&self, always_in: usize, ratio: f64, baseline: &Self) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let last = stacked.ncols() - 1;
        let shrinkage = if last < stacked.nrows() {
            stacked[(last, last)].0 / baseline.residual_norm
        } else {
            0.0
        };
        self.share_of(baseline) + shrinkage * shrinkage
    }

    /// The triangle of `[√ratio · U | z]` over `[I | 0]`.
    fn with_prior(&self, always_in: usize, ratio: f64) -> Mat<fx128> {
        let m = self.triangle.ncols().saturating_sub(always_in);
        let entry = |i: usize, j: usize| self.triangle[(always_in + i, always_in + j)];
        let length = |j: usize| {
            (0..=j)
                .fold(fx128::ZERO, |sum, i| sum + entry(i, j) * entry(i, j))
                .sqrt()
        };
        let root = fx128::from(ratio).sqrt();
        let scales: Vec<fx128> = (0..m).map(|j| root / length(j)).collect();
        let mut stacked = Mat::from_fn(2 * m, m + 1, |i, j| match (i < m, j < m) {
            (true, true) => entry(i, j) * scales[j],
            (true, false) => fx128::from(self.rotated_target[always_in + i]),
            (false, true) => fx128::from(f64::from(u8::from(i - m == j))),
            (false, false) => fx128::ZERO,
        });
        triangularise(stacked.as_mut());
        stacked
    }
}

/// A support's columns and the target, triangularised, with each column's length.
struct Columns {
    triangle: Mat<fx128>,
    lengths: Vec<f64>,
}

impl Columns {
    fn new(reduction: &Reduction, support: &Support) -> Self {
        let columns: Vec<usize> = support
            .indices()
            .iter()
            .copied()
            .chain([reduction.n_terms()])
            .collect();
        let source = &reduction.triangle;
        let mut triangle = Mat::from_fn(source.nrows(), columns.len(), |i, j| {
            source[(i, columns[j])]
        });
        let length = |j| {
            triangle
                .col(j)
                .iter()
                .map(|v: &fx128| v.0 * v.0)
                .sum::<f64>()
                .sqrt()
        };
        let lengths = (0..columns.len()).map(length).collect();
        triangularise(triangle.as_mut());
        Self { triangle, lengths }
    }

    /// The position of the first term that adds nothing new.
    fn first_dependent(&self) -> Option<usize> {
        let adds_nothing = |j: usize| {
            j >= self.triangle.nrows()
                || self.triangle[(j, j)].0.abs() <= DEPENDENT * self.lengths[j]
        };
        (0..self.lengths.len() - 1).find(|&j| adds_nothing(j))
    }
}

/// `R⁻¹ b`, by back substitution, for the leading part of an upper triangle.
fn solve(triangle: &Mat<fx128>, mut b: Vec<fx128>) -> Vec<fx128> {
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
fn row_product(columns: &[Vec<fx128>], i: usize, k: usize) -> fx128 {
    columns[i.max(k)..]
        .iter()
        .fold(fx128::ZERO, |sum, column| sum + column[i] * column[k])
}
