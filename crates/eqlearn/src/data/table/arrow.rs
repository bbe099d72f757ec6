//! Tables in Apache Parquet and Apache Arrow files, and Arrow tables of other libraries.
//!
//! Only the chosen columns are decoded. Integers, booleans, decimals and short floats become f64 as
//! by Arrow's own casts; a null is a missing value. The batches that come out do not depend on row
//! groups and record batches.
//!
//! Memory: a few pages of each chosen Parquet column; one record batch of an Arrow file, whose size
//! its writer chose (65,536 rows in Feather files of pandas and pyarrow).

mod cells;

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use cells::{meant, numbers};

use super::batches::Choice;
use super::cell::shortened;
use super::reader::{Found, Input, Reader, read_all};
use super::{ColumnInfo, ColumnKind, Missing, Source, Table};
use crate::data::{Content, Damage, TableError};
use crate::error::Result;

/// Rows decoded at a time from Parquet.
const DECODED_ROWS: usize = 8_192;
/// Rows looked at for an example of a column that is not numeric.
const EXAMPLE_ROWS: usize = 64;

/// A columnar file, from its first row on.
pub(super) struct ArrowReader {
    origin: Origin,
    /// Where the chosen columns stand in the record batches.
    picks: Vec<usize>,
    /// The current record batch, as numbers, and how much of it was given.
    current: Vec<Float64Array>,
    offset: usize,
    /// Rows given so far.
    n_given: u64,
}

/// Where record batches come from.
enum Origin {
    Parquet {
        bytes: ParquetBytes,
        metadata: ArrowReaderMetadata,
    },
    ParquetRows(ParquetRecordBatchReader),
    /// Of an Arrow file, or of a table in memory.
    Batches {
        first: Option<RecordBatch>,
        rest: Rows,
    },
}

type Rows = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

enum ParquetBytes {
    File(File),
    Memory(bytes::Bytes),
}

impl ParquetBytes {
    fn again(&self) -> std::io::Result<Self> {
        Ok(match self {
            Self::File(file) => Self::File(file.try_clone()?),
            Self::Memory(bytes) => Self::Memory(bytes.clone()),
        })
    }
}

impl ArrowReader {
    pub(super) fn open_parquet(input: Input, file: &str) -> Result<Found> {
        let options = ArrowReaderOptions::new();
        let (bytes, metadata) = match input {
            Input::File(handle) => {
                let metadata = ArrowReaderMetadata::load(&handle, options);
                (ParquetBytes::File(handle), metadata)
            }
            Input::Stream(stream) => {
                let bytes = bytes::Bytes::from(read_all(stream, file)?);
                let metadata = ArrowReaderMetadata::load(&bytes, options);
                (ParquetBytes::Memory(bytes), metadata)
            }
        };
        let metadata = metadata.map_err(|error| refused(file, "Parquet", error))?;
        let n_rows = metadata.metadata().file_metadata().num_rows();
        let schema = metadata.schema().clone();
        let mut columns = columns_of(&schema);
        let others: Vec<usize> = (0..columns.len())
            .filter(|&i| !columns[i].is_numeric())
            .collect();
        if !others.is_empty() {
            // The example is optional: a column that cannot be decoded gives an error when it is
            // chosen.
            let rows = parquet_rows(&bytes, &metadata, &others, EXAMPLE_ROWS);
            if let Ok(Some(Ok(batch))) = rows.map(|mut rows| rows.next()) {
                for (array, &i) in batch.columns().iter().zip(&others) {
                    columns[i].example = example(array);
                }
            }
        }
        let reader = ArrowReader::new(Origin::Parquet { bytes, metadata });
        Ok(Found {
            columns,
            notes: Vec::new(),
            n_rows: u64::try_from(n_rows).ok(),
            reader: Reader::Arrow(Box::new(reader)),
        })
    }

    pub(super) fn open_ipc(input: Input, file: &str) -> Result<Found> {
        let unreadable = |source| TableError::Unreadable {
            file: file.into(),
            source,
        };
        let (start, input) = first_bytes(input).map_err(unreadable)?;
        if start.is_empty() {
            return Err(TableError::EmptyFile { file: file.into() }.into());
        }
        if start.starts_with(b"FEA1") {
            return Err(TableError::Unsupported {
                file: file.into(),
                content: Content::FeatherOne,
            }
            .into());
        }
        // Other bytes would be read as the length of the schema, and that much memory allocated.
        if !start.starts_with(b"ARROW1") && !start.starts_with(&[0xFF; 4]) {
            return Err(damaged(file, "Arrow", Damage::OtherStart).into());
        }
        let (schema, rows) = if start.starts_with(b"ARROW1") {
            match input {
                Input::File(handle) => ipc_file(BufReader::new(handle)),
                Input::Stream(stream) => ipc_file(Cursor::new(read_all(stream, file)?)),
            }
        } else {
            StreamReader::try_new(BufReader::new(input.into_stream()), None)
                .map(|reader| (reader.schema(), Box::new(reader) as Rows))
        }
        .map_err(|error| refused(file, "Arrow", error))?;
        ArrowReader::of_rows(&schema, rows, file)
    }

