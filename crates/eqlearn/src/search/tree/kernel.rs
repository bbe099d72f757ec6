//! The hot loops, in the widest vector instructions that the machine has.
//!
//! Each loop exists once as plain code (`plain`), which is the fallback and the oracle of the
//! tests, and is compiled a second time for AVX2 with fused multiply-add; the two innermost are
//! written out for AVX2 by hand (`avx2`). Which one runs is decided at run time. Their results
//! differ in the last bits, which is harmless: what they find is scored again.
//!
//! # The pair test
//!
//! At a node with unit columns, correlations `C` among columns and `c` with the unit residual
//! target, a subset explains more than a fraction `G` of the residual if `cᵀC⁻¹c > G`, that is, if
//! `M = C − ccᵀ/G` is not positive definite on it. So the target is eliminated once for all, and a
//! subset passes if its Cholesky factorisation breaks down. With `p` chosen, `q = m_p/√m_pp` and
//! the remaining diagonal `t = m − q²`, the pair `i, j` passes if
//!
//! ```text
//! (m_ij − q_i q_j)² ≥ t_i t_j
//! ```
//!
//! Two multiply-adds, a product and a maximum for four subsets, no division, nothing stored.

#![expect(
    unsafe_code,
    reason = "loops written out for AVX2, called after detecting it"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;

use std::ops::Range;

pub(crate) use crate::numeric::vector::BLOCK;
use crate::numeric::vector::{has_avx2, widely};

/// Numbers per vector.
pub(crate) const LANES: usize = 4;

/// A pair of columns that passed the test, larger first.
pub(crate) type Pair = (usize, usize);

/// The data of each column for the pair test once a pivot is chosen; padded to whole vectors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pivoted {
    /// Its entry in the pivot's row of the factor.
    pub(crate) q: Vec<f64>,
    /// Its remaining diagonal; zero if it passes with every other.
    pub(crate) t: Vec<f64>,
}

impl Pivoted {
    pub(crate) fn resize(&mut self, len: usize) {
        let padded = len.next_multiple_of(BLOCK);
        self.q.resize(padded, 0.0);
        self.t.resize(padded, 0.0);
    }
}

/// What turns products of columns into the matrix of the pair test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaled<'a> {
    /// Inverse lengths.
    pub(crate) scale: &'a [f64],
    /// Correlations with the target, divided by the square root of the fraction to explain.
    pub(crate) gamma: &'a [f64],
}

/// An upper triangle, the target in the same coordinates, and the target's squared length below
/// each row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upper<'a> {
    pub(crate) rows: &'a [f64],
    pub(crate) stride: usize,
    pub(crate) z: &'a [f64],
    pub(crate) tail: &'a [f64],
}

/// Which columns are excluded by bounds once two are chosen, for each second one; owns the scratch
/// space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Closing {
    /// Products of the second column below a row: with the first, with itself, with the target.
    with_first: Vec<f64>,
    squared: Vec<f64>,
    with_target: Vec<f64>,
    /// How many columns are excluded; small whole numbers.
    closed: Vec<f64>,
}

impl Closing {
    /// For how many second columns nothing is excluded.
    pub(crate) fn none(&mut self, second: usize) {
        self.closed.clear();
        self.closed.resize(second, 0.0);
    }

    /// How many columns are excluded for one of the second columns.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "they are small whole numbers, in vectors beside others"
    )]
    pub(crate) fn closed(&self, second: usize) -> usize {
        self.closed[second] as usize
    }
}

/// Which loops run here: others give results that differ in the last bits.
pub(crate) fn arithmetic() -> &'static str {
    if has_avx2() { "avx2" } else { "plain" }
}

widely! {
    /// Rotates two rows: `lower = c·carry − s·upper`, `carry = c·upper + s·carry`.
    pub(crate) fn rotate(c: f64, s: f64, upper: &[f64], carry: &mut [f64], lower: &mut [f64])
        = plain::rotate<FUSED>
}

widely! {
    /// Adds `x·from` to `to`.
    pub(crate) fn add_scaled(x: f64, from: &[f64], to: &mut [f64])
        = plain::add_scaled<FUSED>
}

widely! {
    /// Adds `z·row` to `c` and the squares of `row` to `squares`, for each row of an upper
    /// triangle.
    pub(crate) fn measure(
        rows: &[f64],
        stride: usize,
        z: &[f64],
        c: &mut [f64],
        squares: &mut [f64],
    ) = plain::measure<FUSED>
}

widely! {
    /// The matrix once a pivot is chosen: `m_ij − q_i q_j` for `j < i < n`.
    pub(crate) fn eliminate(
        matrix: &[f64],
        stride: usize,
        n: usize,
        q: &[f64],
        into: (&mut [f64], usize),
    ) = plain::eliminate<FUSED>
}

widely! {
    /// Chooses a pivot, given its line of the matrix in whole vectors and the inverse root of its
    /// diagonal; says whether the remaining diagonal of some column is at most `floor`.
    pub(crate) fn prepare(
        line: &[f64],
        inverse: f64,
        diagonal: &[f64],
        floor: f64,
        into: &mut Pivoted,
    ) -> bool = plain::prepare<FUSED>
}

widely! {
    /// How many columns are excluded once `u` and each of those in `second` are chosen: all of them
    /// together with the two have a residual above the limit for that second column.
    ///
    /// Rows `r..` are the other columns and the target with columns `0..r` projected out. So sums
    /// over these rows tell what the two explain.
    pub(crate) fn close(
        upper: Upper<'_>,
        u: usize,
        second: Range<usize>,
        limits: &[f64],
        into: &mut Closing,
    ) = plain::close<FUSED>
}

