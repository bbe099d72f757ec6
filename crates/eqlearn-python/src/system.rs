//! A learned dynamical system.

use std::sync::{Arc, Mutex, PoisonError};

use eqlearn::dynamics::simulate::End;
use eqlearn::dynamics::system::{Evaluator, Kind};
use eqlearn::error::counted;
use eqlearn::terms::term::Language;
use eqlearn::{Forcing, ModelFile, Simulate, simulate_forced};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::model::Model;
use crate::rows::aligned;
use crate::trouble::{detached, exception};

/// Inputs with a value at each time, and what time is called where equations use it.
type Driven = (Vec<(String, Vec<f64>)>, Option<String>);

/// A learned dynamical system, one equation per state; `eqlearn.System` is what users see.
#[pyclass(frozen, module = "eqlearn._native", subclass)]
#[derive(Debug, Clone)]
pub(crate) struct System {
    inner: eqlearn::System,
    /// Compiled once, since integrators call it thousands of times.
    evaluator: Arc<Mutex<Evaluator>>,
    /// The equations again, with how they were made.
    file: ModelFile,
}

impl System {
    pub(crate) fn new(inner: eqlearn::System, file: ModelFile) -> Self {
        Self {
            evaluator: Arc::new(Mutex::new(inner.evaluator())),
            inner,
            file,
        }
    }
}

/// What a system is made from.
#[derive(FromPyObject)]
enum Given<'py> {
    System(PyRef<'py, System>),
    Text(String),
}

/// Times that were reached, one row of states per time, how it ended, and when.
type Followed<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    &'static str,
    Option<f64>,
);

#[pymethods]
impl System {
    /// The system in the text of a model file, or the same as another.
    #[new]
    fn given(given: Given<'_>) -> PyResult<Self> {
        let text = match given {
            Given::System(same) => return Ok(same.clone()),
            Given::Text(text) => text,
        };
        let file = ModelFile::from_json(&text).map_err(|error| exception(&error))?;
        let inner = eqlearn::System::from_models(file.equations().to_vec()).ok_or_else(|| {
            PyValueError::new_err("the file holds an equation of a table, not a dynamical system")
        })?;
        Ok(Self::new(inner, file))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (this.get_type(), (this.get().to_json(),))
    }

    /// The names of the states.
    #[getter]
    fn states(&self) -> Vec<String> {
        self.inner.states().to_vec()
    }

    /// The names of the features: the states, then inputs, then time if terms may use it.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.inner.features().to_vec()
    }

    /// Whether the equations give the next value of each state instead of its derivative.
    #[getter]
    fn is_map(&self) -> bool {
        self.inner.kind() == Kind::Map
    }

    /// One equation per state.
    #[getter]
    fn equations(&self) -> Vec<Model> {
        let models = self.inner.equations().iter().cloned();
        models.map(|inner| Model { inner }).collect()
    }

    /// The equations in LaTeX, one per line.
    #[getter]
    fn latex(&self) -> String {
        self.inner.latex()
    }

    /// The derivative (or next value) of every state at the values of the features.
    fn slope<'py>(
        &self,
        py: Python<'py>,
        features: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let features = aligned(features)?;
        let (given, known) = (features.as_array().len(), self.inner.features().len());
        if given != known {
            return Err(PyValueError::new_err(format!(
                "there must be as many as features, not {} for {}",
                counted(given, "value"),
                counted(known, "feature")
            )));
        }
        let features = features.as_array().to_vec();
        let mut slope = vec![0.0; self.inner.states().len()];
        let evaluator = self.evaluator.lock();
        let evaluator = evaluator.unwrap_or_else(PoisonError::into_inner);
        evaluator.slope(&features, &mut slope);
        Ok(slope.into_pyarray(py))
    }

    /// Simulates the system from a start to each of some rising times, at which inputs have values.
    fn follow<'py>(
        &self,
        py: Python<'py>,
        start: Vec<f64>,
        times: Vec<f64>,
        driven: Driven,
        tolerance: f64,
    ) -> PyResult<Followed<'py>> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "the tolerance is {tolerance}; it must be a number above 0"
            )));
        }
        let settings = Simulate {
            tolerance,
            ..Simulate::default()
        };
        let system = &self.inner;
        let (inputs, clock) = driven;
        let done = detached(py, move || {
            let mut forcing = Forcing::new(times.clone())?;
            for (name, values) in inputs {
                forcing = forcing.with_input(&name, values)?;
            }
            if let Some(clock) = clock {
                forcing = forcing.with_time(&clock);
            }
            simulate_forced(system, &start, &times, &forcing, &settings)
        })?;
        let (end, time) = match done.end {
            End::Reached => ("reached", None),
            End::BlewUp { time } => ("blew up", Some(time)),
            End::Pole { time } => ("pole", Some(time)),
            End::StepCollapsed { time } => ("step collapsed", Some(time)),
            End::OutOfSteps { time } => ("out of steps", Some(time)),
        };
        let row = |i: usize| done.states.iter().map(|column| column[i]).collect();
        let rows: Vec<Vec<f64>> = (0..done.times.len()).map(row).collect();
        let states = PyArray2::from_vec2(py, &rows)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((done.times.into_pyarray(py), states, end, time))
    }

    /// The system as a function of a programming language: "python", "julia" or "rust".
    fn code(&self, language: &str) -> PyResult<String> {
        let language = match language {
            "python" => Language::Python,
            "julia" => Language::Julia,
            "rust" => Language::Rust,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no language {other:?}; known are 'python', 'julia' and 'rust'"
                )));
            }
        };
        Ok(self.inner.code(language))
    }

    /// The text of a model file, as `eqlearn discover --save` writes it.
    fn to_json(&self) -> String {
        self.file.to_json()
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get().inner == self.inner)
    }
}
