//! How the cells of a chosen column become numbers.

use std::collections::HashMap;

use super::cell::{self, Cell};
use super::instant::Instant;
use super::number::Comma;

/// How to read a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// As numbers.
    Number,
    /// Dates and times, as seconds since the first of them.
    Seconds,
    /// Text, as the place of its first appearance among all texts: 0, 1, 2, …
    Label,
    /// 1 where the cell is this text, and 0 elsewhere.
    Is(String),
}

/// A column that is being read.
#[derive(Debug)]
pub(super) enum Meaning {
    Number,
    /// With the first moment, and how it was written.
    Seconds(Option<(Instant, String)>),
    Label(Labels),
    /// A text, and all that there may be besides, if that is known.
    Is(String, Option<Vec<String>>),
}

/// The texts of a column in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct Labels {
    places: HashMap<String, usize>,
    texts: Vec<String>,
}

impl Labels {
    fn place(&mut self, text: &str) -> usize {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        self.places.insert(text.to_string(), self.texts.len());
        self.texts.push(text.to_string());
        self.texts.len() - 1
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }
}

impl From<Reading> for Meaning {
    fn from(reading: Reading) -> Self {
        match reading {
            Reading::Number => Self::Number,
            Reading::Seconds => Self::Seconds(None),
            Reading::Label => Self::Label(Labels::default()),
            Reading::Is(label) => Self::Is(label, None),
        }
    }
}

impl Meaning {
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number)
    }

    /// What a cell of text means in this column; a cell without a meaning is text.
    pub(super) fn of_text(&mut self, bytes: &[u8], comma: Comma) -> Cell {
        if self.is_number() {
            return cell::parse(bytes, comma);
        }
        match std::str::from_utf8(bytes).map(str::trim) {
            Ok(text) if cell::is_missing(text) => Cell::Missing,
            Ok(text) => self.of_words(text),
            Err(_) => Cell::Text,
        }
    }

    /// The same for text that is there.
    pub(super) fn of_words(&mut self, text: &str) -> Cell {
        match self {
            Self::Number => Cell::Text,
            Self::Seconds(_) => match Instant::parse(text) {
                Some(instant) => self.of_instant(instant, || text.to_string()),
                None => Cell::Text,
            },
            Self::Label(labels) => Cell::Number(labels.place(text) as f64),
            Self::Is(_, Some(known)) if !known.iter().any(|label| label == text) => Cell::Text,
            Self::Is(label, _) => Cell::Number(f64::from(u8::from(label == text))),
        }
    }

    /// The seconds of a moment since the first; `written` is asked for that one.
    pub(super) fn of_instant(
        &mut self,
        instant: Instant,
        written: impl FnOnce() -> String,
    ) -> Cell {
        let Self::Seconds(first) = self else {
            return self.of_words(&written());
        };
        let (first, _) = first.get_or_insert_with(|| (instant, written()));
        Cell::Number(instant.seconds_since(*first))
    }

    /// What a cell should have been.
    pub(super) fn wanted(&self) -> String {
        match self {
            Self::Number => "a number".into(),
            Self::Seconds(_) => "a time such as 2024-01-31T12:30:00".into(),
            Self::Is(_, Some(known)) => format!("one of {}", known.join(", ")),
            Self::Label(_) | Self::Is(_, None) => "text".into(),
        }
    }
}
