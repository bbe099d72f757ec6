//! Something that a careful reader should know.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that a careful reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about, for programs.
    pub code: Code,
    /// A sentence for people.
    pub message: String,
}

impl Warning {
    /// A warning in words.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// What a warning is about. The names in documents are these in kebab case, and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// The equation uses all terms that there were to choose from.
    AllTerms,
    /// Another equation is nearly as probable.
    Ambiguous,
    /// Rows that are exact copies of others.
    CopiedRows,
    /// Rows that follow each other like a random walk.
    DependentRows,
    /// Rows that do not belong to the law that the others follow.
    DistrustedRows,
    /// An equation of motion leaves more of the record than its noise explains.
    ExcessResiduals,
    /// Some terms are interchangeable on these data.
    ExchangeableTerms,
    /// There are fewer rows than terms.
    FewRows,
    /// The record does not tell which terms are in an equation of motion.
    HiddenTerms,
    /// The equation looks like an approximation of another law.
    Imitation,
    /// One row determines the fit.
    InfluentialRow,
    /// Cross-validation chose a value at an end of its grid.
    KnobAtEdge,
    /// Two members of a family cannot be told apart.
    MergedParameters,
    /// The law is probably none of the equations listed.
    Misfit,
    /// There are too few rows to tell whether the law is among the equations listed.
    MisfitUnjudged,
    /// There is no equation of a target or state, and why.
    NoEquation,
    /// The equation fits to the last digit.
    NoResidual,
    /// No two successive sizes agreed on the terms.
    NotConsistent,
    /// The terms still changed in the last search.
    NotSettled,
    /// The simulation of the system failed from some initial states.
    NotSolvable,
    /// The data speak for another equation than the method's choice.
    NotTheMostProbable,
    /// There is one experiment only, so nothing is compared.
    OneGroup,
    /// An inner parameter ran to the end of its range.
    ParameterAtEdge,
    /// The law divides by something that is zero somewhere between the data.
    Pole,
    /// Terms are linearly dependent on these data.
    RankDeficient,
    /// Residuals of neighbouring rows are correlated.
    ResidualsCorrelated,
    /// Residuals bend with the predicted value.
    ResidualsCurved,
    /// Some residuals are too large for normal noise.
    ResidualsHeavyTailed,
    /// Residuals drift from the first row to the last.
    ResidualsTrend,
    /// The rows are elsewhere, so residuals were not checked.
    ResidualsUnchecked,
    /// The equation is as large as the search allows.
    SizeLimit,
    /// The search was stopped before its list was proven.
    Stopped,
    /// Some terms are in the equation with a probability below 0.9.
    UncertainTerms,
    /// The noise is larger on some rows than on others.
    UnevenNoise,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
