//! Correlations at a node: the small Gram matrix from which the last levels are enumerated.
//!
//! Columns and target are scaled to unit length at this node, so that rounding errors are relative
//! to the residual *at this node*. A column that is linearly dependent on the prefix becomes zero.
//! A subset may enter the list if the matrix `M = C − ccᵀ/G` of [`crate::search::tree::kernel`] is
//! not positive definite on it.
//!
//! # Why no subset is lost to rounding
//!
//! If a subset explains the fraction `G`, its coefficients `w` satisfy `wᵀMw ≤ 0`. A bound on the
//! rounding error of that sum is subtracted from the diagonal beforehand, so that it stays
//! negative:
//!
//! - entries of the matrix are off by `e`, which changes `wᵀMw` by no more than `4e w²` for four
//!   columns. The computed Cholesky factorisation is the exact one of a matrix that differs by less
//!   than that, however small its pivots ([Higham 2002], theorem 10.3), so nothing more is needed
//!   for what is computed from `M`.
//! - a column with remaining length `l` has a direction error of `θ = ε/l`. It changes the
//!   residual's length by `θ|w|`, hence a relative residual `x` by `2√x θ|w|` and a square, and
//!   `2|w| ≤ κw² + 1/κ`: the first part is subtracted from the diagonal, the second from `G`.
//!
//! [Higham 2002]: https://doi.org/10.1137/1.9780898718027

use std::ops::Range;

use crate::search::tree::kernel::{self, BLOCK, LANES, Pair, Pivoted, Scaled};
use crate::search::tree::node::{Node, SLACK};

/// How many columns are chosen from one matrix at most.
const CHOSEN: f64 = 4.0;

/// Direction errors up to this widen the cutoff by about as much; larger ones are subtracted from
/// the diagonal.
const TURNED: f64 = 1e-6;

/// A column with a smaller remaining length is handled by rotations.
const CLOSE: f64 = 1e-11;

/// The matrix of the pair test for a node's candidates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gram {
    k: usize,
    stride: usize,
    /// Row `i` holds entries with columns `0..i`.
    rows: Vec<f64>,
    diagonal: Vec<f64>,
    /// Correlations with the target, and the same divided by the square root of the fraction to
    /// explain.
    c: Vec<f64>,
    gamma: Vec<f64>,
    lengths: Vec<f64>,
    inverse_lengths: Vec<f64>,
    rss_length: f64,
    pivoted: Pivoted,
    /// Pairs that passed the last test.
    hits: Vec<Pair>,
}

impl Gram {
    /// Measures the node's columns: their lengths, their correlations with the target, and their
    /// rounding errors.
    pub(crate) fn measure(&mut self, node: &Node, limit: f64, tolerance: f64) {
        self.k = node.len();
        self.stride = node.stride();
        self.rss_length = node.rss().sqrt();
        for column in [
            &mut self.c,
            &mut self.lengths,
            &mut self.inverse_lengths,
            &mut self.gamma,
            &mut self.diagonal,
        ] {
            column.clear();
            column.resize(self.stride, 0.0);
        }
        node.measure(&mut self.c[..self.k], &mut self.lengths[..self.k]);
        let inverse_target = 1.0 / self.rss_length.max(f64::MIN_POSITIVE);
        let mut largest = 0.0_f64;
        for (j, length) in self.lengths[..self.k].iter_mut().enumerate() {
            *length = length.sqrt();
            let inverse = if *length <= tolerance {
                0.0
            } else {
                1.0 / *length
            };
            largest = largest.max(inverse);
            self.inverse_lengths[j] = inverse;
            self.c[j] *= inverse * inverse_target;
        }
        self.want(node.rss(), limit, SLACK * largest);
    }

    /// Sets the fraction that a subset has to explain, and allows for rounding.
    fn want(&mut self, rss: f64, limit: f64, largest_angle: f64) {
        let share = limit / rss.max(f64::MIN_POSITIVE);
        let unexplained = share.sqrt();
        let want = 1.0 - share - CHOSEN * unexplained * largest_angle.min(TURNED);
        if rss <= limit || want.is_nan() || want <= 0.0 {
            // The prefix is good enough by itself: every subset passes.
            self.diagonal[..self.k].fill(-1.0);
            return;
        }
        let root = want.sqrt();
        let error = f64::EPSILON * (64.0 + 2.0 * self.k as f64) * (1.0 + 2.0 / root);
        for j in 0..self.k {
            let inverse = self.inverse_lengths[j];
            let gamma = self.c[j] / root;
            let angle = SLACK * inverse;
            let turned = unexplained * angle * (angle / TURNED).max(1.0) + CHOSEN * angle * angle;
            self.gamma[j] = gamma;
            self.diagonal[j] = if inverse > 0.0 {
                1.0 - gamma * gamma - turned - CHOSEN * error
            } else {
                1.0
            };
        }
    }

