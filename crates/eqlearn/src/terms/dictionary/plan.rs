//! How to evaluate all terms of a dictionary together.
//!
//! A monomial is one multiplication away from another: x1^2*x3 is x1*x3 times x1. The plan finds
//! for each monomial of the dictionary two known factors (features, other terms, or, where the
//! dictionary has gaps, helpers made for the purpose) and orders the work so that they come first.
//! All other terms run their own program. The plan is made once; running it allocates a few chunks
//! of scratch per batch.

use std::collections::BTreeMap;

use super::NotFinite;
use crate::terms::term::Term;
use crate::terms::term::evaluate::{CHUNK, Program, Scalar, load};

/// The steps that fill every column, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    steps: Vec<Step>,
    n_helpers: usize,
    stack_len: usize,
}

#[derive(Debug, Clone)]
struct Step {
    target: Place,
    work: Work,
}

#[derive(Debug, Clone)]
enum Work {
    One,
    Copy(Place),
    Multiply(Place, Place),
    Run(Program),
}

/// Where a column of values is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Feature(usize),
    Term(usize),
    Helper(usize),
}

/// The powers of the features in a monomial, by place, ascending and without zeros.
type Powers = Vec<(usize, u32)>;

impl Plan {
    pub(super) fn new(terms: &[Term]) -> Self {
        let mut plan = Self::default();
        let mut monomials: Vec<(u32, usize, Powers)> = Vec::new();
        for (i, term) in terms.iter().enumerate() {
            if let Some(powers) = term.powers() {
                monomials.push((degree(&powers), i, powers));
                continue;
            }
            let program = Program::new(term.node());
            plan.stack_len = plan.stack_len.max(program.stack_len());
            plan.steps.push(Step {
                target: Place::Term(i),
                work: Work::Run(program),
            });
        }
        monomials.sort_unstable();
        let mut known = BTreeMap::new();
        for (_, i, powers) in monomials {
            plan.place_monomial(powers, Some(i), &mut known);
        }
        plan
    }

    /// Evaluates every term; `out` is column-major.
    pub(super) fn run<S: Scalar>(
        &self,
        features: &[&[f64]],
        n_obs: usize,
        out: &mut [S],
    ) -> Result<(), NotFinite> {
        let zero = S::from_f64(0.0);
        let mut stack = vec![zero; self.stack_len];
        let mut helpers = vec![zero; self.n_helpers * CHUNK];
        let mut target = [zero; CHUNK];
        for first in (0..n_obs).step_by(CHUNK) {
            let len = CHUNK.min(n_obs - first);
            let target = &mut target[..len];
            let mut bad: Option<NotFinite> = None;
            for step in &self.steps {
                let source = |place| match place {
                    Place::Feature(column) => Source::Feature(&features[column][first..][..len]),
                    Place::Term(i) => Source::Computed(&out[i * n_obs + first..][..len]),
                    Place::Helper(i) => Source::Computed(&helpers[i * CHUNK..][..len]),
                };
                match &step.work {
                    Work::One => target.fill(S::from_f64(1.0)),
                    Work::Copy(a) => copy(&source(*a), target),
                    Work::Multiply(a, b) => multiply(&source(*a), &source(*b), target),
                    Work::Run(program) => program.run(features, first, &mut stack, target),
                }
                match step.target {
                    Place::Helper(i) => helpers[i * CHUNK..][..len].copy_from_slice(target),
                    Place::Feature(_) => unreachable!("features are given, never computed"),
                    Place::Term(i) => {
                        out[i * n_obs + first..][..len].copy_from_slice(target);
                        if let Some(row) = first_not_finite(target) {
                            let place = NotFinite {
                                row: first + row,
                                term: i,
                            };
                            bad = Some(bad.map_or(place, |bad| bad.min(place)));
                        }
                    }
                }
            }
            if let Some(place) = bad {
                return Err(place);
            }
        }
        Ok(())
    }

    /// Adds the steps that compute a monomial, as a term or as a helper, and says where it will be.
    fn place_monomial(
        &mut self,
        powers: Powers,
        term: Option<usize>,
        known: &mut BTreeMap<Powers, Place>,
    ) -> Place {
        if term.is_none()
            && let [(column, 1)] = powers[..]
        {
            return Place::Feature(column);
        }
        if term.is_none()
            && let Some(&place) = known.get(&powers)
        {
            return place;
        }
        let work = match powers[..] {
            [] => Work::One,
            [(column, 1)] => Work::Copy(Place::Feature(column)),
            _ => {
                let (a, b) = split(&powers, known);
                let a = self.place_monomial(a, None, known);
                let b = self.place_monomial(b, None, known);
                Work::Multiply(a, b)
            }
        };
        let target = term.map_or(Place::Helper(self.n_helpers), Place::Term);
        self.n_helpers += usize::from(term.is_none());
        self.steps.push(Step { target, work });
        known.insert(powers, target);
        target
    }
}

/// Two monomials whose product is the given one, of degree two or more.
fn split(powers: &Powers, known: &BTreeMap<Powers, Place>) -> (Powers, Powers) {
    let without = |i: usize| {
        let mut rest = powers.clone();
        rest[i].1 -= 1;
        rest.retain(|(_, power)| *power > 0);
        rest
    };
    for (i, &(column, _)) in powers.iter().enumerate() {
        let rest = without(i);
        if known.contains_key(&rest) || degree(&rest) == 1 {
            return (rest, vec![(column, 1)]);
        }
    }
    match powers.split_last() {
        Some((&(column, power), [])) => {
            (vec![(column, power - power / 2)], vec![(column, power / 2)])
        }
        Some((&last, rest)) => (rest.to_vec(), vec![last]),
        None => unreachable!("the constant is not a product"),
    }
}

fn degree(powers: &Powers) -> u32 {
    powers
        .iter()
        .fold(0, |sum, (_, power)| sum.saturating_add(*power))
}

enum Source<'a, S> {
    Feature(&'a [f64]),
    Computed(&'a [S]),
}

fn copy<S: Scalar>(source: &Source<'_, S>, target: &mut [S]) {
    match source {
        Source::Feature(values) => load(values, target),
        Source::Computed(values) => target.copy_from_slice(values),
    }
}

fn multiply<S: Scalar>(a: &Source<'_, S>, b: &Source<'_, S>, target: &mut [S]) {
    match (a, b) {
        (Source::Computed(a), Source::Computed(b)) => {
            for ((target, a), b) in target.iter_mut().zip(*a).zip(*b) {
                *target = *a * *b;
            }
        }
        (Source::Computed(a), Source::Feature(b)) | (Source::Feature(b), Source::Computed(a)) => {
            for ((target, a), b) in target.iter_mut().zip(*a).zip(*b) {
                *target = *a * S::from_f64(*b);
            }
        }
        (Source::Feature(a), Source::Feature(b)) => {
            for ((target, a), b) in target.iter_mut().zip(*a).zip(*b) {
                *target = S::from_f64(*a) * S::from_f64(*b);
            }
        }
    }
}

/// A pass without branches first, because almost every column is finite.
fn first_not_finite<S: Scalar>(values: &[S]) -> Option<usize> {
    if values
        .iter()
        .fold(true, |all, value| all & value.is_finite())
    {
        return None;
    }
    values.iter().position(|value| !value.is_finite())
}
