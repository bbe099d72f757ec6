//! Fields: from quantities on a grid of time and space to partial differential equations.
//!
//! Derivatives are features of an ordinary dictionary: `u*u_x` is a term over the features `u` and
//! `u_x`. What is special is how such terms become rows. Measured values are never differentiated:
//! every term is written as total derivatives of functions of the quantities (`term`), and these
//! derivatives are moved on to smooth test functions that are known (`rows`). Noise that sits in
//! the terms is taken out of their products (`correct`), after which the exact search runs as on
//! any other triangle.
//!
//! Invariant: the same input gives the same answer, whatever the number of threads.

mod correct;
pub mod dictionary;
pub mod discover;
mod error;
mod file;
pub mod follow;
pub mod names;
mod polynomial;
mod rows;
mod score;
pub mod simulate;
pub mod system;
mod term;

pub use error::FieldsError;
