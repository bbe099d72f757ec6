//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library. Each variant carries the facts a program would need and
//! says them in a sentence that a scientist understands. Errors are for what a user can cause;
//! a broken invariant of ours panics with the reason why it should have held.

mod parts;
mod term;
mod words;

pub use parts::PartsProblem;
pub use term::TermProblem;

use std::fmt;
use std::path::PathBuf;

use crate::ask::AskError;

pub(crate) use words::nearest;
use words::{
    decimal_comma_hint, example_of, io_reason, one_line, remedy, same_rows, suggestion,
    where_clause,
};

/// The result of anything that a user's input can make fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An observer asked the work to stop before there was anything to report.
    #[error("stopped before there was a result")]
    Stopped,

    // Terms and dictionaries.
    /// The text of a term is not a formula over the features.
    #[error("{problem}\n  {}\n  {}^", one_line(text), " ".repeat(*column))]
    Term {
        /// The whole text of the term, as given.
        text: String,
        /// Where the problem is, in characters from the start of the text, from 0.
        column: usize,
        /// What is wrong there.
        problem: TermProblem,
    },
    /// The same term is given twice, perhaps written differently.
    #[error("term {text} is in the dictionary twice (as {term}); leave one out")]
    DuplicateTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term differs from an earlier one by a constant factor only.
    #[error(
        "term {text} is a constant multiple of {term}, which is in the dictionary already; \
         leave one out"
    )]
    ProportionalTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term that is named is not among those to choose from.
    #[error("the term {term} is not in the dictionary")]
    UnknownTerm {
        /// The term, in its usual spelling.
        term: String,
    },
    /// A term has no finite value on some row of the data.
    #[error(
        "term {term} is not a finite number in row {row}{}; leave the term out or drop the row",
        where_clause(values)
    )]
    NotFinite {
        /// The term, as the dictionary prints it.
        term: String,
        /// The row, as the caller counts them.
        row: u64,
        /// The features in the term and their values in that row.
        values: Vec<(String, f64)>,
    },
    /// The dictionary would be too large to be of use.
    #[error(
        "at least {count} terms are asked for, and a dictionary holds at most {limit}; \
         lower the highest power, the highest degree or the number of features"
    )]
    TooManyTerms {
        /// How many terms there would be at least.
        count: u128,
        /// How many are allowed.
        limit: usize,
    },
    /// Two features of a dictionary have the same name.
    #[error("there are two features named {name:?}; rename one of them")]
    DuplicateFeature {
        /// The name they share.
        name: String,
    },
    /// A feature of a dictionary has an empty name.
    #[error("feature {position} has no name")]
    UnnamedFeature {
        /// Its place among the features, from 1.
        position: usize,
    },

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
        crate::data::table::Format::KNOWN.join(", ")
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

    // Problems and fits.
    /// The target is among the features.
    #[error("{name:?} is the target and cannot also be a feature")]
    TargetIsFeature {
        /// The column.
        name: String,
    },
    /// The column of weights is the target or a feature.
    #[error("{name:?} holds the weights and cannot also be the target or a feature")]
    WeightsInUse {
        /// The column.
        name: String,
    },
    /// A weight below zero.
    #[error("the weight {name:?} is {value} in row {row}; weights are zero or more")]
    NegativeWeight {
        /// The column of weights.
        name: String,
        /// The row, counted from 1.
        row: u64,
        /// The weight.
        value: f64,
    },
    /// There is nothing to learn from.
    #[error("there are no rows to learn from")]
    NothingToLearnFrom,
    /// The target has the same value in every row.
    #[error("the target {name:?} is {value} in every row: there is nothing to explain")]
    ConstantTarget {
        /// The target.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A feature has the same value in every row, so that its terms cannot be told from others.
    #[error("the feature {name:?} is {value} in every row: its terms cannot be told from others")]
    ConstantFeature {
        /// The feature.
        name: String,
        /// Its value.
        value: f64,
    },
    /// The dictionary is empty.
    #[error("there are no terms to fit")]
    NoTerms,
    /// Fewer observations than terms.
    #[error("{n_obs} rows cannot determine {n_terms} terms")]
    TooFewObservations {
        /// The number of rows.
        n_obs: usize,
        /// The number of terms.
        n_terms: usize,
    },
    /// As many observations as terms: everything fits, and nothing is left to judge it by.
    #[error("{n_obs} rows and as many terms leave no degree of freedom to estimate errors from")]
    NoDegreesOfFreedom {
        /// The number of rows, and of terms.
        n_obs: usize,
    },
    /// A term that is a combination of earlier ones on these data.
    #[error("on these data the term {term} is a combination of the terms before it; leave it out")]
    DependentTerm {
        /// The term, as the dictionary prints it.
        term: String,
    },
    /// A coefficient is beyond the range of numbers.
    #[error("the coefficient of {term} is beyond the range of numbers; choose other units")]
    CoefficientBeyondRange {
        /// The term, as the dictionary prints it.
        term: String,
    },
    /// An equation's value is beyond the range of numbers.
    #[error("the prediction for row {row} is beyond the range of numbers")]
    PredictionNotFinite {
        /// The row, counted from 1.
        row: u64,
    },
    // Trajectories and systems.
    /// Times that stand still or go back.
    #[error(
        "in {record} the time of row {row} is {value}, and the row before has {before}; times must rise, \
         so sort the rows, remove repeated ones, or say what separates trajectories"
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
    /// Two rows at the same place cannot be differentiated.
    #[error(
        "row {row} has {column} = {value}, and so has another row; a derivative needs one value at each place"
    )]
    RepeatedPlace {
        /// The column to differentiate by.
        column: String,
        /// Its value.
        value: f64,
        /// The second row that has it.
        row: u64,
    },
    /// There are too few rows for a derivative.
    #[error("a derivative of order {order} needs at least {least} rows, and there are {rows}")]
    TooFewToDifferentiate {
        /// How many there are.
        rows: usize,
        /// How many it takes.
        least: usize,
        /// The order of the derivative.
        order: usize,
    },
    /// Rows of this kind have no second derivatives.
    #[error("rows of kind {rows:?} have no second derivatives; take \"auto\" or \"weak\"")]
    NoSecondDerivative {
        /// The kind of rows.
        rows: String,
    },
    /// No stretch without a gap has enough points.
    #[error(
        "the longest stretch of record without a gap has {n_points} points, and a differential equation needs at least {least}"
    )]
    TrajectoryTooShort {
        /// How many points it has.
        n_points: usize,
        /// How many are needed.
        least: usize,
    },
    /// A kind of rows that nobody knows.
    #[error(
        "there are no rows named {name:?}; known are {}",
        crate::dynamics::rows::difference::RowScheme::NAMES.join(", ")
    )]
    UnknownRows {
        /// The name as given.
        name: String,
    },
    /// A scheme for equal steps on a record without.
    #[error("{rows} rows need equal time steps, and these are not")]
    UnequalSteps {
        /// The scheme.
        rows: String,
    },
    /// A simulation was asked for what the system does not have.
    #[error("{problem}")]
    Simulation {
        /// What is wrong.
        problem: String,
    },
    /// A state has the same value at all times.
    #[error("the state {name:?} is {value} at all times: there is nothing to learn about it")]
    ConstantState {
        /// The state.
        name: String,
        /// Its value.
        value: f64,
    },

    // Methods.
    /// A method that shares a limit among targets was given none.
    #[error("there is no target to learn")]
    NoTargets,
    /// Targets that are to be learned together do not come from the same rows and terms.
    #[error("targets {first} and {second} do not come from the same rows and terms")]
    DifferentRows {
        /// The place of the first target, from 1.
        first: usize,
        /// The place of the other, from 1.
        second: usize,
    },
    /// No method has this name.
    #[error("there is no method {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The method that was probably meant.
        nearest: Option<String>,
        /// All methods.
        known: Vec<String>,
    },
    /// A setting of a method has no meaning.
    #[error("{setting} is {value}; it must be {range}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// The numbers of a method grew beyond all bounds.
    #[error(
        "{method} found no finite coefficients on these data; choose other units or leave terms out"
    )]
    NotConverged {
        /// The method.
        method: &'static str,
    },
    /// Too few parts of the rows to leave one out.
    #[error("cross-validation needs at least 2 folds, and there are {folds}")]
    TooFewFolds {
        /// How many there are.
        folds: usize,
    },
    /// Rows that come as triangles can be cut between triangles only.
    #[error(
        "the rows are to be cut into {needed} parts, and they come as {parts} {}, which cannot be cut",
        if *parts == 1 { "triangle" } else { "triangles" }
    )]
    TooFewParts {
        /// How many triangles there are.
        parts: usize,
        /// How many parts are asked for.
        needed: usize,
    },
    /// A triangle that cannot be used.
    #[error("{file} is not a usable triangle: {problem}")]
    TriangleFile {
        /// The file as the user named it.
        file: String,
        /// What is wrong, with the field it is about.
        problem: String,
    },
    /// Two triangles that belong to different problems.
    #[error("{file} and {first} cannot be put together: {difference}")]
    OtherProblem {
        /// The triangle that does not belong here.
        file: String,
        /// The first of those that it was to join.
        first: String,
        /// What differs.
        difference: String,
    },
    /// The same rows as two triangles.
    #[error("{}", same_rows(file, first))]
    SameRows {
        /// The second of the two.
        file: String,
        /// The first of the two.
        first: String,
    },
    /// A folder without tables.
    #[error("the folder {folder} has no tables in it")]
    EmptyFolder {
        /// The folder as the user named it.
        folder: String,
    },
    /// Something wrong in one of several files.
    #[error("{file}: {source}")]
    InFile {
        /// The file as the user named it.
        file: String,
        /// What is wrong there.
        source: Box<Error>,
    },
    /// A model file that cannot be used.
    #[error("not a usable model file: {problem}")]
    ModelFile {
        /// What is wrong, with the field it is about.
        problem: String,
    },

    // The search.
    /// A setting names a term that the dictionary does not have.
    #[error("there is no term number {term}: the dictionary has {n_terms}, counted from 0")]
    NoSuchTerm {
        /// The term named.
        term: usize,
        /// How many there are.
        n_terms: usize,
    },
    /// A term is to be treated in two ways at once.
    #[error(
        "term number {term} is named twice: a term is required, excluded or always in, not two of these"
    )]
    TermTwice {
        /// The term named.
        term: usize,
    },
    /// The largest size leaves no room for the terms that are required.
    #[error(
        "at most {max_terms} terms cannot hold the {required} required ones and be at least one"
    )]
    SizeTooSmall {
        /// The largest size asked for.
        max_terms: usize,
        /// How many terms are required.
        required: usize,
    },
    /// A list that keeps nothing was asked for.
    #[error("a search must keep at least one support per size")]
    NothingKept,
    /// A checkpoint belongs to something else.
    #[error("{path} is a checkpoint of {of}; name another file or remove it", path = path.display())]
    ForeignCheckpoint {
        /// The file.
        path: PathBuf,
        /// What it is a checkpoint of.
        of: &'static str,
    },
    /// A checkpoint cannot be read or written.
    #[error("cannot use {path} as a checkpoint: {source}", path = path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A search that is split among processes cannot be put together.
    #[error(transparent)]
    Parts(#[from] PartsProblem),
    /// What was asked for has no meaning.
    #[error(transparent)]
    Ask(#[from] AskError),
}

impl Error {
    /// The same error, told with its file if it is about rows or columns and does not name one.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        let nameless = matches!(
            self,
            Self::UnknownColumn { .. } | Self::NotFinite { .. } | Self::NegativeWeight { .. }
        );
        if !nameless {
            return self;
        }
        Self::InFile {
            file: file.to_string(),
            source: Box::new(self),
        }
    }
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
