//! Tables as separated text.
//!
//! The header names the columns, and a second line may have their units; a first line of numbers
//! is data, and the columns are then `x1`, `x2`, …. What the columns hold, and what commas in
//! numbers mean, is learned from the first rows, which are kept and given again, so that a pipe
//! can be read as well as a file. Only the cells of chosen columns are parsed.
//!
//! Lines that start with `#` and blank lines are skipped. Quotes, line ends and the byte-order
//! mark are the `csv` crate's work.

use std::collections::VecDeque;
use std::fmt;

use ::csv::{ByteRecord, ReaderBuilder};

use super::batches::Choice;
use super::cell::{self, Cell, Census};
use super::header;
use super::number::{Comma, CommaCensus, Decimal};
use super::reader::{Found, Input, Reader};
use super::text::{self, Stream, Text};
use super::{ColumnInfo, ColumnKind, Format, ReadOptions};
use crate::data::TableError;
use crate::error::Result;

/// Rows from which the kinds of the columns are learned.
pub(super) const SAMPLE_ROWS: u64 = 1_000;
/// Cells beyond which the sample ends earlier, for tables of thousands of columns.
const SAMPLE_CELLS: usize = 500_000;

/// Separated text, from its first row on.
pub(super) struct CsvReader {
    reader: ::csv::Reader<Stream>,
    /// Rows already read, with their lines.
    sample: VecDeque<(ByteRecord, u64)>,
    /// The current row.
    record: ByteRecord,
    /// The line of the current row, where it came from the sample.
    sample_line: Option<u64>,
    /// Rows given so far.
    n_given: u64,
    n_columns: usize,
    chosen: Vec<usize>,
    layout: Layout,
}

/// How cells and lines are set apart.
#[derive(Debug, Clone, Copy)]
struct Layout {
    delimiter: u8,
    crlf: bool,
    comma: Comma,
}

impl CsvReader {
    pub(super) fn open(
        input: Input,
        file: &str,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Found> {
        let Text {
            first_lines,
            crlf,
            bytes,
        } = Text::open(input, file)?;
        let delimiter = match (options.delimiter, format) {
            (Some(delimiter), _) => delimiter,
            (None, Format::Tsv) => b'\t',
            (None, _) => delimiter_of(&first_lines),
        };
        let mut reader = CsvReader {
            reader: ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .comment(Some(b'#'))
                .delimiter(delimiter)
                .buffer_capacity(256 * 1024)
                .from_reader(bytes),
            sample: VecDeque::new(),
            record: ByteRecord::new(),
            sample_line: None,
            n_given: 0,
            n_columns: 0,
            chosen: Vec::new(),
            layout: Layout {
                delimiter,
                crlf,
                comma: Comma::Absent,
            },
        };
        if !reader.read_record(file)? {
            return Err(TableError::EmptyFile { file: file.into() }.into());
        }
        let (names, mut notes) = reader.take_header(file)?;
        let named = notes.is_empty();
        reader.take_sample(file)?;
        let units = if named { reader.take_units() } else { None };
        reader.layout.comma = match options.decimal {
            Some(decimal) => decimal.into(),
            None => reader.comma_of(&names, file)?,
        };
        notes.extend(note_on_commas(reader.layout.comma, options.decimal, file));
        let columns = reader.columns(names, units.as_ref());
        let n_rows = reader.sample.is_empty().then_some(0);
        Ok(Found {
            columns,
            notes,
            n_rows,
            reader: Reader::Csv(Box::new(reader)),
        })
    }

    pub(super) fn choose(&mut self, columns: Vec<usize>) {
        self.chosen = columns;
    }

    /// Appends at most `room` rows of the chosen columns.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &mut Choice,
    ) -> Result<usize> {
        for n_added in 0..room {
            if !self.next_row(&choice.file)? {
                return Ok(n_added);
            }
            for (i, column) in columns.iter_mut().enumerate() {
                let text = &self.record[self.chosen[i]];
                let cell = choice.meanings[i].of_text(text, self.layout.comma);
                let value = cell.value(choice.missing);
                column.push(value.ok_or_else(|| self.refusal(cell, i, choice))?);
            }
        }
        Ok(room)
    }

