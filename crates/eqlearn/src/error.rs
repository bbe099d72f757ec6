//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library. Each variant carries the facts a program would need and
//! says them in a sentence that a scientist understands. Errors are for what a user can cause;
//! a broken invariant of ours panics with the reason why it should have held.

use std::path::PathBuf;

/// The result of anything that a user's input can make fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An observer asked the work to stop before there was anything to report.
    #[error("stopped before there was a result")]
    Stopped,

    // The search.
    /// A setting names a term that the dictionary does not have.
    #[error("there is no term number {term}: the dictionary has {n_terms}, counted from 0")]
    NoSuchTerm {
        /// The term named.
        term: usize,
        /// How many there are.
        n_terms: usize,
    },
    /// A term is to be treated in two ways at once.
    #[error(
        "term number {term} is named twice: a term is required, excluded or always in, not two of these"
    )]
    TermTwice {
        /// The term named.
        term: usize,
    },
    /// The largest size leaves no room for the terms that are required.
    #[error(
        "at most {max_terms} terms cannot hold the {required} required ones and be at least one"
    )]
    SizeTooSmall {
        /// The largest size asked for.
        max_terms: usize,
        /// How many terms are required.
        required: usize,
    },
    /// A list that keeps nothing was asked for.
    #[error("a search must keep at least one support per size")]
    NothingKept,
    /// A checkpoint belongs to something else.
    #[error("{path} is a checkpoint of {of}; name another file or remove it", path = path.display())]
    ForeignCheckpoint {
        /// The file.
        path: PathBuf,
        /// What it is a checkpoint of.
        of: &'static str,
    },
    /// A checkpoint cannot be read or written.
    #[error("cannot use {path} as a checkpoint: {source}", path = path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
