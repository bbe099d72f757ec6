//! What makes one equation better than another.
//!
//! Every criterion is a number in units of a log probability: larger is better, and the difference
//! of two models is the log of the odds that it gives them. All but [`Criterion::RSquared`] and
//! [`Criterion::AdjustedRSquared`] are measured from the empty equation, whose score is 0, so that
//! a score above 0 means "better than no equation".
//!
//! Because thousands to billions of models compete, a prior over model sizes matters as much as the
//! criterion itself; [`SizePrior`] composes with each.
//!
//! Scores are finite or −∞ (a model with too few observations), never NaN. A relative residual
//! below [`SMALLEST_SHARE`] is replaced by it: smaller ones are rounding errors of the data.

mod evidence;
mod mixture;

use serde::{Deserialize, Serialize};

pub use evidence::{EvidencePrior, PriorMean, PriorPrecision};

use crate::reduce::Fit;

/// The smallest meaningful relative residual: the square of half an ulp.
pub const SMALLEST_SHARE: f64 = 1.232_595_164_407_831e-32;

/// What makes one equation better than another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Criterion {
    /// The explained fraction of the variance, without a penalty for size.
    RSquared,
    /// The explained fraction of the variance per degree of freedom.
    AdjustedRSquared,
    /// Akaike's criterion: `−AIC/2`.
    Aic,
    /// Akaike's criterion with the small-sample correction of Hurvich and Tsai.
    Aicc,
    /// Schwarz's criterion: `−BIC/2`.
    Bic,
    /// The extended criterion of Chen and Chen: BIC and `γ ln C(p, m)`.
    Ebic {
        /// The weight of the model-space penalty, 0 (plain BIC) to 1.
        gamma: f64,
    },
    /// The paper's evidence: conjugate prior with empirical mean and precision.
    Evidence(EvidencePrior),
    /// Zellner's g-prior worth one observation, in closed form.
    UnitInformation,
    /// The hyper-g mixture of Liang et al. (2008).
    HyperG {
        /// Its shape, in (2, 4]; 3 is the usual choice.
        a: f64,
    },
    /// The Cauchy prior of Zellner and Siow, as a mixture of g-priors.
    ZellnerSiow,
    /// The residual's own evidence, `(n − m)/2` instead of `n/2`, with a unit-information penalty
    /// and `ln C(p, m)`.
    ///
    /// # Formula
    /// ```text
    /// −(n − m)/2 · ln(1 − R²) − m/2 · ln N − ln C(p, m)
    /// ```
    /// with `n = N − 1` where a constant is always in, else `N`.
    Residual,
}

impl Criterion {
    /// The criteria that users can name: each with its name, what it is, and its usual parameter.
    pub fn named() -> Vec<(&'static str, &'static str, Self)> {
        let evidence = Self::Evidence(EvidencePrior::default());
        vec![
            (
                "residual",
                "−(n−m)/2 ln(1−R²) − m/2 ln N − ln C(p,m): the default, best on our benchmarks",
                Self::Residual,
            ),
            ("evidence", "The paper's model evidence", evidence),
            ("bic", "", Self::Bic),
            ("ebic", "BIC and ln C(p,m)", Self::Ebic { gamma: 1.0 }),
            ("aic", "", Self::Aic),
            ("aicc", "", Self::Aicc),
            ("adjusted-r2", "Adjusted R²", Self::AdjustedRSquared),
            (
                "unit-information",
                "g-prior worth one observation",
                Self::UnitInformation,
            ),
            (
                "hyper-g",
                "Mixture of g-priors of Liang et al.",
                Self::HyperG { a: 3.0 },
            ),
            (
                "zellner-siow",
                "Cauchy prior of Zellner and Siow",
                Self::ZellnerSiow,
            ),
        ]
    }
}

/// How likely a size is before the data are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizePrior {
    /// Every model has the same probability: large sizes are more probable, because they have more
    /// models.
    #[default]
    UniformModels,
    /// Every size has the same probability, divided equally among its models.
    UniformSizes,
}

impl SizePrior {
    /// The priors that users can name, each with what it is.
    pub fn named() -> Vec<(&'static str, &'static str, Self)> {
        vec![
            ("uniform-models", "Every model alike", Self::UniformModels),
            ("uniform-sizes", "Every size alike", Self::UniformSizes),
        ]
    }
}

/// How much data there is, and how many terms to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The number of observations.
    pub n_obs: usize,
    /// How many terms are always in, such as a forced constant.
    pub always_in: usize,
    /// The number of terms that there are to choose from.
    pub n_candidates: usize,
}

/// How large a model is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// How many terms were chosen.
    pub terms: usize,
    /// How many coefficients they have: as many, or more where some are free in each experiment.
    pub coefficients: usize,
    /// The sum over the coefficients of the logarithm of the number of rows that tell of each;
    /// none if all rows tell of all.
    pub log_rows: Option<f64>,
}

