//! The normal equations as they are put together, piece by piece and state by state.
//!
//! The states of all samples stand one after another, those of one sample together. An error of a
//! step knows the states at its four nodes only, so the block of the states is banded.

use super::linear::{Coefficient, Linear};
use super::problem::{Problem, Stretch};
use super::rule::{NODES, Rule};
use crate::numeric::banded::Ragged;
use crate::numeric::bordered::Bordered;

/// The normal equations as they are put together, piece by piece.
pub(super) struct Assembly<'a> {
    d: usize,
    border: &'a [Coefficient],
    band: Ragged,
    /// The first unknown of the current piece.
    offset: usize,
    columns: Vec<Vec<f64>>,
    pub(super) corner: Vec<Vec<f64>>,
    by_states: Vec<f64>,
    pub(super) by_coefficients: Vec<f64>,
}

/// The steps of one state over one piece.
pub(super) struct Motion<'a> {
    pub(super) rules: &'a [Rule],
    pub(super) state: usize,
    /// The error of each step.
    pub(super) errors: Vec<f64>,
    /// The derivative of the slope by each state, at the samples; nothing where it is zero.
    pub(super) jacobian: Vec<Vec<f64>>,
    /// The values of terms at the samples.
    pub(super) terms: &'a [Vec<f64>],
    /// One over the variance of the errors.
    pub(super) weight: f64,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(problem: &Problem, border: &'a [Coefficient]) -> Self {
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
        }
    }

    /// Makes room for a piece.
    pub(super) fn begin(&mut self, piece: &Stretch) {
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
    pub(super) fn observe(&mut self, place: usize, distance: f64, weight: f64) {
        let row = self.band.row_mut(self.offset + place);
        *row.last_mut().expect("a row ends with its diagonal") += weight;
        self.by_states[self.offset + place] += weight * distance;
    }

    /// The errors of a state's steps.
    pub(super) fn move_along(&mut self, motion: &Motion<'_>) {
        // Notation: r the derivatives of one error by the states at its nodes, q_j minus that by
        // coefficient j.
        let own = self.border.iter().enumerate();
        let own: Vec<(usize, &[f64])> = own
            .filter(|(_, (other, _))| *other == motion.state)
            .map(|(place, (_, term))| (place, motion.terms[*term].as_slice()))
            .collect();
        let mut r = vec![0.0; NODES * self.d];
        let mut q = vec![0.0; own.len()];
        for (rule, error) in motion.rules.iter().zip(&motion.errors) {
            motion.by_states(rule, &mut r);
            for (q, (_, values)) in q.iter_mut().zip(&own) {
                let nodes = rule.weights.iter().zip(&values[rule.first..]);
                *q = nodes.map(|(b, v)| b * v).sum();
            }
            let first = self.offset + rule.first * self.d;
            self.add_states(first, &r, motion.weight, *error);
            for (i, (place, _)) in own.iter().enumerate() {
                let scaled = -motion.weight * q[i];
                for (entry, r) in self.columns[*place][first..].iter_mut().zip(&r) {
                    *entry += scaled * r;
                }
                self.by_coefficients[*place] += scaled * error;
                for ((other, _), q) in own[..=i].iter().zip(&q) {
                    self.corner[*place][*other] -= scaled * q;
                }
            }
        }
    }

    /// One error by the states at its nodes.
    fn add_states(&mut self, first: usize, r: &[f64], weight: f64, error: f64) {
        for (a, left) in r.iter().enumerate() {
            let scaled = weight * left;
            let row = self.band.row_mut(first + a);
            let from = row.len() - 1 - a;
            for (entry, right) in row[from..].iter_mut().zip(r) {
                *entry += scaled * right;
            }
            self.by_states[first + a] += scaled * error;
        }
    }

    pub(super) fn finish(self) -> Linear {
        Linear {
            factors: Bordered::new(self.band, self.columns, &self.corner),
            by_states: self.by_states,
            by_coefficients: self.by_coefficients,
        }
    }
}

impl Motion<'_> {
    /// The derivatives of the error of a step by the states at its nodes.
    fn by_states(&self, rule: &Rule, r: &mut [f64]) {
        let d = self.jacobian.len();
        for (node, b) in rule.weights.iter().enumerate() {
            for (other, slopes) in self.jacobian.iter().enumerate() {
                let slope = slopes.get(rule.first + node).map_or(0.0, |slope| b * slope);
                r[node * d + other] = -slope;
            }
            r[node * d + self.state] += rule.difference(node);
        }
    }
}
