//! The residual of one support, always computed the same way.
//!
//! Whatever path led to a support, its residual is computed here, from the triangle that the search
//! was given: the centre, then the terms in ascending order, by Householder reflections. So the
//! number depends on the support alone, and lists from different threads, shards or column orders
//! agree.
//!
//! Two rules make the result independent of rounding:
//!
//! - *rank*: a term whose distance from the span of those before it is below
//!   [`Rescorer::rank_tolerance`] adds nothing. Without this rule the remainder of a duplicate is
//!   rounding error with a random direction, which explains a random part of the target.
//! - *ties*: residuals are rounded to [`KEPT_BITS`] binary digits, and those below the floor are
//!   zero. The digits beyond are rounding error of the triangle itself. Without them equal
//!   residuals compare equal, and ties are broken by support.

use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::reduce::triangle::Triangle;

/// Binary digits kept of a residual: eleven decimal ones, far above rounding for all but the
/// tiniest residuals.
const KEPT_BITS: u32 = 36;

/// Scores supports from the triangle; owns the scratch for it.
#[derive(Debug, Clone)]
pub(crate) struct Rescorer<'a> {
    triangle: &'a Triangle,
    centre: Vec<usize>,
    /// Columns of the support being scored, one after the other; the target is the last.
    work: Vec<f64>,
    /// Length of the target once the centre is projected out.
    target_length: f64,
}

impl<'a> Rescorer<'a> {
    pub(crate) fn new(triangle: &'a Triangle, centre: &[usize]) -> Self {
        let mut rescorer = Self {
            triangle,
            centre: centre.to_vec(),
            work: Vec::new(),
            target_length: 1.0,
        };
        rescorer.target_length = rescorer.residual_length(&[]);
        rescorer
    }

    /// Below this distance from the span of the others, a column of unit length counts as linearly
    /// dependent.
    ///
    /// Triangularising `n` rows leaves an error of a few `eps √n` in each column; thirty times that
    /// is still well below the collinearity (1e-12) of high monomials.
    pub(crate) fn rank_tolerance(triangle: &Triangle) -> f64 {
        Self::rank_tolerance_of(triangle.n_rows())
    }

    /// The same for columns of this height.
    pub(in crate::search) fn rank_tolerance_of(height: usize) -> f64 {
        32.0 * f64::EPSILON * (height as f64).sqrt()
    }

    /// Length of the target with the centre projected out, in units of the target's own length.
    pub(crate) fn target_length(&self) -> f64 {
        self.target_length
    }

    /// The relative residual rss/tss of a support, its terms ascending.
    pub(crate) fn one_minus_r2(&mut self, support: &[usize]) -> f64 {
        let floor = Self::rank_tolerance(self.triangle);
        let length = self.residual_length(support);
        if length <= floor || self.target_length <= floor {
            return 0.0;
        }
        let ratio = length / self.target_length;
        rounded((ratio * ratio).min(1.0))
    }

    /// Length of the target's part outside the span of centre and support.
    fn residual_length(&mut self, support: &[usize]) -> f64 {
        let n = self.triangle.n_rows();
        let target = self.triangle.n_terms();
        self.work.clear();
        for &j in self.centre.iter().chain(support).chain([&target]) {
            self.work.extend_from_slice(self.triangle.column(j));
        }
        let tolerance = Self::rank_tolerance(self.triangle);
        let mut rank = 0;
        for step in 0..self.centre.len() + support.len() {
            if rank == n {
                return 0.0;
            }
            if reflect(&mut self.work, n, step, rank..n, tolerance) {
                rank += 1;
            }
        }
        let left = &self.work[self.work.len() - n + rank..];
        dot(left, left).sqrt()
    }
}

/// The number rounded to its leading [`KEPT_BITS`] binary digits.
pub(in crate::search) fn rounded(x: f64) -> f64 {
    let dropped = 53 - KEPT_BITS;
    let half = 1_u64 << (dropped - 1);
    f64::from_bits((x.to_bits() + half) >> dropped << dropped)
}
