//! Costs, and the linear least-squares problem of one step.
//!
//! # Formula
//! ```text
//! J = ½ Σ ((x − u)/σ)² + ½ Σ (ρ/τ)² + ½ Σ (w/s)²
//! ρ = (u_{i+1} − u_i)/h − Σ_k b_k f(u_k; w),   f = Σ_j w_j θ_j
//! ```
//! with the record `x`, the states `u`, coefficients `w` with priors of scale `s`, and weights `b`
//! of a rule. `J` is quadratic but for `f`, whose curvature the Gauss–Newton method leaves out.

use super::problem::{Laws, Position, Problem, Stretch};
use super::rule::NODES;
use super::terms::Values;
use crate::numeric::banded::Ragged;
use crate::numeric::bordered::Bordered;
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
    /// The integral over time of the divergence of the flow.
    pub(super) divergence: f64,
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
                let slope = slope(law, &at.coefficients[state], &values, piece.len());
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
            for state in 0..self.observed {
                let weight = scales.noise[state].powi(-2);
                let pairs = piece.columns[state].iter().zip(&states[state]);
                for (i, (x, u)) in pairs.enumerate() {
                    assembly.observe(i * d + state, u - x, weight);
                }
            }
            for (state, law) in laws.iter().enumerate() {
                let w = &at.coefficients[state];
                let slope = slope(law, w, &values.terms, piece.len());
                let errors = errors(piece, &states[state], &slope);
                let jacobian = jacobian(law, w, &values, piece.len(), d);
                assembly.divergence += mean(piece, &jacobian[state]);
                let weight = scales.slopes[state].powi(-2);
                assembly.move_along(piece, state, &errors, &jacobian, &others, weight);
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

/// The integral over the steps of a piece.
fn mean(piece: &Stretch, values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let step = |rule: &super::rule::Rule| {
        let nodes = rule.weights.iter().zip(&values[rule.first..]);
        nodes.map(|(b, v)| b * v).sum::<f64>() / rule.rate
    };
    piece.rules.iter().map(step).sum()
}

/// The slope of a state at the samples of a piece.
fn slope(law: &Support, coefficients: &[f64], values: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut slope = vec![0.0; n];
    for (&term, w) in law.indices().iter().zip(coefficients) {
        crate::numeric::vector::add(&mut slope, *w, &values[term]);
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
            crate::numeric::vector::add(sum, *w, own);
        }
    }
    jacobian
}

/// The errors `ρ` of a state's steps.
fn errors(piece: &Stretch, states: &[f64], slope: &[f64]) -> Vec<f64> {
    let error = |rule: &super::rule::Rule| {
        let change = (states[rule.start + 1] - states[rule.start]) * rule.rate;
        let slopes = rule.weights.iter().zip(&slope[rule.first..]);
        change - slopes.map(|(b, f)| b * f).sum::<f64>()
    };
    piece.rules.iter().map(error).collect()
}

/// The normal equations as they are put together, piece by piece.
struct Assembly<'a> {
    d: usize,
    border: &'a [Coefficient],
    band: Ragged,
    /// The first unknown of the current piece.
    offset: usize,
    columns: Vec<Vec<f64>>,
    corner: Vec<Vec<f64>>,
    by_states: Vec<f64>,
    by_coefficients: Vec<f64>,
    divergence: f64,
}

impl<'a> Assembly<'a> {
    fn new(problem: &Problem, border: &'a [Coefficient]) -> Self {
        let n = problem.n_points() * problem.n_states;
        let mut band = Ragged::default();
        band.reserve(n * NODES * problem.n_states);
        Self {
            d: problem.n_states,
            border,
            band,
            offset: 0,
            columns: vec![vec![0.0; n]; border.len()],
            corner: (0..border.len())
                .map(|place| vec![0.0; place + 1])
                .collect(),
            by_states: Vec::with_capacity(n),
            by_coefficients: vec![0.0; border.len()],
            divergence: 0.0,
        }
    }

    /// Makes room for a piece.
    fn begin(&mut self, piece: &Stretch) {
        self.offset = self.by_states.len();
        for i in 0..piece.len() {
            let before = i.min(NODES - 1) * self.d;
            for state in 0..self.d {
                self.band.push(before + state + 1);
            }
        }
        self.by_states
            .resize(self.offset + piece.len() * self.d, 0.0);
    }

    /// A sample's distance from the record.
    fn observe(&mut self, place: usize, distance: f64, weight: f64) {
        let row = self.band.row_mut(self.offset + place);
        *row.last_mut().expect("a row ends with its diagonal") += weight;
        self.by_states[self.offset + place] += weight * distance;
    }

    /// The errors of a state's steps.
    fn move_along(
        &mut self,
        piece: &Stretch,
        state: usize,
        errors: &[f64],
        jacobian: &[Vec<f64>],
        terms: &[Vec<f64>],
        weight: f64,
    ) {
        // Notation: r the derivatives of one error by the states at its nodes, q_j minus that by
        // coefficient j.
        let d = self.d;
        let own = self.border.iter().enumerate();
        let own: Vec<(usize, &[f64])> = own
            .filter(|(_, (other, _))| *other == state)
            .map(|(place, (_, term))| (place, terms[*term].as_slice()))
            .collect();
        let mut r = vec![0.0; NODES * d];
        let mut q = vec![0.0; own.len()];
        for (rule, error) in piece.rules.iter().zip(errors) {
            for node in 0..NODES {
                let b = rule.weights[node];
                for (other, slopes) in jacobian.iter().enumerate() {
                    let slope = slopes.get(rule.first + node).map_or(0.0, |slope| b * slope);
                    r[node * d + other] = -slope;
                }
                r[node * d + state] += rule.difference(node);
            }
            for (q, (_, values)) in q.iter_mut().zip(&own) {
                let nodes = rule.weights.iter().zip(&values[rule.first..]);
                *q = nodes.map(|(b, v)| b * v).sum();
            }
            let first = self.offset + rule.first * d;
            for (a, left) in r.iter().enumerate() {
                let scaled = weight * left;
                let row = self.band.row_mut(first + a);
                let from = row.len() - 1 - a;
                for (entry, right) in row[from..].iter_mut().zip(&r) {
                    *entry += scaled * right;
                }
                self.by_states[first + a] += scaled * error;
            }
            for (i, (place, _)) in own.iter().enumerate() {
                let scaled = -weight * q[i];
                for (entry, r) in self.columns[*place][first..].iter_mut().zip(&r) {
                    *entry += scaled * r;
                }
                self.by_coefficients[*place] += scaled * error;
                for (k, (other, _)) in own[..=i].iter().enumerate() {
                    self.corner[*place][*other] -= scaled * q[k];
                }
            }
        }
    }

    fn finish(self) -> Linear {
        Linear {
            factors: Bordered::new(self.band, self.columns, &self.corner),
            by_states: self.by_states,
            by_coefficients: self.by_coefficients,
            divergence: self.divergence,
        }
    }
}
