//! Laws outside the plain dictionary.
//!
//! A dictionary holds sums of terms whose numbers are known. Laws beyond it are looked for here, on
//! rows that are kept in memory: terms with inner parameters.

pub mod parameters;
