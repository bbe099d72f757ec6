//! The paper's figures from lines of results, one file per kind.

pub mod dynamics;
pub mod illustration;
pub mod polynomials;
pub mod runtime;
