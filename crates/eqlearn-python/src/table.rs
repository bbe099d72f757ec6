//! Tables: files, and whatever speaks Arrow's C interface (pandas, Polars, PyArrow, DuckDB, …).
//!
//! Record batches go to the library as they are. It reads them as those of an Arrow file, so that
//! the answer is that of the file to the bit.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
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
            Self::Batches(batches) => Source::from_batches(batches, &reading.name, missing),
        }
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
