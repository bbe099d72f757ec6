//! Triangles in place of tables.

use std::path::{Path, PathBuf};

use eqlearn::data::TableError;
use eqlearn::{Error, TriangleFile};

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
