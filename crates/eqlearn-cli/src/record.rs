//! From flags to trajectories: reads the files and splits them.

use std::path::PathBuf;

use eqlearn::ask::{Checked, Recording};
use eqlearn::data::trajectory::Trajectories;
use eqlearn::error::counted;

use crate::args::ReadingArgs;
use crate::input;
use crate::trouble::{FLAGS, Trouble};

/// Reads every file. The request that comes back names columns as the files do.
pub(crate) fn read(
    paths: &[PathBuf],
    reading: &ReadingArgs,
    checked: Checked,
) -> Result<(Checked, Trajectories), Trouble> {
    let talk = reading.talk();
    let mut recording = Recording::new(checked);
    for path in paths {
        recording.read(input::open(path, reading)?)?;
        let notes = recording.take_notes();
        for text in &notes {
            talk.note(text);
        }
    }
    let (checked, trajectories) = recording.finish()?;
    if trajectories.n_gaps() > 0 {
        let gaps = trajectories.n_gaps();
        talk.note(&format!("the record was cut at {}", counted(gaps, "gap")));
    }
    if trajectories.n_short() > 0 {
        let short = trajectories.n_short();
        let were = if short == 1 { "was" } else { "were" };
        let segments = counted(short, "segment");
        talk.note(&format!("{segments} {were} too short to use"));
    }
    let hints = checked.hints(&trajectories, FLAGS);
    for text in &hints {
        talk.note(text);
    }
    Ok((checked, trajectories))
}
