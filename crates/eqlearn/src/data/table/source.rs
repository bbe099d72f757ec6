//! An opened table file: its columns, and its rows in batches.
//!
//! Every kind of file has one operation, [`Reader::fill`]: append at most a given number of rows of
//! the chosen columns, NaN for a missing cell. What happens to missing cells is decided in
//! [`Batches`], once for all kinds. (The readers that know a line number or the text of a cell
//! report a missing one themselves, when missing cells are errors.)
//!
//! Memory: one batch and the reader's own buffers, whatever the length of the file. Three cases
//! hold more: Parquet, `.npz` and Arrow *files* (not streams) that arrive through a pipe, because
//! they are read from their end; and compressed `.npz` members in Fortran order.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arrow::ArrowReader;
use super::batches::{Batches, Choice};
use super::csv::CsvReader;
use super::jsonl::JsonReader;
use super::kept::KeptReader;
use super::npy::NumpyReader;
use super::{Format, Table, position};
use crate::data::TableError;
use crate::error::Result;

/// How to read a table.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `format` | by the file's name | the kind of file |
/// | `missing` | `Error` | what to do with a row that lacks a chosen value |
/// | `delimiter` | by the header | what separates the cells of a CSV file |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The kind of file; by default its name tells.
    pub format: Option<Format>,
    /// What to do with a row that lacks a chosen value.
    pub missing: Missing,
    /// What separates the cells of a CSV file, an ASCII character.
    ///
    /// By default a tab for TSV, and for CSV whichever of comma, semicolon, tab and blank the
    /// first line has, in this order.
    pub delimiter: Option<u8>,
}

/// What to do with a row in which a chosen column is empty, `NA`, `null` or not finite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the file, naming the cell.
    #[default]
    Error,
    /// Leave the row out and count it.
    Drop,
}

/// A column of a [`Source`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// For a column that is not numeric, a cell and its row, counted from 1.
    pub example: Option<(String, u64)>,
}

impl ColumnInfo {
    pub(super) fn numeric(name: impl Into<String>) -> ColumnInfo {
        ColumnInfo {
            name: name.into(),
            kind: ColumnKind::Numeric,
            example: None,
        }
    }

    /// Whether the column can be read as numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind, ColumnKind::Numeric | ColumnKind::Boolean)
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Truth values, read as 1 and 0.
    Boolean,
    /// Text.
    Text,
    /// Dates or times.
    Date,
    /// Lists, records or anything else that is not one value per row.
    Nested,
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl ColumnKind {
    fn title(self) -> &'static str {
        match self {
            ColumnKind::Numeric => "numbers",
            ColumnKind::Boolean => "truth values",
            ColumnKind::Text => "text",
            ColumnKind::Date => "dates",
            ColumnKind::Nested => "nested values",
        }
    }
}

/// An opened table, before any column is chosen.
///
/// ```
/// use eqlearn::{Format, ReadOptions, Source};
///
/// let text: &[u8] = b"t,x,who\n0,1.5,ann\n1,2.5,bob\n";
/// let source = Source::from_reader(Box::new(text), "-", Format::Csv, &ReadOptions::default())?;
/// let numeric: Vec<&str> =
///     source.columns().iter().filter(|c| c.is_numeric()).map(|c| c.name.as_str()).collect();
/// assert_eq!(numeric, ["t", "x"]);
/// assert_eq!(source.read(&["x"])?.column("x")?, [1.5, 2.5]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug)]
pub struct Source {
    name: String,
    columns: Vec<ColumnInfo>,
    notes: Vec<String>,
    n_rows: Option<u64>,
    missing: Missing,
    reader: Reader,
    /// Where the rows can be read once more, and how.
    again: Option<(PathBuf, ReadOptions)>,
}

