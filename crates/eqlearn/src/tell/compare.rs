//! Methods side by side on the same problem, with the same measures.
//!
//! Methods treat the constant differently and choose by different rules, so their own scores cannot
//! be compared. Here all are measured in the same way: `1 − R²` about the mean of the target where
//! the dictionary has a constant (about zero otherwise), the paper's evidence with the constant
//! counted as a term, and the held-out error: each fold is predicted by the whole procedure,
//! including the choice of knobs and terms, run on the others.

use serde::{Deserialize, Serialize};

use crate::beyond::Learned;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::criterion::Judged;
use crate::learn::model::Model;
use crate::learn::{Settings, Study, learn};
use crate::methods::MethodsError;
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Parts, Reduction};
use crate::search::Run;
use crate::tell::caveats::caveats;
use crate::tell::document::{Equation, TermEntry, TuningReport};
use crate::tell::warning::Warning;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// The schema of a comparison.
pub const SCHEMA: &str = "eqlearn-compare/1";

/// The error of a method on rows that it has not seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// The root of the mean over the folds of the mean squared error, in the units of the target.
    pub error: f64,
    /// The standard error of that, from the spread over the folds.
    pub std_error: f64,
}

/// Learns from all folds but one, knobs and terms included, and predicts that one; for each fold.
///
/// Where nothing is learned, the terms that are always in predict.
///
/// # Errors
/// Fewer than two folds; those of [`learn`].
pub fn held_out(
    problem: &Problem,
    parts: &Parts,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<HeldOut> {
    let n_folds = parts.folds().len();
    if n_folds < 2 {
        return Err(MethodsError::TooFewFolds { folds: n_folds }.into());
    }
    let mut errors = Vec::with_capacity(n_folds);
    for fold in 0..n_folds {
        let (rest, left_out) = parts.without(fold);
        let study = learn(problem, &rest, settings, run, observer)?;
        let rows = left_out.n_obs().max(1) as f64;
        errors.push(left_out.residual_norm_of(&study.coefficients()).powi(2) / rows);
    }
    let k = n_folds as f64;
    let mean = errors.iter().sum::<f64>() / k;
    let spread: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
    let error = mean.sqrt();
    // Error propagation: the error of a root is the error of its square over twice the root.
    let std_error = (spread / (k - 1.0) / k).sqrt() / (2.0 * error);
    Ok(HeldOut {
        error,
        std_error: if error > 0.0 { std_error } else { 0.0 },
    })
}

/// Methods side by side, as a document that scripts can rely on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The target column, or such as `x'`.
    pub target: String,
    /// What the equations give.
    pub left_side: LeftSide,
    /// The number of observations.
    pub n_obs: usize,
    /// The number of terms in the dictionary.
    pub n_terms: usize,
    /// The number of folds of the cross-validated errors; 0 if there are none.
    pub folds: usize,
    /// What each method found, in the order in which they were asked for.
    pub methods: Vec<MethodReport>,
    /// Which methods use which term, in the dictionary's order; terms that nobody uses are left
    /// out, and those from beyond the dictionary come last.
    pub terms: Vec<TermUse>,
}

/// What one method found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodReport {
    /// The method.
    pub method: String,
    /// What went wrong, if it has no answer because of an error.
    pub failure: Option<String>,
    /// The equation for people; null if there is none.
    pub equation: Option<String>,
    /// The equation in LaTeX.
    pub latex: Option<String>,
    /// The terms in the dictionary's order.
    pub terms: Vec<TermEntry>,
    /// The number of terms, the constant among them.
    pub size: Option<usize>,
    /// `rss / tss`, with the same `tss` for all methods.
    pub one_minus_r2: Option<f64>,
    /// The paper's log evidence of the chosen terms, with the same baseline for all methods.
    pub log_evidence: Option<f64>,
    /// The root mean squared error on rows left out; null where a fold could not be learned
    /// without.
    pub cv_error: Option<f64>,
    /// The standard error of `cv_error`.
    pub cv_std_error: Option<f64>,
    /// The time it took to learn from all rows, knobs included, without the reading and the error
    /// on rows left out.
    pub seconds: f64,
    /// How a knob was chosen; null if there was nothing to choose.
    pub tuning: Option<TuningReport>,
    /// Which vocabulary the equation is from; null for methods that stay in the dictionary.
    pub vocabulary: Option<Vocabulary>,
    /// Whether no other equation of a size that was searched fits better; null for methods that
    /// prove nothing.
    pub proven: Option<bool>,
    /// What a careful reader should know.
    pub warnings: Vec<Warning>,
}

/// A term and the methods that use it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermUse {
    /// The term as text.
    pub term: String,
    /// The methods whose equation has it, in the order of the report.
    pub methods: Vec<String>,
}

impl MethodReport {
    /// What a method learned, in this many seconds.
    pub fn new(study: &Study, seconds: f64) -> Self {
        let (settings, reduction) = (study.settings(), study.reduction());
        let tuning = study.regressed().and_then(|own| own.tuning.as_ref());
        let report = Self {
            tuning: tuning.map(TuningReport::new),
            proven: study.how().proven(),
            warnings: caveats(study),
            seconds,
            ..Self::nothing(settings)
        };
        let (Some(equation), Some(answer)) = (Equation::of_study(study), study.answer()) else {
            return report;
        };
        let empty = reduction.fit(&Support::empty());
        let judged = Judged {
            fit: &answer.fit,
            baseline: &empty,
            n_candidates: reduction.n_terms() - settings.space.excluded.len(),
        };
        let log_evidence = settings.evidence.log_evidence(&judged);
        let own = study.own();
        let norm = own.map_or_else(|| answer.fit.residual_norm(), |own| own.residual_norm);
        let share = norm / yardstick(study.problem(), reduction);
        Self {
            equation: Some(equation.text),
            latex: Some(equation.latex),
            size: Some(equation.terms.len()),
            terms: equation.terms,
            one_minus_r2: Some(share * share).filter(|share| share.is_finite()),
            log_evidence: Some(log_evidence).filter(|value| value.is_finite()),
            ..report
        }
    }

