//! Capabilities of the library, through its public face; one module each.

mod fixture;
mod golden;
mod search;
