//! How people write numbers: decimal commas, and thousands set apart.
//!
//! A comma in a number is the decimal character in one half of the world and sets thousands apart
//! in the other. What it is in a file is learned from the first rows, once for the whole file:
//! `1,5` can only be a decimal comma, `1,234.5` only a separator. `1,234` may be both; if nothing
//! else in the file decides, it is refused.

use crate::data::TableError;

/// The character before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`; commas set thousands apart.
    Point,
    /// `1,5`; points set thousands apart.
    Comma,
}

/// What a comma in a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Comma {
    /// Nothing: there are none.
    #[default]
    Absent,
    /// It sets thousands apart.
    Thousands,
    /// It is the decimal character.
    Decimal,
}

impl From<Decimal> for Comma {
    fn from(decimal: Decimal) -> Self {
        match decimal {
            Decimal::Point => Self::Thousands,
            Decimal::Comma => Self::Decimal,
        }
    }
}

/// The number that a text without surrounding blanks stands for; it may be infinite or NaN.
pub(super) fn parse(text: &str, comma: Comma) -> Option<f64> {
    match comma {
        Comma::Decimal if text.contains('.') => ungrouped(text, comma)?.parse().ok(),
        Comma::Decimal if text.contains(',') => {
            let plain: Option<f64> = text.replacen(',', ".", 1).parse().ok();
            plain.or_else(|| ungrouped(text, comma)?.parse().ok())
        }
        _ => {
            let plain: Option<f64> = text.parse().ok();
            plain.or_else(|| ungrouped(text, comma)?.parse().ok())
        }
    }
}

/// A number with its thousands set apart, or with a typeset minus, as programs write it.
fn ungrouped(text: &str, comma: Comma) -> Option<String> {
    let (sign, rest) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(place) => rest.split_at(place),
        None => (rest, ""),
    };
    let exponent = exponent.replace('\u{2212}', "-");
    let (decimal, separator) = match comma {
        Comma::Decimal => (',', '.'),
        Comma::Thousands | Comma::Absent => ('.', ','),
    };
    let (whole, decimals) = match mantissa.split_once(decimal) {
        Some((whole, decimals)) => (whole, format!(".{decimals}")),
        None => (mantissa, String::new()),
    };
    let is_separator = |c: char| {
        let of_file = c == separator && comma != Comma::Absent;
        of_file
            || matches!(
                c,
                ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\'' | '\u{2019}'
            )
    };
    let whole = match whole.chars().find(|&c| is_separator(c)) {
        Some(separator) => joined(whole, separator)?,
        None => whole.to_string(),
    };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let sound = digits(&whole) && digits(decimals.trim_start_matches('.'));
    sound.then(|| format!("{sign}{whole}{decimals}{exponent}"))
}

/// The digits of `1 234 567` without what separates them; none if groups are not of three digits.
fn joined(whole: &str, separator: char) -> Option<String> {
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let starts = (1..=3).contains(&first.len()) && !first.starts_with('0');
    (starts && groups.all(|group| group.len() == 3)).then(|| whole.replace(separator, ""))
}

/// Finds out what commas mean, column by column.
#[derive(Debug, Default)]
pub(super) struct CommaCensus {
    decimal: Option<Seen>,
    thousands: Option<Seen>,
    /// Numbers with a decimal point.
    point: Option<Seen>,
    /// Numbers that are one thing with a decimal comma and another without.
    either: Option<Seen>,
}

/// A cell that shows something: its text and its column.
type Seen = (String, String);

impl CommaCensus {
    /// Counts in the cells of a column that are not missing, if all of them are numbers.
    pub(super) fn count<'a, I>(&mut self, column: &str, cells: &I)
    where
        I: Iterator<Item = &'a str> + Clone,
    {
        let all = |comma: Comma| cells.clone().all(|cell| parse(cell, comma).is_some());
        let (as_decimal, as_thousands) = (all(Comma::Decimal), all(Comma::Thousands));
        let shows = |what: &dyn Fn(&str) -> bool| {
            let cell = cells.clone().find(|cell| what(cell))?;
            Some((cell.to_string(), column.to_string()))
        };
        let without = |comma: Comma| shows(&|cell| parse(cell, comma).is_none());
        let with_comma = shows(&|cell| cell.contains(','));
        match (with_comma, as_decimal, as_thousands) {
            (Some(_), true, false) => keep(&mut self.decimal, without(Comma::Thousands)),
            (Some(_), false, true) => keep(&mut self.thousands, without(Comma::Absent)),
            (Some(seen), true, true) => keep(&mut self.either, Some(seen)),
            (None, false, true) => keep(&mut self.point, without(Comma::Decimal)),
            _ => {}
        }
    }

