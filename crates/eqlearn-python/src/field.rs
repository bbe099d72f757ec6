//! Partial differential equations from fields, and their simulation.

use std::time::Instant;

use eqlearn::ask::{Checked, Command};
use eqlearn::data::field::{Axis, Boundary, Field, Quantity};
use eqlearn::dynamics::simulate::End;
use eqlearn::fields::names::Names;
use eqlearn::tell::document::Document;
use eqlearn::{ModelFile, Result, Simulate, Study, discover_field, follow, simulate_field};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::model::Model;
use crate::outcome::Outcome;
use crate::request::checked;
use crate::rows::aligned;
use crate::trouble::{detached, exception};
use crate::watch::Watch;
use crate::workers::shared;

/// A field as Python hands it over: its name, its axes, and its quantities, the last axis fastest.
type Given<'py> = (
    String,
    Vec<(String, Vec<f64>)>,
    Vec<(String, PyReadonlyArray1<'py, f64>)>,
);

/// What was learned from fields.
#[pyclass(frozen, get_all, module = "eqlearn._native")]
#[derive(Debug)]
pub(crate) struct FieldDiscovery {
    /// The result document, as JSON.
    document: String,
    /// The system, if every quantity has an equation.
    system: Option<FieldSystem>,
    /// The quantities.
    quantities: Vec<String>,
    /// One per quantity.
    outcomes: Vec<Outcome>,
    /// Remarks on terms.
    hints: Vec<String>,
}

/// Learns one equation per quantity.
#[pyfunction]
#[pyo3(signature = (records, request, progress=None))]
pub(crate) fn discover_fields(
    py: Python<'_>,
    records: Vec<Given<'_>>,
    request: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<FieldDiscovery> {
    let checked = checked(request, Command::DiscoverField)?;
    let records = records.into_iter().map(|record| field(record, &checked));
    let records: Vec<Field> = records.collect::<PyResult<_>>()?;
    let watch = Watch::new(progress, checked.limit());
    shared(py, watch, None, |watch| learn(&checked, &records, watch))
}

fn field((name, axes, quantities): Given<'_>, checked: &Checked) -> PyResult<Field> {
    let periodic = &checked.request().periodic;
    let axis = |(name, values): (String, Vec<f64>)| Axis {
        boundary: if periodic.contains(&name) {
            Boundary::Periodic
        } else {
            Boundary::Open
        },
        unit: None,
        name,
        values,
    };
    let axes: Vec<Axis> = axes.into_iter().map(axis).collect();
    let known = |name: &&String| axes.iter().all(|axis| axis.name != **name);
    if let Some(unknown) = periodic.iter().find(known) {
        let names: Vec<&str> = axes[1..].iter().map(|axis| axis.name.as_str()).collect();
        return Err(PyValueError::new_err(format!(
            "periodic names {unknown:?}, which is none of the directions of space: {}",
            names.join(", ")
        )));
    }
    let quantity = |(name, values): (String, PyReadonlyArray1<'_, f64>)| {
        let values = aligned(values)?.as_array().to_vec();
        Ok(Quantity { name, values })
    };
    let quantities: Vec<Quantity> = quantities
        .into_iter()
        .map(quantity)
        .collect::<PyResult<_>>()?;
    Field::new(&name, axes, quantities).map_err(|error| exception(&error))
}

fn learn(checked: &Checked, records: &[Field], watch: &mut Watch) -> Result<FieldDiscovery> {
    let names = Names::of(&records[0])?;
    let (dictionary, settings) = checked.discover_field(&names)?;
    let hints = checked.remarks_on_terms_of_field(&names)?;
    let started = Instant::now();
    let run = checked.run(None);
    let discovery = discover_field(records, &dictionary, &settings, &run, watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let system = discovery.system();
    let noise = &discovery.choice().noise;
    let followed = system
        .as_ref()
        .map(|system| follow(system, &records[0], noise));
    let document = Document::field(&discovery, followed.as_ref());
    let document =
        serde_json::to_string(&document).expect("the document holds nothing that JSON cannot");
    let outcome = |study: &Study| Outcome::new(study, &Document::new(study, Vec::new(), seconds));
    let settings = serde_json::to_value(&settings).expect("settings are plain data");
    Ok(FieldDiscovery {
        document,
        outcomes: discovery.studies().iter().map(outcome).collect(),
        quantities: names.quantities().to_vec(),
        system: system.map(|inner| FieldSystem {
            file: inner.to_file(settings),
            inner,
        }),
        hints,
    })
}

/// Learned equations of a field; `eqlearn.FieldSystem` is what users see.
#[pyclass(frozen, module = "eqlearn._native", subclass)]
#[derive(Debug, Clone)]
pub(crate) struct FieldSystem {
    inner: eqlearn::FieldSystem,
    /// The equations again, with how they were made.
    file: ModelFile,
}

/// What a system is made from.
#[derive(FromPyObject)]
enum Source<'py> {
    System(PyRef<'py, FieldSystem>),
    Text(String),
}

/// Times that were reached, for each quantity the values of all points at each of them, how it
/// ended, and when.
type Simulated<'py> = (
    Bound<'py, PyArray1<f64>>,
    Vec<Bound<'py, PyArray1<f64>>>,
    &'static str,
    Option<f64>,
);

#[pymethods]
impl FieldSystem {
    /// The equations in the text of a model file, or the same as another.
    #[new]
    fn given(given: Source<'_>) -> PyResult<Self> {
        let text = match given {
            Source::System(same) => return Ok(same.clone()),
            Source::Text(text) => text,
        };
        let file = ModelFile::from_json(&text).map_err(|error| exception(&error))?;
        let inner = eqlearn::FieldSystem::from_file(&file).map_err(|error| exception(&error))?;
        let inner =
            inner.ok_or_else(|| PyValueError::new_err("the file holds no equations of a field"))?;
        Ok(Self { inner, file })
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (this.get_type(), (this.get().to_json(),))
    }

    /// The names of the axes, time first.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.inner.names().axes().to_vec()
    }

    /// The names of the quantities.
    #[getter]
    fn quantities(&self) -> Vec<String> {
        self.inner.names().quantities().to_vec()
    }

    /// One equation per quantity.
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

    /// Simulates a periodic field in one direction of space from its values at the first of some
    /// rising times.
    fn follow<'py>(
        &self,
        py: Python<'py>,
        start: Vec<Vec<f64>>,
        length: f64,
        times: Vec<f64>,
        tolerance: f64,
    ) -> PyResult<Simulated<'py>> {
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
        let done = detached(py, move || {
            simulate_field(system, &start, length, &times, &settings)
        })?;
        let (end, time) = match done.end {
            End::Reached => ("reached", None),
            End::BlewUp { time } => ("blew up", Some(time)),
            End::Pole { time } => ("pole", Some(time)),
            End::StepCollapsed { time } => ("step collapsed", Some(time)),
            End::OutOfSteps { time } => ("out of steps", Some(time)),
        };
        let values = done.values.into_iter().map(|all| all.into_pyarray(py));
        Ok((done.times.into_pyarray(py), values.collect(), end, time))
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
