//! The result document: what a run found, as JSON that scripts can rely on.
//!
//! The schema is `eqlearn/1`. Numbers are written so that they parse back to the same bits; `null`
//! stands where a quantity has no meaning.

mod field;
mod groups;
mod system;

pub use field::{FieldForecast, FieldReport};
pub(crate) use groups::worth_sharing;
pub use groups::{EqualityReport, GroupTerm, GroupsReport, SharingReport};
pub use system::{DiscoveryReport, StateLists};

use serde::{Deserialize, Serialize};

use crate::beyond::Trial;
use crate::beyond::parameters::Caution;
use crate::judge::misfit::Misfit;
use crate::learn::Study;
use crate::learn::model::{Model, Parameter};
use crate::methods::{Tried, Tuning, Vote};
use crate::reduce::Fit;
use crate::search::{Candidate, Certificate, EndedEarly, Found, SizeList};
use crate::tell::caveats::caveats;
use crate::tell::warning::{Code, Warning};
use crate::terms::left_side::LeftSide;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

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
    /// How a regression method came to its answer, for the methods that have one of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<RegressionReport>,
    /// The votes per size, for the methods that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<Vec<VoteReport>>,
    /// The vocabularies that were tried beyond the dictionary, in order; absent if none were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vocabularies: Vec<TriedVocabulary>,
    /// What a careful reader should know.
    pub warnings: Vec<Warning>,
    /// What differs between experiments, where one law was learned for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsReport>,
    /// How rows were made from trajectories or fields, for systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovered>,
}

/// How a system was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Discovered {
    /// From fields. It comes first in reading, because it names its axes.
    Field(Box<FieldReport>),
    /// From trajectories.
    Motion(Box<DiscoveryReport>),
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
    /// What the equation gives: a column, a derivative, the next value of a state.
    pub left_side: LeftSide,
    /// The equation for people, with the digits that its errors support.
    pub text: String,
    /// The equation in LaTeX.
    pub latex: String,
    /// The terms in the dictionary's order; empty for a fraction.
    pub terms: Vec<TermEntry>,
    /// The terms above the line, for a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numerator: Option<Vec<TermEntry>>,
    /// The terms below the line, for a fraction; one coefficient is 1 by choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denominator: Option<Vec<TermEntry>>,
    /// The inner parameters, whose values are in the terms; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The explained fraction of the variance.
    pub r2: f64,
    /// `rss / tss`, to full precision.
    pub one_minus_r2: f64,
    /// The residual sum of squares; null if it overflows.
    pub rss: Option<f64>,
    /// The noise level; null without a degree of freedom.
    pub sigma: Option<f64>,
    /// The log evidence under the method's prior.
    pub log_evidence: Option<f64>,
    /// The probability of this equation among those listed.
    pub probability: Option<f64>,
    /// The next best equation.
    pub runner_up: Option<RunnerUp>,
    /// The probability that the law is none of those listed; null where it cannot be judged.
    #[serde(default)]
    pub misfit: Option<Misfit>,
    /// Where the terms are from.
    #[serde(default)]
    pub vocabulary: Vocabulary,
}

/// A vocabulary that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedVocabulary {
    /// The state, for systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its name.
    pub vocabulary: Vocabulary,
    /// How many terms it has on these data.
    pub n_terms: usize,
    /// What its best equation says.
    pub equation: String,
    /// The log of the odds against the best of all that were tried.
    pub log_odds: f64,
    /// Whether the law seems to be outside of it too.
    pub misfit: Option<Misfit>,
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
    /// The probability that the term belongs in the equation; of an ensemble, the fraction of its
    /// models that have it.
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

/// How a regression method came to its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegressionReport {
    /// The settings of the method; where its knob was chosen by cross-validation, `tuning` has its
    /// value.
    pub settings: serde_json::Value,
    /// Whose coefficients the equation has.
    pub coefficients: CoefficientsOf,
    /// How the knob was chosen; null if the settings fix it or there is none.
    pub tuning: Option<TuningReport>,
    /// Whether it is proven that no other equation of this size is better; null for methods that
    /// prove nothing.
    pub proven: Option<bool>,
}

/// Whose coefficients an equation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoefficientsOf {
    /// The method's own, such as the shrunken ones of the LASSO.
    Method,
    /// Least squares on the terms that the method chose.
    LeastSquares,
}

/// How a knob was chosen by cross-validation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuningReport {
    /// The name of the setting.
    pub knob: String,
    /// The value that was chosen.
    pub chosen: f64,
    /// Whether it lies at an end of the values tried, so that one beyond may be better.
    pub at_edge: bool,
    /// Every value that was tried, ascending, with its error on rows left out.
    pub curve: Vec<TriedReport>,
}

/// One value of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TriedReport {
    /// The value.
    pub value: f64,
    /// The mean squared error on rows left out; null if it is not finite.
    pub error: Option<f64>,
    /// Its standard error over the folds.
    pub std_error: Option<f64>,
}

