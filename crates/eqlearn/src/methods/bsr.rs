//! Bayesian stepwise regression: the paper's bi-directional search by model evidence.
//!
//! From the empty model, add the term that raises the evidence most until none does; then remove
//! terms likewise; alternate until neither helps. There is nothing to tune. Every move raises the
//! evidence, so no model is visited twice, and the walk ends.

use super::declare::Declaration;
use super::{How, Proposal, Propose, Task};
use crate::error::Result;
use crate::judge::criterion::{Criterion, EvidencePrior, Judged};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Fit, Reduction};
use crate::search::Search;

/// Bayesian stepwise regression. It has no settings: a limit on the size costs it recovery
/// (DESIGN.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bsr;

static METHOD: Declaration = Declaration {
    name: "bsr",
    summary: "The paper's bi-directional stepwise regression, by model evidence",
    centres: true,
    ..Declaration::PLAIN
};

impl Propose for Bsr {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn propose(&self, task: &Task<'_>, _observer: &mut dyn Observer) -> Result<Proposal> {
        let reduction = task.data.whole;
        let unlimited = Search {
            max_terms: reduction.n_obs(),
            ..task.space.clone()
        };
        let walk = bayes_stepwise(reduction, &unlimited, task.evidence);
        let path = walk.path.iter();
        Ok(Proposal {
            supports: path.map(|(support, _)| support.clone()).collect(),
            choice: Some(walk.answer().clone()),
            how: How::Walk(walk),
        })
    }

    fn criterion(&self, _asked: Criterion, prior: EvidencePrior) -> Criterion {
        Criterion::Evidence(prior)
    }
}

/// Why a stepwise walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepwiseEnd {
    /// No single addition or removal helps any more.
    Converged,
    /// The size limit kept it from adding a term that would help.
    SizeLimit,
}

/// The walk of a stepwise search.
#[derive(Debug, Clone)]
pub struct Stepwise {
    /// Every model on the way with its score, from the empty one to the answer.
    pub path: Vec<(Support, f64)>,
    /// Why it ended.
    pub end: StepwiseEnd,
}

impl Stepwise {
    /// The model at the end of the walk.
    pub fn answer(&self) -> &Support {
        &self
            .path
            .last()
            .expect("the walk starts with the empty model")
            .0
    }
}

/// Walks from the smallest model of the space to one whose evidence no single move can raise.
///
/// Required terms are never removed, excluded ones never added; at most `max_terms` are in, not
/// counting the centre.
pub fn bayes_stepwise(reduction: &Reduction, space: &Search, prior: EvidencePrior) -> Stepwise {
    let fixed = [&space.centre, &space.required, &space.excluded];
    let candidates: Support = (0..reduction.n_terms())
        .filter(|&term| !fixed.iter().any(|terms| terms.contains(term)))
        .collect();
    let scorer = Scorer {
        reduction,
        baseline: reduction.fit(&space.centre),
        n_candidates: candidates.len() + space.required.len(),
        prior,
    };
    let start = space.centre.union(&space.required);
    let score = if space.required.is_empty() {
        0.0
    } else {
        scorer.score(&start)
    };
    let mut path = vec![(start, score)];
    let mut end = StepwiseEnd::Converged;
    loop {
        let length = path.len();
        while let Some(next) = scorer.better(&path, &candidates, Direction::Forward) {
            if next.0.len() - space.centre.len() > space.max_terms {
                end = StepwiseEnd::SizeLimit;
                break;
            }
            path.push(next);
        }
        while let Some(next) = scorer.better(&path, &candidates, Direction::Backward) {
            end = StepwiseEnd::Converged;
            path.push(next);
        }
        if path.len() == length || end == StepwiseEnd::SizeLimit {
            return Stepwise { path, end };
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

struct Scorer<'a> {
    reduction: &'a Reduction,
    baseline: Fit,
    n_candidates: usize,
    prior: EvidencePrior,
}

impl Scorer<'_> {
    /// The best model one move away, if it is better than the last of the path.
    fn better(
        &self,
        path: &[(Support, f64)],
        candidates: &Support,
        direction: Direction,
    ) -> Option<(Support, f64)> {
        let (current, score) = path.last().expect("the walk starts with the empty model");
        let neighbours = candidates
            .indices()
            .iter()
            .filter_map(|&term| match direction {
                Direction::Forward => (!current.contains(term)).then(|| current.with(term)),
                Direction::Backward => current.contains(term).then(|| current.without(term)),
            });
        let scored = neighbours.map(|support| {
            let score = self.score(&support);
            (support, score)
        });
        // The first of equals, so that ties are broken in favour of the earlier term.
        let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        (best.1 > *score).then_some(best)
    }

    fn score(&self, support: &Support) -> f64 {
        let fit = self.reduction.fit(support);
        let judged = Judged {
            fit: &fit,
            baseline: &self.baseline,
            n_candidates: self.n_candidates,
        };
        Criterion::Evidence(self.prior).score(&judged)
    }
}
