//! Motion at high noise: states and coefficients of the whole system together.
mod fit;
mod linear;
mod local;
mod problem;
mod prior;
mod rule;
mod search;
mod terms;
pub(crate) use fit::{Fitted, Start};
pub(crate) use problem::{Laws, Position, Problem};
pub(crate) use search::{Visited, search};
