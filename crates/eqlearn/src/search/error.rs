//! What can go wrong with a search.

use std::path::PathBuf;

/// What can be wrong with the settings or the checkpoint of a search.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
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
        "term number {term} is named twice: \
         a term is required, excluded or always in, not two of these"
    )]
    TermTwice {
        /// The term named.
        term: usize,
    },
    /// Equations without terms were asked for.
    #[error("an equation of at most 0 terms is asked for; allow at least 1 term")]
    NoTermAllowed,
    /// Fewer terms are allowed than are required.
    #[error(
        "an equation may have at most {max_terms} {}, and {required} are required; \
         allow more terms or require fewer",
        if *max_terms == 1 { "term" } else { "terms" }
    )]
    MoreRequiredThanAllowed {
        /// The largest size asked for.
        max_terms: usize,
        /// How many terms are required.
        required: usize,
    },
    /// A list that keeps nothing was asked for.
    #[error("a search must keep at least one support per size")]
    NothingKept,
    /// A checkpoint belongs to something else.
    #[error("{} is a checkpoint of {of}; name another file or remove it", path.display())]
    ForeignCheckpoint {
        /// The file.
        path: PathBuf,
        /// What it is a checkpoint of.
        of: CheckpointOf,
    },
    /// A checkpoint cannot be read or written.
    #[error("cannot use {} as a checkpoint: {source}", path.display())]
    CheckpointUnusable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What a checkpoint that does not fit is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointOf {
    /// The file is no checkpoint at all.
    #[error("something other than a search")]
    NoSearch,
    /// Another version of eqlearn wrote it.
    #[error("another version")]
    OtherVersion,
    /// It belongs to other data or other settings.
    #[error("another problem or other settings")]
    OtherProblem,
}
