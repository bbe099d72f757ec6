//! What all supports near a fitted system would give, as far as the cost is quadratic.
//!
//! With the states eliminated, the cost is a quadratic function of the coefficients of all terms,
//! those of the system and all others: the score test of additions, Wald's test of drops, and both
//! at once for swaps. It is exact in linear problems only, so it proposes and never decides.

use super::fit::Fitted;
use super::linear::{Coefficient, coefficients};
use super::problem::{Laws, Problem};
use crate::numeric::bordered::factor;
use crate::reduce::support::Support;

/// A quadratic model of the cost around a fit.
#[derive(Debug)]
pub(super) struct Local {
    /// All coefficients that there may be.
    all: Vec<Coefficient>,
    /// Which of them the fitted system has.
    pub(super) own: Support,
    /// Half the second derivatives, up to the diagonal, and minus the first ones at zero.
    curvature: Vec<Vec<f64>>,
    pull: Vec<f64>,
    /// `ln s + ` what the choice of the term costs beforehand.
    costs: Vec<f64>,
    /// The coefficients of terms that are always in.
    pub(super) forced: Support,
    /// What each number of chosen terms costs, for each state.
    sizes: Vec<Vec<f64>>,
}

impl Local {
    /// Around a fit.
    pub(super) fn new(problem: &Problem, fitted: &Fitted) -> Option<Self> {
        // Notation: S the curvature, g the gradient at the coefficients w, so that the gradient
        // at zero is g − S w.
        let all = coefficients(&problem.allowed);
        let linear = problem.linear(&fitted.laws, &fitted.at, &fitted.scales, &all)?;
        let gradient = linear
            .factors
            .reduced(linear.by_states, linear.by_coefficients);
        let w: Vec<f64> = all
            .iter()
            .map(|&(state, term)| fitted.coefficient(state, term))
            .collect();
        let curvature = linear.factors.schur().to_vec();
        let mut pull: Vec<f64> = gradient.iter().map(|g| -g).collect();
        for (i, row) in curvature.iter().enumerate() {
            for (k, entry) in row.iter().enumerate() {
                pull[i] += entry * w[k];
                if k < i {
                    pull[k] += entry * w[i];
                }
            }
        }
        let own = all.iter().enumerate();
        let own = own.filter(|(_, (state, term))| fitted.laws[*state].contains(*term));
        let forced = all.iter().enumerate();
        let forced = forced.filter(|(_, (state, term))| problem.forced[*state].contains(*term));
        let sizes = |state: usize| {
            let most = problem.allowed[state].len() - problem.forced[state].len();
            (0..=most)
                .map(|size| problem.prior.of_size(state, size))
                .collect()
        };
        let costs = all
            .iter()
            .map(|&(state, term)| problem.prior.price(state, term));
        Some(Self {
            own: own.map(|(place, _)| place).collect(),
            costs: costs.collect(),
            forced: forced.map(|(place, _)| place).collect(),
            sizes: (0..problem.n_states).map(sizes).collect(),
            all,
            curvature,
            pull,
        })
    }

    /// The log evidence of a support, up to a constant that all supports share.
    pub(super) fn evidence(&self, support: &Support) -> f64 {
        let chosen = support.indices();
        let row = |(i, &a): (usize, &usize)| -> Vec<f64> {
            chosen[..=i].iter().map(|&b| self.curvature[a][b]).collect()
        };
        let rows: Vec<Vec<f64>> = chosen.iter().enumerate().map(row).collect();
        let factor = factor(&rows);
        let mut half: Vec<f64> = chosen.iter().map(|&place| self.pull[place]).collect();
        factor.solve(&mut half);
        let gain: f64 = half.iter().map(|v| 0.5 * v * v).sum();
        let costs: f64 = chosen.iter().map(|&place| self.costs[place]).sum();
        let mut counts = vec![0; self.sizes.len()];
        for &place in support.minus(&self.forced).indices() {
            counts[self.all[place].0] += 1;
        }
        let sizes: f64 = self.sizes.iter().zip(counts).map(|(own, n)| own[n]).sum();
        gain - costs - sizes - 0.5 * factor.log_determinant()
    }

    /// The system of a support.
    pub(super) fn laws(&self, support: &Support, n_states: usize) -> Laws {
        let law = |state: usize| -> Support {
            let chosen = support.indices().iter().map(|&place| self.all[place]);
            let own = chosen.filter(|(other, _)| *other == state);
            own.map(|(_, term)| term).collect()
        };
        (0..n_states).map(law).collect()
    }

    /// All drops.
    fn drops(&self, support: &Support) -> Vec<Move> {
        let chosen = support.minus(&self.forced);
        let drop = |&out: &usize| Move::new(Some(out), None);
        chosen.indices().iter().map(drop).collect()
    }

    /// All drops, additions, and swaps within an equation.
    pub(super) fn moves(&self, support: &Support) -> Vec<Move> {
        let chosen = support.minus(&self.forced);
        let others: Vec<usize> = (0..self.all.len())
            .filter(|&place| !support.contains(place))
            .collect();
        let mut moves = self.drops(support);
        moves.extend(others.iter().map(|&place| Move::new(None, Some(place))));
        for &out in chosen.indices() {
            let same = others
                .iter()
                .filter(|&&place| self.all[place].0 == self.all[out].0);
            moves.extend(same.map(|&place| Move::new(Some(out), Some(place))));
        }
        moves
    }

    /// Moves with the log evidence to which each leads, best first.
    pub(super) fn rated(&self, support: &Support, moves: Vec<Move>) -> Vec<(f64, Move)> {
        let rate = |step: Move| (self.evidence(&step.of(support)), step);
        let mut rated: Vec<(f64, Move)> = moves.into_iter().map(rate).collect();
        rated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        rated
    }

    /// Where the best move after the best move leads from a support: drops first, because a large
    /// support has very many swaps.
    pub(super) fn summit(&self, support: &Support) -> Support {
        let mut here = (self.evidence(support), support.clone());
        loop {
            let better = |moves| {
                let best = self.rated(&here.1, moves).into_iter().next();
                best.filter(|(evidence, _)| *evidence > here.0)
            };
            let best = better(self.drops(&here.1)).or_else(|| better(self.moves(&here.1)));
            let Some((evidence, step)) = best else {
                return here.1;
            };
            here = (evidence, step.of(&here.1));
        }
    }
}

/// A change of a support: terms that leave, and terms that come.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Move {
    out: Support,
    into: Support,
}

impl Move {
    fn new(out: Option<usize>, into: Option<usize>) -> Self {
        Self {
            out: out.into_iter().collect(),
            into: into.into_iter().collect(),
        }
    }

    /// Whether terms leave and none come.
    pub(super) fn is_drop(&self) -> bool {
        self.into.is_empty()
    }

    /// Both moves at once.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            out: self.out.union(&other.out),
            into: self.into.union(&other.into),
        }
    }

    /// The support after the move.
    pub(super) fn of(&self, support: &Support) -> Support {
        support.minus(&self.out).union(&self.into)
    }
}
