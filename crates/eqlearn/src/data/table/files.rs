//! Several files as one long table, and the files of a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::categories::Categories;
use super::{Batches, Format, ReadOptions, Source, Table};
use crate::data::TableError;
use crate::error::Result;

/// The rows of several files, one after the other; each is opened when its turn comes.
///
/// Rows are counted anew in each file, and errors name the file.
#[derive(Debug)]
pub struct Files {
    names: Vec<String>,
    options: ReadOptions,
    waiting: std::vec::IntoIter<PathBuf>,
    /// The first file, and the units of its columns.
    first: (String, Vec<Option<String>>),
    categories: Vec<Categories>,
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
        let units = names.iter().map(|name| first.unit_of(name)).collect();
        Ok(Self {
            first: (first.name().to_string(), units),
            categories: first.categories.clone(),
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

    /// Numbers in different units are not one column.
    fn check_units(&self, second: &Source) -> Result<()> {
        let (first, units) = &self.first;
        for (name, unit) in self.names.iter().zip(units) {
            if let (Some(unit), Some(other)) = (unit, second.unit_of(name))
                && *unit != other
            {
                return Err(TableError::UnitsDiffer {
                    column: name.clone(),
                    first: first.as_str().into(),
                    first_unit: unit.as_str().into(),
                    second: second.name().into(),
                    second_unit: other.into(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn open_next(&mut self, path: PathBuf) -> Result<()> {
        let mut source = Source::open(path, &self.options)?;
        source.categories.clone_from(&self.categories);
        let name = source.name().to_string();
        self.check_units(&source)?;
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

/// The files directly in a folder, sorted by name: those with the extension of a table, or that the
/// caller wants besides.
///
/// Files that programs write for their own use (`_metadata`, `.part-0.parquet.crc`) are left out.
///
/// # Errors
/// A folder that cannot be read, or has no such file.
pub fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let unreadable = |source: std::io::Error| TableError::Unreadable {
        file: folder.display().to_string(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let known = Format::of_path(&path).is_ok() || is_wanted(&path);
        if known && !is_hidden(&path) && !path.is_dir() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(TableError::EmptyFolder {
            folder: folder.display().to_string(),
        }
        .into());
    }
    files.sort();
    Ok(files)
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with('.') || name.starts_with('_')
}
