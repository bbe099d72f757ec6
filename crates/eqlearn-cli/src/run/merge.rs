//! `eqlearn merge`: merges the parts of a split search.

use std::path::PathBuf;
use std::process::ExitCode;

use eqlearn::search::Run;
use eqlearn::{PartFile, Whole};

use crate::args::MergeArgs;
use crate::places;
use crate::progress::Watch;
use crate::run::conclude::Asked;
use crate::trouble::Trouble;

pub(crate) fn run(args: &MergeArgs) -> Result<ExitCode, Trouble> {
    places::check(&args.output.places(), &args.parts)?;
    let whole = Whole::new(read(&args.parts)?)?;
    let run = Run {
        elsewhere: Some(&whole.found),
        ..Run::default()
    };
    let asked = Asked {
        problem: &whole.basis.problem,
        gathered: &whole.basis.gathered()?,
        settings: &whole.settings,
        beyond: whole.basis.beyond()?,
        data_name: &whole.basis.data,
        units: &[],
    };
    let watch = Watch::new(!args.quiet, None);
    asked.conclude(&run, watch, &args.output, args.talk())
}

/// The parts in these files, with their names.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<(String, PartFile)>, Trouble> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Trouble::new(format!("cannot read the part {name}: {error}")))?;
        let file = PartFile::from_json(&name, &text)?;
        Ok((name, file))
    };
    paths.iter().map(read).collect()
}
