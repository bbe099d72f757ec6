//! What can go wrong between rows and their triangle.

use crate::error::{JsonProblem, counted};

/// What can be wrong with rows that are reduced, or with triangles that are merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// There is nothing to learn from.
    #[error("there are no rows to learn from")]
    NoRowsToLearnFrom,
    /// A single row, through which every equation passes.
    #[error("there is only one row, and one row is too few to learn from")]
    OneRow,
    /// A standard deviation that is not above zero.
    #[error(
        "the standard deviation {name:?} is {value} in row {row}; it must be above zero, so leave \
         the row out or correct it"
    )]
    DeviationNotPositive {
        /// The column of standard deviations.
        name: String,
        /// The row.
        row: u64,
        /// The standard deviation.
        value: f64,
    },
    /// A weight below zero.
    #[error("the weight {name:?} is {value} in row {row}; weights are zero or more")]
    NegativeWeight {
        /// The column of weights.
        name: String,
        /// The row, counted from 1.
        row: u64,
        /// The weight.
        value: f64,
    },
    /// The target has the same value in every row.
    #[error("the target {name:?} is {value} in every row: there is nothing to explain")]
    ConstantTarget {
        /// The target.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A feature has the same value in every row, so that its terms cannot be distinguished from
    /// others.
    #[error("the feature {name:?} is {value} in every row: its terms cannot be told from others")]
    ConstantFeature {
        /// The feature.
        name: String,
        /// Its value.
        value: f64,
    },
    /// Work on several targets was given none.
    #[error("there is no target to learn")]
    NoTargets,
    /// Targets that are to be learned together do not come from the same rows and terms.
    #[error("targets {first} and {second} do not come from the same rows and terms")]
    DifferentRows {
        /// The place of the first target, from 1.
        first: usize,
        /// The place of the other, from 1.
        second: usize,
    },
    /// Rows that come as triangles can be split between triangles only.
    #[error(
        "the rows must be split into {}, but they come as {}, which cannot be split",
        counted(*needed, "part"),
        counted(*triangles, "triangle")
    )]
    TooFewTriangles {
        /// How many triangles there are.
        triangles: usize,
        /// How many parts are asked for.
        needed: usize,
    },
    /// A triangle that cannot be used.
    #[error("{file} is not a usable triangle: {problem}")]
    TriangleFile {
        /// The file as the user named it.
        file: String,
        /// What is wrong with it.
        #[source]
        problem: TriangleProblem,
    },
    /// Two triangles that belong to different problems.
    #[error("{file} and {first} cannot be put together: {}", difference.told(file, first))]
    OtherProblem {
        /// The triangle that does not belong here.
        file: String,
        /// The first of those that it was to join.
        first: String,
        /// What differs.
        difference: Difference,
    },
    /// The same rows as two triangles.
    #[error("{}", same_rows(file, first))]
    SameRows {
        /// The second of the two.
        file: String,
        /// The first of the two.
        first: String,
    },
}

/// What is wrong with the file of a triangle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TriangleProblem {
    /// It is not the JSON that it should be.
    #[error(transparent)]
    Json(#[from] JsonProblem),
    /// The triangle is not one of the terms that the file names.
    #[error(
        "`reduction` has {} besides the target, and `problem` has {}",
        counted(*columns, "column"),
        counted(*terms, "term")
    )]
    OtherTerms {
        /// The columns of the triangle, without the target.
        columns: usize,
        /// The terms that the file names.
        terms: usize,
    },
    /// The list of constant columns is too short or too long.
    #[error("`constant` does not have an entry for each feature and the target")]
    OtherColumns,
}

/// What makes two problems different.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// They explain different columns.
    Target {
        /// That of the file that does not belong.
        of_file: String,
        /// That of the first.
        of_first: String,
    },
    /// They weigh rows differently.
    Weights {
        /// The column of weights of the file that does not belong.
        of_file: Option<String>,
        /// That of the first.
        of_first: Option<String>,
    },
    /// They have different features.
    Features {
        /// Those of the file that does not belong.
        of_file: Vec<String>,
        /// Those of the first.
        of_first: Vec<String>,
    },
    /// The file that does not belong has a term that the first lacks.
    TermAdded {
        /// The term.
        term: String,
    },
    /// The file that does not belong lacks a term that the first has.
    TermLacking {
        /// The term.
        term: String,
    },
    /// The terms are the same, in a different order.
    TermOrder,
}

impl Difference {
    fn told(&self, file: &str, first: &str) -> String {
        let each = |of_file: String, of_first: String| {
            format!("{file} has {of_file}, {first} has {of_first}")
        };
        let weights = |name: &Option<String>| match name {
            Some(name) => format!("the weights {name:?}"),
            None => "no weights".into(),
        };
        let features = |names: &[String]| format!("the features {}", names.join(", "));
        match self {
            Self::Target { of_file, of_first } => each(
                format!("the target {of_file:?}"),
                format!("the target {of_first:?}"),
            ),
            Self::Weights { of_file, of_first } => each(weights(of_file), weights(of_first)),
            Self::Features { of_file, of_first } => each(features(of_file), features(of_first)),
            Self::TermAdded { term } => format!("only {file} has the term {term}"),
            Self::TermLacking { term } => format!("only {first} has the term {term}"),
            Self::TermOrder => "their terms are in a different order".into(),
        }
    }
}

fn same_rows(file: &str, first: &str) -> String {
    if file == first {
        return format!("{file} is given twice, and its rows would count twice");
    }
    format!(
        "{file} and {first} are equal bit by bit: \
         they look like the same rows, which would count twice"
    )
}
