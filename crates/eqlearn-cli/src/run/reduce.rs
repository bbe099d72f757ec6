//! `eqlearn reduce`: rows become a triangle where they are.
//!
//! Each file is reduced by itself and merged with those before, so that one command for all of them and one command for each, on as many machines, give
//! the same answer to the bit.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use eqlearn::observe::{Observer, Progress};
use eqlearn::{Problem, Source, TriangleFile};

use crate::args::ReduceArgs;
use crate::files;
use crate::input;
use crate::output::{note, write_text};
use crate::progress::Watch;
use crate::run::fit::{ask_for_target, left_out};
use crate::triangles;
use crate::trouble::Trouble;

pub(crate) fn run(args: &ReduceArgs) -> Result<ExitCode, Trouble> {
    let reading = &args.data.reading;
    let paths = files::listed(&args.data.paths, reading.format.is_some())?;
    if triangles::are_all(&paths)? {
        return Err(
            Trouble::new(format!("{} is a triangle already", paths[0].display()))
                .hint("`eqlearn fit` takes several triangles"),
        );
    }
    if !triangles::is_one(&args.out) {
        return Err(Trouble::new(format!(
            "{} would not be known as a triangle",
            args.out.display()
        ))
        .hint("choose a name for --out that ends in .tri"));
    }
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, None);
    let triangle = reduce_all(args, &paths, &mut watch)?;
    drop(watch);
    write_text(&args.out, &triangle.to_json())?;
    if !reading.quiet {
        note(&format!(
            "{} rows and {} terms are now {}",
            triangle.reduction().n_obs(),
            triangle.reduction().n_terms(),
            args.out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn reduce_all(
    args: &ReduceArgs,
    paths: &[PathBuf],
    watch: &mut Watch,
) -> Result<TriangleFile, Trouble> {
    let first = input::open(&paths[0], &args.data.reading)?;
    let problem = problem(args, &first)?;
    let mut triangle = reduce_one(args, &problem, first, watch, 0)?;
    for path in &paths[1..] {
        let rows = triangle.reduction().n_obs();
        let source = input::open(path, &args.data.reading)?;
        let next = reduce_one(args, &problem, source, watch, rows)?;
        triangle = triangle.merge(next)?;
    }
    Ok(triangle)
}

/// What the flags ask of the first file, and so of all.
fn problem(args: &ReduceArgs, source: &Source) -> Result<Problem, Trouble> {
    let Some(target) = &args.target else {
        return Err(ask_for_target(source));
    };
    let quiet = args.data.reading.quiet;
    input::problem(
        source,
        target,
        args.weights.as_deref(),
        &args.dictionary,
        quiet,
    )
}

fn reduce_one(
    args: &ReduceArgs,
    problem: &Problem,
    source: Source,
    watch: &mut Watch,
    rows_before: usize,
) -> Result<TriangleFile, Trouble> {
    let file = source.name().to_string();
    let threads = input::threads(&args.data.reading);
    let mut further = Further {
        watch,
        rows_before: rows_before as u128,
    };
    let reduced = source.batches(&problem.columns()).and_then(|mut batches| {
        let reduced = TriangleFile::reduce(problem, batches.by_ref(), threads, &mut further)?;
        left_out(&args.data.reading, batches.dropped());
        Ok(reduced)
    });
    Ok(reduced.map_err(|error| error.in_file(&file))?)
}

/// Tells the rows of all files so far.
struct Further<'a> {
    watch: &'a mut Watch,
    rows_before: u128,
}

impl Observer for Further<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.watch.progress(&Progress {
            done: self.rows_before + progress.done,
            ..*progress
        })
    }
}
