//! Seeded experiments: data whose equation is known, and how often it is found.
//!
//! `cargo run --release -p eqlearn-lab -- --help` lists them. Each prints a table; the same seed gives the same table,
//! whatever the number of threads.

pub mod calibration;
pub mod criteria;
pub mod data;
pub mod dynamics;
pub mod noise;
pub mod polynomials;
pub mod reproduce;
pub mod systems;
