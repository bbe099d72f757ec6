//! A node of the subset tree: the problem with a prefix of terms projected out.
//!
//! The candidates that may still follow are held as an upper triangle, with the prefix projected
//! out, in *reverse* order: choosing column `u` leaves columns `0..u` as candidates. With `z` the
//! target in the same coordinates, the residual of prefix and columns `0..=u` together is the sum
//! of `z²` below row `u`. No subset of them has a smaller residual. So the lower bound of every
//! child is known before the child is made, and bounds never fall as `u` decreases.
//!
//! Choosing a column is one sweep of Givens rotations that maps it to the first axis, which is then
//! dropped. All steps are orthogonal, so columns and residuals keep an absolute error of a few
//! `eps`.
//!
//! Furnival & Wilson 1974; Gatu & Kontoghiorghes 2006; Hofmann et al. 2020.

mod reorder;

use std::ops::Range;

use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::search::tree::kernel::{self, BLOCK, Closing, Scaled, Upper};

/// Error of a column made by rotations: a few units in the last place of its length, which was 1.
pub(crate) const SLACK: f64 = 8.0 * f64::EPSILON;

/// A prefix and the candidates that may follow it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// The term of each column.
    pub(crate) terms: Vec<usize>,
    /// Rows of the triangle: as many as columns, or fewer.
    n_rows: usize,
    stride: usize,
    /// Row-major; row `r` holds columns `r..`, and zeros from the start of its first block.
    rows: Vec<f64>,
    z: Vec<f64>,
    /// `tail[r]` is the residual below row `r`; `tail[0]` is the prefix's own.
    tail: Vec<f64>,
    /// The bound on the rounding error of residual lengths in this node.
    pub(crate) slack: f64,
    sines: Vec<(f64, f64)>,
    carry: Vec<f64>,
}

impl Node {
    /// The root: columns of one height in the order in which they are given, the target last;
    /// `slack` is its error.
    pub(crate) fn root(terms: Vec<usize>, mut columns: Vec<f64>, slack: f64) -> Self {
        let k = terms.len();
        let height = columns.len() / (k + 1);
        let n_rows = height.min(k);
        for j in 0..n_rows {
            reflect(&mut columns, height, j, j..height, 0.0);
        }
        let mut node = Self {
            terms,
            slack,
            ..Self::default()
        };
        node.resize(n_rows, k);
        for j in 0..k {
            for r in 0..n_rows.min(j + 1) {
                node.rows[r * node.stride + j] = columns[j * height + r];
            }
        }
        let (inside, outside) = columns[k * height..].split_at(n_rows);
        node.z.copy_from_slice(inside);
        node.sum_tail(dot(outside, outside));
        node
    }

    /// How many candidates there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How far apart the rows are: whole blocks.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The residual of the prefix alone.
    pub(crate) fn rss(&self) -> f64 {
        self.tail[0]
    }

    /// The residual of the prefix with its first `columns` columns.
    pub(crate) fn rss_with_first(&self, columns: usize) -> f64 {
        self.tail[columns.min(self.n_rows)]
    }

    /// The residual of the prefix with columns `0..=u`: a lower bound for every subset of them.
    pub(crate) fn bound(&self, u: usize) -> f64 {
        self.rss_with_first(u + 1)
    }

    /// The first column that may be the largest of `left`, for residuals up to `limit`. All columns
    /// before it together have a larger residual.
    pub(crate) fn open(&self, left: usize, limit: f64) -> usize {
        let mut u = self.len();
        while u >= left && self.bound(u - 1) <= limit {
            u -= 1;
        }
        u
    }

    /// In how many ways the two largest of `left` columns can be chosen, as far as bounds tell.
    ///
    /// Orders of the columns are compared by this number.
    pub(crate) fn open_pairs(&self, left: usize, limit: f64) -> usize {
        let length = limit.sqrt();
        let largest = self.open(left, limit).max(left - 1)..self.len();
        largest
            .map(|u| u.saturating_sub(self.open_after(u, length)))
            .sum()
    }

    /// The first column that may be the next largest once `p` is chosen, for residuals up to
    /// `length`. All columns before it, together with `p`, have a larger residual.
    ///
    /// Rows `r..` are `p` and the target with columns `0..r` projected out, so that `p` explains
    /// `(x·z)²/x²`. Sums from the last row up give this without making the child.
    pub(crate) fn open_after(&self, p: usize, length: f64) -> usize {
        let limit = length * length;
        let rounding = 1.0 - 4.0 * f64::EPSILON * (self.n_rows + 1) as f64;
        let (mut squared, mut product) = (0.0, 0.0);
        for r in (1..=p.min(self.n_rows)).rev() {
            if r < self.n_rows {
                let x = self.rows[r * self.stride + p];
                squared += x * x;
                product += x * self.z[r];
            }
            let closed = (self.tail[r] * rounding - limit) * squared > product * product;
            if closed && squared > 0.0 {
                return r;
            }
        }
        0
    }

    /// As [`Self::open_after`], with two columns chosen: `u`, and each of those in `second` before
    /// it with its own limit.
    pub(crate) fn open_after_two(
        &self,
        u: usize,
        second: Range<usize>,
        limits: &[f64],
        into: &mut Closing,
    ) {
        let upper = Upper {
            rows: &self.rows,
            stride: self.stride,
            z: &self.z,
            tail: &self.tail,
        };
        kernel::close(upper, u, second, limits, into);
    }

    pub(crate) fn z(&self) -> &[f64] {
        &self.z
    }

    /// Adds to `c` the products of each column with the target, and to `squares` those with itself.
    pub(crate) fn measure(&self, c: &mut [f64], squares: &mut [f64]) {
        kernel::measure(&self.rows, self.stride, &self.z, c, squares);
    }

