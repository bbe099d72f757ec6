//! How good learned equations are, by the same measures for every method and for outside models.

use eqlearn::{Dictionary, LeftSide, Model, System, Term};
use serde::{Deserialize, Serialize};

use super::Equation;
use super::attractor::Attractor;
use super::scenario::Data;
use crate::runner::GoOn;

/// The paper's measures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Score {
    /// For each equation the number of true terms minus the number of wrong terms.
    pub n_diff: Vec<i32>,
    /// Whether each equation has exactly the true terms.
    pub right: Vec<bool>,
    /// The number of terms of all equations.
    pub n_model: usize,
    /// The mean absolute error of the forecast from each initial value, to six digits; none where
    /// the simulation did not reach the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mae: Vec<Option<f64>>,
}

impl Score {
    /// Compares equations with the truth, and forecasts from the attractor where there is one.
    ///
    /// # Errors
    /// A term that cannot be read, or a number of coefficients that is not that of the terms.
    pub fn new(
        data: &Data,
        equations: &[Equation],
        attractor: Option<&Attractor>,
        go_on: &GoOn<'_>,
    ) -> eqlearn::Result<Self> {
        let features = data.features();
        let mut score = Self::default();
        for (equation, truth) in equations.iter().zip(data.truth()) {
            let texts = canonical(&equation.terms, &features)?;
            let found = texts.iter().filter(|text| truth.contains(text)).count();
            let (found, all) = (small(found), small(texts.len()));
            score.n_diff.push(found - (all - found));
            score
                .right
                .push(found == all && found == small(truth.len()));
            score.n_model += texts.len();
        }
        if let Some(attractor) = attractor {
            // A state that a method has no terms for stays where it is, as in PySINDy.
            score.mae = match system(equations, &features)? {
                Some(system) => attractor.errors(&system, go_on),
                None => vec![None; attractor.n_starts()],
            };
        }
        Ok(score)
    }
}

impl Score {
    /// The score of a method that failed: nothing found, no forecast.
    pub fn of_failure(data: &Data, attractor: Option<&Attractor>) -> Self {
        let n = data.targets().len();
        Self {
            n_diff: vec![0; n],
            right: vec![false; n],
            n_model: 0,
            mae: vec![None; attractor.map_or(0, Attractor::n_starts)],
        }
    }
}

fn small(count: usize) -> i32 {
    i32::try_from(count).expect("an equation has fewer terms than that")
}

/// Terms as this project writes them, so that `z*x` is `x*z`.
fn canonical(terms: &[String], features: &[&str]) -> eqlearn::Result<Vec<String>> {
    let names: Vec<String> = features.iter().map(ToString::to_string).collect();
    let texts = terms
        .iter()
        .map(|text| Ok(Term::parse(text, &names)?.to_string()));
    texts.collect()
}

/// The system of these equations, to be simulated.
fn system(equations: &[Equation], features: &[&str]) -> eqlearn::Result<Option<System>> {
    let models = equations
        .iter()
        .map(|equation| {
            let constant = equation.constant.map(|_| "1".to_string());
            let dictionary =
                Dictionary::parse(features.to_vec(), equation.terms.iter().chain(&constant))?;
            let mut coefficients = equation.coefficients.clone();
            coefficients.extend(equation.constant);
            let left = LeftSide::Flow {
                state: equation.target.clone(),
            };
            Model::given(left, dictionary, &coefficients)
        })
        .collect::<eqlearn::Result<Vec<_>>>()?;
    Ok(System::from_models(models))
}
