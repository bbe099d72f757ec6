//! Finds the equation behind data.
//!
//! Modules are listed in the order in which data flow through them; each uses only those above it
//! (`error` and `observe` serve all).

pub mod error;
pub mod observe;

pub mod table;

pub mod support;

pub use error::{Error, Place, Result};
pub use observe::Observer;
pub use support::Support;
pub use table::{Batches, ColumnInfo, ColumnKind, Format, Missing, ReadOptions, Source, Table};
