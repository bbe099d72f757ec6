//! Seeded experiments: data whose equation is known, and how often it is found.

pub mod data;
