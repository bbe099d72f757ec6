//! What was measured, checked once: tables of finite numbers from files of all kinds, and records
//! of trajectories.

pub mod table;
pub mod trajectory;