    /// What was learned within the dictionary of a problem or beyond, in this many seconds.
    ///
    /// A law from beyond, or of rows that do not count alike, is measured on the rows as they are:
    /// the evidence of other terms or weights cannot be compared.
    ///
    /// # Errors
    /// Rows that lack a column of the problem.
    pub fn of_learned(
        learned: &Learned,
        problem: &Problem,
        kept: &[Table],
        seconds: f64,
    ) -> Result<Self> {
        let study = &learned.study;
        let vocabulary = Some(study.vocabulary());
        let report = Self {
            vocabulary,
            ..Self::new(study, seconds)
        };
        let Some(model) = study.model().filter(|_| !is_plain(learned)) else {
            return Ok(report);
        };
        let below = model.denominator();
        let size = model.terms().len() + below.map_or(0, |below| below.terms().len());
        let direct = below.is_none() && model.left_side().transform().is_none();
        let share = share_on(&model, problem, kept)?;
        Ok(Self {
            size: Some(size),
            // Those of a fraction, or of a function of the target, are not terms of the target.
            terms: if direct { report.terms } else { Vec::new() },
            one_minus_r2: Some(share).filter(|share| share.is_finite()),
            log_evidence: None,
            ..report
        })
    }

    /// A method that could not be run.
    pub fn failed(settings: &Settings, error: &Error, seconds: f64) -> Self {
        Self {
            failure: Some(error.to_string()),
            seconds,
            ..Self::nothing(settings)
        }
    }

    /// The same with its error on rows left out.
    #[must_use]
    pub fn with_held_out(self, held_out: Option<HeldOut>) -> Self {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            cv_error: held_out.and_then(|h| finite(h.error)),
            cv_std_error: held_out.and_then(|h| finite(h.std_error)),
            ..self
        }
    }

    fn nothing(settings: &Settings) -> Self {
        Self {
            method: settings.method.name().to_string(),
            failure: None,
            equation: None,
            latex: None,
            terms: Vec::new(),
            size: None,
            one_minus_r2: None,
            log_evidence: None,
            cv_error: None,
            cv_std_error: None,
            seconds: 0.0,
            tuning: None,
            vocabulary: None,
            proven: None,
            warnings: Vec::new(),
        }
    }
}

/// Whether a law is one of the dictionary, learned from all rows alike.
pub fn is_plain(learned: &Learned) -> bool {
    learned.study.vocabulary() == Vocabulary::Monomials && learned.rows.is_none()
}

/// The unexplained share of the target's variance on these rows, about the mean or about zero as
/// for all methods.
fn share_on(model: &Model, problem: &Problem, rows: &[Table]) -> Result<f64> {
    // Notation: y observed, f predicted, w weights.
    let (mut rss, mut sum, mut squares, mut total) = (0.0, 0.0, 0.0, 0.0);
    for table in rows {
        let target = table.column(&problem.target())?;
        let predicted = model.predict(table)?;
        let weights = match problem.weights() {
            Some(name) => problem.meaning().of(table.column(name)?).into_owned(),
            None => vec![1.0; target.len()],
        };
        for ((y, f), w) in target.iter().zip(&predicted).zip(&weights) {
            rss += w * (y - f).powi(2);
            sum += w * y;
            squares += w * y * y;
            total += w;
        }
    }
    let about_mean = problem.dictionary().has_constant();
    let mean = if about_mean { sum / total } else { 0.0 };
    Ok(rss / (squares - mean * sum))
}

/// The baseline of `R²` for all methods: the variance about the mean, or about zero if there is no
/// constant.
fn yardstick(problem: &Problem, reduction: &Reduction) -> f64 {
    let terms = problem.dictionary().terms();
    let constant = terms.iter().position(Term::is_constant);
    reduction
        .fit(&constant.into_iter().collect())
        .residual_norm()
}

impl Comparison {
    /// The document of these reports on the rows of a table.
    pub fn new(problem: &Problem, parts: &Parts, methods: Vec<MethodReport>) -> Self {
        Self {
            folds: parts.folds().len(),
            ..Self::without_folds(problem, parts.whole(), methods)
        }
    }

    /// The document of these reports on rows that cannot be cross-validated, such as those of
    /// trajectories.
    pub fn without_folds(problem: &Problem, rows: &Reduction, methods: Vec<MethodReport>) -> Self {
        let used = |term: &Term| {
            let term = term.to_string();
            let users = methods
                .iter()
                .filter(|m| m.terms.iter().any(|entry| entry.term == term));
            TermUse {
                methods: users.map(|m| m.method.clone()).collect(),
                term,
            }
        };
        let own = problem.dictionary().terms().iter().cloned();
        let all = methods.iter().flat_map(|m| &m.terms);
        let features = problem.dictionary().features();
        let all = all.filter_map(|entry| Term::parse(&entry.term, features).ok());
        let known = |term: &Term| problem.dictionary().position(term).is_some();
        let beyond = all.filter(|term| !known(term));
        let terms: Vec<Term> = own.chain(beyond).collect();
        let terms = terms.iter().map(used);
        Self {
            schema: SCHEMA.to_string(),
            target: problem.target(),
            left_side: problem.left_side().clone(),
            n_obs: rows.n_obs(),
            n_terms: rows.n_terms(),
            folds: 0,
            terms: terms.filter(|term| !term.methods.is_empty()).collect(),
            methods,
        }
    }
}
