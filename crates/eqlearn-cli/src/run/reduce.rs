//! `eqlearn reduce`: reduces rows to a triangle.
//!
//! Each file is reduced by itself and merged with those before. So one command for all files, and
//! one command per file on many machines, give the same bits.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use eqlearn::ask::{Checked, Command};
use eqlearn::error::counted;
use eqlearn::observe::{Observer, Progress};
use eqlearn::{Problem, Source, TriangleFile};

use crate::args::{ReadingArgs, ReduceArgs};
use crate::files;
use crate::input::{self, left_out};
use crate::output::{note, write_text};
use crate::places;
use crate::progress::Watch;
use crate::triangles;
use crate::trouble::Trouble;

pub(crate) fn run(args: &ReduceArgs) -> Result<ExitCode, Trouble> {
    let checked = args.request().check(Command::Reduce)?;
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
            "{} is not a name for a triangle",
            args.out.display()
        ))
        .hint("choose a name for --out that ends in .tri"));
    }
    places::check(&[("--out", Some(&args.out))], &paths)?;
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, None);
    let triangle = reduce_all(checked, &paths, reading, &mut watch)?;
    drop(watch);
    write_text(&args.out, &triangle.to_json())?;
    if !reading.quiet {
        note(&format!(
            "{} and {} reduced to {}",
            counted(triangle.reduction().n_obs(), "row"),
            counted(triangle.reduction().n_terms(), "term"),
            args.out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn reduce_all(
    checked: Checked,
    paths: &[PathBuf],
    reading: &ReadingArgs,
    watch: &mut Watch,
) -> Result<TriangleFile, Trouble> {
    let first = input::open(&paths[0], reading)?;
    let checked = checked.in_names_of(&first);
    let (problem, first) = input::problem(&checked, first, &paths[1..], reading)?;
    let mut reduce_one = |source: Source, rows_before: usize| {
        let further = Further {
            watch,
            rows_before: rows_before as u128,
        };
        reduce_one(&problem, source, reading, checked.threads(), further)
    };
    let mut triangle = reduce_one(first, 0)?;
    for path in &paths[1..] {
        let rows = triangle.reduction().n_obs();
        let next = reduce_one(input::open(path, reading)?, rows)?;
        triangle = triangle.merge(next)?;
    }
    Ok(triangle)
}

fn reduce_one(
    problem: &Problem,
    source: Source,
    reading: &ReadingArgs,
    threads: usize,
    mut further: Further<'_>,
) -> Result<TriangleFile, Trouble> {
    let file = source.name().to_string();
    let reduced = source.batches(&problem.columns()).and_then(|mut batches| {
        let reduced = TriangleFile::reduce(problem, batches.by_ref(), threads, &mut further)?;
        left_out(reading, batches.dropped());
        Ok(reduced)
    });
    Ok(reduced.map_err(|error| error.in_file(&file))?)
}

/// Reports the rows of all files so far.
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