    fn of_rows(schema: &Schema, mut rest: Rows, file: &str) -> Result<Found> {
        let mut columns = columns_of(schema);
        let first = rest
            .next()
            .transpose()
            .map_err(|error| refused(file, "Arrow", error))?;
        let n_rows = first.is_none().then_some(0);
        if let Some(batch) = &first {
            for (column, array) in columns.iter_mut().zip(batch.columns()) {
                if !column.is_numeric() {
                    column.example = example(array);
                }
            }
        }
        let reader = ArrowReader::new(Origin::Batches { first, rest });
        let reader = Reader::Arrow(Box::new(reader));
        Ok(Found {
            columns,
            notes: Vec::new(),
            n_rows,
            reader,
        })
    }

    fn new(origin: Origin) -> ArrowReader {
        ArrowReader {
            origin,
            picks: Vec::new(),
            current: Vec::new(),
            offset: 0,
            n_given: 0,
        }
    }

    /// Another reader of the same rows, before any was read: record batches are held and shared,
    /// and a file in memory is read again.
    pub(super) fn held(&mut self, file: &str) -> Result<ArrowReader> {
        let origin = match &mut self.origin {
            Origin::Parquet { bytes, metadata } => Origin::Parquet {
                bytes: bytes.again().map_err(|source| TableError::Unreadable {
                    file: file.into(),
                    source,
                })?,
                metadata: metadata.clone(),
            },
            Origin::ParquetRows(_) => unreachable!("no row was read before"),
            Origin::Batches { first, rest } => {
                let all = first.take().map(Ok).into_iter().chain(rest);
                let all: Result<Vec<RecordBatch>, ArrowError> = all.collect();
                let all = all.map_err(|error| refused(file, "Arrow", error))?;
                let rows = |all: Vec<RecordBatch>| Origin::Batches {
                    first: None,
                    rest: Box::new(all.into_iter().map(Ok)),
                };
                self.origin = rows(all.clone());
                rows(all)
            }
        };
        Ok(ArrowReader::new(origin))
    }

    pub(super) fn choose(&mut self, columns: &[usize], choice: &Choice) -> Result<()> {
        self.picks = columns.to_vec();
        if let Origin::Parquet { bytes, metadata } = &self.origin {
            // A projection keeps the order of the file, and has each column once.
            let mut sorted = columns.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            let rows = parquet_rows(bytes, metadata, &sorted, DECODED_ROWS)
                .map_err(|error| refused(&choice.file, "Parquet", error))?;
            self.origin = Origin::ParquetRows(rows);
            for pick in &mut self.picks {
                *pick = sorted
                    .binary_search(pick)
                    .expect("sorted holds every chosen column");
            }
        }
        Ok(())
    }

    /// Appends at most `room` rows of the chosen columns.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &mut Choice,
    ) -> Result<usize> {
        while self
            .current
            .first()
            .is_none_or(|array| array.len() == self.offset)
        {
            if !self.next_batch(choice)? {
                return Ok(0);
            }
        }
        let n_rows = room.min(self.current[0].len() - self.offset);
        for (i, (column, array)) in columns.iter_mut().zip(&self.current).enumerate() {
            let array = array.slice(self.offset, n_rows);
            if array.null_count() == 0 {
                column.extend_from_slice(array.values());
                continue;
            }
            if choice.missing == Missing::Error {
                let row = (0..n_rows)
                    .find(|&row| array.is_null(row))
                    .expect("a null was counted");
                let row = self.n_given + row as u64 + 1;
                return Err(choice.missing_value(row, None, i, "null".into()).into());
            }
            column.extend(array.iter().map(|value| value.unwrap_or(f64::NAN)));
        }
        self.offset += n_rows;
        self.n_given += n_rows as u64;
        Ok(n_rows)
    }

    /// Takes the next record batch and casts its chosen columns; false at the end.
    fn next_batch(&mut self, choice: &mut Choice) -> Result<bool> {
        let (batch, format) = match &mut self.origin {
            Origin::Parquet { .. } => unreachable!("columns are chosen before rows are read"),
            Origin::ParquetRows(rows) => (rows.next().transpose(), "Parquet"),
            Origin::Batches {
                first: first @ Some(_),
                ..
            } => (Ok(first.take()), "Arrow"),
            Origin::Batches { rest, .. } => (rest.next().transpose(), "Arrow"),
        };
        let batch = batch.map_err(|error| refused(&choice.file, format, error))?;
        let Some(batch) = batch else {
            return Ok(false);
        };
        self.current.clear();
        self.offset = 0;
        for (i, &pick) in self.picks.iter().enumerate() {
            let array = batch.column(pick);
            let read = if choice.meanings[i].is_number() {
                numbers(array).map_err(|error| refused(&choice.file, format, error))?
            } else {
                meant(array, &mut choice.meanings[i]).map_err(|(row, found)| {
                    let row = self.n_given + row as u64 + 1;
                    choice.unusable(row, None, i, shortened(found))
                })?
            };
            self.current.push(read);
        }
        Ok(true)
    }
}

