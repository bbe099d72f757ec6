//! `eqlearn fit`: y = f(features) from a table.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use eqlearn::document::Document;
use eqlearn::search::{Run, plan};
use eqlearn::table::derivative_name;
use eqlearn::{
    Cut, Files, Gathered, Model, ModelFile, Problem, Reduction, Settings, Source, Study, Table,
    TriangleFile, learn,
};

use crate::args::{FitArgs, ReadingArgs};
use crate::files;
use crate::input;
use crate::knobs;
use crate::output::{command_line, note, print, write_text};
use crate::page::{Look, page};
use crate::progress::Watch;
use crate::report::{Destination, Learned, of_equation};
use crate::triangles;
use crate::trouble::Trouble;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Trouble> {
    let paths = files::listed(&args.data.paths, args.data.reading.format.is_some())?;
    let (problem, rows) = if triangles::are_all(&paths)? {
        let triangles = triangles::read(&paths)?;
        let problem = triangles::problem(args, &triangles)?;
        (problem, Input::Triangles(triangles))
    } else {
        of_tables(args, paths)?
    };
    let chosen = knobs::choose(args.search.method, &args.knobs)?;
    let settings = Settings {
        tune: chosen.cut.is_some(),
        refit: args.knobs.refit,
        ..input::settings(&problem, &args.dictionary, &args.search, chosen.method)?
    };
    let mut watch = Watch::new(
        !args.data.reading.quiet && !args.data.reading.no_progress,
        args.search.time_limit,
    );
    let gathered = gather(args, rows, &problem, chosen.cut.as_ref(), &mut watch)?;
    let data = gathered.data();
    let run = Run {
        threads: input::threads(&args.data.reading),
        checkpoint: args.search.checkpoint.clone(),
        ..Run::default()
    };
    if args.data.reading.verbose {
        announce(data.whole, &settings, &run, args.search.time_limit)?;
    }
    let before = watch.elapsed();
    let study = learn(&problem, data, &settings, &run, &mut watch)?;
    let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
    drop(watch);
    let mut document = Document::new(&problem, data.whole, &settings, &study, seconds);
    let model = study.model(&problem);
    if let Some(model) = &model {
        document.warnings.extend(gathered.warnings(model)?);
    }
    save(args, model.as_ref(), &settings)?;
    if let Some(path) = &args.output.report {
        let to = Destination {
            path,
            data: &files::in_words(&args.data.paths),
            command: &command_line(),
        };
        let learned = Learned {
            problem: &problem,
            reduction: data.whole,
            settings: &settings,
            study: &study,
        };
        of_equation(&to, &learned, &document, gathered.kept())?;
    }
    report(args, &document)?;
    Ok(exit_code(&study))
}

/// Where rows come from.
enum Input {
    Files(Box<Files>),
    /// In memory, because neighbours make its columns.
    Table(Table),
    /// Reduced elsewhere.
    Triangles(Vec<TriangleFile>),
}

/// What the flags ask of tables, and their rows.
fn of_tables(args: &FitArgs, mut paths: Vec<PathBuf>) -> Result<(Problem, Input), Trouble> {
    let rest = paths.split_off(1);
    let source = input::open(&paths[0], &args.data.reading)?;
    let Some(target) = &args.target else {
        return Err(ask_for_target(&source));
    };
    if let Some(by) = &args.differentiate {
        if !rest.is_empty() {
            return Err(Trouble::new(
                "a derivative needs neighbours, and several files may have none",
            )
            .hint("give --differentiate one file"));
        }
        return differentiated(args, source, target, by);
    }
    let weights = args.weights.as_deref();
    let quiet = args.data.reading.quiet;
    let problem = input::problem(&source, target, weights, &args.dictionary, quiet)?;
    let options = input::options(&args.data.reading)?;
    let files = Files::new(source, rest, options, problem.columns())?;
    Ok((problem, Input::Files(Box::new(files))))
}

