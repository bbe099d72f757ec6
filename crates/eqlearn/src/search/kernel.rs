//! The hot loops, in the widest instructions that the machine has.
//!
//! Each loop exists once as plain code, which is the fallback and the oracle of the tests, and is compiled a second time for AVX2 with
//! fused multiply-add; which one runs is decided at run time. Their low bits differ, which is harmless: what they find is re-scored.
//!
//! # The pair test
//!
//! At a node with unit columns, correlations `c` with the unit residual target and correlations `a` among columns, the pair
//! `i, j` explains more than a share `G` of the residual if `c_i² + c_j² − 2 a c_i c_j > G (1 − a²)`. Scaling each column by `s = 1/c`
//! makes every correlation with the target 1, so with `b = s_i s_j a` and squared lengths `D` this is
//!
//! ```text
//! D_i + D_j + b (G b − 2) − G D_i D_j > 0
//! ```
//!
//! After a pivot `p` has been chosen, `a` is the node's `a_ij − a_pi a_pj`, which is formed on the way: with
//! `β = s_j a_ij − a_pi (s_j a_pj)`, `b = s_i β`. Five multiply-adds and a sum for four subsets, no division, nothing stored.

#![expect(
    unsafe_code,
    reason = "calling a function compiled for AVX2 after detecting it, and its vector loads"
)]

/// What the pair test needs to know of each column once a pivot is chosen; padded to whole vectors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pivoted {
    /// `1/c`: the scale that makes the correlation with the target 1.
    pub(crate) s: Vec<f64>,
    /// Correlation with the pivot.
    pub(crate) a: Vec<f64>,
    /// Correlation with the pivot, scaled: `s a`.
    pub(crate) alpha: Vec<f64>,
    /// Squared length in that scale.
    pub(crate) d: Vec<f64>,
    /// The same, lessened by the margin for rounding: for the term that counts against a pair.
    pub(crate) less: Vec<f64>,
}

impl Pivoted {
    pub(crate) fn resize(&mut self, len: usize) {
        let padded = len.next_multiple_of(LANES);
        for column in [
            &mut self.s,
            &mut self.a,
            &mut self.alpha,
            &mut self.d,
            &mut self.less,
        ] {
            column.resize(padded, 0.0);
        }
    }
}

/// Numbers per vector; rows are padded to a multiple of it.
pub(crate) const LANES: usize = 4;

/// A pair of columns that passed the test, larger first.
pub(crate) type Pair = (usize, usize);

/// Rotates two rows: `lower = c·carry − s·upper`, `carry = c·upper + s·carry`.
pub(crate) fn rotate(c: f64, s: f64, upper: &[f64], carry: &mut [f64], lower: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the instructions it is compiled for have just been detected.
        unsafe { avx2::rotate(c, s, upper, carry, lower) };
        return;
    }
    plain::rotate(c, s, upper, carry, lower);
}

/// Adds `x·from` to `to`.
pub(crate) fn add_scaled(x: f64, from: &[f64], to: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the instructions it is compiled for have just been detected.
        unsafe { avx2::add_scaled(x, from, to) };
        return;
    }
    plain::add_scaled(x, from, to);
}

/// Collects every pair `i > j` with `i` in `rows` that explains more than the share `need` of the residual.
///
/// Row `i` of `gram` starts at `i * stride`; `margin` is subtracted from `need` where the squared lengths multiply.
pub(crate) fn pairs(
    gram: &[f64],
    stride: usize,
    rows: std::ops::Range<usize>,
    pivoted: &Pivoted,
    (need, margin): (f64, f64),
    hits: &mut Vec<Pair>,
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        let padded = rows.end.next_multiple_of(LANES);
        assert!(
            padded <= stride
                && rows.end.saturating_sub(1) * stride + padded <= gram.len()
                && [
                    &pivoted.s,
                    &pivoted.a,
                    &pivoted.alpha,
                    &pivoted.d,
                    &pivoted.less
                ]
                .iter()
                .all(|column| padded <= column.len()),
            "rows are padded to whole vectors"
        );
        // SAFETY: the instructions have been detected, and the assertion is what the function asks for.
        unsafe { avx2::pairs(gram, stride, rows, pivoted, (need, margin), hits) };
        return;
    }
    plain::pairs(gram, stride, rows, pivoted, (need, margin), hits);
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

pub(crate) mod plain {
    use super::{Pair, Pivoted};

    #[inline(always)]
    pub(crate) fn rotate(c: f64, s: f64, upper: &[f64], carry: &mut [f64], lower: &mut [f64]) {
        for ((u, y), l) in upper.iter().zip(carry).zip(lower) {
            *l = c * *y - s * u;
            *y = c * u + s * *y;
        }
    }

    #[inline(always)]
    pub(crate) fn add_scaled(x: f64, from: &[f64], to: &mut [f64]) {
        for (t, f) in to.iter_mut().zip(from) {
            *t += x * f;
        }
    }

