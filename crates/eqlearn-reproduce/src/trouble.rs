//! What can go wrong around an experiment: files, mostly.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of work that touches files.
pub type Result<T> = std::result::Result<T, Trouble>;

/// A reason not to go on, with the file that it is about.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// A file cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried: read, write, make.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The results of another run are in the way.
    #[error(
        "line {line} of {} belongs to another run: {found}, where this one has {expected}",
        path.display()
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What that line is about.
        found: String,
        /// What it should be about.
        expected: String,
    },
    /// A line that is not what such a file holds.
    #[error("line {line} of {} cannot be used: {problem}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A figure could not be drawn.
    #[error("cannot draw {name}: {problem}")]
    Figure {
        /// The figure.
        name: String,
        /// What the drawing library says.
        problem: String,
    },
}

impl Trouble {
    pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { what, path, source }
    }
}
