//! Costs, and the linear least-squares problem of one step.
//!
//! # Formula
//! ```text
//! J = ½ Σ ((x − u)/σ)² + ½ Σ (ρ/τ)² + ½ Σ (w/s)²
//! ρ = (u_{i+1} − u_i)/h − Σ_k b_k f(u_k; w),   f = Σ_j w_j θ_j
//! ```
//! with the record `x`, the states `u`, coefficients `w` with priors of scale `s`, and weights `b`
//! of a rule. `J` is quadratic but for `f`, whose curvature the Gauss–Newton method leaves out.

use super::assembly::{Assembly, Motion};
use super::problem::{Laws, Position, Problem, Stretch};
use super::rule::Rule;
use super::terms::Values;
use crate::numeric::bordered::Bordered;
use crate::numeric::vector::add;
use crate::reduce::support::Support;

/// What errors are measured by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scales {
    /// The noise of each recorded state.
    pub(crate) noise: Vec<f64>,
    /// The error of each state's slope over a step.
    pub(crate) slopes: Vec<f64>,
}

/// The parts of the cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) record: f64,
    pub(super) motion: f64,
    pub(super) prior: f64,
}

impl Cost {
    pub(super) fn total(&self) -> f64 {
        self.record + self.motion + self.prior
    }
}

/// A coefficient: the state whose equation it is in, and its term.
pub(super) type Coefficient = (usize, usize);

/// All coefficients, equation after equation.
pub(super) fn coefficients(laws: &Laws) -> Vec<Coefficient> {
    let of_state = |(state, law): (usize, &Support)| {
        let terms = law.indices().iter();
        terms.map(|&term| (state, term)).collect::<Vec<_>>()
    };
    laws.iter().enumerate().flat_map(of_state).collect()
}

/// The normal equations at a position.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) factors: Bordered,
    /// The gradient of the cost by states, and by coefficients.
    pub(super) by_states: Vec<f64>,
    pub(super) by_coefficients: Vec<f64>,
}

fn all_terms(laws: &Laws) -> Support {
    laws.iter()
        .fold(Support::empty(), |all, law| all.union(law))
}

fn columns<'a>(states: &'a [Vec<f64>], piece: &'a Stretch) -> Vec<&'a [f64]> {
    let others = &piece.columns[states.len()..];
    states.iter().chain(others).map(Vec::as_slice).collect()
}

impl Problem {
    /// The cost of a position; none where a term has no value.
    pub(super) fn cost(&self, laws: &Laws, at: &Position, scales: &Scales) -> Option<Cost> {
        let mut cost = Cost::default();
        let used = all_terms(laws);
        for (piece, states) in self.pieces.iter().zip(&at.states) {
            cost.record += self.squares(piece, states, scales);
            let values = self.terms.values(&columns(states, piece), &used)?;
            for (state, law) in laws.iter().enumerate() {
                let slope = match self.velocity(state) {
                    Some(velocity) => states[velocity].clone(),
                    None => slope(law, &at.coefficients[state], &values, piece.len()),
                };
                let errors = errors(piece, &states[state], &slope);
                let squares: f64 = errors.iter().map(|e| e * e).sum();
                cost.motion += 0.5 * squares / scales.slopes[state].powi(2);
            }
        }
        for (state, law) in laws.iter().enumerate() {
            for (&term, w) in law.indices().iter().zip(&at.coefficients[state]) {
                cost.prior += 0.5 * (w / self.prior.scale(state, term)).powi(2);
            }
        }
        Some(cost).filter(|cost| cost.total().is_finite())
    }

    /// Half the squared distance from the record in units of the noise.
    fn squares(&self, piece: &Stretch, states: &[Vec<f64>], scales: &Scales) -> f64 {
        let of_state = |state: usize| {
            let pairs = piece.columns[state].iter().zip(&states[state]);
            let squares: f64 = pairs.map(|(x, u)| (x - u).powi(2)).sum();
            0.5 * squares / scales.noise[state].powi(2)
        };
        (0..self.observed).map(of_state).sum()
    }

    /// The normal equations for all states and these coefficients, which are zero where they are
    /// not those of the laws; none where a term has no value.
    pub(super) fn linear(
        &self,
        laws: &Laws,
        at: &Position,
        scales: &Scales,
        border: &[Coefficient],
    ) -> Option<Linear> {
        let d = self.n_states;
        let used = all_terms(laws);
        let wanted: Support = border.iter().map(|(_, term)| *term).collect();
        let mut assembly = Assembly::new(self, border);
        for (piece, states) in self.pieces.iter().zip(&at.states) {
            let columns = columns(states, piece);
            let values = self.terms.with_derivatives(&columns, &used)?;
            let others = self.terms.values(&columns, &wanted)?;
            assembly.begin(piece);
            for (state, sigma) in scales.noise.iter().enumerate() {
                let pairs = piece.columns[state].iter().zip(&states[state]);
                for (i, (x, u)) in pairs.enumerate() {
                    assembly.observe(i * d + state, u - x, sigma.powi(-2));
                }
            }
            for (state, law) in laws.iter().enumerate() {
                let (w, n) = (&at.coefficients[state], piece.len());
                let mut jacobian = jacobian(law, w, &values, n, d);
                let slope = match self.velocity(state) {
                    Some(velocity) => {
                        jacobian[velocity] = vec![1.0; n];
                        states[velocity].clone()
                    }
                    None => slope(law, w, &values.terms, n),
                };
                assembly.move_along(&Motion {
                    rules: &piece.rules,
                    state,
                    errors: errors(piece, &states[state], &slope),
                    jacobian,
                    terms: &others,
                    weight: scales.slopes[state].powi(-2),
                });
            }
        }
        for (place, &(state, term)) in border.iter().enumerate() {
            let weight = self.prior.scale(state, term).powi(-2);
            let law = laws[state].indices();
            let w = law
                .binary_search(&term)
                .map_or(0.0, |own| at.coefficients[state][own]);
            assembly.corner[place][place] += weight;
            assembly.by_coefficients[place] += weight * w;
        }
        Some(assembly.finish())
    }
}

/// The slope of a state at the samples of a piece.
fn slope(law: &Support, coefficients: &[f64], values: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut slope = vec![0.0; n];
    for (&term, w) in law.indices().iter().zip(coefficients) {
        add(&mut slope, *w, &values[term]);
    }
    slope
}

/// The derivative of a state's slope by each state; nothing where it is zero.
fn jacobian(law: &Support, w: &[f64], values: &Values, n: usize, d: usize) -> Vec<Vec<f64>> {
    let mut jacobian = vec![Vec::new(); d];
    for (&term, w) in law.indices().iter().zip(w) {
        for (sum, own) in jacobian.iter_mut().zip(&values.derivatives[term]) {
            if own.is_empty() {
                continue;
            }
            sum.resize(n, 0.0);
            add(sum, *w, own);
        }
    }
    jacobian
}

/// The errors `ρ` of a state's steps.
fn errors(piece: &Stretch, states: &[f64], slope: &[f64]) -> Vec<f64> {
    let error = |rule: &Rule| {
        let change = (states[rule.start + 1] - states[rule.start]) * rule.rate;
        let slopes = rule.weights.iter().zip(&slope[rule.first..]);
        change - slopes.map(|(b, f)| b * f).sum::<f64>()
    };
    piece.rules.iter().map(error).collect()
}
