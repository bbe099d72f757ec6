//! The command that runs the experiments.

#![expect(clippy::print_stdout, reason = "an experiment prints its table")]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use eqlearn::RowScheme;
use eqlearn_lab::{calibration, criteria, dynamics, noise, polynomials};

/// Measures what eqlearn claims, on data whose equation is known.
#[derive(Debug, Parser)]
struct Cli {
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, global = true)]
    seed: u64,
    /// How many data sets of each kind
    #[arg(long, default_value_t = 100, global = true)]
    sets: u32,
    /// For the dynamical systems: how trajectories become rows
    #[arg(long, default_value = "auto", global = true)]
    rows: RowScheme,
    /// For the dynamical systems: best, cs-r2, cs-evidence or bsr
    #[arg(long, default_value = "best", global = true, value_parser = method)]
    method: eqlearn::Method,
    /// For the dynamical systems: one line of JSON per scenario goes here; a run goes on from it
    #[arg(long, global = true)]
    out: Option<PathBuf>,
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// How often each method recovers the paper's random polynomials exactly
    Polynomials,
    /// How often the default method claims a law on pure noise
    Noise,
    /// How each criterion does on the same exact lists: recovery, false claims, size errors
    Criteria,
    /// Whether models reported with probability 0.9 are right nine times out of ten
    Calibration {
        /// Draw the figure here, as SVG
        #[arg(long)]
        figure: Option<PathBuf>,
    },
    /// The paper's 80 scenarios of the Lorenz system
    Lorenz,
    /// The paper's 84 scenarios of the Rabinovich–Fabrikant system, whose start spirals into a fixed point
    Rabinovich,
    /// The same from a start on the attractor
    RabinovichAttractor,
    /// Eight more systems at four noise levels
    Systems,
}

fn method(name: &str) -> Result<eqlearn::Method, String> {
    let known = eqlearn::Method::all()
        .into_iter()
        .find(|method| method.name() == name);
    known.ok_or_else(|| "there is no such method".to_string())
}

fn main() -> std::io::Result<()> {
    let cli = Cli::parse();
    let dynamics = dynamics::Experiment {
        seed: cli.seed,
        rows: cli.rows,
        method: cli.method,
        out: cli.out.as_deref(),
    };
    let table = match cli.experiment {
        Experiment::Polynomials => polynomials::run(cli.seed, cli.sets),
        Experiment::Noise => noise::run(cli.seed, cli.sets),
        Experiment::Criteria => criteria::run(cli.seed, cli.sets),
        Experiment::Calibration { figure } => {
            let (table, svg) = calibration::run(cli.seed, cli.sets);
            if let Some(path) = figure {
                std::fs::write(path, svg)?;
            }
            table
        }
        Experiment::Lorenz => dynamics::run("lorenz", &dynamics),
        Experiment::Rabinovich => dynamics::run("rabinovich", &dynamics),
        Experiment::RabinovichAttractor => dynamics::run("rabinovich-attractor", &dynamics),
        Experiment::Systems => dynamics::run_others(&dynamics),
    };
    println!("{table}");
    Ok(())
}
