//! From what was typed to files: a folder stands for the files in it.

use std::path::{Path, PathBuf};

use eqlearn::data::table::files_in;

use crate::triangles;
use crate::trouble::Trouble;

/// All files that the paths stand for, in their order; those of a folder are sorted by name.
///
/// With `any_kind` a file's name does not have to tell what it is.
pub(crate) fn listed(paths: &[PathBuf], any_kind: bool) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_in(path, |file| any_kind || triangles::is_one(file))?);
        } else {
            files.push(path.clone());
        }
    }
    let streams = files.iter().filter(|path| *path == Path::new("-"));
    if streams.count() > 0 && files.len() > 1 {
        return Err(Trouble::new(
            "standard input (-) cannot be combined with other files",
        ));
    }
    Ok(files)
}

/// The data as a page names them.
pub(crate) fn in_words(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [one] => one.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}
