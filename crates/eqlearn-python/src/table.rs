//! Tables: files, and whatever speaks Arrow's C interface (pandas, Polars, PyArrow, DuckDB, …).
//!
//! Record batches go to the library as they are. It reads them as those of an Arrow file, so that
//! the answer is that of the file to the bit.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;
use eqlearn::ask::{Command, Recording};
use eqlearn::data::table::Decimal;
use eqlearn::data::trajectory::Record;
use eqlearn::{Format, Missing, ReadOptions, Source};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatchReader;
use serde::Deserialize;

use crate::request::{checked, parse};
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
    missing_values: Vec<f64>,
    decimal: Option<char>,
    sheet: Option<String>,
}

impl Reading {
    /// The same for the library.
    pub(crate) fn options(&self) -> eqlearn::Result<ReadOptions> {
        let format: Option<Format> = self.format.as_deref().map(str::parse).transpose()?;
        let missing = if self.drop_missing {
            Missing::Drop
        } else {
            Missing::Error
        };
        let decimal = self.decimal.map(|character| match character {
            ',' => Decimal::Comma,
            _ => Decimal::Point,
        });
        Ok(ReadOptions {
            format,
            missing,
            missing_values: self.missing_values.clone(),
            decimal,
            sheet: self.sheet.clone(),
            ..ReadOptions::default()
        })
    }
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
        let options = reading.options()?;
        match self {
            Self::File(path) => Source::open(path, &options),
            Self::Batches(batches) => {
                let source = Source::from_batches(batches, &reading.name, options.missing)?;
                Ok(source.with_missing_values(options.missing_values))
            }
        }
    }
}

/// A record as Python holds it: its name, its times, and its states and inputs side by side.
type Given<'py> = (String, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// The request in the names of the tables, the records, and remarks.
type Recorded<'py> = (String, Vec<Given<'py>>, Vec<String>);

/// The records in tables, each with how it is to be read.
#[pyfunction]
pub(crate) fn read_records<'py>(
    py: Python<'py>,
    tables: Vec<(Origin, String)>,
    request: &str,
) -> PyResult<Recorded<'py>> {
    let checked = checked(request, Command::Discover)?;
    let read = |(origin, reading): (Origin, String)| Ok((origin, parse::<Reading>(&reading)?));
    let tables: Vec<(Origin, Reading)> = tables.into_iter().map(read).collect::<PyResult<_>>()?;
    let (recording, notes) = detached(py, || {
        let mut recording = Recording::new(checked);
        let mut notes = Vec::new();
        for (origin, reading) in tables {
            let source = origin.open(&reading)?;
            notes.extend_from_slice(source.notes());
            recording.read(source)?;
            notes.extend(recording.take_notes());
        }
        Ok((recording, notes))
    })?;
    let given = |record: &Record| -> PyResult<Given<'py>> {
        let columns: Vec<&Vec<f64>> = record.states.iter().chain(&record.inputs).collect();
        let rows: Vec<Vec<f64>> = (0..record.times.len())
            .map(|row| columns.iter().map(|column| column[row]).collect())
            .collect();
        let values = PyArray2::from_vec2(py, &rows)?;
        let times = record.times.clone().into_pyarray(py);
        Ok((record.name.clone(), times, values))
    };
    let records: PyResult<Vec<Given<'py>>> = recording.records().iter().map(given).collect();
    let request = serde_json::to_string(&recording.request()).expect("a request is plain data");
    Ok((request, records?, notes))
}

/// What to say about rows that were left out.
pub(crate) fn remark_on_missing(dropped: u64) -> Option<String> {
    (dropped > 0).then(|| eqlearn::data::left_out(dropped))
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
