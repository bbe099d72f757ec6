//! The Cholesky factor of a banded matrix.
//!
//! Row `k` is given by its entries from the first nonzero one up to the diagonal (a skyline). The
//! factor has the same shape, so work and memory grow with the bandwidth only.

use crate::numeric::vector::{dot, widely};

/// Rows of unequal length, one after another in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ragged {
    /// Where each row ends.
    ends: Vec<usize>,
    entries: Vec<f64>,
}

impl Ragged {
    /// Reserves space for this many entries more.
    pub(crate) fn reserve(&mut self, entries: usize) {
        self.entries.reserve(entries);
    }

    /// Adds a row of zeros.
    pub(crate) fn push(&mut self, len: usize) -> &mut [f64] {
        let start = self.entries.len();
        self.entries.resize(start + len, 0.0);
        self.ends.push(start + len);
        &mut self.entries[start..]
    }

    #[expect(
        clippy::inline_always,
        reason = "only what is inlined is compiled for wide instructions"
    )]
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.entries[self.start(row)..self.ends[row]]
    }

    #[expect(
        clippy::inline_always,
        reason = "only what is inlined is compiled for wide instructions"
    )]
    #[inline(always)]
    fn start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// A row that can be changed.
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let start = self.start(row);
        &mut self.entries[start..self.ends[row]]
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.ends.len()).map(|row| self.row(row))
    }
}

/// The factor `L` of a banded matrix `L Lᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    /// Row `k`: entries of columns `k − len + 1 ..= k`.
    rows: Ragged,
}

/// Columns that are solved for at once.
const ABREAST: usize = 8;

impl Cholesky {
    /// Factorises a matrix that is given by its rows up to the diagonal.
    pub(crate) fn new(mut rows: Ragged) -> Self {
        factorise(&mut rows);
        Self { rows }
    }

    /// `L⁻¹ v`.
    pub(crate) fn solve(&self, column: &mut [f64]) {
        for (k, row) in self.rows.rows().enumerate() {
            let (diagonal, before) = with_diagonal(row);
            let known = &column[k - before.len()..k];
            column[k] = (column[k] - dot(before, known)) / diagonal;
        }
    }

    /// [`solve`](Self::solve) for many columns: side by side, because the entries of one column
    /// depend on each other.
    pub(crate) fn solve_all(&self, columns: &mut [&mut [f64]]) {
        let mut rows = vec![[0.0; ABREAST]; self.rows.ends.len()];
        for group in columns.chunks_mut(ABREAST) {
            for (c, column) in group.iter().enumerate() {
                for (row, value) in rows.iter_mut().zip(column.iter()) {
                    row[c] = *value;
                }
            }
            for (k, factors) in self.rows.rows().enumerate() {
                let (diagonal, before) = with_diagonal(factors);
                let (known, rest) = rows.split_at_mut(k);
                let row = &mut rest[0];
                for (factor, known) in before.iter().zip(&known[k - before.len()..]) {
                    for c in 0..ABREAST {
                        row[c] -= factor * known[c];
                    }
                }
                for value in row {
                    *value /= diagonal;
                }
            }
            for (c, column) in group.iter_mut().enumerate() {
                for (value, row) in column.iter_mut().zip(&rows) {
                    *value = row[c];
                }
            }
        }
    }

    /// `ln det(L Lᵀ)`.
    pub(crate) fn log_determinant(&self) -> f64 {
        let logs = self.rows.rows().map(|row| with_diagonal(row).0.ln());
        2.0 * logs.sum::<f64>()
    }

    /// `L⁻ᵀ v`.
    pub(crate) fn solve_transposed(&self, column: &mut [f64]) {
        for k in (0..self.rows.ends.len()).rev() {
            let (diagonal, before) = with_diagonal(self.rows.row(k));
            column[k] /= diagonal;
            let (known, first) = (column[k], k - before.len());
            for (value, factor) in column[first..k].iter_mut().zip(before) {
                *value -= factor * known;
            }
        }
    }
}

fn with_diagonal(row: &[f64]) -> (f64, &[f64]) {
    let (diagonal, before) = row.split_last().expect("a row ends with its diagonal");
    (*diagonal, before)
}

widely! {
    /// Replaces a banded matrix, given by its rows up to the diagonal, by its factor.
    ///
    /// A pivot below the rounding error of its diagonal is raised to it: the row is then linearly
    /// dependent on those before it, and must not get a huge weight.
    fn factorise(rows: &mut Ragged) = by_rows
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
fn by_rows(rows: &mut Ragged) {
    for k in 0..rows.ends.len() {
        let (start, end) = (rows.start(k), rows.ends[k]);
        let (done, rest) = rows.entries.split_at_mut(start);
        let row = &mut rest[..end - start];
        let first = k + 1 - row.len();
        for j in first..k {
            let other = &done[j.checked_sub(1).map_or(0, |before| rows.ends[before])..rows.ends[j]];
            let other_first = j + 1 - other.len();
            let from = first.max(other_first);
            let (diagonal, before) = with_diagonal(other);
            let place = j - first;
            let known = dot(&row[from - first..place], &before[from - other_first..]);
            row[place] = (row[place] - known) / diagonal;
        }
        let (diagonal, before) = row.split_last_mut().expect("a row ends with its diagonal");
        let floor = 1e-14 * *diagonal;
        *diagonal = (*diagonal - dot(before, before)).max(floor).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::{Cholesky, Ragged};

    #[test]
    fn both_solutions_together_invert_the_matrix() {
        // 4 on the diagonal and −1 beside it, but for one row that begins later.
        let mut rows = Ragged::default();
        for row in [&[4.0][..], &[-1.0, 4.0], &[4.0], &[-1.0, 4.0]] {
            rows.push(row.len()).copy_from_slice(row);
        }
        let factor = Cholesky::new(rows);
        let mut solution = vec![3.0, 7.0, 8.0, 14.0];
        factor.solve(&mut solution);
        factor.solve_transposed(&mut solution);
        let wanted = [19.0 / 15.0, 31.0 / 15.0, 46.0 / 15.0, 64.0 / 15.0];
        for (a, b) in solution.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}
