//! The walk through the subset tree: nodes above, enumeration below.
//!
//! Above, a child is made only if its bound leaves room for it ([`super::node`]). With three terms to go, the node's candidates
//! become a small matrix of correlations and all triples are tested in the nanosecond loop of [`super::kernel`]; where
//! the bounds leave few of them, two more nodes are cheaper than the matrix. What passes is looked at once more in the node's own triangle, then re-scored from the first
//! ([`super::rescore`]) and offered to the list.
//!
//! # Rounding
//!
//! A support is skipped only if its residual exceeds the list's worst by more than rounding can explain; this is how.
//!
//! - Residual lengths of nodes are good to [`Node::slack`], which grows with the coefficients of the columns pushed.
//!   All cutoffs are widened by that and by a relative [`WIDER`].
//! - What rounding does to the matrix of the pair test is taken off its diagonal beforehand ([`super::gram`]), so that a support that
//!   belongs in the list still passes.
//! - Where next to nothing is left of a column every pair with it is re-scored, unless the rank rule says that it adds nothing.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::gram::Gram;
use super::node::Node;
use super::order::Arranger;
use super::pass::Pass;
use super::rescore::Rescorer;

/// Relative widening of cutoffs: it covers ties, the rounding of listed residuals, and coefficients of moderate size.
pub(crate) const WIDER: f64 = 1e-7;

/// A matrix pays if at least one in this many pivots is wanted.
const MATRIX_PAYS: usize = 64;

/// Share of a node's residual below which correlations raise too many false alarms; then nodes are pushed further.
const SEEN: f64 = 1e-9;

/// Alarms are rare if fewer than one in this many subsets tested.
const RARE: u64 = 500;

/// Subsets decided between two words to the pass.
const TELL: u128 = 10_000_000;

/// Bounds are idle if they close less than one in this many subsets.
const IDLE: u128 = 8;

/// What was done, in numbers.
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

