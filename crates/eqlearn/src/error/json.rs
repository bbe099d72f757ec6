//! What can be wrong with a JSON file of ours: a model, a triangle, a part of a search.

/// Why a text cannot be read as the JSON file that it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonProblem {
    /// The text ends in the middle.
    #[error("it ends too early: {0}")]
    CutOff(#[source] serde_json::Error),
    /// The text is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// A field is missing, unknown or malformed.
    #[error("{0}")]
    Field(#[source] serde_json::Error),
    /// Nothing says what kind of file it is.
    #[error("it has no field `schema`")]
    NoSchema,
    /// It is of another kind, or of a later version of this kind.
    #[error(
        "its schema is {found:?}{}, and only {known:?} is understood",
        written_by(version.as_deref())
    )]
    OtherSchema {
        /// The schema that it names.
        found: String,
        /// The version of eqlearn that wrote it, if it says so.
        version: Option<String>,
        /// The schema that is understood.
        known: &'static str,
    },
    /// Another version of eqlearn wrote it, and its content has no meaning for this one.
    #[error("eqlearn {found} wrote it, this is {ours}")]
    OtherVersion {
        /// The version that wrote it.
        found: String,
        /// This version.
        ours: &'static str,
    },
}

impl From<serde_json::Error> for JsonProblem {
    fn from(error: serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Eof => Self::CutOff(error),
            serde_json::error::Category::Data => Self::Field(error),
            _ => Self::NotJson(error),
        }
    }
}

fn written_by(version: Option<&str>) -> String {
    version.map_or(String::new(), |version| {
        format!(", written by version {version:?}")
    })
}
