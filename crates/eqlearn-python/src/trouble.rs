//! Errors as Python knows them, and the one way in which long work is called.

use std::panic::{AssertUnwindSafe, catch_unwind};

use eqlearn::data::TableError;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::request::KEYWORDS;
use crate::watch::Watch;

/// The exception that says what the library says.
pub(crate) fn exception(error: &eqlearn::Error) -> PyErr {
    let message = match error {
        eqlearn::Error::Ask(wrong) => wrong.sentence(KEYWORDS),
        other => other.to_string(),
    };
    match error {
        eqlearn::Error::Stopped => PyTimeoutError::new_err(message),
        eqlearn::Error::Table(TableError::Unreadable { .. }) => PyOSError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Runs work without holding Python's lock. A panic, which is a bug of ours, becomes an exception.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> eqlearn::Result<T> + Send,
) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match done {
        Ok(result) => result.map_err(|error| exception(&error)),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(PyRuntimeError::new_err(format!(
                "a bug in eqlearn, please report it: {text}"
            )))
        }
    }
}

/// The same for work that is watched: what the watch met, such as Ctrl-C, comes first.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    mut watch: Watch,
    work: impl FnOnce(&mut Watch) -> eqlearn::Result<T> + Send,
) -> PyResult<T> {
    let watch = &mut watch;
    let result = {
        let watch = &mut *watch;
        detached(py, move || work(watch))
    };
    match watch.failure() {
        Some(failure) => Err(failure),
        None => result,
    }
}
