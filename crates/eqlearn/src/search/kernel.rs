//! The hot loops, in the widest instructions that the machine has.
//!
//! Each loop exists once as plain code, which is the fallback and the oracle of the tests, and is compiled a second time for AVX2 with
//! fused multiply-add; the innermost is written out for AVX2 by hand. Which one runs is decided at run time. Their low bits differ, which
//! is harmless: what they find is re-scored.
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
//! `β = 2 s_j a_ij − a_pi (2 s_j a_pj)`, `b = s_i β/2` and `b (G b − 2) = β (G s_i²/4 β − s_i)`. Five multiply-adds and a sum for four
//! subsets, no division, nothing stored.

#![expect(
    unsafe_code,
    reason = "calling a function compiled for AVX2 after detecting it, and its vector loads"
)]

use std::ops::Range;

/// Numbers per vector.
pub(crate) const LANES: usize = 4;

/// Rows are padded to a multiple of this many numbers.
pub(crate) const BLOCK: usize = 8;

/// A pair of columns that passed the test, larger first.
pub(crate) type Pair = (usize, usize);

/// What the pair test needs to know of each column once a pivot is chosen; padded to whole vectors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pivoted {
    /// `1/c`: the scale that makes the correlation with the target 1.
    pub(crate) s: Vec<f64>,
    /// Squared length in that scale.
    pub(crate) d: Vec<f64>,
    /// The same, lessened by the margin for rounding: for the term that counts against a pair.
    pub(crate) less: Vec<f64>,
    /// `G s²/4`: what a column brings to its row.
    pub(crate) square: Vec<f64>,
    /// `−G`, with the margin taken from `G`.
    pub(crate) against: f64,
}

impl Pivoted {
    pub(crate) fn resize(&mut self, len: usize) {
        let padded = len.next_multiple_of(BLOCK);
        for column in [&mut self.s, &mut self.d, &mut self.less, &mut self.square] {
            column.resize(padded, 0.0);
        }
    }

    fn holds(&self, len: usize) -> bool {
        let columns = [&self.s, &self.d, &self.less, &self.square];
        columns.iter().all(|column| len <= column.len())
    }
}

/// What a pair has to explain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Need {
    /// The share `G` of the residual.
    pub(crate) share: f64,
    /// Rounding of a correlation between unit columns.
    pub(crate) margin: f64,
    /// Squared lengths below this want a second look.
    pub(crate) close: f64,
}

/// Columns as the preparation of the pair test sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidates<'a> {
    /// Correlations with the pivot.
    pub(crate) a: &'a [f64],
    /// Correlations with the target.
    pub(crate) c: &'a [f64],
    /// What rounding has cost the column so far, relative.
    pub(crate) lost: &'a [f64],
    /// Correlation of the pivot with the target.
    pub(crate) pivot: f64,
}

macro_rules! dispatch {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    plain::$name::<true>($($arg),*)
                }
                if has_avx2() {
                    // SAFETY: the instructions it is compiled for have just been detected.
                    return unsafe { wide($($arg),*) };
                }
            }
            plain::$name::<false>($($arg),*)
        }
    };
}

dispatch! {
    /// Rotates two rows: `lower = c·carry − s·upper`, `carry = c·upper + s·carry`.
    fn rotate(c: f64, s: f64, upper: &[f64], carry: &mut [f64], lower: &mut [f64])
}

dispatch! {
    /// Adds `x·from` to `to`.
    fn add_scaled(x: f64, from: &[f64], to: &mut [f64])
}

dispatch! {
    /// Reflects `to` along `pivot`, and gives its product with `target` from the second entry on.
    fn reflect(scale: f64, pivot: &[f64], to: &mut [f64], target: &[f64]) -> f64
}

dispatch! {
    /// Adds `z·row` to `c` and the squares of `row` to `squares`, for each row of an upper triangle.
    fn measure(rows: &[f64], stride: usize, z: &[f64], c: &mut [f64], squares: &mut [f64])
}

