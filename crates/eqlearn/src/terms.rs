//! What an equation may be made of: terms as data, dictionaries of them, and the problem that
//! names a target.

pub mod dictionary;
mod error;
mod extent;
pub mod family;
pub mod left_side;
pub mod limits;
pub mod powers;
pub mod problem;
pub mod term;
pub mod transform;
pub mod units;
pub mod vocabulary;

pub use error::{TermProblem, TermsError};
pub use extent::Extent;
