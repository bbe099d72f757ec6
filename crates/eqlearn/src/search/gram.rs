//! Correlations at a node: the small matrix on which the last two or three levels are enumerated.
//!
//! Columns and target are scaled to unit length at this node, so that cancellation is relative to what is left *here*. A column that
//! depends on the prefix becomes zero: it correlates with nothing and adds nothing.
//!
//! Why the margins suffice: with errors `e` in correlations and squared lengths `d` left, the pair test in the units of this node is off by at most
//! `4 e (√(G d_i) d_j + …)` as long as neither column explains `G` by itself, because then `c² ≤ G d`; and
//! `μ d_i d_j + G (μ/d_i + μ/d_j) d_i d_j` with `μ ≥ 16 e` is larger, by the inequality of the means. A column that explains `G` by itself passes with every other.

use super::kernel::{self, BLOCK, Candidates, LANES, LEAST, Need, Pair, Pivoted};
use super::node::{Node, SLACK};

/// Below this squared length a column is measured again, from the triangle.
const CLOSE: f64 = 1e-6;

/// Correlations that are known no better than this share of the residual wanted are not worth having: too many pairs would pass.
const TOLD: f64 = 0.01;

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
    /// What rounding has cost a column: the more, the less of it is left.
    lost: Vec<f64>,
    zeros: Vec<f64>,
    rss: f64,
    /// The root of `rss`, and its inverse squared: divisions and roots are dear where every pivot wants them.
    rss_length: f64,
    inverse_rss: f64,
    need: Need,
    /// The column chosen last.
    pivot: Option<usize>,
    /// Rounding of a correlation.
    margin: f64,
    scale: Vec<f64>,
    pivoted: Pivoted,
    /// Pairs that passed the last test.
    pub(crate) hits: Vec<Pair>,
    one: Vec<f64>,
    other: Vec<f64>,
}

impl Gram {
    /// Computes rows `first..` of the node's correlations.
    pub(crate) fn fill(&mut self, node: &Node, first: usize, limit: f64, tolerance: f64) {
        let k = node.len();
        self.k = k;
        self.stride = k.next_multiple_of(BLOCK);
        self.set_rss(node.rss());
        self.margin = f64::EPSILON * (64.0 + 2.0 * k as f64);
        self.measure(node, tolerance);
        self.lose(limit);
        if self.rows.len() < k * self.stride {
            self.rows.resize(k * self.stride, 0.0);
        }
        self.pivoted.resize(k);
        node.correlate(first..k, &self.inverse_lengths, &mut self.rows);
    }

    /// Lengths and correlations with the target.
    fn measure(&mut self, node: &Node, tolerance: f64) {
        for sums in [&mut self.c, &mut self.lengths] {
            sums.clear();
            sums.resize(self.stride, 0.0);
        }
        self.inverse_lengths.resize(self.stride, 0.0);
        node.measure(&mut self.c[..self.k], &mut self.lengths[..self.k]);
        let inverse_target = 1.0 / self.rss.sqrt().max(f64::MIN_POSITIVE);
        for (j, length) in self.lengths[..self.k].iter_mut().enumerate() {
            *length = length.sqrt();
            let inverse = if *length <= tolerance {
                0.0
            } else {
                1.0 / *length
            };
            self.inverse_lengths[j] = inverse;
            self.c[j] *= inverse * inverse_target;
        }
    }

    /// What rounding has cost each column: a column of which little is left has turned by an angle θ, which changes a residual
    /// of share `x` by no more than `2 θ √x + θ²`.
    fn lose(&mut self, limit: f64) {
        let share = (limit / self.rss.max(f64::MIN_POSITIVE)).min(1.0).sqrt();
        self.lost.clear();
        self.lost.resize(self.stride, 0.0);
        for (lost, &inverse) in self.lost.iter_mut().zip(&self.inverse_lengths) {
            let angle = SLACK * inverse;
            // A column that depends on the prefix wants a second look, and is seen by this.
            *lost = if inverse > 0.0 {
                angle * (2.0 * share + angle)
            } else {
                1.0
            };
        }
    }

    fn set_rss(&mut self, rss: f64) {
        self.rss = rss;
        self.rss_length = rss.sqrt();
        self.inverse_rss = 1.0 / rss.max(f64::MIN_POSITIVE);
    }

