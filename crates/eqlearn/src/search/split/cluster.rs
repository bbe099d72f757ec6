//! A search on many machines: sizes are split into shares, which an engine of the user's choice
//! (such as Dask) runs.
//!
//! There are two rounds: the tasks of the second know the best supports of the first and so can
//! prune more. What all tasks of a round share (triangle, settings, where the size starts) is
//! large, and is sent once if the engine can do that. A task itself is small (which share, the best
//! supports known); its result is a list, and merging lists is exact. A task that ran twice because
//! a worker died is merged once; a missing result is an error.

use std::ops::ControlFlow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::triangle::Triangle;
use crate::search::PartsError;
use crate::search::decide::task::{Part, Start, Task};
use crate::search::split::checkpoint::Checkpoint;
use crate::search::tree::kernel;
use crate::search::{Candidate, Elsewhere, Run, Search, Shard, SizeList, SizeTask};

/// Fewer subsets than this are decided in this process: it takes no longer than sending them.
pub(crate) const WORTH_SENDING: u128 = 100_000_000;

/// Subsets per task, about: tenths of a second where nothing is pruned.
const PER_TASK: u128 = 200_000_000;

/// Tasks per worker and size that balance well; more only where they would be long.
const TASKS_PER_WORKER: usize = 64;

/// Tasks that a scheduler can hand out in seconds: with more workers, there are fewer tasks per
/// worker.
const QUICKLY_SENT: usize = 2048;

/// Subsets per task at most: a long task cannot be interrupted, and is lost if its worker dies.
const LONG_TASK: u128 = 20_000_000_000;

/// Tasks per size at most.
const MOST_TASKS: usize = 100_000;

/// A size that takes no longer than this here is not worth sending.
const TRIAL: Duration = Duration::from_millis(500);

/// Tasks of the first round per worker: what they find lets the second round prune more.
const SCOUTS_PER_WORKER: usize = 8;

/// Runs tasks on the workers that it has.
pub trait Engine: Sync {
    /// About how many tasks run at the same time.
    fn workers(&self) -> usize;

    /// Runs [`work`] once for each task with what all of them share, anywhere and in any order, and
    /// passes each result with the index of its task to `done` as soon as it is there. If `done`
    /// breaks, the remaining tasks are cancelled.
    ///
    /// # Errors
    /// The engine's own, if it cannot finish all tasks.
    fn run(
        &self,
        shared: &[u8],
        tasks: &[Vec<u8>],
        done: &mut dyn FnMut(usize, &[u8]) -> ControlFlow<()>,
    ) -> std::result::Result<(), String>;
}

/// Decides large sizes by an engine.
pub struct Cluster<'a> {
    engine: &'a dyn Engine,
    trial: Duration,
}

impl<'a> Cluster<'a> {
    /// A cluster that this engine runs.
    pub fn new(engine: &'a dyn Engine) -> Self {
        let trial = TRIAL;
        Self { engine, trial }
    }

    /// The same with another time for which a size is tried here first.
    #[must_use]
    pub fn with_trial(self, trial: Duration) -> Self {
        Self { trial, ..self }
    }
}

impl std::fmt::Debug for Cluster<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cluster of {} workers", self.engine.workers())
    }
}

impl Elsewhere for Cluster<'_> {
    fn decide(&self, task: &SizeTask<'_>, observer: &mut dyn Observer) -> Result<Option<SizeList>> {
        if task.subsets <= WORTH_SENDING {
            return Ok(None);
        }
        let workers = self.engine.workers().clamp(1, MOST_TASKS);
        let n_tasks = n_tasks(task.subsets, workers);
        let mut gathering = Gathering::new(task, observer);
        let shared = Shared::encode(task);
        let shards: Vec<Shard> = Shard::all(n_tasks).collect();
        // At the end of a round workers wait for the slowest. So there are only two rounds, and no
        // first round where the second would not be longer.
        let scouts = match workers * SCOUTS_PER_WORKER {
            few if 2 * few <= n_tasks => few,
            _ => 0,
        };
        let (scouts, others) = shards.split_at(scouts);
        for round in [scouts, others]
            .into_iter()
            .filter(|round| !round.is_empty())
        {
            let known = &gathering.list.best;
            let task = |&shard: &Shard| Own::encode(shard, known);
            let tasks: Vec<Vec<u8>> = round.iter().map(task).collect();
            let mut missing = vec![true; tasks.len()];
            let ran = self.engine.run(&shared, &tasks, &mut |place, result| {
                // A result that comes twice counts once.
                match missing.get_mut(place).map(std::mem::take) {
                    Some(true) => gathering.take(result),
                    _ => ControlFlow::Continue(()),
                }
            });
            gathering.trouble.take().map_or(Ok(()), Err)?;
            if gathering.stopped {
                break;
            }
            let n_tasks = tasks.len();
            ran.map_err(|reason| PartsError::EngineFailed { n_tasks, reason })?;
            let missing = missing.iter().filter(|missing| **missing).count();
            if missing > 0 {
                return Err(PartsError::ResultsLost { missing, n_tasks }.into());
            }
        }
        Ok(Some(gathering.finish()))
    }

    fn trial(&self) -> Duration {
        self.trial
    }
}

