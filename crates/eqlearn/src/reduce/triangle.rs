//! The triangle that a search works on: terms and target, with columns of unit length.
//!
//! The triangle is the R factor of the data (see [`reduce`](mod@crate::reduce)). Its columns have
//! the same angles as the columns of the data, which is all that a search needs.
//!
//! Invariants: every entry is finite, column `j` is zero below row `j`, the target is the last
//! column, and every column has length 1 (or 0, if it is zero on all rows).

use crate::numeric::householder::reflect;

/// An upper triangle, stored column by column; the target is the last column.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangle {
    n_rows: usize,
    n_cols: usize,
    entries: Vec<f64>,
}

impl Triangle {
    /// Triangularises any columns of equal length by Householder reflections, after scaling each
    /// to unit length. The last column is the target.
    ///
    /// ```
    /// use eqlearn::Triangle;
    ///
    /// let triangle = Triangle::from_columns(&[vec![3.0, 4.0, 0.0], vec![0.0, 0.0, 2.0]]);
    /// assert_eq!((triangle.n_rows(), triangle.n_terms()), (2, 1));
    /// assert!((triangle.column(1)[1].abs() - 1.0).abs() < 1e-15);
    /// ```
    pub fn from_columns(columns: &[Vec<f64>]) -> Self {
        let n_cols = columns.len();
        let height = columns.first().map_or(0, Vec::len);
        let n_rows = height.min(n_cols);
        let mut work: Vec<f64> = columns.iter().flat_map(|column| unit(column)).collect();
        for j in 0..n_rows {
            reflect(&mut work, height, j, j..height, 0.0);
        }
        let mut entries = vec![0.0; n_rows * n_cols];
        for j in 0..n_cols {
            let len = n_rows.min(j + 1);
            entries[j * n_rows..][..len].copy_from_slice(&work[j * height..][..len]);
        }
        Self {
            n_rows,
            n_cols,
            entries,
        }
    }

    /// How many rows there are: the number of columns, or fewer with fewer observations.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many terms there are: all columns but the last.
    pub fn n_terms(&self) -> usize {
        self.n_cols - 1
    }

    /// Column `j`, top to bottom; `j == n_terms()` is the target.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.entries[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// All entries on and above the diagonal, column by column.
    pub(crate) fn upper(&self) -> impl Iterator<Item = f64> {
        let n_rows = self.n_rows;
        (0..self.n_cols).flat_map(move |j| self.column(j)[..n_rows.min(j + 1)].iter().copied())
    }

    /// The triangle of these entries ([`upper`](Self::upper)); none unless there are exactly as
    /// many as it has.
    pub(crate) fn from_upper(
        n_rows: usize,
        n_cols: usize,
        mut upper: impl Iterator<Item = f64>,
    ) -> Option<Self> {
        let mut entries = vec![0.0; n_rows.checked_mul(n_cols)?];
        for j in 0..n_cols {
            for entry in &mut entries[j * n_rows..][..n_rows.min(j + 1)] {
                *entry = upper.next()?;
            }
        }
        let complete = upper.next().is_none();
        complete.then_some(Self {
            n_rows,
            n_cols,
            entries,
        })
    }

    /// The triangle of only these columns, in this order (the target must be named last).
    #[must_use]
    pub fn select(&self, columns: &[usize]) -> Self {
        let picked: Vec<Vec<f64>> = columns.iter().map(|&j| self.column(j).to_vec()).collect();
        Self::from_columns(&picked)
    }
}

/// The column scaled to length 1, without intermediate overflow; a zero column stays zero.
fn unit(column: &[f64]) -> Vec<f64> {
    let largest = column.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if largest <= 0.0 {
        return column.to_vec();
    }
    let scaled: Vec<f64> = column.iter().map(|v| v / largest).collect();
    let length = scaled.iter().map(|v| v * v).sum::<f64>().sqrt();
    scaled.iter().map(|v| v / length).collect()
}
