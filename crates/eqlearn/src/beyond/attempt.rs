//! One vocabulary for one target, from its terms to a law that is judged.

use std::rc::Rc;

use super::families::families;
use super::judge::{Judging, judge};
use super::parameters::Caution;
use super::quotient::quotient;
use super::refine::polish;
use super::rows::Rows;
use super::screen::{List, screened};
use super::target::Target;
use super::{OUTSIDE, Trial};
use crate::data::table::Table;
use crate::error::Result;
use crate::judge::criterion::log_binomial;
use crate::judge::imitation::{LONG, may_have_a_name};
use crate::judge::misfit::ROUNDING;
use crate::judge::ranking::Ranked;
use crate::learn::{Settings, Study, learn};
use crate::observe::Observer;
use crate::reduce::reduce;
use crate::reduce::support::Support;
use crate::search::{Run, Search};
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::limits::Limits;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::Vocabulary;

/// The largest law beyond the dictionary.
const LARGEST_LAW: usize = 6;

/// What was learned with a vocabulary.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) study: Study,
    /// The rows, if the study speaks of columns that were made for it.
    pub(super) rows: Option<Vec<Table>>,
    pub(super) score: f64,
    /// What to know about inner parameters.
    pub(super) cautions: Vec<Caution>,
    /// What was tried, with the terms that a screening left; none for the dictionary itself.
    pub(super) plan: Option<Plan>,
    /// The nats it takes to say which equation of its vocabulary it is; none for what is no choice
    /// from a vocabulary.
    pub(super) description: Option<f64>,
}

impl Attempt {
    /// Whether the law still seems to be outside.
    pub(super) fn is_outside(&self) -> bool {
        self.study
            .misfit()
            .is_some_and(|m| m.log_bayes_factor > OUTSIDE)
    }

    /// Whether nothing simpler is to be expected: one term for the target itself, and nothing that
    /// it leaves.
    pub(super) fn is_plain(&self) -> bool {
        self.size() == 1 && self.is_direct() && !self.is_outside() && self.is_beyond()
    }

    /// Whether this is the law, as far as can be seen: a short equation that leaves nothing. A
    /// long one may be the series of another law, and so may some powers of one feature.
    pub(super) fn is_short(&self) -> bool {
        let is_law = !self.is_outside() && self.study.looks_like().is_none();
        self.size() < LONG && is_law && self.is_beyond() && !self.may_have_a_name()
    }

    /// Whether it has so many powers of one feature or combination that a function with a name may
    /// say the same in one term.
    pub(super) fn is_long_series(&self) -> bool {
        self.size() >= LONG && self.may_have_a_name()
    }

    fn may_have_a_name(&self) -> bool {
        let model = self.study.model();
        model.is_some_and(|model| may_have_a_name(model.terms()))
    }

    /// Whether it is about the target itself, and not about a function of it.
    pub(super) fn is_direct(&self) -> bool {
        self.study.problem().left_side().transform().is_none()
    }

    /// The number of terms.
    pub(super) fn size(&self) -> usize {
        let answer = self.study.answer();
        answer.map_or(0, |answer| answer.fit.support().len())
    }

    /// How many numbers of the equation are fitted to the rows.
    pub(super) fn n_numbers(&self) -> usize {
        self.study.model().map_or(0, |model| {
            let below = model.denominator().map_or(1, |below| below.terms().len());
            model.terms().len() + below - 1 + model.parameters().len()
        })
    }

    fn is_beyond(&self) -> bool {
        self.study.vocabulary() > Vocabulary::Monomials
    }

    pub(super) fn trial(&self) -> Trial {
        let study = &self.study;
        let n_terms = study.settings().n_candidates;
        Trial {
            vocabulary: study.vocabulary(),
            equation: study
                .model()
                .map_or("no equation".into(), |m| m.to_string()),
            n_terms: n_terms.unwrap_or(study.reduction().n_terms()),
            score: self.score,
            misfit: study.misfit(),
            cautions: self.cautions.clone(),
        }
    }
}

/// Whether nobody judged an equation that leaves more than rounding errors.
pub(crate) fn is_unjudged(study: &Study) -> bool {
    study.misfit().is_none() && leaves_something(study)
}

/// Whether there is an equation that leaves more than rounding errors.
pub(super) fn leaves_something(study: &Study) -> bool {
    study.answer().is_some_and(|answer| {
        let share = answer.fit.share_of(study.ranking().baseline());
        share > ROUNDING
    })
}

/// What to try.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) vocabulary: Vocabulary,
    /// The function of the target that the terms are to give; none for the target itself.
    pub(super) transform: Option<Transform>,
    /// What all terms are multiplied by.
    pub(super) factor: Term,
    pub(super) list: Rc<List>,
    /// How many terms there are to choose from, if that is more: a factor that all of them share
    /// was chosen too.
    pub(super) n_choices: usize,
    /// How many functions of the features a product of powers may be multiplied by.
    pub(super) n_functions: usize,
    /// Families of terms with inner parameters, besides the terms.
    pub(super) families: Vec<Family>,
}

/// What is known before an attempt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) rows: &'a Rows<'a>,
    /// The study that this goes beyond.
    pub(super) base: &'a Study,
    /// What the user says of terms.
    pub(super) limits: &'a Limits,
    /// The best score so far: what scores less is not judged further.
    pub(super) to_beat: f64,
}

