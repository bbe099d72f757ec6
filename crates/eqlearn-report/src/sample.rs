//! A few rows of data, small enough to be part of a page.

use eqlearn::{Dictionary, Table};
use serde::Serialize;

use crate::board::Board;

/// Rows at most.
const ROWS: usize = 400;

/// Rows of a table: the target and what each term of a board is there.
#[derive(Debug, Clone, Serialize)]
pub struct Sample {
    /// The target.
    pub observed: Vec<f64>,
    /// One column per term of the board.
    pub columns: Vec<Vec<f64>>,
    /// How many rows there are to choose from.
    pub of: usize,
}

impl Sample {
    /// Rows spread evenly over tables that have the target and the features; none if a value is
    /// missing.
    pub fn new(tables: &[Table], n_obs: usize, board: &Board, features: &[String]) -> Option<Self> {
        let texts = board.terms.iter().map(|term| &term.text);
        let dictionary = Dictionary::parse(features.iter().cloned(), texts).ok()?;
        let total: usize = tables.iter().map(Table::n_rows).sum();
        let every = total.div_ceil(ROWS).max(1);
        let mut observed = Vec::new();
        let mut inputs: Vec<Vec<f64>> = vec![Vec::new(); features.len()];
        let mut before = 0_usize;
        for table in tables {
            let first = before.next_multiple_of(every) - before;
            before += table.n_rows();
            let rows = || (first..table.n_rows()).step_by(every);
            let target = table.column(&board.target).ok()?;
            observed.extend(rows().map(|row| target[row]));
            for (input, name) in inputs.iter_mut().zip(features) {
                let column = table.column(name).ok()?;
                input.extend(rows().map(|row| column[row]));
            }
        }
        let n = observed.len();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; n * dictionary.len()];
        dictionary.evaluate(&inputs, &mut values).ok()?;
        let columns = values.chunks_exact(n.max(1)).map(short).collect();
        Some(Self {
            observed: short(&observed),
            columns,
            of: n_obs,
        })
    }
}

/// Numbers with as many digits as a picture can resolve.
pub(crate) fn short(values: &[f64]) -> Vec<f64> {
    let digits = |value: &f64| format!("{value:.8e}").parse().unwrap_or(*value);
    values.iter().map(digits).collect()
}
