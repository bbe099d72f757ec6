//! The two innermost loops, written out for AVX2 with fused multiply-add.

use std::arch::x86_64::{
    __m256d, _CMP_GE_OQ, _mm256_broadcast_sd, _mm256_cmp_pd, _mm256_fmadd_pd, _mm256_fmsub_pd,
    _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_max_pd, _mm256_movemask_pd, _mm256_mul_pd,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
};
use std::ops::Range;

use super::{BLOCK, LANES, Pivoted, Scaled};

/// Four lines at a time, so that sums do not wait for each other.
///
/// Safety: `stride` is a multiple of the block, `rows` has `n_rows` of them, `which` ends within
/// one, `into` has a line for each of `which`, and `columns` are as long as a line.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn correlate(
    rows: &[f64],
    stride: usize,
    n_rows: usize,
    which: Range<usize>,
    columns: Scaled<'_>,
    into: &mut [f64],
) {
    let Scaled { scale, gamma } = columns;
    let mut i = which.start;
    while i < which.end {
        let lines = (which.end - i).min(4);
        let place: [usize; 4] = std::array::from_fn(|l| (i + l).min(which.end - 1));
        let mut start = 0;
        while start < i + lines {
            let mut low = [_mm256_setzero_pd(); 4];
            let mut high = [_mm256_setzero_pd(); 4];
            let mut row = rows.as_ptr();
            for _ in 0..n_rows.min(start + BLOCK) {
                // SAFETY: a whole block from `start` and each of `place` lie within the row, and
                // there are `n_rows`.
                unsafe {
                    let b0 = _mm256_loadu_pd(row.add(start));
                    let b1 = _mm256_loadu_pd(row.add(start + LANES));
                    for l in 0..4 {
                        let x = _mm256_broadcast_sd(&*row.add(place[l]));
                        low[l] = _mm256_fmadd_pd(x, b0, low[l]);
                        high[l] = _mm256_fmadd_pd(x, b1, high[l]);
                    }
                    row = row.add(stride);
                }
            }
            for l in 0..lines {
                let own = i + l;
                let out = &mut into[own * stride + start..][..BLOCK];
                let by = _mm256_broadcast_sd(&scale[own]);
                let explains = _mm256_broadcast_sd(&gamma[own]);
                // SAFETY: both are whole blocks.
                unsafe {
                    let s0 = _mm256_loadu_pd(scale.as_ptr().add(start));
                    let s1 = _mm256_loadu_pd(scale.as_ptr().add(start + LANES));
                    let g0 = _mm256_loadu_pd(gamma.as_ptr().add(start));
                    let g1 = _mm256_loadu_pd(gamma.as_ptr().add(start + LANES));
                    let low = _mm256_mul_pd(_mm256_mul_pd(by, s0), low[l]);
                    let high = _mm256_mul_pd(_mm256_mul_pd(by, s1), high[l]);
                    let low = _mm256_fnmadd_pd(explains, g0, low);
                    let high = _mm256_fnmadd_pd(explains, g1, high);
                    _mm256_storeu_pd(out.as_mut_ptr(), low);
                    _mm256_storeu_pd(out.as_mut_ptr().add(LANES), high);
                }
                if own < start + BLOCK {
                    out[own.saturating_sub(start)..].fill(f64::NAN);
                }
            }
            start += BLOCK;
        }
        i += lines;
    }
}

/// Whether any pair passes the test; lanes from the diagonal on are NaN, which the maximum skips.
///
/// Safety: the columns of `pivoted`, and each of `rows` in `matrix`, are readable up to the next
/// multiple of four beyond `rows.end`.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn any_pair(
    matrix: &[f64],
    stride: usize,
    rows: Range<usize>,
    pivoted: &Pivoted,
) -> bool {
    let zero = _mm256_setzero_pd();
    let (mut left_best, mut right_best) = (_mm256_set1_pd(-1.0), _mm256_set1_pd(-1.0));
    // Eight columns stay in registers while all rows pass by: long loops, few of them.
    let mut j = 0;
    while j + 1 < rows.end {
        // SAFETY: the columns reach to the next multiple of four beyond `rows.end`, and so do the
        // lines; where only the left four exist, the right four are not read.
        unsafe {
            let left = Columns::new(pivoted, j);
            let middle = (j + LANES + 1).min(rows.end);
            for i in rows.start.max(j + 1)..middle {
                let m = _mm256_loadu_pd(matrix.as_ptr().add(i * stride + j));
                let f = Row::new(pivoted, i).test(&left, m);
                left_best = _mm256_max_pd(f, left_best);
            }
            if middle < rows.end {
                let right = Columns::new(pivoted, j + LANES);
                for i in rows.start.max(middle)..rows.end {
                    let line = matrix.as_ptr().add(i * stride + j);
                    let row = Row::new(pivoted, i);
                    let f = row.test(&left, _mm256_loadu_pd(line));
                    left_best = _mm256_max_pd(f, left_best);
                    let f = row.test(&right, _mm256_loadu_pd(line.add(LANES)));
                    right_best = _mm256_max_pd(f, right_best);
                }
            }
        }
        j += BLOCK;
    }
    let best = _mm256_max_pd(left_best, right_best);
    _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GE_OQ>(best, zero)) != 0
}

struct Columns {
    q: __m256d,
    t: __m256d,
}

impl Columns {
    /// Safety: both columns of `pivoted` hold four numbers from `j` on.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    unsafe fn new(pivoted: &Pivoted, j: usize) -> Self {
        // SAFETY: required of the caller.
        unsafe {
            Self {
                q: _mm256_loadu_pd(pivoted.q.as_ptr().add(j)),
                t: _mm256_loadu_pd(pivoted.t.as_ptr().add(j)),
            }
        }
    }
}

struct Row {
    q: __m256d,
    t: __m256d,
}

impl Row {
    /// Safety: both columns of `pivoted` hold `i`.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    unsafe fn new(pivoted: &Pivoted, i: usize) -> Self {
        // SAFETY: required of the caller.
        unsafe {
            Self {
                q: _mm256_broadcast_sd(pivoted.q.get_unchecked(i)),
                t: _mm256_broadcast_sd(pivoted.t.get_unchecked(i)),
            }
        }
    }

    /// Not negative where the pair passes.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn test(&self, columns: &Columns, m: __m256d) -> __m256d {
        let x = _mm256_fnmadd_pd(self.q, columns.q, m);
        _mm256_fmsub_pd(x, x, _mm256_mul_pd(self.t, columns.t))
    }
}
