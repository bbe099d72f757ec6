//! Terms and one or several targets in the units of the data, as small dense columns.
//!
//! The methods that shrink, threshold or step (ridge, STLSQ, SR3, LASSO, LARS, …) are written for a
//! matrix of terms `X` and targets `y`. They use lengths and inner products only, so the triangle
//! can replace the rows: here `X` is the triangle, with as many rows as terms. The length of a
//! target's component orthogonal to all terms is one more number.
//!
//! Invariants: the terms that are always in have been projected out; `X` has `n_terms` columns,
//! each as long as every target.

use super::Reduction;
use super::reducer::{exponent_or_zero, times_power_of_two, triangularise};
use crate::error::Result;
use crate::numeric::matrix::Matrix;
use crate::numeric::singular::Singular;
use crate::numeric::vector::{add, dot};
use crate::reduce::ReduceError;

/// How far the term columns of reductions over the same rows may differ, relative to their length.
const SAME_ROWS: f64 = 1e-9;

/// The matrix of terms and the targets, in the units of the data.
#[derive(Debug, Clone)]
pub struct Design {
    n_obs: usize,
    terms: Vec<Vec<f64>>,
    targets: Vec<Vec<f64>>,
    remainders: Vec<f64>,
}

impl Design {
    /// The design of one target.
    pub fn new(reduction: &Reduction) -> Self {
        let height = reduction.triangle.n_rows().min(reduction.n_terms());
        let terms = (0..reduction.n_terms())
            .map(|j| raw_column(reduction, j, height))
            .collect();
        let target = raw_column(reduction, reduction.n_terms(), reduction.triangle.n_rows());
        Self {
            n_obs: reduction.n_obs,
            terms,
            remainders: vec![target.get(height).map_or(0.0, |v| v.abs())],
            targets: vec![target[..height].to_vec()],
        }
    }

    /// The design of several targets over the same terms and rows.
    ///
    /// # Errors
    /// If there is no target, or if the terms of the reductions differ.
    pub fn several(reductions: &[Reduction]) -> Result<Self> {
        let mut designs = reductions.iter().map(Self::new);
        let mut all = designs.next().ok_or(ReduceError::NoTargets)?;
        for (place, design) in designs.enumerate() {
            let signs = all.signs_to(&design).ok_or(ReduceError::DifferentRows {
                first: 1,
                second: place + 2,
            })?;
            let target = design.targets[0].iter().zip(&signs);
            all.targets.push(target.map(|(v, sign)| v * sign).collect());
            all.remainders.push(design.remainders[0]);
        }
        Ok(all)
    }

