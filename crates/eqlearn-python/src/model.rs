//! A learned equation.

use eqlearn::error::counted;
use eqlearn::learn::model::Denominator;
use eqlearn::terms::term::{Language, Term};
use eqlearn::{Model as Equation, ModelFile};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::rows::{Rows, aligned};
use crate::trouble::{detached, exception};

/// A learned equation: terms with coefficients, in the units of the data.
///
/// It is what `study.model` and `system.equations` hold. It predicts, prints, pickles, and saves as
/// the file that `eqlearn predict` of the command line reads.
#[pyclass(frozen, module = "eqlearn._native")]
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) inner: Equation,
}

#[pymethods]
impl Model {
    /// The model in the text of a model file.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let file = ModelFile::from_json(text).map_err(|error| exception(&error))?;
        match file.equations() {
            [inner] => Ok(Self {
                inner: inner.clone(),
            }),
            several => Err(PyValueError::new_err(format!(
                "the file holds {} equations; a system is read with System",
                several.len()
            ))),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.to_json(),))
    }

    /// The name of the target.
    #[getter]
    fn target(&self) -> String {
        self.inner.target()
    }

    /// The names of the features, in the order of the columns that `predict` takes.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.inner.features().to_vec()
    }

    /// The terms as text.
    #[getter]
    fn terms(&self) -> Vec<String> {
        self.inner.term_texts()
    }

    /// One coefficient per term.
    #[getter]
    fn coefficients(&self) -> Vec<f64> {
        self.inner.coefficients().to_vec()
    }

    /// The terms below the line of a fraction with their coefficients; empty for any other law.
    #[getter]
    fn denominator(&self) -> Vec<(String, f64)> {
        let pairs = |below: &Denominator| {
            let terms = below.terms().iter().map(ToString::to_string);
            terms.zip(below.coefficients().iter().copied()).collect()
        };
        self.inner.denominator().map_or(Vec::new(), pairs)
    }

    /// The values of parameters inside the terms, by name.
    #[getter]
    fn parameters(&self) -> Vec<(String, f64)> {
        let parameters = self.inner.parameters().iter();
        parameters.map(|p| (p.name.clone(), p.value)).collect()
    }

    /// One standard error per term; None where the noise level is not known.
    #[getter]
    fn std_errors(&self) -> Option<Vec<f64>> {
        self.inner.std_errors().map(<[f64]>::to_vec)
    }

    /// The covariance of the coefficients, row by row; None where the noise level is not known.
    #[getter]
    fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        self.inner.covariance().map(<[Vec<f64>]>::to_vec)
    }

    /// The noise level.
    #[getter]
    fn sigma(&self) -> Option<f64> {
        self.inner.sigma()
    }

    /// How many rows it was learned from.
    #[getter]
    fn n_obs(&self) -> usize {
        self.inner.n_obs()
    }

    /// The equation in LaTeX.
    #[getter]
    fn latex(&self) -> String {
        self.inner.latex()
    }

    /// Each term as an expression of Python over `x[0]`, `x[1]`, … with functions of `np`.
    #[getter]
    fn term_codes(&self) -> Vec<String> {
        let code = |term: &Term| term.code(Language::Python, &|place| format!("x[{place}]"));
        // With the denominator of a fraction, so that the sum of all is the right side.
        let summands = self.inner.summands();
        summands.iter().map(|(_, term)| code(term)).collect()
    }

    /// The equation's value for every row; columns are the features in order.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        features: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let features = aligned(features)?;
        let rows = Rows {
            features: features.as_array(),
            target: None,
            weights: None,
        };
        let (given, known) = (rows.features.ncols(), self.inner.features().len());
        if given != known {
            return Err(PyValueError::new_err(format!(
                "there must be as many as features, not {} for {}",
                counted(given, "column"),
                counted(known, "feature")
            )));
        }
        let model = &self.inner;
        let predicted = detached(py, move || {
            let mut all = Vec::with_capacity(rows.features.nrows());
            for batch in rows.batches(model.features().to_vec())? {
                all.extend(model.predict(&batch?)?);
            }
            Ok(all)
        })?;
        Ok(predicted.into_pyarray(py))
    }

    /// The text of a model file, as `eqlearn fit --save` writes it.
    fn to_json(&self) -> String {
        ModelFile::new(vec![self.inner.clone()], serde_json::Value::Null).to_json()
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Model {}>", self.inner)
    }

    fn _repr_latex_(&self) -> String {
        format!("${}$", self.inner.latex())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get().inner == self.inner)
    }
}