/// The matrix of the pair test for columns `i` in `which` with columns `0..i` of an upper triangle;
/// NaN from `i` on to the end of the block.
///
/// The triangle's rows, and the lines of the result, are `stride` apart, which is a multiple of
/// [`BLOCK`].
pub(crate) fn correlate(
    rows: &[f64],
    stride: usize,
    n_rows: usize,
    which: Range<usize>,
    columns: Scaled<'_>,
    into: &mut [f64],
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        assert!(
            stride.is_multiple_of(BLOCK)
                && n_rows * stride <= rows.len()
                && which.end <= stride
                && which.end * stride <= into.len()
                && stride <= columns.scale.len()
                && stride <= columns.gamma.len(),
            "rows are padded to whole blocks"
        );
        // SAFETY: the instructions have been detected, and the assertion is the function's
        // requirement.
        unsafe { avx2::correlate(rows, stride, n_rows, which, columns, into) };
        return;
    }
    plain::correlate(rows, stride, n_rows, which, columns, into);
}

/// Collects every pair `i > j` with `i` in `rows` that passes the test.
///
/// Row `i` of `matrix` starts at `i * stride`, and is NaN from `i` on to the end of the block.
pub(crate) fn pairs(
    matrix: &[f64],
    stride: usize,
    rows: Range<usize>,
    pivoted: &Pivoted,
    hits: &mut Vec<Pair>,
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        let padded = rows.end.next_multiple_of(LANES);
        assert!(
            padded <= stride
                && rows.end.saturating_sub(1) * stride + padded <= matrix.len()
                && padded <= pivoted.q.len()
                && padded <= pivoted.t.len(),
            "rows are padded to whole vectors"
        );
        // SAFETY: the instructions have been detected, and the assertion is the function's
        // requirement.
        if !unsafe { avx2::any_pair(matrix, stride, rows.clone(), pivoted) } {
            return;
        }
    }
    plain::pairs(matrix, stride, rows, pivoted, hits);
}

#[cfg(test)]
mod tests {
    use super::{
        BLOCK, Closing, LANES, Pivoted, Scaled, Upper, close as close_after, correlate, pairs,
        plain, prepare,
    };
    use crate::search::numbers::numbers as random;

    fn numbers(seed: u64, count: usize) -> Vec<f64> {
        random(seed).take(count).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-11 * (1.0 + b.abs())
    }

    #[test]
    fn what_is_closed_is_what_the_plain_loop_closes() {
        let (mut one, mut two) = (Closing::default(), Closing::default());
        for k in 4..40_usize {
            let stride = k.next_multiple_of(BLOCK);
            let n_rows = k.min(1 + k * 7 % 23);
            let (rows, z) = (numbers(k as u64, n_rows * stride), numbers(97, n_rows));
            let below = |r: usize| 0.1 + z[r..].iter().map(|z| z * z).sum::<f64>();
            let tail: Vec<f64> = (0..=n_rows).map(below).collect();
            let upper = Upper {
                rows: &rows,
                stride,
                z: &z,
                tail: &tail,
            };
            for lowest in [1, k / 2] {
                let limits = vec![0.3 * tail[0]; k - 1 - lowest];
                close_after(upper, k - 1, lowest..k - 1, &limits, &mut one);
                plain::close::<false>(upper, k - 1, lowest..k - 1, &limits, &mut two);
                assert_eq!(one.closed, two.closed, "{k} {lowest}");
            }
        }
    }

    #[test]
    fn the_loops_agree_with_their_plain_versions_for_every_length() {
        for k in 1..50_usize {
            let stride = k.next_multiple_of(BLOCK);
            let n_rows = k.min(1 + k * 7 % 23);
            let mut rows = numbers(k as u64, n_rows * stride);
            for r in 0..n_rows {
                rows[r * stride..r * stride + r].fill(0.0);
            }
            let (scale, gamma) = (numbers(99, stride), numbers(98, stride));
            let columns = Scaled {
                scale: &scale,
                gamma: &gamma,
            };
            let (mut wide, mut narrow) = (vec![0.0; k * stride], vec![0.0; k * stride]);
            correlate(&rows, stride, n_rows, 0..k, columns, &mut wide);
            plain::correlate(&rows, stride, n_rows, 0..k, columns, &mut narrow);
            for i in 0..k {
                let line = i * stride..i * stride + i.next_multiple_of(BLOCK);
                let both = wide[line.clone()].iter().zip(&narrow[line]);
                assert!(both.into_iter().all(|(a, b)| close(*a, *b)), "{k} {i}");
            }
            let (mut one, mut two) = (Pivoted::default(), Pivoted::default());
            one.resize(k);
            two.resize(k);
            let line = &numbers(8, stride)[..k.next_multiple_of(LANES)];
            for level in [0.01, 0.5, 1.0, 4.0, 9.0] {
                let diagonal: Vec<f64> =
                    numbers(7, stride).iter().map(|x| level + 0.1 * x).collect();
                let low = prepare(line, 0.9, &diagonal, 1e-3, &mut one);
                let plainly = plain::prepare::<false>(line, 0.9, &diagonal, 1e-3, &mut two);
                assert_eq!(low, plainly);
                assert!(one.q.iter().zip(&two.q).all(|(a, b)| close(*a, *b)));
                assert!(one.t.iter().zip(&two.t).all(|(a, b)| close(*a, *b)));
                for first in [0, k / 2] {
                    let (mut found, mut wanted) = (Vec::new(), Vec::new());
                    pairs(&wide, stride, first..k, &one, &mut found);
                    plain::pairs(&wide, stride, first..k, &two, &mut wanted);
                    assert_eq!(found, wanted, "{k} {level}");
                }
            }
        }
    }
}
