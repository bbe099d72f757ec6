//! Motion at high noise: states and coefficients of the whole system together.
//!
//! The same noise sits in all equations, so an equation by itself cannot use what the others say
//! about it. Here the states at all samples are unknown, as the coefficients are, and both together
//! are those that follow the record and the equations best (orthogonal distance regression for
//! differential equations). The terms of all equations are chosen together, by the evidence of the
//! whole record.
//!
//! | file | holds |
//! |---|---|
//! | `rule` | steps of a record as integrals of fourth order |
//! | `terms` | terms and their derivatives on columns of states |
//! | `prior` | what is known before any record |
//! | `problem` | record, terms and scales |
//! | `linear`, `assembly` | the cost; the normal equations, banded with a border of coefficients |
//! | `fit` | the Gauss–Newton method, noise levels, and the evidence |
//! | `local` | a quadratic model of the evidence of all supports around a fit |
//! | `search` | the search over the supports of the whole system |
//! | `undecided` | terms that the record does not decide, and what record would |
//!
//! # Evidence
//! With the states eliminated, `S` the Schur complement of the coefficients, `s` the scales of
//! their priors, `σ` the noise of each of the recorded states and `n` the number of samples:
//!
//! ```text
//! −ln Z = J + Σ n ln σ + ½ ln det S + Σ ln s − ln P(terms)
//! ```
//!
//! The states are integrated out too, but that leaves nothing that depends on the terms. The
//! determinant of their block contains that of the map from errors of steps to states, which is
//! `exp(−½ ∫ div f)` and has to be divided out, because errors of steps are what has a density;
//! what then remains is the precision of the initial states, which good systems share.

mod assembly;
mod fit;
mod linear;
mod local;
mod prior;
mod problem;
mod rule;
mod search;
mod terms;
mod undecided;

pub(crate) use fit::Fitted;
pub(crate) use problem::{Choice, Laws, Problem};
pub(crate) use search::{Guess, Reached, Visited, search};
pub(crate) use undecided::undecided;

#[cfg(test)]
mod tests;
