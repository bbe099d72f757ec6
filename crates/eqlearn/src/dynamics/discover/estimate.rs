//! The current equations: terms and coefficients, evaluated with their derivatives on columns.

use crate::dynamics::rows::interpolate::Nodes;
use crate::learn::Study;
use crate::reduce::Fit;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;

/// The current equations of all states.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    equations: Vec<Equation>,
}

#[derive(Debug, Clone)]
struct Equation {
    support: Support,
    terms: Vec<Term>,
    /// For each feature the terms with a derivative, by place.
    derivatives: Vec<Vec<(usize, Term)>>,
    coefficients: Vec<f64>,
}

impl Estimate {
    /// The answers of studies; no terms where there is none.
    pub(super) fn new(dictionary: &Dictionary, studies: &[Study]) -> Self {
        let equation = |study: &Study| {
            let (support, coefficients) = study.answer().map_or_else(Default::default, |answer| {
                (
                    answer.fit.support().clone(),
                    answer.fit.coefficients().to_vec(),
                )
            });
            Equation::new(dictionary, support, coefficients)
        };
        Self {
            equations: studies.iter().map(equation).collect(),
        }
    }

    /// Equations with these terms of a dictionary and their coefficients.
    pub(super) fn of_laws(dictionary: &Dictionary, laws: Vec<(Support, Vec<f64>)>) -> Self {
        let equation = |(support, coefficients)| Equation::new(dictionary, support, coefficients);
        Self {
            equations: laws.into_iter().map(equation).collect(),
        }
    }

    pub(super) fn has_terms_of(&self, other: &Self) -> bool {
        let both = self.equations.iter().zip(&other.equations);
        both.into_iter().all(|(a, b)| a.support == b.support)
    }

    pub(super) fn has_all_equations(&self) -> bool {
        self.equations
            .iter()
            .all(|equation| !equation.terms.is_empty())
    }

    /// The terms of all equations together.
    pub(super) fn all_terms(&self) -> Support {
        let supports = self.equations.iter().map(|equation| &equation.support);
        supports.fold(Support::empty(), |all, support| all.union(support))
    }

    pub(super) fn support(&self, state: usize) -> &Support {
        &self.equations[state].support
    }

    pub(super) fn coefficients(&self, state: usize) -> &[f64] {
        &self.equations[state].coefficients
    }

    pub(super) fn set(&mut self, state: usize, fit: &Fit) {
        self.equations[state].coefficients = fit.coefficients().to_vec();
    }

    /// The time derivative of every state on columns of features.
    pub(super) fn slope(&self, columns: &[&[f64]], out: &mut [Vec<f64>]) {
        let n = columns[0].len();
        let mut values = vec![0.0; n];
        for (out, equation) in out.iter_mut().zip(&self.equations) {
            out.clear();
            out.resize(n, 0.0);
            for (term, coefficient) in equation.terms.iter().zip(&equation.coefficients) {
                term.evaluate(columns, &mut values);
                add(out, *coefficient, &values);
            }
        }
    }

    /// The derivative of a state's equation with respect to a feature at the nodes; none if it is
    /// zero.
    pub(super) fn jacobian(&self, state: usize, feature: usize, nodes: &Nodes) -> Option<Vec<f64>> {
        let equation = &self.equations[state];
        let derivatives = &equation.derivatives[feature];
        if derivatives.is_empty() {
            return None;
        }
        let columns: Vec<&[f64]> = nodes.columns.iter().map(Vec::as_slice).collect();
        let mut total = vec![0.0; nodes.times.len()];
        let mut values = total.clone();
        for (place, term) in derivatives {
            term.evaluate(&columns, &mut values);
            add(&mut total, equation.coefficients[*place], &values);
        }
        Some(total)
    }
}

impl Equation {
    fn new(dictionary: &Dictionary, support: Support, coefficients: Vec<f64>) -> Self {
        let terms: Vec<Term> = support
            .indices()
            .iter()
            .map(|&term| dictionary.terms()[term].clone())
            .collect();
        let derivatives = |feature: &String| {
            let all = terms
                .iter()
                .map(|term| term.derivative(feature))
                .enumerate();
            all.filter(|(_, derivative)| !derivative.is_zero())
                .collect()
        };
        Self {
            derivatives: dictionary.features().iter().map(derivatives).collect(),
            support,
            terms,
            coefficients,
        }
    }
}

fn add(total: &mut [f64], factor: f64, values: &[f64]) {
    for (total, value) in total.iter_mut().zip(values) {
        *total += factor * value;
    }
}
