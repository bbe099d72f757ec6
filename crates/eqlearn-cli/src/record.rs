//! From flags to trajectories: reads the files, splits them, checks what was asked.

use std::path::PathBuf;

use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::{Order, RowScheme, Source};

use crate::args::{ReadingArgs, RecordArgs};
use crate::input;
use crate::output::note;
use crate::trouble::Trouble;

/// Refuses flags that make no sense for trajectories.
pub(crate) fn check(args: &RecordArgs, features: &[String]) -> Result<(), Trouble> {
    if !features.is_empty() {
        return Err(
            Trouble::new("a system is learned from states and inputs, not from features")
                .hint("use --states and --inputs instead of --features"),
        );
    }
    if let Some(dt) = args.dt
        && !(dt > 0.0 && dt.is_finite())
    {
        return Err(
            Trouble::new(format!("the time step is {dt}; it must be above 0")).hint("change --dt"),
        );
    }
    if let Some(width) = args.half_width
        && !(width > 0.0 && width.is_finite())
    {
        return Err(
            Trouble::new(format!("the half width is {width}; it must be above 0"))
                .hint("change --half-width, or leave it out"),
        );
    }
    Ok(())
}

/// How trajectories become rows.
pub(crate) fn rows(args: &RecordArgs) -> Result<RowScheme, Trouble> {
    if args.discrete {
        return Ok(RowScheme::Map);
    }
    let rows: RowScheme = args
        .derivative
        .parse()
        .map_err(|error| Trouble::from(error).hint("change --derivative"))?;
    Ok(match (rows, args.half_width) {
        (RowScheme::Auto | RowScheme::Weak { .. }, half_width @ Some(_)) => {
            RowScheme::Weak { half_width }
        }
        (rows, _) => rows,
    })
}

/// Whether velocities or accelerations are learned.
pub(crate) fn order(args: &RecordArgs) -> Order {
    if args.order == 2 {
        Order::Second
    } else {
        Order::First
    }
}

/// Reads every file, and splits it where the trajectory column says so.
pub(crate) fn read(
    paths: &[PathBuf],
    reading: &ReadingArgs,
    args: &RecordArgs,
) -> Result<Trajectories, Trouble> {
    let mut records = Vec::new();
    let mut states = args.states.clone();
    for path in paths {
        let source = input::open(path, reading)?;
        if args.time.is_none() && args.dt.is_none() && !args.discrete {
            return Err(ask_for_time(&source));
        }
        if states.is_empty() {
            states = other_columns(args, &source)?;
        }
        records.extend(records_of(reading, args, source, &states)?);
    }
    let time = args.time.clone().unwrap_or_else(|| "t".into());
    let feature = if args.time_as_feature {
        TimeFeature::Yes
    } else {
        TimeFeature::No
    };
    let trajectories = Trajectories::new(&time, &states, &args.inputs, feature, records)?;
    if !reading.quiet {
        if trajectories.n_gaps() > 0 {
            note(&format!(
                "the record was cut at {} gaps",
                trajectories.n_gaps()
            ));
        }
        if trajectories.n_short() > 0 {
            note(&format!(
                "{} stretches were too short to use",
                trajectories.n_short()
            ));
        }
    }
    Ok(trajectories)
}

fn records_of(
    reading: &ReadingArgs,
    args: &RecordArgs,
    source: Source,
    states: &[String],
) -> Result<Vec<Record>, Trouble> {
    let file = source.name().to_string();
    let head = args.time.iter().chain(&args.trajectory);
    let names: Vec<String> = head.chain(states).chain(&args.inputs).cloned().collect();
    let mut batches = source.batches(&names)?;
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for batch in batches.by_ref() {
        let batch = batch?;
        for (all, name) in columns.iter_mut().zip(&names) {
            all.extend_from_slice(batch.column(name)?);
        }
    }
    if batches.dropped() > 0 && !reading.quiet {
        note(&format!(
            "{} rows with missing values were left out",
            batches.dropped()
        ));
    }
    let mut columns = columns.into_iter();
    let times = args
        .time
        .as_ref()
        .map(|_| columns.next().expect("the first column is time"));
    let runs = args
        .trajectory
        .as_ref()
        .map(|_| columns.next().expect("then comes the trajectory"));
    let values: Vec<Vec<f64>> = columns.collect();
    let groups = groups(runs.as_deref(), values[0].len());
    let record = |(run, rows): (Option<f64>, Vec<usize>)| {
        let pick = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        let columns: Vec<Vec<f64>> = values.iter().map(pick).collect();
        let step = args.dt.unwrap_or(1.0);
        Record {
            name: run.map_or_else(|| file.clone(), |run| format!("{file}, trajectory {run}")),
            times: times
                .as_ref()
                .map_or_else(|| (0..rows.len()).map(|i| i as f64 * step).collect(), pick),
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

fn other_columns(args: &RecordArgs, source: &Source) -> Result<Vec<String>, Trouble> {
    let used = |name: &String| {
        args.inputs.contains(name)
            || args.time.as_ref() == Some(name)
            || args.trajectory.as_ref() == Some(name)
    };
    let numeric = source.columns().iter().filter(|column| column.is_numeric());
    let states: Vec<String> = numeric
        .map(|column| column.name.clone())
        .filter(|name| !used(name))
        .collect();
    if states.is_empty() {
        return Err(Trouble::new(format!(
            "{} has no numeric column that could be a state",
            source.name()
        )));
    }
    Ok(states)
}

fn ask_for_time(source: &Source) -> Trouble {
    let columns: Vec<&str> = source
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    Trouble::new(format!(
        "when were the rows recorded? {} has {}",
        source.name(),
        columns.join(", ")
    ))
    .hint("add --time COLUMN, or --dt STEP if rows are equally far apart, or --discrete for a map")
}
