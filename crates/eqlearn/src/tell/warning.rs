//! Something that a careful reader should know.

use serde::{Deserialize, Serialize};

/// Something that a careful reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable name for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}
