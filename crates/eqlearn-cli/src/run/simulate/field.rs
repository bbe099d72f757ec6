//! Simulation of a saved field from its values at one time.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use eqlearn::data::field::{FieldOptions, read_field};
use eqlearn::{FieldSimulation, FieldSystem, ReadOptions, Simulate, Source, Table, simulate_field};

use super::{end_of, times};
use crate::args::SimulateArgs;
use crate::output::{cannot_write, write_file};
use crate::trouble::Trouble;

/// Steps of the start that differ by more than this share are unequal.
const UNEQUAL: f64 = 1e-3;

/// Files of arrays, which may hold a whole field.
const ARRAYS: [&str; 9] = ["npz", "npy", "nc", "nc4", "cdf", "h5", "hdf5", "hdf", "mat"];

/// The field at the start.
struct Start {
    points: Vec<f64>,
    /// For each quantity its values.
    values: Vec<Vec<f64>>,
}

pub(super) fn run(system: &FieldSystem, args: &SimulateArgs) -> Result<ExitCode, Trouble> {
    let given = [
        ("--from", !args.from.is_empty()),
        ("--inputs", args.inputs.is_some()),
        ("--plot", args.plot.is_some()),
    ];
    if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
        let message = format!("{flag} has no meaning for a field");
        return Err(Trouble::new(message).hint(how_to_start(system)));
    }
    let path = args.starts.as_ref();
    let path = path.expect("a start is given one way or the other");
    let start = start(system, path)?;
    let length = length(&start.points, path, &system.names().axes()[1])?;
    let times = times(args, None)?;
    let settings = Simulate {
        tolerance: args.tolerance,
        ..Simulate::default()
    };
    let run = simulate_field(system, &start.values, length, &times, &settings)?;
    write(args, system, &start.points, &run)?;
    Ok(end_of(&[run.end]))
}

fn how_to_start(system: &FieldSystem) -> String {
    let names = system.names();
    format!(
        "give --starts a table with the columns {} and {}, or a field, whose first time is taken",
        names.axes()[1..].join(", "),
        names.quantities().join(", ")
    )
}

/// The field at the first time of a file of fields, or in a table of one time.
fn start(system: &FieldSystem, path: &Path) -> Result<Start, Trouble> {
    let names = system.names();
    let kind = path.extension().and_then(|kind| kind.to_str());
    let has_arrays = kind.is_some_and(|kind| ARRAYS.contains(&kind.to_ascii_lowercase().as_str()));
    if !has_arrays {
        let source = Source::open(path, &ReadOptions::default())?;
        if source
            .columns()
            .iter()
            .all(|column| column.name != names.time())
        {
            let mut columns = vec![names.axes()[1].as_str()];
            columns.extend(names.quantities().iter().map(String::as_str));
            let table = source.batches(&columns)?.whole()?;
            let mut all = table.columns().map(<[f64]>::to_vec);
            let points = all.next().expect("the axis is the first column");
            let values = all.collect();
            return Ok(Start { points, values });
        }
    }
    let options = FieldOptions {
        axes: names.axes().to_vec(),
        quantities: names.quantities().to_vec(),
        ..FieldOptions::default()
    };
    let field = read_field(path, &options)?.field;
    let points = field.axes()[1].values.clone();
    let first = |values: &Vec<f64>| values[..points.len()].to_vec();
    let values = field.quantities().iter().map(|q| first(&q.values));
    Ok(Start {
        values: values.collect(),
        points,
    })
}

/// The length after which the field repeats itself: one step after its last point.
fn length(points: &[f64], path: &Path, axis: &str) -> Result<f64, Trouble> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(Trouble::new(format!("{} has no rows", path.display())));
    };
    let step = (last - first) / (points.len() as f64 - 1.0);
    let is_equal = |pair: &[f64]| (pair[1] - pair[0] - step).abs() <= UNEQUAL * step;
    if step > 0.0 && points.windows(2).all(is_equal) {
        return Ok(step * points.len() as f64);
    }
    let message = format!(
        "the points of {axis:?} in {} do not rise by equal steps",
        path.display()
    );
    Err(Trouble::new(message).hint("a simulation needs the field at equally spaced points"))
}

/// Writes a row for each point of the grid.
fn write(
    args: &SimulateArgs,
    system: &FieldSystem,
    points: &[f64],
    run: &FieldSimulation,
) -> Result<(), Trouble> {
    let names = system.names();
    let n = points.len();
    let mut columns: Vec<(String, Vec<f64>)> = vec![
        (
            names.time().to_string(),
            run.times
                .iter()
                .flat_map(|t| std::iter::repeat_n(*t, n))
                .collect(),
        ),
        (names.axes()[1].clone(), points.repeat(run.times.len())),
    ];
    let values = names.quantities().iter().cloned().zip(run.values.clone());
    columns.extend(values);
    match &args.out {
        Some(out) if out.extension().is_some_and(|kind| kind == "parquet") => {
            let bytes = Table::new(columns)?.to_parquet().map_err(cannot_write)?;
            write_file(out, |file| file.write_all(&bytes).map_err(cannot_write))
        }
        Some(out) => write_file(out, |file| write_csv(&columns, file)),
        None => write_csv(&columns, &mut BufWriter::new(std::io::stdout().lock())),
    }
}

fn write_csv(columns: &[(String, Vec<f64>)], out: &mut dyn Write) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    let names = columns.iter().map(|(name, _)| name);
    writer.write_record(names).map_err(failed)?;
    for row in 0..columns[0].1.len() {
        let cells = columns.iter().map(|(_, values)| values[row].to_string());
        writer.write_record(cells).map_err(failed)?;
    }
    writer.flush().map_err(cannot_write)
}
