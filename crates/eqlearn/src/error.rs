//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library. Each variant carries the facts a program would need and
//! says them in a sentence that a scientist understands. Errors are for what a user can cause;
//! a broken invariant of ours panics with the reason why it should have held.

use std::fmt;

/// The result of anything that a user's input can make fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An observer asked the work to stop before there was anything to report.
    #[error("stopped before there was a result")]
    Stopped,

    // Tables.
    /// A file or stream could not be opened or read.
    #[error("cannot read {file}: {}", io_reason(.source))]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file's kind is not one that can be read.
    #[error(
        "{name:?} is not a known kind of table; known are {}",
        crate::table::Format::KNOWN.join(", ")
    )]
    UnknownFormat {
        /// The file, or the format as the user wrote it.
        name: String,
    },
    /// A file of a known kind is damaged or is of another kind.
    #[error("{file} is not a readable {format} file: {reason}")]
    Damaged {
        /// The file as the user named it.
        file: String,
        /// The kind it was taken for.
        format: &'static str,
        /// What its reader met.
        reason: String,
    },
    /// A file is sound, but holds something that is not a table of numbers.
    #[error("{file} cannot be used: {reason}")]
    Unsupported {
        /// The file as the user named it.
        file: String,
        /// What it holds, and what to do about it.
        reason: String,
    },
    /// A file without a single byte, or with comments only.
    #[error("{file} is empty")]
    EmptyFile {
        /// The file as the user named it.
        file: String,
    },
    /// A file that names its columns and holds no rows.
    #[error("{file} has columns but no rows")]
    NoRows {
        /// The file as the user named it.
        file: String,
    },
    /// Every row had a missing value.
    #[error(
        "none of the {dropped} rows of {file} has a value in every chosen column; choose fewer columns"
    )]
    NoCompleteRows {
        /// The file as the user named it.
        file: String,
        /// Rows that were left out.
        dropped: u64,
    },
    /// Two columns of a file share a name.
    #[error("columns {first} and {second} of {file} are both named {name:?}; rename one of them")]
    DuplicateColumn {
        /// The file as the user named it.
        file: String,
        /// The name.
        name: String,
        /// Position of the first, counted from 1.
        first: usize,
        /// Position of the second, counted from 1.
        second: usize,
    },
    /// A column was given or asked for twice.
    #[error("column {name:?} is given twice")]
    RepeatedColumn {
        /// The name.
        name: String,
    },
    /// No column was asked for.
    #[error("no column of {file} was asked for")]
    NoColumns {
        /// The file as the user named it.
        file: String,
    },
    /// Two columns of a table differ in length.
    #[error("column {first:?} has {first_rows} rows but column {second:?} has {second_rows}")]
    UnequalColumns {
        /// A column.
        first: String,
        /// Its rows.
        first_rows: u64,
        /// A column of another length.
        second: String,
        /// Its rows.
        second_rows: u64,
    },
    /// A number given for a table is infinite or not a number.
    #[error("column {column:?} is {value} in row {row}; a table holds finite numbers only")]
    NonFinite {
        /// The column.
        column: String,
        /// The row, counted from 1.
        row: u64,
        /// The value.
        value: f64,
    },
    /// A column that does not exist.
    #[error("column {name:?} is not in the table; {}", remedy(.nearest.as_deref(), .known))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// A column whose name is close.
        nearest: Option<String>,
        /// All columns.
        known: Vec<String>,
    },
    /// A column of text or dates where numbers are needed.
    #[error("column {column:?} of {file} holds {kind}, not numbers{}", example_of(.example.as_ref()))]
    NotNumeric {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// What it holds: `text`, `dates`, `nested values`.
        kind: &'static str,
        /// A cell that shows it, and its row counted from 1.
        example: Option<(String, u64)>,
    },
    /// A cell that is not a number, in a column of numbers.
    #[error("{found:?} is not a number: {place}{}", decimal_comma_hint(.found))]
    NotANumber {
        /// Where.
        place: Place,
        /// The cell.
        found: String,
    },
    /// A missing or non-finite cell in a chosen column.
    #[error(
        "{found} where a number is needed: {place}; fill it in, or leave out rows with missing values"
    )]
    MissingValue {
        /// Where.
        place: Place,
        /// What was there: `an empty cell`, `null`, `"NA"`.
        found: String,
    },
    /// A row with more or fewer cells than there are columns.
    #[error("line {line} of {file} has {found} cells, but there are {expected} columns")]
    RaggedRow {
        /// The file as the user named it.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// Cells found.
        found: usize,
        /// Columns there are.
        expected: usize,
    },
    /// Text that is not UTF-8.
    #[error("line {line} of {file} is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The file as the user named it.
        file: String,
        /// The line, counted from 1.
        line: u64,
    },
    /// A line of a JSON-lines file that is not an object.
    #[error("line {line} of {file} is not a JSON object: {reason}")]
    MalformedLine {
        /// The file as the user named it.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

/// Where a cell stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// The data row, counted from 1 and without the header.
    pub row: u64,
    /// The line of a text file, counted from 1.
    pub line: Option<u64>,
    /// The column.
    pub column: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, row {}", self.file, self.row)?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, ", column {:?}", self.column)
    }
}

/// The known name that a reader most likely meant.
///
/// Names that differ only in case win; else the smallest edit distance, at most a third of the
/// length; the earlier one on ties.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|other| {
            (
                edit_distance(&name.to_lowercase(), &other.to_lowercase()),
                other,
            )
        })
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, other)| other)
}

/// Insertions, deletions and substitutions between two words (Wagner and Fischer 1974).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Columns beyond this many are counted rather than listed.
const LISTED_COLUMNS: usize = 20;

fn remedy(nearest: Option<&str>, known: &[String]) -> String {
    let meant = nearest.map_or(String::new(), |name| format!("did you mean {name:?}? "));
    let listed = known[..known.len().min(LISTED_COLUMNS)].join(", ");
    match known.len().saturating_sub(LISTED_COLUMNS) {
        0 => format!("{meant}it has {listed}"),
        more => format!("{meant}it has {listed} and {more} more"),
    }
}

fn example_of(example: Option<&(String, u64)>) -> String {
    example.map_or(String::new(), |(cell, row)| {
        format!(
            ", such as {cell:?} in row {row}{}",
            decimal_comma_hint(cell)
        )
    })
}

fn decimal_comma_hint(cell: &str) -> &'static str {
    if cell.matches(',').count() == 1 && cell.replace(',', ".").parse::<f64>().is_ok() {
        "; this looks like a decimal comma, write numbers with a point"
    } else {
        ""
    }
}

fn io_reason(source: &std::io::Error) -> String {
    match source.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a directory".into(),
        _ => source.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_despite_case_and_typing() {
        let known = ["temperature", "time", "x1"];
        assert_eq!(nearest("temprature", known), Some("temperature"));
        assert_eq!(nearest("TIME", known), Some("time"));
        assert_eq!(nearest("x2", known), Some("x1"));
        assert_eq!(nearest("pressure", known), None);
    }
}