/// One thread's way through the tree; owns all scratch.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pass: &'a Pass<'a>,
    rescorer: Rescorer<'a>,
    /// A node per depth; those from the job's own depth on are in use.
    pub(crate) nodes: Vec<Node>,
    /// The terms of the prefix.
    path: Vec<usize>,
    spare: Node,
    arranger: Arranger,
    gram: Gram,
    /// The matrix of the level above, where four terms are left.
    upper: Gram,
    support: Vec<usize>,
    columns: Vec<usize>,
    more: Vec<usize>,
    work: Vec<f64>,
    /// Subsets tested by correlations, and those that passed.
    tested: u64,
    alarms: u64,
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
            spare: Node::default(),
            arranger: Arranger::default(),
            gram: Gram::default(),
            upper: Gram::default(),
            support: Vec::new(),
            columns: Vec::new(),
            more: Vec::new(),
            work: Vec::new(),
            tested: 0,
            alarms: 0,
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

    /// Ends a job: what it did.
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
            4 if self.sees(depth) => self.quadruples(depth),
            _ => self.children(depth, left),
        }
    }

    fn children(&mut self, depth: usize, left: usize) {
        if left > 3 && self.order_pays(depth, left) {
            let enough = self.limit(depth);
            self.arranger
                .arrange(&self.nodes[depth], enough, &mut self.spare);
            std::mem::swap(&mut self.nodes[depth], &mut self.spare);
        }
        for u in (left - 1..self.nodes[depth].len()).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, left);
                return;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                return;
            }
            let (above, below) = self.nodes.split_at_mut(depth + 1);
            above[depth].push(u, self.pass.tolerance, &mut below[0]);
            self.path.push(above[depth].terms[u]);
            self.visit(depth + 1, left - 1);
            self.path.pop();
            if self.tally.decided() - self.told > TELL {
                self.tell();
            }
        }
    }

    /// Whether enough work lies below that a better order is worth its price, about the cube of the candidates.
    fn order_pays(&self, depth: usize, left: usize) -> bool {
        let k = self.nodes[depth].len();
        let below = self.open(depth, left);
        let below = self.pass.choose(k, left) - self.pass.choose(below, left);
        self.pass.order_pays(below, k)
    }

    /// The first child that the bound closes, seen from below: columns `0..=u` are closed for `u` less than this.
    fn open(&self, depth: usize, left: usize) -> usize {
        let node = &self.nodes[depth];
        let limit = self.limit(depth);
        let mut u = node.len();
        while u >= left && node.bound(u - 1) <= limit {
            u -= 1;
        }
        u
    }

    fn matrix_pays(&self, depth: usize) -> bool {
        let k = self.nodes[depth].len();
        self.sees(depth) && (k - self.open(depth, 3)) * MATRIX_PAYS > k
    }

    /// Whether correlations at this node can see a residual as small as the list's worst.
    ///
    /// Where it is smaller, false alarms decide: as long as they are rare the matrix is still the fastest way.
    fn sees(&self, depth: usize) -> bool {
        self.alarms * RARE < self.tested || self.limit(depth) > SEEN * self.nodes[depth].rss()
    }

    /// All that is left to choose is one candidate: only small problems come here.
    fn singles(&mut self, depth: usize) {
        for u in (0..self.nodes[depth].len()).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, 1);
                return;
            }
            self.tally.enumerated += 1;
            let term = self.nodes[depth].terms[u];
            self.rescore(&[term]);
        }
    }

    fn pairs(&mut self, depth: usize) {
        let first = self.open(depth, 2).max(1);
        self.exclude(first, 2);
        let k = self.nodes[depth].len();
        if first >= k {
            return;
        }
        let limit = self.limit(depth);
        self.gram
            .measure(&self.nodes[depth], limit, self.pass.tolerance);
        self.gram.correlate(&self.nodes[depth], first);
        self.gram.no_pivot();
        self.gram.find_pairs(first..k);
        self.enumerate(first, k);
        self.rescore_hits(depth, &[]);
    }

    fn triples(&mut self, depth: usize) {
        let k = self.nodes[depth].len();
        let tolerance = self.pass.tolerance;
        let limit = self.limit(depth);
        self.gram.measure(&self.nodes[depth], limit, tolerance);
        let pivots = self.open(depth, 3).max(2)..k;
        let first = pivots.map(|p| self.open_after(depth, p)).min();
        self.gram.correlate(&self.nodes[depth], first.unwrap_or(k));
        for p in (2..k).rev() {
            if self.nodes[depth].bound(p) > self.limit(depth) {
                self.exclude(p + 1, 3);
                return;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                return;
            }
            let first = self.open_after(depth, p);
            self.exclude(first, 2);
            if first < p {
                self.gram.pivot(Some(&self.nodes[depth]), p, tolerance);
                self.gram.find_pairs(first..p);
                self.enumerate(first, p);
                self.rescore_hits(depth, &[p]);
            }
        }
    }

    /// The first column that may be the larger of two that follow `p`.
    fn open_after(&self, depth: usize, p: usize) -> usize {
        let length = self.gram.widened(self.length(depth), p);
        self.nodes[depth].open_after(p, length).max(1)
    }

    /// As [`Self::children`] and [`Self::triples`], but from one matrix.
    fn quadruples(&mut self, depth: usize) {
        let k = self.nodes[depth].len();
        let tolerance = self.pass.tolerance;
        let idle = self.bounds_are_idle(depth);
        let mut upper = std::mem::take(&mut self.upper);
        upper.measure(&self.nodes[depth], self.limit(depth), tolerance);
        upper.correlate(&self.nodes[depth], 1);
        for u in (3..k).rev() {
            if self.nodes[depth].bound(u) > self.limit(depth) {
                self.exclude(u + 1, 4);
                break;
            }
            if self.pass.stop.load(Ordering::Relaxed) {
                break;
            }
            if upper.eliminate(u, &mut self.gram) {
                let length = upper.widened(self.length(depth), u);
                let closed = (!idle).then(|| self.nodes[depth].open_after(u, length));
                let lowest = closed.unwrap_or(0).max(2);
                self.exclude(lowest, 3);
                for p in (lowest..u).rev() {
                    let closed = (!idle).then(|| {
                        let length = upper.widened(length, p);
                        self.nodes[depth].open_after_two(u, p, length)
                    });
                    let first = closed.unwrap_or(0).max(1);
                    self.exclude(first, 2);
                    if first < p {
                        self.gram.pivot(None, p, tolerance);
                        self.gram.find_pairs(first..p);
                        self.enumerate(first, p);
                        self.rescore_hits(depth, &[u, p]);
                    }
                }
            } else {
                let (above, below) = self.nodes.split_at_mut(depth + 1);
                above[depth].push(u, tolerance, &mut below[0]);
                self.path.push(above[depth].terms[u]);
                self.visit(depth + 1, 3);
                self.path.pop();
            }
        }
        self.upper = upper;
    }

    /// Whether bounds close so few subsets of four here that asking for them does not pay.
    fn bounds_are_idle(&self, depth: usize) -> bool {
        let closed = self.pass.choose(self.open(depth, 4), 4);
        closed.saturating_mul(IDLE) < self.pass.choose(self.nodes[depth].len(), 4)
    }

    /// Counts the pairs `i > j` with `i` from `first` to below `end`.
    fn enumerate(&mut self, first: usize, end: usize) {
        let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as u64;
        let count = pairs(end) - pairs(first);
        self.tested += count;
        self.tally.enumerated += u128::from(count);
    }

    fn exclude(&mut self, candidates: usize, left: usize) {
        let count = self.pass.choose(candidates, left);
        self.tally.excluded = self.tally.excluded.saturating_add(count);
    }

    /// Residuals of this node above this cannot enter the list, whatever rounding did.
    fn limit(&self, depth: usize) -> f64 {
        let length = self.length(depth);
        length * length
    }

    /// The same as a length.
    fn length(&self, depth: usize) -> f64 {
        self.pass.cutoff() + self.nodes[depth].slack
    }

    /// Looks again at what passed the pair test, together with `chosen` columns of the node, and re-scores what still may enter.
    fn rescore_hits(&mut self, depth: usize, chosen: &[usize]) {
        let hits = std::mem::take(&mut self.gram.hits);
        self.alarms += hits.len() as u64;
        for &(i, j) in &hits {
            self.columns.clear();
            self.columns.extend_from_slice(chosen);
            self.columns.extend([i, j]);
            let node = &self.nodes[depth];
            let least = node.least_with(&self.columns, self.pass.tolerance, &mut self.work);
            if least <= self.pass.cutoff() {
                let mut terms = std::mem::take(&mut self.more);
                terms.clear();
                terms.extend(self.columns.iter().map(|&u| node.terms[u]));
                self.rescore(&terms);
                self.more = terms;
            }
        }
        self.gram.hits = hits;
        self.gram.hits.clear();
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