    /// The length allowed once column `p` is chosen, whose own angle is uncertain too.
    fn widened(&self, length: f64, p: usize) -> f64 {
        length + SLACK * self.inverse_lengths[p] * self.c[p].abs() * self.rss_length
    }

    /// Prepares the pair test with nothing chosen at this node.
    pub(crate) fn no_pivot(&mut self, limit: f64) {
        self.need = self.share_above(limit, 0.0);
        self.pivot = None;
        self.zeros.resize(self.stride, 0.0);
        let candidates = Candidates {
            a: &self.zeros[..self.stride],
            c: &self.c,
            lost: &self.lost,
            pivot: 0.0,
        };
        if kernel::prepare(candidates, self.need, &mut self.pivoted) {
            for j in 0..self.k {
                self.set(j, 1.0, self.c[j]);
            }
        }
    }

    /// Prepares the pair test among the columns before `p`, with `p` chosen, for residuals up to this length; a node allows a second look at columns close to it.
    pub(crate) fn pivot(&mut self, node: Option<&Node>, p: usize, length: f64, tolerance: f64) {
        let c_p = self.c[p];
        self.pivot = Some(p);
        let length = self.widened(length, p);
        self.need = self.share_above(length * length, c_p * c_p);
        let candidates = Candidates {
            a: &self.rows[p * self.stride..][..p.next_multiple_of(LANES)],
            c: &self.c,
            lost: &self.lost,
            pivot: c_p,
        };
        if !kernel::prepare(candidates, self.need, &mut self.pivoted) {
            return;
        }
        for j in 0..p {
            let a = self.rows[p * self.stride + j];
            let (mut d, mut c) = (1.0 - a * a, self.c[j] - a * c_p);
            if let Some(node) = node.filter(|_| d < CLOSE) {
                (d, c) = self.measure_again(node, p, j);
                if d.sqrt() * self.lengths[j] <= tolerance {
                    self.set_dependent(j);
                    continue;
                }
            }
            self.set(j, d, c);
        }
    }

