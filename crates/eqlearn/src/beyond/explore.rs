//! Vocabularies in turns, richer ones only while the law is still outside.

use super::attempt::{Attempt, Plan, attempt};
use super::factor::Factor;
use super::quotient::quotient;
use super::rows::Rows;
use super::{Beyond, best};
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::{Vocabulary, functions, logarithms, plain_functions, powers};

/// The most terms of a vocabulary for the target itself, and for its logarithm.
const MOST_TERMS: usize = 2000;
/// The most terms for other functions of the target.
const FEWER_TERMS: usize = 700;

/// Tries one tier after the other, and adds what it finds to the attempts.
pub(super) fn explore(
    rows: &Rows<'_>,
    attempts: &mut Vec<Attempt>,
    beyond: &Beyond,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<()> {
    let base = attempts[0].study.clone();
    let factor = Factor::of(rows);
    let mut factors = vec![factor.clone()];
    if factor.is_some() {
        factors.push(Factor::none(rows));
    }
    let tiers: [(Vocabulary, &Tier); 4] = [
        (Vocabulary::Powers, &power_plans),
        (Vocabulary::Functions, &plain_function_plans),
        (Vocabulary::Functions, &function_plans),
        (Vocabulary::Fractions, &fraction_plans),
    ];
    let richest = beyond.vocabulary.unwrap_or(Vocabulary::Fractions);
    for (vocabulary, plans) in tiers.into_iter().filter(|(tier, _)| *tier <= richest) {
        let without_factor = plans(rows, &Factor::none(rows));
        for factor in &factors {
            for (transform, terms) in plans(rows, factor) {
                let same = without_factor
                    .iter()
                    .filter(|(other, _)| *other == transform);
                let n_choices = same.map(|(_, terms)| terms.len()).max();
                let progress = Progress {
                    stage: Stage::Vocabularies,
                    done: attempts.len() as u128,
                    total: 0,
                };
                if observer.progress(&progress).is_break() {
                    return Ok(());
                }
                let plan = Plan {
                    vocabulary,
                    transform,
                    terms,
                    n_choices: n_choices.filter(|_| factor.is_some()).unwrap_or(0),
                    settings: base.settings(),
                    problem: base.problem(),
                };
                let outcome = match vocabulary {
                    Vocabulary::Fractions => quotient(rows, factor, &plan, observer),
                    _ => attempt(rows, &plan, run, observer),
                };
                match outcome {
                    // What was found until then is an answer.
                    Err(Error::Stopped) => return Ok(()),
                    outcome => attempts.extend(outcome?),
                }
                if attempts[best(attempts)].is_plain() {
                    return Ok(());
                }
            }
            if attempts[best(attempts)].is_short() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The functions of the target that a tier tries, each with its terms.
type Tier = dyn Fn(&Rows<'_>, &Factor<'_>) -> Vec<(Option<Transform>, Vec<Term>)>;

/// Products of powers: for the target, and for functions of it.
fn power_plans(rows: &Rows<'_>, factor: &Factor<'_>) -> Vec<(Option<Transform>, Vec<Term>)> {
    let products = powers(&factor.others, MOST_TERMS);
    let times_factor = |power: f64, most: usize| -> Vec<Term> {
        let common = factor.term(power);
        let simplest = products.iter().take(most);
        simplest.map(|term| common.times(term)).collect()
    };
    let mut plans = vec![(None, times_factor(1.0, MOST_TERMS))];
    for transform in Transform::ALL {
        let terms = if let Some(power) = transform.power() {
            times_factor(power, FEWER_TERMS)
        } else {
            let all = rows.variables();
            let logs = logarithms(&all);
            logs.into_iter().chain(products.iter().cloned()).collect()
        };
        plans.push((Some(transform), terms));
        if !factor.is_some() {
            plans.push((Some(transform), quadratics(rows)));
        }
    }
    plans
}

/// Monomials of degree two: for distances and the like, with many terms.
fn quadratics(rows: &Rows<'_>) -> Vec<Term> {
    Dictionary::monomials(rows.names, 2, 2, true)
        .map_or(Vec::new(), |dictionary| dictionary.terms().to_vec())
}

/// Sines and logarithms of single features times products of powers.
fn plain_function_plans(_: &Rows<'_>, factor: &Factor<'_>) -> Vec<(Option<Transform>, Vec<Term>)> {
    let terms = plain_functions(&factor.others, MOST_TERMS);
    let common = factor.term(1.0);
    vec![(None, terms.iter().map(|term| common.times(term)).collect())]
}

/// Functions of one or two features times products of powers.
fn function_plans(_: &Rows<'_>, factor: &Factor<'_>) -> Vec<(Option<Transform>, Vec<Term>)> {
    let terms = functions(&factor.others, FEWER_TERMS);
    let times_factor = |power: f64| -> Vec<Term> {
        let common = factor.term(power);
        terms.iter().map(|term| common.times(term)).collect()
    };
    let targets = [None, Some(Transform::Reciprocal), Some(Transform::Square)];
    let power = |transform: Option<Transform>| transform.and_then(Transform::power);
    targets
        .map(|transform| (transform, times_factor(power(transform).unwrap_or(1.0))))
        .to_vec()
}

/// The degree of the sums of a fraction, by the number of features, so that there are some twenty
/// monomials.
const DEGREES: [u32; 4] = [4, 3, 3, 2];

/// Monomials above and below the line, for the target and for its square.
fn fraction_plans(rows: &Rows<'_>, factor: &Factor<'_>) -> Vec<(Option<Transform>, Vec<Term>)> {
    let n_features = factor.others.len();
    if n_features == 0 {
        return Vec::new();
    }
    let degree = DEGREES.get(n_features - 1).copied().unwrap_or(2);
    let names = factor.others.iter().map(|variable| variable.name);
    let Ok(monomials) = Dictionary::monomials(names, degree, degree, true) else {
        return Vec::new();
    };
    // The same terms over all features.
    let texts = monomials.terms().iter().map(ToString::to_string);
    let terms = texts.filter_map(|text| Term::parse(&text, rows.names).ok());
    let terms: Vec<Term> = terms.collect();
    [None, Some(Transform::Square)]
        .map(|transform| (transform, terms.clone()))
        .to_vec()
}
