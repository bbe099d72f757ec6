//! The paper's three experiments, from data to figures: what `eqlearn reproduce` runs.
//!
//! A [`Plan`] says which scenarios and which contenders; [`run`](fn@runner::run) appends one JSON line per scenario and contender, always in the
//! same order; everything that is shown (tables, figures, the page) is made from those lines, so that it can be made again without running anything.
//!
//! Always holds: the same plan gives the same lines, byte for byte, whatever the number of threads and however often the run was cut off.
//! Times are kept apart from the lines, because they are never the same twice.

pub mod attractor;
pub mod claims;
pub mod contender;
pub mod export;
pub mod figure;
pub mod figures;
pub mod illustration;
pub mod learner;
pub mod ledger;
pub mod line;
pub mod outside;
pub mod page;
pub mod present;
pub mod runner;
pub mod runtime;
pub mod scenario;
pub mod score;
pub mod sheet;
pub mod statistics;
pub mod tables;
pub mod trouble;

pub use contender::Contender;
pub use line::Line;
pub use scenario::{Experiment, Plan, Scenario, Size};
pub use trouble::{Result, Trouble};
