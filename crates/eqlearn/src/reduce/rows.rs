//! From tables to a reduction: terms evaluated block by block, blocks reduced in parallel, merged
//! in order.
//!
//! How rows are grouped depends on the data alone, never on the number of threads, so the result
//! does not either. While one group of batches is reduced the next is being read.

use qd::Quad;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Reduction;
use super::reducer::{BLOCK_ROWS, Reducer, is_precise};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::ReduceError;
use crate::terms::dictionary::NotFinite;
use crate::terms::problem::{Constants, Problem, Weights};

/// Batches that are reduced together while the next ones are read.
const GROUP: usize = 8;

/// Reduces a table that is in memory.
///
/// ```
/// use eqlearn::{Dictionary, Problem, Table, reduce_table};
///
/// let table = Table::new(vec![
///     ("x".into(), vec![0.0, 1.0, 2.0, 3.0]),
///     ("y".into(), vec![1.0, 3.1, 4.9, 7.0]),
/// ])?;
/// let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// let reduction = reduce_table(&problem, &table)?;
/// assert_eq!(reduction.n_obs(), 4);
/// # Ok::<(), eqlearn::Error>(())
/// ```
pub fn reduce_table(problem: &Problem, table: &Table) -> Result<Reduction> {
    let reduced = reduce_batch(problem, table, 0)?;
    reduced.columns.check(problem, table.n_rows())?;
    Ok(reduced.reduction)
}