    pub(crate) fn pairs(
        gram: &[f64],
        stride: usize,
        rows: std::ops::Range<usize>,
        pivoted: &Pivoted,
        (need, margin): (f64, f64),
        hits: &mut Vec<Pair>,
    ) {
        for i in rows {
            let (s_i, d_i) = (pivoted.s[i], pivoted.d[i]);
            let (g1, g2) = (need * s_i * s_i, 2.0 * s_i);
            let against = (need - margin) * pivoted.less[i];
            for (j, a) in gram[i * stride..i * stride + i].iter().enumerate() {
                let beta = pivoted.s[j] * a - pivoted.a[i] * pivoted.alpha[j];
                let f = beta * (g1 * beta - g2) + (pivoted.d[j] + d_i - against * pivoted.less[j]);
                if f > 0.0 {
                    hits.push((i, j));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{LANES, Pair, Pivoted};
    use std::arch::x86_64::{
        __m256d, _CMP_GT_OQ, _mm256_add_pd, _mm256_blendv_pd, _mm256_cmp_pd, _mm256_fmadd_pd,
        _mm256_fmsub_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_max_pd, _mm256_movemask_pd,
        _mm256_mul_pd, _mm256_set1_pd, _mm256_setzero_pd,
    };

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn rotate(c: f64, s: f64, upper: &[f64], carry: &mut [f64], lower: &mut [f64]) {
        for ((u, y), l) in upper.iter().zip(carry).zip(lower) {
            *l = c.mul_add(*y, -(s * u));
            *y = s.mul_add(*y, c * u);
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn add_scaled(x: f64, from: &[f64], to: &mut [f64]) {
        for (t, f) in to.iter_mut().zip(from) {
            *t = x.mul_add(*f, *t);
        }
    }

    /// All-ones in the lanes below the remainder.
    const MASKS: [[f64; LANES]; LANES] = {
        let on = -1.0;
        let off = 0.0;
        [
            [on, on, on, on],
            [on, off, off, off],
            [on, on, off, off],
            [on, on, on, off],
        ]
    };

    /// Safety: the columns of `pivoted`, and each of `rows` in `gram`, are readable up to the next
    /// multiple of four beyond `rows.end`.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn pairs(
        gram: &[f64],
        stride: usize,
        rows: std::ops::Range<usize>,
        pivoted: &Pivoted,
        (need, margin): (f64, f64),
        hits: &mut Vec<Pair>,
    ) {
        let zero = _mm256_setzero_pd();
        for i in rows {
            if i == 0 {
                continue;
            }
            let (s_i, d_i) = (pivoted.s[i], pivoted.d[i]);
            let row = Row {
                a: _mm256_set1_pd(pivoted.a[i]),
                g1: _mm256_set1_pd(need * s_i * s_i),
                g2: _mm256_set1_pd(2.0 * s_i),
                against: _mm256_set1_pd((need - margin) * pivoted.less[i]),
                d: _mm256_set1_pd(d_i),
            };
            let line = gram.as_ptr().wrapping_add(i * stride);
            let last = (i - 1) / LANES * LANES;
            let mut best = zero;
            let mut j = 0;
            while j < last {
                // SAFETY: j + 4 is at most i rounded up, which the caller vouches for.
                best = _mm256_max_pd(best, unsafe { row.test(line, pivoted, j) });
                j += LANES;
            }
            // SAFETY: as above; and the mask is a whole vector.
            let (f, mask) = unsafe {
                (
                    row.test(line, pivoted, last),
                    _mm256_loadu_pd(MASKS[i % LANES].as_ptr()),
                )
            };
            best = _mm256_max_pd(best, _mm256_blendv_pd(zero, f, mask));
            if _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(best, zero)) != 0 {
                let mut j = 0;
                while j < i {
                    // SAFETY: as above.
                    let f = unsafe { row.test(line, pivoted, j) };
                    let mut lanes = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(f, zero));
                    while lanes != 0 {
                        let hit = j + lanes.trailing_zeros() as usize;
                        if hit < i {
                            hits.push((i, hit));
                        }
                        lanes &= lanes - 1;
                    }
                    j += LANES;
                }
            }
        }
    }

    struct Row {
        a: __m256d,
        g1: __m256d,
        g2: __m256d,
        against: __m256d,
        d: __m256d,
    }

    impl Row {
        /// Safety: four numbers from `j` on are readable in the line and in the columns of `pivoted`.
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        unsafe fn test(&self, line: *const f64, pivoted: &Pivoted, j: usize) -> __m256d {
            // SAFETY: what this function asks of its caller.
            let (a, s, alpha, d, less) = unsafe {
                (
                    _mm256_loadu_pd(line.add(j)),
                    _mm256_loadu_pd(pivoted.s.as_ptr().add(j)),
                    _mm256_loadu_pd(pivoted.alpha.as_ptr().add(j)),
                    _mm256_loadu_pd(pivoted.d.as_ptr().add(j)),
                    _mm256_loadu_pd(pivoted.less.as_ptr().add(j)),
                )
            };
            let beta = _mm256_fnmadd_pd(self.a, alpha, _mm256_mul_pd(s, a));
            let q = _mm256_fmsub_pd(self.g1, beta, self.g2);
            let t = _mm256_fnmadd_pd(less, self.against, _mm256_add_pd(d, self.d));
            _mm256_fmadd_pd(beta, q, t)
        }
    }
}