    /// What commas mean in the file. A file whose cells are set apart by semicolons needs the
    /// comma for something else.
    pub(super) fn decide(self, file: &str, semicolons: bool) -> Result<Comma, TableError> {
        match self {
            Self {
                decimal: Some((comma, comma_column)),
                thousands: Some((point, point_column)),
                ..
            }
            | Self {
                decimal: Some((comma, comma_column)),
                point: Some((point, point_column)),
                ..
            } => Err(TableError::MixedDecimals {
                file: file.into(),
                comma: comma.into(),
                comma_column: comma_column.into(),
                point: point.into(),
                point_column: point_column.into(),
            }),
            Self {
                decimal: Some(_), ..
            } => Ok(Comma::Decimal),
            Self {
                thousands: Some(_), ..
            }
            | Self {
                point: Some(_),
                either: Some(_),
                ..
            } => Ok(Comma::Thousands),
            Self {
                either: Some(_), ..
            } if semicolons => Ok(Comma::Decimal),
            Self {
                either: Some((cell, column)),
                ..
            } => Err(TableError::AmbiguousComma {
                file: file.into(),
                column,
                cell,
            }),
            _ => Ok(Comma::Absent),
        }
    }
}

fn keep(held: &mut Option<Seen>, seen: Option<Seen>) {
    if held.is_none() {
        *held = seen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_may_be_set_apart_in_groups_of_three() {
        for (text, comma, value) in [
            ("1,5", Comma::Decimal, Some(1.5)),
            ("-0,125", Comma::Decimal, Some(-0.125)),
            ("1.234,5", Comma::Decimal, Some(1234.5)),
            ("1.234.567", Comma::Decimal, Some(1_234_567.0)),
            ("1,5e-3", Comma::Decimal, Some(1.5e-3)),
            ("1.5", Comma::Decimal, None),
            ("0.125", Comma::Decimal, None),
            ("1,2,3", Comma::Decimal, None),
            ("1,234", Comma::Thousands, Some(1234.0)),
            ("1,234.5", Comma::Thousands, Some(1234.5)),
            ("1,5", Comma::Thousands, None),
            ("1234,567", Comma::Thousands, None),
            ("1,234", Comma::Absent, None),
            ("12 345.5", Comma::Absent, Some(12_345.5)),
            ("12\u{202f}345", Comma::Decimal, Some(12_345.0)),
            ("1'234", Comma::Absent, Some(1234.0)),
            ("1 2", Comma::Absent, None),
            ("\u{2212}3.5", Comma::Absent, Some(-3.5)),
            ("--1", Comma::Absent, None),
            ("", Comma::Absent, None),
        ] {
            assert_eq!(parse(text, comma), value, "{text} {comma:?}");
        }
    }

    fn decided(columns: &[&[&str]], semicolons: bool) -> Result<Comma, TableError> {
        let mut census = CommaCensus::default();
        for (place, cells) in columns.iter().enumerate() {
            census.count(&format!("c{place}"), &cells.iter().copied());
        }
        census.decide("data", semicolons)
    }

    #[test]
    fn one_clear_number_decides_for_the_file() {
        assert_eq!(
            decided(&[&["1,234", "1,5"]], false).unwrap(),
            Comma::Decimal
        );
        assert_eq!(
            decided(&[&["1,234"], &["1,234.5"]], false).unwrap(),
            Comma::Thousands
        );
        assert_eq!(
            decided(&[&["1,234"], &["0.5"]], false).unwrap(),
            Comma::Thousands
        );
        assert_eq!(
            decided(&[&["1,234"], &["7"]], true).unwrap(),
            Comma::Decimal
        );
        assert_eq!(
            decided(&[&["1,5 m", "x"], &["0.5"]], false).unwrap(),
            Comma::Absent
        );
    }

    #[test]
    fn what_may_be_both_is_refused() {
        assert!(matches!(
            decided(&[&["1,234"]], false),
            Err(TableError::AmbiguousComma { .. })
        ));
        assert!(matches!(
            decided(&[&["1,5"], &["0.5"]], false),
            Err(TableError::MixedDecimals { .. })
        ));
    }
}
