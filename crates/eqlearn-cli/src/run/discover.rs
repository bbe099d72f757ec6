//! `eqlearn discover`: dx/dt = f(x) from trajectories, or equations of fields.

mod field;

use std::process::ExitCode;

use eqlearn::ask::Command;
use eqlearn::terms::term::Language;
use eqlearn::{Coefficients, Conclusion, Discovery, conclude, discover};

use crate::args::{Code, DiscoverArgs};
use crate::output::{command_line, print, print_json, write_file};
use crate::places::{self, unwritable};
use crate::progress::Watch;
use crate::record;
use crate::report::{Destination, of_system};
use crate::run::conclude::save_models;
use crate::terminal::{Look, result};
use crate::trouble::{FLAGS, Trouble};

pub(crate) fn run(args: &DiscoverArgs) -> Result<ExitCode, Trouble> {
    let request = args.request();
    let command = request.discovery();
    let checked = request.check(command)?;
    if command == Command::DiscoverField {
        return field::run(args, &checked);
    }
    if args.save_states.is_some() && checked.request().denoise.as_deref() == Some("off") {
        let message = "--save-states writes states that were fitted together with the \
                       coefficients, which --denoise off forbids";
        return Err(Trouble::new(message).hint("leave one of them out"));
    }
    places::check(&args.places(), &args.paths)?;
    let (checked, trajectories) = record::read(&args.paths, &args.reading, checked)?;
    let (dictionary, settings) = checked.discover(&trajectories)?;
    for text in &checked.remarks_on_terms(dictionary.features())? {
        args.reading.talk().note(text);
    }
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
    let (talk, output) = (args.reading.talk(), &args.output);
    // The answer first: whatever happens to files, it is not lost.
    let printed = print_answer(args, &conclusion);
    let models = conclusion.system.as_ref();
    let models = models.map(|system| system.equations().to_vec());
    let saved = save_models(output, talk, models, &settings);
    let states = save_states(args, &discovery);
    let shown = output.report.as_ref().map_or(Ok(()), |path| {
        let names: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
        let to = Destination {
            path,
            data: &names.join(", "),
            command: &command_line(),
            units: checked.header_units(),
        };
        of_system(&to, &discovery, &conclusion, &trajectories)?;
        talk.written("page", path);
        Ok(())
    });
    printed.and(saved).and(states).and(shown)?;
    if conclusion.system.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    let request = checked.request();
    let hinted = !checked.hints(&trajectories, FLAGS).is_empty();
    if request.order.is_none() && request.discrete != Some(true) && !hinted {
        talk.note("if the states are positions, --order 2 learns their accelerations");
    }
    Ok(ExitCode::FAILURE)
}

/// Writes the record without its noise, if that is wanted.
fn save_states(args: &DiscoverArgs, discovery: &Discovery) -> Result<(), Trouble> {
    let (Some(path), talk) = (&args.save_states, args.reading.talk()) else {
        return Ok(());
    };
    let Some(cleaned) = discovery.cleaned() else {
        let message = format!(
            "there are no states without noise: {} was not written",
            path.display()
        );
        let hint = discovery.why_not_cleaned().unwrap_or(
            "states are fitted together with the coefficients where there is much noise; \
             --denoise on does it also where there is little",
        );
        return Err(Trouble::new(message).hint(hint));
    };
    let pieces = cleaned.pieces();
    let several = pieces.len() > 1;
    let (states, time) = (cleaned.states(), cleaned.time());
    write_file(path, |out| {
        let mut writer = csv::Writer::from_writer(out);
        let failed = |error: csv::Error| unwritable(path, &error.into());
        let first = several.then_some("record").into_iter().chain([time]);
        let header = first.chain(states.iter().map(String::as_str));
        writer.write_record(header).map_err(failed)?;
        for piece in pieces {
            for (i, at) in piece.times().iter().enumerate() {
                let values = piece.columns()[..states.len()]
                    .iter()
                    .map(|column| column[i]);
                let values = [*at].into_iter().chain(values).map(|x| x.to_string());
                let name = several.then(|| piece.name().to_string());
                let row = name.into_iter().chain(values);
                writer.write_record(row).map_err(failed)?;
            }
        }
        writer.flush().map_err(|error| unwritable(path, &error))
    })?;
    talk.written("states", path);
    Ok(())
}

fn print_answer(args: &DiscoverArgs, conclusion: &Conclusion) -> Result<(), Trouble> {
    let Conclusion { system, document } = conclusion;
    if args.output.json {
        return print_json(document);
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
        _ => print(&result(
            document,
            Look::new(args.output.color, args.reading.verbose),
        )),
    }
}
