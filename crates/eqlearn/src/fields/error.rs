//! What can go wrong with equations of fields.

use crate::error::{counted, suggestion};

/// What can be wrong with the terms, the rows or the equations of fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldsError {
    /// A name that cannot stand in the name of a derivative.
    #[error(
        "{name:?} must be a word of letters, digits and _ that begins with a letter, because \
         derivatives are named after it; rename it"
    )]
    NotAWord {
        /// The quantity or axis.
        name: String,
    },
    /// Two quantities or axes of one name.
    #[error("{name:?} is the name of two quantities or axes; rename one of them")]
    SameName {
        /// The name they share.
        name: String,
    },
    /// Axes whose names side by side could be read in two ways.
    #[error(
        "derivatives along {axis:?} and {other:?} could not be told apart by their names; rename \
         one axis"
    )]
    AmbiguousAxes {
        /// One axis.
        axis: String,
        /// The other.
        other: String,
    },
    /// A quantity whose name is that of a derivative of another.
    #[error("{quantity:?} is what the derivative of {other:?} is called; rename it")]
    LooksDifferentiated {
        /// The quantity.
        quantity: String,
        /// The other.
        other: String,
    },
    /// A word behind `_` that is no direction.
    #[error("{name} is no derivative: the axes are {}", axes.join(", "))]
    UnknownDirection {
        /// The name as written.
        name: String,
        /// The axes.
        axes: Vec<String>,
    },
    /// `div` with another number of components than directions of space.
    #[error(
        "div needs one component for each of {}, and {text} has {}",
        space.join(", "),
        counted(*n as u64, "component")
    )]
    Divergence {
        /// As written.
        text: String,
        /// The directions of space.
        space: Vec<String>,
        /// How many components it has.
        n: usize,
    },
    /// A derivative of something that has derivatives in it and is itself no total derivative.
    #[error(
        "in {text}, what is differentiated must be a function of {} alone",
        quantities.join(", ")
    )]
    NotAFunction {
        /// As written.
        text: String,
        /// The quantities.
        quantities: Vec<String>,
    },
    /// A parenthesis without its partner.
    #[error("a parenthesis of {text} has no partner")]
    Parentheses {
        /// As written.
        text: String,
    },
    /// A term whose derivatives cannot be moved on to a test function.
    #[error(
        "the term {term} is no derivative of a function of {}, so it has no weak form; {}",
        quantities.join(", "),
        instead(remedy.as_deref())
    )]
    NoTotalDerivative {
        /// The term.
        term: String,
        /// The quantities.
        quantities: Vec<String>,
        /// A derivative that has this term in it.
        remedy: Option<String>,
    },
    /// A feature of the dictionary that is no quantity and no derivative.
    #[error(
        "{feature:?} is neither a quantity nor a derivative; {}",
        suggestion(None, quantities)
    )]
    UnknownFeature {
        /// The feature.
        feature: String,
        /// The quantities.
        quantities: Vec<String>,
    },
    /// A term with a derivative by time that is as high as that of the left side.
    #[error("the term {term} has as many derivatives by {time} as the left side {left}")]
    TimeDerivative {
        /// The term.
        term: String,
        /// The axis of time.
        time: String,
        /// The left side.
        left: String,
    },
    /// Nothing was given.
    #[error("there is no field")]
    NoField,
    /// Records of different quantities or axes.
    #[error("{record} has {found}, but {first} has {expected}; records must share their names")]
    DifferentNames {
        /// The record.
        record: String,
        /// Its quantities and axes.
        found: String,
        /// The first record.
        first: String,
        /// Those of the first.
        expected: String,
    },
    /// A quantity that never varies.
    #[error("{quantity:?} of {record} is {value} everywhere: there is nothing to learn about it")]
    Constant {
        /// The quantity.
        quantity: String,
        /// The record.
        record: String,
        /// Its value.
        value: f64,
    },
    /// A quantity without a value.
    #[error("{quantity:?} of {record} has no value at all")]
    NoValue {
        /// The quantity.
        quantity: String,
        /// The record.
        record: String,
    },
    /// Coordinates with unequal steps.
    #[error(
        "the steps of the axis {axis:?} of {record} are not equal: {step} at place {place}, and \
         {usual} usually; interpolate the field to equal steps first"
    )]
    UnequalSteps {
        /// The axis.
        axis: String,
        /// The record.
        record: String,
        /// The place of the first other step, from 0.
        place: usize,
        /// That step.
        step: f64,
        /// The usual step.
        usual: f64,
    },
    /// An axis with too few points for a test function.
    #[error(
        "the axis {axis:?} of {record} has {points} points, and test functions with derivatives \
         of order {order} along it need at least {least}; measure more points, or allow lower \
         derivatives"
    )]
    TooFewPoints {
        /// The axis.
        axis: String,
        /// The record.
        record: String,
        /// How many points it has.
        points: usize,
        /// The highest order along it.
        order: u32,
        /// How many are needed.
        least: usize,
    },
    /// Features that are as small as the grid is fine, or nothing but noise.
    #[error(
        "the grid is too coarse for {quantity:?} of {record}: it changes as much from point to \
         point as anywhere, so derivatives cannot be known; measure finer, and check the order of \
         the axes"
    )]
    TooCoarse {
        /// The quantity.
        quantity: String,
        /// The record.
        record: String,
    },
    /// Gaps that leave no place for a test function.
    #[error(
        "missing values leave {} for test functions, and {terms} terms need at least {terms}; \
         give narrower widths, or fill small gaps",
        counted(*rows as u64, "place")
    )]
    TooFewRows {
        /// How many places are left.
        rows: usize,
        /// How many terms there are.
        terms: usize,
    },
    /// A term without a finite value somewhere.
    #[error(
        "the term {term} is not a finite number somewhere on the grid of {record}; leave it out"
    )]
    NotFinite {
        /// The term.
        term: String,
        /// The record.
        record: String,
    },
    /// A simulation in several directions of space.
    #[error(
        "only fields in one direction of space are simulated, and this one has {}",
        space.join(", ")
    )]
    SimulationDirections {
        /// The directions of space.
        space: Vec<String>,
    },
    /// A simulation of accelerations.
    #[error("{left} is of second order, and only equations of first order in time are simulated")]
    SimulationOrder {
        /// The left side.
        left: String,
    },
    /// A start that is no line of numbers for each quantity.
    #[error(
        "a simulation starts from the values of {} at the same {least} points or more, all finite",
        quantities.join(", ")
    )]
    SimulationStart {
        /// The quantities.
        quantities: Vec<String>,
        /// The fewest points.
        least: usize,
    },
    /// A length without a meaning.
    #[error("the field repeats itself after {length}; it must be a length above 0")]
    SimulationLength {
        /// The length as given.
        length: f64,
    },
    /// Widths for another number of axes.
    #[error("there are {given} half widths for {axes} axes; give one for each axis")]
    Widths {
        /// How many were given.
        given: usize,
        /// How many axes there are.
        axes: usize,
    },
}

fn instead(remedy: Option<&str>) -> String {
    match remedy {
        Some(remedy) => format!("{remedy} has one"),
        None => "leave it out".into(),
    }
}
