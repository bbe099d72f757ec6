//! The rows of a file, a fixed number at a time.
//!
//! Every batch but the last is full, however many rows were dropped and however the file is
//! divided. So the tables that come out depend on the numbers and on the chosen columns only.

use super::instant::Instant;
use super::meaning::Meaning;
use super::reader::Reader;
use super::{Missing, RowNumbers, Table};
use crate::data::{Place, TableError};
use crate::error::Result;

/// Rows of a batch with up to [`FULL_BATCH_COLUMNS`] columns.
const BATCH_ROWS: usize = 16_384;
/// Columns beyond which batches get shorter, so that a batch stays below 8 MB.
const FULL_BATCH_COLUMNS: usize = 64;
/// Rows of the shortest batches: those with thousands of columns.
const LEAST_BATCH_ROWS: usize = 256;

/// The rows of a [`Source`](super::Source), as tables of a fixed number of rows; the last may be
/// shorter.
///
/// There is at least one item: a file without a complete row is an error. After an error there
/// are no more.
///
/// ```
/// use eqlearn::{Format, Missing, ReadOptions, Source};
///
/// let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
/// let text: &[u8] = b"x,y\n1,2\n,4\n5,6\n";
/// let source = Source::from_reader(Box::new(text), "-", Format::Csv, &options)?;
/// let mut batches = source.batches(&["x", "y"])?;
/// let table = batches.next().unwrap()?;
/// assert_eq!(table.column("y")?, [2.0, 6.0]);
/// assert_eq!(table.row_number(1), 3);
/// assert!(batches.next().is_none());
/// assert_eq!(batches.dropped(), 1);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug)]
pub struct Batches {
    choice: Choice,
    reader: Reader,
    rows_read: u64,
    dropped: u64,
    finished: bool,
}

impl Batches {
    /// From the first row of a reader whose columns are chosen.
    pub(super) fn new(choice: Choice, reader: Reader) -> Batches {
        Batches {
            choice,
            reader,
            rows_read: 0,
            dropped: 0,
            finished: false,
        }
    }

    /// How many rows were left out so far, because a chosen value is missing.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many rows of the file were read so far, those left out included.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// The first moment of a column that is read as seconds since it, and how it was written.
    pub(crate) fn first_moment(&self, column: usize) -> Option<&(Instant, String)> {
        match &self.choice.meanings[column] {
            Meaning::Seconds(first) => first.as_ref(),
            _ => None,
        }
    }

    /// The texts so far of a column that is read as labels, in the order of their numbers; none for
    /// other columns.
    pub fn labels(&self, column: usize) -> &[String] {
        match &self.choice.meanings[column] {
            Meaning::Label(labels) => labels.texts(),
            _ => &[],
        }
    }

    /// All rows that are left as one table.
    ///
    /// # Errors
    /// Those of reading.
    pub fn whole(&mut self) -> Result<Table> {
        let first = self.next().unwrap_or_else(|| {
            Err(TableError::NoRows {
                file: self.choice.file.clone(),
            }
            .into())
        })?;
        self.try_fold(first, |mut whole, batch| {
            whole.append(batch?);
            Ok(whole)
        })
    }

    /// All rows, NaN for a missing cell: what happens to those is decided later.
    pub(super) fn unsettled(&mut self) -> Result<Vec<Vec<f64>>> {
        let mut columns = vec![Vec::new(); self.choice.names.len()];
        while self
            .reader
            .fill(&mut columns, BATCH_ROWS, &mut self.choice)?
            > 0
        {}
        Ok(columns)
    }

    fn next_table(&mut self) -> Result<Option<Table>> {
        let n_rows = batch_rows(self.choice.names.len());
        let mut columns: Vec<Vec<f64>> = self
            .choice
            .names
            .iter()
            .map(|_| Vec::with_capacity(n_rows))
            .collect();
        let mut numbers = RowNumbers::From(self.rows_read + 1);
        while columns[0].len() < n_rows {
            let kept = columns[0].len();
            let added = self
                .reader
                .fill(&mut columns, n_rows - kept, &mut self.choice)?;
            if added == 0 {
                self.finished = true;
                break;
            }
            self.find_missing(&mut columns, kept)?;
            self.settle_missing(&mut columns, kept, &mut numbers)?;
            self.rows_read += added as u64;
        }
        if !columns[0].is_empty() {
            let names = self.choice.names.clone();
            return Ok(Some(Table::from_checked(names, columns, numbers.normal())));
        }
        let file = || self.choice.file.clone();
        match (self.rows_read, self.dropped) {
            (0, _) => Err(TableError::NoRows { file: file() }.into()),
            (read, dropped) if read == dropped => Err(TableError::NoCompleteRows {
                file: file(),
                dropped,
            }
            .into()),
            _ => Ok(None),
        }
    }

