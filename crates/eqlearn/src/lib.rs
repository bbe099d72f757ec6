//! Finds the equation behind data.
//!
//! Modules are listed in the order in which data flow through them; each uses only those above it
//! (`error` and `observe` serve all).

pub mod error;
pub mod observe;

pub mod triangle;

pub mod support;

pub mod search;

pub use error::{Error, Result};
pub use observe::Observer;
pub use support::Support;
pub use triangle::Triangle;
