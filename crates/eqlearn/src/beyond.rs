//! Laws outside the plain dictionary: found, or said to be outside.
//!
//! A study is exact among the equations of its dictionary. Whether the law is one of them is
//! another question: [`misfit`](crate::judge::misfit) answers it from the residuals. While it says
//! that the law is outside, richer vocabularies are tried, one tier after the other:
//!
//! 1. products of real powers, for the target and for functions of it (`1/y`, `y²`, `log y`);
//! 2. functions of the features times such products;
//! 3. fractions of two sums of monomials.
//!
//! Families with inner parameters that the user gives are tried first, beside the dictionary.
//!
//! All compete on one scale: the criterion of [`Residual`](crate::judge::criterion::Criterion) for
//! the residuals in the target's own units, with as many candidate terms as the vocabulary has. So
//! a rich vocabulary has to explain more than a plain one, and simple laws win ties.
//!
//! Large vocabularies are screened on some hundred rows: the terms of the best small supports, by
//! exact search, go on. The answer is learned from these by exact search on all rows at hand.

mod attempt;
mod explore;
mod factor;
pub mod fraction;
mod inner;
mod noise;
pub mod parameters;
mod quotient;
mod remedy;
mod rows;

use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::criterion::Criterion;
use crate::judge::misfit::{Misfit, WARNED};
use crate::judge::noise::NoiseFindings;
use crate::learn::{LearnError, Settings, Study, learn};
use crate::methods::{How, Method, Patience, Proposal};
use crate::observe::Observer;
use crate::reduce::Data;
use crate::search::{EndReason, Run};
use crate::terms::TermsError;
use crate::terms::family::Family;
use crate::terms::limits::Limits;
use crate::terms::problem::Problem;
use crate::terms::vocabulary::Vocabulary;
use attempt::{Attempt, judge, leaves_something};
pub(crate) use attempt::{FEWEST, is_unjudged};
use explore::explore;
use inner::inner;
pub use noise::Noise;
pub use parameters::Caution;
use remedy::remedy;
use rows::Rows;

/// Richer vocabularies are tried if the log Bayes factor for a law outside is above this.
const OUTSIDE: f64 = 1.0;

/// With fewer rows a misfit is seen only if it is gross, so richer vocabularies are tried anyway.
const FEW: usize = 20;

/// An equation of this many terms may be the series of another law.
const LONG: usize = 4;

/// In a dictionary of more terms than this, costly sizes are not searched for an imitation.
const LARGE: usize = 200;

/// How far to look beyond the dictionary.
#[derive(Debug, Clone, Default)]
pub struct Beyond {
    /// The richest vocabulary; none to go on only while the law seems to be outside.
    pub vocabulary: Option<Vocabulary>,
    /// What the user says of the terms of all vocabularies.
    pub limits: Limits,
    /// Families of terms with inner parameters, which may be in the law besides the dictionary.
    pub families: Vec<Family>,
    /// How the noise varies from row to row.
    pub noise: Noise,
    /// Whether rows that do not belong are left out.
    pub robust: bool,
}

/// What was learned, within the dictionary or beyond.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The best study.
    pub study: Study,
    /// The rows with all columns that the study speaks of, if they are not those that were given.
    pub rows: Option<Vec<Table>>,
    /// What was tried, in order; only the dictionary itself where nothing seemed to be outside.
    pub tried: Vec<Trial>,
    /// What was found about the rows and their noise.
    pub noise: NoiseFindings,
}

/// A vocabulary that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// What its best equation says.
    pub equation: String,
    /// How many terms there were.
    pub n_terms: usize,
    /// Its score: the difference of two is the log of their odds.
    pub score: f64,
    /// Whether the law still seems to be outside.
    pub misfit: Option<Misfit>,
    /// What to know about inner parameters.
    pub cautions: Vec<Caution>,
}

/// Learns one equation as [`learn`](crate::learn()) does, judges whether the law is in the
/// dictionary, and looks for it beyond if not. Where the noise is not even, rows are weighted.
///
/// `kept` are rows with the features and the target; without any, nothing can be judged.
///
/// # Errors
/// Those of [`learn`](crate::learn()), and rows that lack a column of the problem; inner parameters
/// without rows, or that cannot be fitted although all terms are to be in the law; a wish about the
/// noise where not all rows are at hand.
pub fn learn_beyond(
    asked: &Asked<'_>,
    beyond: &Beyond,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    noise::learn_in_turns(asked, beyond, run, observer)
}

