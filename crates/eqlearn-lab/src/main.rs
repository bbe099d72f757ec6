//! The command that runs the experiments.

#![expect(clippy::print_stdout, reason = "an experiment prints its table")]
#![expect(clippy::print_stderr, reason = "progress and errors go there")]

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::PossibleValue;
use eqlearn::{Method, RowScheme};
use eqlearn_lab::{ALL, Entry, Reported, Request};
use eqlearn_reproduce::runner::Progress;

/// Measures what eqlearn claims, on data whose equation is known.
#[derive(Debug, Parser)]
struct Cli {
    /// The experiment
    #[arg(value_parser = names())]
    experiment: String,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many data sets of each kind
    #[arg(long, default_value_t = 100)]
    sets: u32,
    /// For the dynamical systems: how trajectories become rows
    #[arg(long, default_value = "auto")]
    rows: RowScheme,
    /// For the dynamical systems: best, cs-r2, cs-evidence or bsr
    #[arg(long, default_value = "best", value_parser = method)]
    method: Method,
    /// For motion at high noise and short records: only this system
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// Keep the lines behind the table in this folder; a run goes on from them
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads to use; all cores if not given. Never changes a result
    #[arg(long)]
    threads: Option<usize>,
    /// Draw the figure here, as SVG, if the experiment has one
    #[arg(long, value_name = "FILE.svg")]
    figure: Option<PathBuf>,
}

fn names() -> Vec<PossibleValue> {
    let value = |entry: &Entry| PossibleValue::new(entry.name).help(entry.about);
    ALL.iter().map(value).collect()
}

fn method(name: &str) -> Result<Method, String> {
    let known = Method::all()
        .into_iter()
        .find(|method| method.name() == name);
    known.ok_or_else(|| "there is no such method".to_string())
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn std::error::Error>> {
    let all_cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let request = Request {
        seed: cli.seed,
        sets: cli.sets,
        rows: cli.rows,
        method: cli.method.clone(),
        system: cli.system.clone(),
        out: cli.out.clone(),
        threads: cli.threads.unwrap_or_else(all_cores),
    };
    let entry = ALL.iter().find(|entry| entry.name == cli.experiment);
    let entry = entry.expect("the parser knows the names");
    let is_terminal = std::io::stderr().is_terminal();
    let mut show = |progress: &Progress| {
        if is_terminal {
            eprint!("\r{} of {} scenarios ", progress.done, progress.total);
        }
    };
    let Reported { table, figure } = (entry.run)(&request, &mut show)?;
    if is_terminal {
        eprint!("\r\x1b[K");
    }
    if let Some(path) = &cli.figure {
        let figure = figure.ok_or_else(|| format!("{} has no figure", entry.name))?;
        std::fs::write(path, figure.svg())?;
    }
    println!("{table}");
    Ok(())
}
