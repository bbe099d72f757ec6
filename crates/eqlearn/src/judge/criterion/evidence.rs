//! The paper's model evidence: a conjugate gamma-normal prior whose parameters come from the data.
//!
//! With the prior's mean at the least-squares estimate the exponent `ξ` is the residual sum of
//! squares itself, so the evidence needs one residual and one determinant per model. Written with
//! `ln(1 + ·)` and the residual from the triangle it stays accurate where `yᵀy − ŵᵀKᵀy` cancels
//! completely.

use serde::{Deserialize, Serialize};

use super::Judged;

/// Parameters of the gamma-normal prior; the default is the paper's empirical choice.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `mean` | `Empirical` | the prior mean of the coefficients: the estimate itself, or zero |
/// | `precision` | `Empirical` | the prior precision over the noise's: `(1 − m/N)/rss`, or fixed |
/// | `shape` | 3 | `k` of the gamma distribution of the noise precision |
/// | `scale` | 0.5 | its `ϑ`; the mode `(k − 1)ϑ` is 1 for a standardised target |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidencePrior {
    /// The prior mean of the coefficients.
    pub mean: PriorMean,
    /// The prior precision of the coefficients, relative to that of the noise.
    pub precision: PriorPrecision,
    /// The shape `k` of the gamma distribution.
    pub shape: f64,
    /// The scale `ϑ` of the gamma distribution.
    pub scale: f64,
}

/// The prior mean of the coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorMean {
    /// The least-squares estimate.
    Empirical,
    /// Zero.
    Zero,
}

/// The prior precision of the coefficients, relative to that of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorPrecision {
    /// `(1 − m/N) / rss`, for a target standardised to `yᵀy = N`.
    Empirical,
    /// The same for all models.
    Fixed(f64),
}

impl Default for EvidencePrior {
    fn default() -> Self {
        Self {
            mean: PriorMean::Empirical,
            precision: PriorPrecision::Empirical,
            shape: 3.0,
            scale: 0.5,
        }
    }
}

impl EvidencePrior {
    /// The log evidence of a model less that of the empty one.
    pub(super) fn log_bayes_factor(&self, judged: &Judged<'_>) -> f64 {
        let null = self.log_likelihood_part(judged.fit.n_obs() as f64, 1.0);
        self.log_varying_part(judged) - null
    }

    /// The log evidence itself, `ln p(y | M)`, for columns and target standardised to squared
    /// length `N`.
    ///
    /// # Formula
    /// ```text
    /// −½ Σ ln(1 + λᵢ/s) − (N/2 + k) ln(ξ/2 + 1/ϑ) − (N/2) ln 2π − k ln ϑ + ln Γ(N/2 + k) − ln Γ(k)
    /// ```
    /// It is −∞ for a model with as many terms as observations; for a zero residual it is the
    /// limit.
    pub fn log_evidence(&self, judged: &Judged<'_>) -> f64 {
        let (n, k, theta) = (judged.fit.n_obs() as f64, self.shape, self.scale);
        let shared = -0.5 * n * (2.0 * std::f64::consts::PI).ln() - k * theta.ln()
            + libm::lgamma(0.5 * n + k)
            - libm::lgamma(k);
        self.log_varying_part(judged) + (0.5 * n + k) * theta.ln() + shared
    }

    /// What differs between models.
    fn log_varying_part(&self, judged: &Judged<'_>) -> f64 {
        // Notation: N observations, m terms, ρ = 1 − R², s the prior precision.
        let (n, m) = (judged.fit.n_obs() as f64, judged.size() as f64);
        let rho = judged.fit.share_of(judged.baseline);
        if m >= n {
            return f64::NEG_INFINITY;
        }
        let s = match self.precision {
            PriorPrecision::Empirical => (1.0 - m / n) / (n * rho),
            PriorPrecision::Fixed(s) => s,
        };
        let always_in = judged.baseline.support().len();
        let ratio = n / s;
        let occam = -0.5 * judged.fit.log_det_plus_one(always_in, ratio);
        let xi = match self.mean {
            PriorMean::Empirical => rho,
            PriorMean::Zero => judged.fit.shrunken_share(always_in, ratio, judged.baseline),
        };
        occam + self.log_likelihood_part(n, xi)
    }

    fn log_likelihood_part(&self, n: f64, share: f64) -> f64 {
        -(0.5 * n + self.shape) * (0.5 * self.scale * n * share).ln_1p()
    }
}
