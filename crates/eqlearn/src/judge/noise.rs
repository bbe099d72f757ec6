//! What the noise is like: even or not, rows that are copies, rows that follow each other, and rows
//! that do not belong.
//!
//! Error bars and probabilities of least squares hold for independent noise of one size. Each file
//! here looks for one way in which that fails, says it in words, and gives weights or a number of
//! rows with which they hold again.

mod dependence;
mod distrust;
mod uneven;

use crate::terms::problem::Weights;

pub(crate) use dependence::deviations;
pub use dependence::{Copies, Dependence, Shown, copies, dependence};
pub use distrust::{Distrust, Sentinel, distrust, sentinels};
pub use uneven::{NoiseRows, Uneven, Variable, relative, uneven};

/// What was found about the noise of a table's rows.
#[derive(Debug, Clone, Default)]
pub struct NoiseFindings {
    /// How the noise varies, where rows are weighted by it.
    pub uneven: Option<Uneven>,
    /// The column with the weights of rows, and what they mean.
    pub weights: Option<(String, Weights)>,
    /// Rows that are copies of others.
    pub copies: Option<Copies>,
    /// Rows that follow each other.
    pub dependence: Option<Dependence>,
    /// Rows that do not belong; none if nobody asked.
    pub distrust: Option<Distrust>,
    /// Numbers that stand for "missing".
    pub sentinels: Vec<Sentinel>,
}

/// The median of the size of normal noise in units of its standard deviation.
pub(super) const MEDIAN_OF_NORMAL: f64 = 0.674_489_75;

/// The standard deviation of residuals, from the median of their sizes; none if that is zero.
pub(super) fn typical_size(residuals: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let scale = sizes.get(sizes.len() / 2)? / MEDIAN_OF_NORMAL;
    (scale > 0.0 && scale.is_finite()).then_some(scale)
}
