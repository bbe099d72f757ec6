//! When a law counts as recovered.
//!
//! An equation may be written in many ways, so texts are not compared. It is the law if it has no
//! more terms than the law, and predicts it on fresh rows, drawn from ranges that are a fifth
//! wider, as well as an equation with the right form can:
//!
//! ```text
//! rms(predicted − law) / rms(law)  ≤  max(1e-5, 5 · σ / rms(law on the given rows) · √(m / N))
//! ```
//!
//! with `σ` the noise, `m` the number of terms and `N` the number of rows learned from. A right
//! form with fitted coefficients has errors of this size without the factor 5, by the usual
//! formula of least squares: the error of `c·φ(x)` is the same share of `c·φ` on all rows.
//! Without noise the first bound holds: 1 − R² about zero below 1e-10. An imitation fails both, as
//! it is no better than its fit and worse beyond the rows; with noise of 1 % of the spread, the
//! bound for one term is about 0.1 % of the value.

use serde::{Deserialize, Serialize};

use crate::learner::Found;

/// Relative errors up to this are rounding errors.
const ROUNDING: f64 = 1e-5;
/// Standard errors that a right equation may be off.
const SURE: f64 = 5.0;
/// An equation less probable than this is not claimed.
const CLAIMED: f64 = 0.5;

/// What became of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// It was found.
    Recovered,
    /// It was not found, and the answer says so: no equation, a misfit, or a low probability.
    SaidOutside,
    /// Another equation was claimed.
    FalseCertainty,
}

/// The truth about some rows.
pub(crate) struct Truth<'a> {
    /// The law on fresh rows.
    pub(crate) fresh: &'a [f64],
    /// The largest relative error that counts as none, for an equation of one term.
    pub(crate) allowed: f64,
    /// The number of terms that the law has.
    pub(crate) n_terms: usize,
}

impl<'a> Truth<'a> {
    /// `sigma` is the noise on the given rows.
    pub(crate) fn new(given: &[f64], fresh: &'a [f64], sigma: f64, n_terms: usize) -> Self {
        Self {
            fresh,
            allowed: SURE * sigma / rms(given) / (given.len() as f64).sqrt(),
            n_terms,
        }
    }

    /// The error of predictions, relative to the size of the law; infinite without predictions.
    pub(crate) fn error(&self, predicted: Option<&[f64]>) -> f64 {
        let Some(predicted) = predicted else {
            return f64::INFINITY;
        };
        let off: Vec<f64> = predicted
            .iter()
            .zip(self.fresh)
            .map(|(a, b)| a - b)
            .collect();
        rms(&off) / rms(self.fresh)
    }

    /// Judges an equation by its error on the fresh rows.
    pub(crate) fn verdict(&self, found: &Found, error: f64) -> Verdict {
        let n_terms = found.n_terms;
        let allowed = ROUNDING.max(self.allowed * (n_terms as f64).sqrt());
        if (1..=self.n_terms).contains(&n_terms) && error <= allowed {
            Verdict::Recovered
        } else if found.says_outside() {
            Verdict::SaidOutside
        } else {
            Verdict::FalseCertainty
        }
    }
}

impl Found {
    /// Whether the answer itself says that it may not be the law.
    pub(crate) fn says_outside(&self) -> bool {
        let doubted = self.unjudged || self.misfit.is_some_and(|misfit| misfit > CLAIMED);
        self.model.is_none() || doubted || self.probability.is_none_or(|p| p < CLAIMED)
    }
}

fn rms(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    (squares / values.len() as f64).sqrt()
}
