//! The same rows in parts, from one pass: folds for cross-validation, blocks for bagging.
//!
//! Folds are runs of neighbouring rows, as scikit-learn cuts them: of equal length, the first few
//! one row longer. To split a stream exactly, its length must be known, so the rows are kept in
//! memory while they are few ([`HELD_CELLS`]). A longer stream is reduced batch by batch into at
//! most some hundred triangles, and each fold ends at the triangle boundary nearest to its exact
//! end.
//!
//! How rows are grouped depends on the data alone, never on threads.

use rayon::prelude::*;

use super::Reduction;
use super::rows::{Columns, Reduced, next_group, pool, reduce_batch};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::ReduceError;
use crate::terms::problem::Problem;

/// Numbers of a table that are kept in memory to split it exactly: 32 MB.
const HELD_CELLS: usize = 1 << 22;

/// Memory for the triangles of a long stream.
const HELD_BYTES: usize = 1 << 26;

/// The fewest and the most triangles of a long stream.
const STRETCHES: (usize, usize) = (64, 256);

/// Rows that are reduced as one piece of work.
const PIECE_ROWS: usize = 1 << 14;

/// How rows are cut.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `folds` | 5 | 1.. | parts for cross-validation; never more than there are rows |
/// | `blocks_per_fold` | 1 | 1.. | parts of each fold, for bagging |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Parts for cross-validation.
    pub folds: usize,
    /// Parts of each fold, for bagging.
    pub blocks_per_fold: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            folds: 5,
            blocks_per_fold: 1,
        }
    }
}

/// All rows, and the parts that they are made of.
///
/// ```
/// use eqlearn::{Cut, Dictionary, Parts, Problem, Table};
///
/// let table = Table::new(vec![
///     ("x".into(), vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
///     ("y".into(), vec![1.0, 3.1, 4.9, 7.0, 9.1, 10.9, 13.0]),
/// ])?;
/// let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// let parts = Parts::reduce(&problem, [Ok(table)].into_iter(), &Cut::default(), 1, &mut ())?;
/// let rows: Vec<usize> = parts.folds().iter().map(|fold| fold.n_obs()).collect();
/// assert_eq!(rows, [2, 2, 1, 1, 1]);
/// assert_eq!(parts.whole().n_obs(), 7);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parts {
    whole: Reduction,
    folds: Vec<Reduction>,
    /// The blocks of each fold.
    blocks: Vec<Vec<Reduction>>,
}

impl Parts {
    /// Reduces a stream of batches into parts, in one pass.
    ///
    /// The answer does not depend on `threads` (0: all cores).
    ///
    /// # Errors
    /// As [`reduce`](super::reduce).
    pub fn reduce(
        problem: &Problem,
        mut batches: impl Iterator<Item = Result<Table>> + Send,
        cut: &Cut,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let pool = pool(threads);
        let (mut held, mut cells) = (Vec::new(), 0);
        while let Some(batch) = batches.next().transpose()? {
            cells += batch.n_rows() * batch.names().len();
            held.push(batch);
            if cells > HELD_CELLS {
                let all = held.into_iter().map(Ok).chain(batches);
                return Self::of_stream(problem, all, cut, &pool, observer);
            }
        }
        let parts = pool.install(|| Self::of_tables(problem, &held, cut))?;
        let progress = Progress {
            stage: Stage::Rows,
            done: parts.whole.n_obs() as u128,
            total: 0,
        };
        if observer.progress(&progress).is_break() {
            return Err(Error::Stopped);
        }
        Ok(parts)
    }

    /// Cuts rows that are all at hand, exactly.
    fn of_tables(problem: &Problem, tables: &[Table], cut: &Cut) -> Result<Self> {
        let n_rows = tables.iter().map(Table::n_rows).sum();
        let sizes = split(n_rows, cut.folds).map(|fold| split(fold, cut.blocks_per_fold));
        let sizes: Vec<Vec<usize>> = sizes.map(Iterator::collect).collect();
        // Pieces of work: never across the end of a block or of a table.
        let mut pieces: Vec<(usize, Table)> = Vec::new();
        let (mut table, mut row) = (0, 0);
        for (block, &size) in sizes.iter().flatten().enumerate() {
            let mut left = size;
            while left > 0 {
                if row == tables[table].n_rows() {
                    (table, row) = (table + 1, 0);
                    continue;
                }
                let rows = left.min(tables[table].n_rows() - row).min(PIECE_ROWS);
                pieces.push((block, tables[table].slice(row..row + rows)));
                (row, left) = (row + rows, left - rows);
            }
        }
        // The precision follows from the number of rows of all folds.
        let reduce_one = |(block, piece): (usize, Table)| {
            Ok((
                block,
                reduce_batch(problem, &piece, n_rows - piece.n_rows())?,
            ))
        };
        let reduced: Vec<Result<(usize, Reduced)>> =
            pieces.into_par_iter().map(reduce_one).collect();
        let n_terms = problem.dictionary().len();
        let n_blocks = sizes.iter().map(Vec::len).sum();
        let mut of_block: Vec<Vec<Reduction>> = vec![Vec::new(); n_blocks];
        let mut columns = Columns::nothing();
        for piece in reduced {
            let (block, piece) = piece?;
            columns = columns.merge(piece.columns);
            of_block[block].push(piece.reduction);
        }
        columns.check(problem, sizes.iter().flatten().sum())?;
        let mut blocks = of_block.iter().map(|of| Reduction::merge_all(n_terms, of));
        let blocks = sizes
            .iter()
            .map(|fold| blocks.by_ref().take(fold.len()).collect());
        Ok(Self::of_blocks(n_terms, blocks.collect()))
    }

