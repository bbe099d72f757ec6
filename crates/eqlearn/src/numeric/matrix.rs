//! A dense matrix, column by column.

use std::ops::{Index, IndexMut};

use num_traits::Zero;

/// Columns are padded to a multiple of this many numbers, so that loops run over whole blocks.
pub(crate) const PADDING: usize = 4;

/// A matrix whose columns stand one after another, each padded with zeros.
#[derive(Debug, Clone)]
pub(crate) struct Matrix<T> {
    n_rows: usize,
    n_cols: usize,
    stride: usize,
    entries: Vec<T>,
}

impl<T: Copy + Zero> Matrix<T> {
    /// A matrix of zeros.
    pub(crate) fn zeros(n_rows: usize, n_cols: usize) -> Self {
        let stride = n_rows.next_multiple_of(PADDING);
        Self {
            n_rows,
            n_cols,
            stride,
            entries: vec![T::zero(); stride * n_cols],
        }
    }

    /// The matrix with these entries, by row and column.
    pub(crate) fn from_fn(
        n_rows: usize,
        n_cols: usize,
        mut entry: impl FnMut(usize, usize) -> T,
    ) -> Self {
        let mut matrix = Self::zeros(n_rows, n_cols);
        for j in 0..n_cols {
            for (i, value) in matrix.col_mut(j).iter_mut().enumerate() {
                *value = entry(i, j);
            }
        }
        matrix
    }

    /// The first rows alone.
    pub(crate) fn first_rows(&self, n_rows: usize) -> Self {
        Self::from_fn(n_rows, self.n_cols, |i, j| self[(i, j)])
    }
}

impl<T> Matrix<T> {
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_cols(&self) -> usize {
        self.n_cols
    }

    pub(crate) fn col(&self, j: usize) -> &[T] {
        &self.entries[j * self.stride..][..self.n_rows]
    }

    pub(crate) fn col_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.entries[j * self.stride..][..self.n_rows]
    }

    /// All entries with their padding, and the distance from one column to the next.
    pub(crate) fn padded_mut(&mut self) -> (&mut [T], usize) {
        (&mut self.entries, self.stride)
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.col(j)[i]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.col_mut(j)[i]
    }
}
