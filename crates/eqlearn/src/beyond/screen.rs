//! Which of many terms are worth an exact search on all rows.
//!
//! The best small supports are searched for on some rows, exactly; their terms go on. A list of
//! terms is evaluated once for all functions of the target, because these differ in a factor and
//! in the weights of rows only.

use super::attempt::Plan;
use super::rows::Rows;
use super::target::{LARGEST_VALUE, Target};
use crate::error::Result;
use crate::judge::criterion::log_binomial;
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::{Candidate, Run, Search, search};
use crate::terms::term::Term;

/// Lists up to this size are searched as they are.
const SMALL: usize = 60;
/// The largest number of subsets that a screening looks at.
const SCREENING: f64 = 2e8;
/// The largest support of a screening.
const SCREENED_TERMS: usize = 5;

/// Terms with their values on the rows of a screening.
#[derive(Debug)]
pub(super) struct List {
    pub(super) terms: Vec<Term>,
    columns: Vec<Vec<f64>>,
    /// How many terms of the vocabulary are no more complicated than each of them, before a
    /// screening if there was one: vocabularies list simple terms first.
    ranks: Vec<usize>,
    /// How many terms there were to choose from, before a screening if there was one.
    pub(super) n_candidates: usize,
}

impl List {
    /// Those of the terms that have values on these rows.
    pub(super) fn new(rows: &Rows<'_>, terms: Vec<Term>) -> Self {
        let ranks = 1..=terms.len();
        Self::ranked(rows, terms.into_iter().zip(ranks))
    }

    fn ranked(rows: &Rows<'_>, terms: impl Iterator<Item = (Term, usize)>) -> Self {
        let some = rows.some();
        let features: Vec<Vec<f64>> = rows.features.iter().map(|x| pick(x, &some)).collect();
        let features: Vec<&[f64]> = features.iter().map(Vec::as_slice).collect();
        let mut list = Self {
            terms: Vec::new(),
            columns: Vec::new(),
            ranks: Vec::new(),
            n_candidates: 0,
        };
        for (term, rank) in terms {
            let mut values = vec![0.0; some.len()];
            term.evaluate(&features, &mut values);
            if is_usable(&values) {
                list.terms.push(term);
                list.columns.push(values);
                list.ranks.push(rank);
            }
        }
        list.n_candidates = list.terms.len();
        list
    }

    /// The terms at these places, chosen from all.
    pub(super) fn select(&self, places: &[usize]) -> Self {
        Self {
            terms: places
                .iter()
                .map(|&place| self.terms[place].clone())
                .collect(),
            columns: places
                .iter()
                .map(|&place| self.columns[place].clone())
                .collect(),
            ranks: places.iter().map(|&place| self.ranks[place]).collect(),
            n_candidates: self.n_candidates,
        }
    }

    /// The first terms, as a list of its own.
    pub(super) fn simplest(&self, most: usize) -> Self {
        let places: Vec<usize> = (0..self.terms.len().min(most)).collect();
        let n_candidates = places.len();
        Self {
            n_candidates,
            ..self.select(&places)
        }
    }

    /// The same terms on other rows.
    pub(super) fn on(&self, rows: &Rows<'_>) -> Self {
        Self {
            n_candidates: self.n_candidates,
            ..Self::ranked(
                rows,
                self.terms.iter().cloned().zip(self.ranks.iter().copied()),
            )
        }
    }

    /// How many terms of the vocabulary are no more complicated than one; all if it is unknown.
    pub(super) fn rank(&self, is_meant: impl Fn(&Term) -> bool) -> usize {
        let place = self.terms.iter().position(is_meant);
        place.map_or(self.n_candidates, |place| self.ranks[place])
    }
}

fn pick(values: &[f64], places: &[usize]) -> Vec<f64> {
    places.iter().map(|&row| values[row]).collect()
}

/// The places of the terms of a plan that an exact search on all rows is for.
pub(super) fn screened(
    rows: &Rows<'_>,
    target: &Target,
    plan: &Plan,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<usize>> {
    let list = &plan.list;
    let chosen = if list.terms.len() <= SMALL {
        (0..list.terms.len()).collect()
    } else {
        best_terms(rows, target, plan, run, observer)?
    };
    let features = rows.columns();
    let mut values = vec![0.0; rows.len()];
    let mut has_values = |&&place: &&usize| {
        let term = plan.factor.times(&list.terms[place]);
        term.evaluate(&features, &mut values);
        is_usable(&values)
    };
    let usable = chosen.indices().iter().filter(|place| has_values(place));
    Ok(usable.copied().collect())
}

/// The terms of the best small supports, by exact search on some rows.
fn best_terms(
    rows: &Rows<'_>,
    target: &Target,
    plan: &Plan,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Support> {
    let some = rows.some();
    let mut factor = vec![0.0; rows.len()];
    plan.factor.evaluate(&rows.columns(), &mut factor);
    let weight = |row: usize| factor[row] * target.precision[row];
    let weights: Vec<f64> = some.iter().map(|&row| weight(row)).collect();
    let weighted = |values: &Vec<f64>| -> Vec<f64> {
        let both = values.iter().zip(&weights);
        both.map(|(value, weight)| value * weight).collect()
    };
    let mut columns: Vec<Vec<f64>> = plan.list.columns.iter().map(weighted).collect();
    let value = |&row: &usize| target.values[row] * target.precision[row];
    columns.push(some.iter().map(value).collect());
    if columns.iter().flatten().any(|value| !value.is_finite()) {
        return Ok(Support::empty());
    }
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let triangle = Reduction::from_columns_in_double(&slices).triangle();
    let space = Search {
        max_terms: affordable(slices.len() - 1),
        ..Search::default()
    };
    let run = Run {
        threads: run.threads,
        ..Run::default()
    };
    let found = search(&triangle, &space, &run, observer)?;
    let lists: Vec<&[Candidate]> = found.sizes.iter().map(|s| s.best.as_slice()).collect();
    Ok(in_turns(&lists, SMALL))
}

/// The largest size whose subsets a screening can look at.
fn affordable(n_terms: usize) -> usize {
    let n = n_terms as f64;
    let fits = |size: &usize| log_binomial(n, *size as f64) <= SCREENING.ln();
    (1..=SCREENED_TERMS).filter(fits).max().unwrap_or(1)
}

/// The terms of the first supports of each list, then of the second and so on, at most `most`.
fn in_turns(lists: &[&[Candidate]], most: usize) -> Support {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut chosen = Support::empty();
    for rank in 0..longest {
        for list in lists.iter().rev() {
            if let Some(candidate) = list.get(rank) {
                let more = chosen.union(&candidate.support);
                if more.len() <= most {
                    chosen = more;
                }
            }
        }
    }
    chosen
}

/// The terms that have values on all rows.
pub(super) fn usable(rows: &Rows<'_>, terms: &[Term]) -> Vec<Term> {
    let features = rows.columns();
    let mut values = vec![0.0; rows.len()];
    let mut has_values = |term: &&Term| {
        term.evaluate(&features, &mut values);
        is_usable(&values)
    };
    terms
        .iter()
        .filter(|term| has_values(term))
        .cloned()
        .collect()
}

/// Whether values are numbers whose squares are numbers too, and not all zero.
fn is_usable(values: &[f64]) -> bool {
    let finite = values.iter().all(|v| v.abs() < LARGEST_VALUE);
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    finite && largest > LARGEST_VALUE.recip()
}
