//! The joint residual of one support, always computed the same way.
//!
//! In each experiment the centre and the support's free terms are projected out; what is left of
//! its shared terms and of the target is stacked, and the shared terms are projected out of that.
//! The rules about rank and ties are those of the plain search.

use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::reduce::groups::{Groups, length};
use crate::reduce::support::Support;
use crate::search::tree::rescore::{Rescorer, rounded};

/// Columns of one experiment: each term, then the target.
#[derive(Debug)]
pub(super) struct Experiment {
    /// Free terms have length 1 in each experiment, shared terms and the target in all together.
    pub(super) columns: Vec<Vec<f64>>,
    /// The length of the target.
    pub(super) target: f64,
}

/// Scores supports from the triangles of all experiments.
#[derive(Debug)]
pub(super) struct Scorer {
    pub(super) experiments: Vec<Experiment>,
    shared: Support,
    centre: Support,
    pub(super) tolerance: f64,
    /// Length of the target once the centre is projected out.
    target_length: f64,
}

/// What is left of the shared terms and the target, all experiments on top of each other.
#[derive(Debug)]
pub(super) struct Stack {
    /// One column for each term that was asked for, then the target.
    pub(super) columns: Vec<Vec<f64>>,
}

impl Scorer {
    pub(super) fn new(groups: &Groups, shared: &Support, centre: &Support) -> Self {
        let n_terms = groups.n_terms();
        let whole: Vec<f64> = (0..=n_terms)
            .map(|j| length(groups.each().iter().map(|one| one.column_norm(j))))
            .collect();
        let experiment = |rows: &crate::reduce::Reduction| {
            let triangle = rows.triangle();
            let scale = |j: usize| {
                if j < n_terms && !shared.contains(j) || whole[j] <= 0.0 {
                    1.0
                } else {
                    rows.column_norm(j) / whole[j]
                }
            };
            let column = |j: usize| {
                let scale = scale(j);
                triangle.column(j).iter().map(|v| v * scale).collect()
            };
            Experiment {
                columns: (0..=n_terms).map(column).collect(),
                target: scale(n_terms),
            }
        };
        let experiments: Vec<Experiment> = groups.each().iter().map(experiment).collect();
        let height = experiments.iter().map(|one| one.columns[0].len()).max();
        let mut scorer = Self {
            experiments,
            shared: shared.clone(),
            centre: centre.clone(),
            tolerance: Rescorer::rank_tolerance_of(height.unwrap_or(0)),
            target_length: 1.0,
        };
        scorer.target_length = scorer.residual_length(&[]);
        scorer
    }

    /// Length of the target with the centre projected out, in units of its own.
    pub(super) fn target_length(&self) -> f64 {
        self.target_length
    }

    pub(super) fn is_shared(&self, term: usize) -> bool {
        self.shared.contains(term)
    }

    /// The relative residual of a support, its terms ascending.
    pub(super) fn one_minus_r2(&self, support: &[usize]) -> f64 {
        self.share(self.residual_length(support))
    }

    /// A residual length as a relative residual.
    fn share(&self, length: f64) -> f64 {
        if length <= self.tolerance || self.target_length <= self.tolerance {
            return 0.0;
        }
        let ratio = length / self.target_length;
        rounded((ratio * ratio).min(1.0))
    }

    /// Length of the target's part outside the span of centre and support.
    pub(super) fn residual_length(&self, support: &[usize]) -> f64 {
        let all = || self.centre.indices().iter().chain(support).copied();
        let (shared, free): (Vec<usize>, Vec<usize>) = all().partition(|&t| self.is_shared(t));
        let stack = self.stacked(&free, &shared);
        if shared.is_empty() {
            let target = stack.columns.last().expect("the target is the last column");
            return dot(target, target).sqrt();
        }
        let height = stack.columns[0].len();
        let mut work = stack.columns.concat();
        let mut rank = 0;
        for step in 0..shared.len() {
            if rank == height {
                return 0.0;
            }
            if reflect(&mut work, height, step, rank..height, self.tolerance) {
                rank += 1;
            }
        }
        let left = &work[shared.len() * height + rank..];
        dot(left, left).sqrt()
    }

    /// These shared terms and the target, with the free ones projected out of each experiment.
    pub(super) fn stacked(&self, free: &[usize], shared: &[usize]) -> Stack {
        let mut columns = vec![Vec::new(); shared.len() + 1];
        for one in &self.experiments {
            let height = one.columns[0].len();
            let target = one.columns.len() - 1;
            let chosen = free.iter().chain(shared).chain([&target]);
            let mut work: Vec<f64> = chosen.flat_map(|&j| &one.columns[j]).copied().collect();
            let mut rank = 0;
            for step in 0..free.len() {
                if rank < height && reflect(&mut work, height, step, rank..height, self.tolerance) {
                    rank += 1;
                }
            }
            for (place, column) in columns.iter_mut().enumerate() {
                let start = (free.len() + place) * height;
                column.extend_from_slice(&work[start + rank..start + height]);
            }
        }
        Stack { columns }
    }
}
