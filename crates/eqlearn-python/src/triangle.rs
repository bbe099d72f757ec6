//! Rows reduced to a triangle, and equations from triangles.

use eqlearn::ask::{self, Checked, Command};
use eqlearn::data::TableError;
use eqlearn::{Error, Gathered, Problem, Result, TriangleFile as File};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::fit::learn_all;
use crate::outcome::{Outcome, texts};
use crate::request::{checked, parse};
use crate::table::{Origin, Reading, remark_on_missing};
use crate::trouble::{detached, watched};
use crate::watch::Watch;
use crate::workers::{Workers, shared};

/// Rows of one problem, reduced to a triangle; users see it as `eqlearn.Triangle`.
#[pyclass(frozen, module = "eqlearn._native")]
#[derive(Debug, Clone)]
pub(crate) struct TriangleFile {
    inner: File,
}

#[pymethods]
impl TriangleFile {
    /// The triangle in the text of a file; `name` stands for it in messages.
    #[new]
    fn new(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let inner = detached(py, || File::from_json(text, name))?;
        Ok(Self { inner })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String, &'static str)) {
        (py.get_type::<Self>(), (self.to_json(), "the triangle"))
    }

    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    #[getter]
    fn target(&self) -> String {
        self.inner.problem().target()
    }

    #[getter]
    fn features(&self) -> Vec<String> {
        self.inner.problem().dictionary().features().to_vec()
    }

    #[getter]
    fn terms(&self) -> Vec<String> {
        texts(self.inner.problem().dictionary())
    }

    #[getter]
    fn weights(&self) -> Option<&str> {
        self.inner.problem().weights()
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.inner.reduction().n_obs()
    }

    /// The rows of this and then of another.
    fn merged(&self, py: Python<'_>, later: &Self) -> PyResult<Self> {
        let inner = detached(py, || self.inner.clone().merge(later.inner.clone()))?;
        Ok(Self { inner })
    }
}

/// The triangle of a table, and remarks on the table.
fn reduce(
    checked: &Checked,
    problem: &Problem,
    origin: Origin,
    reading: &Reading,
    watch: &mut Watch,
) -> Result<(File, Vec<String>)> {
    let source = origin.open(reading)?;
    let (name, mut notes) = (source.name().to_string(), source.notes().to_vec());
    let named = |error: Error| error.in_file(&name);
    let mut batches = source.batches(&problem.columns()).map_err(named)?;
    let reduced = File::reduce(problem, batches.by_ref(), checked.threads(), watch);
    notes.extend(remark_on_missing(batches.dropped()));
    Ok((reduced.map_err(named)?.named(&name), notes))
}

/// A triangle, and remarks on the table.
type FromTable = (TriangleFile, Vec<String>);

/// Reduces all rows of a table to a triangle. With `may_be_empty` a part without rows is no error.
#[pyfunction]
#[pyo3(signature = (origin, reading, may_be_empty, request, progress=None))]
pub(crate) fn reduce_table(
    py: Python<'_>,
    origin: Origin,
    reading: &str,
    may_be_empty: bool,
    request: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<FromTable> {
    let checked = checked(request, Command::Reduce)?;
    let reading: Reading = parse(reading)?;
    watched(py, Watch::new(progress, None), |watch| {
        let asked = checked.request();
        let features = asked.features.clone().unwrap_or_default();
        let target = asked.target.clone().unwrap_or_default();
        let problem = checked.problem_over(&features, &target)?;
        let reduced = match reduce(&checked, &problem, origin, &reading, watch) {
            Err(Error::Table(TableError::NoRows { .. } | TableError::NoCompleteRows { .. }))
                if may_be_empty =>
            {
                let nothing = std::iter::empty();
                File::reduce(&problem, nothing, 1, watch).map(|file| (file, Vec::new()))
            }
            other => other,
        };
        reduced.map(|(inner, notes)| (TriangleFile { inner }, notes))
    })
}

/// The columns of numbers but these, and remarks.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Python hands over is owned"
)]
pub(crate) fn numeric_columns(
    py: Python<'_>,
    origin: Origin,
    but: Vec<String>,
    reading: &str,
) -> PyResult<(Vec<String>, Vec<String>)> {
    let reading: Reading = parse(reading)?;
    detached(py, || {
        let source = origin.open(&reading)?;
        let but: Vec<&str> = but.iter().map(String::as_str).collect();
        let (names, remark) = ask::numeric_columns(&source, &but);
        Ok((names, remark.into_iter().collect()))
    })
}

/// Learns one equation from rows that come as triangles.
#[pyfunction]
#[pyo3(signature = (triangles, request, progress=None, workers=None))]
pub(crate) fn fit_triangles(
    py: Python<'_>,
    triangles: Vec<PyRef<'_, TriangleFile>>,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let checked = checked(request, Command::Fit)?;
    let files: Vec<File> = triangles.iter().map(|one| one.inner.clone()).collect();
    drop(triangles);
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    let watch = Watch::new(progress, checked.limit());
    shared(py, watch, workers, |watch| {
        let problem = checked.problem_of(&files)?;
        let gathered = Gathered::of_triangles(&files, checked.cut().as_ref())?;
        let mut outcomes = learn_all(&[problem], &[gathered], &checked, workers, watch)?;
        Ok(outcomes.swap_remove(0))
    })
}
