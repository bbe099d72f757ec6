//! Ways to find an equation, one file each.

mod ols;

pub use ols::ols;
