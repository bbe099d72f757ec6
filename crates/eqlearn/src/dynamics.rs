//! Differential equations and maps: from recorded trajectories to a system, and back by simulation.

mod denoise;
pub mod discover;
mod error;
pub mod forecast;
pub mod lyapunov;
pub mod refine;
pub mod resolution;
pub mod rows;
pub mod simulate;
pub mod start;
pub mod system;
mod windows;

pub use error::DynamicsError;
