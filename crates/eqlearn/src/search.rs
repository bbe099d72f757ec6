//! Exhaustive search by branch and bound: the best supports of every size, proven.
//!
//! For each size the subset tree is walked once. On the upper levels, the triangle of a node gives
//! a lower bound on the residual of each of its children (`node`). The last levels are enumerated
//! in nanoseconds per subset (`kernel`). Every support that may belong in the list is scored again
//! from the original triangle (`rescore`). So rounding and pruning never lose a support: the list
//! is the one that a QR of every subset would give.
//!
//! Sizes are searched one after the other, each starting from good supports derived from the size
//! below (`seed`). When a search is stopped, finished sizes are exact and the unfinished one says
//! how much of it was decided.
//!
//! Invariants: lists are ordered by residual, then by support; they do not depend on threads, and
//! the list for a smaller `keep` is the beginning of that for a larger one.

mod decide;
mod error;
pub mod groups;
#[cfg(test)]
mod numbers;
mod split;
mod tree;

use std::cmp::Ordering;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::observe::{Brief, Observer};
use crate::reduce::support::Support;
use crate::reduce::triangle::Triangle;
use decide::shortlist::Shortlist;
use decide::task::{Start, Task};
pub(crate) use split::checkpoint::Checkpoint;

pub use decide::plan::{Plan, SizePlan, plan};
pub use error::{CheckpointOf, SearchError};
pub use split::cluster::{Cluster, Engine, work};
pub use split::error::{PartDifference, PartsError};
pub use split::parts::{Merged, SearchPart, search_shard};
pub use split::share::Shard;

/// What to search.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `max_terms` | 8 | 1.. | largest support visited (no more than there are terms) |
/// | `min_terms` | 1 | 1.. | smallest support visited |
/// | `keep` | 25 | 1.. | supports kept per size |
/// | `required` | none | | terms in every support; they count as terms |
/// | `excluded` | none | | terms in no support |
/// | `centre` | none | | terms always in, not counted; they are projected out first |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// The largest support visited.
    pub max_terms: usize,
    /// The smallest support visited.
    pub min_terms: usize,
    /// How many supports are kept per size.
    pub keep: usize,
    /// Terms that are in every support.
    pub required: Support,
    /// Terms that are in no support.
    pub excluded: Support,
    /// Terms that are always in and not counted: they are projected out of everything, the target
    /// included.
    pub centre: Support,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            max_terms: 8,
            min_terms: 1,
            keep: 25,
            required: Support::empty(),
            excluded: Support::empty(),
            centre: Support::empty(),
        }
    }
}

/// How to run a search. Threads and checkpoints never change the answer. A score may end it early;
/// the answer then says so.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `threads` | 0 | how many; 0 is one per core |
/// | `checkpoint` | none | a file from which an interrupted search resumes |
/// | `score` | none | ends the search once no larger support can win |
/// | `rivals` | 0 | how far behind the best score a support is still wanted |
/// | `go_on` | none | asked before each size whether to search it |
/// | `elsewhere` | none | where sizes are decided instead of in this process |
#[derive(Clone, Default)]
pub struct Run<'a> {
    /// How many threads; 0 is one per core.
    pub threads: usize,
    /// Where to save progress every few seconds, and where to resume from if the file exists.
    pub checkpoint: Option<PathBuf>,
    /// A score of size and residual: larger is better, and it never increases with the residual.
    /// The search ends at the size after which even the residual of all terms together would not
    /// score above the best found.
    pub score: Option<&'a Score<'a>>,
    /// A size that is searched in milliseconds is searched although it cannot win, if it may hold a
    /// support that scores within this of the best found.
    pub rivals: f64,
    /// Asked before each size, with the lists so far and the number of subsets to come; `false`
    /// ends the search.
    pub go_on: Option<&'a GoOn<'a>>,
    /// Where sizes are decided instead of in this process: on a [`Cluster`], or in parts that are
    /// finished ([`Merged`]).
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Decides sizes in place of this process.
pub trait Elsewhere: Sync {
    /// The best supports of one size, proven there; none if it is better decided in this process.
    ///
    /// # Errors
    /// What went wrong there.
    fn decide(&self, task: &SizeTask<'_>, observer: &mut dyn Observer) -> Result<Option<SizeList>>;

    /// How long a size is tried in this process first: one that is finished by then is not sent.
    fn trial(&self) -> Duration {
        Duration::ZERO
    }
}

/// One size that is to be decided.
#[derive(Debug, Clone, Copy)]
pub struct SizeTask<'a> {
    /// What is searched.
    pub triangle: &'a Triangle,
    /// How it is searched.
    pub settings: &'a Search,
    /// Number of terms, required ones included.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    start: &'a Start,
    /// Supports that the trial found.
    known: &'a [Candidate],
}

