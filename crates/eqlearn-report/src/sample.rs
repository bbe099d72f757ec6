//! A few rows of data, small enough to be part of a page.

use eqlearn::{Dictionary, Study, Table};
use serde::Serialize;

use crate::board::Board;

/// Rows at most, and at least.
const ROWS: (usize, usize) = (400, 60);
/// Numbers at most: a page stays below 2 MB.
const NUMBERS: usize = 100_000;
/// Features at most.
const FEATURES: usize = 600;

/// Rows of a table: the target, what each term of a board is there, and the features.
#[derive(Debug, Clone, Serialize)]
pub struct Sample {
    /// The target.
    pub observed: Vec<f64>,
    /// What the answer leaves of it: small numbers, so not left to the page to compute.
    pub residuals: Option<Vec<f64>>,
    /// One column per term of the board; none if a term has no value on these rows.
    pub columns: Option<Vec<Vec<f64>>>,
    /// The names of features, and one column for each.
    pub features: Vec<(String, Vec<f64>)>,
    /// How many rows there are to choose from.
    pub of: usize,
    /// How many features are not among these rows.
    pub more: usize,
}

impl Sample {
    /// Rows spread evenly over tables that have the target and the features; none if a column is
    /// missing.
    pub fn new(tables: &[Table], n_obs: usize, study: &Study, board: &Board) -> Option<Self> {
        let features = study.problem().dictionary().features();
        let shown = features.len().min(FEATURES);
        let width = shown + board.terms.len() + 2;
        let rows = (NUMBERS / width).clamp(ROWS.1, ROWS.0);
        let rows = some_rows(tables, rows, features, &board.target)?;
        let observed = rows.column(&board.target).ok()?;
        let predicted = study.model().and_then(|model| model.predict(&rows).ok());
        let residuals = predicted.map(|predicted| -> Vec<f64> {
            let both = observed.iter().zip(predicted);
            both.map(|(observed, predicted)| observed - predicted)
                .collect()
        });
        let columns = features
            .iter()
            .map(|name| Some((name, rows.column(name).ok()?)));
        let columns: Vec<(&String, &[f64])> = columns.collect::<Option<_>>()?;
        let some = columns.iter().take(shown);
        Some(Self {
            observed: short(observed, PRECISE),
            residuals: residuals.map(|residuals| short(&residuals, ROUGH)),
            columns: values(board, &columns),
            features: some
                .map(|(name, column)| ((*name).clone(), short(column, ROUGH)))
                .collect(),
            of: n_obs,
            more: features.len() - shown,
        })
    }
}

/// What each term of a board is on these rows; none if that is no number.
fn values(board: &Board, columns: &[(&String, &[f64])]) -> Option<Vec<Vec<f64>>> {
    let features = columns.iter().map(|(name, _)| (*name).clone());
    let texts = board.terms.iter().map(|term| &term.text);
    let dictionary = Dictionary::parse(features, texts).ok()?;
    let inputs: Vec<&[f64]> = columns.iter().map(|(_, column)| *column).collect();
    let n = inputs.first().map_or(0, |column| column.len());
    let mut values = vec![0.0; n * dictionary.len()];
    dictionary.evaluate(&inputs, &mut values).ok()?;
    let terms = values.chunks_exact(n.max(1));
    Some(terms.map(|column| short(column, PRECISE)).collect())
}

/// About so many rows, spread evenly.
fn some_rows(tables: &[Table], rows: usize, features: &[String], target: &str) -> Option<Table> {
    let total: usize = tables.iter().map(Table::n_rows).sum();
    let every = total.div_ceil(rows).max(1);
    let names = features
        .iter()
        .map(String::as_str)
        .filter(|name| *name != target);
    let names: Vec<&str> = names.chain([target]).collect();
    let empty = |name: &&str| (name.to_string(), Vec::new());
    let mut columns: Vec<(String, Vec<f64>)> = names.iter().map(empty).collect();
    let mut before = 0_usize;
    for table in tables {
        let first = before.next_multiple_of(every) - before;
        before += table.n_rows();
        for (name, all) in &mut columns {
            let column = table.column(name).ok()?;
            all.extend(column.iter().skip(first).step_by(every));
        }
    }
    Table::new(columns).ok()
}

/// Significant digits after the first: of what is only drawn, and of what is subtracted first.
pub(crate) const ROUGH: usize = 5;
const PRECISE: usize = 9;

/// Numbers with so many digits.
pub(crate) fn short(values: &[f64], digits: usize) -> Vec<f64> {
    let rounded = |value: &f64| format!("{value:.digits$e}").parse().unwrap_or(*value);
    values.iter().map(rounded).collect()
}