impl Known<'_> {
    pub(super) fn judging(&self, vocabulary: Vocabulary) -> Judging<'_> {
        Judging {
            rows: self.rows,
            vocabulary,
            slopes: &[],
            log_n_laws: None,
            price: 0.0,
            to_beat: self.to_beat,
        }
    }
}

/// Learns by a plan; none if its terms or the function of the target do not exist on these rows,
/// or nothing was found.
pub(super) fn attempt(
    known: &Known<'_>,
    plan: &Plan,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<Attempt>> {
    let found = match plan.vocabulary {
        Vocabulary::Fractions => quotient(known, plan, observer)?,
        Vocabulary::Parameters => families(known, plan)?,
        _ => sum(known, plan, run, observer)?,
    };
    let plan = |own: Option<Plan>| Some(own.unwrap_or_else(|| plan.clone()));
    Ok(found.map(|found| Attempt {
        plan: plan(found.plan),
        ..found
    }))
}

/// Learns a sum of terms.
fn sum(
    known: &Known<'_>,
    plan: &Plan,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<Attempt>> {
    let (rows, base) = (known.rows, known.base);
    let Some(target) = Target::new(rows, base.problem(), plan.transform) else {
        return Ok(None);
    };
    let few = screened(rows, &target, plan, run, observer)?;
    let terms = plan.terms_of(&few);
    if terms.is_empty() {
        return Ok(None);
    }
    let problem = target.problem(base.problem(), Dictionary::distinct(rows.names, terms)?)?;
    let constant = problem
        .dictionary()
        .terms()
        .iter()
        .position(Term::is_constant);
    let given = base.settings();
    let forced = !given.space.centre.is_empty();
    let settings = Settings {
        space: Search {
            max_terms: given.space.max_terms.min(LARGEST_LAW),
            centre: constant.filter(|_| forced).into_iter().collect(),
            required: Support::empty(),
            excluded: Support::empty(),
            ..given.space.clone()
        },
        n_candidates: Some(plan.list.n_candidates.max(plan.n_choices)),
        ..given.clone()
    };
    let tables = target.tables.as_deref().unwrap_or(rows.tables);
    let batches = tables.iter().map(|table| Ok(table.clone()));
    let reduction = reduce(&problem, batches, run.threads, observer)?;
    let run = Run {
        threads: run.threads,
        ..Run::default()
    };
    let study = plan.priced(learn(&problem, &reduction, &settings, &run, observer)?);
    let Some(model) = study.model() else {
        return Ok(None);
    };
    let study = match plan.transform {
        None => study,
        Some(transform) => match polish(rows, &model, transform) {
            Some(polished) => study.polished_by(polished),
            None => return Ok(None),
        },
    };
    let chosen = model.terms().iter();
    let price = plan.price(chosen.clone());
    let judging = Judging {
        price,
        ..known.judging(plan.vocabulary)
    };
    let judged = judge(&judging, study);
    let rank = chosen.map(|term| plan.rank(term)).max().unwrap_or(1);
    Ok(Some(Attempt {
        rows: target.tables,
        description: Some(plan.description(rank, model.terms().len()) + price),
        plan: Some(Plan {
            list: Rc::new(plan.list.select(&few)),
            ..plan.clone()
        }),
        ..judged
    }))
}

impl Plan {
    /// The same plan for other rows.
    pub(super) fn on(&self, rows: &Rows<'_>) -> Self {
        Self {
            list: Rc::new(self.list.on(rows)),
            ..self.clone()
        }
    }

    /// How many terms of the vocabulary are no more complicated than a term of a law.
    pub(super) fn rank(&self, term: &Term) -> usize {
        self.list.rank(|own| self.factor.times(own) == *term)
    }

    /// The nats it takes to say which equation of so many terms it is, all of them among the first
    /// terms of the vocabulary, and of which function of the target.
    pub(super) fn description(&self, rank: usize, n_terms: usize) -> f64 {
        let functions = match self.transform {
            Some(_) => 1 + Transform::ALL.len(),
            None => 1,
        };
        let n_equations = log_binomial(rank.max(n_terms) as f64, n_terms as f64);
        n_equations + (functions as f64).ln()
    }

    /// What the functions in these terms cost, as the log of odds. A product of powers is as
    /// probable as all its products with functions together.
    fn price<'a>(&self, terms: impl Iterator<Item = &'a Term>) -> f64 {
        let with_function = terms.filter(|term| term.has_function()).count();
        with_function as f64 * (self.n_functions.max(1) as f64).ln()
    }

    /// A study with the price of functions in its scores, and what is best by them.
    fn priced(&self, study: Study) -> Study {
        let terms = study.problem().dictionary().terms();
        let score = |model: &Ranked| {
            let support = model.fit.support().indices().iter();
            model.score - self.price(support.map(|&place| &terms[place]))
        };
        let scores: Vec<f64> = study.ranking().models().iter().map(score).collect();
        if self.n_functions > 1 {
            study.rescored(&scores).choosing(Some(0))
        } else {
            study
        }
    }

    /// The terms of the list at these places, times the factor.
    fn terms_of(&self, places: &[usize]) -> Vec<Term> {
        let places = places.iter();
        places
            .map(|&place| self.factor.times(&self.list.terms[place]))
            .collect()
    }
}
