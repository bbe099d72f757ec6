//! `eqlearn discover`: dx/dt = f(x) from trajectories.

use std::process::ExitCode;

use eqlearn::ask::Command;
use eqlearn::tell::document::Document;
use eqlearn::terms::term::Language;
use eqlearn::{Coefficients, Conclusion, Discover, ModelFile, System, conclude, discover};

use crate::args::{Code, DiscoverArgs};
use crate::output::{command_line, print, write_text};
use crate::page::{Look, page};
use crate::progress::Watch;
use crate::record;
use crate::report::{Destination, of_system};
use crate::trouble::Trouble;

pub(crate) fn run(args: &DiscoverArgs) -> Result<ExitCode, Trouble> {
    let checked = args.request().check(Command::Discover)?;
    let trajectories = record::read(&args.paths, &args.reading, &checked)?;
    let (dictionary, settings) = checked.discover(&trajectories)?;
    let run = checked.run(None);
    let mut watch = Watch::new(
        !args.reading.quiet && !args.reading.no_progress,
        checked.limit(),
    );
    let discovery = discover(&trajectories, &dictionary, &settings, &run, &mut watch)?;
    drop(watch);
    let coefficients = if checked.refines() {
        Coefficients::OfMotion
    } else {
        Coefficients::OfRows
    };
    let conclusion = conclude(&discovery, &trajectories, coefficients)?;
    if let Some(path) = &args.output.report {
        let names: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
        let to = Destination {
            path,
            data: &names.join(", "),
            command: &command_line(),
        };
        of_system(&to, &discovery, &conclusion, &trajectories)?;
    }
    let Conclusion { system, document } = conclusion;
    report(args, &document, system.as_ref(), &settings)?;
    Ok(if system.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn report(
    args: &DiscoverArgs,
    document: &Document,
    system: Option<&System>,
    settings: &Discover,
) -> Result<(), Trouble> {
    if let (Some(path), Some(system)) = (&args.output.save, system) {
        let settings = serde_json::to_value(settings).expect("settings are plain data");
        let text = ModelFile::new(system.equations().to_vec(), settings).to_json();
        write_text(path, &text)?;
    }
    if args.output.json {
        let json = serde_json::to_string_pretty(document)
            .expect("the document holds nothing that JSON cannot");
        return print(&(json + "\n"));
    }
    match (args.code, system) {
        (Some(code), Some(system)) => print(&system.code(match code {
            Code::Python => Language::Python,
            Code::Julia => Language::Julia,
            Code::Rust => Language::Rust,
        })),
        _ if args.output.latex => match system {
            Some(system) => print(&(system.latex() + "\n")),
            None => Ok(()),
        },
        _ => print(&page(
            document,
            Look::new(args.output.color, args.reading.verbose),
        )),
    }
}
