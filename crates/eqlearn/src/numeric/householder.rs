//! Householder reflections, for QR factorisations.
//!
//! The reflection along `v` maps a column to a multiple of the first axis:
//!
//! ```text
//! v = x ± |x| e,   c ← c − v (2 vᵀc / vᵀv)
//! ```
//!
//! The sign is that of the first entry, to avoid cancellation. The caller decides which columns are
//! reflected, and from which row on: this is where factorisations differ.
//!
//! Golub and Van Loan, Matrix Computations, chapter 5.

use std::ops::Range;

use crate::numeric::vector::{BLOCK, add, dot, fma, widely};

/// A number type in which columns can be reflected.
pub(crate) trait Scalar: Copy {
    /// Replaces a column by the vector `v` of the reflection that maps it to `(diagonal, 0, …)`.
    ///
    /// None if the column's length is at most `tolerance`; its entries are then undefined.
    fn axis(column: &mut [Self], tolerance: f64) -> Option<Reflection<Self>>;

    /// Reflects a column along an axis.
    fn turn(axis: &[Self], reflection: Reflection<Self>, column: &mut [Self]);
}

/// A reflection: the diagonal entry of its own column, and the factor to apply it to others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reflection<T> {
    /// The only entry of the reflected column that is not zero.
    pub(crate) diagonal: T,
    /// Half the squared length of `v`, or its inverse: whatever [`Scalar::turn`] needs.
    pub(crate) tau: T,
}

impl Scalar for f64 {
    fn axis(column: &mut [Self], tolerance: f64) -> Option<Reflection<Self>> {
        let length = dot(column, column).sqrt();
        if length <= tolerance {
            return None;
        }
        let diagonal = -length.copysign(column[0]);
        column[0] -= diagonal;
        let tau = 0.5 * dot(column, column);
        Some(Reflection { diagonal, tau })
    }

    fn turn(axis: &[Self], reflection: Reflection<Self>, column: &mut [Self]) {
        add(column, -dot(axis, column) / reflection.tau, axis);
    }
}

/// Reflects column `place`, of columns `stride` apart, onto the axis of the first of these rows,
/// and all columns behind it with it.
///
/// Afterwards the column holds `v` below its diagonal. If the column's length in these rows is at
/// most `tolerance`, this returns false and leaves the columns behind it as they are.
pub(crate) fn reflect<T: Scalar>(
    columns: &mut [T],
    stride: usize,
    place: usize,
    rows: Range<usize>,
    tolerance: f64,
) -> bool {
    let (done, behind) = columns.split_at_mut((place + 1) * stride);
    let axis = &mut done[place * stride..][rows.clone()];
    let Some(reflection) = T::axis(axis, tolerance) else {
        return false;
    };
    #[cfg(test)]
    tests::TURNED.set(tests::TURNED.get() + behind.len() / stride);
    for column in behind.chunks_exact_mut(stride) {
        T::turn(axis, reflection, &mut column[rows.clone()]);
    }
    axis[0] = reflection.diagonal;
    true
}

widely! {
    /// Reflects the columns from `first` on, of rows `stride` (a multiple of the block) apart; `v`
    /// has an entry for each row.
    ///
    /// Columns from the start of the block with `first` are worked on: those before `first` must
    /// be zero in these rows.
    pub(crate) fn reflect_rows(
        rows: &mut [f64],
        stride: usize,
        first: usize,
        axis: &[f64],
        reflection: Reflection<f64>,
    ) = by_rows<FUSED>
}

// Always inlined: it is compiled into its caller's instruction set.
#[inline(always)]
fn by_rows<const FUSED: bool>(
    rows: &mut [f64],
    stride: usize,
    first: usize,
    axis: &[f64],
    reflection: Reflection<f64>,
) {
    const PANEL: usize = 4 * BLOCK;
    let scale = -1.0 / reflection.tau;
    let mut start = first / BLOCK * BLOCK;
    while start + PANEL <= stride {
        reflect_panel::<FUSED, PANEL>(rows, stride, start, axis, scale);
        start += PANEL;
    }
    while start < stride {
        reflect_panel::<FUSED, BLOCK>(rows, stride, start, axis, scale);
        start += BLOCK;
    }
}

/// The sums of a panel stay in registers, and its numbers in the cache, for both passes.
#[expect(
    clippy::inline_always,
    reason = "it is compiled into its caller's instruction set"
)]
#[inline(always)]
fn reflect_panel<const FUSED: bool, const WIDTH: usize>(
    rows: &mut [f64],
    stride: usize,
    start: usize,
    axis: &[f64],
    scale: f64,
) {
    let mut sums = [0.0; WIDTH];
    for (row, x) in rows.chunks_exact(stride).zip(axis) {
        let (panel, _) = row[start..].as_chunks::<WIDTH>();
        for l in 0..WIDTH {
            sums[l] = fma::<FUSED>(*x, panel[0][l], sums[l]);
        }
    }
    for sum in &mut sums {
        *sum *= scale;
    }
    for (row, x) in rows.chunks_exact_mut(stride).zip(axis) {
        let (panel, _) = row[start..].as_chunks_mut::<WIDTH>();
        for l in 0..WIDTH {
            panel[0][l] = fma::<FUSED>(*x, sums[l], panel[0][l]);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::{Scalar, reflect, reflect_rows};

    thread_local! {
        /// How many columns this thread has reflected: the work of a factorisation.
        pub(crate) static TURNED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn a_reflection_keeps_lengths_and_leaves_one_entry_of_its_column() {
        let mut columns = [3.0, 4.0, 0.0, 1.0, 2.0, 2.0];
        assert!(reflect(&mut columns, 3, 0, 0..3, 0.0));
        assert!((columns[0] + 5.0).abs() < 1e-15);
        let other = &columns[3..];
        // (3 + 8) / −5 along the first axis, 3 in all.
        assert!((other[0] + 2.2).abs() < 1e-15);
        assert!((other.iter().map(|v| v * v).sum::<f64>() - 9.0).abs() < 1e-14);
    }

    #[test]
    fn a_column_within_the_tolerance_turns_nothing() {
        let before = [1.0, 0.3, 0.4, 1.0, 2.0, 2.0];
        let mut columns = before;
        assert!(!reflect(&mut columns, 3, 0, 1..3, 0.6));
        assert_eq!(columns[3..], before[3..]);
    }

    #[test]
    fn rows_are_turned_as_columns_are() {
        for (height, width) in [(3, 5), (9, 40), (20, 75)] {
            let stride = usize::next_multiple_of(width, super::BLOCK);
            let entry = |i: usize, j: usize| ((7 * i + 3 * j * j) % 11) as f64 - 5.0;
            let mut columns: Vec<f64> = (0..width)
                .flat_map(|j| (0..height).map(move |i| entry(i, j)))
                .collect();
            let mut rows = vec![0.0; height * stride];
            for (i, row) in rows.chunks_exact_mut(stride).enumerate() {
                for (j, x) in row[..width].iter_mut().enumerate() {
                    *x = entry(i, j);
                }
            }
            let mut axis = columns[..height].to_vec();
            let reflection = f64::axis(&mut axis, 0.0).expect("it has a length");
            reflect_rows(&mut rows, stride, 0, &axis, reflection);
            assert!(reflect(&mut columns, height, 0, 0..height, 0.0));
            for (j, column) in columns.chunks_exact(height).enumerate().skip(1) {
                for (i, x) in column.iter().enumerate() {
                    assert!((x - rows[i * stride + j]).abs() < 1e-13, "{i} {j}");
                }
            }
        }
    }
}
