//! What can go wrong with terms, dictionaries and problems.

use crate::error::suggestion;

/// What can be wrong with a term, a dictionary, or what is asked of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TermsError {
    /// The text of a term is not a formula over the features.
    #[error("{problem}\n  {}\n  {}^", one_line(text), " ".repeat(*column))]
    Syntax {
        /// The whole text of the term, as given.
        text: String,
        /// Where the problem is, in characters from the start of the text, from 0.
        column: usize,
        /// What is wrong there.
        problem: TermProblem,
    },
    /// The same term is given twice, perhaps written differently.
    #[error("term {text} is in the dictionary twice (as {term}); leave one out")]
    DuplicateTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term differs from an earlier one by a constant factor only.
    #[error(
        "term {text} is a constant multiple of {term}, which is in the dictionary already; \
         leave one out"
    )]
    ProportionalTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term that is named is not among those to choose from.
    #[error("the term {term} is not in the dictionary")]
    UnknownTerm {
        /// The term, in its usual spelling.
        term: String,
    },
    /// A term has no finite value on some row of the data.
    #[error(
        "term {term} is not a finite number in row {row}{}; {}",
        undefined(values, others, "in every row"),
        left_out_or_dropped(others)
    )]
    TermValueNotFinite {
        /// The term, as the dictionary prints it.
        term: String,
        /// The row, as the caller counts them.
        row: u64,
        /// The features in the term and their values in that row.
        values: Vec<(String, f64)>,
        /// Other terms that have no finite value on some row near it.
        others: Vec<String>,
    },
    /// A term has no finite value at some time of a recorded motion.
    #[error(
        "term {term} is not a finite number at time {time} of {record}{}; a motion is needed at \
         all times, so leave {} out",
        undefined(values, others, "at all times"),
        if others.is_empty() { "the term" } else { "these terms" }
    )]
    TermNotFiniteInMotion {
        /// The term, as the dictionary prints it.
        term: String,
        /// The record.
        record: String,
        /// The time.
        time: f64,
        /// The features in the term and their values at that time.
        values: Vec<(String, f64)>,
        /// Other terms that have no finite value at some time of the record.
        others: Vec<String>,
    },
    /// The dictionary would be too large to be of use.
    #[error(
        "{count} terms are asked for, and a dictionary holds at most {limit}; {}",
        smaller(.fits.as_ref())
    )]
    TooManyTerms {
        /// How many terms there would be at least.
        count: u128,
        /// How many are allowed.
        limit: usize,
        /// The highest degree that fits, and how many terms it makes.
        fits: Option<(u32, u128)>,
    },
    /// Products of powers that would be too many to be of use.
    #[error(
        "{count} products of powers are asked for, and a dictionary holds at most {limit}; \
         ask for fewer powers, a lower degree or fewer features"
    )]
    TooManyProducts {
        /// How many there would be.
        count: u128,
        /// How many are allowed.
        limit: usize,
    },
    /// Two features of a dictionary have the same name.
    #[error("there are two features named {name:?}; rename one of them")]
    DuplicateFeature {
        /// The name they share.
        name: String,
    },
    /// A feature of a dictionary has an empty name.
    #[error("feature {position} has no name")]
    UnnamedFeature {
        /// Its place among the features, from 1.
        position: usize,
    },
    /// A formula of a family has no inner parameter.
    #[error("the term {text} has no parameter such as ?a to be found")]
    NoParameter {
        /// The text of the formula, as given.
        text: String,
    },
    /// A parameter that is named is in no formula.
    #[error("there is no parameter ?{name}; {}", suggestion(None, known))]
    UnknownParameter {
        /// The name as given.
        name: String,
        /// All parameters.
        known: Vec<String>,
    },
    /// The range of a parameter holds no numbers.
    #[error("the range of ?{name} must go from a smaller to a larger number, not {low} to {high}")]
    EmptyRange {
        /// The parameter.
        name: String,
        /// Where it starts.
        low: f64,
        /// Where it ends.
        high: f64,
    },
    /// A unit without the column or constant that it belongs to.
    #[error("{text:?} is no unit of a column; write such as x=m, or x=1 for plain numbers")]
    UnitWithoutName {
        /// The text as given.
        text: String,
    },
    /// The text of a unit cannot be read.
    #[error("the unit {unit:?} of {name}: {problem}")]
    UnknownUnit {
        /// The unit as given.
        unit: String,
        /// The column or constant.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// Two units of one column.
    #[error("the unit of {name} is given twice; leave one out")]
    UnitGivenTwice {
        /// The column or constant.
        name: String,
    },
    /// Columns without a unit where others have one.
    #[error(
        "no unit is given for {}; give one, or 1 for plain numbers: {}=1",
        names.join(", "),
        names[0]
    )]
    NoUnit {
        /// The columns.
        names: Vec<String>,
    },
    /// So many constants that every dimension can be made of them.
    #[error(
        "{} are no columns, so they are constants, and at most {limit} of them tell terms apart",
        names.join(", ")
    )]
    TooManyConstants {
        /// The constants.
        names: Vec<String>,
        /// How many are allowed.
        limit: usize,
    },
    /// A term that cannot be in a law by its dimension.
    #[error(
        "the term {term} cannot be in the law: {problem}; leave it out, or give the unit of a \
         constant that its coefficient carries"
    )]
    WrongDimension {
        /// The term.
        term: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No term has the dimension of the left side.
    #[error(
        "no term has the dimension of {left}, {wanted}; give the units of constants that the law \
         may hold, such as g=m/s^2, or allow other powers"
    )]
    NothingOfDimension {
        /// The left side.
        left: String,
        /// Its dimension.
        wanted: String,
    },
    /// The target is among the features.
    #[error("{name:?} is the target and cannot also be a feature")]
    TargetIsFeature {
        /// The column.
        name: String,
    },
    /// The column of weights is the target or a feature.
    #[error("{name:?} holds the weights and cannot also be the target or a feature")]
    WeightsInUse {
        /// The column.
        name: String,
    },
}

