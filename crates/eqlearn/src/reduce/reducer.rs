//! Rows into triangles: each block of rows is stacked under the triangle so far and factorised
//! again.
//!
//! A block is sized to stay in the cache. So reducing a million rows takes no longer than one
//! factorisation of all of them, in constant memory.

use std::sync::Arc;

use num_traits::Zero;
use qd::Quad;

use super::{PRECISE_WORK, Reduction};
use crate::numeric::householder::reflect;
use crate::numeric::matrix::Matrix;
use crate::numeric::qr;

/// Rows per block: with some 70 columns a block is about a megabyte.
pub(super) const BLOCK_ROWS: usize = 2048;

/// The exponent of a column that is still zero.
pub(super) const NO_EXPONENT: i32 = i32::MIN;

/// Whether this many rows are reduced in twice the working precision.
pub(super) fn is_precise(n_obs: usize, n_cols: usize) -> bool {
    n_obs.saturating_mul(n_cols * n_cols) <= PRECISE_WORK
}

/// A scalar that rows can be reduced in.
pub(super) trait Scalar: Zero + Copy {
    fn times(self, factor: f64) -> Self;
    fn largest(self) -> f64;
    fn precise(self) -> Quad;
    /// Replaces the first rows of a matrix by their upper triangle.
    fn triangularise(matrix: &mut Matrix<Self>, n_rows: usize);
}

impl Scalar for f64 {
    fn times(self, factor: f64) -> Self {
        self * factor
    }
    fn largest(self) -> f64 {
        self.abs()
    }
    fn precise(self) -> Quad {
        Quad::from(self)
    }
    fn triangularise(matrix: &mut Matrix<Self>, n_rows: usize) {
        qr::triangularise(matrix, n_rows);
    }
}

impl Scalar for Quad {
    // The factor is a power of two: both halves scale exactly.
    fn times(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
    fn largest(self) -> f64 {
        self.0.abs()
    }
    fn precise(self) -> Quad {
        self
    }
    fn triangularise(matrix: &mut Matrix<Self>, n_rows: usize) {
        let size = matrix.n_cols().min(n_rows);
        let (columns, stride) = matrix.padded_mut();
        for j in 0..size {
            reflect(columns, stride, j, j..n_rows, 0.0);
            columns[j * stride..][j + 1..n_rows].fill(Self::ZERO);
        }
    }
}

/// A triangle that grows by blocks of rows.
#[derive(Debug)]
pub(super) struct Reducer<T> {
    n_obs: usize,
    /// The triangle in the first `n_rows` rows, room for a block below it.
    work: Matrix<T>,
    n_rows: usize,
    exponents: Vec<i32>,
}

impl<T: Scalar> Reducer<T> {
    /// For this many columns, in blocks of up to `block_rows` rows.
    pub(super) fn new(n_cols: usize, block_rows: usize) -> Self {
        Self {
            n_obs: 0,
            work: Matrix::zeros(n_cols + block_rows, n_cols),
            n_rows: 0,
            exponents: vec![NO_EXPONENT; n_cols],
        }
    }

    /// Takes in one block of `rows` rows: `column` fills the entries of a column.
    pub(super) fn push(&mut self, rows: usize, mut column: impl FnMut(usize, &mut [T])) {
        let n_cols = self.work.n_cols();
        for j in 0..n_cols {
            let (top, height) = (self.n_rows, self.n_rows + rows);
            let entries = self.work.col_mut(j);
            column(j, &mut entries[top..height]);
            let largest = entries[top..height]
                .iter()
                .fold(0.0_f64, |a, v| a.max(v.largest()));
            self.scale_column(j, top, height, largest);
        }
        self.n_obs += rows;
        self.triangularise(rows);
    }

    /// Brings the triangle's part of the column and the new part to a common power of two.
    fn scale_column(&mut self, j: usize, top: usize, height: usize, largest: f64) {
        let old = self.exponents[j];
        let new = if largest > 0.0 {
            old.max(exponent_of(largest))
        } else {
            old
        };
        if new == NO_EXPONENT {
            return;
        }
        let entries = self.work.col_mut(j);
        if old != new && old != NO_EXPONENT {
            scale(&mut entries[..top], old - new);
        }
        scale(&mut entries[top..height], -new);
        self.exponents[j] = new;
    }

    fn triangularise(&mut self, rows: usize) {
        let height = self.n_rows + rows;
        T::triangularise(&mut self.work, height);
        self.n_rows = height.min(self.work.n_cols());
    }

