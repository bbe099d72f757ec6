//! Correlations at a node: the small matrix on which the last two or three levels are enumerated.
//!
//! Columns and target are scaled to unit length at this node, so that cancellation is relative to what is left *here*. A column that
//! depends on the prefix becomes zero: it correlates with nothing and adds nothing.
//!
//! Why the margins suffice: with errors `e` in correlations and squared lengths `d` left, the pair test in the units of this node is off by at most
//! `4 e (√(G d_i) d_j + …)` as long as neither column explains `G` by itself, because then `c² ≤ G d`; and
//! `μ d_i d_j + G (μ/d_i + μ/d_j) d_i d_j` with `μ ≥ 16 e` is larger, by the inequality of the means. A column that explains `G` by itself passes with every other.

use super::kernel::{self, LANES, Pair, Pivoted};
use super::node::Node;

/// Stands for a correlation of zero, whose inverse must be finite: so far below rounding that nobody can tell, and its
/// inverse to the fourth power is still a number.
const LEAST: f64 = 1e-60;

/// Below this squared length a column is measured again, from the triangle.
const CLOSE: f64 = 1e-6;

/// The correlations of a node's candidates, and what the pair test wants to know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gram {
    k: usize,
    stride: usize,
    /// Row `i` holds correlations with columns `0..i`.
    rows: Vec<f64>,
    /// Correlations with the target.
    c: Vec<f64>,
    lengths: Vec<f64>,
    inverse_lengths: Vec<f64>,
    rss: f64,
    /// Share of the residual that a pair has to explain.
    need: f64,
    pivoted: Pivoted,
    /// Pairs that passed the last test.
    pub(crate) hits: Vec<Pair>,
    one: Vec<f64>,
    other: Vec<f64>,
    /// Makes the arithmetic worse than it is, to prove that the margins protect the list.
    #[cfg(test)]
    pub(crate) disturb: f64,
}

impl Gram {
    /// Computes rows `first..` of the node's correlations.
    pub(crate) fn fill(&mut self, node: &Node, first: usize, tolerance: f64) {
        let k = node.len();
        self.k = k;
        self.stride = k.next_multiple_of(LANES);
        self.rss = node.rss();
        self.measure(node, tolerance);
        if self.rows.len() < k * self.stride {
            self.rows.resize(k * self.stride, 0.0);
        }
        for i in first..k {
            let line = &mut self.rows[i * self.stride..(i + 1) * self.stride];
            line.fill(0.0);
            for r in 0..node.n_rows().min(i) {
                let (row, _) = node.row(r);
                let x = row[i - r] * self.inverse_lengths[i];
                kernel::add_scaled(x, &row[..i - r], &mut line[r..i]);
            }
            for (a, scale) in line[..i].iter_mut().zip(&self.inverse_lengths) {
                *a *= scale;
            }
        }
    }

    /// Lengths and correlations with the target.
    fn measure(&mut self, node: &Node, tolerance: f64) {
        let k = self.k;
        self.c.clear();
        self.c.resize(k, 0.0);
        self.lengths.clear();
        self.lengths.resize(k, 0.0);
        for r in 0..node.n_rows() {
            let (row, z) = node.row(r);
            kernel::add_scaled(z, row, &mut self.c[r..]);
            for (length, x) in self.lengths[r..].iter_mut().zip(row) {
                *length += x * x;
            }
        }
        let inverse_target = 1.0 / self.rss.sqrt().max(f64::MIN_POSITIVE);
        self.inverse_lengths.clear();
        for (c, length) in self.c.iter_mut().zip(&mut self.lengths) {
            *length = length.sqrt();
            let inverse = if *length <= tolerance {
                0.0
            } else {
                1.0 / *length
            };
            self.inverse_lengths.push(inverse);
            *c *= inverse * inverse_target;
        }
    }

    /// Prepares the pair test with nothing chosen at this node.
    pub(crate) fn no_pivot(&mut self, limit: f64) {
        self.pivoted.resize(self.k);
        self.need = self.share_above(limit, 0.0);
        for j in 0..self.k {
            self.set(j, 0.0, 1.0, self.c[j]);
        }
    }