/// The exact lists of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// One list per size.
    pub sizes: Vec<SizeReport>,
    /// Why larger sizes were not searched; null if all were.
    pub ended_early: Option<EndedEarly>,
    /// The time the search took. With the certificates, the only part that may differ from run to
    /// run.
    pub seconds: f64,
}

/// The best supports of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeReport {
    /// The number of terms, without a constant that is always in.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    /// How many coefficients each of them has, where experiments have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<usize>,
    /// Whether no other support of this size, and with as many coefficients, has a smaller residual
    /// than those listed.
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

/// The votes of one size for each term.
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
    /// What a study found in this many seconds. `checks` are the warnings about its residuals,
    /// which need the rows.
    pub fn new(study: &Study, checks: Vec<Warning>, seconds: f64) -> Self {
        let found = study.found();
        let votes = study.votes();
        let vote = |vote: &Vote| VoteReport::new(study, vote);
        Self {
            schema: SCHEMA.to_string(),
            kind: Kind::Equation,
            method: study.settings().method.name().to_string(),
            n_obs: study.reduction().n_obs(),
            n_terms: study.reduction().n_terms(),
            equations: Equation::of_study(study).into_iter().collect(),
            search: found.map(|found| SearchReport::new(study, found, seconds)),
            regression: RegressionReport::new(study),
            votes: votes.map(|votes| votes.sizes.iter().map(vote).collect()),
            vocabularies: Vec::new(),
            warnings: [caveats(study), checks].concat(),
            groups: None,
            discovery: None,
        }
    }

    /// How a system of ordinary differential equations was learned, if this is one.
    pub fn motion(&self) -> Option<&DiscoveryReport> {
        match self.discovery.as_ref()? {
            Discovered::Motion(report) => Some(report),
            Discovered::Field(_) => None,
        }
    }

    /// How equations of fields were learned, if these are such.
    pub fn of_field(&self) -> Option<&FieldReport> {
        match self.discovery.as_ref()? {
            Discovered::Field(report) => Some(report),
            Discovered::Motion(_) => None,
        }
    }

    /// The exact lists of each state or quantity.
    pub fn lists(&self) -> &[StateLists] {
        match &self.discovery {
            Some(Discovered::Motion(report)) => &report.lists,
            Some(Discovered::Field(report)) => &report.lists,
            None => &[],
        }
    }

    /// The same with what was tried beyond the dictionary.
    #[must_use]
    pub fn after_trying(self, tried: &[Trial]) -> Self {
        let best = highest(tried);
        let answer = tried.iter().find(|trial| trial.score >= best);
        let cautions = answer.iter().flat_map(|trial| &trial.cautions).map(caution);
        Self {
            vocabularies: reports(tried, None),
            warnings: self.warnings.into_iter().chain(cautions).collect(),
            ..self
        }
    }
}

fn highest(tried: &[Trial]) -> f64 {
    let scores = tried.iter().map(|trial| trial.score);
    scores.fold(f64::NEG_INFINITY, f64::max)
}

/// What is told of vocabularies that were tried, if there were several.
fn reports(tried: &[Trial], state: Option<&str>) -> Vec<TriedVocabulary> {
    let best = highest(tried);
    let report = |trial: &Trial| TriedVocabulary {
        target: state.map(String::from),
        vocabulary: trial.vocabulary,
        n_terms: trial.n_terms,
        equation: trial.equation.clone(),
        log_odds: trial.score - best,
        misfit: trial.misfit,
    };
    if tried.len() > 1 {
        tried.iter().map(report).collect()
    } else {
        Vec::new()
    }
}

/// What to know about inner parameters, in words.
fn caution(caution: &Caution) -> Warning {
    match caution {
        Caution::EndOfRange { name } => Warning::new(
            Code::ParameterAtEdge,
            format!(
                "the parameter {name} is at an end of the range that it was looked for in: a value \
                 beyond may do better, or the data do not tell it"
            ),
        ),
        Caution::Pole { divisor } => Warning::new(
            Code::Pole,
            format!(
                "the law divides by {divisor}, which is zero for some values between those of the \
                 data: a simulation that comes there ends"
            ),
        ),
        Caution::Merged { names } => Warning::new(
            Code::MergedParameters,
            format!(
                "the parameters {} are the same within their errors: the two terms can hardly be \
                 told apart",
                names.join(", ")
            ),
        ),
    }
}

impl VoteReport {
    fn new(study: &Study, vote: &Vote) -> Self {
        let rated = vote.ratings.iter().enumerate();
        let rated = rated.filter(|(_, rating)| **rating > 0.0);
        Self {
            size: vote.size,
            ratings: rated
                .map(|(term, &rating)| (study.term(term).to_string(), rating))
                .collect(),
            selected: study.names(&vote.selected),
            removed: study.names(&vote.removed),
        }
    }
}

impl SearchReport {
    fn new(study: &Study, found: &Found, seconds: f64) -> Self {
        Self {
            sizes: SizeReport::of_lists(study, found),
            ended_early: found.ended_early,
            seconds,
        }
    }
}

