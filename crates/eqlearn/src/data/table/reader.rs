//! A file of one of the kinds, and what each kind has to do.
//!
//! That is one operation, [`Reader::fill`]: append at most a given number of rows of the chosen
//! columns, NaN for a missing cell. What happens to missing cells is decided in
//! [`Batches`](super::Batches), once for all kinds. (The readers that know a line number or the
//! text of a cell report a missing one themselves, when missing cells are errors.)

use std::fs::File;
use std::io::Read;

use super::arrow::ArrowReader;
use super::batches::Choice;
use super::csv::CsvReader;
use super::jsonl::JsonReader;
use super::kept::KeptReader;
use super::npy::NumpyReader;
use super::{ColumnInfo, Format, ReadOptions, spreadsheet};
use crate::data::TableError;
use crate::error::Result;

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

impl Found {
    /// Opens a file of this kind; `name` stands for it in messages.
    pub(super) fn open(
        input: Input,
        name: &str,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Self> {
        match format {
            Format::Csv | Format::Tsv => CsvReader::open(input, name, format, options),
            Format::Spreadsheet => spreadsheet::open(input, name, options),
            Format::JsonLines => JsonReader::open(input, name),
            Format::Parquet => ArrowReader::open_parquet(input, name),
            Format::Arrow => ArrowReader::open_ipc(input, name),
            Format::Npy => NumpyReader::open_npy(input, name),
            Format::Npz => NumpyReader::open_npz(input, name),
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
    Kept(KeptReader),
}

impl Reader {
    /// From here on `fill` gives these columns; `headers` are the names of all.
    pub(super) fn choose(
        &mut self,
        columns: Vec<usize>,
        headers: &[String],
        choice: &Choice,
    ) -> Result<()> {
        match self {
            Reader::Csv(reader) => reader.choose(columns),
            Reader::Json(reader) => {
                reader.choose(columns.into_iter().map(|place| headers[place].clone()));
            }
            Reader::Arrow(reader) => return reader.choose(&columns, choice),
            Reader::Numpy(reader) => reader.choose(&columns),
            Reader::Kept(reader) => reader.choose(columns),
        }
        Ok(())
    }

    /// Whether cells can be read as text. NumPy's text and dates are not.
    pub(super) fn has_text(&self) -> bool {
        !matches!(self, Reader::Numpy(_) | Reader::Kept(_))
    }

    /// Appends at most `room` rows, NaN for a missing cell; returns how many, 0 at the end.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &mut Choice,
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
