//! Inner parameters as an attempt: what [`learn_parameters`] finds, with a study of the best laws.
//!
//! With the values of its parameters, a law is a sum of terms. The study compares the laws in this
//! form by the scores that count parameters too; the answer has the errors of coefficients and
//! parameters together.

use super::attempt::{Attempt, Known};
use super::judge::{Judging, judge};
use super::parameters::{self, Choice, Ingredients, Inner, Law, learn_parameters};
use crate::error::Result;
use crate::judge::ranking::Ranked;
use crate::learn::model::{Model, Parameter};
use crate::learn::{Polished, Settings, Study};
use crate::methods::{How, Method, Proposal};
use crate::reduce::reduce;
use crate::reduce::support::Support;
use crate::search::Search;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// Looks for a law with members of these families beside the terms of a study; none if there is
/// none on these rows. Least squares on all given terms takes every family once.
pub(super) fn inner(known: &Known<'_>, families: &[Family]) -> Result<Option<Attempt>> {
    let settings = known.base.settings();
    let space = &settings.space;
    let (all, stays) = (
        known.base.problem().dictionary(),
        space.centre.union(&space.required),
    );
    let allowed = (0..all.len()).filter(|&place| !space.excluded.contains(place));
    let allowed: Vec<usize> = allowed.collect();
    let place = |(place, term): (usize, &usize)| stays.contains(*term).then_some(place);
    let takes_all = settings.method == Method::Ols;
    with_members(
        known,
        &Ingredients {
            dictionary: &all.select(&allowed),
            always_in: &allowed.iter().enumerate().filter_map(place).collect(),
            families,
            n_choices: 0,
        },
        &Inner {
            choice: if takes_all { Choice::All } else { Choice::Best },
            max_terms: space.max_terms,
            ..Inner::default()
        },
    )
}

/// The best law that has a member of a family; none if there is none on these rows.
pub(super) fn with_members(
    known: &Known<'_>,
    given: &Ingredients<'_>,
    how: &Inner,
) -> Result<Option<Attempt>> {
    let rows = known.rows;
    let features = rows.columns();
    let rows = parameters::Rows {
        features: &features,
        target: &rows.target,
        precision: Some(&rows.precision),
    };
    let found = learn_parameters(&rows, given, how)?;
    // Laws without a member are those of the dictionary.
    let laws = found.iter().filter(|law| !law.parameters.is_empty());
    let laws: Vec<&Law> = laws.collect();
    match laws.first() {
        Some(best) => attempt(known, best, &laws),
        None => Ok(None),
    }
}

/// The study of these laws with the best as its answer.
fn attempt(known: &Known<'_>, best: &Law, laws: &[&Law]) -> Result<Option<Attempt>> {
    let (rows, base) = (known.rows, known.base);
    // The terms of the best law come first, so that its coefficients are in their order.
    let terms = laws.iter().flat_map(|law| law.terms.iter().cloned());
    let problem = problem(base.problem(), Dictionary::distinct(rows.names, terms)?)?;
    let dictionary = problem.dictionary();
    let place = |term: &Term| dictionary.position(term);
    let support = |law: &&Law| -> Support { law.terms.iter().filter_map(place).collect() };
    let supports: Vec<Support> = laws.iter().map(support).collect();
    let constant = dictionary.terms().iter().position(Term::is_constant);
    let forced = !base.settings().space.centre.is_empty();
    let centre: Support = constant.filter(|_| forced).into_iter().collect();
    let settings = Settings {
        n_candidates: Some(best.n_candidates + centre.len()),
        space: Search {
            centre,
            required: Support::empty(),
            excluded: Support::empty(),
            ..base.settings().space.clone()
        },
        ..base.settings().clone()
    };
    let batches = rows.tables.iter().map(|table| Ok(table.clone()));
    let reduction = reduce(&problem, batches, 1, &mut ())?;
    let proposal = Proposal {
        choice: supports.first().cloned(),
        supports: supports.clone(),
        how: if base.settings().method == Method::Ols {
            How::Given
        } else {
            How::Parameters
        },
    };
    let study = Study::new(&problem, &reduction, &settings, proposal);
    let score = |model: &Ranked| {
        let law = supports.iter().position(|own| own == model.fit.support());
        law.map_or(model.score, |law| laws[law].score)
    };
    let scores: Vec<f64> = study.ranking().models().iter().map(score).collect();
    let study = study.rescored(&scores);
    let Some(model) = study.model() else {
        return Ok(None);
    };
    let total = study.ranking().baseline().residual_norm().powi(2);
    let study = study.polished_by(Polished {
        model: told(&model, best),
        residual_norm: best.rss.sqrt(),
        share: best.rss / total,
    });
    let judging = Judging {
        rows,
        vocabulary: Vocabulary::Parameters,
        slopes: &best.slopes,
        log_n_laws: Some(best.log_n_laws),
        price: 0.0,
        to_beat: known.to_beat,
    };
    let judged = judge(&judging, study);
    Ok(Some(Attempt {
        cautions: best.cautions.clone(),
        ..judged
    }))
}

/// The problem of explaining the same target by these terms.
fn problem(base: &Problem, dictionary: Dictionary) -> Result<Problem> {
    let problem = Problem::new(base.left_side().clone(), dictionary)?
        .with_constants(base.constants())
        .with_meaning(base.meaning());
    match base.weights() {
        Some(column) => problem.with_weights(column),
        None => Ok(problem),
    }
}

/// The model of these terms with all that is known of the law.
fn told(model: &Model, law: &Law) -> Model {
    let n_terms = law.terms.len();
    let covariance = law.covariance.as_ref().map(|all| {
        let rows = all[..n_terms].iter();
        rows.map(|row| row[..n_terms].to_vec()).collect()
    });
    let parameter = |value: &parameters::Value| Parameter {
        name: value.name.clone(),
        value: value.value,
        std_error: value.std_error,
    };
    let model = model
        .refined(law.coefficients.clone(), covariance)
        .with_parameters(law.parameters.iter().map(parameter).collect());
    match law.sigma {
        Some(sigma) => model.with_sigma(sigma),
        None => model,
    }
}
