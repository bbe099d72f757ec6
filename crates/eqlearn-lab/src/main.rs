//! The command that runs the experiments.

#![expect(clippy::print_stdout, reason = "an experiment prints its table")]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use eqlearn_lab::{calibration, criteria, noise, polynomials};

/// Measures what eqlearn claims, on data whose equation is known.
#[derive(Debug, Parser)]
struct Cli {
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, global = true)]
    seed: u64,
    /// How many data sets of each kind
    #[arg(long, default_value_t = 100, global = true)]
    sets: u32,
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
}

fn main() -> std::io::Result<()> {
    let cli = Cli::parse();
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
    };
    println!("{table}");
    Ok(())
}
