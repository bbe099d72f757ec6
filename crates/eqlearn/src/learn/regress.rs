//! A regression method on the terms that are in play, and its answer in terms of the whole dictionary.

use super::{Method, Settings};
use crate::error::Result;
use crate::methods::{Pick, Proposal, Regression, Task};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Data, Fit, Reduction};
use crate::search::Run;

/// Coefficients that agree with least squares to this share of the largest are least squares.
///
/// Both are solved from the same triangle; what is left is rounding, some thousand ulp where terms are collinear.
const SAME: f64 = 1e-10;

/// A method's own coefficients, where they are not those of least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// One coefficient per term of the answer's support, in the units of the data.
    pub coefficients: Vec<f64>,
    /// The length of the residual vector that they leave.
    pub residual_norm: f64,
}

impl Own {
    /// The pick's coefficients, unless they are those of the fit.
    pub(super) fn unless_least_squares(
        pick: &Pick,
        fit: &Fit,
        reduction: &Reduction,
    ) -> Option<Self> {
        let largest = fit
            .coefficients()
            .iter()
            .fold(0.0_f64, |a, c| a.max(c.abs()));
        let pairs = pick.coefficients.iter().zip(fit.coefficients());
        if pairs.fold(0.0_f64, |a, (x, y)| a.max((x - y).abs())) <= SAME * largest {
            return None;
        }
        let mut dense = vec![0.0; reduction.n_terms()];
        for (&term, &coefficient) in pick.support.indices().iter().zip(&pick.coefficients) {
            dense[term] = coefficient;
        }
        Some(Self {
            coefficients: pick.coefficients.clone(),
            residual_norm: reduction.residual_norm_of(&dense),
        })
    }
}

/// What a method proposes without the terms that are excluded, with those always in that are required.
pub(super) fn regress(
    method: &dyn Regression,
    data: Data<'_>,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Proposal> {
    let in_play = InPlay::new(data.whole.n_terms(), settings);
    let rows = |rows: &Reduction| in_play.rows(rows);
    // An ensemble draws small blocks of rows; all others leave out one fold at a time.
    let parts: Vec<Reduction> = match settings.method {
        Method::Ensemble(_) => data.blocks.iter().flatten().map(rows).collect(),
        _ if !settings.tune => Vec::new(),
        _ => data.folds.iter().map(rows).collect(),
    };
    let task = Task {
        reduction: &in_play.rows(data.whole),
        folds: &parts,
        always_in: &in_play.always_in,
        threads: run.threads,
    };
    Ok(in_play.back(method.propose(&task, observer)?))
}

/// The terms that a method may use, by their places among all terms.
pub(super) struct InPlay {
    n_terms: usize,
    kept: Support,
    /// Those in every equation, by their places among the kept.
    pub(super) always_in: Support,
}

impl InPlay {
    pub(super) fn new(n_terms: usize, settings: &Settings) -> Self {
        let space = &settings.space;
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

    /// The same proposal by places among all terms.
    pub(super) fn back(&self, proposal: Proposal) -> Proposal {
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
        Proposal {
            supports: proposal.supports.iter().map(back).collect(),
            pick: proposal.pick.map(|pick| Pick {
                support: back(&pick.support),
                ..pick
            }),
            inclusion: proposal.inclusion.map(spread),
            ..proposal
        }
    }
}
