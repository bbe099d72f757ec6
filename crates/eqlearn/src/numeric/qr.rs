//! The triangle of a tall matrix by Householder reflections, four at a time.
//!
//! Four reflections are applied as one (the compact form of Schreiber and Van Loan):
//!
//! ```text
//! H₁H₂H₃H₄ = I − V T Vᵀ,   C ← C − V (Tᵀ (Vᵀ C))
//! ```
//!
//! Three columns of `C` meet four axes, so that twelve sums stay in registers, and a number that
//! was read is used three or four times. Four such blocks make a panel, whose axes stay in the
//! cache while all columns behind it pass by. On matrices of some thousand rows and a hundred
//! columns this is faster than a blocked factorisation through general matrix products.
//!
//! Golub and Van Loan, Matrix Computations, 5.2.3.

use crate::numeric::matrix::{Matrix, PADDING};
use crate::numeric::vector::{dot, fma, widely};

/// Reflections that are applied as one.
const AXES: usize = 4;
/// Columns that they are applied to at a time.
const SIDE: usize = 3;
/// Columns of a panel.
const PANEL: usize = 4 * AXES;
/// Numbers of a vector; columns are padded to a multiple of it.
const LANES: usize = PADDING;
/// Sums of squares below this have lost digits to underflow.
const TINY: f64 = 1e-280;

/// Replaces the first rows of a matrix by their upper triangle.
pub(crate) fn triangularise(matrix: &mut Matrix<f64>, n_rows: usize) {
    let n_cols = matrix.n_cols();
    let size = n_rows.min(n_cols);
    let (columns, stride) = matrix.padded_mut();
    for first in (0..size).step_by(PANEL) {
        let last = (first + PANEL).min(size);
        let (panel, behind) = columns.split_at_mut(last * stride);
        let blocks = factorise(panel, stride, first, n_rows);
        apply_to_groups(&blocks, behind, stride);
    }
}

/// Reflects the columns of a panel from `first` on onto their diagonals.
fn factorise(panel: &mut [f64], stride: usize, first: usize, n_rows: usize) -> Vec<Block> {
    let last = panel.len() / stride;
    let block = |first: usize| {
        let (own, behind) = panel.split_at_mut((first + AXES).min(last) * stride);
        let block = Block::new(own, stride, first, n_rows);
        apply_to_groups(std::slice::from_ref(&block), behind, stride);
        block
    };
    (first..last).step_by(AXES).map(block).collect()
}

/// Applies blocks of reflections to columns, some columns at a time.
fn apply_to_groups(blocks: &[Block], columns: &mut [f64], stride: usize) {
    let mut groups = columns.chunks_exact_mut(SIDE * stride);
    for group in &mut groups {
        for block in blocks {
            apply_to_three(block, group, stride);
        }
    }
    for column in groups.into_remainder().chunks_exact_mut(stride) {
        for block in blocks {
            apply_to_one(block, column, stride);
        }
    }
}

/// Some reflections in compact form.
struct Block {
    /// The first row of the axes; above it, they are zero.
    top: usize,
    /// The axes, column by column, from that row on.
    axes: [Vec<[f64; LANES]>; AXES],
    /// `T`, by rows.
    factor: [[f64; AXES]; AXES],
}

impl Block {
    /// Reflects up to four columns from `first` on, the last ones of `columns`, one by one.
    fn new(columns: &mut [f64], stride: usize, first: usize, n_rows: usize) -> Self {
        let top = first / LANES * LANES;
        let length = n_rows.next_multiple_of(LANES) - top;
        let mut axes: [Vec<[f64; LANES]>; AXES] =
            std::array::from_fn(|_| vec![[0.0; LANES]; length / LANES]);
        let mut scales = [0.0; AXES];
        for place in first..columns.len() / stride {
            let (own, behind) = columns.split_at_mut((place + 1) * stride);
            let column = &mut own[place * stride..][place..n_rows];
            let Some((diagonal, scale)) = axis(column) else {
                column.fill(0.0);
                continue;
            };
            for other in behind.chunks_exact_mut(stride) {
                reflect_one(column, scale, &mut other[place..n_rows]);
            }
            axes[place - first].as_flattened_mut()[place - top..n_rows - top]
                .copy_from_slice(column);
            scales[place - first] = scale;
            column.fill(0.0);
            column[0] = diagonal;
        }
        let factor = compact(&axes, &scales);
        Self { top, axes, factor }
    }
}

/// Replaces a column by the axis `v` of its reflection; the diagonal entry, and `2 / vᵀv`. None
/// if all entries are zero.
fn axis(column: &mut [f64]) -> Option<(f64, f64)> {
    let mut squares = long_dot(column, column);
    let mut exponent = 0;
    if squares < TINY {
        let largest = column.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        if !(largest > 0.0) {
            return None;
        }
        // The axis may have any length.
        exponent = libm::frexp(largest).1;
        for x in column.iter_mut() {
            *x = libm::ldexp(*x, -exponent);
        }
        squares = long_dot(column, column);
    }
    let diagonal = -squares.sqrt().copysign(column[0]);
    let half = squares - diagonal * column[0];
    column[0] -= diagonal;
    Some((libm::ldexp(diagonal, exponent), half.recip()))
}

