//! What a method works on.

use super::{Consistency, MethodsError, Patience, Pick, Regressed};
use crate::error::Result;
use crate::judge::criterion::{EvidencePrior, Sample};
use crate::judge::ranking::Yardstick;
use crate::reduce::support::Support;
use crate::reduce::{Data, Reduction};
use crate::search::{Run, Search};
use crate::terms::problem::Problem;

/// What a method is asked: the rows, the supports to choose from, and how models are compared.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The target and the terms.
    pub problem: &'a Problem,
    /// All rows, and the same rows in folds where a knob is to be chosen by cross-validation.
    pub data: Data<'a>,
    /// The supports to choose from.
    pub space: &'a Search,
    /// How models are compared.
    pub yardstick: Yardstick,
    /// The prior of the paper's evidence.
    pub evidence: EvidencePrior,
    /// How votes are counted.
    pub consistency: &'a Consistency,
    /// When a search goes on to a costly size.
    pub patience: Patience,
    /// How searches are run.
    pub run: &'a Run<'a>,
}

impl Task<'_> {
    /// The numbers that criteria need.
    pub(super) fn sample(&self) -> Sample {
        Sample {
            n_obs: self.data.whole.n_obs(),
            always_in: self.space.centre.len(),
            n_candidates: self.yardstick.n_candidates,
        }
    }
}

/// What a regression method works on: rows with only the terms that it may use.
#[derive(Debug, Clone, Copy)]
pub struct InPlay<'a> {
    /// All rows.
    pub reduction: &'a Reduction,
    /// The same rows in parts, to choose a method's knob by cross-validation. Empty: the settings
    /// choose.
    pub folds: &'a [Reduction],
    /// The terms that are in every equation, such as a forced constant.
    pub always_in: &'a Support,
    /// How many threads a search may use; 0 is one per core. Never changes the answer.
    pub threads: usize,
}

impl InPlay<'_> {
    /// The terms that may be chosen, ascending.
    pub fn free_terms(&self) -> Vec<usize> {
        (0..self.reduction.n_terms())
            .filter(|&term| !self.always_in.contains(term))
            .collect()
    }

    /// One coefficient per term from one per free term, those of the terms always in by least
    /// squares on `rows`.
    pub(super) fn dense(&self, rows: &Reduction, coefficients: &[f64]) -> Vec<f64> {
        let mut dense = vec![0.0; rows.n_terms()];
        for (term, coefficient) in self.free_terms().into_iter().zip(coefficients) {
            dense[term] = *coefficient;
        }
        let completed = rows.complete(self.always_in, &dense);
        for (&term, coefficient) in self.always_in.indices().iter().zip(completed) {
            dense[term] = coefficient;
        }
        dense
    }

    /// The support of one coefficient per free term.
    pub(super) fn support(&self, coefficients: &[f64]) -> Support {
        let free = self.free_terms().into_iter().zip(coefficients);
        free.filter(|(_, coefficient)| coefficient.abs() > 0.0)
            .map(|(term, _)| term)
            .chain(self.always_in.indices().iter().copied())
            .collect()
    }

    /// The method's own answer from one coefficient per free term.
    pub(super) fn pick(&self, method: &'static str, coefficients: &[f64]) -> Result<Pick> {
        let dense = self.dense(self.reduction, coefficients);
        if dense.iter().any(|coefficient| !coefficient.is_finite()) {
            return Err(MethodsError::NotConverged { method }.into());
        }
        let support = self.support(coefficients);
        let coefficients = support.indices().iter().map(|&term| dense[term]).collect();
        Ok(Pick {
            support,
            coefficients,
        })
    }
}

/// The terms that a regression method may use, by their places among all terms.
///
/// Excluded terms are left out, and required ones are always in.
pub(super) struct Places {
    n_terms: usize,
    kept: Support,
    /// The terms in every equation, by their places among the kept.
    pub(super) always_in: Support,
}

impl Places {
    pub(super) fn new(n_terms: usize, space: &Search) -> Self {
        let kept: Support = (0..n_terms)
            .filter(|&term| !space.excluded.contains(term))
            .collect();
        let place = |term: &usize| kept.indices().binary_search(term).ok();
        let always_in = space.centre.union(&space.required);
        let always_in = always_in.indices().iter().filter_map(place).collect();
        Self {
            n_terms,
            kept,
            always_in,
        }
    }

    /// The rows with only these terms.
    pub(super) fn rows(&self, rows: &Reduction) -> Reduction {
        if self.kept.len() == self.n_terms {
            rows.clone()
        } else {
            rows.select(&self.kept)
        }
    }

    /// What was found, by places among all terms.
    pub(super) fn back(&self, regressed: Regressed) -> Regressed {
        let back = |support: &Support| -> Support {
            let terms = support.indices().iter();
            terms.map(|&term| self.kept.indices()[term]).collect()
        };
        let spread = |inclusion: Vec<f64>| {
            let mut all = vec![0.0; self.n_terms];
            for (&term, share) in self.kept.indices().iter().zip(inclusion) {
                all[term] = share;
            }
            all
        };
        Regressed {
            supports: regressed.supports.iter().map(back).collect(),
            pick: Pick {
                support: back(&regressed.pick.support),
                ..regressed.pick
            },
            inclusion: regressed.inclusion.map(spread),
            ..regressed
        }
    }
}
