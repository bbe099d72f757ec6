//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library. Each variant carries the facts a program would need and
//! says them in a sentence that a scientist understands. Errors are for what a user can cause;
//! a broken invariant of ours panics with the reason why it should have held.

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
    #[error("term number {term} is named twice: a term is required, excluded or centred out, not two of these")]
    TermTwice {
        /// The term named.
        term: usize,
    },
}
