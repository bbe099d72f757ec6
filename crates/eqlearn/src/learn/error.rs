//! What can go wrong with learned models.

use crate::error::{JsonProblem, counted, suggestion};

/// What can be wrong with a model, its file, or its predictions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A model file that is not the JSON that it should be.
    #[error("not a usable model file: {0}")]
    ModelFile(#[from] JsonProblem),
    /// A list in a model file does not have an entry for every term.
    #[error(
        "not a usable model file: `{field}` has the wrong length, {length}, for {}",
        counted(*n_terms, "term")
    )]
    ModelLists {
        /// The list.
        field: &'static str,
        /// How many entries it has.
        length: usize,
        /// How many terms there are.
        n_terms: usize,
    },
    /// An equation was given with too few or too many coefficients, or one that is not finite.
    #[error(
        "the equation of {target:?} has {}, and needs one finite coefficient for each",
        counted(*n_terms, "term")
    )]
    GivenCoefficients {
        /// What the equation explains.
        target: String,
        /// How many terms it has.
        n_terms: usize,
    },
    /// A search was stopped before it had looked at one equation.
    #[error(
        "the search was stopped before it had looked at any equation of {}: \
         this says nothing about whether there is a law",
        counted(*n_terms, "term")
    )]
    NothingSearched {
        /// How many terms there were to choose from.
        n_terms: usize,
    },
    /// Inner parameters of rows that are not at hand.
    #[error("parameters inside terms are fitted to rows, and a triangle has no rows")]
    ParametersWithoutRows,
    /// Inner parameters of a law whose terms are all given, without a fit.
    #[error(
        "no values of {names} could be fitted: on these rows the terms are not finite, or depend \
         on each other, or are too many"
    )]
    ParametersNotFitted {
        /// The parameters.
        names: String,
    },
    /// A wish about the noise of rows that are not all in memory.
    #[error(
        "the noise of single rows is estimated only if all rows are in memory, and only {n_kept} \
         of them are; learn from fewer rows, or ask for neither relative noise nor a robust fit"
    )]
    RowsNotAtHand {
        /// How many are in memory.
        n_kept: usize,
    },
    /// A row on which the denominator of a fraction is zero.
    #[error("the law has a pole in row {row}: its denominator is zero there")]
    Pole {
        /// The row, counted from 1.
        row: u64,
    },
    /// A right side that no value of the target has.
    #[error("the law gives {left} = {value} in row {row}, and no value of the target gives that")]
    NoInverse {
        /// The left side.
        left: String,
        /// The right side's value.
        value: f64,
        /// The row, counted from 1.
        row: u64,
    },
    /// An equation's value overflows.
    #[error("the prediction for row {row} is beyond the range of numbers")]
    PredictionBeyondRange {
        /// The row, counted from 1.
        row: u64,
    },
    /// Several experiments, for a method that makes no exact lists of them.
    #[error("{method} cannot learn one law for several experiments; best and best-subset can")]
    MethodOfGroups {
        /// The method.
        method: &'static str,
    },
    /// Several experiments, by a criterion that needs more than residuals.
    #[error(
        "the evidence is not known for one law of several experiments; choose another criterion"
    )]
    EvidenceOfGroups,
    /// An experiment that cannot determine coefficients of its own.
    #[error(
        "{column} {group} has {}, too few for {} of its own; leave it out, or share coefficients",
        counted(*n_obs, "row"),
        counted(*n_terms, "coefficient")
    )]
    FewRowsOfGroup {
        /// What tells experiments apart.
        column: String,
        /// The experiment.
        group: String,
        /// How many rows it has.
        n_obs: usize,
        /// How many free terms there are at least.
        n_terms: usize,
    },
    /// A model file of several experiments without an equation for each.
    #[error(
        "not a usable model file: `groups` has {}, and there are {}",
        counted(*names, "name"),
        counted(*equations, "equation")
    )]
    ModelGroups {
        /// How many experiments are named.
        names: usize,
        /// How many equations there are.
        equations: usize,
    },
    /// Rows of an experiment that the law was not learned from.
    #[error(
        "{column} is {group:?} in row {row}, and the law was not learned from that; {}",
        suggestion(nearest.as_deref(), known)
    )]
    UnknownGroup {
        /// What tells experiments apart.
        column: String,
        /// The experiment.
        group: String,
        /// The first row of it.
        row: u64,
        /// What was probably meant.
        nearest: Option<String>,
        /// Those that are known.
        known: Vec<String>,
    },
}
