//! The engine that the user already has, as joblib runs it.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use eqlearn::search::{Cluster, Engine};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::trouble::{detached, watched};
use crate::watch::Watch;

/// Workers somewhere: Python knows how many there are, and how to run tasks on them.
pub(crate) struct Workers {
    count: usize,
    trial: Duration,
    /// Takes the shared bytes and a list of tasks; returns an iterator over pairs of the place of a
    /// task and its result.
    run: Py<PyAny>,
    /// The exception that ended a run.
    failure: Mutex<Option<PyErr>>,
}

impl Workers {
    /// What Python handed over, if it did.
    pub(crate) fn new(py: Python<'_>, given: Option<Py<PyAny>>) -> PyResult<Option<Self>> {
        let Some(run) = given else { return Ok(None) };
        let seconds: f64 = run.getattr(py, "trial")?.extract(py)?;
        Ok(Some(Self {
            count: run.getattr(py, "count")?.extract(py)?,
            trial: Duration::from_secs_f64(seconds),
            run,
            failure: Mutex::new(None),
        }))
    }

    /// What a search asks instead of searching.
    pub(crate) fn cluster(&self) -> Cluster<'_> {
        Cluster::new(self).with_trial(self.trial)
    }

    fn run_in_python(
        &self,
        py: Python<'_>,
        (shared, tasks): (&[u8], &[Vec<u8>]),
        done: &mut dyn FnMut(usize, &[u8]) -> ControlFlow<()>,
    ) -> PyResult<()> {
        let shared = PyBytes::new(py, shared);
        let tasks = PyList::new(py, tasks.iter().map(|task| PyBytes::new(py, task)))?;
        let results = self.run.bind(py).call_method1("run", (shared, tasks))?;
        for result in results.try_iter()? {
            let (place, bytes): (usize, Bound<'_, PyBytes>) = result?.extract()?;
            if done(place, bytes.as_bytes()).is_break() {
                // What is still to come is cancelled.
                results.call_method0("close")?;
                break;
            }
        }
        Ok(())
    }
}

impl Engine for Workers {
    fn workers(&self) -> usize {
        self.count
    }

    fn run(
        &self,
        shared: &[u8],
        tasks: &[Vec<u8>],
        done: &mut dyn FnMut(usize, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), String> {
        Python::attach(|py| self.run_in_python(py, (shared, tasks), done)).map_err(|error| {
            let text = error.to_string();
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            text
        })
    }
}

/// Like [`watched`] for work that workers may do. The exception of a worker is raised first.
pub(crate) fn shared<T: Send>(
    py: Python<'_>,
    watch: Watch,
    workers: Option<&Workers>,
    work: impl FnOnce(&mut Watch) -> eqlearn::Result<T> + Send,
) -> PyResult<T> {
    let result = watched(py, watch, work);
    let failure = workers.map(|workers| {
        let mut failure = workers
            .failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        failure.take()
    });
    failure.flatten().map_or(result, Err)
}

/// What a worker does with one task.
#[pyfunction]
pub(crate) fn work<'py>(
    py: Python<'py>,
    shared: &Bound<'py, PyBytes>,
    task: &Bound<'py, PyBytes>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (shared, task) = (shared.as_bytes(), task.as_bytes());
    let result = detached(py, || eqlearn::search::work(shared, task, threads, &mut ()))?;
    Ok(PyBytes::new(py, &result))
}