/// `T` from the axes and the factors of their reflections.
fn compact(axes: &[Vec<[f64; LANES]>; AXES], scales: &[f64; AXES]) -> [[f64; AXES]; AXES] {
    let mut factor = [[0.0; AXES]; AXES];
    for j in 0..AXES {
        factor[j][j] = scales[j];
        let along: [f64; AXES] = std::array::from_fn(|i| {
            if i < j {
                long_dot(axes[i].as_flattened(), axes[j].as_flattened())
            } else {
                0.0
            }
        });
        for i in 0..j {
            let sum: f64 = (i..j).map(|k| factor[i][k] * along[k]).sum();
            factor[i][j] = -scales[j] * sum;
        }
    }
    factor
}

widely! {
    fn long_dot(a: &[f64], b: &[f64]) -> f64 = dot
}

widely! {
    fn reflect_one(axis: &[f64], scale: f64, column: &mut [f64]) -> () = reflected<FUSED>
}

#[expect(
    clippy::inline_always,
    reason = "it is compiled into its caller's instruction set"
)]
#[inline(always)]
fn reflected<const FUSED: bool>(axis: &[f64], scale: f64, column: &mut [f64]) {
    let factor = -scale * dot(axis, column);
    for (x, v) in column.iter_mut().zip(axis) {
        *x = fma::<FUSED>(factor, *v, *x);
    }
}

widely! {
    fn apply_to_three(block: &Block, columns: &mut [f64], stride: usize) -> () = apply_3<FUSED>
}

widely! {
    fn apply_to_one(block: &Block, columns: &mut [f64], stride: usize) -> () = apply_1<FUSED>
}

#[inline(always)]
fn apply_3<const FUSED: bool>(block: &Block, columns: &mut [f64], stride: usize) {
    apply::<FUSED, SIDE>(block, columns, stride);
}

#[inline(always)]
fn apply_1<const FUSED: bool>(block: &Block, columns: &mut [f64], stride: usize) {
    apply::<FUSED, 1>(block, columns, stride);
}

#[inline(always)]
fn apply<const FUSED: bool, const N: usize>(block: &Block, columns: &mut [f64], stride: usize) {
    let n = block.axes[0].len();
    let v: [&[[f64; LANES]]; AXES] = std::array::from_fn(|k| &block.axes[k][..n]);
    let mut rest = columns;
    let c: [&mut [[f64; LANES]]; N] = std::array::from_fn(|_| {
        let (column, others) = std::mem::take(&mut rest).split_at_mut(stride);
        rest = others;
        &mut column[block.top..].as_chunks_mut().0[..n]
    });
    let mut sums = [[[0.0; LANES]; N]; AXES];
    for i in 0..n {
        let x: [[f64; LANES]; N] = std::array::from_fn(|j| c[j][i]);
        for k in 0..AXES {
            for j in 0..N {
                sums[k][j] = multiply_add::<FUSED>(v[k][i], x[j], sums[k][j]);
            }
        }
    }
    // w = −Tᵀ Vᵀ c.
    let mut w = [[0.0; N]; AXES];
    for k in 0..AXES {
        for j in 0..N {
            for i in 0..=k {
                let [a, b, c, d] = sums[i][j];
                w[k][j] -= block.factor[i][k] * ((a + c) + (b + d));
            }
        }
    }
    for i in 0..n {
        for j in 0..N {
            let mut x = c[j][i];
            for k in 0..AXES {
                x = multiply_add::<FUSED>(v[k][i], [w[k][j]; LANES], x);
            }
            c[j][i] = x;
        }
    }
}

/// `a·b + c`, number by number. Written out, so that it becomes one instruction.
#[inline(always)]
fn multiply_add<const FUSED: bool>(
    a: [f64; LANES],
    b: [f64; LANES],
    c: [f64; LANES],
) -> [f64; LANES] {
    [
        fma::<FUSED>(a[0], b[0], c[0]),
        fma::<FUSED>(a[1], b[1], c[1]),
        fma::<FUSED>(a[2], b[2], c[2]),
        fma::<FUSED>(a[3], b[3], c[3]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(i: usize, j: usize) -> f64 {
        ((i * i * 7 + j * j * 13 + i * j * 3) % 101) as f64 / 50.0 - 1.0
    }

    #[test]
    fn the_triangle_has_the_products_of_the_columns() {
        for (n_rows, n_cols) in [(1, 1), (3, 5), (9, 4), (40, 21), (133, 37), (20, 50)] {
            let matrix = Matrix::from_fn(n_rows, n_cols, entry);
            let mut triangle = matrix.clone();
            triangularise(&mut triangle, n_rows);
            for j in 0..n_cols {
                assert!(triangle.col(j).iter().skip(j + 1).all(|x| x.abs() <= 0.0));
                for i in 0..=j {
                    let before = dot(matrix.col(i), matrix.col(j));
                    let after = dot(triangle.col(i), triangle.col(j));
                    let size = n_rows as f64;
                    assert!((before - after).abs() < 1e-14 * size, "{n_rows}×{n_cols}");
                }
            }
        }
    }

    #[test]
    fn zero_columns_and_tiny_ones_keep_their_lengths() {
        let scales = [1.0, 0.0, 1e-200, 1e-170, 1.0, 0.0];
        let matrix = Matrix::from_fn(30, 6, |i, j| scales[j] * entry(i, j));
        let mut triangle = matrix.clone();
        triangularise(&mut triangle, 30);
        for (j, scale) in scales.iter().enumerate() {
            let length = |m: &Matrix<f64>| {
                let sizes = m.col(j).iter().map(|x| (x / 1e-170).powi(2));
                sizes.sum::<f64>().sqrt() * 1e-170
            };
            let unit = scale.max(f64::MIN_POSITIVE);
            assert!(
                (length(&matrix) - length(&triangle)).abs() < 1e-13 * unit,
                "{j}"
            );
        }
    }
}