dispatch! {
    /// Correlations once a pivot is chosen, in units of what it leaves: `r_i r_j (a_ij − a_pi a_pj)` for `j < i < n`.
    fn eliminate(gram: &[f64], stride: usize, n: usize, pivot: (&[f64], &[f64]), into: (&mut [f64], usize))
}

/// Correlations of columns `i` in `which` with columns `0..i` of an upper triangle, scaled; not a number from `i` on to the end of the block.
///
/// The triangle's rows, and the lines of the result, are `stride` apart, which is a multiple of [`BLOCK`].
pub(crate) fn correlate(
    rows: &[f64],
    stride: usize,
    n_rows: usize,
    which: Range<usize>,
    scale: &[f64],
    into: &mut [f64],
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        assert!(
            stride.is_multiple_of(BLOCK)
                && n_rows * stride <= rows.len()
                && which.end <= stride
                && which.end * stride <= into.len()
                && stride <= scale.len(),
            "rows are padded to whole blocks"
        );
        // SAFETY: the instructions have been detected, and the assertion is what the function asks for.
        unsafe { avx2::correlate(rows, stride, n_rows, which, scale, into) };
        return;
    }
    plain::correlate(rows, stride, n_rows, which, scale, into);
}

/// Prepares the pair test; says whether some column wants a second look. Columns come in whole vectors.
pub(crate) fn prepare(candidates: Candidates<'_>, need: Need, pivoted: &mut Pivoted) -> bool {
    let n = candidates.a.len();
    assert!(
        n.is_multiple_of(LANES)
            && n <= candidates.c.len()
            && n <= candidates.lost.len()
            && pivoted.holds(n),
        "columns are padded to whole vectors"
    );
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the instructions have been detected, and the assertion is what the function asks for.
        return unsafe { avx2::prepare(candidates, need, pivoted) };
    }
    plain::prepare(candidates, need, pivoted)
}

/// Collects every pair `i > j` with `i` in `rows` that passes the test.
///
/// Row `i` of `gram` starts at `i * stride`, and is not a number from `i` on to the end of the block. `with_pivot` are the
/// correlations with the pivot.
pub(crate) fn pairs(
    gram: &[f64],
    stride: usize,
    rows: Range<usize>,
    with_pivot: &[f64],
    pivoted: &Pivoted,
    hits: &mut Vec<Pair>,
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        let padded = rows.end.next_multiple_of(LANES);
        assert!(
            padded <= stride
                && rows.end.saturating_sub(1) * stride + padded <= gram.len()
                && padded <= with_pivot.len()
                && pivoted.holds(padded),
            "rows are padded to whole vectors"
        );
        // SAFETY: the instructions have been detected, and the assertion is what both functions ask for.
        unsafe {
            if avx2::any_pair(gram, stride, rows.clone(), with_pivot, pivoted) {
                avx2::collect(gram, stride, rows, with_pivot, pivoted, hits);
            }
        }
        return;
    }
    plain::pairs(gram, stride, rows, with_pivot, pivoted, hits);
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// The loops themselves; `FUSED` where the machine multiplies and adds in one step.
#[expect(
    clippy::inline_always,
    reason = "each is compiled into its caller's instruction set"
)]
pub(crate) mod plain {
    use std::ops::Range;

    use super::{BLOCK, Candidates, LEAST, Need, Pair, Pivoted};

