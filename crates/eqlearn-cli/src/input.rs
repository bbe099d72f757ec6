//! From flags to data: opens the table and makes the problem.

use std::path::{Path, PathBuf};

use eqlearn::ask::Checked;
use eqlearn::{Format, Missing, Problem, ReadOptions, Source};

use crate::args::{self, ReadingArgs};
use crate::trouble::Trouble;

/// How the flags want tables to be read.
pub(crate) fn options(args: &ReadingArgs) -> Result<ReadOptions, Trouble> {
    let missing = match args.missing {
        args::Missing::Error => Missing::Error,
        args::Missing::Drop => Missing::Drop,
    };
    Ok(ReadOptions {
        format: args.format.as_deref().map(str::parse).transpose()?,
        missing,
        missing_values: args.missing_value.clone(),
        decimal: args.decimal,
        sheet: args.sheet.clone(),
        ..ReadOptions::default()
    })
}

/// Opens DATA; `-` is standard input.
pub(crate) fn open(path: &Path, args: &ReadingArgs) -> Result<Source, Trouble> {
    let options = options(args)?;
    let source = if path == Path::new("-") {
        Source::from_reader(
            Box::new(std::io::stdin()),
            "standard input",
            options.format.unwrap_or(Format::Csv),
            &options,
        )?
    } else {
        Source::open(path, &options)?
    };
    let talk = args.talk();
    source.notes().iter().for_each(|text| talk.note(text));
    Ok(source)
}

/// What is asked of the table and of further files, with a note on columns that are not used. The
/// source that is returned has all its rows.
pub(crate) fn problem(
    checked: &Checked,
    source: Source,
    rest: &[PathBuf],
    args: &ReadingArgs,
) -> Result<(Problem, Source), Trouble> {
    let talk = args.talk();
    let options = options(args)?;
    let before = source.notes().len();
    let source = checked.categorised(source, rest, &options)?;
    for text in &source.notes()[before..] {
        talk.note(text);
    }
    let (problem, remark) = checked.problem(&source)?;
    if let Some(text) = &remark {
        talk.note(text);
    }
    for text in &checked.remarks_on_terms(problem.dictionary().features())? {
        talk.note(text);
    }
    Ok(checked.settled_on_files(problem, source, rest, options)?)
}

/// Says how many rows were not used.
pub(crate) fn left_out(args: &ReadingArgs, rows: u64) {
    if rows > 0 {
        args.talk().note(&eqlearn::data::left_out(rows));
    }
}
