//! What was measured, checked once: tables of finite numbers from files of all kinds, and records
//! of trajectories and of fields.

mod error;
pub mod field;
pub mod table;
pub mod trajectory;

pub use error::{Content, Damage, Place, TableError, TrajectoryError, left_out};
pub use field::FieldError;
