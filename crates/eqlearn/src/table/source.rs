//! An opened table file: its columns, and its rows in batches.
//!
//! Every kind of file is reduced to one question, [`Reader::fill`]: append at most so many rows of
//! the chosen columns. A missing cell is appended as NaN; what happens to it is decided here, once
//! for all kinds. (The readers that know a line number or the text of a cell report a missing one
//! themselves, when missing cells are errors.)
//!
//! Memory: one batch and the reader's own buffers, whatever the length of the file. Three cases
//! hold more: Parquet, `.npz` and Arrow *files* (not streams) that arrive through a pipe, because
//! they are read from their end; and compressed `.npz` members in Fortran order.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::arrow::ArrowReader;
use super::csv::CsvReader;
use super::jsonl::JsonReader;
use super::npy::NumpyReader;
use super::{Format, RowNumbers, Table, position};
use crate::error::{Error, Place, Result};

/// Rows of a batch with up to [`FULL_BATCH_COLUMNS`] columns.
const BATCH_ROWS: usize = 16_384;
/// Columns beyond which batches get shorter, so that a batch stays below 8 MB.
const FULL_BATCH_COLUMNS: usize = 64;
/// Rows of the shortest batches: those with thousands of columns.
const LEAST_BATCH_ROWS: usize = 256;

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
        let file = File::open(path)
            .and_then(|file| {
                let is_dir = file.metadata()?.is_dir();
                if is_dir {
                    Err(std::io::ErrorKind::IsADirectory.into())
                } else {
                    Ok(file)
                }
            })
            .map_err(|source| Error::Unreadable {
                file: name.clone(),
                source,
            })?;
        Source::from_input(Input::File(file), name, format, options)
    }

    /// Opens a stream, such as standard input; `name` stands for it in messages.
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: impl Into<String>,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Source> {
        Source::from_input(Input::Stream(reader), name.into(), format, options)
    }

    fn from_input(
        input: Input,
        name: String,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Source> {
        let found = match format {
            Format::Csv | Format::Tsv => CsvReader::open(input, &name, format, options),
            Format::JsonLines => JsonReader::open(input, &name, options),
            Format::Parquet => ArrowReader::open_parquet(input, &name, options),
            Format::Arrow => ArrowReader::open_ipc(input, &name, options),
            Format::Npy => NumpyReader::open_npy(input, &name),
            Format::Npz => NumpyReader::open_npz(input, &name),
        }?;
        check_distinct(&found.columns, &name)?;
        if found.n_rows == Some(0) {
            return Err(Error::NoRows { file: name });
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
            missing: options.missing,
            reader,
        })
    }

    /// The file as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All columns, in the order of the file.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// What a careful reader would mention about the file, such as that it has no header.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The number of rows, where the file tells it beforehand.
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
            return Err(Error::NoColumns { file: self.name });
        }
        let mut chosen = Vec::with_capacity(names.len());
        for name in names {
            let name = name.as_ref();
            let index = position(name, self.columns.iter().map(|c| c.name.as_str()))?;
            let column = &self.columns[index];
            if chosen.contains(&index) {
                return Err(Error::RepeatedColumn { name: name.into() });
            }
            if !column.is_numeric() {
                return Err(Error::NotNumeric {
                    file: self.name,
                    column: name.into(),
                    kind: column.kind.title(),
                    example: column.example.clone(),
                });
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
        Ok(Batches {
            choice,
            reader: self.reader,
            rows_read: 0,
            dropped: 0,
            finished: false,
        })
    }

    /// All rows of the chosen columns in one table.
    pub fn read<S: AsRef<str>>(self, names: &[S]) -> Result<Table> {
        let mut batches = self.batches(names)?;
        let mut table = batches
            .next()
            .expect("the first batch is a table or an error")?;
        for batch in batches {
            table.append(batch?);
        }
        Ok(table)
    }
}

/// The rows of a [`Source`], as tables of a fixed number of rows; the last may be shorter.
///
/// There is at least one item: a file without a complete row is an error. After an error there
/// are no more.
///
/// ```
/// use eqlearn::{Format, Missing, ReadOptions, Source};
///
/// let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
/// let text: &[u8] = b"x,y\n1,2\n,4\n5,6\n";
/// let source = Source::from_reader(Box::new(text), "-", Format::Csv, &options)?;
/// let mut batches = source.batches(&["x", "y"])?;
/// let table = batches.next().unwrap()?;
/// assert_eq!(table.column("y")?, [2.0, 6.0]);
/// assert_eq!(table.row_number(1), 3);
/// assert!(batches.next().is_none());
/// assert_eq!(batches.dropped(), 1);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug)]
pub struct Batches {
    choice: Choice,
    reader: Reader,
    rows_read: u64,
    dropped: u64,
    finished: bool,
}

