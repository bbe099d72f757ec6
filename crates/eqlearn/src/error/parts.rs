//! What can go wrong when a search is split among processes.

/// Why parts of a search do not make a whole, or a worker cannot take its task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsProblem {
    /// There is nothing to put together.
    #[error("there are no parts to merge")]
    None,
    /// A part belongs to another search.
    #[error("{name} does not belong to the other parts: it is {why}")]
    Foreign {
        /// Which one.
        name: String,
        /// What tells it apart.
        why: String,
    },
    /// Two parts are of the same share.
    #[error("{name} and {other} are both {share}; give each part once")]
    Twice {
        /// One of them.
        name: String,
        /// The other.
        other: String,
        /// The share that they both are, in words.
        share: String,
    },
    /// Some shares are not there.
    #[error("{} missing: {}", if missing.len() == 1 { "a part is" } else { "parts are" }, listed(missing))]
    Missing {
        /// Those that are not there, such as 3/16.
        missing: Vec<String>,
    },
    /// What is needed to conclude is not in the part that should have it.
    #[error("{name} is part 1 and should hold the triangle, but does not; run its command again")]
    NoBasis {
        /// The file.
        name: String,
    },
    /// The parts end before the search does.
    #[error(
        "the parts do not hold supports of {size} terms: they were stopped before, or are of another search"
    )]
    NotIncluded {
        /// The size that is asked for.
        size: usize,
    },
    /// A method has more than one search, each depending on the one before.
    #[error(
        "{method} cannot be split into parts: each of its searches depends on the one before; best and best-subset can"
    )]
    NotSplittable {
        /// The method.
        method: String,
    },
    /// A file is no part.
    #[error("{name} is no part of a search: {why}")]
    NotAPart {
        /// The file.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A worker runs another version.
    #[error(
        "a worker has eqlearn {theirs}, this process has {ours}: install the same version everywhere"
    )]
    OtherVersion {
        /// That of the worker.
        theirs: String,
        /// That of the task.
        ours: String,
    },
    /// A worker rounds differently.
    #[error(
        "a worker's processor computes with {theirs} loops, this one's with {ours}: shares fit together on one kind of processor only"
    )]
    OtherArithmetic {
        /// That of the worker.
        theirs: String,
        /// That of the task.
        ours: String,
    },
    /// A task or its result was damaged on the way.
    #[error("a task cannot be read: {why}")]
    Garbled {
        /// What is wrong with it.
        why: String,
    },
    /// The engine gave up.
    #[error("the workers failed: {why}")]
    Engine {
        /// What it said.
        why: String,
    },
}

/// A few of them by name, the rest by number.
fn listed(missing: &[String]) -> String {
    let few = &missing[..missing.len().min(8)];
    match missing.len() - few.len() {
        0 => few.join(", "),
        rest => format!("{} and {rest} more", few.join(", ")),
    }
}