impl From<usize> for Size {
    /// One coefficient per term.
    fn from(terms: usize) -> Self {
        Self {
            terms,
            coefficients: terms,
            log_rows: None,
        }
    }
}

impl Sample {
    /// Observations minus the terms that are always in.
    fn n_free(&self) -> f64 {
        self.n_obs.saturating_sub(self.always_in) as f64
    }

    fn log_n_models(&self, size: usize) -> f64 {
        log_binomial(self.n_candidates as f64, size as f64)
    }
}

/// What a criterion sees of a fit.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The fit, on the chosen terms and those that are always in.
    pub fit: &'a Fit,
    /// The fit of the terms that are always in (a forced constant) or of none.
    pub baseline: &'a Fit,
    /// The number of terms that there were to choose from.
    pub n_candidates: usize,
}

impl Judged<'_> {
    fn sample(&self) -> Sample {
        Sample {
            n_obs: self.fit.n_obs(),
            always_in: self.baseline.support().len(),
            n_candidates: self.n_candidates,
        }
    }

    /// The number of chosen terms.
    fn size(&self) -> usize {
        self.fit.support().len() - self.baseline.support().len()
    }
}

impl Criterion {
    /// The score of a fit: larger is better.
    pub fn score(&self, judged: &Judged<'_>) -> f64 {
        match self {
            Self::Evidence(prior) => prior.log_bayes_factor(judged),
            _ => self
                .score_of_residual(
                    &judged.sample(),
                    judged.size(),
                    judged.fit.share_of(judged.baseline),
                )
                .expect("only the evidence needs more than the residual"),
        }
    }

    /// The score of a model with this many chosen terms and this relative residual, if it depends
    /// on nothing else.
    pub fn score_of_residual(
        &self,
        sample: &Sample,
        size: impl Into<Size>,
        one_minus_r2: f64,
    ) -> Option<f64> {
        // Notation: n observations left for the choice of m coefficients, ρ = 1 − R².
        let size: Size = size.into();
        let (n, m, rho) = (
            sample.n_free(),
            size.coefficients as f64,
            one_minus_r2.clamp(SMALLEST_SHARE, 1.0),
        );
        let n_obs = sample.n_obs as f64;
        let log_rows = size.log_rows.unwrap_or(m * n_obs.ln());
        let log_n_models = || sample.log_n_models(size.terms);
        let log_likelihood = -0.5 * n * rho.ln();
        if m >= n && size.coefficients > 0 {
            return Some(f64::NEG_INFINITY);
        }
        Some(match *self {
            Self::RSquared => 1.0 - rho,
            Self::AdjustedRSquared => 1.0 - rho * n / (n - m),
            Self::Aic => log_likelihood - m,
            Self::Aicc => {
                log_likelihood - m - small_sample_penalty(n, m) + small_sample_penalty(n, 0.0)
            }
            Self::Bic => log_likelihood - 0.5 * log_rows,
            Self::Ebic { gamma } => log_likelihood - 0.5 * log_rows - gamma * log_n_models(),
            Self::Evidence(_) => return None,
            Self::UnitInformation => {
                0.5 * (n - m) * n_obs.ln_1p() - 0.5 * n * (n_obs * rho).ln_1p()
            }
            Self::HyperG { a } => mixture::hyper_g(n, m, rho, a),
            Self::ZellnerSiow => mixture::zellner_siow(n, m, rho, n_obs),
            Self::Residual => -0.5 * (n - m) * rho.ln() - 0.5 * log_rows - log_n_models(),
        })
    }
}

/// Hurvich and Tsai's correction, with one more parameter for the noise level; infinite where it is
/// undefined.
fn small_sample_penalty(n: f64, m: f64) -> f64 {
    let k = m + 1.0;
    if m > 0.0 && n <= k + 1.0 {
        f64::INFINITY
    } else {
        k * (k + 1.0) / (n - k - 1.0).max(1.0)
    }
}

impl SizePrior {
    /// The log prior probability of one model of this size, up to a constant.
    pub fn log_prior(self, sample: &Sample, size: usize) -> f64 {
        match self {
            Self::UniformModels => 0.0,
            Self::UniformSizes => -sample.log_n_models(size),
        }
    }
}

/// `ln C(n, k)`.
pub(crate) fn log_binomial(n: f64, k: f64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    // A sum of logs is accurate for the small k of a search, where differences of ln Γ cancel.
    if k <= 64.0 {
        let mut sum = 0.0;
        let mut i = 1.0;
        while i <= k {
            sum += ((n - k + i) / i).ln();
            i += 1.0;
        }
        return sum;
    }
    libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
}