/// Into how many tasks a size is split.
fn n_tasks(subsets: u128, workers: usize) -> usize {
    let of_length = |length: u128| usize::try_from(subsets.div_ceil(length)).unwrap_or(usize::MAX);
    let balanced = (workers * TASKS_PER_WORKER).min(QUICKLY_SENT);
    let most = balanced
        .max(of_length(LONG_TASK))
        .clamp(workers, MOST_TASKS);
    of_length(PER_TASK).clamp(workers, most)
}

/// Results as they come in.
struct Gathering<'a> {
    list: SizeList,
    subsets: u128,
    keep: usize,
    observer: &'a mut dyn Observer,
    stopped: bool,
    trouble: Option<Error>,
}

impl<'a> Gathering<'a> {
    fn new(task: &SizeTask<'_>, observer: &'a mut dyn Observer) -> Self {
        let mut list = SizeList::nothing(task.size);
        list.best.clone_from(&task.start.best);
        list.best.extend_from_slice(task.known);
        Self {
            list,
            subsets: task.subsets,
            keep: task.settings.keep,
            observer,
            stopped: false,
            trouble: None,
        }
    }

    fn take(&mut self, result: &[u8]) -> ControlFlow<()> {
        match serde_json::from_slice::<SizeList>(result) {
            Ok(share) => self.list = self.list.clone().merge(&share, self.keep),
            Err(source) => {
                self.trouble = Some(PartsError::ResultGarbled { source }.into());
                return ControlFlow::Break(());
            }
        }
        let progress = Progress {
            stage: Stage::Subsets {
                size: self.list.size,
            },
            done: self.list.subsets,
            total: self.subsets,
        };
        self.stopped = self.observer.progress(&progress).is_break();
        if self.stopped {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn finish(self) -> SizeList {
        SizeList {
            exact: self.list.exact && self.list.subsets == self.subsets,
            subsets: self.subsets,
            ..self.list
        }
    }
}

/// What all tasks of a size share: this, and the bits of the triangle.
#[derive(Debug, Serialize, Deserialize)]
struct Shared {
    version: String,
    arithmetic: String,
    n_rows: usize,
    n_cols: usize,
    settings: Search,
    start: Start,
}

impl Shared {
    /// Its length, itself, and the triangle.
    fn encode(task: &SizeTask<'_>) -> Vec<u8> {
        let shared = Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            arithmetic: kernel::arithmetic().to_string(),
            n_rows: task.triangle.n_rows(),
            n_cols: task.triangle.n_terms() + 1,
            settings: task.settings.clone(),
            start: task.start.clone(),
        };
        let text = serde_json::to_vec(&shared).expect("it is plain data");
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend(text);
        bytes.extend(task.triangle.upper().flat_map(f64::to_le_bytes));
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<(Self, Triangle)> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (text, entries) = rest.split_at_checked(length)?;
        let shared: Self = serde_json::from_slice(text).ok()?;
        let (entries, rest) = entries.as_chunks::<8>();
        let upper = entries.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let triangle = Triangle::from_upper(shared.n_rows, shared.n_cols, upper)?;
        rest.is_empty().then_some((shared, triangle))
    }

    /// Refuses a task of another version or for another kind of processor.
    fn check(&self) -> Result<()> {
        let (theirs, ours) = (env!("CARGO_PKG_VERSION"), &self.version);
        if theirs != ours {
            let (theirs, ours) = (theirs.to_string(), ours.clone());
            return Err(PartsError::OtherVersion { theirs, ours }.into());
        }
        let (theirs, ours) = (kernel::arithmetic(), &self.arithmetic);
        if theirs != ours {
            let (theirs, ours) = (theirs.to_string(), ours.clone());
            return Err(PartsError::OtherArithmetic { theirs, ours }.into());
        }
        Ok(())
    }
}

/// What a task has of its own.
#[derive(Debug, Serialize, Deserialize)]
struct Own {
    shard: Shard,
    known: Vec<Candidate>,
}

impl Own {
    fn encode(shard: Shard, known: &[Candidate]) -> Vec<u8> {
        let known = known.to_vec();
        serde_json::to_vec(&Self { shard, known }).expect("it is plain data")
    }
}

/// What a worker does: decides one share of one size and returns its list, for [`Engine::run`] to
/// pass on.
///
/// # Errors
/// A task of another version, from another kind of processor, or damaged; [`Error::Stopped`] if the
/// observer says so.
pub fn work(
    shared: &[u8],
    task: &[u8],
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Vec<u8>> {
    let (shared, triangle) = Shared::decode(shared).ok_or(PartsError::TaskGarbled)?;
    shared.check()?;
    let own: Own = serde_json::from_slice(task).map_err(|_| PartsError::TaskGarbled)?;
    let part = Part {
        shard: own.shard,
        known: &own.known,
    };
    let run = Run {
        threads,
        ..Run::default()
    };
    let size = Task::new(&triangle, &shared.settings)?;
    let nowhere = &mut Checkpoint::none();
    let list = size.decide_share(&shared.start, &part, &run, nowhere, observer)?;
    if !list.exact {
        return Err(Error::Stopped);
    }
    Ok(serde_json::to_vec(&list).expect("a list is plain data"))
}