    /// Reduces a long stream to stretches of equal length, which is doubled when there are too many
    /// of them, and splits between them.
    fn of_stream(
        problem: &Problem,
        mut batches: impl Iterator<Item = Result<Table>> + Send,
        cut: &Cut,
        pool: &rayon::ThreadPool,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let n_terms = problem.dictionary().len();
        let triangle = 16 * (n_terms + 1).pow(2);
        let most = (HELD_BYTES / triangle).clamp(STRETCHES.0, STRETCHES.1);
        let mut stretches = Stretches {
            most,
            batches_each: 1,
            open: Vec::new(),
            closed: Vec::new(),
        };
        let (mut rows_read, mut columns) = (0, Columns::nothing());
        let mut group = next_group(&mut batches, &mut rows_read);
        while !group.is_empty() {
            let (next, reduced) = pool.install(|| {
                rayon::join(
                    || next_group(&mut batches, &mut rows_read),
                    || {
                        let reduce_one = |(first, batch): (usize, Result<Table>)| {
                            reduce_batch(problem, &batch?, first)
                        };
                        group.into_par_iter().map(reduce_one).collect::<Vec<_>>()
                    },
                )
            });
            for batch in reduced {
                let batch = batch?;
                columns = columns.merge(batch.columns);
                stretches.push(n_terms, batch.reduction);
            }
            let progress = Progress {
                stage: Stage::Rows,
                done: rows_read as u128,
                total: 0,
            };
            if observer.progress(&progress).is_break() {
                return Err(Error::Stopped);
            }
            group = next;
        }
        columns.check(problem, rows_read)?;
        let stretches = stretches.finish(n_terms);
        Ok(Self::of_stretches(n_terms, &stretches, cut))
    }

    /// Splits between given triangles, so that the parts have as nearly equal numbers of rows as
    /// possible.
    ///
    /// # Errors
    /// Fewer triangles than parts.
    pub(crate) fn of_reductions(n_terms: usize, all: &[Reduction], cut: &Cut) -> Result<Self> {
        let needed = cut.folds * cut.blocks_per_fold;
        if all.len() < needed {
            return Err(ReduceError::TooFewTriangles {
                triangles: all.len(),
                needed,
            }
            .into());
        }
        Ok(Self::of_stretches(n_terms, all, cut))
    }

    fn of_stretches(n_terms: usize, stretches: &[Reduction], cut: &Cut) -> Self {
        let blocks = nearest_cut(stretches, cut.folds).map(|fold| {
            nearest_cut(fold, cut.blocks_per_fold)
                .map(|block| Reduction::merge_all(n_terms, block))
                .collect()
        });
        Self::of_blocks(n_terms, blocks.collect())
    }

    fn of_blocks(n_terms: usize, blocks: Vec<Vec<Reduction>>) -> Self {
        let folds: Vec<Reduction> = blocks
            .iter()
            .map(|blocks| Reduction::merge_all(n_terms, blocks))
            .collect();
        Self {
            whole: Reduction::merge_all(n_terms, &folds),
            folds,
            blocks,
        }
    }

    /// All rows.
    pub fn whole(&self) -> &Reduction {
        &self.whole
    }

    /// The folds, in the order of the rows.
    pub fn folds(&self) -> &[Reduction] {
        &self.folds
    }

    /// The blocks of each fold, in the order of the rows.
    pub fn blocks(&self) -> &[Vec<Reduction>] {
        &self.blocks
    }

    /// The rows without one fold, and that fold.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn without(&self, fold: usize) -> (Self, Reduction) {
        let (mut folds, mut blocks) = (self.folds.clone(), self.blocks.clone());
        let left_out = folds.remove(fold);
        blocks.remove(fold);
        let whole = Reduction::merge_all(self.whole.n_terms(), &folds);
        let rest = Self {
            whole,
            folds,
            blocks,
        };
        (rest, left_out)
    }
}

