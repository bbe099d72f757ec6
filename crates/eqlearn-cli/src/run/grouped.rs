//! `eqlearn fit --group`: one law for several experiments.

use std::path::PathBuf;
use std::process::ExitCode;

use eqlearn::ModelFile;
use eqlearn::ask::{Checked, Spelling};
use eqlearn::learn::grouped::{GroupedStudy, learn_grouped};
use eqlearn::tell::GatheredGroups;
use eqlearn::tell::document::Document;

use crate::args::FitArgs;
use crate::files;
use crate::input;
use crate::output::{Talk, command_line, write_text};
use crate::progress::Watch;
use crate::report::{Destination, of_groups};
use crate::run::conclude::print_document;
use crate::trouble::{FLAGS, Trouble};

pub(super) fn run(
    args: &FitArgs,
    checked: Checked,
    mut paths: Vec<PathBuf>,
) -> Result<ExitCode, Trouble> {
    let Spelling { word: say, .. } = FLAGS;
    if args.split.shard.is_some() {
        let hint = format!("leave out {} and {}", say("shard"), say("save-part"));
        return Err(Trouble::new("a search of several experiments cannot be split").hint(hint));
    }
    let (reading, output) = (&args.data.reading, &args.output);
    let talk = reading.talk();
    let rest = paths.split_off(1);
    let source = input::open(&paths[0], reading)?;
    let checked = checked.in_names_of(&source);
    let (problem, source) = input::problem(&checked, source, &rest, reading)?;
    let shared = checked.shared(&problem)?;
    let settings = checked.settings(&problem)?;
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, checked.limit());
    let rows = checked.labelled(source, rest, input::options(reading)?, &problem)?;
    let mut rows = rows.expect("a column tells experiments apart");
    let column = checked.group().unwrap_or_default();
    let threads = checked.threads();
    let gathered = GatheredGroups::new(&problem, column, rows.by_ref(), threads, &mut watch)?;
    if let Some(remark) = rows.remark() {
        talk.note(&remark);
    }
    let before = watch.elapsed();
    let study = learn_grouped(&problem, gathered.groups(), &shared, &settings, &mut watch)?;
    let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
    drop(watch);
    let document = Document::of_groups(&study, gathered.checks(&study)?, seconds);
    let printed = print_document(output, talk, &document);
    let saved = (output.save.as_ref()).map_or(Ok(()), |path| save(path, &study, talk));
    let shown = output.report.as_ref().map_or(Ok(()), |path| {
        let data = files::in_words(&args.data.paths);
        let to = Destination {
            path,
            data: &data,
            command: &command_line(),
            units: checked.header_units(),
        };
        of_groups(&to, &study, &document)?;
        talk.written("page", path);
        Ok(())
    });
    printed.and(saved).and(shown)?;
    Ok(match study.answer() {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}

fn save(path: &std::path::Path, study: &GroupedStudy, talk: Talk) -> Result<(), Trouble> {
    let Some(model) = study.model() else {
        let path = path.display();
        talk.note(&format!(
            "there is no model to save: {path} was not written"
        ));
        return Ok(());
    };
    let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
    write_text(path, &ModelFile::of_groups(&model, settings).to_json())?;
    talk.written("model", path);
    Ok(())
}
