//! From what was typed to files: a folder stands for the files in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use eqlearn::Format;

use crate::triangles;
use crate::trouble::Trouble;

/// All files that the paths stand for, in their order; those of a folder are sorted by name.
///
/// With `any_kind` a file's name does not have to tell what it is.
pub(crate) fn listed(paths: &[PathBuf], any_kind: bool) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(in_folder(path, any_kind)?);
        } else {
            files.push(path.clone());
        }
    }
    let streams = files.iter().filter(|path| *path == Path::new("-"));
    if streams.count() > 0 && files.len() > 1 {
        return Err(Trouble::new(
            "standard input (-) is a table of its own, not one of several",
        ));
    }
    Ok(files)
}

fn in_folder(folder: &Path, any_kind: bool) -> Result<Vec<PathBuf>, Trouble> {
    let cannot =
        |error: std::io::Error| Trouble::new(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let known = any_kind || Format::of_path(&path).is_ok() || triangles::is_one(&path);
        if known && !is_hidden(&path) && !path.is_dir() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Trouble::new(format!(
            "the folder {} has no tables in it",
            folder.display()
        ))
        .hint("known are the names that end in .csv, .tsv, .parquet, .arrow, .npy, .npz, .jsonl and .tri"));
    }
    files.sort();
    Ok(files)
}

/// What programs leave beside tables for themselves, such as `_metadata` and `.part-0.parquet.crc`.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with('.') || name.starts_with('_')
}

/// The data as a page names them.
pub(crate) fn in_words(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [one] => one.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}