/// Reduces a stream of batches, of any length in constant memory.
///
/// The answer does not depend on `threads` (0: all cores).
///
/// # Errors
/// Those of the stream; no rows at all; a term that is not finite on some row; a target or feature
/// that never varies; a negative weight; [`Error::Stopped`] if the observer says so.
pub fn reduce(
    problem: &Problem,
    batches: impl Iterator<Item = Result<Table>> + Send,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Reduction> {
    let total = reduce_part(problem, batches, threads, observer)?;
    total.columns.check(problem, total.reduction.n_obs())?;
    Ok(total.reduction)
}

/// The same for rows that may be a part: whether columns vary is checked for the whole.
pub(super) fn reduce_part(
    problem: &Problem,
    mut batches: impl Iterator<Item = Result<Table>> + Send,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Reduced> {
    let pool = pool(threads);
    let mut rows_read = 0;
    let mut total = Reduced::nothing(problem);
    let mut group = next_group(&mut batches, &mut rows_read);
    while !group.is_empty() {
        let seen = rows_read;
        let (next, reduced) = pool.install(|| {
            rayon::join(
                || next_group(&mut batches, &mut rows_read),
                || {
                    // The precision follows from the number of rows known so far, including all of
                    // this group.
                    let reduce_one = |(_, batch): (usize, Result<Table>)| {
                        let batch = batch?;
                        reduce_batch(problem, &batch, seen - batch.n_rows())
                    };
                    group.into_par_iter().map(reduce_one).collect::<Vec<_>>()
                },
            )
        });
        for batch in reduced {
            total = total.merge(batch?);
        }
        let done = total.reduction.n_obs() as u128;
        let progress = Progress {
            stage: Stage::Rows,
            done,
            total: 0,
        };
        if observer.progress(&progress).is_break() {
            return Err(Error::Stopped);
        }
        group = next;
    }
    Ok(total)
}

/// Threads of our own; 0 is one per core.
pub(super) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("the system can start threads")
}

/// The next few batches, each with the number of rows before it; it ends after an error.
pub(super) fn next_group(
    batches: &mut impl Iterator<Item = Result<Table>>,
    rows_read: &mut usize,
) -> Vec<(usize, Result<Table>)> {
    let mut group = Vec::with_capacity(GROUP);
    while group.len() < GROUP {
        let Some(batch) = batches.next() else { break };
        let first = *rows_read;
        let failed = batch.is_err();
        *rows_read += batch.as_ref().map_or(0, Table::n_rows);
        group.push((first, batch));
        if failed {
            break;
        }
    }
    group
}

/// Rows after reduction: a batch, or all of a part.
pub(super) struct Reduced {
    pub(super) reduction: Reduction,
    pub(super) columns: Columns,
}

impl Reduced {
    pub(super) fn nothing(problem: &Problem) -> Self {
        Self {
            reduction: Reduction::empty(problem.dictionary().len()),
            columns: Columns::nothing(),
        }
    }

    pub(super) fn merge(self, later: Self) -> Self {
        Self {
            reduction: self.reduction.merge(later.reduction),
            columns: self.columns.merge(later.columns),
        }
    }
}

/// For each feature and then the target: the value that it has had so far, or none once it varies.
/// Empty before the first row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Columns(Vec<Option<f64>>);

impl Columns {
    /// Before the first row.
    pub(super) fn nothing() -> Self {
        Self(Vec::new())
    }

    /// Whether this can be about so many features and the target.
    pub(super) fn is_about(&self, n_features: usize) -> bool {
        self.0.is_empty() || self.0.len() == n_features + 1
    }

    /// The value of a feature in all rows, if it is the same.
    pub(super) fn constant(&self, feature: usize) -> Option<f64> {
        self.0.get(feature).copied().flatten()
    }

    fn of(columns: &[&[f64]]) -> Self {
        if columns.iter().all(|column| column.is_empty()) {
            return Self::nothing();
        }
        let constant = |column: &&[f64]| {
            let first = *column.first()?;
            column
                .iter()
                .all(|v| v.to_bits() == first.to_bits())
                .then_some(first)
        };
        Self(columns.iter().map(constant).collect())
    }

    pub(super) fn merge(self, later: Self) -> Self {
        if self.0.is_empty() || later.0.is_empty() {
            return if self.0.is_empty() { later } else { self };
        }
        let same = |(a, b): (Option<f64>, Option<f64>)| {
            a.filter(|a| b.is_some_and(|b| b.to_bits() == a.to_bits()))
        };
        Self(self.0.into_iter().zip(later.0).map(same).collect())
    }

    /// Refuses problems whose answer would be arbitrary because a column is constant, or because
    /// there is a single row.
    pub(super) fn check(&self, problem: &Problem, n_rows: usize) -> Result<()> {
        let dictionary = problem.dictionary();
        let Some((target, features)) = self.0.split_last() else {
            return Err(ReduceError::NoRowsToLearnFrom.into());
        };
        if problem.constants() == Constants::Allow {
            return Ok(());
        }
        if n_rows == 1 {
            return Err(ReduceError::OneRow.into());
        }
        if let Some(value) = *target {
            return Err(ReduceError::ConstantTarget {
                name: problem.target(),
                value,
            }
            .into());
        }
        for (feature, value) in features.iter().enumerate() {
            let uses = dictionary
                .terms()
                .iter()
                .filter(|term| term.features().iter().any(|(place, _)| *place == feature))
                .count();
            if let Some(value) = *value
                && uses > usize::from(!dictionary.has_constant())
            {
                let name = dictionary.features()[feature].clone();
                return Err(ReduceError::ConstantFeature { name, value }.into());
            }
        }
        Ok(())
    }
}

pub(super) fn reduce_batch(
    problem: &Problem,
    table: &Table,
    rows_before: usize,
) -> Result<Reduced> {
    let dictionary = problem.dictionary();
    let target = problem.target();
    let names = dictionary
        .features()
        .iter()
        .map(String::as_str)
        .chain([target.as_str()]);
    let columns = names
        .map(|name| table.column(name))
        .collect::<Result<Vec<&[f64]>>>()?;
    let weights = problem
        .weights()
        .map(|name| table.column(name))
        .transpose()?;
    if let (Some(name), Some(weights)) = (problem.weights(), weights) {
        check_weights(name, weights, table, problem.meaning())?;
    }
    let weights = weights.map(|values| problem.meaning().of(values));
    let weights = weights.as_deref();
    let rows = Rows {
        problem,
        table,
        columns: &columns,
        weights,
    };
    let n_cols = dictionary.len() + 1;
    let mut reduction = if is_precise(rows_before + table.n_rows(), n_cols) {
        rows.reduce_precisely()?
    } else {
        rows.reduce_fast()?
    };
    if let Some(weights) = weights {
        reduction.n_obs = count(weights, problem.meaning());
    }
    Ok(Reduced {
        reduction,
        columns: Columns::of(&columns),
    })
}

/// Refuses weights below zero, and standard deviations that are not above it.
fn check_weights(name: &str, values: &[f64], table: &Table, meaning: Weights) -> Result<()> {
    let is_wrong = |value: &f64| match meaning {
        Weights::Precision | Weights::Repeats => *value < 0.0,
        Weights::Deviation => *value <= 0.0,
    };
    let Some(place) = values.iter().position(is_wrong) else {
        return Ok(());
    };
    let (name, row, value) = (name.to_string(), table.row_number(place), values[place]);
    Err(match meaning {
        Weights::Deviation => ReduceError::DeviationNotPositive { name, row, value },
        _ => ReduceError::NegativeWeight { name, row, value },
    }
    .into())
}

/// How many observations rows of these weights are.
fn count(weights: &[f64], meaning: Weights) -> usize {
    match meaning {
        Weights::Deviation => weights.len(),
        Weights::Precision => weights.iter().filter(|w| **w > 0.0).count(),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "weights are not negative, and a cast saturates"
        )]
        Weights::Repeats => weights.iter().sum::<f64>().round() as usize,
    }
}

