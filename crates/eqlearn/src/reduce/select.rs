//! Other problems from the same triangle: fewer terms, terms projected out, the error of given
//! coefficients.
//!
//! All in double-double arithmetic and without the rows: a projected problem is the lower right
//! part of a triangle whose first columns are the projected terms, and the error of given
//! coefficients is the length of the triangle times `(w, −1)`.

use std::sync::Arc;

use qd::Quad;

use super::Reduction;
use super::reducer::{exponent_or_zero, times_power_of_two, triangularise};
use crate::numeric::matrix::Matrix;
use crate::reduce::support::Support;

impl Reduction {
    /// The same rows with only these terms.
    ///
    /// # Panics
    /// If the support names a term that is not there.
    #[must_use]
    pub fn select(&self, support: &Support) -> Self {
        let columns = self.columns_and_target(support.indices().iter().copied());
        Self {
            n_obs: self.n_obs,
            triangle: Arc::new(self.triangle_of(&columns)),
            exponents: columns.iter().map(|&j| self.exponents[j]).collect(),
        }
    }

    /// The problem with these terms projected out of all other columns.
    ///
    /// With a constant term this is centring. The terms that are left keep their order; the number
    /// of observations stays.
    ///
    /// # Panics
    /// If the support names a term that is not there.
    #[must_use]
    pub fn project_out(&self, always_in: &Support) -> Self {
        if always_in.is_empty() {
            return self.clone();
        }
        let free = (0..self.n_terms()).filter(|&j| !always_in.contains(j));
        let columns = self.columns_and_target(always_in.indices().iter().copied().chain(free));
        let triangle = self.triangle_of(&columns);
        let gone = always_in.len();
        let n_rows = triangle.n_rows().saturating_sub(gone);
        let kept = &columns[gone..];
        Self {
            n_obs: self.n_obs,
            triangle: Arc::new(Matrix::from_fn(n_rows, kept.len(), |i, j| {
                triangle[(gone + i, gone + j)]
            })),
            exponents: kept.iter().map(|&j| self.exponents[j]).collect(),
        }
    }

    /// Least squares on `always_in` for what the given coefficients leave unexplained.
    ///
    /// `coefficients` has one entry per term in the units of the data; those of `always_in` are not
    /// read.
    ///
    /// # Panics
    /// If there is not one coefficient per term.
    pub fn complete(&self, always_in: &Support, coefficients: &[f64]) -> Vec<f64> {
        if always_in.is_empty() {
            return Vec::new();
        }
        let mut others = coefficients.to_vec();
        for &term in always_in.indices() {
            others[term] = 0.0;
        }
        // These columns are zero below the diagonal of the last one.
        let deepest = always_in.indices().iter().max().map_or(0, |&term| term + 1);
        let rest = self.unexplained(&others, deepest);
        let columns = self.columns_and_target(always_in.indices().iter().copied());
        let last = columns.len() - 1;
        let problem = Self {
            n_obs: self.n_obs,
            triangle: Arc::new(Matrix::from_fn(rest.len(), columns.len(), |i, j| {
                if j < last {
                    self.triangle[(i, columns[j])]
                } else {
                    rest[i]
                }
            })),
            exponents: columns.iter().map(|&j| self.exponents[j]).collect(),
        };
        let fit = problem.fit(&(0..always_in.len()).collect());
        fit.coefficients().to_vec()
    }

    /// The length of the residual vector that these coefficients leave, one per term in the units
    /// of the data.
    ///
    /// On held-out rows this, divided by the square root of their number, is the root mean square
    /// error of prediction.
    ///
    /// # Panics
    /// If there is not one coefficient per term.
    pub fn residual_norm_of(&self, coefficients: &[f64]) -> f64 {
        let rest = self.unexplained(coefficients, self.triangle.n_rows());
        let squared = rest.iter().fold(Quad::ZERO, |sum, &v| sum + v * v);
        times_power_of_two(squared.sqrt().0, self.target_exponent())
    }

    /// The residual vector itself in rotated coordinates: of the same length, and linear in the
    /// coefficients.
    ///
    /// # Panics
    /// If there is not one coefficient per term.
    pub fn residual_of(&self, coefficients: &[f64]) -> Vec<f64> {
        let rest = self.unexplained(coefficients, self.triangle.n_rows());
        rest.iter()
            .map(|v| times_power_of_two(v.0, self.target_exponent()))
            .collect()
    }

    fn target_exponent(&self) -> i32 {
        exponent_or_zero(self.exponents[self.n_terms()])
    }

    /// The first rows of `target − terms · w`, rotated, in the scale of the target's column.
    fn unexplained(&self, coefficients: &[f64], n_rows: usize) -> Vec<Quad> {
        let n_terms = self.n_terms();
        assert_eq!(coefficients.len(), n_terms, "one coefficient per term");
        let n_rows = n_rows.min(self.triangle.n_rows());
        let mut rest: Vec<Quad> = (0..n_rows).map(|i| self.triangle[(i, n_terms)]).collect();
        for (j, &coefficient) in coefficients.iter().enumerate() {
            if coefficient.abs() > 0.0 {
                let shift = exponent_or_zero(self.exponents[j]) - self.target_exponent();
                let w = Quad::from(times_power_of_two(coefficient, shift));
                // Column j ends at row j.
                for (i, rest) in rest.iter_mut().enumerate().take(j + 1) {
                    *rest -= self.triangle[(i, j)] * w;
                }
            }
        }
        rest
    }

    fn columns_and_target(&self, terms: impl Iterator<Item = usize>) -> Vec<usize> {
        terms.chain([self.n_terms()]).collect()
    }

    fn triangle_of(&self, columns: &[usize]) -> Matrix<Quad> {
        let mut triangle = Matrix::from_fn(self.triangle.n_rows(), columns.len(), |i, j| {
            self.triangle[(i, columns[j])]
        });
        if !columns.iter().copied().eq(0..=self.n_terms()) {
            triangularise(&mut triangle);
        }
        let n_rows = triangle.n_rows().min(columns.len());
        triangle.first_rows(n_rows)
    }
}