/// What is wrong with the text of a term.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermProblem {
    /// A multiple of π, which prints as such, beside a feature that is called pi.
    #[error("it has a multiple of π, but pi is a feature here: rename the feature")]
    PiIsFeature,
    /// There is nothing but white space.
    #[error("the term is empty")]
    Empty,
    /// A number, a feature, a function or a parenthesis must come here.
    #[error("a number, a feature or a function is missing before {found}")]
    MissingOperand {
        /// What comes instead.
        found: String,
    },
    /// Two factors stand side by side.
    #[error("an operator is missing before {found}; a product needs *")]
    MissingOperator {
        /// The second factor.
        found: String,
    },
    /// A parenthesis is never closed.
    #[error("this parenthesis is never closed")]
    NeverClosed,
    /// A parenthesis is closed that was not opened.
    #[error("this parenthesis was never opened")]
    NeverOpened,
    /// A backquoted name has no second backquote.
    #[error("this backquote has no second one to end the name")]
    NeverQuoted,
    /// The character has no meaning in a term.
    #[error("{found:?} has no meaning in a term; names with such characters go in backquotes")]
    UnknownCharacter {
        /// The character.
        found: char,
    },
    /// A name that is neither a feature nor a constant.
    #[error("there is no feature {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownFeature {
        /// The name as written.
        name: String,
        /// The feature with the most similar name, if one is similar at all.
        nearest: Option<String>,
        /// All features.
        known: Vec<String>,
    },
    /// A name before a parenthesis that is no function.
    #[error("there is no function {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The function with the most similar name, if one is similar at all.
        nearest: Option<String>,
        /// All functions.
        known: Vec<String>,
    },
    /// A function without its argument.
    #[error("the function {name} needs its argument in parentheses")]
    MissingArgument {
        /// The function.
        name: String,
    },
    /// An inner parameter where every number must be known.
    #[error("?{name} is an unknown parameter, and here every number must be known")]
    ParameterUnknown {
        /// The name as written.
        name: String,
    },
    /// An inner parameter that is spelled like a column.
    #[error("there is a feature \"?{name}\"; name the parameter differently")]
    ParameterIsFeature {
        /// The name as written.
        name: String,
    },
    /// The parentheses, powers or signs are nested too deeply.
    #[error("the term is nested deeper than {limit} levels")]
    TooDeep {
        /// How deep a term may be nested.
        limit: usize,
    },
    /// A constant part of the term has no finite value.
    #[error("this is not a finite number")]
    ConstantNotFinite,
    /// Everything cancels.
    #[error("the term is zero everywhere")]
    Zero,
}

/// The text with a blank for each control character, so that a caret below it stays in place.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn where_clause(values: &[(String, f64)]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    if values.is_empty() {
        String::new()
    } else {
        format!(", where {}", values.join(", "))
    }
}

/// How many terms without a value are named.
const NAMED: usize = 12;

/// Where a term has no value, and which others have none somewhere.
fn undefined(values: &[(String, f64)], others: &[String], everywhere: &str) -> String {
    let place = where_clause(values);
    let verb = match others {
        [] => return place,
        [_] => "is",
        _ => "are",
    };
    let named = others[..others.len().min(NAMED)].join(", ");
    let more = match others.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{place}, nor {verb} {named}{more} {everywhere}")
}

fn left_out_or_dropped(others: &[String]) -> &'static str {
    if others.is_empty() {
        "leave the term out or drop the row"
    } else {
        "leave these terms out or drop such rows"
    }
}

/// What dictionary would be small enough.
fn smaller(fits: Option<&(u32, u128)>) -> String {
    match fits {
        Some((degree, count)) => format!(
            "up to degree {degree} there are {count}, and fewer features allow a higher one"
        ),
        None => "lower the highest power, the highest degree or the number of features".into(),
    }
}
