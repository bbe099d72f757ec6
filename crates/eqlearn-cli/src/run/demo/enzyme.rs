//! A table: how fast an enzyme works, by the amounts of its substrate and of an inhibitor.
//!
//! The law is a fraction, which no sum of products of powers is: it has to be looked for beyond
//! the dictionary.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use super::{Noise, place, what_to_try};
use crate::args::{Cli, Color, Command, DemoArgs};
use crate::output::{print, write_text};
use crate::run::fit;
use crate::terminal::{Look, sentence};
use crate::trouble::Trouble;

const ROWS: u32 = 100;
/// The fastest rate, the substrate at half of it, and the inhibitor that doubles that.
const LAW: (f64, f64, f64) = (12.0, 3.0, 1.5);
const NOISE: f64 = 0.05;
const DATA: &str = "eqlearn-enzyme.csv";
const PAGE: &str = "eqlearn-enzyme.html";

pub(super) fn run(args: &DemoArgs) -> Result<ExitCode, Trouble> {
    let look = Look::new(Color::Auto, false);
    let (data, page) = (place(&args.dir, DATA), place(&args.dir, PAGE));
    write_text(&data, &csv())?;
    let made = format!(
        "{ROWS} rates v of an enzyme, for amounts S of its substrate and I of an inhibitor, \
         with noise of {NOISE}; written to {}",
        data.display()
    );
    print(&format!(
        "{}\n{}\n{}\n{}\n\n",
        look.bold("1. A table"),
        sentence(&made, "", look),
        look.bold("2. Which law is behind it?"),
        look.faint(&format!("eqlearn fit {DATA} --target v --report {PAGE}"))
    ))?;
    let status = learn(&data, &page)?;
    let (fastest, half, inhibitor) = LAW;
    let truth = format!(
        "The truth: v = {fastest} S/({half} (1 + I/{inhibitor}) + S), so 1/v = {:.4} + {:.4} 1/S \
         + {:.4} I/S.",
        1.0 / fastest,
        half / fastest,
        half / (inhibitor * fastest)
    );
    let further = "No sum of products of powers is this law. The search found out, and looked \
                   further.";
    let [truth, further] = [&truth, further].map(|text| sentence(text, "", look));
    print(&format!("\n{truth}{further}\n"))?;
    let next = [
        format!("fit {DATA} --target v --vocabulary monomials"),
        format!("fit {DATA} --target v --save enzyme.json"),
        format!("predict enzyme.json {DATA}"),
    ];
    print(&what_to_try(look, "3. What to try next", &page, &next))?;
    Ok(status)
}

/// What the command above would do.
fn learn(data: &Path, page: &Path) -> Result<ExitCode, Trouble> {
    let words = ["eqlearn", "fit", "--target", "v", "--report"].map(Into::into);
    let paths = [page.as_os_str().to_owned(), data.as_os_str().to_owned()];
    match Cli::parse_from(words.into_iter().chain(paths)).command {
        Command::Fit(args) => fit::run(&args),
        _ => unreachable!("the first word is fit"),
    }
}

/// The table as an instrument would have given it.
fn csv() -> String {
    let (fastest, half, inhibitor) = LAW;
    let mut noise = Noise::new();
    let mut text = String::from("S,I,v\n");
    for _ in 0..ROWS {
        let s = 0.2 + 19.8 * noise.uniform();
        let i = 6.0 * noise.uniform();
        let v = fastest * s / (half * (1.0 + i / inhibitor) + s) + NOISE * noise.normal();
        let _ = writeln!(text, "{s:.2},{i:.2},{v:.3}");
    }
    text
}
