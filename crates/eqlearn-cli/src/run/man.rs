//! `eqlearn man`: the manual, from the same definitions as `--help`.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::output::{cannot_write, print};
use crate::trouble::Trouble;

/// The page of a command, or that of all.
pub(crate) fn run(name: Option<&str>) -> Result<ExitCode, Trouble> {
    let mut all = Cli::command();
    all.build();
    let command = match name {
        None => all,
        Some(name) => {
            if let Some(command) = all.find_subcommand(name) {
                command.clone()
            } else {
                let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
                return Err(Trouble::new(format!("there is no command {name}"))
                    .hint(format!("the commands are {}", known.join(", "))));
            }
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(cannot_write)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}