    /// Numbers that stand for a missing value become NaN, or are refused.
    fn find_missing(&self, columns: &mut [Vec<f64>], kept: usize) -> Result<()> {
        let Choice {
            missing,
            missing_values,
            meanings,
            ..
        } = &self.choice;
        if missing_values.is_empty() {
            return Ok(());
        }
        for (place, column) in columns.iter_mut().enumerate() {
            if !meanings[place].is_number() {
                continue;
            }
            for (row, value) in column.iter_mut().enumerate().skip(kept) {
                if !missing_values
                    .iter()
                    .any(|code| code.total_cmp(value).is_eq())
                {
                    continue;
                }
                if *missing == Missing::Error {
                    let row = self.rows_read + (row - kept) as u64 + 1;
                    let found = value.to_string();
                    return Err(self.choice.missing_value(row, None, place, found).into());
                }
                *value = f64::NAN;
            }
        }
        Ok(())
    }

    /// Drops or refuses the rows from `kept` on in which a value is not finite.
    fn settle_missing(
        &mut self,
        columns: &mut [Vec<f64>],
        kept: usize,
        numbers: &mut RowNumbers,
    ) -> Result<()> {
        let n_rows = columns[0].len();
        let incomplete = columns
            .iter()
            .any(|c| c[kept..].iter().any(|v| !v.is_finite()));
        if incomplete && self.choice.missing == Missing::Error {
            let (row, column) = (kept..n_rows)
                .find_map(|i| Some((i, columns.iter().position(|c| !c[i].is_finite())?)))
                .expect("a value that is not finite was just seen");
            let found = match columns[column][row] {
                value if value.is_nan() => "NaN".to_string(),
                value => value.to_string(),
            };
            let row = self.rows_read + (row - kept) as u64 + 1;
            return Err(self.choice.missing_value(row, None, column, found).into());
        }
        if !incomplete && matches!(numbers, RowNumbers::From(_)) {
            return Ok(());
        }
        let mut listed: Vec<u64> = match std::mem::replace(numbers, RowNumbers::From(0)) {
            RowNumbers::From(first) => (first..).take(kept).collect(),
            RowNumbers::Listed(listed) => listed,
        };
        let mut next = kept;
        for row in kept..n_rows {
            if columns.iter().all(|c| c[row].is_finite()) {
                for column in columns.iter_mut() {
                    column[next] = column[row];
                }
                listed.push(self.rows_read + (row - kept) as u64 + 1);
                next += 1;
            }
        }
        for column in columns {
            column.truncate(next);
        }
        self.dropped += (n_rows - next) as u64;
        *numbers = RowNumbers::Listed(listed);
        Ok(())
    }
}

impl Iterator for Batches {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.finished {
            return None;
        }
        let table = self.next_table().transpose();
        self.finished |= !matches!(table, Some(Ok(_)));
        table
    }
}

/// Rows of a full batch with this many columns.
pub(super) fn batch_rows(n_columns: usize) -> usize {
    let rows = BATCH_ROWS * FULL_BATCH_COLUMNS / n_columns.max(FULL_BATCH_COLUMNS);
    rows.max(LEAST_BATCH_ROWS)
}

/// What a reader needs to know of the request, for its messages.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) file: String,
    pub(super) names: Vec<String>,
    pub(super) missing: Missing,
    /// Numbers that stand for a missing value.
    pub(super) missing_values: Vec<f64>,
    /// How the cells of each column become numbers.
    pub(super) meanings: Vec<Meaning>,
}

impl Choice {
    pub(super) fn place(&self, row: u64, line: Option<u64>, column: usize) -> Place {
        Place {
            file: self.file.clone(),
            row,
            line,
            column: self.names[column].clone(),
        }
    }

    /// The error for a cell that has no meaning in its column.
    pub(super) fn unusable(
        &self,
        row: u64,
        line: Option<u64>,
        column: usize,
        found: String,
    ) -> TableError {
        TableError::CellUnusable {
            place: Box::new(self.place(row, line, column)),
            found: found.into(),
            wanted: self.meanings[column].wanted().into(),
        }
    }

    pub(super) fn missing_value(
        &self,
        row: u64,
        line: Option<u64>,
        column: usize,
        found: String,
    ) -> TableError {
        TableError::CellMissing {
            place: self.place(row, line, column),
            found,
        }
    }
}