/// Whether the next size is worth searching, given the lists so far and the number of subsets it
/// has.
pub type GoOn<'a> = dyn Fn(&[SizeList], u128) -> bool + Sync + 'a;

/// A score of a size and a relative residual; larger is better.
pub type Score<'a> = dyn Fn(usize, f64) -> f64 + Sync + 'a;

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("threads", &self.threads)
            .field("checkpoint", &self.checkpoint)
            .field("score", &self.score.map(|_| "a function"))
            .field("rivals", &self.rivals)
            .field("go_on", &self.go_on.map(|_| "a function"))
            .field("elsewhere", &self.elsewhere.map(|_| "others"))
            .finish()
    }
}

/// A support and its residual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The terms, required ones included, the centre not.
    pub support: Support,
    /// The residual sum of squares divided by the sum of squares of the target, with the centre
    /// projected out of both.
    pub one_minus_r2: f64,
}

impl Candidate {
    /// By residual, then by support.
    fn order(&self, other: &Self) -> Ordering {
        self.one_minus_r2
            .total_cmp(&other.one_minus_r2)
            .then_with(|| self.support.cmp(&other.support))
    }
}

/// What was found at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeList {
    /// Number of terms, required ones included.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    /// Whether no other support of this size has a smaller residual than those listed.
    pub exact: bool,
    /// The best supports, best first.
    pub best: Vec<Candidate>,
    /// How the list was proven.
    pub certificate: Certificate,
}

impl SizeList {
    /// Merges the lists of two shares of a size; associative and commutative.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    pub fn merge(self, other: &Self, keep: usize) -> Self {
        assert_eq!(self.size, other.size, "shares of one size");
        let mut list = Shortlist::new(keep);
        list.extend(self.best.iter().chain(&other.best));
        Self {
            size: self.size,
            subsets: self.subsets.saturating_add(other.subsets),
            exact: self.exact && other.exact,
            best: list.into_best(),
            certificate: self.certificate.merge(&other.certificate),
        }
    }

    /// Whether the list is full of zero residuals, so that only the order of supports decides which
    /// belong in it.
    fn is_full_of_zeros(&self, keep: usize) -> bool {
        let worst = self.best.last().filter(|_| self.best.len() == keep);
        worst.is_some_and(|worst| worst.one_minus_r2 <= 0.0)
    }
}

/// How a list was proven: every subset was excluded by a bound or looked at.
///
/// These counts depend on the timing of threads; the lists do not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Certificate {
    /// Subsets excluded because a bound on their residual was above the list's worst.
    pub excluded: u128,
    /// Subsets looked at one by one.
    pub enumerated: u128,
    /// Subsets whose residual was computed by QR from the triangle.
    pub rescored: u64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// The smallest rounding error of a residual's length, relative to the target, that bounds
    /// allowed for.
    pub margin: f64,
}

