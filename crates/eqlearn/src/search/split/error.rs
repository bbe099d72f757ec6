//! What can go wrong when a search is split among processes.

use super::share::Shard;
use crate::error::{JsonProblem, counted};

/// Why parts of a search cannot be merged, or a worker cannot take its task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// There is nothing to put together.
    #[error("there are no parts to merge")]
    NoParts,
    /// A part belongs to another search.
    #[error("{name} does not belong to the other parts: it is {difference}")]
    Foreign {
        /// Which one.
        name: String,
        /// How it differs.
        difference: PartDifference,
    },
    /// Two parts are of the same share.
    #[error("{name} and {other} are both {}; give each part once", share.words())]
    Twice {
        /// One of them.
        name: String,
        /// The other.
        other: String,
        /// The share that they both are.
        share: Shard,
    },
    /// Some shares are not there.
    #[error(
        "{} missing: {}",
        if missing.len() == 1 { "a part is" } else { "parts are" },
        listed(missing)
    )]
    Missing {
        /// Those that are not there, such as 3/16.
        missing: Vec<Shard>,
    },
    /// The first part does not hold the triangle, which the result needs.
    #[error("{name} is part 1 and should hold the triangle, but does not; run its command again")]
    NoBasis {
        /// The file.
        name: String,
    },
    /// The parts end before the search does.
    #[error(
        "the parts do not hold supports of {}: \
         they were stopped before, or are of another search",
        counted(*size, "term")
    )]
    NotIncluded {
        /// The size that is asked for.
        size: usize,
    },
    /// A method has more than one search, each depending on the one before.
    #[error(
        "{method} cannot be split into parts: each of its searches depends on the one before; \
         best and best-subset can"
    )]
    NotSplittable {
        /// The method.
        method: String,
    },
    /// A file is no part.
    #[error("{name} is no part of a search: {problem}")]
    NotAPart {
        /// The file.
        name: String,
        /// What is wrong with it.
        #[source]
        problem: JsonProblem,
    },
    /// A worker runs another version.
    #[error(
        "a worker has eqlearn {theirs}, this process has {ours}: \
         install the same version everywhere"
    )]
    OtherVersion {
        /// That of the worker.
        theirs: String,
        /// That of the task.
        ours: String,
    },
    /// A worker rounds differently.
    #[error(
        "a worker's processor computes with {theirs} loops, this one with {ours}: \
         all workers must have the same kind of processor"
    )]
    OtherArithmetic {
        /// That of the worker.
        theirs: String,
        /// That of the task.
        ours: String,
    },
    /// A task was damaged on its way to a worker.
    #[error("a task cannot be read: it was cut off, or is something else")]
    TaskGarbled,
    /// The result of a task was damaged on its way back.
    #[error("the result of a task cannot be read: {source}")]
    ResultGarbled {
        /// What its reader met.
        source: serde_json::Error,
    },
    /// The engine gave up.
    #[error("the workers failed: {reason}")]
    EngineFailed {
        /// How many tasks it was given.
        n_tasks: usize,
        /// What it said.
        reason: String,
    },
    /// The engine reports that all is done, but results are missing.
    #[error("the workers failed: {missing} of {n_tasks} results did not come back")]
    ResultsLost {
        /// How many are not there.
        missing: usize,
        /// How many tasks it was given.
        n_tasks: usize,
    },
}

/// How a part differs from the others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartDifference {
    /// It was made with other settings.
    #[error("of other settings")]
    Settings,
    /// It was made from other data, or with other settings.
    #[error("of other data or other settings")]
    DataOrSettings,
    /// It was made on a processor that rounds differently.
    #[error("from another kind of processor ({theirs}, not {ours}), which rounds differently")]
    Arithmetic {
        /// The loops that made it.
        theirs: String,
        /// Those that made the others.
        ours: String,
    },
    /// It is from a search with another number of shares.
    #[error("{}, not one of {of} parts", share.words())]
    NumberOfParts {
        /// Which share it is.
        share: Shard,
        /// How many parts the others say there are.
        of: usize,
    },
}

/// A few of them by name, the rest by number.
fn listed(missing: &[Shard]) -> String {
    let few = &missing[..missing.len().min(8)];
    let names: Vec<String> = few.iter().map(Shard::to_string).collect();
    match missing.len() - few.len() {
        0 => names.join(", "),
        rest => format!("{} and {rest} more", names.join(", ")),
    }
}
