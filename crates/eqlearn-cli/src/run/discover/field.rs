//! `eqlearn discover --axes`: partial differential equations from fields.

use std::path::Path;
use std::process::ExitCode;

use eqlearn::ask::Checked;
use eqlearn::data::field::{Field, read_field};
use eqlearn::fields::names::Names;
use eqlearn::tell::document::Document;
use eqlearn::{FieldSystem, discover_field, follow};

use crate::args::DiscoverArgs;
use crate::input;
use crate::output::{command_line, print, print_json};
use crate::places;
use crate::progress::Watch;
use crate::report::{Destination, of_field};
use crate::run::conclude::save_field;
use crate::terminal::{Look, result};
use crate::trouble::Trouble;

pub(super) fn run(args: &DiscoverArgs, checked: &Checked) -> Result<ExitCode, Trouble> {
    refuse(args)?;
    places::check(&args.places(), &args.paths)?;
    let records = read(args, checked)?;
    let names = Names::of(&records[0])?;
    let (dictionary, settings) = checked.discover_field(&names)?;
    let talk = args.reading.talk();
    for text in &checked.remarks_on_terms_of_field(&names)? {
        talk.note(text);
    }
    let run = checked.run(None);
    let mut watch = Watch::new(
        !args.reading.quiet && !args.reading.no_progress,
        checked.limit(),
    );
    let discovery = discover_field(&records, &dictionary, &settings, &run, &mut watch)?;
    drop(watch);
    let system = discovery.system();
    let noise = &discovery.choice().noise;
    let followed = system
        .as_ref()
        .map(|system| follow(system, &records[0], noise));
    let document = Document::field(&discovery, followed.as_ref());
    // The answer first: whatever happens to files, it is not lost.
    let printed = print_answer(args, &document, system.as_ref());
    let saved = save_field(&args.output, talk, system.as_ref(), &settings);
    let shown = args.output.report.as_ref().map_or(Ok(()), |path| {
        let names: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
        let to = Destination {
            path,
            data: &names.join(", "),
            command: &command_line(),
            units: &units(&records[0]),
        };
        let followed = followed
            .as_ref()
            .and_then(|followed| followed.as_ref().ok());
        of_field(&to, &discovery, &document, &records[0], followed)?;
        talk.written("page", path);
        Ok(())
    });
    printed.and(saved).and(shown)?;
    Ok(if system.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Flags that are no words of a request and have no meaning here.
fn refuse(args: &DiscoverArgs) -> Result<(), Trouble> {
    let given = [
        ("--code", args.code.is_some()),
        ("--save-states", args.save_states.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            let message = format!("{flag} has no meaning for a field");
            Err(Trouble::new(message).hint("leave it out"))
        }
        None => Ok(()),
    }
}

/// Reads every file, each a record.
fn read(args: &DiscoverArgs, checked: &Checked) -> Result<Vec<Field>, Trouble> {
    let talk = args.reading.talk();
    let options = checked.field_options(input::options(&args.reading)?);
    let mut records = Vec::new();
    for path in &args.paths {
        if path == Path::new("-") {
            let message = "a field cannot be read from standard input";
            return Err(Trouble::new(message).hint("write it to a file first"));
        }
        let read = read_field(path, &options)?;
        for text in &read.notes {
            talk.note(text);
        }
        records.push(read.field);
    }
    Ok(records)
}

/// The units of the axes that have some.
fn units(record: &Field) -> Vec<(String, String)> {
    let axes = record.axes().iter();
    axes.filter_map(|axis| Some((axis.name.clone(), axis.unit.clone()?)))
        .collect()
}

fn print_answer(
    args: &DiscoverArgs,
    document: &Document,
    system: Option<&FieldSystem>,
) -> Result<(), Trouble> {
    if args.output.json {
        return print_json(document);
    }
    if args.output.latex {
        return match system {
            Some(system) => print(&(system.latex() + "\n")),
            None => Ok(()),
        };
    }
    let look = Look::new(args.output.color, args.reading.verbose);
    print(&result(document, look))
}
