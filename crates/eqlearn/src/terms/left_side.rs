//! The left side of a law: what its right side gives.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::term::latex_name;
use super::transform::Transform;
use crate::data::table::derivative_name;

/// What an equation gives.
///
/// ```
/// use eqlearn::LeftSide;
///
/// assert_eq!(LeftSide::from("y").to_string(), "y");
/// let flow = LeftSide::Flow { state: "x".into() };
/// assert_eq!((flow.to_string().as_str(), flow.state()), ("x'", Some("x")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LeftSide {
    /// A column of a table: `y`.
    Column {
        /// Its name.
        name: String,
    },
    /// A function of a column: `1/y`, `log(y)`, …
    Function {
        /// The column.
        of: String,
        /// The function.
        transform: Transform,
    },
    /// A column differentiated by another: `dy/dx`, `d2y/dx2`, …
    Derivative {
        /// The column.
        of: String,
        /// The one it is differentiated by.
        by: String,
        /// How often.
        order: usize,
    },
    /// The derivative of a field by time: `u_t`, `u_tt`.
    Evolution {
        /// The quantity.
        of: String,
        /// The axis of time.
        time: String,
        /// How often.
        order: usize,
    },
    /// The time derivative of a state: `x'`.
    Flow {
        /// The state.
        state: String,
    },
    /// The next value of a state: `x+`.
    Next {
        /// The state.
        state: String,
    },
}

impl LeftSide {
    /// What a result document calls the target: the column, or the state or quantity of a field
    /// whose equation this is.
    pub fn target(&self) -> String {
        match self {
            Self::Evolution { of, .. } => of.clone(),
            other => other.state().map_or_else(|| other.observed(), String::from),
        }
    }

    /// The column that predictions are compared with: that of `log(y)` is `y`.
    pub fn observed(&self) -> String {
        match self {
            Self::Function { of, .. } => of.clone(),
            other => other.to_string(),
        }
    }

    /// The function of the target that the right side gives, if it is not the target itself.
    pub fn transform(&self) -> Option<Transform> {
        match self {
            Self::Function { transform, .. } => Some(*transform),
            _ => None,
        }
    }

    /// The state whose motion this is; none if it is a column of a table.
    pub fn state(&self) -> Option<&str> {
        match self {
            Self::Column { .. }
            | Self::Function { .. }
            | Self::Derivative { .. }
            | Self::Evolution { .. } => None,
            Self::Flow { state } | Self::Next { state } => Some(state),
        }
    }

    /// Whether a constant is a law: a rate of change may be the same everywhere, as that of free
    /// fall. A column that is the same everywhere depends on nothing.
    pub(crate) fn is_rate(&self) -> bool {
        matches!(
            self,
            Self::Derivative { .. } | Self::Evolution { .. } | Self::Flow { .. }
        )
    }

    /// In LaTeX.
    pub fn latex(&self) -> String {
        match self {
            Self::Flow { state } => format!(r"\dot{{{}}}", latex_name(state)),
            Self::Next { state } => format!("{}_{{n+1}}", latex_name(state)),
            Self::Function { of, transform } => transform.latex(&latex_name(of)),
            Self::Column { .. } | Self::Derivative { .. } | Self::Evolution { .. } => {
                latex_name(&self.to_string())
            }
        }
    }
}

impl fmt::Display for LeftSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column { name } => f.write_str(name),
            Self::Function { of, transform } => f.write_str(&transform.of(of)),
            Self::Derivative { of, by, order } => f.write_str(&derivative_name(of, by, *order)),
            Self::Evolution { of, time, order } => write!(f, "{of}_{}", time.repeat(*order)),
            Self::Flow { state } => write!(f, "{state}'"),
            Self::Next { state } => write!(f, "{state}+"),
        }
    }
}

impl From<&str> for LeftSide {
    fn from(name: &str) -> Self {
        Self::Column { name: name.into() }
    }
}

impl From<String> for LeftSide {
    fn from(name: String) -> Self {
        Self::Column { name }
    }
}

impl From<&String> for LeftSide {
    fn from(name: &String) -> Self {
        name.as_str().into()
    }
}
