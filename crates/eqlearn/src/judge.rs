//! Which equation is better: criteria, and rankings of fitted models by them.

pub mod criterion;
pub(crate) mod imitation;
pub mod misfit;
pub mod noise;
pub mod ranking;
