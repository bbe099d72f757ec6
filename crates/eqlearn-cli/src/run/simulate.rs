//! `eqlearn simulate`: integrates a saved system.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use eqlearn::dynamics::simulate::End;
use eqlearn::{ModelFile, Simulate, Simulation, System, Table, simulate};

use crate::args::SimulateArgs;
use crate::output::{cannot_write, note, write_file};
use crate::places;
use crate::trouble::Trouble;

/// More rows than this are taken for a typing error.
const MOST_ROWS: f64 = 1e8;

pub(crate) fn run(args: &SimulateArgs) -> Result<ExitCode, Trouble> {
    let data = std::slice::from_ref(&args.model);
    places::check(&[("--out", args.out.as_ref())], data)?;
    let path = args.model.display();
    let text = std::fs::read_to_string(&args.model)
        .map_err(|error| Trouble::new(format!("cannot read the model {path}: {error}")))?;
    let file =
        ModelFile::from_json(&text).map_err(|error| Trouble::new(format!("{path}: {error}")))?;
    let system = System::from_models(file.equations().to_vec()).ok_or_else(|| {
        Trouble::new(format!(
            "{path} holds an equation of a table, not a dynamical system"
        ))
        .hint("save a system with `eqlearn discover --save`, or use `eqlearn predict`")
    })?;
    let start = start(&system, &args.from)?;
    let settings = Simulate {
        tolerance: args.tolerance,
        ..Simulate::default()
    };
    let simulation = simulate(&system, &start, &times(args)?, &settings)?;
    match &args.out {
        Some(out) if out.extension().is_some_and(|kind| kind == "parquet") => {
            let bytes = table(&system, &simulation)?
                .to_parquet()
                .map_err(cannot_write)?;
            write_file(out, |file| file.write_all(&bytes).map_err(cannot_write))?;
        }
        Some(out) => write_file(out, |file| write(&system, &simulation, file))?,
        None => write(
            &system,
            &simulation,
            &mut BufWriter::new(std::io::stdout().lock()),
        )?,
    }
    let trouble = match simulation.end {
        End::Reached => return Ok(ExitCode::SUCCESS),
        End::BlewUp { time } => format!("the system blew up at time {time}"),
        End::Pole { time } => {
            format!("the system ran into a pole at time {time}: an equation divides by zero there")
        }
        End::StepCollapsed { time } => {
            format!(
                "the step size became too small at time {time}: \
                 the equations are singular or undefined there"
            )
        }
        End::OutOfSteps { time } => format!("the limit of steps was reached at time {time}"),
    };
    note(&trouble);
    Ok(ExitCode::FAILURE)
}

fn times(args: &SimulateArgs) -> Result<Vec<f64>, Trouble> {
    let n = args.until / args.step;
    if !(args.step > 0.0 && (1.0..MOST_ROWS).contains(&n)) {
        return Err(Trouble::new(format!(
            "from 0 until {} in steps of {} are not between 1 and 100,000,000 steps",
            args.until, args.step
        ))
        .hint("change --until or --step"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    let last = (n + 1e-9).floor() as u32;
    Ok((0..=last).map(|i| f64::from(i) * args.step).collect())
}

fn start(system: &System, from: &[String]) -> Result<Vec<f64>, Trouble> {
    let mut start = vec![None; system.states().len()];
    let states = system.states().join(", ");
    for text in from {
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

fn table(system: &System, simulation: &Simulation) -> Result<Table, Trouble> {
    let time = ("t".to_string(), simulation.times.clone());
    let states = system
        .states()
        .iter()
        .cloned()
        .zip(simulation.states.iter().cloned());
    Ok(Table::new([time].into_iter().chain(states).collect())?)
}

fn write(system: &System, simulation: &Simulation, out: &mut dyn Write) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    let header = ["t"]
        .into_iter()
        .chain(system.states().iter().map(String::as_str));
    writer.write_record(header).map_err(failed)?;
    for (i, time) in simulation.times.iter().enumerate() {
        let values = simulation.states.iter().map(|column| column[i]);
        let row = [*time]
            .into_iter()
            .chain(values)
            .map(|value| value.to_string());
        writer.write_record(row).map_err(failed)?;
    }
    writer.flush().map_err(cannot_write)
}