    pub(super) fn finish(self) -> Reduction {
        let triangle = Matrix::from_fn(self.n_rows, self.work.n_cols(), |i, j| {
            self.work[(i, j)].precise()
        });
        Reduction {
            n_obs: self.n_obs,
            triangle: Arc::new(triangle),
            exponents: self.exponents,
        }
    }
}

/// Replaces a matrix by its upper triangle from Householder reflections.
pub(super) fn triangularise<T: Scalar>(matrix: &mut Matrix<T>) {
    T::triangularise(matrix, matrix.n_rows());
}

pub(super) fn reduce_columns(columns: &[&[f64]]) -> Reduction {
    let n_rows = columns.first().expect("there is at least the target").len();
    assert!(
        columns.iter().all(|c| c.len() == n_rows),
        "columns have equal lengths"
    );
    if is_precise(n_rows, columns.len()) {
        let mut reducer = Reducer::<Quad>::new(columns.len(), n_rows);
        reducer.push(n_rows, |j, out| {
            for (out, &value) in out.iter_mut().zip(columns[j]) {
                *out = Quad::from(value);
            }
        });
        return reducer.finish();
    }
    reduce_columns_in_double(columns)
}

pub(super) fn reduce_columns_in_double(columns: &[&[f64]]) -> Reduction {
    let n_rows = columns.first().map_or(0, |column| column.len());
    let mut reducer = Reducer::<f64>::new(columns.len(), BLOCK_ROWS);
    for first in (0..n_rows).step_by(BLOCK_ROWS) {
        let rows = BLOCK_ROWS.min(n_rows - first);
        reducer.push(rows, |j, out| {
            out.copy_from_slice(&columns[j][first..first + rows]);
        });
    }
    reducer.finish()
}

pub(super) fn merge_all(n_terms: usize, all: &[&Reduction]) -> Reduction {
    let n_obs = all.iter().map(|one| one.n_obs).sum();
    let with_rows: Vec<&Reduction> = all
        .iter()
        .copied()
        .filter(|one| one.triangle.n_rows() > 0)
        .collect();
    match with_rows.as_slice() {
        [] => Reduction {
            n_obs,
            ..Reduction::empty(n_terms)
        },
        [one] => Reduction {
            n_obs,
            ..(*one).clone()
        },
        several if is_precise(n_obs, n_terms + 1) => stack::<Quad>(n_obs, several, |entry| entry),
        several => stack::<f64>(n_obs, several, |entry| entry.0),
    }
}

/// Triangularises stacked triangles, in the scalar type that `from` converts to.
fn stack<T: Scalar>(n_obs: usize, all: &[&Reduction], from: impl Fn(Quad) -> T) -> Reduction {
    let n_cols = all[0].exponents.len();
    let exponent = |j: usize| all.iter().map(|one| one.exponents[j]).max();
    let exponents: Vec<i32> = (0..n_cols)
        .map(|j| exponent(j).unwrap_or(NO_EXPONENT))
        .collect();
    let height: usize = all.iter().map(|one| one.triangle.n_rows()).sum();
    let mut work = Matrix::<T>::zeros(height, n_cols);
    for (j, &common) in exponents.iter().enumerate() {
        let column = work.col_mut(j);
        let mut top = 0;
        for one in all {
            let shift = match one.exponents[j] {
                NO_EXPONENT => 0,
                exponent => exponent - common,
            };
            let factor = times_power_of_two(1.0, shift);
            // Below the diagonal there are zeros already.
            for i in 0..one.triangle.n_rows().min(j + 1) {
                column[top + i] = from(one.triangle[(i, j)]).times(factor);
            }
            top += one.triangle.n_rows();
        }
    }
    triangularise(&mut work);
    Reduction {
        n_obs,
        triangle: Arc::new(Matrix::from_fn(height.min(n_cols), n_cols, |i, j| {
            work[(i, j)].precise()
        })),
        exponents,
    }
}

fn scale<T: Scalar>(entries: &mut [T], exponent: i32) {
    if exponent == 0 {
        return;
    }
    // Two factors, because 2^-1100 underflows but 2^-550 twice does not.
    let half = times_power_of_two(1.0, exponent / 2);
    let rest = times_power_of_two(1.0, exponent - exponent / 2);
    for entry in entries {
        *entry = entry.times(half).times(rest);
    }
}

/// `value · 2^exponent`, exact unless it leaves the range of `f64`.
pub(super) fn times_power_of_two(value: f64, exponent: i32) -> f64 {
    libm::ldexp(value, exponent)
}

/// The exponent to undo a column's scaling with; a zero column was not scaled.
pub(super) fn exponent_or_zero(exponent: i32) -> i32 {
    if exponent == NO_EXPONENT { 0 } else { exponent }
}

/// The `e` with `2^(e-1) ≤ |value| < 2^e`.
fn exponent_of(value: f64) -> i32 {
    libm::frexp(value).1
}
