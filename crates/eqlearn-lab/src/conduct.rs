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
    /// For motion at high noise: the one system to look at; none for all.
    pub system: Option<String>,
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

/// Shown how far a run has come, several times a second.
pub type Show<'a> = dyn FnMut(&Progress) + 'a;

/// An experiment in the list of all.
pub struct Entry {
    /// What users type.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&Request, &mut Show<'_>) -> Result<Reported>,
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
    show: &mut Show<'_>,
) -> Result<Reported> {
    let mut watch = |progress: &Progress| {
        show(progress);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;

    fn table(request: &Request) -> String {
        let noise = ALL.iter().find(|entry| entry.name == "noise").unwrap();
        (noise.run)(request, &mut |_| ()).unwrap().table
    }

    #[test]
    fn a_table_is_the_same_with_and_without_files_and_after_a_cut() {
        let folder = std::env::temp_dir().join(format!("eqlearn-lab-{}", std::process::id()));
        let in_memory = Request {
            seed: 1,
            sets: 2,
            rows: RowScheme::Auto,
            method: Method::Best,
            system: None,
            out: None,
            threads: 1,
        };
        let in_files = Request {
            out: Some(folder.clone()),
            threads: 2,
            ..in_memory.clone()
        };
        let expected = table(&in_memory);
        assert_eq!(table(&in_files), expected);
        let path = folder.join("noise.jsonl");
        let lines = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &lines[..lines.len() / 2]).unwrap();
        assert_eq!(table(&in_files), expected);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), lines);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn every_experiment_has_a_name_of_its_own() {
        let mut names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