/// The rows a method learns from: all of them, and perhaps the same rows in parts.
///
/// A reduction alone will do; without folds, settings choose where cross-validation would.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// All rows.
    pub whole: &'a Reduction,
    /// The parts for cross-validation; may be empty.
    pub folds: &'a [Reduction],
    /// The parts of each fold, for bagging; may be empty.
    pub blocks: &'a [Vec<Reduction>],
}

impl<'a> From<&'a Reduction> for Data<'a> {
    fn from(whole: &'a Reduction) -> Self {
        Self {
            whole,
            folds: &[],
            blocks: &[],
        }
    }
}

impl<'a> From<&'a Parts> for Data<'a> {
    fn from(parts: &'a Parts) -> Self {
        Self {
            whole: &parts.whole,
            folds: &parts.folds,
            blocks: &parts.blocks,
        }
    }
}

/// The triangles of a long stream, each of the same number of batches but for the last.
struct Stretches {
    most: usize,
    batches_each: usize,
    open: Vec<Reduction>,
    closed: Vec<Reduction>,
}

impl Stretches {
    fn push(&mut self, n_terms: usize, batch: Reduction) {
        self.open.push(batch);
        if self.open.len() < self.batches_each {
            return;
        }
        self.close(n_terms);
        if self.closed.len() == self.most {
            let pairs = self.closed.chunks(2);
            self.closed = pairs
                .map(|two| Reduction::merge_all(n_terms, two))
                .collect();
            self.batches_each *= 2;
        }
    }

    fn close(&mut self, n_terms: usize) {
        self.closed.push(Reduction::merge_all(n_terms, &self.open));
        self.open.clear();
    }

    fn finish(mut self, n_terms: usize) -> Vec<Reduction> {
        if !self.open.is_empty() {
            self.close(n_terms);
        }
        self.closed
    }
}

/// Sizes of equal parts, the first few one longer; none is empty.
fn split(n_rows: usize, parts: usize) -> impl Iterator<Item = usize> {
    let parts = parts.clamp(1, n_rows.max(1));
    (0..parts).map(move |part| n_rows / parts + usize::from(part < n_rows % parts))
}

/// Runs of stretches that come closest to equal numbers of rows; at most as many runs as stretches.
fn nearest_cut(stretches: &[Reduction], parts: usize) -> impl Iterator<Item = &[Reduction]> {
    let parts = parts.clamp(1, stretches.len().max(1));
    let mut ends = vec![0];
    ends.extend(stretches.iter().scan(0, |rows, stretch| {
        *rows += stretch.n_obs();
        Some(*rows)
    }));
    let total = ends[stretches.len()];
    let mut edges = vec![0];
    for part in 1..parts {
        // At least one stretch for this part and for each of those to come.
        let reach = edges[part - 1] + 1..=stretches.len() - (parts - part);
        let distance = |edge: &usize| (parts * ends[*edge]).abs_diff(part * total);
        edges.push(
            reach
                .min_by_key(distance)
                .expect("there is one for each part"),
        );
    }
    edges.push(stretches.len());
    (0..parts).map(move |part| &stretches[edges[part]..edges[part + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_are_those_of_scikit_learn() {
        assert_eq!(split(13, 5).collect::<Vec<_>>(), [3, 3, 3, 2, 2]);
        assert_eq!(split(3, 5).collect::<Vec<_>>(), [1, 1, 1]);
        assert_eq!(split(0, 5).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn long_streams_are_cut_at_the_nearest_edge() {
        let rows = |n: usize| Reduction {
            n_obs: n,
            ..Reduction::empty(1)
        };
        let stretches: Vec<Reduction> = [40, 40, 40, 40, 40, 40, 7].map(rows).into();
        let sizes = |parts| -> Vec<usize> {
            nearest_cut(&stretches, parts)
                .map(|run| run.iter().map(Reduction::n_obs).sum())
                .collect()
        };
        assert_eq!(sizes(2), [120, 127]);
        assert_eq!(sizes(3), [80, 80, 87]);
        assert_eq!(sizes(9), [40, 40, 40, 40, 40, 40, 7]);
    }

    #[test]
    fn stretches_double_when_they_become_too_many() {
        let mut stretches = Stretches {
            most: 4,
            batches_each: 1,
            open: Vec::new(),
            closed: Vec::new(),
        };
        for _ in 0..11 {
            let batch = Reduction::from_columns(&[&[1.0, 2.0], &[3.0, 4.0]]);
            stretches.push(1, batch);
        }
        let sizes: Vec<usize> = stretches.finish(1).iter().map(Reduction::n_obs).collect();
        assert_eq!(sizes, [8, 8, 6]);
    }
}
