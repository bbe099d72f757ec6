//! What one cell of a text table means.

use super::number::{self, Comma};
use super::{ColumnInfo, ColumnKind, Missing};

/// The meaning of a cell's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    Boolean(bool),
    /// Empty, a word for "missing", or a number that is not finite.
    Missing,
    /// Looks like `2024-01-31`, with or without a time.
    Date,
    Text,
}

impl Cell {
    /// What stands for it in a column: NaN where it is missing and may be; none if it is refused.
    pub(super) fn value(self, missing: Missing) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Boolean(value) => Some(f64::from(u8::from(value))),
            Self::Missing if missing == Missing::Drop => Some(f64::NAN),
            _ => None,
        }
    }
}

/// Reads a cell. Numbers are rounded correctly; surrounding blanks do not matter.
pub(super) fn parse(cell: &[u8], comma: Comma) -> Cell {
    // Bytes that are not UTF-8 are no number; what they are is told where they are refused.
    let Ok(text) = std::str::from_utf8(cell) else {
        return Cell::Text;
    };
    let text = text.trim();
    if let Some(value) = number::parse(text, comma) {
        return if value.is_finite() {
            Cell::Number(value)
        } else {
            Cell::Missing
        };
    }
    if text.eq_ignore_ascii_case("true") {
        Cell::Boolean(true)
    } else if text.eq_ignore_ascii_case("false") {
        Cell::Boolean(false)
    } else if is_missing(text) {
        Cell::Missing
    } else if is_date(text.as_bytes()) {
        Cell::Date
    } else {
        Cell::Text
    }
}

/// Whether a text without surrounding blanks says that there is no value.
pub(super) fn is_missing(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "", "NA", "N/A", "#N/A", "NaN", "null", "none", "<NA>", "#NUM!", "#DIV/0!",
    ];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A year, a month and a day apart by `-` or `/`, or a time of day.
fn is_date(cell: &[u8]) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        cell.get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let at = |i: usize, marks: &[u8]| cell.get(i).is_some_and(|mark| marks.contains(mark));
    let date = digits(0..4) && at(4, b"-/") && digits(5..7) && at(7, b"-/") && digits(8..10);
    let day_first = digits(0..2) && at(2, b"./") && digits(3..5) && at(5, b"./") && digits(6..10);
    let time = digits(0..2) && at(2, b":") && digits(3..5);
    date || day_first || time
}

/// What a column holds, learned cell by cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Census {
    /// The kind that fits all cells so far; none while all are missing.
    kind: Option<ColumnKind>,
    example: Option<(String, u64)>,
}

impl Census {
    /// Counts a cell in; `text` is asked for the first one that is not a number.
    pub(super) fn count(&mut self, cell: Cell, row: u64, text: impl FnOnce() -> String) {
        match cell {
            Cell::Number(_) => self.join(ColumnKind::Numeric),
            Cell::Boolean(_) => self.join(ColumnKind::Boolean),
            Cell::Missing => {}
            Cell::Date => self.join(ColumnKind::Date),
            Cell::Text => self.join(ColumnKind::Text),
        }
        if matches!(cell, Cell::Date | Cell::Text) && self.example.is_none() {
            self.example = Some((shortened(text()), row));
        }
    }

    /// Counts a list or record in.
    pub(super) fn count_nested(&mut self, row: u64) {
        self.join(ColumnKind::Nested);
        self.example
            .get_or_insert_with(|| ("a list or record".into(), row));
    }

    /// Whether all cells so far are missing.
    pub(super) fn is_empty(&self) -> bool {
        self.kind.is_none()
    }

    pub(super) fn column(self, name: String) -> ColumnInfo {
        let kind = self.kind.unwrap_or(ColumnKind::Numeric);
        ColumnInfo {
            name,
            kind,
            example: self.example,
            unit: None,
        }
    }

    fn join(&mut self, kind: ColumnKind) {
        use ColumnKind::{Boolean, Nested, Numeric, Text};
        self.kind = Some(match (self.kind, kind) {
            (None, kind) => kind,
            (Some(before), kind) if before == kind => kind,
            (Some(Numeric | Boolean), Numeric | Boolean) => Numeric,
            (Some(Nested), _) | (_, Nested) => Nested,
            // Numbers among dates: neither can be trusted.
            _ => Text,
        });
    }
}

/// Long cells are cut for messages.
pub(super) fn shortened(mut text: String) -> String {
    const LONGEST: usize = 60;
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(cell: &[u8]) -> Cell {
        super::parse(cell, Comma::Absent)
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("1", 1.0),
            ("+2.5", 2.5),
            (" -3e-2 ", -0.03),
            (".5", 0.5),
            ("5.", 5.0),
            ("1E5", 1e5),
            ("9007199254740993", 9_007_199_254_740_992.0),
        ] {
            assert_eq!(parse(text.as_bytes()), Cell::Number(value), "{text}");
        }
    }

    #[test]
    fn what_is_missing_and_what_is_not_a_number_are_told_apart() {
        for text in [
            "", " ", "NA", "nan", "-inf", "Infinity", "null", "None", "1e999",
        ] {
            assert_eq!(parse(text.as_bytes()), Cell::Missing, "{text}");
        }
        for text in ["abc", "1,5", "1 2", "0x10", "1d5", "--1"] {
            assert_eq!(parse(text.as_bytes()), Cell::Text, "{text}");
        }
        for text in [
            "2024-01-31",
            "2024/01/31",
            "2024-01-31T12:00:00Z",
            "31.01.2024",
            "12:30",
        ] {
            assert_eq!(parse(text.as_bytes()), Cell::Date, "{text}");
        }
        assert_eq!(parse(b"True"), Cell::Boolean(true));
    }
}