impl SizeReport {
    /// The lists of a study, one for each size.
    fn of_lists(study: &Study, found: &Found) -> Vec<Self> {
        let listed = |candidate: &Candidate| {
            let support = candidate.support.union(&study.settings().space.centre);
            let ranked = study.ranking().find(&support);
            ListedModel {
                terms: study.names(&support),
                one_minus_r2: candidate.one_minus_r2,
                log_evidence: ranked.and_then(|ranked| study.log_evidence(ranked)),
            }
        };
        let size = |list: &SizeList| Self {
            size: list.size,
            subsets: list.subsets,
            coefficients: None,
            exact: list.exact,
            best: list.best.iter().map(listed).collect(),
            certificate: list.certificate,
        };
        found.sizes.iter().map(size).collect()
    }
}

impl RegressionReport {
    fn new(study: &Study) -> Option<Self> {
        let (regressed, method) = (study.regressed()?, &study.settings().method);
        let settings = serde_json::to_value(method).expect("settings are plain data");
        let coefficients = match study.own() {
            Some(_) => CoefficientsOf::Method,
            None => CoefficientsOf::LeastSquares,
        };
        Some(Self {
            settings: settings[method.name()].clone(),
            coefficients,
            tuning: regressed.tuning.as_ref().map(TuningReport::new),
            proven: regressed.proven,
        })
    }
}

impl TuningReport {
    /// What there is to say about a choice.
    pub fn new(tuning: &Tuning) -> Self {
        let tried = |tried: &Tried| TriedReport {
            value: tried.value,
            error: Some(tried.error).filter(|error| error.is_finite()),
            std_error: Some(tried.std_error).filter(|error| error.is_finite()),
        };
        Self {
            knob: tuning.knob.to_string(),
            chosen: tuning.chosen,
            at_edge: tuning.at_edge,
            curve: tuning.curve.iter().map(tried).collect(),
        }
    }
}

impl Equation {
    /// The entry for the answer of a study, if it has one.
    pub fn of_study(study: &Study) -> Option<Self> {
        Self::told_by(study, &study.model()?)
    }

    /// The same with the coefficients and the noise level of another model of the answer's terms.
    pub(super) fn told_by(study: &Study, model: &Model) -> Option<Self> {
        let answer = study.answer()?;
        let (fit, baseline) = (&answer.fit, study.ranking().baseline());
        let polished = study.polished();
        let own_norm = study.own().map(|own| own.residual_norm);
        let own_norm = polished.map(|polished| polished.residual_norm).or(own_norm);
        let one_minus_r2 = match (polished, own_norm) {
            (Some(polished), _) => polished.share,
            (None, Some(norm)) => (norm / baseline.residual_norm()).powi(2),
            (None, None) => fit.share_of(baseline),
        };
        let rss = own_norm.map_or_else(|| fit.rss(), |norm| norm * norm);
        let weighed = study.weighs_models();
        Some(Self {
            target: model.left_side().target(),
            left_side: model.left_side().clone(),
            text: model.to_string(),
            latex: model.latex(),
            terms: term_entries(study, model, fit),
            numerator: model
                .denominator()
                .map(|_| entries(model.terms(), model.coefficients(), model.std_errors())),
            denominator: model
                .denominator()
                .map(|d| entries(d.terms(), d.coefficients(), d.std_errors())),
            parameters: model.parameters().to_vec(),
            r2: own_norm.map_or_else(|| fit.explained_share(baseline), |_| 1.0 - one_minus_r2),
            one_minus_r2,
            rss: Some(rss).filter(|rss| rss.is_finite()),
            sigma: model.sigma(),
            log_evidence: study.log_evidence(answer),
            probability: weighed.then_some(answer.probability),
            runner_up: study.runner_up().filter(|_| weighed).map(|other| RunnerUp {
                terms: study.names(other.fit.support()),
                probability: Some(other.probability),
            }),
            misfit: study.misfit(),
            vocabulary: study.vocabulary(),
        })
    }
}

/// The terms of one side of a fraction.
fn entries(terms: &[Term], coefficients: &[f64], errors: Option<&[f64]>) -> Vec<TermEntry> {
    let entry = |(i, term): (usize, &Term)| TermEntry {
        term: term.to_string(),
        coefficient: coefficients[i],
        std_error: errors.map(|errors| errors[i]),
        inclusion: None,
    };
    terms.iter().enumerate().map(entry).collect()
}

/// The terms of a model of a study's answer; none if it is a fraction.
fn term_entries(study: &Study, model: &Model, fit: &Fit) -> Vec<TermEntry> {
    if model.denominator().is_some() {
        return Vec::new();
    }
    let shares = match study.regressed() {
        Some(regressed) => regressed.inclusion.as_deref(),
        None => Some(study.ranking().inclusion()).filter(|_| study.weighs_models()),
    };
    let entry = |(i, &term): (usize, &usize)| TermEntry {
        term: study.term(term).to_string(),
        coefficient: model.coefficients()[i],
        std_error: model.std_errors().map(|errors| errors[i]),
        inclusion: shares.map(|shares| shares[term]),
    };
    fit.support()
        .indices()
        .iter()
        .enumerate()
        .map(entry)
        .collect()
}
