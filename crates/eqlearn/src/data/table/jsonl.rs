//! Tables as JSON lines: one object per line, its keys the columns.
//!
//! The columns are the keys of the first thousand objects, in the order in which they first
//! appear; a key that an object lacks is a missing value there. `NaN` and `Infinity`, which are not
//! JSON but which Python writes, are missing values too.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io::{BufRead, BufReader};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::batches::Choice;
use super::cell::{self, Cell, Census, shortened};
use super::csv::SAMPLE_ROWS;
use super::meaning::Meaning;
use super::number::Comma;
use super::reader::{Found, Input, Reader};
use super::text::{self, Stream, Text};
use crate::data::TableError;
use crate::error::Result;

/// JSON lines, from the first object on.
pub(super) struct JsonReader {
    bytes: BufReader<Stream>,
    /// Lines already read, with their numbers.
    sample: VecDeque<(Vec<u8>, u64)>,
    /// The current line and its number.
    line: Vec<u8>,
    line_number: u64,
    /// Lines read from the file so far.
    lines_read: u64,
    /// Rows given so far.
    n_given: u64,
    /// The places of each chosen key.
    slots: HashMap<String, Vec<usize>>,
    values: Vec<Value>,
}

impl JsonReader {
    pub(super) fn open(input: Input, file: &str) -> Result<Found> {
        let Text { bytes, .. } = Text::open(input, file)?;
        let mut reader = JsonReader {
            bytes: BufReader::with_capacity(256 * 1024, bytes),
            sample: VecDeque::new(),
            line: Vec::new(),
            line_number: 0,
            lines_read: 0,
            n_given: 0,
            slots: HashMap::new(),
            values: Vec::new(),
        };
        let mut names: Vec<String> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut census: Vec<Census> = Vec::new();
        for row in 1..=SAMPLE_ROWS {
            if !reader.read_line(file)? {
                break;
            }
            parse_line(&reader.line, reader.line_number, file, &mut |key, value| {
                let i = *index.entry(key.to_string()).or_insert_with(|| {
                    names.push(key.to_string());
                    census.push(Census::default());
                    names.len() - 1
                });
                match value {
                    Value::Nested => census[i].count_nested(row),
                    value => census[i].count(value.cell(), row, || value.to_string()),
                }
            })?;
            reader
                .sample
                .push_back((reader.line.clone(), reader.line_number));
        }
        let columns = census
            .into_iter()
            .zip(names)
            .map(|(c, name)| c.column(name))
            .collect();
        Ok(Found {
            columns,
            notes: Vec::new(),
            n_rows: None,
            reader: Reader::Json(Box::new(reader)),
        })
    }

    pub(super) fn choose(&mut self, keys: impl ExactSizeIterator<Item = String>) {
        self.values = vec![Value::Absent; keys.len()];
        for (slot, key) in keys.enumerate() {
            self.slots.entry(key).or_default().push(slot);
        }
    }

    /// Appends at most `room` rows of the chosen columns.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &mut Choice,
    ) -> Result<usize> {
        for n_added in 0..room {
            if !self.next_line(&choice.file)? {
                return Ok(n_added);
            }
            self.values.fill(Value::Absent);
            let (slots, values) = (&self.slots, &mut self.values);
            parse_line(
                &self.line,
                self.line_number,
                &choice.file,
                &mut |key, value| {
                    for &slot in slots.get(key).into_iter().flatten() {
                        values[slot] = value.clone();
                    }
                },
            )?;
            for (i, column) in columns.iter_mut().enumerate() {
                let cell = self.values[i].meant(&mut choice.meanings[i]);
                let value = cell.value(choice.missing);
                column.push(value.ok_or_else(|| self.refusal(cell, i, choice))?);
            }
        }
        Ok(room)
    }

    /// The error for a value that cannot be used.
    fn refusal(&self, cell: Cell, column: usize, choice: &Choice) -> TableError {
        let found = self.values[column].to_string();
        let line = Some(self.line_number);
        match cell {
            Cell::Missing => choice.missing_value(self.n_given, line, column, found),
            _ => choice.unusable(self.n_given, line, column, found),
        }
    }

    /// Moves to the next line, of the sample or of the file; false at the end.
    fn next_line(&mut self, file: &str) -> Result<bool> {
        self.n_given += 1;
        if let Some((line, number)) = self.sample.pop_front() {
            (self.line, self.line_number) = (line, number);
            return Ok(true);
        }
        self.read_line(file)
    }

    /// Reads a line that is not blank.
    fn read_line(&mut self, file: &str) -> Result<bool> {
        loop {
            self.line.clear();
            let n = self
                .bytes
                .read_until(b'\n', &mut self.line)
                .map_err(|source| text::failed(file, source))?;
            if n == 0 {
                return Ok(false);
            }
            self.lines_read += 1;
            self.line_number = self.lines_read;
            if self.lines_read == 1 && self.line.starts_with("\u{FEFF}".as_bytes()) {
                self.line.drain(..3);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }
}

impl fmt::Debug for JsonReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonReader")
            .field("slots", &self.slots.len())
            .finish_non_exhaustive()
    }
}