    /// For each row the sign by which the two triangles differ, if they are the same otherwise.
    fn signs_to(&self, other: &Self) -> Option<Vec<f64>> {
        if self.n_obs != other.n_obs || self.n_terms() != other.n_terms() {
            return None;
        }
        let height = self.height();
        let sign = |i: usize| {
            let row = self.terms.iter().zip(&other.terms);
            let largest = row.max_by(|a, b| a.0[i].abs().total_cmp(&b.0[i].abs()))?;
            Some((largest.0[i] * largest.1[i]).signum())
        };
        let signs: Vec<f64> = (0..height).map(sign).collect::<Option<_>>()?;
        let same = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let rows = || a.iter().zip(b).zip(&signs);
            let difference = rows().map(|((a, b), s)| (a - b * s).powi(2)).sum::<f64>();
            difference.sqrt() <= SAME_ROWS * dot(a, a).sqrt()
        };
        self.terms
            .iter()
            .zip(&other.terms)
            .all(same)
            .then_some(signs)
    }

    /// The number of observations.
    pub fn n_obs(&self) -> usize {
        self.n_obs
    }

    /// The number of terms.
    pub fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        self.targets.len()
    }

    /// The number of rows: that of the terms or of the observations, whichever is smaller.
    pub fn height(&self) -> usize {
        self.targets[0].len()
    }

    /// The column of a term.
    pub fn term(&self, term: usize) -> &[f64] {
        &self.terms[term]
    }

    /// The part of a target that terms can reach.
    pub fn target(&self, target: usize) -> &[f64] {
        &self.targets[target]
    }

    /// The length of a target's component orthogonal to all terms.
    pub fn remainder(&self, target: usize) -> f64 {
        self.remainders[target]
    }

    /// `yᵀy`.
    pub fn target_squared(&self, target: usize) -> f64 {
        let y = &self.targets[target];
        dot(y, y) + self.remainders[target].powi(2)
    }

    /// `Xᵀy`.
    pub fn products(&self, target: usize) -> Vec<f64> {
        let y = &self.targets[target];
        self.terms.iter().map(|x| dot(x, y)).collect()
    }

    /// `XᵀX`, column by column.
    pub fn gram(&self) -> Vec<Vec<f64>> {
        // Each product once: the matrix is symmetric.
        let lower = |(i, a): (usize, &Vec<f64>)| -> Vec<f64> {
            self.terms[..=i].iter().map(|b| dot(a, b)).collect()
        };
        let lower: Vec<Vec<f64>> = self.terms.iter().enumerate().map(lower).collect();
        let entry = |i: usize, j: usize| lower[i.max(j)][i.min(j)];
        let all = 0..lower.len();
        all.clone()
            .map(|i| all.clone().map(|j| entry(i, j)).collect())
            .collect()
    }

    /// `|y − Xw|²` for one coefficient per term.
    pub fn rss(&self, target: usize, coefficients: &[f64]) -> f64 {
        let rest = self.residual(target, coefficients);
        dot(&rest, &rest) + self.remainders[target].powi(2)
    }

    /// The part of `y − Xw` that terms can reach.
    pub fn residual(&self, target: usize, coefficients: &[f64]) -> Vec<f64> {
        let mut rest = self.targets[target].clone();
        for (x, &w) in self.terms.iter().zip(coefficients) {
            if w.abs() > 0.0 {
                add(&mut rest, -w, x);
            }
        }
        rest
    }

    /// The same problem with every term scaled to unit length, and the lengths.
    ///
    /// A term that is zero everywhere stays as it is.
    #[must_use]
    pub fn normalised(mut self) -> (Self, Vec<f64>) {
        let length = |x: &Vec<f64>| {
            let length = dot(x, x).sqrt();
            if length > 0.0 { length } else { 1.0 }
        };
        let lengths: Vec<f64> = self.terms.iter().map(length).collect();
        for (x, length) in self.terms.iter_mut().zip(&lengths) {
            for v in x {
                *v /= length;
            }
        }
        (self, lengths)
    }

    /// Minimises `|y − Xw|² + penalty·|w|²` over some of the terms; one coefficient for each of
    /// those.
    ///
    /// By QR of the terms stacked on the penalty's rows, which does not square the condition
    /// number.
    pub fn ridge(&self, target: usize, terms: &[usize], penalty: f64) -> Vec<f64> {
        let stacked = self.with_penalty(terms, penalty, Some(target));
        let m = terms.len();
        let z = (0..m).map(|i| stacked[(i, m)]).collect();
        back_substitute(&stacked, z)
    }

    /// The factor of `XᵀX + penalty·I`, to solve with many right-hand sides.
    pub fn ridge_factor(&self, penalty: f64) -> RidgeFactor {
        let all: Vec<usize> = (0..self.n_terms()).collect();
        RidgeFactor {
            triangle: self.with_penalty(&all, penalty, None),
        }
    }

    /// The triangle of some terms, and a target if given, stacked on the rows `√penalty · I`.
    fn with_penalty(&self, terms: &[usize], penalty: f64, target: Option<usize>) -> Matrix<f64> {
        let (height, m, root) = (self.height(), terms.len(), penalty.sqrt());
        let n_cols = m + usize::from(target.is_some());
        let mut stacked = Matrix::from_fn(height + m, n_cols, |i, j| {
            match (i < height, target.filter(|_| j == m)) {
                (true, None) => self.terms[terms[j]][i],
                (true, Some(target)) => self.targets[target][i],
                (false, None) if i - height == j => root,
                (false, _) => 0.0,
            }
        });
        triangularise(&mut stacked);
        stacked
    }

    /// The minimum-norm least-squares coefficients of some terms.
    ///
    /// By singular values; those below `max(n_obs, n_terms) · ε` of the largest count as zero, as
    /// in NumPy and scikit-learn.
    pub fn minimum_norm(&self, target: usize, terms: &[usize]) -> Vec<f64> {
        let (height, m) = (self.height(), terms.len());
        if height == 0 || m == 0 {
            return vec![0.0; m];
        }
        let (singular, exponent) = self.singular(terms);
        let largest = singular.values.iter().copied().fold(0.0, f64::max);
        let cutoff = self.n_obs.max(m) as f64 * f64::EPSILON * largest;
        let mut w = vec![0.0; m];
        for k in (0..m).filter(|&k| singular.values[k] > cutoff) {
            // The left vector is as long as its value.
            let unit = 1.0 / singular.values[k];
            let along = dot(&singular.left[k], &self.targets[target]) * unit;
            let share = times_power_of_two(along * unit, -exponent);
            for (w, v) in w.iter_mut().zip(&singular.right[k]) {
                *w += share * v;
            }
        }
        w
    }

    /// The largest singular value over the smallest; infinite where terms are linearly dependent.
    pub fn condition(&self) -> f64 {
        let (height, m) = (self.height(), self.n_terms());
        if height == 0 || m == 0 {
            return f64::INFINITY;
        }
        let all: Vec<usize> = (0..m).collect();
        let mut values = self.singular(&all).0.values;
        values.sort_by(|a, b| b.total_cmp(a));
        values[0] / values[height.min(m) - 1]
    }

    /// The singular values of some terms, divided by two to the power that is returned too, so that
    /// no square of an entry is beyond all numbers.
    fn singular(&self, terms: &[usize]) -> (Singular, i32) {
        let entries = terms.iter().flat_map(|&j| &self.terms[j]);
        let largest = entries.fold(0.0_f64, |a, x| a.max(x.abs()));
        let exponent = libm::frexp(largest).1;
        let scaled = |&j: &usize| -> Vec<f64> {
            let column = self.terms[j].iter();
            column.map(|x| times_power_of_two(*x, -exponent)).collect()
        };
        let columns = terms.iter().map(scaled).collect();
        (Singular::above(f64::EPSILON, columns), exponent)
    }
}

/// `XᵀX + penalty·I` as a triangle.
#[derive(Debug, Clone)]
pub struct RidgeFactor {
    triangle: Matrix<f64>,
}

impl RidgeFactor {
    /// `(XᵀX + penalty·I)⁻¹ b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let r = &self.triangle;
        let mut v = b.to_vec();
        for i in 0..v.len() {
            for k in 0..i {
                v[i] -= r[(k, i)] * v[k];
            }
            v[i] /= r[(i, i)];
        }
        back_substitute(r, v)
    }
}

fn back_substitute(r: &Matrix<f64>, mut z: Vec<f64>) -> Vec<f64> {
    for j in (0..z.len()).rev() {
        z[j] /= r[(j, j)];
        for i in 0..j {
            z[i] -= r[(i, j)] * z[j];
        }
    }
    z
}

/// A column of the triangle in the units of the data.
fn raw_column(reduction: &Reduction, column: usize, height: usize) -> Vec<f64> {
    let exponent = exponent_or_zero(reduction.exponents[column]);
    (0..height)
        .map(|i| times_power_of_two(reduction.triangle[(i, column)].0, exponent))
        .collect()
}
