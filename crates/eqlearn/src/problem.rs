//! What is asked of the data: one target, and the terms it may be made of.

use crate::dictionary::Dictionary;
use crate::error::{Error, Result};

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
#[derive(Debug, Clone)]
pub struct Problem {
    target: String,
    dictionary: Dictionary,
    weights: Option<String>,
}

impl Problem {
    /// A problem for this target. It must not be one of the dictionary's features.
    pub fn new(target: impl Into<String>, dictionary: Dictionary) -> Result<Self> {
        let target = target.into();
        if dictionary.features().contains(&target) {
            return Err(Error::TargetIsFeature { name: target });
        }
        Ok(Self {
            target,
            dictionary,
            weights: None,
        })
    }

    /// The same problem with rows weighted by a column: a row of weight 4 counts as four rows of weight 1.
    pub fn with_weights(mut self, column: impl Into<String>) -> Result<Self> {
        let column = column.into();
        if column == self.target || self.dictionary.features().contains(&column) {
            return Err(Error::WeightsInUse { name: column });
        }
        self.weights = Some(column);
        Ok(self)
    }

    /// The name of the target column.
    pub fn target(&self) -> &str {
        &self.target
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
        let target_and_weights = [Some(&self.target), self.weights.as_ref()];
        let features = self.dictionary.features().iter();
        features
            .chain(target_and_weights.into_iter().flatten())
            .cloned()
            .collect()
    }
}
