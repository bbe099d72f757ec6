//! The result document: what a run found, as JSON that scripts can rely on.
//!
//! The schema is `eqlearn/1`. Numbers are written so that they parse back to the same bits; `null` stands where a
//! quantity has no meaning.

use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::reduction::Fit;

/// The schema of the result document.
pub const SCHEMA: &str = "eqlearn/1";

/// What a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// One equation, or a system of them.
    pub kind: Kind,
    /// The method that was used.
    pub method: String,
    /// The number of observations.
    pub n_obs: usize,
    /// The number of terms in the dictionary.
    pub n_terms: usize,
    /// What was learned: one equation per target.
    pub equations: Vec<Equation>,
    /// What a careful reader should know.
    pub warnings: Vec<Warning>,
}

/// Whether one equation was learned or a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `y = f(features)`.
    Equation,
    /// `dx/dt = f(x)`, one equation per state.
    System,
}

/// One learned equation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Equation {
    /// The target column, or the state whose derivative this is.
    pub target: String,
    /// The equation for people, with the digits that its errors support.
    pub text: String,
    /// The equation in LaTeX.
    pub latex: String,
    /// The terms in the dictionary's order.
    pub terms: Vec<TermEntry>,
    /// The share of the variance that is explained.
    pub r2: f64,
    /// `rss / tss`, with all its digits.
    pub one_minus_r2: f64,
    /// The residual sum of squares; null if it is too large for a number.
    pub rss: Option<f64>,
    /// The noise level; null without a degree of freedom.
    pub sigma: Option<f64>,
    /// The log evidence under the method's prior.
    pub log_evidence: Option<f64>,
    /// The probability of this equation among those listed.
    pub probability: Option<f64>,
    /// The next best equation.
    pub runner_up: Option<RunnerUp>,
}

/// One term of an equation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermEntry {
    /// The term as text.
    pub term: String,
    /// Its coefficient.
    pub coefficient: f64,
    /// The coefficient's standard error.
    pub std_error: Option<f64>,
    /// The probability that the term belongs in the equation.
    pub inclusion: Option<f64>,
}

/// The equation that came second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunnerUp {
    /// Its terms.
    pub terms: Vec<String>,
    /// Its probability among those listed.
    pub probability: Option<f64>,
}

/// Something that a careful reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable name for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl Equation {
    /// The entry for a model that comes from a fit; `baseline` is the fit that `R²` is measured against.
    pub fn new(model: &Model, fit: &Fit, baseline: &Fit) -> Self {
        let one_minus_r2 = fit.share_of(baseline);
        let errors = model.std_errors();
        let entry = |(i, term): (usize, String)| TermEntry {
            term,
            coefficient: model.coefficients()[i],
            std_error: errors.map(|errors| errors[i]),
            inclusion: None,
        };
        Self {
            target: model.target().to_string(),
            text: model.to_string(),
            latex: model.latex(),
            terms: model
                .term_texts()
                .into_iter()
                .enumerate()
                .map(entry)
                .collect(),
            r2: fit.explained_share(baseline),
            one_minus_r2,
            rss: Some(fit.rss()).filter(|rss| rss.is_finite()),
            sigma: fit.sigma(),
            log_evidence: None,
            probability: None,
            runner_up: None,
        }
    }
}
