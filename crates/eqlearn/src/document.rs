//! The result document: what a run found, as JSON that scripts can rely on.
//!
//! The schema is `eqlearn/1`. Numbers are written so that they parse back to the same bits; `null` stands where a
//! quantity has no meaning.

mod system;

pub use system::DiscoveryReport;

use serde::{Deserialize, Serialize};

use crate::caveats::caveats;
use crate::learn::{Method, Settings, Study};
use crate::methods::Vote;
use crate::model::Model;
use crate::problem::Problem;
use crate::reduction::{Fit, Reduction};
use crate::search::{Candidate, Certificate, EndedEarly, Found, SizeList};
use crate::support::Support;
use crate::warning::Warning;

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
    /// The exact lists, for the comprehensive methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchReport>,
    /// The votes per size, for the methods that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<Vec<VoteReport>>,
    /// What a careful reader should know.
    pub warnings: Vec<Warning>,
    /// How rows were made from trajectories, for systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discovery: Option<DiscoveryReport>,
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

/// The exact lists of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// One list per size.
    pub sizes: Vec<SizeReport>,
    /// Why larger sizes were not searched; null if all were.
    pub ended_early: Option<EndedEarly>,
    /// The time the search took. With the certificates, the only part that may differ from run to run.
    pub seconds: f64,
}

/// The best supports of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeReport {
    /// The number of terms, without a constant that is always in.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    /// Whether no other support of this size has a smaller residual than those listed.
    pub exact: bool,
    /// The list, best first.
    pub best: Vec<ListedModel>,
    /// How it was proven.
    pub certificate: Certificate,
}

/// One support of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedModel {
    /// Its terms, with the constant if that is always in.
    pub terms: Vec<String>,
    /// `rss / tss`.
    pub one_minus_r2: f64,
    /// The paper's log evidence; null beyond the models that were compared, or where it is −∞.
    pub log_evidence: Option<f64>,
}

/// What one size had to say about each term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoteReport {
    /// The number of terms.
    pub size: usize,
    /// Each term that got a vote, with its rating.
    pub ratings: Vec<(String, f64)>,
    /// The terms that count as selected.
    pub selected: Vec<String>,
    /// The terms left out from here on.
    pub removed: Vec<String>,
}

impl Document {
    /// What a study found, but for the residual checks that need the rows and the time it took.
    pub fn new(
        problem: &Problem,
        reduction: &Reduction,
        settings: &Settings,
        study: &Study,
        seconds: f64,
    ) -> Self {
        let names = |support: &Support| -> Vec<String> {
            support
                .indices()
                .iter()
                .map(|&term| problem.dictionary().terms()[term].to_string())
                .collect()
        };
        let equation = study.answer().map(|answer| {
            let model = Model::new(problem, &answer.fit);
            let mut equation = Equation::new(&model, &answer.fit, study.ranking.baseline());
            equation.log_evidence = study.log_evidence(answer, settings);
            equation.probability =
                Some(answer.probability).filter(|_| settings.method != Method::Ols);
            for (entry, &term) in equation
                .terms
                .iter_mut()
                .zip(answer.fit.support().indices())
            {
                entry.inclusion = Some(study.ranking.inclusion()[term])
                    .filter(|_| settings.method != Method::Ols);
            }
            let other = study.runner_up().filter(|_| settings.method != Method::Ols);
            equation.runner_up = other.map(|other| RunnerUp {
                terms: names(other.fit.support()),
                probability: Some(other.probability),
            });
            equation
        });
        let vote = |vote: &Vote| VoteReport {
            size: vote.list.size,
            ratings: (0..vote.ratings.len())
                .filter(|&term| vote.ratings[term] > 0.0)
                .map(|term| {
                    (
                        problem.dictionary().terms()[term].to_string(),
                        vote.ratings[term],
                    )
                })
                .collect(),
            selected: names(&vote.selected),
            removed: names(&vote.removed),
        };
        Self {
            schema: SCHEMA.to_string(),
            kind: Kind::Equation,
            method: settings.method.name().to_string(),
            n_obs: reduction.n_obs(),
            n_terms: reduction.n_terms(),
            equations: equation.into_iter().collect(),
            search: study
                .found
                .as_ref()
                .map(|found| SearchReport::new(found, &names, settings, study, seconds)),
            votes: study
                .votes
                .as_ref()
                .map(|votes| votes.sizes.iter().map(vote).collect()),
            warnings: caveats(problem, reduction, settings, study),
            discovery: None,
        }
    }
}

impl SearchReport {
    fn new(
        found: &Found,
        names: &dyn Fn(&Support) -> Vec<String>,
        settings: &Settings,
        study: &Study,
        seconds: f64,
    ) -> Self {
        let listed = |candidate: &Candidate| {
            let support = candidate.support.union(&settings.space.centre);
            let log_evidence = study
                .ranking
                .find(&support)
                .and_then(|ranked| study.log_evidence(ranked, settings));
            ListedModel {
                terms: names(&support),
                one_minus_r2: candidate.one_minus_r2,
                log_evidence,
            }
        };
        let size = |list: &SizeList| SizeReport {
            size: list.size,
            subsets: list.subsets,
            exact: list.exact,
            best: list.best.iter().map(listed).collect(),
            certificate: list.certificate,
        };
        Self {
            sizes: found.sizes.iter().map(size).collect(),
            ended_early: found.ended_early,
            seconds,
        }
    }
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