    /// Makes `child` the correlations among the columns before `u` once `u` is chosen, if enough is left of each of them to tell.
    ///
    /// Returns the length allowed, wider by what the choice of `u` adds to it. What is lost is `margin / d` for the least `d` left; beyond [`TOLD`] of the limit a node made by rotations is needed.
    pub(crate) fn eliminate(&mut self, u: usize, length: f64, child: &mut Self) -> Option<f64> {
        let c_u = self.c[u];
        let left = 1.0 - c_u * c_u;
        child.k = u;
        child.stride = u.next_multiple_of(BLOCK);
        let line = &self.rows[u * self.stride..][..child.stride];
        let mut least = left;
        self.scale.clear();
        self.scale.resize(child.stride, 0.0);
        for (&a, scale) in line[..u].iter().zip(&mut self.scale) {
            let d = 1.0 - a * a;
            least = least.min(d);
            *scale = 1.0 / d.sqrt();
        }
        child.margin = self.margin / least;
        if self.inverse_lengths[u] <= 0.0
            || child.margin.is_nan()
            || child.margin > TOLD
            || least <= 0.0
        {
            return None;
        }
        let wider = self.widened(length, u);
        child.set_rss(self.rss * left);
        let inverse_target = 1.0 / left.sqrt();
        for sums in [&mut child.c, &mut child.lengths, &mut child.inverse_lengths] {
            sums.clear();
            sums.resize(child.stride, 0.0);
        }
        for (j, a) in line[..u].iter().enumerate() {
            let scale = self.scale[j];
            child.c[j] = (self.c[j] - a * c_u) * scale * inverse_target;
            child.lengths[j] = self.lengths[j] / scale;
            child.inverse_lengths[j] = self.inverse_lengths[j] * scale;
        }
        child.lose(wider * wider);
        if child.rows.len() < u * child.stride {
            child.rows.resize(u * child.stride, 0.0);
        }
        child.pivoted.resize(u);
        let pivot = (line, self.scale.as_slice());
        let into = (child.rows.as_mut_slice(), child.stride);
        kernel::eliminate(&self.rows, self.stride, u, pivot, into);
        Some(wider)
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

    fn set(&mut self, j: usize, d: f64, c: f64) {
        if self.inverse_lengths[j] <= 0.0 {
            self.set_dependent(j);
            return;
        }
        let Need { share, margin, .. } = self.need;
        let lost = margin / d + self.lost[j];
        if d <= 0.0 || c * c >= (share - margin) * d || lost > 0.5 {
            self.set_certain(j);
            return;
        }
        let c = if c.abs() < LEAST { LEAST } else { c };
        let s = 1.0 / c;
        self.pivoted.s[j] = s;
        self.pivoted.square[j] = 0.25 * share * (s * s);
        self.set_lengths(j, d * (s * s), d * (s * s) * (1.0 - lost));
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
        self.pivoted.square[j] = 0.0;
        self.set_lengths(j, d, less);
    }

    fn set_lengths(&mut self, j: usize, d: f64, less: f64) {
        self.pivoted.d[j] = d;
        self.pivoted.less[j] = less;
    }

    /// The share of the residual that is still to be explained to get below `limit`, given what the pivot has.
    fn share_above(&self, limit: f64, gain: f64) -> Need {
        // Anything negative says yes to everything, which is what a list that is not full wants.
        const LEAST_NEED: f64 = -1e3;
        Need {
            share: (1.0 - limit * self.inverse_rss - gain).max(LEAST_NEED),
            margin: self.margin,
            close: CLOSE,
        }
    }

    /// Tests the pairs with the larger column in `rows`; see [`Self::hits`].
    pub(crate) fn find_pairs(&mut self, rows: std::ops::Range<usize>) {
        #[cfg(test)]
        self.disturb();
        let with_pivot = match self.pivot {
            Some(p) => &self.rows[p * self.stride..][..self.stride],
            None => &self.zeros[..self.stride],
        };
        let (gram, pivoted) = (&self.rows, &self.pivoted);
        kernel::pairs(gram, self.stride, rows, with_pivot, pivoted, &mut self.hits);
    }

    /// Makes the arithmetic worse than it is.
    #[cfg(test)]
    fn disturb(&mut self) {
        let mut by = tests::DISTURB.get();
        let numbers = self.rows.iter_mut().chain(&mut self.pivoted.d);
        for x in numbers.chain(&mut self.pivoted.s) {
            *x *= 1.0 + by;
            by = -by;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::search::{Run, Search, SizeList, search};
    use crate::triangle::Triangle;

    thread_local! {
        /// Relative error to add to the numbers of the pair test.
        pub(super) static DISTURB: Cell<f64> = const { Cell::new(0.0) };
    }

    /// Columns that leave many near-ties: nearly and exactly equal ones among them.
    fn troubled(seed: u64) -> Triangle {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut columns: Vec<Vec<f64>> =
            (0..12).map(|_| (0..25).map(|_| next()).collect()).collect();
        columns[3] = columns[7].clone();
        columns[5] = columns[2].iter().map(|x| x + 1e-6 * next()).collect();
        let target = (0..25)
            .map(|r| columns[1][r] - columns[3][r] + 0.1 * next())
            .collect();
        columns.push(target);
        Triangle::from_columns(&columns)
    }

    fn lists(triangle: &Triangle, disturb: f64) -> Vec<SizeList> {
        DISTURB.set(disturb);
        let settings = Search {
            max_terms: 6,
            ..Search::default()
        };
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let mut found = search(triangle, &settings, &run, &mut ())
            .expect("the settings are sound")
            .sizes;
        DISTURB.set(0.0);
        for list in &mut found {
            list.certificate = super::super::Certificate::default();
        }
        found
    }

    #[test]
    fn wrong_low_bits_in_the_pair_test_do_not_change_the_lists() {
        for seed in 1..=100 {
            let triangle = troubled(seed);
            let clean = lists(&triangle, 0.0);
            for disturb in [2.0 * f64::EPSILON, -2.0 * f64::EPSILON] {
                assert_eq!(lists(&triangle, disturb), clean, "seed {seed}");
            }
        }
    }

    #[test]
    fn wrong_high_bits_do_change_them_so_the_disturbance_is_felt() {
        let changed = (1..=100).filter(|&seed| {
            let triangle = troubled(seed);
            lists(&triangle, 0.05) != lists(&triangle, 0.0)
        });
        assert!(changed.count() > 0);
    }
}
