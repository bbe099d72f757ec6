//! `eqlearn fit --group`: one law for several experiments.

use std::path::PathBuf;
use std::process::ExitCode;

use eqlearn::ask::{Checked, Spelling};
use eqlearn::learn::grouped::learn_grouped;
use eqlearn::reduce::groups::Groups;
use eqlearn::tell::document::Document;

use crate::args::FitArgs;
use crate::input;
use crate::progress::Watch;
use crate::run::conclude::print_document;
use crate::trouble::{FLAGS, Trouble};

pub(super) fn run(
    args: &FitArgs,
    checked: Checked,
    mut paths: Vec<PathBuf>,
) -> Result<ExitCode, Trouble> {
    let Spelling { word: say, .. } = FLAGS;
    if args.split.shard.is_some() {
        return Err(
            Trouble::new("a search of several experiments cannot be split").hint(format!(
                "leave out {} and {}",
                say("shard"),
                say("save-part")
            )),
        );
    }
    let (reading, output) = (&args.data.reading, &args.output);
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
    let groups = Groups::reduce(
        &problem,
        column,
        rows.by_ref(),
        checked.threads(),
        &mut watch,
    )?;
    if let Some(remark) = rows.remark() {
        reading.talk().note(&remark);
    }
    let before = watch.elapsed();
    let study = learn_grouped(&problem, groups, &shared, &settings, &mut watch)?;
    let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
    drop(watch);
    let document = Document::of_groups(&study, Vec::new(), seconds);
    print_document(output, reading.talk(), &document)?;
    Ok(match study.answer() {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}
