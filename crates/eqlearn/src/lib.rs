//! Finds the equation behind data.
//!
//! Modules are listed in the order in which data flow through them; each uses only those above it
//! (`error` and `observe` serve all).

pub mod error;
pub mod observe;

pub mod term;

pub mod dictionary;

pub mod support;

pub use dictionary::Dictionary;
pub use error::{Error, Result};
pub use observe::Observer;
pub use support::Support;
pub use term::Term;
