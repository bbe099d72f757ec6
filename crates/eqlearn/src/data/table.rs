//! Named columns of equal length, every number finite, and the files they come from.
//!
//! A [`Table`] is checked once, when it is made: no column name appears twice, all columns have
//! the same length, and no value is infinite or NaN. Nothing below asks again.
//!
//! A [`Source`] is an opened file or stream. It tells its columns, then gives the chosen ones as
//! tables of a fixed number of rows ([`Batches`]), so that a file larger than memory costs no more
//! than a small one. Where the batches end depends on the number of columns alone, never on how
//! the file happens to be stored: the same numbers as CSV and as Parquet give the same batches.
//!
//! Each row remembers its number in the file, because "row 17 is not finite" helps only if the
//! reader can find row 17.

mod arrow;
mod batches;
mod categories;
mod cell;
mod column;
mod csv;
mod differentiate;
mod files;
mod format;
mod header;
mod held;
mod instant;
mod jsonl;
mod kept;
mod meaning;
mod npy;
mod number;
mod reader;
mod source;
mod spreadsheet;
mod text;

pub use batches::Batches;
pub use column::{ColumnInfo, ColumnKind};
pub use differentiate::derivative_name;
pub use files::{Files, files_in};
pub use format::Format;
pub use held::Held;
pub(crate) use instant::Instant;
pub use meaning::Reading;
pub(in crate::data) use npy::WholeArrays;
pub use number::Decimal;
pub use source::{Missing, ReadOptions, Source};

use std::collections::HashSet;

use crate::data::TableError;
use crate::error::{Result, nearest};

/// Named columns of equal length, every number finite.
///
/// ```
/// use eqlearn::Table;
///
/// let table = Table::new(vec![("x".into(), vec![1.0, 2.0]), ("y".into(), vec![3.0, 5.0])])?;
/// assert_eq!(table.column("y")?, [3.0, 5.0]);
/// assert!(table.column("z").is_err());
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    rows: RowNumbers,
}

impl Table {
    /// A table of these columns, in this order.
    ///
    /// # Errors
    /// Two columns of one name, columns of unequal length, a value that is not finite.
    pub fn new(columns: Vec<(String, Vec<f64>)>) -> Result<Table> {
        let mut seen = HashSet::new();
        for (name, values) in &columns {
            if !seen.insert(name) {
                return Err(TableError::ColumnGivenTwice { name: name.clone() }.into());
            }
            let (first, first_values) = &columns[0];
            if values.len() != first_values.len() {
                return Err(TableError::UnequalColumns {
                    first: first.clone(),
                    first_rows: first_values.len() as u64,
                    second: name.clone(),
                    second_rows: values.len() as u64,
                }
                .into());
            }
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(TableError::ColumnValueNotFinite {
                    column: name.clone(),
                    row: row as u64 + 1,
                    value: values[row],
                }
                .into());
            }
        }
        let (names, columns) = columns.into_iter().unzip();
        Ok(Table::from_checked(names, columns, RowNumbers::From(1)))
    }

    /// A table of columns that are known to be distinct, equally long and finite.
    fn from_checked(names: Vec<String>, columns: Vec<Vec<f64>>, rows: RowNumbers) -> Table {
        Table {
            names,
            columns,
            rows,
        }
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Result<&[f64]> {
        let index = position(name, self.names.iter().map(String::as_str))?;
        Ok(&self.columns[index])
    }

    /// The values of all columns, in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.columns.iter().map(Vec::as_slice)
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The number that row `i` has in the file it came from, counted from 1 without the header.
    ///
    /// Batches do not start at 1, and rows left out shift those behind them.
    pub fn row_number(&self, i: usize) -> u64 {
        match &self.rows {
            RowNumbers::From(first) => first + i as u64,
            RowNumbers::Listed(numbers) => numbers[i],
        }
    }

    /// The same rows with another column, which must be as long as the others, finite and new.
    pub(crate) fn with_column(&self, name: &str, values: Vec<f64>) -> Table {
        debug_assert_eq!(values.len(), self.n_rows(), "one value per row");
        let mut table = self.clone();
        table.names.push(name.to_string());
        table.columns.push(values);
        table
    }

    /// Some of the rows, which keep their numbers.
    pub(crate) fn slice(&self, rows: std::ops::Range<usize>) -> Table {
        let columns = self.columns.iter().map(|c| c[rows.clone()].to_vec());
        let numbers = match &self.rows {
            RowNumbers::From(first) => RowNumbers::From(first + rows.start as u64),
            RowNumbers::Listed(numbers) => RowNumbers::Listed(numbers[rows.clone()].to_vec()),
        };
        Table::from_checked(self.names.clone(), columns.collect(), numbers)
    }

    /// The rows that are marked, which keep their numbers.
    pub(crate) fn marked(&self, marks: &[bool]) -> Table {
        debug_assert_eq!(marks.len(), self.n_rows(), "one mark per row");
        let places: Vec<usize> = (0..marks.len()).filter(|&row| marks[row]).collect();
        self.picked(&places)
    }

    /// The rows at these places, which keep their numbers.
    pub(crate) fn picked(&self, places: &[usize]) -> Table {
        let of = |column: &Vec<f64>| places.iter().map(|&row| column[row]).collect();
        let columns = self.columns.iter().map(of).collect();
        let numbers = places.iter().map(|&row| self.row_number(row)).collect();
        let rows = RowNumbers::Listed(numbers).normal();
        Table::from_checked(self.names.clone(), columns, rows)
    }

    /// The rows of both tables; the columns are the same.
    fn append(&mut self, mut other: Table) {
        let contiguous = matches!(
            (&self.rows, &other.rows),
            (RowNumbers::From(first), RowNumbers::From(next))
                if first + self.n_rows() as u64 == *next
        );
        if !contiguous {
            let numbers = (0..self.n_rows()).map(|i| self.row_number(i));
            let others = (0..other.n_rows()).map(|i| other.row_number(i));
            self.rows = RowNumbers::Listed(numbers.chain(others).collect());
        }
        for (column, values) in self.columns.iter_mut().zip(&mut other.columns) {
            column.append(values);
        }
    }
}

/// The numbers of a table's rows in their file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RowNumbers {
    /// Consecutive, from this one.
    From(u64),
    /// One per row.
    Listed(Vec<u64>),
}

impl RowNumbers {
    /// The same numbers, unlisted where they are consecutive.
    fn normal(self) -> RowNumbers {
        match self {
            RowNumbers::Listed(listed)
                if listed
                    .last()
                    .is_some_and(|last| last - listed[0] + 1 == listed.len() as u64) =>
            {
                RowNumbers::From(listed[0])
            }
            numbers => numbers,
        }
    }
}

/// The place of a column among the known ones.
fn position<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, TableError> {
    let place = known.clone().position(|other| other == name);
    place.ok_or_else(|| {
        let known: Vec<String> = known.map(String::from).collect();
        let (name, nearest) = (name.to_owned(), nearest(name, &known).map(String::from));
        TableError::UnknownColumn {
            name,
            nearest,
            known,
        }
    })
}

#[cfg(test)]
mod tests;
