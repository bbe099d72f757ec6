//! `eqlearn discover`: dx/dt = f(x) from trajectories.

use std::path::Path;
use std::process::ExitCode;

use eqlearn::document::Document;
use eqlearn::search::Run;
use eqlearn::term::Language;
use eqlearn::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::{
    Discover, ModelFile, Problem, RowScheme, Settings, Source, System, discover, forecast,
};
use eqlearn_report::About;

use crate::args::{Code, DataArgs, DiscoverArgs};
use crate::input;
use crate::knobs;
use crate::output::{command_line, note, print, write_text};
use crate::page::{Look, page};
use crate::progress::Watch;
use crate::trouble::Trouble;

pub(crate) fn run(args: &DiscoverArgs) -> Result<ExitCode, Trouble> {
    check_flags(args)?;
    let trajectories = read(args)?;
    let dictionary = input::dictionary(trajectories.features(), &args.dictionary)?;
    let rows = rows(args)?;
    let problem = Problem::new(rows.target(&trajectories.states()[0]), dictionary.clone())?;
    // Neighbouring rows share samples, so folds of them are no test: a knob is given, or has its peer's value.
    let chosen = knobs::choose(args.search.method, &args.knobs)?;
    let settings = Discover {
        rows,
        learn: Settings {
            tune: false,
            refit: args.knobs.refit,
            ..input::settings(&problem, &args.dictionary, &args.search, chosen.method)?
        },
    };
    let run = Run {
        threads: args.threads.map_or(0, usize::from),
        ..Run::default()
    };
    let mut watch = Watch::new(!args.quiet && !args.no_progress, args.search.time_limit);
    let discovery = discover(&trajectories, &dictionary, &settings, &run, &mut watch)?;
    let seconds = watch.elapsed().as_secs_f64();
    drop(watch);
    let system = discovery.system();
    let opinion = system
        .as_ref()
        .and_then(|system| forecast(system, &trajectories, discovery.choice.time_scale));
    let document = Document::system(
        trajectories.states(),
        &discovery,
        opinion,
        &settings,
        seconds,
    );
    write_report(args, &document, trajectories.features())?;
    report(args, &document, system.as_ref(), &settings)?;
    Ok(if system.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn check_flags(args: &DiscoverArgs) -> Result<(), Trouble> {
    if !args.dictionary.features.is_empty() {
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

fn rows(args: &DiscoverArgs) -> Result<RowScheme, Trouble> {
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

/// Reads every file, and splits it where the trajectory column says so.
fn read(args: &DiscoverArgs) -> Result<Trajectories, Trouble> {
    let mut records = Vec::new();
    let mut states = args.states.clone();
    for path in &args.paths {
        let source = input::open(&data_args(args, path))?;
        if args.time.is_none() && args.dt.is_none() && !args.discrete {
            return Err(ask_for_time(&source));
        }
        if states.is_empty() {
            states = other_columns(args, &source)?;
        }
        records.extend(records_of(args, source, &states)?);
    }
    let time = args.time.clone().unwrap_or_else(|| "t".into());
    let feature = if args.time_as_feature {
        TimeFeature::Yes
    } else {
        TimeFeature::No
    };
    let trajectories = Trajectories::new(&time, &states, &args.inputs, feature, records)?;
    if !args.quiet {
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
    args: &DiscoverArgs,
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
    if batches.dropped() > 0 && !args.quiet {
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

fn other_columns(args: &DiscoverArgs, source: &Source) -> Result<Vec<String>, Trouble> {
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

fn data_args(args: &DiscoverArgs, path: &Path) -> DataArgs {
    DataArgs {
        path: path.to_path_buf(),
        format: args.format.clone(),
        missing: args.missing,
        threads: args.threads,
        no_progress: args.no_progress,
        quiet: args.quiet,
        verbose: args.verbose,
    }
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

/// The page to look at, if one is wanted.
fn write_report(
    args: &DiscoverArgs,
    document: &Document,
    features: &[String],
) -> Result<(), Trouble> {
    let Some(path) = &args.output.report else {
        return Ok(());
    };
    let names: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
    let about = About {
        data: &names.join(", "),
        features,
        command: &command_line(),
    };
    write_text(path, &eqlearn_report::html(document, &about))
}

fn report(
    args: &DiscoverArgs,
    document: &Document,
    system: Option<&System>,
    settings: &Discover,
) -> Result<(), Trouble> {
    if let (Some(path), Some(system)) = (&args.output.save, system) {
        let settings = serde_json::to_value(settings).expect("settings are plain data");
        let text = ModelFile::new(system.equations().to_vec(), settings).to_json();
        write_text(path, &text)?;
    }
    if args.output.json {
        let json = serde_json::to_string_pretty(document)
            .expect("the document holds nothing that JSON cannot");
        return print(&(json + "\n"));
    }
    match (args.code, system) {
        (Some(code), Some(system)) => print(&system.code(match code {
            Code::Python => Language::Python,
            Code::Julia => Language::Julia,
            Code::Rust => Language::Rust,
        })),
        _ if args.output.latex => match system {
            Some(system) => print(&(system.latex() + "\n")),
            None => Ok(()),
        },
        _ => print(&page(document, Look::new(args.output.color, args.verbose))),
    }
}
