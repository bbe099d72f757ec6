//! Progress, the time limit, and Ctrl-C.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use eqlearn::error::counted;
use eqlearn::observe::{Observer, Progress, Stage};
use pyo3::prelude::*;

/// Between two checks for signals: taking Python's lock costs time.
const PAUSE: Duration = Duration::from_millis(50);

/// Tells a Python function how far the work is, and stops it when Python or the clock says so.
pub(crate) struct Watch {
    tell: Option<Py<PyAny>>,
    deadline: Option<Instant>,
    last: Instant,
    failure: Option<PyErr>,
}

impl Watch {
    /// `tell` takes the stage, how much is done, and how much there is (0 where nobody knows).
    pub(crate) fn new(tell: Option<Py<PyAny>>, limit: Option<Duration>) -> Self {
        let now = Instant::now();
        Self {
            tell,
            deadline: limit.and_then(|limit| now.checked_add(limit)),
            last: now,
            failure: None,
        }
    }

    /// The exception that stopped the work, if one did.
    pub(crate) fn failure(&mut self) -> Option<PyErr> {
        self.failure.take()
    }

    fn look(&self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        py.check_signals()?;
        if let Some(tell) = &self.tell {
            let stage = match progress.stage {
                Stage::Rows => "rows".to_string(),
                Stage::Subsets { size } => counted(size, "term"),
                Stage::Folds => "folds".to_string(),
                Stage::Models => "models".to_string(),
                Stage::Vocabularies => "vocabularies".to_string(),
                _ => "work".to_string(),
            };
            tell.call1(py, (stage, progress.done, progress.total))?;
        }
        Ok(())
    }
}

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let now = Instant::now();
        if self.failure.is_none() && now.duration_since(self.last) >= PAUSE {
            self.last = now;
            self.failure = Python::attach(|py| self.look(py, progress)).err();
        }
        if self.failure.is_some() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
