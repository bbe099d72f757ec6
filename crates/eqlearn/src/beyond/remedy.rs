//! What would lower the residuals of an imitation, where richer vocabularies were not to be used.
//!
//! Each term of the vocabularies of powers and functions is added to the law by turns, and the best
//! ones with a second. This is a hint, not a search: it takes a few thousand products of columns
//! and says what was tried, on the rows at hand.

use super::judge::{evaluated, linearised};
use super::rows::Rows;
use super::screen::usable;
use crate::judge::criterion::log_binomial;
use crate::judge::misfit::{ROUNDING, Remedy};
use crate::learn::Study;
use crate::numeric::complement::Complement;
use crate::numeric::vector::{add, dot};
use crate::terms::limits::Limits;
use crate::terms::powers::Powers;
use crate::terms::term::Term;
use crate::terms::vocabulary::{Ingredients, functions, powers};

/// The most terms of each vocabulary.
const MOST_TERMS: usize = 800;

/// The terms that are tried with a second one.
const WITH_SECOND: usize = 30;

/// A column of which less than this share is left without the law's terms adds nothing to them.
const DEPENDENT: f64 = 1e-6;

/// The sum of squares must fall by this factor, and by as much again for a second term.
const CLEARLY: f64 = 2.0;

/// Of terms that leave nearly as little as the best one, up to this factor, the simplest is named.
const AS_GOOD: f64 = 1.5;

/// And the log of the odds for each term, counting all that were tried, must be above this.
const LIKELY: f64 = 3.0;

/// Tries to lower what a law leaves; none if it is not a plain sum of terms.
pub(super) fn remedy(rows: &Rows<'_>, study: &Study, limits: &Limits) -> Option<Remedy> {
    let model = study.model()?;
    if model.left_side().transform().is_some() || model.denominator().is_some() {
        return None;
    }
    let (residuals, tangents, size) = linearised(rows, &model);
    let allowed = |term: &Term| limits.admits(term, model.left_side());
    let terms = candidates(rows, model.terms(), (limits.powers, &allowed));
    let found = Trial::new(rows, &residuals, &tangents, &terms).best();
    // Notation: n rows, k terms added of p; `before` and `after` are sums of squares.
    let (n, p) = (rows.len() as f64, terms.len() as f64);
    let before = left_by(&tangents, &residuals)?;
    let gain = |chosen: &Vec<usize>| {
        let added: Vec<Term> = chosen.iter().map(|&k| terms[k].clone()).collect();
        let columns = evaluated(rows, &added).into_iter();
        let weighted = columns.map(|column| times(&column, &rows.precision));
        let all: Vec<Vec<f64>> = tangents.iter().cloned().chain(weighted).collect();
        let after = left_by(&all, &residuals)?.max(ROUNDING * rows.total());
        Some((added, before / after))
    };
    let clear = |(added, factor): &(Vec<Term>, f64)| {
        let k = added.len() as f64;
        let spare = n - size as f64 - k;
        let odds = 0.5 * spare * factor.ln() - 0.5 * k * n.ln() - log_binomial(p, k);
        *factor > CLEARLY && odds > LIKELY * k
    };
    let mut tried = found.iter().filter_map(gain).filter(clear);
    let Some(first) = tried.next() else {
        return Some(Remedy::default());
    };
    // A second term has to be worth it.
    let (added, factor) = match tried.next() {
        Some(second) if second.1 > CLEARLY * first.1 => second,
        _ => first,
    };
    Some(Remedy {
        terms: added.iter().map(ToString::to_string).collect(),
        factor,
    })
}

/// The terms to try: finite on all rows, and not in the law.
fn candidates(
    rows: &Rows<'_>,
    known: &[Term],
    (allowed_powers, wanted): (Option<Powers>, &dyn Fn(&Term) -> bool),
) -> Vec<Term> {
    let of = Ingredients {
        variables: &rows.variables(),
        powers: allowed_powers,
        wanted,
        most: MOST_TERMS,
    };
    let mut terms = powers(&of);
    for term in functions(&of) {
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms.retain(|term| !known.contains(term));
    usable(rows, &terms)
}

fn times(column: &[f64], factors: &[f64]) -> Vec<f64> {
    column.iter().zip(factors).map(|(x, f)| x * f).collect()
}

/// The sum of squares that a fit of some columns leaves; none if it is not finite.
fn left_by(columns: &[Vec<f64>], target: &[f64]) -> Option<f64> {
    let left = Complement::new(columns, target.len()).project(target.to_vec());
    Some(dot(&left, &left)).filter(|sum| sum.is_finite())
}

/// Candidates and residuals on some rows, both without the law's terms.
struct Trial {
    /// Unit vectors; none for candidates that the law's terms hold already.
    columns: Vec<Option<Vec<f64>>>,
    residuals: Vec<f64>,
}

impl Trial {
    fn new(rows: &Rows<'_>, residuals: &[f64], tangents: &[Vec<f64>], terms: &[Term]) -> Self {
        let some = rows.some();
        let pick = |x: &[f64]| -> Vec<f64> { some.iter().map(|&row| x[row]).collect() };
        let tangents: Vec<Vec<f64>> = tangents.iter().map(|t| pick(t)).collect();
        let space = Complement::new(&tangents, some.len());
        let features = rows.columns();
        let mut values = vec![0.0; rows.len()];
        let mut column = |term: &Term| {
            term.evaluate(&features, &mut values);
            let whole = pick(&times(&values, &rows.precision));
            let length = dot(&whole, &whole).sqrt();
            unit(space.project(whole), length)
        };
        Self {
            columns: terms.iter().map(&mut column).collect(),
            residuals: space.project(pick(residuals)),
        }
    }

    /// The best single term, and the best two of which one is among the best alone.
    fn best(&self) -> Vec<Vec<usize>> {
        let mut alone: Vec<(f64, usize)> = Vec::new();
        for (k, column) in self.columns.iter().enumerate() {
            let along = column.as_ref().map(|c| dot(c, &self.residuals).powi(2));
            alone.extend(along.map(|gain| (gain, k)));
        }
        alone.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, Vec<usize>)> = None;
        for &(gain, first) in alone.iter().take(WITH_SECOND) {
            let Some(axis) = &self.columns[first] else {
                continue;
            };
            let mut left = self.residuals.clone();
            add(&mut left, -dot(axis, &self.residuals), axis);
            for (k, column) in self.columns.iter().enumerate() {
                let Some(column) = column else { continue };
                let shared = dot(axis, column);
                let own = 1.0 - shared * shared;
                if own < DEPENDENT {
                    continue;
                }
                let both = gain + dot(column, &left).powi(2) / own;
                if best.as_ref().is_none_or(|(most, _)| both > *most) {
                    best = Some((both, vec![first, k]));
                }
            }
        }
        let whole = dot(&self.residuals, &self.residuals);
        let least = alone.first().map_or(whole, |(gain, _)| whole - gain);
        let as_good = alone
            .iter()
            .filter(|(gain, _)| whole - gain <= AS_GOOD * least);
        // Vocabularies list simple terms first.
        let single = as_good.map(|&(_, k)| k).min().map(|k| vec![k]);
        single.into_iter().chain(best.map(|(_, two)| two)).collect()
    }
}

/// A column as a unit vector; none if nearly all of its former length is gone.
fn unit(mut column: Vec<f64>, before: f64) -> Option<Vec<f64>> {
    let length = dot(&column, &column).sqrt();
    if !length.is_finite() || length <= DEPENDENT * before {
        return None;
    }
    for x in &mut column {
        *x /= length;
    }
    Some(column)
}
