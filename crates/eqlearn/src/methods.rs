//! Ways to find an equation, one file each.

mod bsr;
mod ols;

pub use bsr::{Stepwise, StepwiseEnd, bayes_stepwise};
pub use ols::ols;
