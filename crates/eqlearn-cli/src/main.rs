//! The `eqlearn` command: finds the equation behind a table.
//!
//! Results go to standard output, all else to standard error. Exit status: 0 an equation was learned, 1 the
//! data support none, 2 the command or the data were wrong.

mod args;
mod input;
mod output;
mod progress;
mod run;
mod trouble;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.command {
        Command::Fit(args) => run::fit::run(args),
        Command::Predict(args) => run::predict::run(args),
        Command::Demo => run::demo::run(),
    };
    match outcome {
        Ok(code) => code,
        Err(trouble) => trouble.report(),
    }
}
