//! `eqlearn fit`: y = f(features) from a table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use eqlearn::ask::{AskError, Checked, Command, Derivative};
use eqlearn::error::counted;
use eqlearn::search::{Run, plan};
use eqlearn::{
    Basis, Beyond, Error, Files, Gathered, PartFile, Problem, Reduction, Settings, Source, Table,
    TriangleFile, learn_shard,
};

use crate::args::{FitArgs, ReadingArgs};
use crate::files;
use crate::input::{self, left_out};
use crate::output::{Talk, note, write_text};
use crate::places;
use crate::progress::Watch;
use crate::run::conclude::Asked;
use crate::run::grouped;
use crate::run::merge;
use crate::triangles;
use crate::trouble::Trouble;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Trouble> {
    let checked = args.request().check(Command::Fit)?;
    let reading = &args.data.reading;
    let paths = files::listed(&args.data.paths, reading.format.is_some())?;
    places::check(&args.places(), &paths)?;
    if checked.group().is_some() && !triangles::are_all(&paths)? {
        return grouped::run(args, checked, paths);
    }
    let (checked, problem, rows) = if triangles::are_all(&paths)? {
        let triangles = triangles::read(&paths)?;
        let problem = checked.problem_of(&triangles)?;
        (checked, problem, Input::Triangles(triangles))
    } else {
        of_tables(checked, paths, reading)?
    };
    let settings = checked.settings(&problem)?;
    let beyond = checked.beyond(&problem)?;
    if args.split.shard.is_some() {
        check_split(&beyond, &problem)?;
    }
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, checked.limit());
    let gathered = gather(&checked, rows, &problem, reading, &mut watch)?;
    let data = gathered.data();
    let run = checked.run(None);
    if reading.verbose {
        announce(data.whole, &settings, &run, checked.limit())?;
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
        let request = checked.request().clone();
        let basis = || Basis::new(data_name, request, problem, &gathered);
        let file = PartFile::new(settings, part, basis);
        return save_part(path, &file, reading.talk());
    }
    let asked = Asked {
        problem: &problem,
        gathered: &gathered,
        settings: &settings,
        beyond,
        data_name: &data_name,
        units: checked.header_units(),
    };
    asked.conclude(&run, watch, &args.output, reading.talk())
}

/// Refuses to split what is no search of the dictionary.
fn check_split(beyond: &Beyond, problem: &Problem) -> Result<(), Trouble> {
    let trouble = if !beyond.families.is_empty() {
        "a search for inner parameters cannot be split"
    } else if problem.dictionary().is_empty() {
        "units leave no term of the dictionary, so there is no search to split"
    } else {
        return Ok(());
    };
    Err(Trouble::new(trouble).hint("leave out --shard and --save-part"))
}

/// Saves a part, and says which one of how many it is.
fn save_part(path: &Path, file: &PartFile, talk: Talk) -> Result<ExitCode, Trouble> {
    write_text(path, &file.to_json())?;
    let part = file.search();
    let proven = part.sizes.iter().all(|list| list.exact);
    let reach = part.sizes.last().map_or(0, |list| list.size);
    let done = if proven {
        "decided"
    } else {
        "stopped before the end"
    };
    talk.note(&format!(
        "{} with sizes up to {reach} {done}: {}; when all parts are there: eqlearn merge",
        part.shard.words(),
        path.display()
    ));
    Ok(if proven {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Where rows come from.
enum Input {
    Files(Box<Files>),
    /// In memory, because derivatives need neighbouring rows.
    Table(Table),
    /// Reduced elsewhere.
    Triangles(Vec<TriangleFile>),
}

/// What is asked of tables in the names of their columns, and their rows.
fn of_tables(
    checked: Checked,
    mut paths: Vec<PathBuf>,
    reading: &ReadingArgs,
) -> Result<(Checked, Problem, Input), Trouble> {
    let rest = paths.split_off(1);
    let source = input::open(&paths[0], reading)?;
    let checked = checked.in_names_of(&source);
    if let Some(derivative) = checked.differentiated(&source)? {
        if !rest.is_empty() {
            return Err(Error::from(AskError::SeveralTables).into());
        }
        let (problem, rows) = differentiated(&checked, derivative, source, reading)?;
        return Ok((checked, problem, rows));
    }
    let (problem, source) = input::problem(&checked, source, &rest, reading)?;
    let options = input::options(reading)?;
    let files = Files::new(source, rest, options, problem.columns())?;
    Ok((checked, problem, Input::Files(Box::new(files))))
}

/// The table with the derivative of the target, and the problem of explaining that by all else.
fn differentiated(
    checked: &Checked,
    derivative: Derivative,
    source: Source,
    reading: &ReadingArgs,
) -> Result<(Problem, Input), Trouble> {
    let mut batches = source.batches(&derivative.read)?;
    let table = batches.whole()?;
    left_out(reading, batches.dropped());
    let table = derivative.of(&table)?;
    let rows = std::iter::once_with(|| Ok(table.clone()));
    let problem = checked.settled(derivative.problem, rows)?;
    Ok((problem, Input::Table(table)))
}

/// Reduces all rows, and keeps the first of them for the check of the residuals.
fn gather(
    checked: &Checked,
    input: Input,
    problem: &Problem,
    reading: &ReadingArgs,
    watch: &mut Watch,
) -> Result<Gathered, Trouble> {
    let (threads, cut) = (checked.threads(), checked.cut());
    let cut = cut.as_ref();
    match input {
        Input::Files(mut files) => {
            let gathered = Gathered::new(problem, files.by_ref(), cut, threads, watch)?;
            left_out(reading, files.dropped());
            Ok(gathered)
        }
        Input::Triangles(triangles) => Ok(Gathered::of_triangles(&triangles, cut)?),
        Input::Table(table) => {
            let batches = [Ok(table)].into_iter();
            Ok(Gathered::new(problem, batches, cut, threads, watch)?)
        }
    }
}

/// Prints the plan of the search.
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
            "{}: {}, about {:.2} s",
            counted(size.size, "term"),
            counted(size.subsets, "subset"),
            size.seconds
        ));
    }
    if let Some(limit) = limit {
        let reach = plan
            .within(limit)
            .map_or("no size".into(), |size| format!("sizes up to {size}"));
        note(&format!(
            "{} is probably enough for {reach}",
            humantime::format_duration(limit)
        ));
    }
    Ok(())
}
