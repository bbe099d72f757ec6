//! `eqlearn fit`: y = f(features) from a table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use eqlearn::data::table::derivative_name;
use eqlearn::search::{Run, plan};
use eqlearn::{
    Basis, Cut, Files, Gathered, LeftSide, PartFile, Problem, Reduction, Settings, Source, Table,
    TriangleFile, learn_shard,
};

use crate::args::{FitArgs, ReadingArgs};
use crate::files;
use crate::input;
use crate::knobs;
use crate::output::{note, write_text};
use crate::progress::Watch;
use crate::run::conclude::Asked;
use crate::run::merge;
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
    let data_name = files::in_words(&args.data.paths);
    if let (Some(shard), Some(path)) = (args.split.shard, &args.split.save_part) {
        let known = merge::read(&args.split.known)?;
        let known = known.iter();
        let known: Vec<_> = known
            .map(|(name, file)| (name.clone(), file.search().clone()))
            .collect();
        let part = learn_shard(
            &problem,
            data.whole,
            &settings,
            (shard, &known),
            &run,
            &mut watch,
        )?;
        drop(watch);
        let basis = || Basis::new(data_name, problem, &gathered);
        return save_part(
            path,
            &PartFile::new(settings, part, basis),
            args.data.reading.quiet,
        );
    }
    let asked = Asked {
        problem: &problem,
        gathered: &gathered,
        settings: &settings,
        data_name: &data_name,
    };
    asked.conclude(&run, watch, &args.output, args.data.reading.verbose)
}

/// Saves a part, and says how much of the whole it is.
fn save_part(path: &Path, file: &PartFile, quiet: bool) -> Result<ExitCode, Trouble> {
    write_text(path, &file.to_json())?;
    let part = file.search();
    let proven = part.sizes.iter().all(|list| list.exact);
    if !quiet {
        let reach = part.sizes.last().map_or(0, |list| list.size);
        let done = if proven {
            "decided"
        } else {
            "stopped before the end"
        };
        note(&format!(
            "{} with sizes up to {reach} {done}: {}; when all are there: eqlearn merge",
            part.shard.words(),
            path.display()
        ));
    }
    Ok(if proven {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
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
    let left = LeftSide::Derivative {
        of: target.into(),
        by: by.into(),
        order,
    };
    let problem = Problem::new(left, dictionary)?;
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
