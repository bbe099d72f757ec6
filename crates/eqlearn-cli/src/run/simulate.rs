//! `eqlearn simulate`: integrates a saved system.

mod field;
mod plot;

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use eqlearn::data::table::{ColumnKind, Reading};
use eqlearn::dynamics::simulate::End;
use eqlearn::{
    FieldSystem, Forcing, ModelFile, ReadOptions, Simulate, Simulation, Source, System, Table,
    simulate_forced,
};

use crate::args::SimulateArgs;
use crate::model;
use crate::output::{Talk, cannot_write, note, write_file, write_text};
use crate::places;
use crate::trouble::Trouble;

/// More rows than this are taken for a typing error.
const MOST_ROWS: f64 = 1e8;

pub(crate) fn run(args: &SimulateArgs) -> Result<ExitCode, Trouble> {
    let tables = [&args.starts, &args.inputs].into_iter().flatten();
    let data: Vec<_> = [&args.model].into_iter().chain(tables).cloned().collect();
    let places = [("--out", args.out.as_ref()), ("--plot", args.plot.as_ref())];
    places::check(&places, &data)?;
    let file = model::read(&args.model, None)?;
    if let Some(system) = FieldSystem::from_file(&file)? {
        return field::run(&system, args);
    }
    let system = system(&file, &args.model)?;
    let (forcing, known) = forcing(&system, args)?;
    let times = times(args, known.as_deref())?;
    let settings = Simulate {
        tolerance: args.tolerance,
        ..Simulate::default()
    };
    let mut runs = Vec::new();
    for start in starts(&system, args)? {
        runs.push(simulate_forced(
            &system, &start, &times, &forcing, &settings,
        )?);
    }
    let written = write(args, &system, &runs);
    let drawn = args.plot.as_ref().map_or(Ok(()), |path| {
        let (time, states) = (args.time.as_str(), system.states());
        write_text(path, &plot::svg(time, states, &runs))?;
        Talk::Usual.written("plot", path);
        Ok(())
    });
    written.and(drawn)?;
    let ends: Vec<End> = runs.iter().map(|run| run.end).collect();
    Ok(end_of(&ends))
}

/// The system in a model file.
fn system(file: &ModelFile, path: &Path) -> Result<System, Trouble> {
    System::from_models(file.equations().to_vec()).ok_or_else(|| {
        Trouble::new(format!(
            "{} holds an equation of a table, not a dynamical system",
            path.display()
        ))
        .hint("save a system with `eqlearn discover --save`, or use `eqlearn predict`")
    })
}

/// What acts on the system, and the times at which that is known.
fn forcing(system: &System, args: &SimulateArgs) -> Result<(Forcing, Option<Vec<f64>>), Trouble> {
    let Some(path) = &args.inputs else {
        return Ok((Forcing::of_time(&args.time), None));
    };
    let source = Source::open(path, &ReadOptions::default())?;
    source.notes().iter().for_each(|text| note(text));
    let mut columns = source.columns().iter();
    let dates = columns.any(|c| c.name == args.time && c.kind == ColumnKind::Date);
    let clock = if dates {
        Reading::Seconds
    } else {
        Reading::Number
    };
    let others = system.others().into_iter();
    let inputs: Vec<&str> = others.filter(|name| *name != args.time).collect();
    let asked = inputs.iter().map(|name| (*name, Reading::Number));
    let asked: Vec<(&str, Reading)> = [(args.time.as_str(), clock)]
        .into_iter()
        .chain(asked)
        .collect();
    let table = source.batches_as(&asked)?.whole()?;
    let times = table.column(&args.time)?.to_vec();
    let mut forcing = Forcing::new(times.clone())?.with_time(&args.time);
    for name in inputs {
        forcing = forcing.with_input(name, table.column(name)?.to_vec())?;
    }
    Ok((forcing, Some(times)))
}

