//! What is asked of the data: one target, and the terms it may be made of.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::terms::TermsError;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;

/// One target column, the dictionary of terms that may explain it, and perhaps a column of weights.
///
/// ```
/// use eqlearn::{Dictionary, Problem};
///
/// let features = ["x1".to_string(), "x2".to_string()];
/// let problem = Problem::new("y", Dictionary::monomials(&features, 2, 2, true)?)?;
/// assert_eq!(problem.columns(), ["x1", "x2", "y"]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    #[serde(with = "as_target")]
    target: LeftSide,
    dictionary: Dictionary,
    weights: Option<String>,
    meaning: Weights,
    constants: Constants,
}

/// What the weights of rows mean for the number of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// How precise a row is: each row that counts at all is one observation.
    #[default]
    Precision,
    /// How often a row was seen: there are as many observations as the weights sum to.
    Repeats,
    /// How uncertain a row is: the column holds the standard deviation of its noise, and the weight
    /// is one over its square.
    Deviation,
}

impl Weights {
    /// The weights of rows with these values in the column.
    pub(crate) fn of(self, values: &[f64]) -> Cow<'_, [f64]> {
        match self {
            Self::Precision | Self::Repeats => values.into(),
            Self::Deviation => values.iter().map(|s| (s * s).recip()).collect(),
        }
    }
}

/// What to do with a target or a feature that never varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constants {
    /// Refuse it: a user who chose that column made a mistake.
    #[default]
    Refuse,
    /// Learn from it: a program that evaluates its own terms has a column of ones, and a state may
    /// stand still.
    Allow,
}

impl Problem {
    /// A problem for this target. It must not be one of the dictionary's features.
    pub fn new(target: impl Into<LeftSide>, dictionary: Dictionary) -> Result<Self> {
        let target = target.into();
        let name = target.to_string();
        if dictionary.features().contains(&name) {
            return Err(TermsError::TargetIsFeature { name }.into());
        }
        Ok(Self::implicit(target, dictionary))
    }

    /// A problem whose terms may hold the target itself, as those of a fraction that is multiplied
    /// out do.
    pub(crate) fn implicit(target: LeftSide, dictionary: Dictionary) -> Self {
        Self {
            target,
            dictionary,
            weights: None,
            meaning: Weights::default(),
            constants: Constants::default(),
        }
    }

    /// The same problem with rows weighted by a column: a row of weight 4 is as precise as the mean
    /// of four rows of weight 1.
    pub fn with_weights(mut self, column: impl Into<String>) -> Result<Self> {
        let column = column.into();
        if column == self.target.to_string() || self.dictionary.features().contains(&column) {
            return Err(TermsError::WeightsInUse { name: column }.into());
        }
        self.weights = Some(column);
        Ok(self)
    }

    /// The same problem with another meaning of its weights.
    #[must_use]
    pub fn with_meaning(self, meaning: Weights) -> Self {
        Self { meaning, ..self }
    }

    /// The same problem with other terms of the same features.
    #[must_use]
    pub(crate) fn with_dictionary(self, dictionary: Dictionary) -> Self {
        Self { dictionary, ..self }
    }

    /// What the weights mean.
    pub fn meaning(&self) -> Weights {
        self.meaning
    }

    /// The same problem with another rule for columns that never vary.
    #[must_use]
    pub fn with_constants(self, constants: Constants) -> Self {
        Self { constants, ..self }
    }

    /// What is done with columns that never vary.
    pub fn constants(&self) -> Constants {
        self.constants
    }

    /// The left side of the equations that are asked for.
    pub fn left_side(&self) -> &LeftSide {
        &self.target
    }

    /// The name of the target column.
    pub fn target(&self) -> String {
        self.target.to_string()
    }

    /// The terms that may explain the target.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The column of weights, if rows do not all count the same.
    pub fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    /// The columns that a table must have: features, target, and weights if there are any.
    pub fn columns(&self) -> Vec<String> {
        let features = self.dictionary.features().iter().cloned();
        let target_and_weights = [Some(self.target()), self.weights.clone()];
        features
            .chain(target_and_weights.into_iter().flatten())
            .collect()
    }
}

/// A column by its name alone, as files have always had it; other left sides with their parts.
mod as_target {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::terms::left_side::LeftSide;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Target {
        Column(String),
        Other(LeftSide),
    }

    pub(super) fn serialize<S: Serializer>(left: &LeftSide, to: S) -> Result<S::Ok, S::Error> {
        match left {
            LeftSide::Column { name } => Target::Column(name.clone()),
            other => Target::Other(other.clone()),
        }
        .serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<LeftSide, D::Error> {
        Ok(match Target::deserialize(from)? {
            Target::Column(name) => LeftSide::Column { name },
            Target::Other(left) => left,
        })
    }
}