    /// Prepares the pair test among the columns before `p`, with `p` chosen.
    pub(crate) fn pivot(&mut self, node: &Node, p: usize, limit: f64, tolerance: f64) {
        self.pivoted.resize(self.k);
        let c_p = self.c[p];
        self.need = self.share_above(limit, c_p * c_p);
        for j in 0..p {
            let a = self.rows[p * self.stride + j];
            let (mut d, mut c) = (1.0 - a * a, self.c[j] - a * c_p);
            if d < CLOSE {
                (d, c) = self.measure_again(node, p, j);
                if d.sqrt() * self.lengths[j] <= tolerance {
                    self.set_dependent(j);
                    continue;
                }
            }
            self.set(j, a, d, c);
        }
    }

    /// Squared length and correlation with the target of what `p` leaves of `j`, as orthogonally as can be.
    fn measure_again(&mut self, node: &Node, p: usize, j: usize) -> (f64, f64) {
        let (scale_p, scale_j) = (self.inverse_lengths[p], self.inverse_lengths[j]);
        node.column(p, &mut self.one);
        node.column(j, &mut self.other);
        let a: f64 = self
            .one
            .iter()
            .zip(&self.other)
            .map(|(x, y)| (x * scale_p) * (y * scale_j))
            .sum();
        let (mut d, mut c) = (0.0, 0.0);
        for (r, x) in self.one.iter().enumerate() {
            let y = self.other.get(r).copied().unwrap_or(0.0);
            let left = y * scale_j - a * (x * scale_p);
            d += left * left;
            c += left * node.z()[r];
        }
        (d, c / self.rss.sqrt().max(f64::MIN_POSITIVE))
    }

    fn set(&mut self, j: usize, a: f64, d: f64, c: f64) {
        if self.inverse_lengths[j] <= 0.0 {
            self.set_dependent(j);
            return;
        }
        let lost = self.margin() / d + 64.0 * f64::EPSILON * self.inverse_lengths[j];
        if c * c >= (self.need - self.margin()) * d || lost > 0.5 {
            self.set_certain(j);
            return;
        }
        let c = if c.abs() < LEAST { LEAST } else { c };
        let s = 1.0 / c;
        self.pivoted.s[j] = s;
        self.pivoted.a[j] = a;
        self.pivoted.alpha[j] = s * a;
        self.pivoted.d[j] = d * (s * s);
        self.pivoted.less[j] = d * (s * s) * (1.0 - lost);
    }

    /// The column adds nothing once the prefix or the pivot is in.
    fn set_dependent(&mut self, j: usize) {
        self.set_alone(j, 1.0 / (LEAST * LEAST), 1.0 / (LEAST * LEAST));
    }

    /// Every pair with the column passes: it explains enough by itself, or too little is left of it to tell.
    fn set_certain(&mut self, j: usize) {
        self.set_alone(j, 1.0, 0.0);
    }

    fn set_alone(&mut self, j: usize, d: f64, less: f64) {
        self.pivoted.s[j] = 0.0;
        self.pivoted.a[j] = 0.0;
        self.pivoted.alpha[j] = 0.0;
        self.pivoted.d[j] = d;
        self.pivoted.less[j] = less;
    }

    /// Rounding of a correlation between unit columns.
    fn margin(&self) -> f64 {
        f64::EPSILON * (64.0 + 2.0 * self.k as f64)
    }

    /// The share of the residual that is still to be explained to get below `limit`, given what the pivot has.
    fn share_above(&self, limit: f64, gain: f64) -> f64 {
        // Anything negative says yes to everything, which is what a list that is not full wants.
        const LEAST_NEED: f64 = -1e3;
        (1.0 - limit / self.rss.max(f64::MIN_POSITIVE) - gain).max(LEAST_NEED)
    }

    /// Tests the pairs with the larger column in `rows`; see [`Self::hits`].
    pub(crate) fn find_pairs(&mut self, rows: std::ops::Range<usize>) {
        #[cfg(test)]
        self.disturb();
        kernel::pairs(
            &self.rows,
            self.stride,
            rows,
            &self.pivoted,
            (self.need, self.margin()),
            &mut self.hits,
        );
    }

    #[cfg(test)]
    fn disturb(&mut self) {
        let mut sign = self.disturb;
        for x in self
            .rows
            .iter_mut()
            .chain(&mut self.pivoted.d)
            .chain(&mut self.pivoted.alpha)
        {
            *x *= 1.0 + sign;
            sign = -sign;
        }
    }
}