/// The times of the simulation: equally far apart, or those of the inputs.
fn times(args: &SimulateArgs, known: Option<&[f64]>) -> Result<Vec<f64>, Trouble> {
    let first = known.map_or(0.0, |known| known[0]);
    let begin = args.begin.unwrap_or(first);
    let (Some(until), Some(step)) = (args.until, args.step) else {
        let known = known.expect("without inputs, the end and the step are given");
        return Ok(known.iter().copied().filter(|t| *t >= begin).collect());
    };
    let n = (until - begin) / step;
    if !(step > 0.0 && (1.0..MOST_ROWS).contains(&n)) {
        return Err(Trouble::new(format!(
            "from {begin} until {until} in steps of {step} are not between 1 and 100,000,000 steps"
        ))
        .hint("change --until or --step"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    let last = (n + 1e-9).floor() as u32;
    Ok((0..=last).map(|i| begin + f64::from(i) * step).collect())
}

/// The states from which runs start.
fn starts(system: &System, args: &SimulateArgs) -> Result<Vec<Vec<f64>>, Trouble> {
    let mut starts: Vec<Vec<f64>> = Vec::new();
    for text in &args.from {
        starts.push(start(system, text)?);
    }
    if let Some(path) = &args.starts {
        let source = Source::open(path, &ReadOptions::default())?;
        let table = source.batches(system.states())?.whole()?;
        let row = |row: usize| table.columns().map(|column| column[row]).collect();
        starts.extend((0..table.n_rows()).map(row));
    }
    Ok(starts)
}

/// The values of all states in a text such as `x=1,y=2`.
fn start(system: &System, text: &str) -> Result<Vec<f64>, Trouble> {
    let mut start = vec![None; system.states().len()];
    let states = system.states().join(", ");
    for text in text.split(',') {
        let parsed = text
            .split_once('=')
            .and_then(|(name, value)| Some((name.trim(), value.trim().parse::<f64>().ok()?)));
        let Some((name, value)) = parsed else {
            return Err(
                Trouble::new(format!("{text:?} is not of the form state=number"))
                    .hint("write --from x=1,y=2"),
            );
        };
        let Some(place) = system.states().iter().position(|state| state == name) else {
            return Err(Trouble::new(format!(
                "there is no state {name:?}; the system has {states}"
            ))
            .hint("change --from"));
        };
        start[place] = Some(value);
    }
    match start.iter().position(Option::is_none) {
        None => Ok(start.into_iter().flatten().collect()),
        Some(missing) => Err(Trouble::new(format!(
            "the state {:?} has no value at the start; the system has {states}",
            system.states()[missing]
        ))
        .hint("give every state a value with --from")),
    }
}

/// Says how runs ended that did not reach the last time.
fn end_of(runs: &[End]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for (place, run) in runs.iter().enumerate() {
        let trouble = match *run {
            End::Reached => continue,
            End::BlewUp { time } => format!("the system blew up at time {time}"),
            End::Pole { time } => format!(
                "the system ran into a pole at time {time}: an equation divides by zero there"
            ),
            End::StepCollapsed { time } => format!(
                "the step size became too small at time {time}: \
                 the equations are singular or undefined there"
            ),
            End::OutOfSteps { time } => {
                format!("the limit of steps was reached at time {time}")
            }
        };
        if runs.len() > 1 {
            note(&format!("run {}: {trouble}", place + 1));
        } else {
            note(&trouble);
        }
        code = ExitCode::FAILURE;
    }
    code
}

/// Writes all runs where they are wanted.
fn write(args: &SimulateArgs, system: &System, runs: &[Simulation]) -> Result<(), Trouble> {
    match &args.out {
        Some(out) if out.extension().is_some_and(|kind| kind == "parquet") => {
            let table = table(&args.time, system, runs)?;
            let bytes = table.to_parquet().map_err(cannot_write)?;
            write_file(out, |file| file.write_all(&bytes).map_err(cannot_write))
        }
        Some(out) => write_file(out, |file| write_csv(&args.time, system, runs, file)),
        // A plot alone is an answer too.
        None if args.plot.is_some() => Ok(()),
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write_csv(&args.time, system, runs, &mut out)
        }
    }
}

/// The names of the columns: the run if there are several, time, and the states.
fn header<'a>(time: &'a str, system: &'a System, runs: &[Simulation]) -> Vec<&'a str> {
    let run = (runs.len() > 1).then_some("run");
    let states = system.states().iter().map(String::as_str);
    run.into_iter().chain([time]).chain(states).collect()
}

fn table(time: &str, system: &System, runs: &[Simulation]) -> Result<Table, Trouble> {
    let names = header(time, system, runs);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for (place, run) in runs.iter().enumerate() {
        let number = vec![place as f64 + 1.0; run.times.len()];
        let number = (runs.len() > 1).then_some(&number);
        let own = number.into_iter().chain([&run.times]).chain(&run.states);
        for (column, values) in columns.iter_mut().zip(own) {
            column.extend_from_slice(values);
        }
    }
    let names = names.into_iter().map(String::from);
    Ok(Table::new(names.zip(columns).collect())?)
}

fn write_csv(
    time: &str,
    system: &System,
    runs: &[Simulation],
    out: &mut dyn Write,
) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    writer
        .write_record(header(time, system, runs))
        .map_err(failed)?;
    for (place, run) in runs.iter().enumerate() {
        let number = (runs.len() > 1).then(|| (place + 1).to_string());
        for (i, time) in run.times.iter().enumerate() {
            let values = run.states.iter().map(|column| column[i]);
            let values = [*time].into_iter().chain(values).map(|x| x.to_string());
            let row = number.clone().into_iter().chain(values);
            writer.write_record(row).map_err(failed)?;
        }
    }
    writer.flush().map_err(cannot_write)
}
