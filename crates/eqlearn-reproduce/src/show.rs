//! Everything that is shown, made from lines alone.

pub mod claims;
pub mod figure;
pub mod figures;
mod page;
mod present;
mod sheet;
mod statistics;
mod tables;

pub use present::{Chapter, Presentation};
pub use sheet::Sheet;
