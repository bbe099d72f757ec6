//! Laws outside the plain dictionary: found, or said to be outside.
//!
//! A study is exact among the equations of its dictionary. Whether the law is one of them is
//! another question: [`misfit`](crate::judge::misfit) answers it from the residuals. While it says
//! that the law is outside, richer vocabularies are tried, one tier after the other:
//!
//! 1. products of real powers, for the target and for functions of it (`1/y`, `y²`, `log y`);
//! 2. functions of the features times such products;
//! 3. fractions of two sums of monomials;
//! 4. families of functions with an inner parameter, such as `exp(a*x)`.
//!
//! Each is tried in views of the law: as a factor times a function of few variables, which may be
//! combinations of features, and as a function of all features. Families with inner parameters
//! that the user gives are tried first, beside the dictionary.
//!
//! All compete on one scale: the criterion of [`Residual`](crate::judge::criterion::Criterion) for
//! the residuals in the target's own units, with as many candidate terms as the vocabulary has. So
//! a rich vocabulary has to explain more than a plain one, and simple laws win ties.
//!
//! Large vocabularies are screened on some hundred rows: the terms of the best small supports, by
//! exact search, go on. The answer is learned from these by exact search on all rows at hand.

mod attempt;
mod curve;
mod explore;
mod factor;
mod families;
pub mod fraction;
mod inner;
mod judge;
mod noise;
pub mod parameters;
mod plans;
mod quotient;
mod refine;
mod remedy;
mod rivals;
mod rows;
mod screen;
mod symmetry;
mod target;
mod view;

use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::criterion::Criterion;
use crate::judge::imitation::LONG;
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
pub(crate) use attempt::is_unjudged;
use attempt::{Attempt, Known, Plan, attempt, leaves_something};
use explore::explore;
use inner::inner;
pub(crate) use judge::FEWEST;
use judge::{Judging, judge};
pub use noise::Noise;
pub use parameters::Caution;
use remedy::remedy;
use rivals::share_of;
use rows::Rows;

/// Richer vocabularies are tried if the log Bayes factor for a law outside is above this.
const OUTSIDE: f64 = 1.0;

/// With fewer rows a misfit is seen only if it is gross, so richer vocabularies are tried anyway.
const FEW: usize = 20;

/// In a dictionary of more terms than this, costly sizes are not searched for an imitation.
const LARGE: usize = 200;

/// How far the dictionary is searched for an imitation, if the law is nowhere else either.
const LAST: Patience = Patience {
    cheap: 200_000_000,
    least_drop: f64::INFINITY,
};

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

/// What is tried besides the dictionary.
#[derive(Debug, Clone, Copy)]
enum Scope<'a> {
    /// All vocabularies, while the law is outside.
    All,
    /// What was best before, if it was beyond the dictionary.
    Only(Option<&'a Plan>),
}

/// What was learned at once, and the plan behind it if it is beyond the dictionary.
#[derive(Debug, Clone)]
struct Once {
    learned: Learned,
    plan: Option<Plan>,
}