    /// The matrix of the pair test for columns `i` in `which` with those before, row `i` at `i`
    /// strides of whole blocks.
    pub(crate) fn correlate(&self, which: Range<usize>, columns: Scaled<'_>, into: &mut [f64]) {
        kernel::correlate(&self.rows, self.stride, self.n_rows, which, columns, into);
    }

    /// Makes `child` the node after choosing column `u`, with columns `0..u` to follow.
    ///
    /// A column shorter than `tolerance` is linearly dependent on the prefix and changes nothing.
    pub(crate) fn push(&self, u: usize, tolerance: f64, child: &mut Self) {
        let last = u.min(self.n_rows.saturating_sub(1));
        child.terms.clear();
        child.terms.extend_from_slice(&self.terms[..u]);
        child.slack = self.slack;
        // Rotation r acts on rows r − 1 and r; h is the length of the column from a row down.
        let mut squared = 0.0;
        let mut below = 0.0_f64;
        child.sines.clear();
        for r in (0..(last + 1).min(self.n_rows)).rev() {
            let a = self.rows[r * self.stride + u];
            squared += a * a;
            let h = f64::sqrt(squared);
            child.sines.push(if h > 0.0 {
                (a / h, below / h)
            } else {
                (1.0, 0.0)
            });
            below = h;
        }
        if below <= tolerance {
            self.keep_first(u, child);
            return;
        }
        child.resize(last, u);
        let mut zc = self.z[last];
        // The sign of the lowest entry, which the first rotation takes as a length.
        let sign = child.sines[0].0;
        child.carry.clear();
        child.carry.resize(u, 0.0);
        for (c, v) in child.carry[last..]
            .iter_mut()
            .zip(&self.rows[last * self.stride + last..last * self.stride + u])
        {
            *c = v * sign;
        }
        zc *= sign;
        for r in (1..=last).rev() {
            let (c, s) = child.sines[last + 1 - r];
            let upper = &self.rows[(r - 1) * self.stride + r - 1..(r - 1) * self.stride + u];
            let start = (r - 1) * child.stride;
            let lower = &mut child.rows[start + r - 1..start + u];
            kernel::rotate(c, s, upper, &mut child.carry[r - 1..u], lower);
            child.clear_before(r - 1);
            child.z[r - 1] = c * zc - s * self.z[r - 1];
            zc = c * self.z[r - 1] + s * zc;
        }
        // A perturbation of eps in the column changes the direction of its remainder by eps/length,
        // and with it the target's component along it.
        child.slack += SLACK * zc.abs() / below;
        child.sum_tail(self.tail[(last + 1).min(self.n_rows)]);
    }

    /// The residual length of the prefix with these columns, minus the bound on rounding.
    ///
    /// Computed by orthogonal projections, which are accurate where correlations are not.
    pub(crate) fn least_with(&self, columns: &[usize], tolerance: f64, work: &mut Vec<f64>) -> f64 {
        let top = columns.iter().max().map_or(0, |u| u + 1).min(self.n_rows);
        work.clear();
        for &u in columns {
            work.extend((0..top).map(|r| {
                let inside = r <= u;
                f64::from(u8::from(inside)) * self.rows[r * self.stride + u.max(r)]
            }));
        }
        work.extend_from_slice(&self.z[..top]);
        let mut slack = self.slack;
        let m = columns.len();
        for step in 0..m {
            let (done, rest) = work.split_at_mut((step + 1) * top);
            let pivot = &mut done[step * top..];
            let length = dot(pivot, pivot).sqrt();
            if length <= tolerance {
                pivot.fill(0.0);
                continue;
            }
            for x in &mut *pivot {
                *x /= length;
            }
            let last = m - step - 1;
            for (place, column) in rest.chunks_exact_mut(top).enumerate() {
                let along = dot(pivot, column);
                kernel::add_scaled(-along, pivot, column);
                if place == last {
                    slack += SLACK * along.abs() / length;
                }
            }
        }
        let left = &work[m * top..];
        (dot(left, left) + self.tail[top]).sqrt() - slack
    }

    /// Makes `child` this node with only the first `k` columns as candidates.
    pub(crate) fn keep_first(&self, k: usize, child: &mut Self) {
        child.terms.clear();
        child.terms.extend_from_slice(&self.terms[..k]);
        child.slack = self.slack;
        let n_rows = self.n_rows.min(k);
        child.resize(n_rows, k);
        for r in 0..n_rows {
            child.rows[r * child.stride + r..r * child.stride + k]
                .copy_from_slice(&self.rows[r * self.stride + r..r * self.stride + k]);
            child.clear_before(r);
        }
        child.z.copy_from_slice(&self.z[..n_rows]);
        child.sum_tail(self.tail[n_rows]);
    }

    fn row(&self, r: usize) -> &[f64] {
        &self.rows[r * self.stride..][..self.stride]
    }

    fn resize(&mut self, n_rows: usize, k: usize) {
        self.n_rows = n_rows;
        self.stride = k.next_multiple_of(BLOCK);
        if self.rows.len() < n_rows * self.stride {
            self.rows.resize(n_rows * self.stride, 0.0);
        }
        self.z.resize(n_rows, 0.0);
    }

    /// Zeros row `r` from the start of the block with its diagonal.
    fn clear_before(&mut self, r: usize) {
        let start = r * self.stride;
        self.rows[start + r / BLOCK * BLOCK..start + r].fill(0.0);
    }

    fn sum_tail(&mut self, outside: f64) {
        self.tail.resize(self.n_rows + 1, 0.0);
        self.tail[self.n_rows] = outside;
        for r in (0..self.n_rows).rev() {
            self.tail[r] = self.tail[r + 1] + self.z[r] * self.z[r];
        }
    }
}
