//! Jobs: the subtrees that threads take one after the other.
//!
//! A job is a node a few levels below the root. The source walks the levels above in a fixed order
//! and hands out one job after the other. The place of a job is the path of columns from the root
//! to it. The order of columns on these levels depends on the triangle and on the list before the
//! walk only, so a place means the same job on every thread, after a restart and on another machine
//! with the same arithmetic. Jobs of other shares are skipped.

use serde::{Deserialize, Serialize};

use crate::search::Candidate;
use crate::search::decide::pass::Pass;
use crate::search::split::share::Share;
use crate::search::tree::node::Node;
use crate::search::tree::order::Arranger;
use crate::search::tree::walk::Tally;

/// Where a job is: the column chosen on each level above it.
pub(crate) type Place = Vec<usize>;

/// A job: where it is, and the terms that lead to it.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) place: Place,
    pub(crate) path: Vec<usize>,
}

/// Walks the upper levels of the tree, and keeps track of what is done.
#[derive(Debug)]
pub(crate) struct Source {
    /// Nodes above the jobs, the root first.
    nodes: Vec<Node>,
    /// For each level the column tried last: those with smaller numbers are still to come.
    next: Vec<usize>,
    path: Vec<usize>,
    /// How many columns a job has already chosen.
    depth: usize,
    left: usize,
    enough: f64,
    share: Share,
    /// Jobs handed out and not finished.
    open: Vec<Place>,
    /// Jobs to hand out again.
    again: Vec<Place>,
    /// What finished jobs did, and what was excluded on the way.
    pub(crate) tally: Tally,
}

/// What a checkpoint holds of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) size: usize,
    next: Vec<usize>,
    open: Vec<Place>,
    tally: Tally,
    pub(crate) best: Vec<Candidate>,
}

impl Source {
    /// Jobs at `depth` below the root, whose supports have `left` terms from the root; `enough` is
    /// the residual that the order of columns aims at.
    pub(crate) fn new(root: Node, left: usize, depth: usize, enough: f64, share: Share) -> Self {
        let next = if share.has(&[]) {
            vec![root.len()]
        } else {
            Vec::new()
        };
        Self {
            nodes: vec![root],
            next,
            path: Vec::new(),
            depth,
            left,
            enough,
            share,
            open: Vec::new(),
            again: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Makes the next job's node, if there is one.
    pub(crate) fn next(&mut self, pass: &Pass<'_>, node: &mut Node) -> Option<Job> {
        let job = match self.again.pop() {
            Some(place) => self.repeat(pass, place, node),
            None => self.advance(pass, node)?,
        };
        self.open.push(job.place.clone());
        Some(job)
    }

    /// Enters a finished job into the books.
    pub(crate) fn finish(&mut self, place: &Place, tally: &Tally) {
        self.open.retain(|open| open != place);
        self.tally.add(tally);
    }

    /// Whether every job was handed out and finished.
    pub(crate) fn is_done(&self) -> bool {
        self.next.is_empty() && self.open.is_empty() && self.again.is_empty()
    }

    /// What a checkpoint needs to know.
    pub(crate) fn running(&self, size: usize, best: Vec<Candidate>) -> Running {
        Running {
            size,
            next: self.next.clone(),
            open: self.open.iter().chain(&self.again).cloned().collect(),
            tally: self.tally,
            best,
        }
    }

    /// Goes on where a checkpoint ends.
    pub(crate) fn resume(&mut self, pass: &Pass<'_>, saved: &Running) {
        self.tally = saved.tally;
        self.again.clone_from(&saved.open);
        pass.advance(saved.tally.decided());
        if saved.next.is_empty() {
            self.next.clear();
        } else {
            self.skip_to(pass, &saved.next);
        }
    }

    fn advance(&mut self, pass: &Pass<'_>, job: &mut Node) -> Option<Job> {
        if self.depth == 0 {
            self.next.pop()?;
            *job = self.nodes[0].clone();
            return Some(Job {
                place: Vec::new(),
                path: Vec::new(),
            });
        }
        loop {
            let level = self.next.len().checked_sub(1)?;
            let left = self.left - level;
            let node = &self.nodes[level];
            let limit = pass.cutoff() + node.slack;
            let Some(u) = self.next[level].checked_sub(1).filter(|&u| u + 1 >= left) else {
                self.next.pop();
                continue;
            };
            if node.bound(u) > limit * limit {
                let excluded = self.share.up_to(&self.next[..level], u, pass.binomials);
                self.tally.excluded = self.tally.excluded.saturating_add(excluded);
                pass.advance(excluded);
                self.next.pop();
                continue;
            }
            self.next[level] = u;
            if !self.share.has(&self.next) {
                continue;
            }
            self.path.truncate(level);
            self.path.push(node.terms[u]);
            if level + 1 == self.depth {
                node.push(u, pass.tolerance, job);
                return Some(Job {
                    place: self.next.clone(),
                    path: self.path.clone(),
                });
            }
            self.enter(pass, u);
        }
    }

    /// Makes the node of a place that was handed out before.
    fn repeat(&self, pass: &Pass<'_>, place: Place, job: &mut Node) -> Job {
        let root = self.nodes[0].clone();
        if place.is_empty() {
            *job = root;
            return Job {
                place,
                path: Vec::new(),
            };
        }
        let mut way = Self::new(root, self.left, self.depth, self.enough, self.share.clone());
        way.skip_to(pass, &place);
        way.nodes[place.len() - 1].push(place[place.len() - 1], pass.tolerance, job);
        Job {
            place,
            path: way.path,
        }
    }

    /// Stands where this place was the last tried.
    fn skip_to(&mut self, pass: &Pass<'_>, place: &[usize]) {
        for (level, &u) in place.iter().enumerate() {
            self.next[level] = u;
            if u == self.nodes[level].len() {
                return;
            }
            self.path.truncate(level);
            self.path.push(self.nodes[level].terms[u]);
            if level + 1 < place.len() {
                self.enter(pass, u);
            }
        }
    }

    fn enter(&mut self, pass: &Pass<'_>, u: usize) {
        let level = self.next.len() - 1;
        let mut child = Node::default();
        self.nodes[level].push(u, pass.tolerance, &mut child);
        let (k, left) = (child.len(), self.left - level - 1);
        if pass.order_pays(pass.choose(k, left), k) {
            Arranger::default().improve(&mut child, 0, left, self.enough);
        }
        self.nodes.truncate(level + 1);
        self.nodes.push(child);
        self.next.push(k);
    }
}