    /// The error for a cell that cannot be used.
    fn refusal(&self, cell: Cell, column: usize, choice: &Choice) -> TableError {
        let line = self.line();
        let text = &self.record[self.chosen[column]];
        let Ok(found) = std::str::from_utf8(text) else {
            return TableError::NotUtf8 {
                file: choice.file.clone(),
                line,
            };
        };
        let found = cell::shortened(found.trim().to_string());
        match cell {
            Cell::Missing => {
                let found = if found.is_empty() {
                    "an empty cell".into()
                } else {
                    format!("{found:?}")
                };
                choice.missing_value(self.n_given, Some(line), column, found)
            }
            _ => choice.unusable(self.n_given, Some(line), column, found),
        }
    }

    /// Moves to the next row, of the sample or of the file; false at the end.
    fn next_row(&mut self, file: &str) -> Result<bool> {
        self.n_given += 1;
        if let Some((record, line)) = self.sample.pop_front() {
            self.record = record;
            self.sample_line = Some(line);
            return Ok(true);
        }
        self.sample_line = None;
        self.read_row(file)
    }

    /// Reads a row and checks that it has a cell for every column.
    fn read_row(&mut self, file: &str) -> Result<bool> {
        let more = self.read_record(file)?;
        if more && self.record.len() != self.n_columns {
            return Err(TableError::RaggedRow {
                file: file.into(),
                line: self.line(),
                found: self.record.len(),
                expected: self.n_columns,
            }
            .into());
        }
        Ok(more)
    }

    /// Reads a record that is not blank.
    fn read_record(&mut self, file: &str) -> Result<bool> {
        loop {
            let more = self
                .reader
                .read_byte_record(&mut self.record)
                .map_err(|error| text::failed(file, error.into()))?;
            if !more {
                return Ok(false);
            }
            if self.layout.delimiter == b' ' {
                self.record = self.record.iter().filter(|cell| !cell.is_empty()).collect();
            }
            let blank = match self.record.len() {
                0 => true,
                1 => self.record[0].trim_ascii().is_empty(),
                _ => false,
            };
            if !blank {
                return Ok(true);
            }
        }
    }

    /// The line on which the current row starts, counted from 1.
    fn line(&self) -> u64 {
        if let Some(line) = self.sample_line {
            return line;
        }
        // The reader counts `\n`. It has seen this row's own, except in `\r\n`, where it stops
        // between the two; line ends inside quoted cells belong to the row.
        let seen = self.reader.position().line();
        let pieces = self.record.as_slice().split(|&byte| byte == b'\n').count() as u64;
        let own = u64::from(!self.layout.crlf);
        (seen + 1).saturating_sub(pieces + own).max(1)
    }

    /// The names of the columns, some perhaps blank; a record of numbers becomes the first row
    /// instead.
    fn take_header(&mut self, file: &str) -> Result<(Vec<String>, Vec<String>)> {
        self.n_columns = self.record.len();
        if self.record.iter().all(is_number_somewhere) {
            let line = self.line();
            self.sample.push_back((self.record.clone(), line));
            let names = (1..=self.n_columns).map(|i| format!("x{i}")).collect();
            let last = self.n_columns;
            let note = format!("{file} has no header; its columns are named x1 to x{last}");
            return Ok((names, vec![note]));
        }
        let mut names = Vec::with_capacity(self.n_columns);
        for text in &self.record {
            let name = std::str::from_utf8(text)
                .map_err(|_| TableError::NotUtf8 {
                    file: file.into(),
                    line: self.line(),
                })?
                .trim();
            names.push(name.into());
        }
        Ok((names, Vec::new()))
    }

    /// Keeps the first rows.
    fn take_sample(&mut self, file: &str) -> Result<()> {
        let most = SAMPLE_ROWS
            .min((SAMPLE_CELLS / self.n_columns) as u64)
            .max(1);
        while (self.sample.len() as u64) < most && self.read_row(file)? {
            let line = self.line();
            self.sample.push_back((self.record.clone(), line));
        }
        Ok(())
    }

