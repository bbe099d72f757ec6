//! One line of results, and how long it took.

use serde::{Deserialize, Serialize};

/// What came of a method on a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line<S, O> {
    /// The scenario.
    pub scenario: S,
    /// The name of the method.
    pub method: String,
    /// What came of it; its fields stand beside the two above.
    #[serde(flatten)]
    pub outcome: O,
}

/// How long a method took on a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing<S> {
    /// The scenario.
    pub scenario: S,
    /// The name of the method.
    pub method: String,
    /// Seconds on one thread, without the data and without the judging.
    pub seconds: f64,
}

/// A value as a line of a file, with its end.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can be written as JSON") + "\n"
}
