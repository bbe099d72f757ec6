//! What can go wrong with fields, and the files they come from.

use crate::error::{counted, remedy};

/// What is wrong with a field on a grid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A field needs time and one to three directions of space.
    #[error("a field needs time and one to three directions of space; there {} given", axes_of(*n))]
    Dimensions {
        /// How many axes there are.
        n: usize,
    },
    /// No quantity at all.
    #[error("there is no quantity on the grid")]
    Nothing,
    /// A quantity whose values do not fill the grid.
    #[error("{quantity:?} has {values} values, but the grid has {}", lengths(grid))]
    Shape {
        /// The quantity.
        quantity: String,
        /// How many values it has.
        values: usize,
        /// The axes with their numbers of points.
        grid: Vec<(String, usize)>,
    },
    /// An array whose lengths are not those of the axes, in any order.
    #[error(
        "{quantity:?} is an array of {}, but the axes have {}; name the axes in the order of the \
         array's directions, time first",
        times(shape),
        lengths(grid)
    )]
    ShapeOfArray {
        /// The quantity.
        quantity: String,
        /// The lengths of its array.
        shape: Vec<usize>,
        /// The axes with their numbers of points.
        grid: Vec<(String, usize)>,
    },
    /// Coordinates that are no vector.
    #[error(
        "the axis {axis:?} is an array of {}; coordinates are a vector, so give one of its rows or \
         columns",
        times(shape)
    )]
    AxisNotVector {
        /// The axis.
        axis: String,
        /// The lengths of its array.
        shape: Vec<usize>,
    },
    /// An array that is not in the file.
    #[error("{file} has no array {name:?}; {}", remedy(.nearest.as_deref(), .known))]
    UnknownArray {
        /// The file as the user named it.
        file: String,
        /// The name asked for.
        name: String,
        /// An array whose name is close.
        nearest: Option<String>,
        /// All arrays.
        known: Vec<String>,
    },
    /// A lone array, whose axes were named without their steps.
    #[error(
        "{file} is one array without coordinates; give the axes by their steps, as in {}=0.1",
        axis
    )]
    NoCoordinates {
        /// The file as the user named it.
        file: String,
        /// An axis without a step.
        axis: String,
    },
    /// It was not said which array is the field.
    #[error(
        "which of {} is the field? {file} has {}",
        list(known),
        counted(known.len() as u64, "array")
    )]
    WhichQuantity {
        /// The file as the user named it.
        file: String,
        /// What it may be.
        known: Vec<String>,
    },
    /// A step that is none.
    #[error("{step:?} is no step of the axis {axis:?}; write it as in {axis}=0.1")]
    StepOfAxis {
        /// The axis.
        axis: String,
        /// What was given.
        step: String,
    },
    /// A step for an axis whose coordinates are in a table.
    #[error("a table has its coordinates in columns; name the column of {axis:?} without a step")]
    StepInTable {
        /// The axis.
        axis: String,
    },
    /// A periodic direction that is no axis.
    #[error("{name:?} is none of the directions of space: {}", list(known))]
    UnknownAxis {
        /// The name asked for.
        name: String,
        /// All directions of space.
        known: Vec<String>,
    },
    /// Time that is said to be periodic.
    #[error("time ({axis:?}) cannot be periodic; only directions of space can")]
    PeriodicTime {
        /// The axis.
        axis: String,
    },
    /// Unequal steps along a periodic direction.
    #[error(
        "the axis {axis:?} has steps from {least} to {most}; a periodic direction needs equal steps"
    )]
    UnevenPeriodic {
        /// The axis.
        axis: String,
        /// Its smallest step.
        least: f64,
        /// Its largest step.
        most: f64,
    },
    /// Two axes or quantities of one name.
    #[error("{name:?} is given twice; axes and quantities need different names")]
    GivenTwice {
        /// The name.
        name: String,
    },
    /// A table with far fewer rows than its coordinates span points.
    #[error(
        "the coordinates of {file} span a grid with {}, but only {rows} of its points have a row; \
         a field needs values on a grid",
        lengths(grid)
    )]
    NoGrid {
        /// The file as the user named it.
        file: String,
        /// How many rows it has.
        rows: u64,
        /// The axes with their numbers of points.
        grid: Vec<(String, usize)>,
    },
    /// Two rows of a table for one point of the grid.
    #[error(
        "rows {first} and {second} of {file} are both at {}; a field has one value at each point",
        at.iter().map(|(axis, value)| format!("{axis} = {value}")).collect::<Vec<_>>().join(", ")
    )]
    PointTwice {
        /// The file as the user named it.
        file: String,
        /// A row, counted from 1.
        first: u64,
        /// Another row.
        second: u64,
        /// The point.
        at: Vec<(String, f64)>,
    },
    /// An axis with too few points.
    #[error("the axis {axis:?} has {}; at least 8 are needed", counted(*points as u64, "point"))]
    TooShort {
        /// The axis.
        axis: String,
        /// How many points it has.
        points: usize,
    },
    /// A coordinate that is no number.
    #[error("the axis {axis:?} has no number at place {place}")]
    NotFinite {
        /// The axis.
        axis: String,
        /// Where, counted from zero.
        place: usize,
    },
    /// Coordinates that do not rise.
    #[error("the axis {axis:?} does not rise: {value} at place {place} comes after {before}")]
    NotRising {
        /// The axis.
        axis: String,
        /// Where, counted from zero.
        place: usize,
        /// The coordinate before.
        before: f64,
        /// The coordinate there.
        value: f64,
    },
}

fn lengths(grid: &[(String, usize)]) -> String {
    let each = grid.iter().map(|(axis, n)| format!("{n} in {axis}"));
    each.collect::<Vec<_>>().join(" × ")
}

fn times(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    match lengths.as_slice() {
        [] => "one number".into(),
        lengths => lengths.join(" × "),
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}

fn axes_of(n: usize) -> String {
    match n {
        1 => "is 1 axis".into(),
        n => format!("are {n} axes"),
    }
}
