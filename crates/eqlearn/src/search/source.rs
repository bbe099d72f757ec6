//! Jobs: the subtrees that threads take one after the other.
//!
//! A job is a node a few levels below the root. The source walks the levels above in a fixed order and hands out one job after
//! the other; the place of a job is the path of columns that leads to it. The order of columns on these levels depends on the triangle and
//! on the list before the walk only, so a place means the same job on every thread, after a restart and on another machine.

use super::node::Node;
use super::order::arrange;
use super::pass::Pass;

/// Where a job is: the column chosen on each level above it.
pub(crate) type Place = Vec<usize>;

/// Walks the upper levels of the tree.
#[derive(Debug)]
pub(crate) struct Source {
    /// Nodes above the jobs, the root first.
    nodes: Vec<Node>,
    /// For each level the column to try next, plus one.
    next: Vec<usize>,
    path: Vec<usize>,
    /// How many columns a job has already chosen.
    depth: usize,
    left: usize,
    enough: f64,
    /// Subsets excluded by bound so far.
    pub(crate) excluded: u128,
}

impl Source {
    /// Jobs at `depth` below the root, to which `left` terms are added in all; `enough` guides the order of columns.
    pub(crate) fn new(root: Node, left: usize, depth: usize, enough: f64) -> Self {
        let next = vec![root.len()];
        Self {
            nodes: vec![root],
            next,
            path: Vec::new(),
            depth,
            left,
            enough,
            excluded: 0,
        }
    }

    /// Makes the next job's node, if there is one; its place and its path of terms.
    pub(crate) fn next(&mut self, pass: &Pass<'_>, job: &mut Node) -> Option<(Place, Vec<usize>)> {
        if self.depth == 0 {
            self.next.pop()?;
            *job = self.nodes[0].clone();
            return Some((Vec::new(), Vec::new()));
        }
        loop {
            let level = self.next.len().checked_sub(1)?;
            let left = self.left - level;
            let node = &self.nodes[level];
            let limit = pass.cutoff() + node.slack;
            let Some(u) = self.next[level].checked_sub(1).filter(|&u| u + 1 >= left) else {
                self.leave();
                continue;
            };
            if node.bound(u) > limit * limit {
                self.excluded = self.excluded.saturating_add(pass.choose(u + 1, left));
                self.leave();
                continue;
            }
            self.next[level] = u;
            self.path.truncate(level);
            self.path.push(node.terms[u]);
            if level + 1 == self.depth {
                node.push(u, pass.tolerance, job);
                return Some((self.next.clone(), self.path.clone()));
            }
            self.enter(pass, u);
        }
    }

    /// Goes on after this place.
    pub(crate) fn skip_to(&mut self, pass: &Pass<'_>, place: &[usize]) {
        for &u in place {
            let level = self.next.len() - 1;
            self.next[level] = u;
            self.path.truncate(level);
            self.path.push(self.nodes[level].terms[u]);
            if level + 1 < self.depth {
                self.enter(pass, u);
            }
        }
    }

    fn enter(&mut self, pass: &Pass<'_>, u: usize) {
        let level = self.next.len() - 1;
        let mut child = Node::default();
        self.nodes[level].push(u, pass.tolerance, &mut child);
        let mut arranged = Node::default();
        let k = child.len();
        if pass.order_pays(pass.choose(k, self.left - level - 1), k) {
            arrange(&child, self.enough, &mut arranged);
            child = arranged;
        }
        self.nodes.truncate(level + 1);
        self.nodes.push(child);
        self.next.push(k);
    }

    fn leave(&mut self) {
        self.next.pop();
    }
}
