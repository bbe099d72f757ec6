//! Differential equations from trajectories.

use std::time::Instant;

use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::tell::document::Document;
use eqlearn::{
    Coefficients, Conclusion, Discover, ModelFile, Order, Problem, Result, RowScheme, Settings,
    Study, conclude, discover,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::outcome::Outcome;
use crate::request::{Request, parse};
use crate::rows::aligned;
use crate::system::System;
use crate::watch::Watch;
use crate::workers::{Workers, shared};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DiscoverRequest {
    time: String,
    states: Vec<String>,
    inputs: Vec<String>,
    time_as_feature: bool,
    derivative: String,
    half_width: Option<f64>,
    discrete: bool,
    order: u8,
    refine: bool,
    request: Request,
}

impl DiscoverRequest {
    fn rows(&self) -> Result<RowScheme> {
        if self.discrete {
            return Ok(RowScheme::Map);
        }
        let rows: RowScheme = self.derivative.parse()?;
        Ok(match (rows, self.half_width) {
            (RowScheme::Auto | RowScheme::Weak { .. }, half_width @ Some(_)) => {
                RowScheme::Weak { half_width }
            }
            (rows, _) => rows,
        })
    }

    fn order(&self) -> Order {
        if self.order == 2 {
            Order::Second
        } else {
            Order::First
        }
    }

    fn trajectories(&self, records: Vec<Record>) -> Result<Trajectories> {
        let feature = if self.time_as_feature {
            TimeFeature::Yes
        } else {
            TimeFeature::No
        };
        Trajectories::new(&self.time, &self.states, &self.inputs, feature, records)
    }
}

/// A record as Python hands it over: its name, its times, and its states and inputs side by side.
type Given<'py> = (
    String,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray2<'py, f64>,
);

/// What was found: the result document, the system if every state has an equation, one outcome per state, and the pieces, gaps
/// and short stretches of the record.
type Discovered = (String, Option<System>, Vec<Outcome>, (usize, usize, usize));

/// Learns one equation per state.
#[pyfunction]
#[pyo3(signature = (records, request, progress=None, workers=None))]
pub(crate) fn discover_records(
    py: Python<'_>,
    records: Vec<Given<'_>>,
    request: &str,
    progress: Option<Py<PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<Discovered> {
    let asked: DiscoverRequest = parse(request)?;
    let n_states = asked.states.len();
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
    let watch = Watch::new(progress, asked.request.limit());
    let workers = Workers::new(py, workers)?;
    let workers = workers.as_ref();
    let (document, file, outcomes, pieces) = shared(py, watch, workers, |watch| {
        learn(&asked, records, workers, watch)
    })?;
    let system = file.map(System::read).transpose()?;
    Ok((document, system, outcomes, pieces))
}

type Learnt = (String, Option<String>, Vec<Outcome>, (usize, usize, usize));

fn learn(
    asked: &DiscoverRequest,
    records: Vec<Record>,
    workers: Option<&Workers>,
    watch: &mut Watch,
) -> Result<Learnt> {
    let trajectories = asked.trajectories(records)?;
    let (rows, order) = (asked.rows()?, asked.order());
    let features = order.features(&trajectories)?;
    let dictionary = asked.request.dictionary.dictionary(&features)?;
    let target = rows.left_side(&trajectories.states()[0]);
    let problem = Problem::new(target, dictionary.clone())?;
    // Neighbouring rows share samples, so folds of them are no test: a knob is given, or has its peer's value.
    let settings = Discover {
        rows,
        order,
        learn: Settings {
            tune: false,
            ..asked.request.settings(problem.dictionary())?
        },
    };
    let started = Instant::now();
    let cluster = workers.map(Workers::cluster);
    let run = asked.request.run(cluster.as_ref());
    let discovery = discover(&trajectories, &dictionary, &settings, &run, watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let coefficients = if asked.refine {
        Coefficients::OfMotion
    } else {
        Coefficients::OfRows
    };
    let Conclusion { system, document } = conclude(&discovery, &trajectories, coefficients)?;
    let document =
        serde_json::to_string(&document).expect("the document holds nothing that JSON cannot");
    let file = system.map(|system| {
        let settings = serde_json::to_value(&settings).expect("settings are plain data");
        ModelFile::new(system.equations().to_vec(), settings).to_json()
    });
    let outcome = |study: &Study| Outcome::new(study, &Document::new(study, Vec::new(), seconds));
    let outcomes = discovery.studies().iter().map(outcome).collect();
    let pieces = (
        trajectories.pieces().len(),
        trajectories.n_gaps(),
        trajectories.n_short(),
    );
    Ok((document, file, outcomes, pieces))
}
