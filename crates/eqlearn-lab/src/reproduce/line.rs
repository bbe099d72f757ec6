//! One line of results: what a contender learned from a scenario, and how good it is.

use serde::{Deserialize, Serialize};

use super::Scenario;
use super::score::Score;

/// A learned equation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Equation {
    /// The left side: `y`, or the state whose time derivative it is.
    pub target: String,
    /// The terms that were chosen; none if the method found no equation.
    pub terms: Vec<String>,
    /// One coefficient per term.
    pub coefficients: Vec<f64>,
    /// The constant of a method that always has one, which is therefore no choice of its.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<f64>,
}

impl Equation {
    /// The equation of a target that a method has nothing to say about.
    pub fn without_terms(target: &str) -> Self {
        Self {
            target: target.to_string(),
            terms: Vec::new(),
            coefficients: Vec::new(),
            constant: None,
        }
    }
}

/// What a contender made of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The scenario.
    pub scenario: Scenario,
    /// The contender, or whoever sent models in.
    pub method: String,
    /// One equation per target.
    pub equations: Vec<Equation>,
    /// How good they are.
    pub score: Score,
    /// Why there is no equation, if the method failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Line {
    /// The line as it stands in a file, with its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a line holds nothing that JSON cannot") + "\n"
    }

    /// Whether every equation has exactly the true terms.
    pub fn is_complete(&self) -> bool {
        self.score.right.iter().all(|right| *right)
    }

    /// How many equations have exactly the true terms.
    pub fn n_right(&self) -> usize {
        self.score.right.iter().filter(|right| **right).count()
    }
}