/// The same for rows that all count, by their weights if there are any.
fn learn_once(
    asked: &Asked<'_>,
    beyond: &Beyond,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    let Asked { problem, data, .. } = *asked;
    let full = |observer: &mut dyn Observer| learn(problem, data, asked.settings, run, observer);
    let Some(rows) = Rows::new(problem, asked.kept)? else {
        if !beyond.families.is_empty() {
            return Err(LearnError::ParametersWithoutRows.into());
        }
        let study = full(observer)?;
        let (rows, tried, noise) = (None, Vec::new(), NoiseFindings::default());
        return Ok(Learned {
            study,
            rows,
            tried,
            noise,
        });
    };
    let mut attempts = Vec::new();
    let study = asked.first_study(beyond, run, observer)?;
    let is_whole = !is_declined(&study);
    attempts.push(judge(&rows, study, Vocabulary::Monomials));
    if !beyond.families.is_empty() {
        let found = inner(&rows, &attempts[0].study, &beyond.families)?;
        if asked.settings.method == Method::Ols {
            // All terms are to be in the law, so that the dictionary alone is no answer.
            attempts.clear();
            let names = names(&beyond.families);
            attempts.push(found.ok_or(LearnError::ParametersNotFitted { names })?);
        } else {
            attempts.extend(found);
        }
    }
    if wants_more(beyond, &attempts[best(&attempts)]) {
        explore(&rows, &mut attempts, beyond, run, observer)?;
    }
    let unsettled = || attempts[best(&attempts)].is_outside() && data.whole.n_terms() <= LARGE;
    if !is_whole && (best(&attempts) == 0 || unsettled()) {
        // The costly sizes were left for last: a law beyond the dictionary may have made them
        // needless, and did not.
        match full(observer) {
            // What was found until then is an answer.
            Err(Error::Stopped | Error::Learn(LearnError::NothingSearched { .. })) => {}
            study => attempts[0] = judge(&rows, study?, Vocabulary::Monomials),
        }
    }
    if let ([only], Some(units)) = (attempts.as_slice(), &beyond.limits.units)
        && only.study.problem().dictionary().is_empty()
    {
        let left = problem.left_side();
        return Err(TermsError::NothingOfDimension {
            left: left.to_string(),
            wanted: units.wanted(left),
        }
        .into());
    }
    let tried = attempts.iter().map(Attempt::trial).collect();
    let best = best(&attempts);
    let Attempt {
        mut study,
        rows: made,
        ..
    } = attempts.swap_remove(best);
    if is_restricted(beyond, &study) {
        let tried = remedy(&rows, &study, &beyond.limits);
        study = study.with_remedy(tried);
    }
    let rows = made;
    let noise = NoiseFindings::default();
    Ok(Learned {
        study,
        rows,
        tried,
        noise,
    })
}

/// What an equation is learned from.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The target and the terms.
    pub problem: &'a Problem,
    /// All rows, reduced.
    pub data: Data<'a>,
    /// Rows that are in memory: all, or the first of them.
    pub kept: &'a [Table],
    /// How to learn.
    pub settings: &'a Settings,
}

impl Asked<'_> {
    /// What the dictionary itself says, without the costly sizes. It may have no terms where there
    /// are families, or where units leave none of them.
    fn first_study(
        &self,
        beyond: &Beyond,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Study> {
        let may_be_empty = !beyond.families.is_empty() || beyond.limits.units.is_some();
        if self.problem.dictionary().is_empty() && may_be_empty {
            let nothing = Proposal {
                supports: Vec::new(),
                choice: None,
                how: How::Given,
            };
            let (problem, rows) = (self.problem, self.data.whole);
            return Ok(Study::new(problem, rows, self.settings, nothing));
        }
        let study = learn(
            self.problem,
            self.data,
            &self.quick_settings(),
            run,
            observer,
        )?;
        Ok(study.with_patience(self.settings.patience))
    }

    /// The same settings for a search that ends before the first costly size.
    fn quick_settings(&self) -> Settings {
        let patience = Patience {
            least_drop: f64::INFINITY,
            ..self.settings.patience
        };
        Settings {
            patience,
            ..self.settings.clone()
        }
    }
}

/// Whether a search ended before a costly size that might have been better.
fn is_declined(study: &Study) -> bool {
    let end = study.found().and_then(|found| found.ended_early);
    end.is_some_and(|end| matches!(end.reason, EndReason::Declined))
}

/// Whether richer vocabularies are to be tried after this answer: the law seems to be outside, or
/// the rows are too few to tell, or the equation is so long that it may be a series.
fn wants_more(beyond: &Beyond, base: &Attempt) -> bool {
    let can = allows_more(base.study.settings());
    let unclear = || {
        let few = base.study.reduction().n_obs() < FEW && leaves_something(&base.study);
        let nothing = base.study.problem().dictionary().is_empty();
        nothing || base.is_outside() || few || is_unjudged(&base.study) || base.size() > LONG
    };
    match beyond.vocabulary {
        Some(vocabulary) => can && vocabulary > Vocabulary::Monomials,
        None => can && unclear(),
    }
}

/// Whether richer vocabularies may be tried: another method or criterion is a wish that their scale
/// would not respect.
fn allows_more(settings: &Settings) -> bool {
    settings.method == Method::Best && settings.criterion == Criterion::Residual
}

/// Whether the answer is an imitation, and powers and functions were not to be used.
fn is_restricted(beyond: &Beyond, study: &Study) -> bool {
    let misfit = study.misfit();
    let is_outside = misfit.is_some_and(|misfit| misfit.log_bayes_factor > WARNED);
    let plain = beyond.vocabulary.is_some_and(|v| v < Vocabulary::Functions);
    is_outside && (plain || !allows_more(study.settings()))
}

/// The names of all inner parameters.
fn names(families: &[Family]) -> String {
    let parameters = families.iter().flat_map(Family::parameters);
    let names: Vec<String> = parameters.map(|p| format!("?{}", p.name)).collect();
    names.join(", ")
}

/// The place of the best attempt; of equal ones, the first.
fn best(attempts: &[Attempt]) -> usize {
    let better = |&a: &usize, &b: &usize| {
        let scores = attempts[a].score.total_cmp(&attempts[b].score);
        scores.then(b.cmp(&a))
    };
    (0..attempts.len()).max_by(better).unwrap_or(0)
}