/// The same for rows that all count, by their weights if there are any.
fn learn_once(
    asked: &Asked<'_>,
    beyond: &Beyond,
    scope: Scope<'_>,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Once> {
    let Some(rows) = Rows::new(asked.problem, asked.kept)? else {
        if !beyond.families.is_empty() {
            return Err(LearnError::ParametersWithoutRows.into());
        }
        let study = learn(asked.problem, asked.data, asked.settings, run, observer)?;
        return Ok(Once::new(study, None, Vec::new()));
    };
    let mut attempts = Vec::new();
    let study = asked.first_study(beyond, run, observer)?;
    let is_whole = !is_declined(&study);
    let judging = Judging {
        rows: &rows,
        vocabulary: Vocabulary::Monomials,
        slopes: &[],
        log_n_laws: None,
        price: 0.0,
        to_beat: f64::NEG_INFINITY,
    };
    attempts.push(judge(&judging, study));
    if !beyond.families.is_empty() {
        let known = Known {
            rows: &rows,
            base: &attempts[0].study,
            limits: &beyond.limits,
            to_beat: f64::NEG_INFINITY,
        };
        let found = inner(&known, &beyond.families)?;
        if asked.settings.method == Method::Ols {
            // All terms are to be in the law, so that the dictionary alone is no answer.
            attempts.clear();
            let names = names(&beyond.families);
            attempts.push(found.ok_or(LearnError::ParametersNotFitted { names })?);
        } else {
            attempts.extend(found);
        }
    }
    let first = attempts[best(&attempts)].score;
    match scope {
        Scope::All if wants_more(beyond, &attempts[best(&attempts)]) => {
            explore(&rows, &mut attempts, beyond, run, observer)?;
        }
        Scope::Only(Some(plan)) => {
            let known = Known {
                rows: &rows,
                base: &attempts[0].study,
                limits: &beyond.limits,
                to_beat: first,
            };
            let found = attempt(&known, &plan.on(&rows), run, observer)?;
            attempts.extend(found);
        }
        _ => {}
    }
    let unsettled = attempts[best(&attempts)].is_outside();
    let small = asked.data.whole.n_terms() <= LARGE;
    if !is_whole && (best(&attempts) == 0 || unsettled && small) {
        // The costly sizes were left for last: a law beyond the dictionary may have made them
        // needless, and did not.
        let explored = attempts.len() > 1 && unsettled;
        let settings = asked.settings_with(if explored {
            LAST
        } else {
            asked.settings.patience
        });
        match learn(asked.problem, asked.data, &settings, run, observer) {
            // What was found until then is an answer.
            Err(Error::Stopped | Error::Learn(LearnError::NothingSearched { .. })) => {}
            study => {
                let study = study?.with_patience(asked.settings.patience);
                attempts[0] = judge(&judging, study);
            }
        }
    }
    if let ([only], Some(units)) = (attempts.as_slice(), &beyond.limits.units)
        && only.study.problem().dictionary().is_empty()
    {
        let left = asked.problem.left_side();
        return Err(TermsError::NothingOfDimension {
            left: left.to_string(),
            wanted: units.wanted(left),
        }
        .into());
    }
    Ok(answer_of(&rows, attempts, beyond))
}

/// The best of all attempts, with the rivals and signs that speak against it.
fn answer_of(rows: &Rows<'_>, mut attempts: Vec<Attempt>, beyond: &Beyond) -> Once {
    let tried = attempts.iter().map(Attempt::trial).collect();
    let best = best(&attempts);
    let share = share_of(rows, &attempts, best);
    let asks = beyond.vocabulary.is_none() && allows_more(attempts[best].study.settings());
    let odds = asks
        .then(|| curve::log_odds(rows, &attempts[best]))
        .flatten();
    let Attempt {
        study,
        rows: made,
        plan,
        ..
    } = attempts.swap_remove(best);
    let mut study = study.sharing(share);
    if asks {
        study = study.suspected(odds.unwrap_or(f64::INFINITY));
    }
    if is_restricted(beyond, &study) {
        let tried = remedy(rows, &study, &beyond.limits);
        study = study.with_remedy(tried);
    }
    let once = Once::new(study, made, tried);
    Once { plan, ..once }
}

impl Once {
    fn new(study: Study, rows: Option<Vec<Table>>, tried: Vec<Trial>) -> Self {
        let learned = Learned {
            study,
            rows,
            tried,
            noise: NoiseFindings::default(),
        };
        Self {
            learned,
            plan: None,
        }
    }
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
        // It ends before the first costly size.
        let settings = self.settings_with(Patience {
            least_drop: f64::INFINITY,
            ..self.settings.patience
        });
        let study = learn(self.problem, self.data, &settings, run, observer)?;
        Ok(study.with_patience(self.settings.patience))
    }

    /// The same settings with another rule for when a search ends.
    fn settings_with(&self, patience: Patience) -> Settings {
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
/// the rows are too few to tell, or the equation looks like the series of another law.
fn wants_more(beyond: &Beyond, base: &Attempt) -> bool {
    let can = allows_more(base.study.settings());
    let unclear = || {
        let few = base.study.reduction().n_obs() < FEW && leaves_something(&base.study);
        let nothing = base.study.problem().dictionary().is_empty();
        let long = base.size() > LONG || base.study.looks_like().is_some() || base.is_long_series();
        nothing || base.is_outside() || few || is_unjudged(&base.study) || long
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
