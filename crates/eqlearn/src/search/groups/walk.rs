//! One kind of support: branch and bound over the free terms, a plain search for the shared ones.

use super::score::Scorer;
use super::{Job, Kind};
use crate::error::Result;
use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::support::Support;
use crate::reduce::triangle::Triangle;
use crate::search::decide::shortlist::Shortlist;
use crate::search::groups::choose;
use crate::search::tree::kernel;
use crate::search::tree::node::Node;
use crate::search::tree::walk::WIDER;
use crate::search::{Candidate, Certificate, Run, Search, SizeList, search};

/// Nodes between two reports to the observer.
const TELL: u64 = 256;

/// The walk through one kind.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    job: &'a Job<'a>,
    scorer: &'a Scorer,
    kind: Kind,
    /// The shared terms that a plain search chooses from, and how many.
    left_shared: usize,
    /// For each depth the node of each experiment.
    nodes: Vec<Vec<Node>>,
    path: Vec<usize>,
    list: Shortlist,
    only_zeros: bool,
    stopped: bool,
    certificate: Certificate,
    told: u64,
    sums: Vec<f64>,
    products: Vec<f64>,
    squares: Vec<f64>,
    near: Vec<bool>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(job: &'a Job<'a>, scorer: &'a Scorer, kind: Kind) -> Self {
        Self {
            job,
            scorer,
            kind,
            left_shared: kind.shared - job.required_shared,
            nodes: Vec::new(),
            path: Vec::new(),
            list: Shortlist::new(job.settings.keep),
            only_zeros: false,
            stopped: false,
            certificate: Certificate {
                margin: 2.0 * scorer.tolerance,
                ..Certificate::default()
            },
            told: 0,
            sums: Vec::new(),
            products: Vec::new(),
            squares: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Decides all supports of this kind.
    pub(super) fn decide(&mut self, observer: &mut dyn Observer) -> Result<SizeList> {
        let left = self.kind.free - self.job.required_free;
        let order = self.order();
        self.nodes = vec![self.root(&order)];
        self.visit(0, left, observer)?;
        if self.is_full_of_zeros() && !self.stopped {
            // Bounds cannot help: the first ones in the order of the dictionary are listed.
            self.only_zeros = true;
            self.list = Shortlist::new(self.job.settings.keep);
            let backwards: Vec<usize> = self.job.free.iter().rev().copied().collect();
            self.nodes = vec![self.root(&backwards)];
            self.visit(0, left, observer)?;
        }
        let subsets = self.job.subsets(self.kind);
        if !self.stopped {
            self.certificate.excluded = subsets.saturating_sub(self.certificate.enumerated);
        }
        let list = std::mem::replace(&mut self.list, Shortlist::new(0));
        Ok(SizeList {
            size: self.kind.free + self.kind.shared,
            subsets,
            exact: !self.stopped,
            best: list.into_best(),
            certificate: self.certificate,
        })
    }

    /// Terms that are in every support of this kind as far as bounds are concerned: shared ones
    /// that may be in are, each free in every experiment.
    fn always(&self) -> Vec<usize> {
        let Search {
            centre, required, ..
        } = self.job.settings;
        let always = centre.indices().iter().chain(required.indices());
        let shared = self.job.shared.iter().take_while(|_| self.left_shared > 0);
        always.chain(shared).copied().collect()
    }

    /// The free candidates with the most useful last, so that bounds exclude the others early: as
    /// forward selection takes them.
    fn order(&self) -> Vec<usize> {
        let mut left = self.job.free.clone();
        let mut chosen = Vec::with_capacity(left.len());
        let always = self.always();
        let mut work: Vec<Vec<Vec<f64>>> = self
            .scorer
            .experiments
            .iter()
            .map(|one| project(&one.columns, &always, &left, self.scorer.tolerance))
            .collect();
        while left.len() > 1 {
            let gain = |place: usize| -> f64 {
                let of = |columns: &Vec<Vec<f64>>| {
                    let target = columns.last().expect("the target is the last column");
                    let column = &columns[place];
                    let squared = dot(column, column);
                    let product = dot(column, target);
                    if squared > self.scorer.tolerance.powi(2) {
                        product * product / squared
                    } else {
                        0.0
                    }
                };
                work.iter().map(of).sum()
            };
            let gains: Vec<f64> = (0..left.len()).map(gain).collect();
            let best = (0..left.len()).max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
            let best = best.expect("there are candidates");
            for columns in &mut work {
                let column = columns.remove(best);
                let squared = dot(&column, &column);
                if squared > self.scorer.tolerance.powi(2) {
                    for other in columns.iter_mut() {
                        let along = dot(&column, other) / squared;
                        kernel::add_scaled(-along, &column, other);
                    }
                }
            }
            chosen.push(left.remove(best));
        }
        chosen.extend(left);
        chosen.reverse();
        chosen
    }

    /// The root of the tree in each experiment.
    fn root(&self, order: &[usize]) -> Vec<Node> {
        let always = self.always();
        let tolerance = self.scorer.tolerance;
        let root = |one: &super::score::Experiment| {
            let columns = project(&one.columns, &always, order, tolerance).concat();
            Node::root(order.to_vec(), columns, 2.0 * tolerance * one.target)
        };
        self.scorer.experiments.iter().map(root).collect()
    }

    fn visit(&mut self, depth: usize, left: usize, observer: &mut dyn Observer) -> Result<()> {
        self.certificate.nodes += 1;
        if self.certificate.nodes - self.told >= TELL {
            self.tell(observer);
        }
        if self.stopped {
            return Ok(());
        }
        if left == 0 {
            return self.leaf();
        }
        if left == 1 && self.left_shared == 0 {
            self.singles(depth);
            return Ok(());
        }
        if self.nodes.len() < depth + 2 {
            let empty = vec![Node::default(); self.nodes[0].len()];
            self.nodes.push(empty);
        }
        for u in (left - 1..self.nodes[depth][0].len()).rev() {
            if self.stopped || self.is_full_of_zeros() || self.bound(depth, u) > self.limit(depth) {
                return Ok(());
            }
            let (above, below) = self.nodes.split_at_mut(depth + 1);
            for (node, child) in above[depth].iter().zip(&mut below[0]) {
                node.push(u, self.scorer.tolerance, child);
            }
            self.path.push(above[depth][0].terms[u]);
            self.visit(depth + 1, left - 1, observer)?;
            self.path.pop();
        }
        Ok(())
    }

    /// The joint residual of a prefix with its first `u + 1` candidates, free in all experiments.
    fn bound(&self, depth: usize, u: usize) -> f64 {
        self.nodes[depth].iter().map(|node| node.bound(u)).sum()
    }

    /// Supports with a residual above this cannot enter the list, rounding included.
    fn limit(&self, depth: usize) -> f64 {
        let slack = self.nodes[depth].iter().map(|node| node.slack.powi(2));
        let cutoff = if self.only_zeros {
            self.scorer.tolerance
        } else {
            let share = self.list.cutoff();
            // Residuals below the tolerance count as zero.
            (share.sqrt() * self.scorer.target_length() * (1.0 + WIDER)).max(self.scorer.tolerance)
        };
        (cutoff + slack.sum::<f64>().sqrt()).powi(2)
    }

    /// Tests every candidate as the last free term.
    fn singles(&mut self, depth: usize) {
        let k = self.nodes[depth][0].len();
        let rss: f64 = self.nodes[depth].iter().map(Node::rss).sum();
        let tolerance = self.scorer.tolerance.powi(2);
        self.sums.clear();
        self.sums.resize(k, 0.0);
        self.near.clear();
        self.near.resize(k, false);
        for node in &self.nodes[depth] {
            for scratch in [&mut self.products, &mut self.squares] {
                scratch.clear();
                scratch.resize(k, 0.0);
            }
            node.measure(&mut self.products, &mut self.squares);
            for u in 0..k {
                let (product, squared) = (self.products[u], self.squares[u]);
                if squared > NEAR * tolerance {
                    self.sums[u] += product * product / squared;
                } else {
                    // Too close to the prefix for this arithmetic.
                    self.near[u] = true;
                }
            }
        }
        for u in (0..k).rev() {
            if self.is_full_of_zeros() {
                return;
            }
            if self.bound(depth, u) > self.limit(depth) {
                return;
            }
            // Cancellation leaves an error of a few roundings of the prefix's own residual.
            let rounding = 64.0 * f64::EPSILON * k as f64 * rss;
            if self.near[u] || rss - self.sums[u] - rounding <= self.limit(depth) {
                self.path.push(self.nodes[depth][0].terms[u]);
                self.offer(&[]);
                self.path.pop();
            }
            self.certificate.enumerated += 1;
        }
    }

    /// All free terms are chosen: a plain search finds the shared ones.
    fn leaf(&mut self) -> Result<()> {
        if self.left_shared == 0 {
            self.certificate.enumerated += 1;
            self.offer(&[]);
            return Ok(());
        }
        let Search {
            centre, required, ..
        } = self.job.settings;
        let always = || centre.indices().iter().chain(required.indices()).copied();
        let is_shared = |term: &usize| self.scorer.is_shared(*term);
        let free: Vec<usize> = (always().filter(|term| !is_shared(term)))
            .chain(self.path.iter().copied())
            .collect();
        let fixed: Vec<usize> = always().filter(is_shared).collect();
        let terms: Vec<usize> = (fixed.iter().chain(&self.job.shared)).copied().collect();
        // With all shared terms no residual is smaller.
        let all: Vec<usize> = (required.indices().iter().chain(&self.path))
            .chain(&self.job.shared)
            .copied()
            .collect();
        let least = self.scorer.residual_length(&all);
        let ways = choose(self.job.shared.len(), self.left_shared);
        if (least - 2.0 * self.scorer.tolerance).max(0.0).powi(2) > self.limit(0) {
            return Ok(());
        }
        let mut stack = self.scorer.stacked(&free, &terms);
        for column in &mut stack.columns {
            // What is left of a combination of free terms is rounding error.
            if dot(column, column).sqrt() <= self.scorer.tolerance {
                column.fill(0.0);
            }
        }
        let settings = Search {
            max_terms: self.left_shared,
            min_terms: self.left_shared,
            keep: self.job.settings.keep,
            centre: (0..fixed.len()).collect(),
            ..Search::default()
        };
        let triangle = Triangle::from_columns(&stack.columns);
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let found = search(&triangle, &settings, &run, &mut ())?;
        self.certificate.enumerated = self.certificate.enumerated.saturating_add(ways);
        for candidate in found.sizes.iter().flat_map(|list| &list.best) {
            let places = candidate.support.indices().iter();
            let more: Vec<usize> = places.map(|&place| terms[place]).collect();
            self.offer(&more);
        }
        Ok(())
    }

    /// Scores the path with these shared terms, and offers it to the list.
    fn offer(&mut self, shared: &[usize]) {
        let required = self.job.settings.required.indices();
        let support: Support = (required.iter().chain(&self.path))
            .chain(shared)
            .copied()
            .collect();
        self.certificate.rescored += 1;
        let one_minus_r2 = self.scorer.one_minus_r2(support.indices());
        if self.only_zeros && one_minus_r2 > 0.0 {
            return;
        }
        self.list.offer(Candidate {
            support,
            one_minus_r2,
        });
    }

    /// Whether no residual can change the list. Where zeros are wanted in the order of the
    /// dictionary, they come in that order.
    fn is_full_of_zeros(&self) -> bool {
        self.list.cutoff() <= 0.0
    }

    fn tell(&mut self, observer: &mut dyn Observer) {
        self.told = self.certificate.nodes;
        let progress = Progress {
            stage: Stage::Subsets {
                size: self.kind.free + self.kind.shared,
            },
            done: self.certificate.enumerated,
            total: self.job.subsets(self.kind),
        };
        self.stopped |= observer.progress(&progress).is_break();
    }
}

/// Columns whose squared distance from the prefix is below this many squared tolerances are scored
/// from the triangles.
const NEAR: f64 = 1e6;

/// The columns of `order` and the target with the terms that are always in projected out.
fn project(
    columns: &[Vec<f64>],
    always: &[usize],
    order: &[usize],
    tolerance: f64,
) -> Vec<Vec<f64>> {
    let height = columns[0].len();
    let target = columns.len() - 1;
    let all = always.iter().chain(order).chain([&target]);
    let mut work: Vec<f64> = all.flat_map(|&j| &columns[j]).copied().collect();
    let mut rank = 0;
    for place in 0..always.len() {
        if rank < height && reflect(&mut work, height, place, rank..height, tolerance) {
            rank += 1;
        }
    }
    let left = |place: usize| work[place * height..][rank..height].to_vec();
    (always.len()..=always.len() + order.len())
        .map(left)
        .collect()
}
