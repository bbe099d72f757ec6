//! The paper's three experiments: scenarios, methods, and how good an answer is.

mod attractor;
mod contender;
mod export;
mod illustration;
mod learner;
mod outcome;
mod outside;
mod reproduction;
pub mod runtime;
mod scenario;
mod score;

pub use attractor::horizon;
pub use contender::{Contender, label};
pub use export::export;
pub use illustration::{Illustration, Listed};
pub use outcome::{Equation, Line, Outcome, Timing};
pub use outside::{read as read_outside, score as score_outside};
pub use reproduction::Reproduction;
pub use scenario::{PaperExperiment, Plan, Scenario, Size, full_count, grid};
pub use score::Score;
