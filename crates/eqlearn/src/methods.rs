//! Ways to find an equation, one file each.

mod bsr;
mod consistency;
mod ols;

pub use bsr::{Stepwise, StepwiseEnd, bayes_stepwise};
pub use consistency::{Consistency, Vote, Votes, vote};
pub use ols::ols;
