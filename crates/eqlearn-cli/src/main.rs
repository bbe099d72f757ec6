//! The `eqlearn` command: finds the equation behind a table.
//!
//! Results go to standard output, all else to standard error. Exit status: 0 an equation was
//! learned, 1 the data support none, 2 the command or the data were wrong.

mod args;
mod config;
mod files;
mod input;
mod model;
mod output;
mod places;
mod progress;
mod record;
mod report;
mod run;
mod terminal;
mod triangles;
mod trouble;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};
use trouble::Trouble;

fn main() -> ExitCode {
    run().unwrap_or_else(|trouble| trouble.report())
}

fn run() -> Result<ExitCode, Trouble> {
    let cli = match Cli::try_parse_from(config::expand(std::env::args_os().collect())?) {
        Ok(cli) => cli,
        Err(refused) => return Ok(trouble::report_refused(&refused)),
    };
    progress::catch_interrupts();
    match &cli.command {
        Command::Fit(args) => run::fit::run(args),
        Command::Reduce(args) => run::reduce::run(args),
        Command::Compare(args) => run::compare::run(args),
        Command::Merge(args) => run::merge::run(args),
        Command::Predict(args) => run::predict::run(args),
        Command::Discover(args) => run::discover::run(args),
        Command::Simulate(args) => run::simulate::run(args),
        Command::Reproduce(args) => run::reproduce::run(args),
        Command::Demo(args) => run::demo::run(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "eqlearn", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man { command } => run::man::run(command.as_deref()),
    }
}
