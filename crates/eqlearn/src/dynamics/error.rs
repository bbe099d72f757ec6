//! What can go wrong with differential equations.

use super::rows::difference::RowScheme;
use crate::error::counted;

/// What can be wrong with the rows of a differential equation, or with its simulation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// An unknown kind of rows.
    #[error("there are no rows named {name:?}; known are {}", RowScheme::NAMES.join(", "))]
    UnknownRows {
        /// The name as given.
        name: String,
    },
    /// Rows of this kind have no second derivatives.
    #[error("rows of kind {rows:?} have no second derivatives; take \"auto\" or \"weak\"")]
    NoSecondDerivative {
        /// The kind of rows.
        rows: String,
    },
    /// A scheme for equal steps on a record with unequal steps.
    #[error("{rows} rows need equal time steps, and these are not")]
    UnequalSteps {
        /// The scheme.
        rows: String,
    },
    /// A simulation was not given where to start.
    #[error("the initial state needs one finite number for each of {}", states.join(", "))]
    StartIncomplete {
        /// The states of the system.
        states: Vec<String>,
    },
    /// A simulation was given no times, or times that do not increase.
    #[error("the times of a simulation must increase")]
    SimulationTimesDoNotRise,
    /// The equations to simulate use more than the states.
    #[error(
        "the equations depend on {input:?}, which is no state: its values over time are needed"
    )]
    SimulationNeedsInput {
        /// What they use.
        input: String,
    },
    /// An input without a value for each time, or with more.
    #[error(
        "the input {input:?} has {} for {}",
        counted(*found, "value"),
        counted(*expected, "time")
    )]
    InputLength {
        /// The input.
        input: String,
        /// How many values it has.
        found: usize,
        /// How many times there are.
        expected: usize,
    },
    /// A simulation beyond the times at which inputs are known.
    #[error(
        "the inputs are known from time {from} to {to}, and the simulation is from {first} to \
         {last}"
    )]
    InputsTooShort {
        /// Where inputs begin.
        from: f64,
        /// Where they end.
        to: f64,
        /// Where the simulation begins.
        first: f64,
        /// Where it ends.
        last: f64,
    },
    /// Refinement simulates the system, which is not possible with inputs.
    #[error(
        "a system with inputs cannot be simulated on its own, \
         so its coefficients cannot be refined"
    )]
    RefinementNeedsInputs,
    /// The record has no window that is long enough for refinement.
    #[error(
        "the record is shorter than the time scale of the motion, \
         so coefficients cannot be refined on it"
    )]
    RecordTooShortToRefine,
    /// The simulation of a system ends before the record does.
    #[error("the simulation of the system fails before the end of the record")]
    RecordNotFollowed,
}