impl Batches {
    /// How many rows were left out so far, because a chosen value is missing.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many rows of the file were read so far, those left out included.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    fn next_table(&mut self) -> Result<Option<Table>> {
        let n_rows = batch_rows(self.choice.names.len());
        let mut columns: Vec<Vec<f64>> = self
            .choice
            .names
            .iter()
            .map(|_| Vec::with_capacity(n_rows))
            .collect();
        let mut numbers = RowNumbers::From(self.rows_read + 1);
        while columns[0].len() < n_rows {
            let kept = columns[0].len();
            let added = self
                .reader
                .fill(&mut columns, n_rows - kept, &self.choice)?;
            if added == 0 {
                self.finished = true;
                break;
            }
            self.settle_missing(&mut columns, kept, &mut numbers)?;
            self.rows_read += added as u64;
        }
        if !columns[0].is_empty() {
            let names = self.choice.names.clone();
            return Ok(Some(Table::from_checked(names, columns, numbers.normal())));
        }
        let file = || self.choice.file.clone();
        match (self.rows_read, self.dropped) {
            (0, _) => Err(Error::NoRows { file: file() }),
            (read, dropped) if read == dropped => Err(Error::NoCompleteRows {
                file: file(),
                dropped,
            }),
            _ => Ok(None),
        }
    }

    /// Drops or refuses the rows from `kept` on in which a value is not finite.
    fn settle_missing(
        &mut self,
        columns: &mut [Vec<f64>],
        kept: usize,
        numbers: &mut RowNumbers,
    ) -> Result<()> {
        let n_rows = columns[0].len();
        let incomplete = columns
            .iter()
            .any(|c| c[kept..].iter().any(|v| !v.is_finite()));
        if incomplete && self.choice.missing == Missing::Error {
            let (row, column) = (kept..n_rows)
                .find_map(|i| Some((i, columns.iter().position(|c| !c[i].is_finite())?)))
                .expect("a value that is not finite was just seen");
            let found = match columns[column][row] {
                value if value.is_nan() => "NaN".to_string(),
                value => value.to_string(),
            };
            let row = self.rows_read + (row - kept) as u64 + 1;
            return Err(self.choice.missing_value(row, None, column, found));
        }
        if !incomplete && matches!(numbers, RowNumbers::From(_)) {
            return Ok(());
        }
        let mut listed: Vec<u64> = match std::mem::replace(numbers, RowNumbers::From(0)) {
            RowNumbers::From(first) => (first..).take(kept).collect(),
            RowNumbers::Listed(listed) => listed,
        };
        let mut next = kept;
        for row in kept..n_rows {
            if columns.iter().all(|c| c[row].is_finite()) {
                columns.iter_mut().for_each(|c| c[next] = c[row]);
                listed.push(self.rows_read + (row - kept) as u64 + 1);
                next += 1;
            }
        }
        columns.iter_mut().for_each(|c| c.truncate(next));
        self.dropped += (n_rows - next) as u64;
        *numbers = RowNumbers::Listed(listed);
        Ok(())
    }
}

impl Iterator for Batches {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.finished {
            return None;
        }
        let table = self.next_table().transpose();
        self.finished |= !matches!(table, Some(Ok(_)));
        table
    }
}

/// Rows of a full batch with this many columns.
fn batch_rows(n_columns: usize) -> usize {
    let rows = BATCH_ROWS * FULL_BATCH_COLUMNS / n_columns.max(FULL_BATCH_COLUMNS);
    rows.max(LEAST_BATCH_ROWS)
}

fn check_distinct(columns: &[ColumnInfo], file: &str) -> Result<()> {
    let mut first_of = std::collections::HashMap::new();
    for (i, column) in columns.iter().enumerate() {
        if let Some(first) = first_of.insert(column.name.as_str(), i) {
            return Err(Error::DuplicateColumn {
                file: file.into(),
                name: column.name.clone(),
                first: first + 1,
                second: i + 1,
            });
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

/// What opening a file finds.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) columns: Vec<ColumnInfo>,
    pub(super) notes: Vec<String>,
    pub(super) n_rows: Option<u64>,
    pub(super) reader: Reader,
}

/// What a reader needs to know of the request, for its messages.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) file: String,
    pub(super) names: Vec<String>,
    pub(super) missing: Missing,
}

impl Choice {
    pub(super) fn place(&self, row: u64, line: Option<u64>, column: usize) -> Place {
        Place {
            file: self.file.clone(),
            row,
            line,
            column: self.names[column].clone(),
        }
    }

    pub(super) fn missing_value(
        &self,
        row: u64,
        line: Option<u64>,
        column: usize,
        found: String,
    ) -> Error {
        Error::MissingValue {
            place: self.place(row, line, column),
            found,
        }
    }
}

/// A file of one of the kinds, from its first row on.
#[derive(Debug)]
pub(super) enum Reader {
    Csv(Box<CsvReader>),
    Json(Box<JsonReader>),
    Arrow(Box<ArrowReader>),
    Numpy(NumpyReader),
}

impl Reader {
    /// From here on `fill` gives these columns.
    fn choose(&mut self, columns: Vec<usize>, choice: &Choice) -> Result<()> {
        match self {
            Reader::Csv(reader) => reader.choose(columns),
            Reader::Json(reader) => reader.choose(&choice.names),
            Reader::Arrow(reader) => return reader.choose(&columns, choice),
            Reader::Numpy(reader) => return reader.choose(&columns, choice),
        }
        Ok(())
    }

    /// Appends at most `room` rows, NaN for a missing cell; returns how many, 0 at the end.
    fn fill(&mut self, columns: &mut [Vec<f64>], room: usize, choice: &Choice) -> Result<usize> {
        match self {
            Reader::Csv(reader) => reader.fill(columns, room, choice),
            Reader::Json(reader) => reader.fill(columns, room, choice),
            Reader::Arrow(reader) => reader.fill(columns, room, choice),
            Reader::Numpy(reader) => reader.fill(columns, room, choice),
        }
    }
}
