//! Branch and bound on the subset tree: nodes on the upper levels, enumeration of the last ones.
//!
//! On the upper levels, a child is made only if its bound allows it
//! ([`crate::search::tree::node`]). With four terms to go, the node's candidates become a small
//! matrix of correlations, and every subset that the bounds do not exclude is tested by the fast
//! loop of [`crate::search::tree::kernel`]. A subset that passes is tested again in the node's
//! triangle, then scored from the search's own triangle ([`crate::search::tree::rescore`]) and
//! offered to the list.
//!
//! Correlations are not accurate enough for a column that explains almost all of the residual, or
//! that is almost linearly dependent on the prefix. Such a column (a loner) would pass with every
//! other. It is branched on first, by rotations, which are accurate, and then removed
//! ([`Walk::without_loners`]).
//!
//! # Rounding
//!
//! A support is skipped only if its residual exceeds the worst of the list by more than the
//! rounding error. This is ensured as follows.
//!
//! - Residual lengths of nodes are accurate to [`Node::slack`], which grows with the coefficients
//!   of the chosen columns. All cutoffs are widened by that and by a relative [`WIDER`].
//! - A bound on the rounding error of the pair test is subtracted from the diagonal of its matrix
//!   beforehand ([`crate::search::tree::gram`]), so that a support that belongs in the list still
//!   passes.

use std::ops::Range;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use crate::search::decide::pass::Pass;
use crate::search::tree::gram::Gram;
use crate::search::tree::kernel::Closing;
use crate::search::tree::node::Node;
use crate::search::tree::order::Arranger;
use crate::search::tree::rescore::Rescorer;

/// Relative widening of cutoffs: it covers ties, the rounding of listed residuals, and coefficients
/// of moderate size.
pub(crate) const WIDER: f64 = 1e-7;

/// A matrix pays if at least one in this many pivots is wanted.
const MATRIX_PAYS: usize = 64;

/// Subsets decided between two reports to the pass.
const TELL: u128 = 10_000_000;

/// Bounds do not pay if they exclude less than one in this many subsets.
const IDLE: u128 = 8;

/// How many excluded columns are reordered together with the others, where it does not pay to
/// reorder all.
const RECONSIDERED: usize = 16;

/// Counts of the work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) excluded: u128,
    pub(crate) enumerated: u128,
    pub(crate) rescored: u64,
    pub(crate) nodes: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.excluded = self.excluded.saturating_add(other.excluded);
        self.enumerated = self.enumerated.saturating_add(other.enumerated);
        self.rescored += other.rescored;
        self.nodes += other.nodes;
    }

    /// Subsets that need no further look.
    pub(crate) fn decided(&self) -> u128 {
        self.excluded.saturating_add(self.enumerated)
    }
}

