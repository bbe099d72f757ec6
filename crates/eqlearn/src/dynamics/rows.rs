//! Rows of a regression made from a record: differences, smoothing, and the weak form.

pub mod difference;
pub mod interpolate;
pub(crate) mod jumps;
pub mod second_order;
pub mod weak;
