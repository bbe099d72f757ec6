//! Several files as one long table.

use std::path::PathBuf;

use super::{Batches, ReadOptions, Source, Table};
use crate::error::Result;

/// The rows of several files, one after the other; each is opened when its turn comes.
///
/// Rows are counted anew in each file, and errors name the file.
#[derive(Debug)]
pub struct Files {
    names: Vec<String>,
    options: ReadOptions,
    waiting: std::vec::IntoIter<PathBuf>,
    open: Batches,
    dropped_before: u64,
}

impl Files {
    /// The chosen columns of a file that is open already, and then of others.
    ///
    /// # Errors
    /// As [`Source::batches`].
    pub fn new(
        first: Source,
        rest: Vec<PathBuf>,
        options: ReadOptions,
        names: Vec<String>,
    ) -> Result<Self> {
        Ok(Self {
            open: first.batches(&names)?,
            names,
            options,
            waiting: rest.into_iter(),
            dropped_before: 0,
        })
    }

    /// How many rows were left out so far, because a chosen value is missing.
    pub fn dropped(&self) -> u64 {
        self.dropped_before + self.open.dropped()
    }

    fn open_next(&mut self, path: PathBuf) -> Result<()> {
        let source = Source::open(path, &self.options)?;
        let name = source.name().to_string();
        let next = source
            .batches(&self.names)
            .map_err(|error| error.in_file(&name))?;
        self.dropped_before += self.open.dropped();
        self.open = next;
        Ok(())
    }
}

impl Iterator for Files {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        loop {
            if let Some(batch) = self.open.next() {
                return Some(batch);
            }
            let path = self.waiting.next()?;
            if let Err(error) = self.open_next(path) {
                return Some(Err(error));
            }
        }
    }
}
