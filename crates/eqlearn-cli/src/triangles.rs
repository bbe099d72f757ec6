//! Triangles in place of tables: which files they are, and which flags they leave a say.

use std::path::{Path, PathBuf};

use eqlearn::data::TableError;
use eqlearn::reduce::ReduceError;
use eqlearn::{Error, Problem, TriangleFile};

use crate::args::{Constant, FitArgs};
use crate::trouble::Trouble;

/// Whether a file's name says that it is a triangle.
pub(crate) fn is_one(path: &Path) -> bool {
    path.extension()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("tri"))
}

/// Whether all files are triangles; some of each are refused.
pub(crate) fn are_all(paths: &[PathBuf]) -> Result<bool, Trouble> {
    let triangle = paths.iter().find(|path| is_one(path));
    let table = paths.iter().find(|path| !is_one(path));
    if let (Some(triangle), Some(table)) = (triangle, table) {
        return Err(Trouble::new(format!(
            "{} is a triangle and {} is a table; give either the one or the other",
            triangle.display(),
            table.display()
        ))
        .hint("make the tables triangles too, with `eqlearn reduce` and the same flags"));
    }
    Ok(triangle.is_some())
}

pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<TriangleFile>, Trouble> {
    let read_one = |path: &PathBuf| {
        let name = path.display().to_string();
        let unreadable = |source| TableError::Unreadable {
            file: name.clone(),
            source,
        };
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::from(unreadable(source)))?;
        Ok(TriangleFile::from_json(&text, &name)?)
    };
    paths.iter().map(read_one).collect()
}

/// What the triangles were made for; a flag that asks for anything else is refused.
pub(crate) fn problem(args: &FitArgs, triangles: &[TriangleFile]) -> Result<Problem, Trouble> {
    let dictionary = &args.dictionary;
    let flags = [
        ("--features", !dictionary.features.is_empty()),
        ("--max-power", dictionary.max_power.is_some()),
        ("--max-degree", dictionary.max_degree.is_some()),
        ("--terms", dictionary.terms.is_some()),
        ("--only-terms", dictionary.only_terms),
        ("--weights", args.weights.is_some()),
    ];
    if let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) {
        return Err(Trouble::new(format!(
            "{flag} comes too late: a triangle has its terms and weights already"
        ))
        .hint(format!("leave it out, or give {flag} to `eqlearn reduce`")));
    }
    if args.differentiate.is_some() {
        return Err(Trouble::new(
            "--differentiate needs rows with their neighbours, not triangles",
        )
        .hint("give the table itself"));
    }
    let none = || Error::from(ReduceError::NoRowsToLearnFrom);
    let first = triangles.first().ok_or_else(none)?;
    let problem = first.problem();
    if let Some(target) = &args.target
        && *target != problem.target()
    {
        return Err(Trouble::new(format!(
            "the triangles explain {:?}, not {target:?}",
            problem.target()
        ))
        .hint("leave --target out, or reduce the rows again for another one"));
    }
    let has_constant = problem.dictionary().has_constant();
    let (word, wants_constant) = match dictionary.constant {
        None => return Ok(problem.clone()),
        Some(Constant::None) => ("none", false),
        Some(Constant::Free) => ("free", true),
        Some(Constant::Forced) => ("forced", true),
    };
    if wants_constant != has_constant {
        let have = if has_constant { "has a" } else { "has no" };
        return Err(Trouble::new(format!(
            "--constant {word} comes too late: the dictionary of the triangles {have} constant"
        ))
        .hint(format!(
            "leave it out, or give --constant {word} to `eqlearn reduce`"
        )));
    }
    Ok(problem.clone())
}
