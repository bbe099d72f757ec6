//! What a user wants: from words to a problem and settings, with every rule about them.
//!
//! A [`Request`] holds the words of the command line, whoever said them: flags, the keys of a TOML
//! file, Python's keywords. [`Request::check`] applies all rules that need no data; the [`Checked`]
//! request then becomes a problem, settings and a run, given the data. What was not given is
//! `None`, so that rules can distinguish a default from an explicit value. Front ends fill a
//! request and know no rule.
//!
//! This stage comes after those that it makes settings for.

mod check;
mod command;
mod dictionary;
mod error;
mod field;
mod grouping;
mod hints;
mod knobs;
mod learn;
mod names;
mod record;
mod recording;
mod request;
mod terms;
mod units;

pub use check::Checked;
pub use command::Command;
pub use error::{AskError, Spelling};
pub use grouping::{GroupingError, LabelledRows};
pub use knobs::{Described, described_knobs};
pub use recording::Recording;
pub use request::{Constant, Request};
pub use terms::{Derivative, numeric_columns};

/// The default highest power of one feature.
pub const MAX_POWER: u32 = 4;
/// The default highest total power.
pub const MAX_DEGREE: u32 = 6;
/// The default largest equation searched.
pub const MAX_TERMS: usize = 8;
/// The default number of supports kept per size.
pub const KEEP: usize = 25;
/// The default number of folds of cross-validation.
pub const FOLDS: usize = 5;
