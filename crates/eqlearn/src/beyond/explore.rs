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
use crate::terms::left_side::LeftSide;
use crate::terms::limits::Limits;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::{
    Ingredients, Vocabulary, functions, logarithms, plain_functions, powers,
};

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
    let no_factor = Factor::none(rows);
    let mut factors = vec![&factor];
    if factor.is_some() {
        factors.push(&no_factor);
    }
    let scope = Scope {
        rows,
        factor: &no_factor,
        limits: &beyond.limits,
        left: base.problem().left_side(),
    };
    let tiers: [(Vocabulary, &Tier); 4] = [
        (Vocabulary::Powers, &power_plans),
        (Vocabulary::Functions, &plain_function_plans),
        (Vocabulary::Functions, &function_plans),
        (Vocabulary::Fractions, &fraction_plans),
    ];
    let richest = beyond.vocabulary.unwrap_or(Vocabulary::Fractions);
    for (vocabulary, plans) in tiers.into_iter().filter(|(tier, _)| *tier <= richest) {
        let without_factor = plans(&scope);
        for &factor in &factors {
            for (transform, terms) in plans(&Scope { factor, ..scope }) {
                if terms.is_empty() {
                    continue;
                }
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
                    limits: &beyond.limits,
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
type Tier = dyn Fn(&Scope<'_>) -> Plans;
type Plans = Vec<(Option<Transform>, Vec<Term>)>;

/// What terms are made for.
#[derive(Clone, Copy)]
struct Scope<'a> {
    rows: &'a Rows<'a>,
    factor: &'a Factor<'a>,
    limits: &'a Limits,
    left: &'a LeftSide,
}

impl Scope<'_> {
    /// The left side of a law for a function of the target.
    fn left(&self, transform: Option<Transform>) -> LeftSide {
        let of = self.left.to_string();
        transform.map_or(self.left.clone(), |transform| LeftSide::Function {
            of,
            transform,
        })
    }

    /// Terms of the features beside the factor, times the factor's power for this function of the
    /// target, as far as limits allow them: the first `most` of a vocabulary of at most `all`.
    fn times_factor(
        &self,
        transform: Option<Transform>,
        vocabulary: impl Fn(&Ingredients<'_>) -> Vec<Term>,
        (most, all): (usize, usize),
    ) -> Vec<Term> {
        let power = transform.map_or(1.0, |t| t.power().unwrap_or(0.0));
        let (common, left) = (self.factor.term(power), self.left(transform));
        let of = Ingredients {
            variables: &self.factor.others,
            powers: self.limits.powers,
            wanted: &|term| self.limits.admits(&common.times(term), &left),
            most: all,
        };
        let simplest = vocabulary(&of).into_iter().take(most);
        simplest.map(|term| common.times(&term)).collect()
    }

    /// Those of these terms that limits allow.
    fn admitted(&self, transform: Option<Transform>, mut terms: Vec<Term>) -> Vec<Term> {
        let left = self.left(transform);
        terms.retain(|term| self.limits.admits(term, &left));
        terms
    }
}

/// Products of powers: for the target, and for functions of it.
fn power_plans(scope: &Scope<'_>) -> Plans {
    let all = (MOST_TERMS, MOST_TERMS);
    let mut plans = vec![(None, scope.times_factor(None, powers, all))];
    for transform in Transform::ALL.map(Some) {
        let is_log = transform == Some(Transform::Log);
        let products = if is_log {
            let logs = scope.admitted(transform, logarithms(&scope.rows.variables()));
            let products = scope.times_factor(transform, powers, all);
            logs.into_iter().chain(products).collect()
        } else {
            scope.times_factor(transform, powers, (FEWER_TERMS, MOST_TERMS))
        };
        plans.push((transform, products));
        if !scope.factor.is_some() {
            plans.push((transform, scope.admitted(transform, quadratics(scope.rows))));
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
fn plain_function_plans(scope: &Scope<'_>) -> Plans {
    let all = (MOST_TERMS, MOST_TERMS);
    vec![(None, scope.times_factor(None, plain_functions, all))]
}

/// Functions of one or two features times products of powers.
fn function_plans(scope: &Scope<'_>) -> Plans {
    let targets = [None, Some(Transform::Reciprocal), Some(Transform::Square)];
    let all = (FEWER_TERMS, FEWER_TERMS);
    targets
        .map(|transform| (transform, scope.times_factor(transform, functions, all)))
        .to_vec()
}

/// The degree of the sums of a fraction, by the number of features, so that there are some twenty
/// monomials.
const DEGREES: [u32; 4] = [4, 3, 3, 2];

/// Monomials above and below the line, for the target and for its square.
fn fraction_plans(scope: &Scope<'_>) -> Plans {
    let others = &scope.factor.others;
    if others.is_empty() {
        return Vec::new();
    }
    let degree = DEGREES.get(others.len() - 1).copied().unwrap_or(2);
    let names = others.iter().map(|variable| variable.name);
    let Ok(monomials) = Dictionary::monomials(names, degree, degree, true) else {
        return Vec::new();
    };
    // The same terms over all features.
    let texts = monomials.terms().iter().map(ToString::to_string);
    let terms = texts.filter_map(|text| Term::parse(&text, scope.rows.names).ok());
    let allowed = |term: &Term| scope.limits.has_powers_of(term);
    let terms: Vec<Term> = terms.filter(allowed).collect();
    [None, Some(Transform::Square)]
        .map(|transform| (transform, terms.clone()))
        .to_vec()
}