    /// The cells of a first row of units: words, some of them above numbers, and no numbers but 1.
    fn take_units(&mut self) -> Option<ByteRecord> {
        let is_word = |text: &[u8]| cell::parse(text, Comma::Absent) == Cell::Text;
        let ((first, _), (second, _)) = (self.sample.front()?, self.sample.get(1)?);
        let no_numbers = !first
            .iter()
            .any(|text| is_number_somewhere(text) && text.trim_ascii() != b"1");
        let mut both = first.iter().zip(second);
        let above = both.any(|(above, below)| is_word(above) && is_number_somewhere(below));
        if no_numbers && above {
            return self.sample.pop_front().map(|(record, _)| record);
        }
        None
    }

    /// What commas in numbers mean, by the sample.
    fn comma_of(&self, names: &[String], file: &str) -> Result<Comma> {
        let mut census = CommaCensus::default();
        for (place, name) in names.iter().enumerate() {
            let cells = self.sample.iter().filter_map(move |(record, _)| {
                let text = std::str::from_utf8(&record[place]).ok()?.trim();
                (!cell::is_missing(text)).then_some(text)
            });
            census.count(name, &cells);
        }
        Ok(census.decide(file, self.layout.delimiter == b';')?)
    }

    /// What the columns hold, by the sample.
    fn columns(&self, names: Vec<String>, units: Option<&ByteRecord>) -> Vec<ColumnInfo> {
        let mut census = vec![Census::default(); self.n_columns];
        for (row, (record, _)) in (1..).zip(&self.sample) {
            for (census, text) in census.iter_mut().zip(record) {
                let written = || String::from_utf8_lossy(text.trim_ascii()).into_owned();
                census.count(cell::parse(text, self.layout.comma), row, written);
            }
        }
        let unit = |place: usize| {
            let cell = units?.get(place)?;
            header::unit_of_cell(&String::from_utf8_lossy(cell))
        };
        let column = |(place, (census, name)): (usize, (Census, String))| {
            let (blank, empty) = (name.is_empty(), census.is_empty());
            let by_place = || format!("column{}", place + 1);
            let column = census.column(if blank { by_place() } else { name });
            let kind = if blank && empty {
                ColumnKind::Empty
            } else {
                column.kind
            };
            let unit = unit(place);
            ColumnInfo {
                kind,
                unit,
                ..column
            }
        };
        let columns = census.into_iter().zip(names).enumerate();
        columns.map(column).collect()
    }
}

/// Whether a cell is a number, however numbers are written.
fn is_number_somewhere(text: &[u8]) -> bool {
    let all = [Comma::Absent, Comma::Thousands, Comma::Decimal];
    all.into_iter()
        .any(|comma| matches!(cell::parse(text, comma), Cell::Number(_)))
}

/// What is said of commas whose meaning was found out.
fn note_on_commas(comma: Comma, told: Option<Decimal>, file: &str) -> Option<String> {
    match comma {
        _ if told.is_some() => None,
        Comma::Absent => None,
        Comma::Decimal => Some(format!("{file} has decimal commas: 1,5 is one and a half")),
        Comma::Thousands => Some(format!(
            "{file} has commas between thousands: 1,234 is 1234"
        )),
    }
}

impl fmt::Debug for CsvReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvReader")
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// What separates the cells, by the first lines: a semicolon or a tab where all lines have equally
/// many; else what the first line has of comma, semicolon, tab and blank, in this order.
///
/// So semicolons win over commas where the commas are decimal (`1,5;2,5`) or in a name.
fn delimiter_of(lines: &[Vec<u8>]) -> u8 {
    let count = |line: &[u8], delimiter: u8| {
        let mut quoted = false;
        let outside = line.iter().filter(|&&byte| {
            quoted ^= byte == b'"';
            !quoted && byte == delimiter
        });
        outside.count()
    };
    let first = &lines[0];
    let everywhere = |delimiter: u8| {
        let expected = count(first, delimiter);
        expected > 0 && lines.iter().all(|line| count(line, delimiter) == expected)
    };
    // Tabs beside as many commas are only there for looks.
    let padding = count(first, b'\t') == count(first, b',') && everywhere(b',');
    if everywhere(b';') {
        b';'
    } else if everywhere(b'\t') && !padding {
        b'\t'
    } else {
        let known = [b',', b';', b'\t'].into_iter();
        let mut there = known.filter(|&delimiter| count(first, delimiter) > 0);
        let blank = if count(first.trim_ascii(), b' ') > 0 {
            b' '
        } else {
            b','
        };
        there.next().unwrap_or(blank)
    }
}

#[cfg(test)]
mod tests;