    /// `a·b + c`.
    #[inline(always)]
    fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
        if FUSED { a.mul_add(b, c) } else { a * b + c }
    }

    #[inline(always)]
    pub(crate) fn rotate<const FUSED: bool>(
        c: f64,
        s: f64,
        upper: &[f64],
        carry: &mut [f64],
        lower: &mut [f64],
    ) {
        for ((u, y), l) in upper.iter().zip(carry).zip(lower) {
            *l = fma::<FUSED>(c, *y, -(s * u));
            *y = fma::<FUSED>(s, *y, c * u);
        }
    }

    #[inline(always)]
    pub(crate) fn add_scaled<const FUSED: bool>(x: f64, from: &[f64], to: &mut [f64]) {
        for (t, f) in to.iter_mut().zip(from) {
            *t = fma::<FUSED>(x, *f, *t);
        }
    }

    #[inline(always)]
    fn product<const FUSED: bool>(a: &[f64], b: &[f64]) -> f64 {
        let mut lanes = [0.0_f64; 4];
        let (a4, a_rest) = a.as_chunks::<4>();
        let (b4, b_rest) = b.as_chunks::<4>();
        for (x, y) in a4.iter().zip(b4) {
            for l in 0..4 {
                lanes[l] = fma::<FUSED>(x[l], y[l], lanes[l]);
            }
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
        (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
    }

    #[inline(always)]
    pub(crate) fn reflect<const FUSED: bool>(
        scale: f64,
        pivot: &[f64],
        to: &mut [f64],
        target: &[f64],
    ) -> f64 {
        let x = scale * product::<FUSED>(pivot, to);
        add_scaled::<FUSED>(x, pivot, to);
        product::<FUSED>(&to[1..], &target[1..])
    }

    #[inline(always)]
    pub(crate) fn measure<const FUSED: bool>(
        rows: &[f64],
        stride: usize,
        z: &[f64],
        c: &mut [f64],
        squares: &mut [f64],
    ) {
        for (r, &z) in z.iter().enumerate() {
            let row = &rows[r * stride + r..][..c.len() - r];
            for ((x, c), square) in row.iter().zip(&mut c[r..]).zip(&mut squares[r..]) {
                *c = fma::<FUSED>(z, *x, *c);
                *square = fma::<FUSED>(*x, *x, *square);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn eliminate<const FUSED: bool>(
        gram: &[f64],
        stride: usize,
        n: usize,
        (with_pivot, scale): (&[f64], &[f64]),
        (into, into_stride): (&mut [f64], usize),
    ) {
        for i in 0..n {
            let len = i.next_multiple_of(BLOCK).max(BLOCK).min(into_stride);
            let (x, by) = (-with_pivot[i], scale[i]);
            let (from, _) = gram[i * stride..][..len].as_chunks::<4>();
            let (to, _) = into[i * into_stride..][..len].as_chunks_mut::<4>();
            let (with_pivot, _) = with_pivot[..len].as_chunks::<4>();
            let (scale, _) = scale[..len].as_chunks::<4>();
            for (((to, from), a), r) in to.iter_mut().zip(from).zip(with_pivot).zip(scale) {
                for l in 0..4 {
                    to[l] = fma::<FUSED>(x, a[l], from[l]) * (by * r[l]);
                }
            }
        }
    }

    pub(crate) fn correlate(
        rows: &[f64],
        stride: usize,
        n_rows: usize,
        which: Range<usize>,
        scale: &[f64],
        into: &mut [f64],
    ) {
        for i in which {
            let line = &mut into[i * stride..(i + 1) * stride];
            line[..i.next_multiple_of(BLOCK)].fill(0.0);
            for r in 0..n_rows.min(i) {
                let row = &rows[r * stride..(r + 1) * stride];
                for j in r..i {
                    line[j] += row[i] * row[j];
                }
            }
            for (a, other) in line[..i].iter_mut().zip(scale) {
                *a *= scale[i] * other;
            }
            line[i..i.next_multiple_of(BLOCK)].fill(f64::NAN);
        }
    }

    pub(crate) fn prepare(candidates: Candidates<'_>, need: Need, pivoted: &mut Pivoted) -> bool {
        let share = need.share - need.margin;
        pivoted.against = -share;
        let mut odd = false;
        for (j, &a) in candidates.a.iter().enumerate() {
            let d = 1.0 - a * a;
            let c = candidates.c[j] - a * candidates.pivot;
            let inverse = 1.0 / (c * d);
            let s = inverse * d;
            let lost = need.margin * (inverse * c) + candidates.lost[j];
            let full = d * (s * s);
            odd |= d < need.close || c * c >= share * d || lost > 0.5 || c.abs() < LEAST;
            pivoted.s[j] = s;
            pivoted.d[j] = full;
            pivoted.less[j] = full - full * lost;
            pivoted.square[j] = 0.25 * need.share * (s * s);
        }
        odd
    }

    pub(crate) fn pairs(
        gram: &[f64],
        stride: usize,
        rows: Range<usize>,
        with_pivot: &[f64],
        pivoted: &Pivoted,
        hits: &mut Vec<Pair>,
    ) {
        for i in rows {
            for (j, a) in gram[i * stride..i * stride + i].iter().enumerate() {
                let double = pivoted.s[j] + pivoted.s[j];
                let beta = double * a - with_pivot[i] * (double * with_pivot[j]);
                let against = pivoted.less[i] * (pivoted.against * pivoted.less[j]);
                let lengths = pivoted.d[j] + pivoted.d[i] + against;
                let f = beta * (pivoted.square[i] * beta - pivoted.s[i]) + lengths;
                if f > 0.0 {
                    hits.push((i, j));
                }
            }
        }
    }
}

/// Stands for a correlation of zero, whose inverse must be finite: so far below rounding that nobody can tell, and its
/// inverse to the fourth power is still a number.
pub(crate) const LEAST: f64 = 1e-60;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BLOCK, Candidates, LANES, LEAST, Need, Pair, Pivoted};
    use std::arch::x86_64::{
        __m256d, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LT_OQ, _mm256_add_pd, _mm256_broadcast_sd,
        _mm256_cmp_pd, _mm256_div_pd, _mm256_fmadd_pd, _mm256_fmsub_pd, _mm256_fnmadd_pd,
        _mm256_loadu_pd, _mm256_max_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_pd,
        _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
    };
    use std::ops::Range;

    /// Four lines at a time, so that sums do not wait for each other.
    ///
    /// Safety: `stride` is a multiple of the block, `rows` has `n_rows` of them, `which` ends within one, `into` has a line for
    /// each of `which`, and `scale` is as long as a line.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn correlate(
        rows: &[f64],
        stride: usize,
        n_rows: usize,
        which: Range<usize>,
        scale: &[f64],
        into: &mut [f64],
    ) {
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
                    // SAFETY: a whole block from `start` and each of `place` lie within the row, and there are `n_rows`.
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
                    // SAFETY: both are whole blocks.
                    unsafe {
                        let s0 = _mm256_loadu_pd(scale.as_ptr().add(start));
                        let s1 = _mm256_loadu_pd(scale.as_ptr().add(start + LANES));
                        let low = _mm256_mul_pd(_mm256_mul_pd(by, s0), low[l]);
                        let high = _mm256_mul_pd(_mm256_mul_pd(by, s1), high[l]);
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

    /// Safety: all columns are at least as long as `candidates.a`, which is in whole vectors.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn prepare(
        candidates: Candidates<'_>,
        need: Need,
        pivoted: &mut Pivoted,
    ) -> bool {
        let share = _mm256_set1_pd(0.25 * need.share);
        let less_share = _mm256_set1_pd(need.share - need.margin);
        let margin = _mm256_set1_pd(need.margin);
        let close = _mm256_set1_pd(need.close);
        let pivot = _mm256_set1_pd(candidates.pivot);
        let (one, half) = (_mm256_set1_pd(1.0), _mm256_set1_pd(0.5));
        let least = _mm256_set1_pd(LEAST * LEAST);
        let mut odd = _mm256_setzero_pd();
        pivoted.against = -(need.share - need.margin);
        for j in (0..candidates.a.len()).step_by(LANES) {
            // SAFETY: a whole vector from `j` lies within every column.
            unsafe {
                let a = _mm256_loadu_pd(candidates.a.as_ptr().add(j));
                let d = _mm256_fnmadd_pd(a, a, one);
                let c = _mm256_fnmadd_pd(a, pivot, _mm256_loadu_pd(candidates.c.as_ptr().add(j)));
                let inverse = _mm256_div_pd(one, _mm256_mul_pd(c, d));
                let s = _mm256_mul_pd(inverse, d);
                let lost = _mm256_loadu_pd(candidates.lost.as_ptr().add(j));
                let lost = _mm256_fmadd_pd(margin, _mm256_mul_pd(inverse, c), lost);
                let s2 = _mm256_mul_pd(s, s);
                let full = _mm256_mul_pd(d, s2);
                let less = _mm256_fnmadd_pd(full, lost, full);
                let c2 = _mm256_mul_pd(c, c);
                odd = _mm256_or_pd(odd, _mm256_cmp_pd::<_CMP_LT_OQ>(d, close));
                let alone = _mm256_cmp_pd::<_CMP_GE_OQ>(c2, _mm256_mul_pd(less_share, d));
                odd = _mm256_or_pd(odd, alone);
                odd = _mm256_or_pd(odd, _mm256_cmp_pd::<_CMP_GT_OQ>(lost, half));
                odd = _mm256_or_pd(odd, _mm256_cmp_pd::<_CMP_LT_OQ>(c2, least));
                _mm256_storeu_pd(pivoted.s.as_mut_ptr().add(j), s);
                _mm256_storeu_pd(pivoted.d.as_mut_ptr().add(j), full);
                _mm256_storeu_pd(pivoted.less.as_mut_ptr().add(j), less);
                _mm256_storeu_pd(pivoted.square.as_mut_ptr().add(j), _mm256_mul_pd(share, s2));
            }
        }
        _mm256_movemask_pd(odd) != 0
    }

    /// Whether any pair passes the test; lanes from the diagonal on are not numbers, and the maximum skips those.
    ///
    /// Safety: `with_pivot`, the columns of `pivoted`, and each of `rows` in `gram`, are readable up to the next
    /// multiple of four beyond `rows.end`.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn any_pair(
        gram: &[f64],
        stride: usize,
        rows: Range<usize>,
        with_pivot: &[f64],
        pivoted: &Pivoted,
    ) -> bool {
        let zero = _mm256_setzero_pd();
        let (mut left_best, mut right_best) = (zero, zero);
        // Eight columns stay in registers while all rows pass by: long loops, few of them.
        let mut j = 0;
        while j + 1 < rows.end {
            // SAFETY: the columns reach to the next multiple of four beyond `rows.end`, and so do the lines; where only the left four
            // exist, the right four are not looked at.
            unsafe {
                let left = Columns::new(with_pivot, pivoted, j);
                let middle = (j + LANES + 1).min(rows.end);
                for i in rows.start.max(j + 1)..middle {
                    let a = _mm256_loadu_pd(gram.as_ptr().add(i * stride + j));
                    let f = Row::new(with_pivot, pivoted, i).test(&left, a);
                    left_best = _mm256_max_pd(f, left_best);
                }
                if middle < rows.end {
                    let right = Columns::new(with_pivot, pivoted, j + LANES);
                    for i in rows.start.max(middle)..rows.end {
                        let line = gram.as_ptr().add(i * stride + j);
                        let row = Row::new(with_pivot, pivoted, i);
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
        _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(best, zero)) != 0
    }

    /// Collects the pairs that pass the test, row by row; it runs seldom.
    ///
    /// Safety: as for [`any_pair`].
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn collect(
        gram: &[f64],
        stride: usize,
        rows: Range<usize>,
        with_pivot: &[f64],
        pivoted: &Pivoted,
        hits: &mut Vec<Pair>,
    ) {
        let zero = _mm256_setzero_pd();
        for i in rows {
            for j in (0..i).step_by(LANES) {
                // SAFETY: the columns reach to the next multiple of four beyond the last row, and so do the lines.
                let f = unsafe {
                    let columns = Columns::new(with_pivot, pivoted, j);
                    let a = _mm256_loadu_pd(gram.as_ptr().add(i * stride + j));
                    Row::new(with_pivot, pivoted, i).test(&columns, a)
                };
                let passed = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(f, zero));
                if passed != 0 {
                    let lanes = (0..LANES).filter(|l| passed >> l & 1 == 1);
                    hits.extend(lanes.map(|l| (i, j + l)));
                }
            }
        }
    }

    struct Columns {
        double: __m256d,
        alpha: __m256d,
        d: __m256d,
        against: __m256d,
    }

    impl Columns {
        /// Safety: `with_pivot` and every column of `pivoted` hold four numbers from `j` on.
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        unsafe fn new(with_pivot: &[f64], pivoted: &Pivoted, j: usize) -> Self {
            // SAFETY: what this function asks of its caller.
            unsafe {
                let s = _mm256_loadu_pd(pivoted.s.as_ptr().add(j));
                let less = _mm256_loadu_pd(pivoted.less.as_ptr().add(j));
                let double = _mm256_add_pd(s, s);
                Self {
                    double,
                    alpha: _mm256_mul_pd(double, _mm256_loadu_pd(with_pivot.as_ptr().add(j))),
                    d: _mm256_loadu_pd(pivoted.d.as_ptr().add(j)),
                    against: _mm256_mul_pd(_mm256_set1_pd(pivoted.against), less),
                }
            }
        }
    }

    struct Row {
        a: __m256d,
        square: __m256d,
        s: __m256d,
        less: __m256d,
        d: __m256d,
    }

    impl Row {
        /// Safety: `with_pivot` and every column of `pivoted` hold `i`.
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        unsafe fn new(with_pivot: &[f64], pivoted: &Pivoted, i: usize) -> Self {
            // SAFETY: what this function asks of its caller.
            unsafe {
                Self {
                    a: _mm256_broadcast_sd(with_pivot.get_unchecked(i)),
                    square: _mm256_broadcast_sd(pivoted.square.get_unchecked(i)),
                    s: _mm256_broadcast_sd(pivoted.s.get_unchecked(i)),
                    less: _mm256_broadcast_sd(pivoted.less.get_unchecked(i)),
                    d: _mm256_broadcast_sd(pivoted.d.get_unchecked(i)),
                }
            }
        }

        #[target_feature(enable = "avx2,fma")]
        #[inline]
        fn test(&self, columns: &Columns, a: __m256d) -> __m256d {
            let beta = _mm256_fnmadd_pd(self.a, columns.alpha, _mm256_mul_pd(columns.double, a));
            let q = _mm256_fmsub_pd(self.square, beta, self.s);
            let lengths = _mm256_add_pd(columns.d, self.d);
            let t = _mm256_fmadd_pd(columns.against, self.less, lengths);
            _mm256_fmadd_pd(beta, q, t)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Candidates, LANES, Need, Pivoted, correlate, pairs, plain, prepare};

    fn numbers(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-11 * (1.0 + b.abs())
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
            let scale = numbers(99, stride);
            let (mut wide, mut narrow) = (vec![0.0; k * stride], vec![0.0; k * stride]);
            correlate(&rows, stride, n_rows, 0..k, &scale, &mut wide);
            plain::correlate(&rows, stride, n_rows, 0..k, &scale, &mut narrow);
            for i in 0..k {
                let line = i * stride..i * stride + i.next_multiple_of(BLOCK);
                let both = wide[line.clone()].iter().zip(&narrow[line]);
                assert!(both.into_iter().all(|(a, b)| close(*a, *b)), "{k} {i}");
            }
            for a in &mut wide {
                *a *= 0.3;
            }
            let (mut one, mut two) = (Pivoted::default(), Pivoted::default());
            one.resize(k);
            two.resize(k);
            let (c, lost) = (numbers(7, stride), vec![1e-15; stride]);
            let with_pivot: Vec<f64> = numbers(8, stride).iter().map(|x| 0.9 * x).collect();
            let candidates = Candidates {
                a: &with_pivot[..k.next_multiple_of(LANES)],
                c: &c,
                lost: &lost,
                pivot: 0.3,
            };
            for share in [-1.0, 0.1, 0.5, 0.9, 1.5] {
                let need = Need {
                    share,
                    margin: 1e-14,
                    close: 1e-6,
                };
                let odd = prepare(candidates, need, &mut one);
                assert_eq!(odd, plain::prepare(candidates, need, &mut two));
                assert!(one.d.iter().zip(&two.d).all(|(a, b)| close(*a, *b)));
                assert!(one.less.iter().zip(&two.less).all(|(a, b)| close(*a, *b)));
                let (mut found, mut wanted) = (Vec::new(), Vec::new());
                pairs(&wide, stride, 0..k, &with_pivot, &one, &mut found);
                plain::pairs(&wide, stride, 0..k, &with_pivot, &two, &mut wanted);
                assert_eq!(found, wanted, "{k} {share}");
            }
        }
    }
}