/// One thread's walk through the tree; owns all scratch space.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pass: &'a Pass<'a>,
    rescorer: Rescorer<'a>,
    /// A node per depth; those from the job's own depth on are in use.
    pub(crate) nodes: Vec<Node>,
    /// The terms of the prefix.
    path: Vec<usize>,
    arranger: Arranger,
    /// One matrix per number of terms still to choose.
    grams: [Gram; 5],
    closing: Closing,
    limits: Vec<f64>,
    support: Vec<usize>,
    columns: Vec<usize>,
    more: Vec<usize>,
    work: Vec<f64>,
    tally: Tally,
    /// Subsets of this job already told to the pass.
    told: u128,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(pass: &'a Pass<'a>, rescorer: Rescorer<'a>) -> Self {
        Self {
            pass,
            rescorer,
            nodes: Vec::new(),
            path: Vec::new(),
            arranger: Arranger::default(),
            grams: Default::default(),
            closing: Closing::default(),
            limits: Vec::new(),
            support: Vec::new(),
            columns: Vec::new(),
            more: Vec::new(),
            work: Vec::new(),
            tally: Tally::default(),
            told: 0,
        }
    }

    /// Takes up a job: its node, and the terms that lead to it.
    pub(crate) fn begin(&mut self, depth: usize, node: &mut Node, path: &[usize]) {
        if self.nodes.len() <= depth {
            self.nodes.resize_with(depth + 1, Node::default);
        }
        std::mem::swap(&mut self.nodes[depth], node);
        self.path.clear();
        self.path.extend_from_slice(path);
    }

    /// Ends a job and returns its counts.
    pub(crate) fn end(&mut self) -> Tally {
        self.tell();
        self.told = 0;
        std::mem::take(&mut self.tally)
    }

    /// Tells the pass how many subsets were decided since last time.
    fn tell(&mut self) {
        let decided = self.tally.decided();
        self.pass.advance(decided - self.told);
        self.told = decided;
    }

    /// Decides all supports that add `left` candidates of the node at `depth` to the path.
    pub(crate) fn visit(&mut self, depth: usize, left: usize) {
        if self.nodes.len() < depth + 2 {
            self.nodes.resize_with(depth + 2, Node::default);
        }
        self.tally.nodes += 1;
        match left {
            0 => {
                self.tally.enumerated += 1;
                self.rescore(&[]);
            }
            1 => self.singles(depth),
            2 => self.pairs(depth),
            3 if self.matrix_pays(depth) => self.triples(depth),
            4 => self.quadruples(depth),
            _ => self.children(depth, left),
        }
    }

    fn children(&mut self, depth: usize, left: usize) {
        if left > 4 {
            self.reorder(depth, left);
        }
        for u in (left - 1..self.nodes[depth].len()).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, left);
                return;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                return;
            }
            self.child(depth, left, u);
            if self.tally.decided() - self.told > TELL {
                self.tell();
            }
        }
    }

    /// Decides all supports with column `u` that add `left − 1` columns before it.
    fn child(&mut self, depth: usize, left: usize, u: usize) {
        let (above, below) = self.nodes.split_at_mut(depth + 1);
        above[depth].push(u, self.pass.tolerance, &mut below[0]);
        self.path.push(above[depth].terms[u]);
        self.visit(depth + 1, left - 1);
        self.path.pop();
    }

    /// Puts columns in a better order: the more work lies below, the more columns.
    fn reorder(&mut self, depth: usize, left: usize) {
        let enough = self.limit(depth);
        let k = self.nodes[depth].len();
        let closed = self.open(depth, left);
        let below = self.pass.choose(k, left) - self.pass.choose(closed, left);
        let last = closed.saturating_sub(RECONSIDERED);
        let from = [0, last]
            .into_iter()
            .find(|from| self.pass.order_pays(below, k - from));
        if let Some(from) = from {
            let node = &mut self.nodes[depth];
            self.arranger.improve(node, from, left, enough);
        }
    }

    fn open(&self, depth: usize, left: usize) -> usize {
        self.nodes[depth].open(left, self.limit(depth))
    }

    fn matrix_pays(&self, depth: usize) -> bool {
        let k = self.nodes[depth].len();
        (k - self.open(depth, 3)) * MATRIX_PAYS > k
    }

    /// Measures the node's columns for the pair test; loners are branched on and leave the node.
    /// Says whether anything is left to decide.
    ///
    /// When supports are wanted in the order of the dictionary, no column may be branched on early.
    fn without_loners(&mut self, depth: usize, left: usize, gram: &mut Gram) -> bool {
        loop {
            let k = self.nodes[depth].len();
            if self.open(depth, left) >= k {
                self.exclude(k, left);
                return false;
            }
            let limit = self.limit(depth);
            gram.measure(&self.nodes[depth], limit, self.pass.tolerance);
            let Some(u) = gram.loner().filter(|_| self.pass.reorders()) else {
                return true;
            };
            self.nodes[depth].make_last(u);
            self.child(depth, left, k - 1);
            self.nodes[depth].drop_last();
        }
    }

    fn singles(&mut self, depth: usize) {
        let mut gram = std::mem::take(&mut self.grams[1]);
        let limit = self.limit(depth);
        gram.measure(&self.nodes[depth], limit, self.pass.tolerance);
        for u in (0..self.nodes[depth].len()).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, 1);
                break;
            }
            self.tally.enumerated += 1;
            if gram.is_enough(u) {
                self.rescore_hit(depth, &[u]);
            }
        }
        self.grams[1] = gram;
    }

    fn pairs(&mut self, depth: usize) {
        let mut gram = std::mem::take(&mut self.grams[2]);
        if self.without_loners(depth, 2, &mut gram) {
            let k = self.nodes[depth].len();
            let first = self.open(depth, 2).max(1);
            self.exclude(first, 2);
            gram.correlate(&self.nodes[depth], first);
            gram.no_pivot();
            self.enumerate(depth, &[], &mut gram, first..k);
        }
        self.grams[2] = gram;
    }

    fn triples(&mut self, depth: usize) {
        let mut gram = std::mem::take(&mut self.grams[3]);
        if self.without_loners(depth, 3, &mut gram) {
            self.triples_of(depth, &mut gram);
        }
        self.grams[3] = gram;
    }

    fn triples_of(&mut self, depth: usize, gram: &mut Gram) {
        let k = self.nodes[depth].len();
        let pivots = self.open(depth, 3).max(2)..k;
        let first = pivots.map(|p| self.open_after(depth, p, gram)).min();
        gram.correlate(&self.nodes[depth], first.unwrap_or(k));
        for p in (2..k).rev() {
            if self.nodes[depth].bound(p) > self.limit(depth) {
                self.exclude(p + 1, 3);
                return;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                return;
            }
            let first = self.open_after(depth, p, gram);
            if first >= p {
                self.exclude(p, 2);
            } else if gram.choose(p) {
                self.child(depth, 3, p);
            } else {
                self.exclude(first, 2);
                self.enumerate(depth, &[p], gram, first..p);
            }
        }
    }

    /// The first column that may be the larger of two that follow `p`.
    fn open_after(&self, depth: usize, p: usize, gram: &Gram) -> usize {
        let length = gram.widened(self.length(depth), p);
        self.nodes[depth].open_after(p, length).max(1)
    }

    /// As [`Self::children`] and [`Self::triples`], but from one matrix.
    fn quadruples(&mut self, depth: usize) {
        let mut upper = std::mem::take(&mut self.grams[4]);
        if self.without_loners(depth, 4, &mut upper) {
            self.quadruples_of(depth, &mut upper);
        }
        self.grams[4] = upper;
    }

    fn quadruples_of(&mut self, depth: usize, upper: &mut Gram) {
        let idle = self.bounds_are_idle(depth);
        upper.correlate(&self.nodes[depth], 1);
        for u in (3..self.nodes[depth].len()).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, 4);
                return;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                return;
            }
            let lowest = if idle {
                2
            } else {
                self.open_after(depth, u, upper).max(2)
            };
            if lowest >= u {
                self.exclude(u, 3);
                continue;
            }
            let mut gram = std::mem::take(&mut self.grams[3]);
            let apart = upper.eliminate(u, &mut gram);
            if apart {
                self.exclude(lowest, 3);
                self.close_after(depth, (u, lowest..u), upper, idle);
                for p in (lowest..u).rev() {
                    let first = self.closing.closed(p - lowest).max(1);
                    self.exclude(first, 2);
                    if first < p {
                        gram.choose(p);
                        self.enumerate(depth, &[u, p], &mut gram, first..p);
                    }
                }
            }
            self.grams[3] = gram;
            if !apart {
                self.child(depth, 4, u);
            }
        }
    }

    /// For each second column that follows `u`: how many columns are excluded once both are chosen.
    fn close_after(
        &mut self,
        depth: usize,
        (u, second): (usize, Range<usize>),
        gram: &Gram,
        idle: bool,
    ) {
        if idle {
            self.closing.none(second.len());
            return;
        }
        let length = gram.widened(self.length(depth), u);
        self.limits.clear();
        let lengths = second.clone().map(|p| gram.widened(length, p));
        self.limits.extend(lengths.map(|length| length * length));
        let (node, closing) = (&self.nodes[depth], &mut self.closing);
        node.open_after_two(u, second, &self.limits, closing);
    }

    /// Whether bounds exclude so few subsets of four here that computing them does not pay.
    fn bounds_are_idle(&self, depth: usize) -> bool {
        let closed = self.pass.choose(self.open(depth, 4), 4);
        closed.saturating_mul(IDLE) < self.pass.choose(self.nodes[depth].len(), 4)
    }

    /// Tests the pairs with the larger column in `rows`, together with the `chosen` columns, and
    /// re-scores what passes.
    fn enumerate(&mut self, depth: usize, chosen: &[usize], gram: &mut Gram, rows: Range<usize>) {
        let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as u128;
        self.tally.enumerated += pairs(rows.end) - pairs(rows.start);
        for &(i, j) in gram.find_pairs(rows) {
            let mut columns = std::mem::take(&mut self.columns);
            columns.clear();
            columns.extend_from_slice(chosen);
            columns.extend([i, j]);
            self.rescore_hit(depth, &columns);
            self.columns = columns;
        }
    }

    fn exclude(&mut self, candidates: usize, left: usize) {
        let count = self.pass.choose(candidates, left);
        self.tally.excluded = self.tally.excluded.saturating_add(count);
    }

    /// Supports with a residual above this cannot enter the list, rounding included.
    fn limit(&self, depth: usize) -> f64 {
        let length = self.length(depth);
        length * length
    }

    /// The same as a length.
    fn length(&self, depth: usize) -> f64 {
        self.pass.cutoff() + self.nodes[depth].slack
    }

    /// Tests columns again that passed by correlations, now in the node's triangle, and scores them
    /// if they may still enter.
    fn rescore_hit(&mut self, depth: usize, columns: &[usize]) {
        let node = &self.nodes[depth];
        let least = node.least_with(columns, self.pass.tolerance, &mut self.work);
        if least <= self.pass.cutoff() {
            let mut terms = std::mem::take(&mut self.more);
            terms.clear();
            terms.extend(columns.iter().map(|&u| node.terms[u]));
            self.rescore(&terms);
            self.more = terms;
        }
    }

    /// Scores the path with these terms from the triangle, and offers it to the list.
    fn rescore(&mut self, more: &[usize]) {
        self.support.clear();
        self.support.extend_from_slice(&self.pass.required);
        self.support.extend_from_slice(&self.path);
        self.support.extend_from_slice(more);
        self.support.sort_unstable();
        self.tally.rescored += 1;
        let residual = self.rescorer.one_minus_r2(&self.support);
        self.pass.offer(&self.support, residual);
    }
}
