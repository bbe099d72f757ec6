//! What can go wrong with tables, the files they come from, and records of trajectories.

use std::fmt;

use super::table::Format;
use crate::error::{counted, remedy};

/// What can be wrong with a table, or with the file that it comes from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file or stream could not be opened or read.
    #[error("cannot read {file}: {}", io_reason(.source))]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file's kind is not one that can be read.
    #[error("{name:?} is not a known kind of table; known are {}", Format::KNOWN.join(", "))]
    UnknownFormat {
        /// The file, or the format as the user wrote it.
        name: String,
    },
    /// A file of a known kind is damaged or is of another kind.
    #[error("{file} is not a readable {format} file: {damage}")]
    Damaged {
        /// The file as the user named it.
        file: String,
        /// The kind it was taken for.
        format: &'static str,
        /// What its reader met.
        #[source]
        damage: Damage,
    },
    /// A file is sound, but holds something that is not a table of numbers.
    #[error("{file} cannot be used: {content}")]
    Unsupported {
        /// The file as the user named it.
        file: String,
        /// What it holds.
        content: Content,
    },
    /// A file without a single byte, or with comments only.
    #[error("{file} is empty")]
    EmptyFile {
        /// The file as the user named it.
        file: String,
    },
    /// A folder without tables.
    #[error("the folder {folder} has no tables in it")]
    EmptyFolder {
        /// The folder as the user named it.
        folder: String,
    },
    /// A file that names its columns and holds no rows.
    #[error("{file} has columns but no rows")]
    NoRows {
        /// The file as the user named it.
        file: String,
    },
    /// Every row had a missing value.
    #[error(
        "{} {file} has a value in every chosen column; choose fewer columns",
        none_of(*dropped)
    )]
    NoCompleteRows {
        /// The file as the user named it.
        file: String,
        /// Rows that were left out.
        dropped: u64,
    },
    /// Two columns of a file share a name.
    #[error("columns {first} and {second} of {file} are both named {name:?}; rename one of them")]
    ColumnsShareName {
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
    ColumnGivenTwice {
        /// The name.
        name: String,
    },
    /// No column was asked for.
    #[error("no column of {file} was asked for")]
    NoColumnChosen {
        /// The file as the user named it.
        file: String,
    },
    /// Two columns of a table differ in length.
    #[error(
        "column {first:?} has {} but column {second:?} has {second_rows}",
        counted(*first_rows, "row")
    )]
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
    /// A number given for a table is infinite or NaN.
    #[error("column {column:?} is {value} in row {row}; a table holds finite numbers only")]
    ColumnValueNotFinite {
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
    #[error(
        "column {column:?} of {file} holds {kind}, not numbers{}",
        example_of(.example.as_ref())
    )]
    ColumnNotNumeric {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// What it holds: `text`, `dates`, `nested values`.
        kind: &'static str,
        /// A cell that shows it, and its row counted from 1.
        example: Option<(String, u64)>,
    },
    /// A column of text where times are needed.
    #[error(
        "column {column:?} of {file} holds {kind}, not times{}; write times as numbers, or as \
         2024-01-31T12:30:00",
        example_of(.example.as_ref())
    )]
    ColumnNotTime {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
        /// A cell that shows it, and its row counted from 1.
        example: Option<(String, u64)>,
    },
    /// A cell that is not what its column is made of: a number, or a time.
    #[error("{found:?} is not {wanted}: {place}{}", comma_hint(.found))]
    CellUnusable {
        /// Where.
        place: Box<Place>,
        /// The cell.
        found: Box<str>,
        /// What it should be: `a number`.
        wanted: Box<str>,
    },
    /// Numbers with a decimal comma beside numbers with a decimal point.
    #[error(
        "{file} has numbers with a decimal comma, such as {comma:?} in column {comma_column:?}, \
         and with a decimal point, such as {point:?} in column {point_column:?}; say which it is, \
         or write all alike"
    )]
    MixedDecimals {
        /// The file as the user named it.
        file: String,
        /// A cell with a decimal comma.
        comma: Box<str>,
        /// Its column.
        comma_column: Box<str>,
        /// A cell with a decimal point.
        point: Box<str>,
        /// Its column.
        point_column: Box<str>,
    },
    /// Numbers that are one thing with a decimal comma and another with a decimal point.
    #[error(
        "{cell:?} in column {column:?} of {file} may have a decimal comma or one between \
         thousands; say which"
    )]
    AmbiguousComma {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// A cell of it.
        cell: String,
    },
    /// A column of one file has another unit in a second one.
    #[error(
        "column {column:?} is in {first_unit} in {first}, and in {second_unit} in {second}; \
         convert one of them"
    )]
    UnitsDiffer {
        /// The column.
        column: String,
        /// A file.
        first: Box<str>,
        /// The unit there.
        first_unit: Box<str>,
        /// Another file.
        second: Box<str>,
        /// The unit there.
        second_unit: Box<str>,
    },
    /// A sheet that a spreadsheet does not have.
    #[error("{file} has no sheet {name:?}; {}", remedy(.nearest.as_deref(), .known))]
    UnknownSheet {
        /// The file as the user named it.
        file: String,
        /// The sheet asked for.
        name: String,
        /// A sheet whose name is close.
        nearest: Option<String>,
        /// All sheets.
        known: Vec<String>,
    },
    /// A column with so many different texts that they are no categories.
    #[error(
        "column {column:?} of {file} has more than {most} different texts; that many are no \
         categories"
    )]
    TooManyCategories {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// How many there may be.
        most: usize,
    },
    /// A stream that would have to be read twice.
    #[error("{file} can be read only once, and categories are found in a first pass; give a file")]
    ReadOnce {
        /// The stream as the user named it.
        file: String,
    },
    /// Categories of a column that has none.
    #[error("column {column:?} of {file} holds {kind}; only text has categories")]
    NoCategories {
        /// The file as the user named it.
        file: String,
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
    },
    /// A missing or non-finite cell in a chosen column.
    #[error(
        "{found} where a number is needed: {place}; \
         fill it in, or leave out rows with missing values"
    )]
    CellMissing {
        /// Where.
        place: Place,
        /// What was there: `an empty cell`, `null`, `"NA"`.
        found: String,
    },
    /// A row with more or fewer cells than there are columns.
    #[error(
        "line {line} of {file} has {}, but there are {}",
        counted(*found, "cell"),
        counted(*expected, "column")
    )]
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
        /// What the JSON reader said, with the place within the line.
        reason: String,
    },
    /// Two rows with the same value of the column to differentiate by.
    #[error(
        "row {row} has {column} = {value}, and so has another row; \
         a derivative by {column} needs a different value in each row"
    )]
    DerivativeAmbiguous {
        /// The column to differentiate by.
        column: String,
        /// Its value.
        value: f64,
        /// The second row that has it.
        row: u64,
    },
    /// There are too few rows for a derivative.
    #[error("a derivative of order {order} needs at least {least} rows, not {rows}")]
    TooFewRowsToDifferentiate {
        /// How many there are.
        rows: usize,
        /// How many it takes.
        least: usize,
        /// The order of the derivative.
        order: usize,
    },
}

