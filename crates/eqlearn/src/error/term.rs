//! What can be wrong with the text of a term.

use super::words::suggestion;

/// What is wrong with the text of a term.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermProblem {
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
    /// The parentheses, powers or signs are nested beyond reason.
    #[error("the term is nested deeper than {limit} levels")]
    TooDeep {
        /// How deep a term may be nested.
        limit: usize,
    },
    /// A constant part of the term has no finite value.
    #[error("this is not a finite number")]
    NotFinite,
    /// Everything cancels.
    #[error("the term is zero everywhere")]
    Zero,
}
