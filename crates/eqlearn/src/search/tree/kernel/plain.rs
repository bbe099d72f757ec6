//! The hot loops as plain code; `FUSED` where the machine multiplies and adds in one step.
#![expect(
    clippy::inline_always,
    reason = "each is compiled into its caller's instruction set"
)]

use std::ops::Range;

use super::{BLOCK, Closing, Pair, Pivoted, Scaled, Upper};
use crate::numeric::vector::fma;

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

/// See [`super::eliminate`].
#[inline(always)]
pub(crate) fn eliminate<const FUSED: bool>(
    matrix: &[f64],
    stride: usize,
    n: usize,
    q: &[f64],
    (into, into_stride): (&mut [f64], usize),
) {
    for i in 0..n {
        let len = i.next_multiple_of(BLOCK).max(BLOCK).min(into_stride);
        let x = -q[i];
        let (from, _) = matrix[i * stride..][..len].as_chunks::<4>();
        let (to, _) = into[i * into_stride..][..len].as_chunks_mut::<4>();
        let (q, _) = q[..len].as_chunks::<4>();
        for ((to, from), q) in to.iter_mut().zip(from).zip(q) {
            for l in 0..4 {
                to[l] = fma::<FUSED>(x, q[l], from[l]);
            }
        }
    }
}

/// See [`super::prepare`].
#[inline(always)]
pub(crate) fn prepare<const FUSED: bool>(
    line: &[f64],
    inverse: f64,
    diagonal: &[f64],
    floor: f64,
    into: &mut Pivoted,
) -> bool {
    let (line, _) = line.as_chunks::<4>();
    let (diagonal, _) = diagonal.as_chunks::<4>();
    let (q, _) = into.q.as_chunks_mut::<4>();
    let (t, _) = into.t.as_chunks_mut::<4>();
    let mut low = [false; 4];
    for (((m, d), q), t) in line.iter().zip(diagonal).zip(q).zip(t) {
        for l in 0..4 {
            q[l] = m[l] * inverse;
            let left = fma::<FUSED>(-q[l], q[l], d[l]);
            low[l] |= left <= floor;
            t[l] = if left > 0.0 { left } else { 0.0 };
        }
    }
    low.contains(&true)
}

/// See [`super::close`].
#[inline(always)]
pub(crate) fn close<const FUSED: bool>(
    upper: Upper<'_>,
    u: usize,
    second: Range<usize>,
    limits: &[f64],
    into: &mut Closing,
) {
    /// If the two are more nearly collinear than this, no bound is used.
    const APART: f64 = 1e-8;
    /// The rounding error of sums over two columns that are less collinear than that.
    const ROUNDING: f64 = 1.0 - 1e-5;
    let n = second.len();
    for sums in [
        &mut into.with_first,
        &mut into.squared,
        &mut into.with_target,
        &mut into.closed,
    ] {
        sums.clear();
        sums.resize(n, 0.0);
    }
    let (mut uu, mut uz) = (0.0, 0.0);
    for r in (1..upper.z.len().min(u + 1)).rev() {
        let row = &upper.rows[r * upper.stride..];
        let (x, z) = (row[u], upper.z[r]);
        uu = fma::<FUSED>(x, x, uu);
        uz = fma::<FUSED>(x, z, uz);
        // The columns before the row's own are zero in it.
        let first = r.saturating_sub(second.start).min(n);
        let row = &row[second.start + first..second.end];
        let up = &mut into.with_first[first..][..row.len()];
        let pp = &mut into.squared[first..][..row.len()];
        let pz = &mut into.with_target[first..][..row.len()];
        let limits = &limits[first..][..row.len()];
        let closed = &mut into.closed[first..][..row.len()];
        let (left, rows_above) = (upper.tail[r] * ROUNDING, r as f64);
        for (l, y) in row.iter().enumerate() {
            up[l] = fma::<FUSED>(x, *y, up[l]);
            pp[l] = fma::<FUSED>(*y, *y, pp[l]);
            pz[l] = fma::<FUSED>(*y, z, pz[l]);
            let both = uu * pp[l];
            let area = fma::<FUSED>(-up[l], up[l], both);
            let gain = uz * (uz * pp[l] - 2.0 * pz[l] * up[l]) + pz[l] * pz[l] * uu;
            let close = (left - limits[l]) * area > gain && area > APART * both;
            let now = if close { rows_above } else { 0.0 };
            // The largest such row counts.
            closed[l] = if now > closed[l] { now } else { closed[l] };
        }
        if first == 0 && closed.iter().all(|rows| *rows > 0.0) {
            return;
        }
    }
}

/// See [`super::correlate`].
pub(crate) fn correlate(
    rows: &[f64],
    stride: usize,
    n_rows: usize,
    which: Range<usize>,
    columns: Scaled<'_>,
    into: &mut [f64],
) {
    let Scaled { scale, gamma } = columns;
    for i in which {
        let line = &mut into[i * stride..(i + 1) * stride];
        line[..i.next_multiple_of(BLOCK)].fill(0.0);
        for r in 0..n_rows.min(i) {
            let row = &rows[r * stride..(r + 1) * stride];
            for j in r..i {
                line[j] += row[i] * row[j];
            }
        }
        for (j, a) in line[..i].iter_mut().enumerate() {
            *a = *a * (scale[i] * scale[j]) - gamma[i] * gamma[j];
        }
        line[i..i.next_multiple_of(BLOCK)].fill(f64::NAN);
    }
}

/// See [`super::pairs`].
pub(crate) fn pairs(
    matrix: &[f64],
    stride: usize,
    rows: Range<usize>,
    pivoted: &Pivoted,
    hits: &mut Vec<Pair>,
) {
    for i in rows {
        for (j, m) in matrix[i * stride..i * stride + i].iter().enumerate() {
            let x = m - pivoted.q[i] * pivoted.q[j];
            if x * x >= pivoted.t[i] * pivoted.t[j] {
                hits.push((i, j));
            }
        }
    }
}