/// The table with the derivative of the target, and the problem of explaining that by all else.
fn differentiated(
    args: &FitArgs,
    source: Source,
    target: &str,
    by: &str,
) -> Result<(Problem, Input), Trouble> {
    let order = usize::from(args.order);
    let mut columns = args.dictionary.features.clone();
    if columns.is_empty() {
        let numeric = source.columns().iter().filter(|c| c.is_numeric());
        columns = numeric.map(|c| c.name.clone()).collect();
    }
    let lower = |k: usize| derivative_name(target, by, k);
    // Lower derivatives are made here, not read.
    columns.retain(|name| (1..order).all(|k| *name != lower(k)));
    let mut read = columns.clone();
    for name in [target, by] {
        if !read.iter().any(|known| known == name) {
            read.push(name.to_string());
        }
    }
    let mut batches = source.batches(&read)?;
    let table = batches.whole()?;
    left_out(&args.data.reading, batches.dropped());
    let table = table.differentiated(target, by, order)?;
    let made = (1..order).map(lower);
    let features: Vec<String> = columns.into_iter().chain(made).collect();
    let dictionary = input::dictionary(&features, &args.dictionary)?;
    let problem = Problem::new(lower(order), dictionary)?;
    Ok((problem, Input::Table(table)))
}

/// Says how many rows were not used.
pub(crate) fn left_out(args: &ReadingArgs, rows: u64) {
    if rows > 0 && !args.quiet {
        note(&format!("{rows} rows with missing values were left out"));
    }
}

/// Reduces all rows, and keeps the first of them for the check of the residuals.
fn gather(
    args: &FitArgs,
    input: Input,
    problem: &Problem,
    cut: Option<&Cut>,
    watch: &mut Watch,
) -> Result<Gathered, Trouble> {
    let threads = input::threads(&args.data.reading);
    match input {
        Input::Files(mut files) => {
            let gathered = Gathered::new(problem, files.by_ref(), cut, threads, watch)?;
            left_out(&args.data.reading, files.dropped());
            Ok(gathered)
        }
        Input::Triangles(triangles) => Ok(Gathered::of_triangles(&triangles, cut)?),
        Input::Table(table) => {
            let batches = [Ok(table)].into_iter();
            Ok(Gathered::new(problem, batches, cut, threads, watch)?)
        }
    }
}

/// Says what the search will have to do.
fn announce(
    reduction: &Reduction,
    settings: &Settings,
    run: &Run<'_>,
    limit: Option<Duration>,
) -> Result<(), Trouble> {
    let plan = plan(
        &reduction.triangle(),
        &settings.space,
        run,
        Duration::from_millis(100),
    )?;
    for size in &plan.sizes {
        note(&format!(
            "{:>2} terms: {} subsets, about {:.2} s",
            size.size, size.subsets, size.seconds
        ));
    }
    if let Some(limit) = limit {
        let reach = plan
            .within(limit)
            .map_or("no size".into(), |size| format!("sizes up to {size}"));
        note(&format!(
            "{} will likely allow {reach}",
            humantime::format_duration(limit)
        ));
    }
    Ok(())
}

fn save(args: &FitArgs, model: Option<&Model>, settings: &Settings) -> Result<(), Trouble> {
    let (Some(path), Some(model)) = (&args.output.save, model) else {
        return Ok(());
    };
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let text = ModelFile::new(vec![model.clone()], settings).to_json();
    write_text(path, &text)
}

fn report(args: &FitArgs, document: &Document) -> Result<(), Trouble> {
    if args.output.json {
        let json = serde_json::to_string_pretty(document)
            .expect("the document holds nothing that JSON cannot");
        print(&(json + "\n"))
    } else if args.output.latex {
        document
            .equations
            .iter()
            .try_for_each(|equation| print(&format!("{}\n", equation.latex)))
    } else {
        print(&page(
            document,
            Look::new(args.output.color, args.data.reading.verbose),
        ))
    }
}

fn exit_code(study: &Study) -> ExitCode {
    if study.answer().is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

pub(crate) fn ask_for_target(source: &Source) -> Trouble {
    let columns: Vec<String> = source
        .columns()
        .iter()
        .map(|c| format!("\n  {} ({})", c.name, c.kind))
        .collect();
    let numeric = source.columns().iter().rfind(|c| c.is_numeric());
    let example = numeric.map_or("y", |c| c.name.as_str());
    Trouble::new(format!(
        "which column is to be explained? {} has{}",
        source.name(),
        columns.concat()
    ))
    .hint(format!(
        "add --target COLUMN, for example --target {example}"
    ))
}
