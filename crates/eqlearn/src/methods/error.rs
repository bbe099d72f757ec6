//! What can go wrong with methods and their settings.

use crate::error::{counted, suggestion};

/// What can be wrong with a method, its settings, or what it is given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodsError {
    /// No method has this name.
    #[error("there is no method {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The method that was probably meant.
        nearest: Option<String>,
        /// All methods.
        known: Vec<String>,
    },
    /// A setting of a method has no meaning.
    #[error("{setting} is {value}; it must be {range}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// The numbers of a method overflowed.
    #[error(
        "{method} found no finite coefficients on these data; \
         choose other units or leave terms out"
    )]
    NotConverged {
        /// The method.
        method: &'static str,
    },
    /// Cross-validation must have a fold to leave out and one to learn from.
    #[error("cross-validation needs at least 2 folds, and there are {folds}")]
    TooFewFolds {
        /// How many there are.
        folds: usize,
    },
    /// The dictionary is empty.
    #[error("there are no terms to fit")]
    NoTermsToFit,
    /// Too few rows to determine a coefficient for every term.
    #[error(
        "{} cannot determine {}",
        counted(*n_obs, "row"),
        counted(*n_terms, "term")
    )]
    FewerRowsThanTerms {
        /// The number of rows.
        n_obs: usize,
        /// The number of terms.
        n_terms: usize,
    },
    /// As many rows as terms: the fit is exact, and no degree of freedom is left to estimate
    /// errors.
    #[error(
        "{} and as many terms leave no degree of freedom to estimate errors from",
        counted(*n_obs, "row")
    )]
    AsManyRowsAsTerms {
        /// The number of rows, and of terms.
        n_obs: usize,
    },
    /// A term that is a linear combination of earlier ones on these data.
    #[error("on these data the term {term} is a combination of the terms before it; leave it out")]
    DependentTerm {
        /// The term, as the dictionary prints it.
        term: String,
    },
    /// A coefficient overflows.
    #[error("the coefficient of {term} is beyond the range of numbers; choose other units")]
    CoefficientBeyondRange {
        /// The term, as the dictionary prints it.
        term: String,
    },
}
