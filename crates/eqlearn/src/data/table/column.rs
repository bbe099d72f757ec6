//! What a column of a file is called and holds.

use std::fmt;

/// A column of a [`Source`](super::Source).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// For a column that is not numeric, a cell and its row, counted from 1.
    pub example: Option<(String, u64)>,
    /// The unit that the header gives.
    pub unit: Option<String>,
}

impl ColumnInfo {
    pub(super) fn numeric(name: impl Into<String>) -> ColumnInfo {
        ColumnInfo {
            name: name.into(),
            kind: ColumnKind::Numeric,
            example: None,
            unit: None,
        }
    }

    /// What the column holds, with its unit: `numbers in m/s`.
    pub(crate) fn content(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} in {unit}", self.kind),
            None => self.kind.to_string(),
        }
    }

    /// Whether the column can be read as numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind, ColumnKind::Numeric | ColumnKind::Boolean)
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Truth values, read as 1 and 0.
    Boolean,
    /// Text.
    Text,
    /// Dates or times.
    Date,
    /// Lists, records or anything else that is not one value per row.
    Nested,
    /// Nothing at all, not even a name: what a separator at the end of every line makes.
    Empty,
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl ColumnKind {
    pub(crate) fn title(self) -> &'static str {
        match self {
            ColumnKind::Numeric => "numbers",
            ColumnKind::Boolean => "truth values",
            ColumnKind::Text => "text",
            ColumnKind::Date => "dates",
            ColumnKind::Nested => "nested values",
            ColumnKind::Empty => "nothing",
        }
    }
}
