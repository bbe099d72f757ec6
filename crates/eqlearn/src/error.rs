//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library, made of one list per stage. Each list stands beside the
//! code of its stage. A variant carries the data that a program needs and a message that a
//! scientist understands. Errors are for what a user can cause; a broken invariant of ours panics
//! with the reason why it should have held.

mod json;
mod words;

pub use json::JsonProblem;
pub use words::{counted, nearest};
pub(crate) use words::{remedy, suggestion};

use crate::ask::AskError;
use crate::data::{FieldError, TableError, TrajectoryError};
use crate::dynamics::DynamicsError;
use crate::fields::FieldsError;
use crate::learn::LearnError;
use crate::methods::MethodsError;
use crate::reduce::ReduceError;
use crate::search::{PartsError, SearchError};
use crate::terms::TermsError;

/// The result of anything that a user's input can make fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong, by stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An observer asked the work to stop before there was anything to report.
    #[error("stopped before there was a result")]
    Stopped,
    /// A table, or the file that it comes from.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A record of trajectories.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// A field on a grid.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A term, a dictionary, or what is asked of them.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// The reduction of rows to a triangle.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// The settings or the checkpoint of a search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A search that is split among processes.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// A method, or its settings.
    #[error(transparent)]
    Methods(#[from] MethodsError),
    /// A learned model.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Differential equations and their simulation.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// Partial differential equations.
    #[error(transparent)]
    Fields(#[from] FieldsError),
    /// Something wrong in one of several files.
    #[error("{file}: {source}")]
    InFile {
        /// The file as the user named it.
        file: String,
        /// What is wrong there.
        source: Box<Error>,
    },
    /// What was asked for has no meaning.
    #[error(transparent)]
    Ask(#[from] AskError),
}

impl Error {
    /// The same error, told with its file if it is about rows or columns and does not name one.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        let nameless = matches!(
            self,
            Self::Table(TableError::UnknownColumn { .. })
                | Self::Terms(TermsError::TermValueNotFinite { .. })
                | Self::Reduce(ReduceError::NegativeWeight { .. })
        );
        if !nameless {
            return self;
        }
        Self::InFile {
            file: file.to_string(),
            source: Box::new(self),
        }
    }
}
