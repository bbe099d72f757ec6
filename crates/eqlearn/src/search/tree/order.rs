//! The order of a node's candidates: those that together explain least come first.
//!
//! Candidates `0..=u` are excluded while all of them together have a larger residual than the worst
//! of the list. So the more columns in front explain almost nothing, the more subsets are excluded
//! at once. The order is greedy: take the column that explains least of the residual, project it
//! out, take the next. Collinear columns are then neighbours, because after one of them the others
//! add nothing. Columns that the target needs come last. The usual order, by the increase of the
//! residual when a column is dropped, fails where every column is nearly a combination of others.
//!
//! This is a QR factorisation with column pivoting by another rule. It also yields the factor in
//! the new order, and it works with fewer rows than columns.
//!
//! A greedy order may be worse: it is kept only if it excludes more pairs than the order before.
//! Where few subsets lie below a node, only its last columns are reordered, which is cheap.
//!
//! The order affects the time of a search, never its result.

use crate::numeric::householder::{Scalar, reflect_rows};
use crate::numeric::vector::dot;
use crate::search::tree::kernel;
use crate::search::tree::node::Node;

/// A column whose squared length has fallen below this fraction is measured again.
const STALE: f64 = 1e-6;

/// A column with a smaller squared length is linearly dependent on those before it.
const NOTHING: f64 = 1e-26;

/// Re-orders nodes; owns the scratch for it.
#[derive(Debug, Default)]
pub(crate) struct Arranger {
    /// The triangle under way, row after row.
    rows: Vec<f64>,
    stride: usize,
    target: Vec<f64>,
    /// Where each column was.
    places: Vec<usize>,
    /// Remaining squared length of each column, when measured last and now.
    measured: Vec<f64>,
    squared: Vec<f64>,
    /// Product of each remaining column with the remaining target.
    with_target: Vec<f64>,
    gains: Vec<f64>,
    axis: Vec<f64>,
    /// The node in another order.
    other: Node,
}

impl Arranger {
    /// Orders the columns of a node from `from` on so that bounds exclude more subsets of `left`
    /// columns, if such an order is found. Excluded are subsets with a residual above `enough`.
    pub(crate) fn improve(&mut self, node: &mut Node, from: usize, left: usize, enough: f64) {
        if from >= node.n_rows() {
            return;
        }
        self.order(node, from, enough);
        let mut other = std::mem::take(&mut self.other);
        node.rearrange(from, &self.places, &self.rows, &self.target, &mut other);
        if other.open_pairs(left, enough) < node.open_pairs(left, enough) {
            std::mem::swap(node, &mut other);
        }
        self.other = other;
    }

    /// Finds the order of the columns from `from` on, and the triangle that goes with it.
    fn order(&mut self, node: &Node, from: usize, enough: f64) {
        self.begin(node, from);
        let mut rss = node.rss_with_first(from);
        for step in 0..self.target.len() {
            if rss > enough {
                self.weigh(step);
                let least = self.least(step);
                rss -= self.gains[least];
                if rss > enough {
                    self.swap(step, least);
                } else {
                    self.sort(step);
                }
            }
            self.reflect(step);
        }
    }

    fn begin(&mut self, node: &Node, from: usize) {
        self.stride = node.unfold(from, &mut self.rows);
        self.target.clear();
        self.target.extend_from_slice(&node.z()[from..]);
        self.places.clear();
        self.places.extend(from..node.len());
        for sums in [&mut self.squared, &mut self.with_target, &mut self.gains] {
            sums.clear();
            sums.resize(node.len() - from, 0.0);
        }
        let (c, squares) = (&mut self.with_target, &mut self.squared);
        kernel::measure(&self.rows, self.stride, &self.target, c, squares);
        self.measured.clone_from(&self.squared);
    }

    /// How much of the target each column explains.
    fn weigh(&mut self, from: usize) {
        let columns = self.squared[from..].iter().zip(&self.with_target[from..]);
        for (gain, (squared, with_target)) in self.gains[from..].iter_mut().zip(columns) {
            let left = with_target * with_target / squared;
            *gain = if *squared > NOTHING { left } else { 0.0 };
        }
    }

    /// The column from `from` on that explains least.
    fn least(&self, from: usize) -> usize {
        let mut least = from;
        for (place, gain) in self.gains.iter().enumerate().skip(from) {
            if *gain < self.gains[least] {
                least = place;
            }
        }
        least
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        for row in self.rows.chunks_exact_mut(self.stride) {
            row.swap(a, b);
        }
        for sums in [
            &mut self.squared,
            &mut self.measured,
            &mut self.with_target,
            &mut self.gains,
        ] {
            sums.swap(a, b);
        }
        self.places.swap(a, b);
    }

    /// Sorts the columns from `from` on by what they explain.
    fn sort(&mut self, from: usize) {
        for step in from..self.places.len() {
            self.swap(step, self.least(step));
        }
    }

    /// Reflects column `step` onto the axis of its row, and all others and the target with it.
    fn reflect(&mut self, step: usize) {
        let stride = self.stride;
        self.axis.clear();
        let below = self.rows[step * stride + step..].iter().step_by(stride);
        self.axis.extend(below);
        let axis = self.axis.as_mut_slice();
        // Nothing to reflect if the column is zero below, or so small that its square is.
        if dot(&axis[1..], &axis[1..]) > 0.0
            && let Some(reflection) = f64::axis(axis, 0.0)
        {
            f64::turn(axis, reflection, &mut self.target[step..]);
            let rows = &mut self.rows[step * stride..];
            reflect_rows(rows, stride, step, axis, reflection);
            rows[step] = reflection.diagonal;
        }
        let (row, z) = (&self.rows[step * stride..][..stride], self.target[step]);
        let sums = self.squared.iter_mut().zip(&mut self.with_target);
        for (x, (squared, with_target)) in row.iter().zip(sums).skip(step + 1) {
            *squared -= x * x;
            *with_target -= x * z;
        }
        for j in step + 1..self.places.len() {
            if self.squared[j] < STALE * self.measured[j] {
                self.measure(step + 1, j);
            }
        }
    }

    /// Measures the part of column `j` from row `from` on.
    fn measure(&mut self, from: usize, j: usize) {
        let rows = self.rows.chunks_exact(self.stride).zip(&self.target);
        let (mut squared, mut with_target) = (0.0, 0.0);
        for (row, z) in rows.skip(from) {
            squared += row[j] * row[j];
            with_target += row[j] * z;
        }
        self.squared[j] = squared;
        self.measured[j] = squared;
        self.with_target[j] = with_target;
    }
}
