//! Rows in memory that the caller owns, in batches like those of a file.
//!
//! The same numbers give the same batches, and so exactly the same answer, whether they come from a
//! file or from an array of another language. One batch is copied at a time: memory does not grow
//! with the rows.

use std::collections::HashSet;
use std::ops::Range;

use super::batches::batch_rows;
use super::{RowNumbers, Table};
use crate::data::TableError;
use crate::error::Result;

/// Batches of rows that are in memory.
///
/// `fill` appends the numbers of a column, by its place, in a range of rows.
///
/// ```
/// use eqlearn::data::table::Held;
///
/// let interleaved = [1.0, 10.0, 2.0, 20.0];
/// let mut batches = Held::new(["x", "y"], 2, |column, rows, out: &mut Vec<f64>| {
///     out.extend(rows.map(|row| interleaved[2 * row + column]));
/// })?;
/// let table = batches.next().unwrap()?;
/// assert_eq!(table.column("y")?, [10.0, 20.0]);
/// assert!(batches.next().is_none());
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Held<F> {
    names: Vec<String>,
    n_rows: usize,
    given: usize,
    fill: F,
}

impl<F: FnMut(usize, Range<usize>, &mut Vec<f64>)> Held<F> {
    /// Batches of all rows.
    ///
    /// # Errors
    /// Two columns of one name. The tables themselves fail on a number that is not finite.
    pub fn new(
        names: impl IntoIterator<Item = impl Into<String>>,
        n_rows: usize,
        fill: F,
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
            return Err(TableError::ColumnGivenTwice { name: name.clone() }.into());
        }
        Ok(Self {
            names,
            n_rows,
            given: 0,
            fill,
        })
    }

    fn table(&mut self, rows: Range<usize>) -> Result<Table> {
        let mut columns = Vec::with_capacity(self.names.len());
        for (place, name) in self.names.iter().enumerate() {
            let mut values = Vec::with_capacity(rows.len());
            (self.fill)(place, rows.clone(), &mut values);
            assert_eq!(values.len(), rows.len(), "a column has a number per row");
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(TableError::ColumnValueNotFinite {
                    column: name.clone(),
                    row: (rows.start + row) as u64 + 1,
                    value: values[row],
                }
                .into());
            }
            columns.push(values);
        }
        let numbers = RowNumbers::From(rows.start as u64 + 1);
        Ok(Table::from_checked(self.names.clone(), columns, numbers))
    }
}

impl<F: FnMut(usize, Range<usize>, &mut Vec<f64>)> Iterator for Held<F> {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.given == self.n_rows || self.names.is_empty() {
            return None;
        }
        let end = self.n_rows.min(self.given + batch_rows(self.names.len()));
        let rows = std::mem::replace(&mut self.given, end)..end;
        let table = self.table(rows);
        if table.is_err() {
            self.given = self.n_rows;
        }
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, ReadOptions, Source};

    /// The number in a row of a column.
    fn number(column: usize, row: usize) -> f64 {
        (row as f64 * 0.37 + column as f64).sin()
    }

    #[test]
    fn batches_are_those_of_a_file() {
        let n_rows = 40_000;
        let lines = (0..n_rows).map(|row| format!("{},{}\n", number(0, row), number(1, row)));
        let text = ["x,y\n".to_string()].into_iter().chain(lines);
        let bytes: Vec<u8> = text.collect::<String>().into_bytes();
        let options = ReadOptions::default();
        let reader = Box::new(std::io::Cursor::new(bytes));
        let source = Source::from_reader(reader, "-", Format::Csv, &options).unwrap();
        let from_file: Vec<Table> = source
            .batches(&["x", "y"])
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let fill = |column, rows: Range<usize>, out: &mut Vec<f64>| {
            out.extend(rows.map(|row| number(column, row)));
        };
        let held = Held::new(["x", "y"], n_rows, fill).unwrap();
        let held: Vec<Table> = held.map(Result::unwrap).collect();
        assert_eq!(held.len(), 3);
        assert_eq!(held, from_file);
    }

    #[test]
    fn a_number_that_is_not_finite_is_named_with_its_row_and_ends_the_batches() {
        let fill = |column: usize, rows: Range<usize>, out: &mut Vec<f64>| {
            out.extend(rows.map(|row| {
                if (column, row) == (1, 20_000) {
                    f64::NAN
                } else {
                    1.0
                }
            }));
        };
        let mut held = Held::new(["x", "y"], 50_000, fill).unwrap();
        assert!(held.next().unwrap().is_ok());
        let error = held.next().unwrap().unwrap_err();
        assert!(matches!(
            &error,
            crate::Error::Table(TableError::ColumnValueNotFinite { column, row: 20_001, .. })
                if column == "y"
        ));
        assert!(held.next().is_none());
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let fill = |_: usize, _: Range<usize>, _: &mut Vec<f64>| {};
        assert!(Held::new(["x", "x"], 1, fill).is_err());
    }
}