/// The rows of one batch: features and target as slices, ready to be evaluated.
struct Rows<'a> {
    problem: &'a Problem,
    table: &'a Table,
    columns: &'a [&'a [f64]],
    weights: Option<&'a [f64]>,
}

impl Rows<'_> {
    /// Explains a place in a block of rows, the first of which is given.
    fn explain(&self, place: NotFinite, first: usize) -> Error {
        let place = NotFinite {
            row: first + place.row,
            ..place
        };
        let features = self.columns.split_last();
        let (_, features) = features.expect("the target is always there");
        let row = self.table.row_number(place.row);
        self.problem.dictionary().explain(place, features, row)
    }

    fn reduce_fast(&self) -> Result<Reduction> {
        let (n_rows, n_terms) = (self.table.n_rows(), self.problem.dictionary().len());
        let mut reducer = Reducer::<f64>::new(n_terms + 1, BLOCK_ROWS);
        let mut terms = vec![0.0; BLOCK_ROWS * n_terms];
        for first in (0..n_rows).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(n_rows - first);
            let slices: Vec<&[f64]> = self
                .columns
                .iter()
                .map(|c| &c[first..first + rows])
                .collect();
            let (target, features) = slices.split_last().expect("the target is always there");
            let terms = &mut terms[..rows * n_terms];
            self.problem
                .dictionary()
                .evaluate(features, terms)
                .map_err(|place| self.explain(place, first))?;
            reducer.push(rows, |j, out| {
                out.copy_from_slice(if j < n_terms {
                    &terms[j * rows..(j + 1) * rows]
                } else {
                    target
                });
                if let Some(weights) = self.weights {
                    for (out, w) in out.iter_mut().zip(&weights[first..]) {
                        *out *= w.sqrt();
                    }
                }
            });
        }
        Ok(reducer.finish())
    }

    fn reduce_precisely(&self) -> Result<Reduction> {
        let (n_rows, n_terms) = (self.table.n_rows(), self.problem.dictionary().len());
        let (target, features) = self
            .columns
            .split_last()
            .expect("the target is always there");
        let mut terms = vec![Quad::ZERO; n_rows * n_terms];
        self.problem
            .dictionary()
            .evaluate_precisely(features, &mut terms)
            .map_err(|place| self.explain(place, 0))?;
        let mut reducer = Reducer::<Quad>::new(n_terms + 1, n_rows);
        reducer.push(n_rows, |j, out| {
            if j < n_terms {
                out.copy_from_slice(&terms[j * n_rows..(j + 1) * n_rows]);
            } else {
                for (out, &value) in out.iter_mut().zip(*target) {
                    *out = Quad::from(value);
                }
            }
            if let Some(weights) = self.weights {
                for (out, &w) in out.iter_mut().zip(weights) {
                    *out *= Quad::from(w).sqrt();
                }
            }
        });
        Ok(reducer.finish())
    }
}
