//! The work of a search, estimated beforehand.
//!
//! Counting is exact. The time is extrapolated from a short trial run at its average rate. Pruning
//! improves as lists improve, so the estimate is usually too long, seldom too short.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::triangle::Triangle;
use crate::search::decide::task::Task;
use crate::search::{Run, Search, search};

/// The estimated work of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// One entry per size, smallest first.
    pub sizes: Vec<SizePlan>,
}

/// The estimated work of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SizePlan {
    /// Number of terms.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    /// About how many seconds it takes to decide them.
    pub seconds: f64,
}

impl Plan {
    /// About how many seconds all sizes take together.
    pub fn seconds(&self) -> f64 {
        self.sizes.iter().map(|size| size.seconds).sum()
    }

    /// The largest size that is likely to be finished within this time, if any.
    pub fn within(&self, limit: Duration) -> Option<usize> {
        let mut left = limit.as_secs_f64();
        let mut reached = None;
        for size in &self.sizes {
            left -= size.seconds;
            if left < 0.0 {
                break;
            }
            reached = Some(size.size);
        }
        reached
    }
}

/// Plans a search after a trial run of about this time (a tenth of a second is enough).
///
/// Only this and the trial of a [`Cluster`](crate::search::Cluster) read the clock; no answer
/// depends on it.
pub fn plan(
    triangle: &Triangle,
    settings: &Search,
    run: &Run<'_>,
    trial: Duration,
) -> Result<Plan> {
    let task = Task::new(triangle, settings)?;
    let mut watch = Watch {
        since: Instant::now(),
        trial,
        sizes: Vec::new(),
    };
    let run = Run {
        checkpoint: None,
        score: None,
        ..run.clone()
    };
    search(triangle, settings, &run, &mut watch)?;
    let mut rate = 0.0;
    let sizes = task
        .sizes()
        .map(|size| {
            let subsets = task.subsets(size);
            let seen = watch.sizes.iter().find(|seen| seen.0 == size);
            let seconds = match seen {
                Some(&(_, decided, seconds)) if decided > 0 => {
                    rate = seconds / decided as f64;
                    seconds * (subsets as f64 / decided as f64)
                }
                _ => rate * subsets as f64,
            };
            SizePlan {
                size,
                subsets,
                seconds,
            }
        })
        .collect();
    Ok(Plan { sizes })
}

/// Notes how far each size came, and stops when the trial is over.
struct Watch {
    since: Instant,
    trial: Duration,
    /// Size, subsets decided, seconds.
    sizes: Vec<(usize, u128, f64)>,
}

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let elapsed = self.since.elapsed();
        if let Stage::Subsets { size } = progress.stage {
            let others = self.sizes.iter().filter(|seen| seen.0 != size);
            let before: f64 = others.map(|seen| seen.2).sum();
            self.sizes.retain(|seen| seen.0 != size);
            let seconds = elapsed.as_secs_f64() - before;
            self.sizes.push((size, progress.done, seconds));
        }
        if elapsed < self.trial {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Subsets in a job at most, so that a job takes seconds at most.
const MOST_PER_JOB: u128 = 4_000_000_000;

/// How many terms are fixed in a job: two, if there are enough, and more where jobs would be long.
pub(crate) fn job_depth(binomials: &Binomials, n_free: usize, left: usize) -> usize {
    let most = left.saturating_sub(3);
    let mut depth = most.min(2);
    while depth < most && binomials.choose(n_free - depth, left - depth) > MOST_PER_JOB {
        depth += 1;
    }
    depth
}

/// Binomial coefficients, computed once; they saturate at the largest integer.
#[derive(Debug, Clone)]
pub(crate) struct Binomials {
    columns: usize,
    table: Vec<u128>,
}

impl Binomials {
    /// All `C(n, k)` up to these.
    pub(crate) fn new(n: usize, k: usize) -> Self {
        let columns = k + 1;
        let mut table = vec![0_u128; (n + 1) * columns];
        for i in 0..=n {
            table[i * columns] = 1;
            for j in 1..=k.min(i) {
                let above = (i - 1) * columns + j;
                table[i * columns + j] = table[above - 1].saturating_add(table[above]);
            }
        }
        Self { columns, table }
    }

    /// How many ways there are to choose `k` of `n`.
    pub(crate) fn choose(&self, n: usize, k: usize) -> u128 {
        self.table[n * self.columns + k]
    }
}