impl Certificate {
    fn merge(self, other: &Self) -> Self {
        Self {
            excluded: self.excluded.saturating_add(other.excluded),
            enumerated: self.enumerated.saturating_add(other.enumerated),
            rescored: self.rescored + other.rescored,
            nodes: self.nodes + other.nodes,
            margin: self.margin.max(other.margin),
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Found {
    /// One list per size, smallest first.
    pub sizes: Vec<SizeList>,
    /// Present if a score ended the search before the largest size.
    pub ended_early: Option<EndedEarly>,
}

/// Why larger supports were not searched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EndedEarly {
    /// The last size searched.
    pub after: usize,
    /// The reason.
    pub reason: EndReason,
}

/// Why a search ended before its largest size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// No larger support can win.
    Proven {
        /// The relative residual of all terms together: a lower bound for every support.
        floor: f64,
        /// The best score found, which no larger support can exceed.
        best: f64,
    },
    /// The caller did not want the next size. Larger supports may still score higher.
    Declined,
}

/// Finds the best supports of every size.
///
/// A search that the observer stops returns what it has: finished sizes are exact, the unfinished
/// one is marked.
///
/// ```
/// use eqlearn::{Triangle, search::{Run, Search, search}};
///
/// // y = x₀ + x₂ exactly; x₁ is of no use.
/// let columns = [
///     vec![1.0, 0.0, 2.0, 0.5],
///     vec![0.0, 1.0, 1.0, 3.0],
///     vec![1.0, 1.0, -1.0, 0.0],
///     vec![2.0, 1.0, 1.0, 0.5],
/// ];
/// let triangle = Triangle::from_columns(&columns);
/// let settings = Search { max_terms: 2, ..Search::default() };
/// let found = search(&triangle, &settings, &Run::default(), &mut ())?;
/// assert_eq!(found.sizes[1].best[0].support.indices(), [0, 2]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
pub fn search(
    triangle: &Triangle,
    settings: &Search,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Found> {
    let mut checkpoint =
        Checkpoint::open(run.checkpoint.as_deref(), triangle, settings, Shard::WHOLE)?;
    search_from(&mut checkpoint, triangle, settings, run, observer)
}

/// Finds the best supports of every size that the checkpoint does not have yet.
pub(crate) fn search_from(
    checkpoint: &mut Checkpoint,
    triangle: &Triangle,
    settings: &Search,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Found> {
    let task = Task::new(triangle, settings)?;
    let mut found = Found::default();
    let mut was_sent = false;
    for size in task.sizes() {
        found.ended_early = task.end(size, run, &found);
        let worth_it = run
            .go_on
            .is_none_or(|go_on| go_on(&found.sizes, task.subsets(size)));
        if !worth_it && found.ended_early.is_none() {
            let reason = EndReason::Declined;
            found.ended_early = Some(EndedEarly {
                after: size - 1,
                reason,
            });
        }
        if found.ended_early.is_some() {
            break;
        }
        let list = if let Some(list) = checkpoint.finished(size) {
            list
        } else {
            let start = task.start(size, found.sizes.last());
            match run.elsewhere {
                Some(others) => {
                    let trial = if was_sent {
                        Duration::ZERO
                    } else {
                        others.trial()
                    };
                    let list = decide_elsewhere(&task, &start, (others, trial), run, observer)?;
                    // The sizes after one that took too long here take longer still.
                    was_sent |= list.1;
                    list.0
                }
                None => task.decide(&start, run, checkpoint, observer)?,
            }
        };
        let exact = list.exact;
        if exact {
            checkpoint.finish(&list)?;
        }
        found.sizes.push(list);
        if !exact {
            break;
        }
    }
    Ok(found)
}

/// Has a size decided elsewhere, unless a short trial in this process finishes it; also says
/// whether it was sent.
fn decide_elsewhere(
    task: &Task<'_>,
    start: &Start,
    (others, trial): (&dyn Elsewhere, Duration),
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<(SizeList, bool)> {
    let size = start.size;
    let here =
        |observer: &mut dyn Observer| task.decide(start, run, &mut Checkpoint::none(), observer);
    let mut known = Vec::new();
    if !trial.is_zero() {
        let mut brief = Brief::new(trial, observer);
        let tried = here(&mut brief)?;
        if tried.exact || !brief.is_over() {
            return Ok((tried, false));
        }
        known = tried.best;
    }
    let asked = SizeTask {
        triangle: task.triangle(),
        settings: task.settings(),
        size,
        subsets: task.subsets(size),
        start,
        known: &known,
    };
    match others.decide(&asked, observer)? {
        Some(list) => Ok((task.settle(list, observer), true)),
        None => Ok((here(observer)?, false)),
    }
}
