//! From flags to trajectories: reads the files and splits them.

use std::path::PathBuf;

use eqlearn::ask::Checked;
use eqlearn::data::trajectory::{Record, Trajectories};
use eqlearn::{Request, Source};

use crate::args::ReadingArgs;
use crate::input;
use crate::output::note;
use crate::trouble::Trouble;

/// Reads every file, and splits it where the trajectory column says so.
pub(crate) fn read(
    paths: &[PathBuf],
    reading: &ReadingArgs,
    checked: &Checked,
) -> Result<Trajectories, Trouble> {
    let mut records = Vec::new();
    let mut states = Vec::new();
    for path in paths {
        let source = input::open(path, reading)?;
        checked.check_time(Some(&source))?;
        if states.is_empty() {
            states = checked.states(&source)?;
        }
        records.extend(records_of(reading, checked, source, &states)?);
    }
    let trajectories = checked.trajectories(&states, records)?;
    if !reading.quiet {
        if trajectories.n_gaps() > 0 {
            note(&format!(
                "the record was cut at {} gaps",
                trajectories.n_gaps()
            ));
        }
        if trajectories.n_short() > 0 {
            note(&format!(
                "{} segments were too short to use",
                trajectories.n_short()
            ));
        }
    }
    Ok(trajectories)
}

fn records_of(
    reading: &ReadingArgs,
    checked: &Checked,
    source: Source,
    states: &[String],
) -> Result<Vec<Record>, Trouble> {
    let Request {
        time,
        trajectory,
        inputs,
        ..
    } = checked.request();
    let file = source.name().to_string();
    let head = time.iter().chain(trajectory);
    let names: Vec<String> = head.chain(states).chain(inputs).cloned().collect();
    let mut batches = source.batches(&names)?;
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for batch in batches.by_ref() {
        let batch = batch?;
        for (all, name) in columns.iter_mut().zip(&names) {
            all.extend_from_slice(batch.column(name)?);
        }
    }
    input::left_out(reading, batches.dropped());
    let mut columns = columns.into_iter();
    let times = time
        .as_ref()
        .map(|_| columns.next().expect("the first column is time"));
    let runs = trajectory
        .as_ref()
        .map(|_| columns.next().expect("then comes the trajectory"));
    let values: Vec<Vec<f64>> = columns.collect();
    let groups = groups(runs.as_deref(), values[0].len());
    let record = |(run, rows): (Option<f64>, Vec<usize>)| {
        let pick = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        let columns: Vec<Vec<f64>> = values.iter().map(pick).collect();
        Record {
            name: run.map_or_else(|| file.clone(), |run| format!("{file}, trajectory {run}")),
            times: times
                .as_ref()
                .map_or_else(|| checked.clock(rows.len()), pick),
            states: columns[..states.len()].to_vec(),
            inputs: columns[states.len()..].to_vec(),
        }
    };
    Ok(groups.into_iter().map(record).collect())
}

/// The rows of each trajectory, in order of appearance.
fn groups(runs: Option<&[f64]>, n_rows: usize) -> Vec<(Option<f64>, Vec<usize>)> {
    let Some(runs) = runs else {
        return vec![(None, (0..n_rows).collect())];
    };
    let mut groups: Vec<(Option<f64>, Vec<usize>)> = Vec::new();
    for (row, run) in runs.iter().enumerate() {
        let known = groups
            .iter_mut()
            .rev()
            .find(|(known, _)| known.is_some_and(|known| known.to_bits() == run.to_bits()));
        match known {
            Some((_, rows)) => rows.push(row),
            None => groups.push((Some(*run), vec![row])),
        }
    }
    groups
}
