//! Exact lists of the best supports of every size; a criterion chooses among them.
//!
//! `best` ends where no larger size can win or, where sizes are quick, hold a rival; `best-subset`
//! never ends early.

use super::declare::Declaration;
use super::{How, Proposal, Propose, Task};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::search::{Found, Run, SearchPart, Shard, SizeList, search, search_shard};

/// Exact lists of all sizes that can win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Best;

/// Exact lists of every size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BestSubset;

static BEST: Declaration = Declaration {
    name: "best",
    summary: "Exact lists of all sizes that can win, chosen by the criterion that recovers most",
    resumes: true,
    ..Declaration::PLAIN
};

static BEST_SUBSET: Declaration = Declaration {
    name: "best-subset",
    summary: "Exact lists of every size up to the largest, never ended early",
    resumes: true,
    ..Declaration::PLAIN
};

/// Rivals share the probability: equations at most this many nats behind the best, ln 1000.
const RIVALS: f64 = 6.9;

/// When a search by [`Best`] goes on to the next size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Always, if that has no more subsets than this.
    pub cheap: u128,
    /// Otherwise only if the last size scored above all smaller ones and its residual is less than
    /// that of the size before by this share.
    pub least_drop: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            // Hundredths of a second.
            cheap: 20_000_000,
            least_drop: 0.0,
        }
    }
}

impl Propose for Best {
    fn declaration(&self) -> &'static Declaration {
        &BEST
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        let triangle = task.data.whole.triangle();
        let found = while_it_pays(task, |run| search(&triangle, task.space, run, observer))?;
        Ok(Proposal::of_lists(found))
    }

    fn decide_shard(
        &self,
        task: &Task<'_>,
        shard: Shard,
        known: &[(String, SearchPart)],
        observer: &mut dyn Observer,
    ) -> Result<SearchPart> {
        let triangle = task.data.whole.triangle();
        while_it_pays(task, |run| {
            search_shard(&triangle, task.space, shard, known, run, observer)
        })
    }
}

impl Propose for BestSubset {
    fn declaration(&self) -> &'static Declaration {
        &BEST_SUBSET
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        let triangle = task.data.whole.triangle();
        search(&triangle, task.space, task.run, observer).map(Proposal::of_lists)
    }

    fn decide_shard(
        &self,
        task: &Task<'_>,
        shard: Shard,
        known: &[(String, SearchPart)],
        observer: &mut dyn Observer,
    ) -> Result<SearchPart> {
        let triangle = task.data.whole.triangle();
        search_shard(&triangle, task.space, shard, known, task.run, observer)
    }
}

impl Proposal {
    /// All listed supports compete.
    fn of_lists(found: Found) -> Self {
        Self {
            supports: listed(&found, usize::MAX),
            choice: None,
            how: How::Lists(found),
        }
    }
}

/// The first few supports of each size.
pub(super) fn listed(found: &Found, most: usize) -> Vec<Support> {
    let lists = found.sizes.iter();
    let best = lists.flat_map(|size| size.best.iter().take(most));
    best.map(|candidate| candidate.support.clone()).collect()
}

/// Searches until no larger support can score above the best found; the residual of all terms
/// together is the lower bound for all of them. Until this is proven, a costly size is searched
/// only if the task's [`Patience`] allows it; otherwise the lists end there and say so.
fn while_it_pays<T>(task: &Task<'_>, search: impl FnOnce(&Run<'_>) -> T) -> T {
    let (sample, yardstick, patience) = (task.sample(), task.yardstick, task.patience);
    let bound = |size: usize, share: f64| {
        let prior = yardstick.size_prior.log_prior(&sample, size);
        let score = yardstick.criterion.score_of_residual(&sample, size, share);
        score.map(|score| score + prior)
    };
    let score = |size: usize, share: f64| bound(size, share).unwrap_or(f64::INFINITY);
    let go_on = |sizes: &[SizeList], subsets: u128| {
        let best = |list: &SizeList| {
            let first = list.best.first();
            first.and_then(|c| bound(list.size, c.one_minus_r2))
        };
        let scores: Option<Vec<f64>> = sizes.iter().map(best).collect();
        match scores.as_deref() {
            Some([before @ .., last]) if subsets > patience.cheap => {
                // The empty equation scores 0.
                let rises = before.iter().chain([&0.0]).all(|score| score < last);
                rises && residual_drop(sizes) >= patience.least_drop
            }
            _ => true,
        }
    };
    // The evidence depends on more than the residual, so a lower bound on the residual does not
    // bound it.
    let bounded = bound(1, 0.5).is_some();
    let run = Run {
        score: bounded.then_some(&score as _),
        rivals: RIVALS,
        go_on: Some(&go_on),
        ..task.run.clone()
    };
    search(&run)
}

/// The relative decrease of the best residual from the size before to the last one.
fn residual_drop(sizes: &[SizeList]) -> f64 {
    let residual = |list: Option<&SizeList>| Some(list?.best.first()?.one_minus_r2);
    let mut lists = sizes.iter().rev();
    let (last, before) = (residual(lists.next()), residual(lists.next()));
    1.0 - last.unwrap_or(0.0) / before.unwrap_or(1.0)
}