/// What makes a file unreadable as a file of its kind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The library that reads this kind of file refused it.
    #[error("{}", without_prefix(.0.as_ref()))]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The first bytes are those of something else.
    #[error("it does not start like one")]
    OtherStart,
    /// The file ends within its header.
    #[error("it ends within the header")]
    HeaderCutOff,
    /// The file ends before its last row.
    #[error("it ends before row {n_rows}")]
    RowsCutOff {
        /// How many rows the header promises.
        n_rows: u64,
    },
    /// The file ends before the last value of an array.
    #[error("it ends before the last value of {array}")]
    ArrayCutOff {
        /// The array.
        array: String,
    },
    /// An array has so many columns that its header must be wrong.
    #[error("{} claims to have {columns} columns", titled(array))]
    TooManyColumns {
        /// The array's name in the archive; empty for a lone array.
        array: String,
        /// How many there would be.
        columns: u64,
    },
    /// An archive lists a member whose bytes are not there.
    #[error("it has no data of its member {member}")]
    MemberWithoutData {
        /// The member.
        member: String,
    },
    /// A member of an archive is compressed in a way that NumPy does not use.
    #[error("{member} is compressed with {compression}")]
    MemberCompression {
        /// The member.
        member: String,
        /// How it is compressed.
        compression: String,
    },
}

