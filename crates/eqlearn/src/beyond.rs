//! Laws outside the plain dictionary.
//!
//! A dictionary holds sums of terms. Laws that are no such sum are looked for here, on rows that
//! are kept in memory: fractions `P/Q` of two sums.

pub mod fraction;
