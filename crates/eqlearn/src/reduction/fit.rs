//! Least squares on one support, read off the triangle.
//!
//! The chosen columns are triangularised once more and solved by back substitution, in double-double
//! arithmetic throughout: a support has few columns, so this costs microseconds and the
//! answer is as good as the triangle.

use faer::{Mat, fx128};

use super::Reduction;
use super::fold::{exponent_or_zero, times_power_of_two, triangularise};
use crate::support::Support;

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
    /// Standard errors for a noise level of 1.
    unit_errors: Vec<f64>,
    /// Correlations of the coefficients, row by row.
    correlations: Vec<f64>,
    /// The triangle of the independent terms, and the target rotated with it (in the units of the data).
    triangle: Mat<fx128>,
    rotated_target: Vec<f64>,
}

impl Fit {
    pub(super) fn new(reduction: &Reduction, support: &Support) -> Self {
        let mut independent = support.clone();
        loop {
            let solved = Solved::new(reduction, &independent);
            match solved.first_dependent() {
                Some(position) => independent = independent.without(independent.indices()[position]),
                None => return solved.into_fit(reduction, support, &independent),
            }
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
        let squared: f64 = self.rotated_target[before..].iter().map(|z| (z / baseline.residual_norm).powi(2)).sum();
        let unexplained = self.share_of(baseline);
        if squared < unexplained { squared } else { 1.0 - unexplained }
    }

    /// Observations less independent terms, or 0.
    pub fn degrees_of_freedom(&self) -> usize {
        self.n_obs.saturating_sub(self.support.len() - self.dependent.len())
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
        Some(self.unit_errors.iter().map(|unit| sigma * unit).collect())
    }

    /// The covariance of the coefficients, row by row, if the noise level can be estimated.
    pub fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        let errors = self.std_errors()?;
        let row = |(error, correlations): (&f64, &[f64])| {
            correlations.iter().zip(&errors).map(|(r, other)| error * r * other).collect()
        };
        let size = errors.len().max(1);
        Some(errors.iter().zip(self.correlations.chunks(size)).map(row).collect())
    }

    /// `ln det(I + ratio · UᵀU)` for the columns `U` of the independent terms after the first `always_in`, once those
    /// are projected out and each is scaled to unit length.
    ///
    /// The Occam factor of a Gaussian prior, accurate for collinear terms too.
    pub fn log_det_plus_one(&self, always_in: usize, ratio: f64) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let log_square = |j: usize| (stacked[(j, j)] * stacked[(j, j)] - fx128::from(1.0)).0.ln_1p();
        (0..stacked.ncols() - 1).map(log_square).sum()
    }

    /// The residual share of `baseline` when the same prior pulls the coefficients towards zero.
    pub fn shrunken_share(&self, always_in: usize, ratio: f64, baseline: &Self) -> f64 {
        let stacked = self.with_prior(always_in, ratio);
        let last = stacked.ncols() - 1;
        let shrinkage = if last < stacked.nrows() { stacked[(last, last)].0 / baseline.residual_norm } else { 0.0 };
        self.share_of(baseline) + shrinkage * shrinkage
    }

    /// The triangle of `[√ratio · U | z]` over `[I | 0]`.
    fn with_prior(&self, always_in: usize, ratio: f64) -> Mat<fx128> {
        let m = self.triangle.ncols().saturating_sub(always_in);
        let entry = |i: usize, j: usize| self.triangle[(always_in + i, always_in + j)];
        let length = |j: usize| (0..=j).fold(fx128::ZERO, |sum, i| sum + entry(i, j) * entry(i, j)).sqrt();
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

/// The triangle of a support and its target, with each column's length.
struct Solved {
    triangle: Mat<fx128>,
    lengths: Vec<f64>,
}

impl Solved {
    fn new(reduction: &Reduction, support: &Support) -> Self {
        let columns: Vec<usize> =
            support.indices().iter().copied().chain([reduction.n_terms()]).collect();
        let source = &reduction.triangle;
        let mut triangle = Mat::from_fn(source.nrows(), columns.len(), |i, j| source[(i, columns[j])]);
        let length = |j| triangle.col(j).iter().map(|v: &fx128| v.0 * v.0).sum::<f64>().sqrt();
        let lengths = (0..columns.len()).map(length).collect();
        triangularise(triangle.as_mut());
        Self { triangle, lengths }
    }

    fn n_terms(&self) -> usize {
        self.lengths.len() - 1
    }

    /// The position of the first term that adds nothing new.
    fn first_dependent(&self) -> Option<usize> {
        (0..self.n_terms()).find(|&j| {
            j >= self.triangle.nrows() || self.triangle[(j, j)].0.abs() <= DEPENDENT * self.lengths[j]
        })
    }

    /// `R⁻¹ b` for the upper triangle of the terms.
    fn solve(&self, mut b: Vec<fx128>) -> Vec<fx128> {
        for j in (0..b.len()).rev() {
            b[j] /= self.triangle[(j, j)];
            for i in 0..j {
                let product = self.triangle[(i, j)] * b[j];
                b[i] -= product;
            }
        }
        b
    }

    fn into_fit(self, reduction: &Reduction, support: &Support, independent: &Support) -> Fit {
        // Notation: R the triangle of m terms, z the rotated target.
        let m = self.n_terms();
        let r = &self.triangle;
        let exponent = |column: usize| exponent_or_zero(reduction.exponents[column]);
        let z = (0..m).map(|i| r[(i, m)]).collect();
        let solution = self.solve(z);
        let inverse: Vec<Vec<fx128>> = (0..m)
            .map(|j| self.solve((0..=j).map(|i| fx128::from(f64::from(u8::from(i == j)))).collect()))
            .collect();
        // Row i of R⁻¹ is spread over the columns j ≥ i.
        let row_product = |i: usize, k: usize| {
            (i.max(k)..m).fold(fx128::ZERO, |sum, j| sum + inverse[j][i] * inverse[j][k])
        };
        let target_exponent = exponent(reduction.n_terms());
        let mut fit = Fit {
            support: support.clone(),
            dependent: support.indices().iter().copied().filter(|&t| !independent.contains(t)).collect(),
            n_obs: reduction.n_obs,
            residual_norm: if m < r.nrows() {
                times_power_of_two(r[(m, m)].0.abs(), target_exponent)
            } else {
                0.0
            },
            coefficients: vec![0.0; support.len()],
            unit_errors: vec![0.0; support.len()],
            correlations: vec![0.0; support.len() * support.len()],
            triangle: r.submatrix(0, 0, m, m).to_owned(),
            rotated_target: (0..m).map(|i| times_power_of_two(r[(i, m)].0, target_exponent)).collect(),
        };
        let position = |i: usize| {
            let term = independent.indices()[i];
            (term, support.indices().binary_search(&term).expect("independent terms are in the support"))
        };
        let unit: Vec<f64> = (0..m).map(|i| row_product(i, i).sqrt().0).collect();
        for i in 0..m {
            let (term, at) = position(i);
            fit.coefficients[at] = times_power_of_two(solution[i].0, target_exponent - exponent(term));
            fit.unit_errors[at] = times_power_of_two(unit[i], -exponent(term));
            for k in 0..m {
                let entry = if i == k { 1.0 } else { row_product(i, k).0 / (unit[i] * unit[k]) };
                fit.correlations[at * support.len() + position(k).1] = entry;
            }
        }
        fit
    }
}
