//! One equation per target, from arrays or from a table.

use std::time::Instant;

use eqlearn::tell::document::Document;
use eqlearn::terms::problem::{Constants, Weights};
use eqlearn::{Cut, Data, Gathered, Observer, Problem, Result, Study, Table, learn_jointly};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::outcome::Outcome;
use crate::request::{Request, parse};
use crate::rows::{Rows, aligned};
use crate::table::{Origin, Reading, other_numeric_columns, remark_on_missing};
use crate::watch::Watch;
use crate::workers::{Workers, shared};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArraysRequest {
    features: Vec<String>,
    targets: Vec<String>,
    /// Whether weights say how often a row was seen.
    repeats: bool,
    request: Request,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableRequest {
    /// All other columns of numbers, if not given.
    features: Option<Vec<String>>,
    target: String,
    weights: Option<String>,
    reading: Reading,
    request: Request,
}

/// Rows as Python hands them over: features, targets and perhaps weights.
type GivenRows<'py> = (
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray2<'py, f64>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// Learns one equation per target.
#[pyfunction]
#[pyo3(signature = (rows, request, progress=None, workers=None))]
pub(crate) fn fit_arrays(
    py: Python<'_>,
    rows: GivenRows<'_>,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<Vec<Outcome>> {
    let (features, targets) = (aligned(rows.0)?, aligned(rows.1)?);
    let weights = rows.2.map(aligned).transpose()?;
    let ArraysRequest {
        features: names,
        targets: target_names,
        repeats,
        request,
    } = parse(request)?;
    let meaning = if repeats {
        Weights::Repeats
    } else {
        Weights::Precision
    };
    let weight_name = weights
        .is_some()
        .then(|| free_name("sample_weight", &names, &target_names));
    let (features, targets) = (features.as_array(), targets.as_array());
    let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
    let watch = Watch::new(progress, request.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    shared(py, watch, workers, |watch| {
        let problems = request.problems(&names, &target_names, weight_name.as_deref())?;
        let mut all = Vec::with_capacity(problems.len());
        let mut allowing = Vec::with_capacity(problems.len());
        for (problem, target) in problems.into_iter().zip(targets.columns()) {
            let problem = problem
                .with_constants(Constants::Allow)
                .with_meaning(meaning);
            let rows = Rows {
                features,
                target: Some(target),
                weights,
            };
            let batches = rows.batches(problem.columns())?;
            all.push(gather(&problem, batches, &request, watch)?);
            allowing.push(problem);
        }
        learn_all(&allowing, &all, &request, workers, watch)
    })
}

/// What was learned, and what a careful reader would say about the table.
type FromTable = (Outcome, Vec<String>);

/// Learns one equation from a table of any kind that the command line or Arrow knows.
#[pyfunction]
#[pyo3(signature = (origin, request, progress=None, workers=None))]
pub(crate) fn fit_table(
    py: Python<'_>,
    origin: Origin,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<FromTable> {
    let asked: TableRequest = parse(request)?;
    let watch = Watch::new(progress, asked.request.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    shared(py, watch, workers, |watch| {
        let TableRequest {
            features,
            target,
            weights,
            reading,
            request,
        } = asked;
        let source = origin.open(&reading)?;
        let mut notes = source.notes().to_vec();
        let features = features.unwrap_or_else(|| {
            let but: Vec<&str> = [Some(target.as_str()), weights.as_deref()]
                .into_iter()
                .flatten()
                .collect();
            let (features, remark) = other_numeric_columns(&source, &but);
            notes.extend(remark);
            features
        });
        let target = std::slice::from_ref(&target);
        let problems = request.problems(&features, target, weights.as_deref())?;
        let mut batches = source.batches(&problems[0].columns())?;
        let gathered = gather(&problems[0], batches.by_ref(), &request, watch)?;
        notes.extend(remark_on_missing(batches.dropped()));
        let mut outcomes = learn_all(&problems, &[gathered], &request, workers, watch)?;
        Ok((outcomes.swap_remove(0), notes))
    })
}

/// A name that no column has.
fn free_name(wish: &str, features: &[String], targets: &[String]) -> String {
    let mut name = wish.to_string();
    while features.contains(&name) || targets.contains(&name) {
        name.push('_');
    }
    name
}

fn gather(
    problem: &Problem,
    batches: impl Iterator<Item = Result<Table>> + Send,
    request: &Request,
    observer: &mut dyn Observer,
) -> Result<Gathered> {
    let cut = request.cut.map(Cut::from);
    Gathered::new(problem, batches, cut.as_ref(), request.threads, observer)
}

pub(crate) fn learn_all(
    problems: &[Problem],
    gathered: &[Gathered],
    request: &Request,
    workers: Option<&Workers>,
    observer: &mut dyn Observer,
) -> Result<Vec<Outcome>> {
    let Some(first) = problems.first() else {
        return Err(eqlearn::reduce::ReduceError::NoTargets.into());
    };
    let settings = request.settings(first.dictionary())?;
    let data: Vec<Data<'_>> = gathered.iter().map(Gathered::data).collect();
    let started = Instant::now();
    let cluster = workers.map(Workers::cluster);
    let run = request.run(cluster.as_ref());
    let studies = learn_jointly(problems, &data, &settings, &run, observer)?;
    let seconds = started.elapsed().as_secs_f64();
    let outcome = |(study, gathered): (&Study, &Gathered)| {
        let document = Document::new(study, gathered.checks(study)?, seconds);
        Ok(Outcome::new(study, &document))
    };
    studies.iter().zip(gathered).map(outcome).collect()
}
