//! `eqlearn demo`: a first try on built-in data.
//!
//! A noisy recording of the Lorenz system, or a table of an enzyme, is made here and written beside
//! the page, so that a reader can go on with it.

mod enzyme;
mod lorenz;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::args::DemoArgs;
use crate::terminal::{Look, sentence};
use crate::trouble::Trouble;

pub(crate) fn run(args: &DemoArgs) -> Result<ExitCode, Trouble> {
    if args.table {
        enzyme::run(args)
    } else {
        lorenz::run(args)
    }
}

/// A file in a folder, by its name alone in the present one.
fn place(folder: &Path, name: &str) -> PathBuf {
    if folder == Path::new(".") {
        name.into()
    } else {
        folder.join(name)
    }
}

/// Random numbers that are the same each time.
struct Noise {
    state: u64,
}

impl Noise {
    fn new() -> Self {
        Self {
            state: 20_260_115_u64,
        }
    }

    /// From 0 to 1.
    fn uniform(&mut self) -> f64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal with mean 0 and variance 1: the sum of twelve uniform numbers, near enough for a
    /// demonstration.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// What a reader can do next: open the page, and some commands.
fn what_to_try(look: Look, heading: &str, page: &Path, commands: &[String]) -> String {
    // As it was called: it may not be installed.
    let eqlearn = std::env::args().next().unwrap_or_else(|| "eqlearn".into());
    let own = ["fit YOUR.csv --target COLUMN --report page.html".to_string()];
    let lines = commands.iter().chain(&own);
    let lines: Vec<String> = lines.map(|line| format!("  {eqlearn} {line}\n")).collect();
    let open = format!(
        "open {} in a browser: the equations, how sure they are, and all other models",
        page.display()
    );
    let open = sentence(&open, "  ", look);
    format!("{}\n{open}{}", look.bold(heading), lines.concat())
}