/// What a sound file holds that is not a table of numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Content {
    /// A table of the first version of Feather.
    #[error("it is Feather version 1; write it again as version 2 or Parquet")]
    FeatherOne,
    /// A spreadsheet without sheets.
    #[error("it holds no sheets of cells")]
    NoSheets,
    /// An archive without arrays.
    #[error("it holds no arrays")]
    NoArrays,
    /// An array of text, dates or other things.
    #[error("{} holds {kind}, and a field needs real numbers", titled(array))]
    NotNumbers {
        /// The array's name; empty for a lone array.
        array: String,
        /// What it holds.
        kind: &'static str,
    },
    /// An array of pickled objects.
    #[error(
        "{} holds Python objects; save it as an array of numbers",
        titled(array)
    )]
    PythonObjects {
        /// The array's name in the archive; empty for a lone array.
        array: String,
    },
    /// A matrix whose elements are records.
    #[error("{} is a matrix of records", titled(array))]
    MatrixOfRecords {
        /// The array's name in the archive; empty for a lone array.
        array: String,
    },
    /// An array that is no vector and no matrix.
    #[error(
        "{} has {dimensions} dimensions; a table has one or two",
        titled(array)
    )]
    Dimensions {
        /// The array's name in the archive; empty for a lone array.
        array: String,
        /// How many it has.
        dimensions: usize,
    },
}

/// What can be wrong with a record of trajectories.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// Times that stand still or go back.
    #[error(
        "in {record} the time of row {row} is {value}, and the row before has {before}; times must \
         increase: sort the rows, remove repeated ones, or say what separates trajectories"
    )]
    TimesDoNotRise {
        /// The file, or the trajectory's name.
        record: String,
        /// The row in that record, counted from 1.
        row: u64,
        /// The time of the row before.
        before: f64,
        /// Its time.
        value: f64,
    },
    /// No stretch without a gap has enough points.
    #[error(
        "the longest stretch of record without a gap has {}, \
         and a differential equation needs at least {least}",
        counted(*n_points, "point")
    )]
    TooShort {
        /// How many points it has.
        n_points: usize,
        /// How many are needed.
        least: usize,
    },
    /// A state has the same value at all times.
    #[error("the state {name:?} is {value} at all times: there is nothing to learn about it")]
    ConstantState {
        /// The state.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A column has the name that the velocity of a state gets.
    #[error("the column {name:?} has the name that a velocity is given; rename it")]
    VelocityNameTaken {
        /// The name.
        name: String,
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

fn io_reason(source: &std::io::Error) -> String {
    match source.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a directory".into(),
        _ => source.to_string(),
    }
}

fn example_of(example: Option<&(String, u64)>) -> String {
    example.map_or(String::new(), |(cell, row)| {
        format!(", such as {cell:?} in row {row}{}", comma_hint(cell))
    })
}

fn comma_hint(cell: &str) -> &'static str {
    if cell.matches(',').count() == 1 && cell.replace(',', ".").parse::<f64>().is_ok() {
        "; this looks like a decimal comma, and the numbers before have none"
    } else {
        ""
    }
}

/// What a library said, without the name by which it calls itself.
fn without_prefix(error: &dyn std::error::Error) -> String {
    let said = error.to_string();
    said.trim_start_matches("Parquet error: ").to_string()
}

/// How messages call an array.
fn titled(array: &str) -> String {
    if array.is_empty() {
        "it".into()
    } else {
        format!("its array {array:?}")
    }
}

/// How sentences on rows that all have a missing value begin.
fn none_of(rows: u64) -> String {
    match rows {
        1 => "not even the only row of".into(),
        rows => format!("none of the {rows} rows of"),
    }
}

/// A sentence on rows that were not used.
pub fn left_out(rows: u64) -> String {
    let verb = if rows == 1 { "was" } else { "were" };
    format!(
        "{} with missing values {verb} left out",
        counted(rows, "row")
    )
}
