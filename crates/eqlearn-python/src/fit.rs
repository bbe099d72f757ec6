//! One equation per target, from arrays or from a table.

use std::time::Instant;

use eqlearn::ask::{Checked, Command};
use eqlearn::beyond::Asked;
use eqlearn::learn::grouped::learn_grouped;
use eqlearn::search::Elsewhere;
use eqlearn::tell::GatheredGroups;
use eqlearn::tell::document::Document;
use eqlearn::terms::problem::{Constants, Weights};
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::{
    Beyond, Data, Gathered, Observer, Problem, ReadOptions, Request, Result, Source, Study, Table,
    learn_beyond, learn_jointly,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::outcome::Outcome;
use crate::request::parse;
use crate::rows::{Rows, aligned};
use crate::table::{Origin, Reading, remark_on_missing};
use crate::trouble::exception;
use crate::watch::Watch;
use crate::workers::{Workers, shared};

/// Rows as Python hands them over: features, targets and perhaps weights.
type GivenRows<'py> = (
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray2<'py, f64>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// What the columns of arrays are: the names of the targets, and whether weights are counts.
type Columns = (Vec<String>, bool);

/// Learns one equation per target.
#[pyfunction]
#[pyo3(signature = (rows, columns, request, progress=None, workers=None))]
pub(crate) fn fit_arrays(
    py: Python<'_>,
    rows: GivenRows<'_>,
    columns: Columns,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<Vec<Outcome>> {
    let (features, targets) = (aligned(rows.0)?, aligned(rows.1)?);
    let weights = rows.2.map(aligned).transpose()?;
    let (target_names, repeats) = columns;
    let mut request = Request::from_json(request).map_err(|error| exception(&error))?;
    let names = request.features.clone().unwrap_or_default();
    if weights.is_some() {
        request.weights = Some(free_name("sample_weight", &names, &target_names));
    }
    let looks_at_rows = request.noise.is_some() || request.robust == Some(true);
    let one_by_one = request.vocabulary.is_some() || looks_at_rows;
    if looks_at_rows {
        let plain = || "monomials".to_string();
        request.vocabulary.get_or_insert_with(plain);
    }
    let checked = request
        .check(Command::Fit)
        .map_err(|error| exception(&error))?;
    let meaning = if repeats {
        Weights::Repeats
    } else {
        Weights::Precision
    };
    let (features, targets) = (features.as_array(), targets.as_array());
    let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
    let watch = Watch::new(progress, checked.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    shared(py, watch, workers, |watch| {
        let mut problems = Vec::with_capacity(target_names.len());
        let mut all = Vec::with_capacity(target_names.len());
        for (name, target) in target_names.iter().zip(targets.columns()) {
            let problem = checked
                .problem_over(&names, name)?
                .with_constants(Constants::Allow)
                .with_meaning(meaning);
            let rows = Rows {
                features,
                target: Some(target),
                weights,
            };
            let first_pass = rows.batches(problem.columns())?;
            let problem = checked.settled(problem, first_pass)?;
            let batches = rows.batches(problem.columns())?;
            all.push(gather(&problem, batches, &checked, watch)?);
            problems.push(problem);
        }
        if one_by_one {
            let both = problems.iter().zip(&all);
            return both
                .map(|(problem, rows)| learn_one(problem, rows, &checked, workers, watch))
                .collect();
        }
        learn_all(&problems, &all, &checked, workers, watch)
    })
}

/// What was learned, and remarks on the table.
type FromTable = (Outcome, Vec<String>);

/// Learns one equation from a table of any kind that the command line or Arrow knows.
#[pyfunction]
#[pyo3(signature = (origin, reading, request, progress=None, workers=None))]
pub(crate) fn fit_table(
    py: Python<'_>,
    origin: Origin,
    reading: &str,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<FromTable> {
    let checked = crate::request::checked(request, Command::Fit)?;
    let reading: Reading = parse(reading)?;
    let watch = Watch::new(progress, checked.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    shared(py, watch, workers, |watch| {
        let source = origin.open(&reading)?;
        let checked = checked.in_names_of(&source);
        let source = checked.categorised(source, &[], &reading.options()?)?;
        let mut notes = source.notes().to_vec();
        if checked.group().is_some() {
            let outcome = of_groups(&checked, source, &reading.options()?, &mut notes, watch)?;
            return Ok((outcome, notes));
        }
        let (problem, gathered) = of_table(&checked, source, &mut notes, watch)?;
        let outcome = learn_one(&problem, &gathered, &checked, workers, watch)?;
        Ok((outcome, notes))
    })
}

/// One law for several experiments of a table.
fn of_groups(
    checked: &Checked,
    source: Source,
    options: &ReadOptions,
    notes: &mut Vec<String>,
    watch: &mut Watch,
) -> Result<Outcome> {
    let (problem, remark) = checked.problem(&source)?;
    notes.extend(remark);
    notes.extend(checked.remarks_on_terms(problem.dictionary().features())?);
    let (problem, source) = checked.settled_on_files(problem, source, &[], options.clone())?;
    let (shared, settings) = (checked.shared(&problem)?, checked.settings(&problem)?);
    let rows = checked.labelled(source, Vec::new(), options.clone(), &problem)?;
    let mut rows = rows.expect("a column tells experiments apart");
    let column = checked.group().unwrap_or_default();
    let threads = checked.threads();
    let gathered = GatheredGroups::new(&problem, column, rows.by_ref(), threads, watch)?;
    notes.extend(rows.remark());
    let started = Instant::now();
    let study = learn_grouped(&problem, gathered.groups(), &shared, &settings, watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let document = Document::of_groups(&study, gathered.checks(&study)?, seconds);
    Ok(Outcome::of_groups(&study, &document))
}

/// What is asked of a table, and its rows.
fn of_table(
    checked: &Checked,
    source: Source,
    notes: &mut Vec<String>,
    watch: &mut Watch,
) -> Result<(Problem, Gathered)> {
    if let Some(derivative) = checked.differentiated(&source)? {
        let mut batches = source.batches(&derivative.read)?;
        let table = derivative.of(&batches.whole()?)?;
        notes.extend(remark_on_missing(batches.dropped()));
        let rows = std::iter::once_with(|| Ok(table.clone()));
        let problem = checked.settled(derivative.problem, rows)?;
        let gathered = gather(&problem, [Ok(table)].into_iter(), checked, watch)?;
        return Ok((problem, gathered));
    }
    let (problem, remark) = checked.problem(&source)?;
    notes.extend(remark);
    notes.extend(checked.remarks_on_terms(problem.dictionary().features())?);
    let options = ReadOptions::default();
    let (problem, source) = checked.settled_on_files(problem, source, &[], options)?;
    let mut batches = source.batches(&problem.columns())?;
    let gathered = gather(&problem, batches.by_ref(), checked, watch)?;
    notes.extend(remark_on_missing(batches.dropped()));
    Ok((problem, gathered))
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
    checked: &Checked,
    observer: &mut dyn Observer,
) -> Result<Gathered> {
    let cut = checked.cut();
    Gathered::new(problem, batches, cut.as_ref(), checked.threads(), observer)
}

/// Learns one equation, beyond the dictionary too, as the command line does.
pub(crate) fn learn_one(
    problem: &Problem,
    gathered: &Gathered,
    checked: &Checked,
    workers: Option<&Workers>,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let settings = checked.settings(problem)?;
    let cluster = workers.map(Workers::cluster);
    let run = checked.run(cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere));
    let asked = Asked {
        problem,
        data: gathered.data(),
        kept: gathered.kept(),
        settings: &settings,
    };
    let started = Instant::now();
    let beyond = checked.beyond(problem)?;
    let learned = learn_beyond(&asked, &beyond, &run, observer)?;
    let seconds = started.elapsed().as_secs_f64();
    let checks = gathered.checks_of(&learned)?;
    let document = Document::new(&learned.study, checks, seconds).after_trying(&learned.tried);
    Ok(Outcome::new(&learned.study, &document))
}

pub(crate) fn learn_all(
    problems: &[Problem],
    gathered: &[Gathered],
    checked: &Checked,
    workers: Option<&Workers>,
    observer: &mut dyn Observer,
) -> Result<Vec<Outcome>> {
    if problems.is_empty() {
        return Err(eqlearn::reduce::ReduceError::NoTargets.into());
    }
    let settings = checked.settings_of_several(problems)?;
    let data: Vec<Data<'_>> = gathered.iter().map(Gathered::data).collect();
    let started = Instant::now();
    let cluster = workers.map(Workers::cluster);
    let run = checked.run(cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere));
    let beyond = Beyond {
        vocabulary: Some(Vocabulary::Monomials),
        ..checked.beyond(&problems[0])?
    };
    let studies = if beyond.families.is_empty() {
        learn_jointly(problems, &data, &settings, &run, observer)?
    } else {
        let both = problems.iter().zip(gathered);
        let with_inner_parameters = |(problem, gathered): (_, &Gathered)| {
            let asked = Asked {
                problem,
                data: gathered.data(),
                kept: gathered.kept(),
                settings: &settings,
            };
            learn_beyond(&asked, &beyond, &run, observer).map(|learned| learned.study)
        };
        both.map(with_inner_parameters).collect::<Result<_>>()?
    };
    let seconds = started.elapsed().as_secs_f64();
    let outcome = |(study, gathered): (&Study, &Gathered)| {
        let document = Document::new(study, gathered.checks(study)?, seconds);
        Ok(Outcome::new(study, &document))
    };
    studies.iter().zip(gathered).map(outcome).collect()
}
