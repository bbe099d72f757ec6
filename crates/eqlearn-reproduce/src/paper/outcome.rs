//! What a method learned from a scenario, and how good it is.

use serde::{Deserialize, Serialize};

use super::{Scenario, Score};
use crate::runner;

/// One line of results.
pub type Line = runner::Line<Scenario, Outcome>;

/// How long a method took.
pub type Timing = runner::Timing<Scenario>;

/// A learned equation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Equation {
    /// The left side: `y`, or the state whose time derivative it is.
    pub target: String,
    /// The terms that were chosen; none if the method found no equation.
    pub terms: Vec<String>,
    /// One coefficient per term.
    pub coefficients: Vec<f64>,
    /// The constant of a method that always has one: it was not chosen, so it is no term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<f64>,
}

impl Equation {
    /// The equation of a target for which a method found no terms.
    pub fn without_terms(target: &str) -> Self {
        Self {
            target: target.to_string(),
            terms: Vec::new(),
            coefficients: Vec::new(),
            constant: None,
        }
    }
}

/// What a method made of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// One equation per target.
    pub equations: Vec<Equation>,
    /// How good they are.
    pub score: Score,
    /// Why there is no equation, if the method failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Outcome {
    /// Whether every equation has exactly the true terms.
    pub fn is_complete(&self) -> bool {
        self.score.right.iter().all(|right| *right)
    }

    /// How many equations have exactly the true terms.
    pub fn n_right(&self) -> usize {
        self.score.right.iter().filter(|right| **right).count()
    }
}
