//! From a request to a report: what all experiments of the lab have in common.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use eqlearn::search::Shard;
use eqlearn::{Method, RowScheme};
use eqlearn_reproduce::runner::{self, LineOf, Progress, read_lines};
use eqlearn_reproduce::show::figure::Figure;
use eqlearn_reproduce::{Experiment, Result};

/// What to run, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The seed of all random numbers.
    pub seed: u64,
    /// How many data sets of each kind.
    pub sets: u32,
    /// For the dynamical systems: how trajectories become rows.
    pub rows: RowScheme,
    /// For the dynamical systems: how rows become equations.
    pub method: Method,
    /// The folder of the lines; none to keep no files.
    pub out: Option<PathBuf>,
    /// How many scenarios run side by side. Never changes a result.
    pub threads: usize,
}

/// What came out.
#[derive(Debug)]
pub struct Reported {
    /// A table to print.
    pub table: String,
    /// A figure, if the experiment has one.
    pub figure: Option<Figure>,
}

/// An experiment that can be reported.
pub trait Report: Experiment {
    /// The table of all lines.
    fn table(&self, lines: &[LineOf<Self>]) -> String
    where
        Self: Sized;

    /// The figure of all lines, if there is one.
    fn figure(&self, _lines: &[LineOf<Self>]) -> Option<Figure>
    where
        Self: Sized,
    {
        None
    }
}

/// An experiment in the list of all.
pub struct Entry {
    /// What users type.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&Request, &mut dyn FnMut(&Progress)) -> Result<Reported>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Runs an experiment, or what is missing of it, and reports all of its lines.
pub(crate) fn conduct<E: Report>(
    experiment: &E,
    request: &Request,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Reported> {
    let mut watch = |progress: &Progress| {
        watch(progress);
        ControlFlow::Continue(())
    };
    let lines = match &request.out {
        Some(out) => {
            let _ = runner::run(experiment, Shard::WHOLE, out, request.threads, &mut watch)?;
            read_lines(out, experiment.name())?
        }
        None => runner::collect(experiment, request.threads, &mut watch)
            .expect("this watch never stops a run"),
    };
    Ok(Reported {
        table: experiment.table(&lines),
        figure: experiment.figure(&lines),
    })
}
