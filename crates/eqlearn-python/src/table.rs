//! Tables: files, and whatever speaks Arrow's C interface (pandas, Polars, PyArrow, DuckDB, …).
//!
//! A table in memory goes to the library as the stream of a Feather file, batch by batch. So
//! columns, missing values and types are treated as in files, and the answer has the same bits.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use eqlearn::ask::numeric_columns;
use eqlearn::{Format, Missing, ReadOptions, Source};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatchReader;
use serde::Deserialize;

use crate::request::parse;
use crate::rows::aligned;
use crate::trouble::{detached, exception};

/// How to read a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    /// What to call it in messages.
    name: String,
    format: Option<String>,
    drop_missing: bool,
}

/// Where a table comes from.
pub(crate) enum Origin {
    File(PathBuf),
    Batches(Box<dyn RecordBatchReader + Send>),
}

impl<'py> FromPyObject<'_, 'py> for Origin {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = object.extract::<PathBuf>() {
            return Ok(Self::File(path));
        }
        if let Ok(columns) = object.cast::<PyDict>() {
            return Self::of_columns(&columns);
        }
        let reader = object.extract::<PyRecordBatchReader>()?.into_reader()?;
        Ok(Self::Batches(reader))
    }
}

impl Origin {
    /// A table of arrays by name.
    fn of_columns(columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut named: Vec<(String, ArrayRef)> = Vec::with_capacity(columns.len());
        for (name, values) in columns {
            let values: PyReadonlyArray1<'_, f64> = aligned(values.extract()?)?;
            let values: Float64Array = values.as_array().iter().copied().collect();
            named.push((name.extract()?, Arc::new(values)));
        }
        let wrong = |error: ArrowError| PyValueError::new_err(error.to_string());
        let batch = RecordBatch::try_from_iter(named).map_err(wrong)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        Ok(Self::Batches(Box::new(reader)))
    }
}

impl Origin {
    /// The table, before any column is chosen.
    pub(crate) fn open(self, reading: &Reading) -> eqlearn::Result<Source> {
        let format: Option<Format> = reading.format.as_deref().map(str::parse).transpose()?;
        let missing = if reading.drop_missing {
            Missing::Drop
        } else {
            Missing::Error
        };
        let options = ReadOptions {
            format,
            missing,
            ..ReadOptions::default()
        };
        match self {
            Self::File(path) => Source::open(path, &options),
            Self::Batches(batches) => {
                let bytes = Box::new(FeatherBytes::new(batches));
                Source::from_reader(bytes, &reading.name, Format::Arrow, &options)
            }
        }
    }
}

/// The bytes of a Feather stream, written as they are read.
struct FeatherBytes {
    batches: Box<dyn RecordBatchReader + Send>,
    writer: Option<StreamWriter<Vec<u8>>>,
    /// Bytes that were written, and how many of them were read.
    buffer: Vec<u8>,
    read: usize,
    ended: bool,
}

impl FeatherBytes {
    fn new(batches: Box<dyn RecordBatchReader + Send>) -> Self {
        Self {
            batches,
            writer: None,
            buffer: Vec::new(),
            read: 0,
            ended: false,
        }
    }

    /// Writes what comes next: the schema, a batch, or the end.
    fn write_more(&mut self) -> Result<(), ArrowError> {
        self.buffer.clear();
        self.read = 0;
        match &mut self.writer {
            None => {
                let schema = self.batches.schema();
                self.writer = Some(StreamWriter::try_new(Vec::new(), &schema)?);
            }
            Some(writer) => {
                if let Some(batch) = self.batches.next().transpose()? {
                    writer.write(&batch)?;
                } else {
                    writer.finish()?;
                    self.ended = true;
                }
            }
        }
        if let Some(writer) = &mut self.writer {
            std::mem::swap(&mut self.buffer, writer.get_mut());
        }
        Ok(())
    }
}

impl Read for FeatherBytes {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.read == self.buffer.len() && !self.ended {
            self.write_more().map_err(std::io::Error::other)?;
        }
        let left = &self.buffer[self.read..];
        let n = left.len().min(out.len());
        out[..n].copy_from_slice(&left[..n]);
        self.read += n;
        Ok(n)
    }
}

/// The names and values of columns, and remarks.
type Columns<'py> = (Vec<String>, Vec<Bound<'py, PyArray1<f64>>>, Vec<String>);

/// Columns of a table as arrays: those asked for, or all that hold numbers.
#[pyfunction]
pub(crate) fn read_columns<'py>(
    py: Python<'py>,
    origin: Origin,
    names: Option<Vec<String>>,
    reading: &str,
) -> PyResult<Columns<'py>> {
    let reading: Reading = parse(reading)?;
    let (names, columns, notes) = detached(py, || {
        let source = origin.open(&reading)?;
        let mut notes = source.notes().to_vec();
        let names = names.unwrap_or_else(|| {
            let (names, remark) = numeric_columns(&source, &[]);
            notes.extend(remark);
            names
        });
        let mut batches = source.batches(&names)?;
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        for batch in batches.by_ref() {
            for (all, part) in columns.iter_mut().zip(batch?.columns()) {
                all.extend_from_slice(part);
            }
        }
        notes.extend(remark_on_missing(batches.dropped()));
        Ok((names, columns, notes))
    })?;
    let arrays = columns.into_iter().map(|column| column.into_pyarray(py));
    Ok((names, arrays.collect(), notes))
}

/// What to say about rows that were left out.
pub(crate) fn remark_on_missing(dropped: u64) -> Option<String> {
    (dropped > 0).then(|| format!("{dropped} rows with missing values were left out"))
}

/// The tables directly in a folder by name; any file if its kind is known otherwise.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Python hands over is owned"
)]
pub(crate) fn files_in(folder: PathBuf, any_kind: bool) -> PyResult<Vec<PathBuf>> {
    let files = eqlearn::data::table::files_in(&folder, |_| any_kind);
    files.map_err(|error| exception(&error))
}