/// Gives each key and value of an object to `take`.
fn parse_line(
    line: &[u8],
    number: u64,
    file: &str,
    take: &mut dyn FnMut(&str, Value),
) -> Result<()> {
    let malformed = |error: serde_json::Error| match std::str::from_utf8(line) {
        Err(_) => TableError::NotUtf8 {
            file: file.into(),
            line: number,
        },
        Ok(_) => TableError::MalformedLine {
            file: file.into(),
            line: number,
            // The position within the line is kept; "line 1" would only confuse.
            reason: error
                .to_string()
                .replace(" at line 1 column ", " at character "),
        },
    };
    let parse = |line: &[u8], take: &mut dyn FnMut(&str, Value)| {
        let mut json = serde_json::Deserializer::from_slice(line);
        Object(take)
            .deserialize(&mut json)
            .and_then(|()| json.end())
    };
    if !has_python_words(line) {
        return Ok(parse(line, take).map_err(malformed)?);
    }
    let replaced = without_python_words(line);
    Ok(parse(&replaced, take).map_err(malformed)?)
}

const PYTHON_WORDS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

fn has_python_words(line: &[u8]) -> bool {
    line.iter().zip(1..).any(|(&byte, next)| {
        (byte == b'N' && line[next..].starts_with(b"aN"))
            || (byte == b'I' && line[next..].starts_with(b"nfinity"))
    })
}

/// The line with `null` for each word outside of strings.
fn without_python_words(line: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(line.len());
    let (mut quoted, mut i) = (false, 0);
    while i < line.len() {
        let word = PYTHON_WORDS
            .iter()
            .find(|word| !quoted && line[i..].starts_with(word));
        if let Some(word) = word {
            replaced.extend_from_slice(b"null");
            i += word.len();
            continue;
        }
        if line[i] == b'\\' {
            replaced.push(line[i]);
            i += 1;
        } else {
            quoted ^= line[i] == b'"';
        }
        replaced.extend(line.get(i));
        i += 1;
    }
    replaced
}

/// A value of an object.
#[derive(Debug, Clone)]
enum Value {
    Number(f64),
    Boolean(bool),
    Text(String),
    Null,
    Absent,
    Nested,
}

impl Value {
    /// What it means in a column.
    fn meant(&self, meaning: &mut Meaning) -> Cell {
        match self {
            value if meaning.is_number() => value.cell(),
            Value::Text(text) => meaning.of_text(text.as_bytes(), Comma::Absent),
            Value::Number(_) | Value::Boolean(_) => meaning.of_words(&self.to_string()),
            value => value.cell(),
        }
    }

    fn cell(&self) -> Cell {
        match self {
            Value::Number(value) if value.is_finite() => Cell::Number(*value),
            Value::Boolean(value) => Cell::Boolean(*value),
            Value::Number(_) | Value::Null | Value::Absent => Cell::Missing,
            Value::Text(text) => match cell::parse(text.as_bytes(), Comma::Absent) {
                Cell::Date => Cell::Date,
                Cell::Missing => Cell::Missing,
                // A number in quotes is text: JSON has numbers.
                _ => Cell::Text,
            },
            Value::Nested => Cell::Text,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(value) => write!(f, "{value}"),
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Text(text) => write!(f, "{}", shortened(text.clone())),
            Value::Null => write!(f, "null"),
            Value::Absent => write!(f, "no value"),
            Value::Nested => write!(f, "a list or record"),
        }
    }
}

/// Reads an object and hands over its entries.
struct Object<'a>(&'a mut dyn FnMut(&str, Value));

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let value = map.next_value_seed(AnyValue)?;
            (self.0)(&key, value);
        }
        Ok(())
    }
}

/// Reads one value.
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Nested)
    }
}

#[cfg(test)]
mod tests;