    /// Whether the prefix with column `j` may be good enough.
    pub(crate) fn is_enough(&self, j: usize) -> bool {
        self.diagonal[j] <= 0.0
    }

    /// A column for which correlations are not accurate enough: it explains too much by itself, or
    /// its remaining length is too small. None if the prefix alone is good enough.
    pub(crate) fn loner(&self) -> Option<usize> {
        // If the prefix is good enough, the columns were not measured.
        let is_loner = |&j: &usize| self.diagonal[j] <= CLOSE && self.gamma[j] != 0.0;
        (0..self.k).rev().find(is_loner)
    }

    /// Computes rows `first..` of the matrix, once the columns are measured.
    pub(crate) fn correlate(&mut self, node: &Node, first: usize) {
        let k = self.k;
        if self.rows.len() < k * self.stride {
            self.rows.resize(k * self.stride, 0.0);
        }
        self.pivoted.resize(k);
        let columns = Scaled {
            scale: &self.inverse_lengths,
            gamma: &self.gamma,
        };
        node.correlate(first..k, columns, &mut self.rows);
    }

    /// The length allowed once column `p` is chosen, whose own direction is uncertain too.
    pub(crate) fn widened(&self, length: f64, p: usize) -> f64 {
        length + SLACK * self.inverse_lengths[p] * self.c[p].abs() * self.rss_length
    }

    /// Prepares the pair test with nothing chosen at this node.
    pub(crate) fn no_pivot(&mut self) {
        self.pivoted.q.fill(0.0);
        for (t, d) in self.pivoted.t.iter_mut().zip(&self.diagonal) {
            *t = d.max(0.0);
        }
    }

    /// Prepares the pair test among the columns before `p`, with `p` chosen, and says whether some
    /// column is nearly collinear with it. If `p` explains enough by itself, everything passes.
    pub(crate) fn choose(&mut self, p: usize) -> bool {
        let own = self.diagonal[p];
        if own <= 0.0 {
            self.pivoted.q.fill(0.0);
            self.pivoted.t.fill(0.0);
            return false;
        }
        let padded = p.next_multiple_of(LANES);
        let line = &self.rows[p * self.stride..][..padded];
        let inverse = 1.0 / own.sqrt();
        kernel::prepare(line, inverse, &self.diagonal, CLOSE, &mut self.pivoted)
    }

    /// Makes `child` the matrix of the columns before `u` once `u` is chosen. Fails if one of them
    /// is nearly collinear with it: then a node made by rotations is needed.
    pub(crate) fn eliminate(&mut self, u: usize, child: &mut Self) -> bool {
        if self.diagonal[u] <= 0.0 || self.choose(u) {
            return false;
        }
        child.k = u;
        child.stride = u.next_multiple_of(BLOCK);
        child.diagonal.clear();
        child
            .diagonal
            .extend_from_slice(&self.pivoted.t[..child.stride]);
        if child.rows.len() < u * child.stride {
            child.rows.resize(u * child.stride, 0.0);
        }
        child.pivoted.resize(u);
        let into = (child.rows.as_mut_slice(), child.stride);
        kernel::eliminate(&self.rows, self.stride, u, &self.pivoted.q, into);
        true
    }

    /// The pairs with the larger column in `rows` that pass the test.
    pub(crate) fn find_pairs(&mut self, rows: Range<usize>) -> &[Pair] {
        #[cfg(test)]
        self.disturb();
        self.hits.clear();
        kernel::pairs(&self.rows, self.stride, rows, &self.pivoted, &mut self.hits);
        &self.hits
    }

    /// Makes the arithmetic worse than it is.
    #[cfg(test)]
    fn disturb(&mut self) {
        let mut by = tests::DISTURB.get();
        let numbers = self.rows.iter_mut().chain(&mut self.pivoted.q);
        for x in numbers.chain(&mut self.pivoted.t) {
            *x *= 1.0 + by;
            by = -by;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::reduce::triangle::Triangle;
    use crate::search::numbers::{columns, numbers};
    use crate::search::{Run, Search, SizeList, search};

    thread_local! {
        /// Relative error to add to the numbers of the pair test.
        pub(in crate::search) static DISTURB: Cell<f64> = const { Cell::new(0.0) };
    }

    /// Columns that give many near-ties: some are nearly or exactly equal.
    fn troubled(seed: u64) -> Triangle {
        let mut random = numbers(seed);
        let mut columns = columns(&mut random, 12, 25);
        let mut next = || random.next().expect("there is no end");
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
            list.certificate = crate::search::Certificate::default();
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
