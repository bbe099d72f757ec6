//! `eqlearn demo`: a first experience on built-in data.

use std::process::ExitCode;

use crate::trouble::Trouble;

pub(crate) fn run() -> Result<ExitCode, Trouble> {
    Ok(ExitCode::SUCCESS)
}