impl fmt::Debug for ArrowReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowReader")
            .field("picks", &self.picks)
            .finish_non_exhaustive()
    }
}

fn parquet_rows(
    bytes: &ParquetBytes,
    metadata: &ArrowReaderMetadata,
    columns: &[usize],
    batch_size: usize,
) -> parquet::errors::Result<ParquetRecordBatchReader> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    match bytes {
        ParquetBytes::File(file) => {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file.try_clone()?, metadata.clone())
                .with_projection(mask)
                .with_batch_size(batch_size)
                .build()
        }
        ParquetBytes::Memory(bytes) => {
            ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
                .with_projection(mask)
                .with_batch_size(batch_size)
                .build()
        }
    }
}

fn ipc_file(reader: impl Read + Seek + Send + 'static) -> Result<(Arc<Schema>, Rows), ArrowError> {
    let reader = FileReader::try_new(reader, None)?;
    Ok((reader.schema(), Box::new(reader)))
}

/// The first bytes of an input, and the input from its beginning.
fn first_bytes(input: Input) -> std::io::Result<(Vec<u8>, Input)> {
    let mut start = Vec::new();
    match input {
        Input::File(mut file) => {
            file.by_ref().take(8).read_to_end(&mut start)?;
            file.seek(SeekFrom::Start(0))?;
            Ok((start, Input::File(file)))
        }
        Input::Stream(mut stream) => {
            stream.by_ref().take(8).read_to_end(&mut start)?;
            let whole = Box::new(Cursor::new(start.clone()).chain(stream));
            Ok((start, Input::Stream(whole)))
        }
    }
}

fn columns_of(schema: &Schema) -> Vec<ColumnInfo> {
    let column = |field: &Arc<Field>| ColumnInfo {
        name: field.name().clone(),
        kind: kind_of(field.data_type()),
        example: None,
        unit: None,
    };
    schema.fields().iter().map(column).collect()
}

fn kind_of(data_type: &DataType) -> ColumnKind {
    match data_type {
        DataType::Boolean => ColumnKind::Boolean,
        DataType::Dictionary(_, values) => kind_of(values),
        DataType::RunEndEncoded(_, values) => kind_of(values.data_type()),
        t if t.is_numeric() || *t == DataType::Null => ColumnKind::Numeric,
        t if t.is_temporal() => ColumnKind::Date,
        t if t.is_nested() => ColumnKind::Nested,
        _ => ColumnKind::Text,
    }
}

/// The first cell that is not null, as text, and its row.
fn example(array: &ArrayRef) -> Option<(String, u64)> {
    let row = (0..array.len()).find(|&row| array.is_valid(row))?;
    Some((shortened(cells::text(array, row)?), row as u64 + 1))
}

fn refused(
    file: &str,
    format: &'static str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> TableError {
    damaged(file, format, Damage::Refused(error.into()))
}

fn damaged(file: &str, format: &'static str, damage: Damage) -> TableError {
    TableError::Damaged {
        file: file.into(),
        format,
        damage,
    }
}

impl Source {
    /// Takes record batches of Arrow as they are; `name` stands for them in messages.
    ///
    /// Columns, kinds of numbers, missing values and the cut of the batches are those of the same
    /// table in an Arrow file. Here alone are Arrow's types public: a table of another library
    /// comes without a copy.
    pub fn from_batches(
        batches: Box<dyn RecordBatchReader + Send>,
        name: impl Into<String>,
        missing: Missing,
    ) -> Result<Source> {
        let name = name.into();
        let found = ArrowReader::of_rows(&batches.schema(), Box::new(batches), &name)?;
        Source::from_found(found, name, missing)
    }
}

impl Table {
    /// The table as the bytes of a Parquet file.
    ///
    /// # Errors
    /// Those of the writer; none is known for columns of numbers.
    pub fn to_parquet(&self) -> std::io::Result<Vec<u8>> {
        let fields = self.names().iter();
        let fields: Vec<Field> = fields
            .map(|name| Field::new(name, DataType::Float64, false))
            .collect();
        let columns = self.columns();
        let columns: Vec<ArrayRef> = columns
            .map(|column| Arc::new(Float64Array::from(column.to_vec())) as ArrayRef)
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(std::io::Error::other)?;
        let compression = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(compression.build()))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(bytes)
    }
}
#[cfg(test)]
mod tests;
