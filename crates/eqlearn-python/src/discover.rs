//! Differential equations from trajectories.

use std::time::Instant;

use eqlearn::ask::{Checked, Command};
use eqlearn::data::trajectory::{Piece, Record, Trajectories};
use eqlearn::search::Elsewhere;
use eqlearn::tell::document::Document;
use eqlearn::{Coefficients, Conclusion, ModelFile, Result, Study, conclude, discover};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::outcome::{Cleaned, Discovery, Outcome};
use crate::request::{KEYWORDS, checked};
use crate::rows::aligned;
use crate::system::System;
use crate::trouble::exception;
use crate::watch::Watch;
use crate::workers::{Workers, shared};

/// A record as Python hands it over: its name, its times, and its states and inputs side by side.
type Given<'py> = (
    String,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray2<'py, f64>,
);

/// Learns one equation per state.
#[pyfunction]
#[pyo3(signature = (records, request, progress=None, workers=None))]
pub(crate) fn discover_records(
    py: Python<'_>,
    records: Vec<Given<'_>>,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<Discovery> {
    let checked = checked(request, Command::Discover)?;
    checked
        .check_time(None)
        .map_err(|error| exception(&error))?;
    let states = checked.request().states.clone().unwrap_or_default();
    let n_states = states.len();
    let record = |(name, times, values): Given<'_>| {
        let (times, values) = (aligned(times)?, aligned(values)?);
        let values = values.as_array();
        let mut columns = values.columns().into_iter().map(|column| column.to_vec());
        Ok(Record {
            name,
            times: times.as_array().to_vec(),
            states: columns.by_ref().take(n_states).collect(),
            inputs: columns.collect(),
        })
    };
    let records: Vec<Record> = records.into_iter().map(record).collect::<PyResult<_>>()?;
    let watch = Watch::new(progress, checked.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    shared(py, watch, workers, |watch| {
        learn(&checked, &states, records, workers, watch)
    })
}

fn learn(
    checked: &Checked,
    states: &[String],
    records: Vec<Record>,
    workers: Option<&Workers>,
    watch: &mut Watch,
) -> Result<Discovery> {
    let trajectories = checked.trajectories(states, records)?;
    let mut hints = checked.hints(&trajectories, KEYWORDS);
    let (dictionary, settings) = checked.discover(&trajectories)?;
    hints.extend(checked.remarks_on_terms(dictionary.features())?);
    let started = Instant::now();
    let cluster = workers.map(Workers::cluster);
    let run = checked.run(cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere));
    let discovery = discover(&trajectories, &dictionary, &settings, &run, watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let coefficients = if checked.refines() {
        Coefficients::OfMotion
    } else {
        Coefficients::OfRows
    };
    let Conclusion { system, document } = conclude(&discovery, &trajectories, coefficients)?;
    let document =
        serde_json::to_string(&document).expect("the document holds nothing that JSON cannot");
    let system = system.map(|system| {
        let settings = serde_json::to_value(&settings).expect("settings are plain data");
        let file = ModelFile::new(system.equations().to_vec(), settings);
        System::new(system, file)
    });
    let outcome = |study: &Study| Outcome::new(study, &Document::new(study, Vec::new(), seconds));
    Ok(Discovery {
        document,
        system,
        outcomes: discovery.studies().iter().map(outcome).collect(),
        cleaned: discovery.cleaned().map(stretches),
        n_gaps: trajectories.n_gaps(),
        n_short: trajectories.n_short(),
        hints,
    })
}

fn stretches(cleaned: &Trajectories) -> Cleaned {
    let n_states = cleaned.states().len();
    let one = |piece: &Piece| {
        let states = piece.columns()[..n_states].to_vec();
        (piece.name().to_string(), piece.times().to_vec(), states)
    };
    let pieces = cleaned.pieces().iter().map(one);
    let (time, states) = (cleaned.time().to_string(), cleaned.states().to_vec());
    (time, states, pieces.collect())
}
