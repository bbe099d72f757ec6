//! The paper's experiments, from data to figures: what `eqlearn reproduce` runs.
//!
//! Four folders, each of which uses only those before it:
//!
//! | folder | what is in it |
//! |---|---|
//! | [`known`] | data whose equation is known |
//! | [`runner`] | runs any [`Experiment`] on threads, into files from which a run can go on |
//! | [`paper`] | the paper's scenarios and methods, and how good an answer is |
//! | [`show`] | tables, figures and the page, made from lines alone |
//!
//! A plan makes lines and lines make all that is shown. So everything can be drawn again without
//! running anything.

pub mod known;
pub mod paper;
pub mod runner;
pub mod show;
mod trouble;

pub use runner::Experiment;
pub use trouble::{Result, Trouble};