impl Source {
    /// Opens a file and finds its columns.
    ///
    /// # Errors
    /// A file that cannot be read, is empty, is of an unknown kind or not of the kind it claims,
    /// or has two columns of one name.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Source> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let format = options.format.map_or_else(|| Format::of_path(path), Ok)?;
        let unreadable = |source| TableError::Unreadable {
            file: name.clone(),
            source,
        };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()).into());
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Err(TableError::EmptyFile { file: name }.into());
        }
        let source = Source::from_input(Input::File(file), name, format, *options)?;
        Ok(Source {
            again: metadata.is_file().then(|| (path.to_owned(), *options)),
            ..source
        })
    }

    /// Opens a stream, such as standard input; `name` stands for it in messages.
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: impl Into<String>,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Source> {
        Source::from_input(Input::Stream(reader), name.into(), format, *options)
    }

    fn from_input(
        input: Input,
        name: String,
        format: Format,
        options: ReadOptions,
    ) -> Result<Source> {
        let found = match format {
            Format::Csv | Format::Tsv => CsvReader::open(input, &name, format, options),
            Format::JsonLines => JsonReader::open(input, &name),
            Format::Parquet => ArrowReader::open_parquet(input, &name),
            Format::Arrow => ArrowReader::open_ipc(input, &name),
            Format::Npy => NumpyReader::open_npy(input, &name),
            Format::Npz => NumpyReader::open_npz(input, &name),
        }?;
        Source::from_found(found, name, options.missing)
    }

    pub(super) fn from_found(found: Found, name: String, missing: Missing) -> Result<Source> {
        check_distinct(&found.columns, &name)?;
        if found.n_rows == Some(0) {
            return Err(TableError::NoRows { file: name }.into());
        }
        let Found {
            columns,
            notes,
            n_rows,
            reader,
        } = found;
        Ok(Source {
            name,
            columns,
            notes,
            n_rows,
            missing,
            reader,
            again: None,
        })
    }

    /// The same rows twice, for what takes two passes: a file is opened once more, and of a stream
    /// these columns are held in memory.
    ///
    /// # Errors
    /// As [`batches`](Self::batches), and a file that is no longer there.
    pub fn twice<S: AsRef<str>>(self, names: &[S]) -> Result<(Source, Source)> {
        if let Some((path, options)) = &self.again {
            let again = Source::open(path, options)?;
            return Ok((self, again));
        }
        let (name, missing) = (self.name.clone(), self.missing);
        let columns = Arc::new(self.batches(names)?.unsettled()?);
        let source = || {
            let infos = names.iter().map(|name| ColumnInfo::numeric(name.as_ref()));
            Source {
                name: name.clone(),
                columns: infos.collect(),
                notes: Vec::new(),
                n_rows: None,
                missing,
                reader: Reader::Kept(KeptReader::new(Arc::clone(&columns))),
                again: None,
            }
        };
        Ok((source(), source()))
    }

    /// The file as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All columns, in the order of the file.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// Remarks about the file, such as that it has no header.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The number of rows, where the file states it.
    pub fn n_rows(&self) -> Option<u64> {
        self.n_rows
    }

    /// The rows of the chosen columns, in the chosen order, in tables of a fixed size.
    ///
    /// # Errors
    /// A column that does not exist, is asked for twice, or does not hold numbers. The tables
    /// themselves fail on a cell that is not a number and, unless rows with missing values are
    /// dropped, on a cell that is missing.
    pub fn batches<S: AsRef<str>>(mut self, names: &[S]) -> Result<Batches> {
        if names.is_empty() {
            return Err(TableError::NoColumnChosen { file: self.name }.into());
        }
        let mut chosen = Vec::with_capacity(names.len());
        for name in names {
            let name = name.as_ref();
            let index = position(name, self.columns.iter().map(|c| c.name.as_str()))?;
            let column = &self.columns[index];
            if chosen.contains(&index) {
                return Err(TableError::ColumnGivenTwice { name: name.into() }.into());
            }
            if !column.is_numeric() {
                return Err(TableError::ColumnNotNumeric {
                    file: self.name,
                    column: name.into(),
                    kind: column.kind.title(),
                    example: column.example.clone(),
                }
                .into());
            }
            chosen.push(index);
        }
        let names = names.iter().map(|name| name.as_ref().to_string()).collect();
        let choice = Choice {
            file: self.name,
            names,
            missing: self.missing,
        };
        self.reader.choose(chosen, &choice)?;
        Ok(Batches::new(choice, self.reader))
    }

    /// All rows of the chosen columns in one table.
    pub fn read<S: AsRef<str>>(self, names: &[S]) -> Result<Table> {
        let mut batches = self.batches(names)?;
        let Some(first) = batches.next() else {
            return Table::new(Vec::new());
        };
        let mut table = first?;
        for batch in batches {
            table.append(batch?);
        }
        Ok(table)
    }
}

fn check_distinct(columns: &[ColumnInfo], file: &str) -> Result<()> {
    let mut first_of = std::collections::HashMap::new();
    for (i, column) in columns.iter().enumerate() {
        if let Some(first) = first_of.insert(column.name.as_str(), i) {
            return Err(TableError::ColumnsShareName {
                file: file.into(),
                name: column.name.clone(),
                first: first + 1,
                second: i + 1,
            }
            .into());
        }
    }
    Ok(())
}

/// Where the bytes come from.
pub(super) enum Input {
    File(File),
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// The bytes from the first to the last.
    pub(super) fn into_stream(self) -> Box<dyn Read + Send> {
        match self {
            Input::File(file) => Box::new(file),
            Input::Stream(stream) => stream,
        }
    }
}

/// All bytes of a stream, in memory because the format is read from its end.
pub(super) fn read_all(mut stream: impl Read, file: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream
        .read_to_end(&mut bytes)
        .map_err(|source| TableError::Unreadable {
            file: file.into(),
            source,
        })?;
    if bytes.is_empty() {
        return Err(TableError::EmptyFile { file: file.into() }.into());
    }
    Ok(bytes)
}

/// What opening a file finds.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) columns: Vec<ColumnInfo>,
    pub(super) notes: Vec<String>,
    pub(super) n_rows: Option<u64>,
    pub(super) reader: Reader,
}

/// A file of one of the kinds, from its first row on.
#[derive(Debug)]
pub(super) enum Reader {
    Csv(Box<CsvReader>),
    Json(Box<JsonReader>),
    Arrow(Box<ArrowReader>),
    Numpy(NumpyReader),
    Kept(KeptReader),
}

impl Reader {
    /// From here on `fill` gives these columns.
    fn choose(&mut self, columns: Vec<usize>, choice: &Choice) -> Result<()> {
        match self {
            Reader::Csv(reader) => reader.choose(columns),
            Reader::Json(reader) => reader.choose(&choice.names),
            Reader::Arrow(reader) => return reader.choose(&columns, choice),
            Reader::Numpy(reader) => reader.choose(&columns),
            Reader::Kept(reader) => reader.choose(columns),
        }
        Ok(())
    }

    /// Appends at most `room` rows, NaN for a missing cell; returns how many, 0 at the end.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &Choice,
    ) -> Result<usize> {
        match self {
            Reader::Csv(reader) => reader.fill(columns, room, choice),
            Reader::Json(reader) => reader.fill(columns, room, choice),
            Reader::Arrow(reader) => reader.fill(columns, room, choice),
            Reader::Numpy(reader) => reader.fill(columns, room, choice),
            Reader::Kept(reader) => Ok(reader.fill(columns, room)),
        }
    }
}
