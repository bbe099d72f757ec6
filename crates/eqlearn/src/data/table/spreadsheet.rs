//! Sheets of spreadsheets, as Excel and LibreOffice write them.
//!
//! A sheet is held in memory, written as separated text, and read as such: header, units, kinds of
//! columns and missing values are those of text. Lines of the text are rows of the sheet.

use std::io::Cursor;

use calamine::{Data, ExcelDateTime, Ods, Range, Reader as _, Xlsx};

use super::csv::CsvReader;
use super::number::{self, Comma};
use super::reader::{Found, Input, read_all};
use super::{Decimal, Format, ReadOptions};
use crate::data::{Content, Damage, TableError};
use crate::error::{Result, nearest};

pub(super) fn open(input: Input, file: &str, options: &ReadOptions) -> Result<Found> {
    let bytes = read_all(input.into_stream(), file)?;
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| TableError::Damaged {
        file: file.into(),
        format: "spreadsheet",
        damage: Damage::Refused(error),
    };
    let asked = options.sheet.as_deref();
    // OpenDocument says in its first member what it is.
    let open_document = bytes.get(30..38) == Some(b"mimetype");
    let bytes = Cursor::new(bytes);
    let (sheets, sheet, cells) = if open_document {
        let mut book = Ods::new(bytes).map_err(|error| refused(error.into()))?;
        let (sheets, sheet) = chosen(book.sheet_names(), asked, file)?;
        let cells = book.worksheet_range(&sheet);
        (sheets, sheet, cells.map_err(|error| refused(error.into()))?)
    } else {
        let mut book = Xlsx::new(bytes).map_err(|error| refused(error.into()))?;
        let (sheets, sheet) = chosen(book.sheet_names(), asked, file)?;
        let cells = book.worksheet_range(&sheet);
        (sheets, sheet, cells.map_err(|error| refused(error.into()))?)
    };
    let comma = options.decimal == Some(Decimal::Comma);
    let text = text_of(&cells, if comma { Comma::Decimal } else { Comma::Absent });
    let options = ReadOptions {
        delimiter: Some(b','),
        decimal: options.decimal.map(|_| Decimal::Point),
        ..options.clone()
    };
    let name = format!("{file}, sheet {sheet:?}");
    let text = Input::Stream(Box::new(Cursor::new(text)));
    let mut found = CsvReader::open(text, &name, Format::Csv, &options)?;
    if sheets.len() > 1 && options.sheet.is_none() {
        let note = format!(
            "{file} has the sheets {}; {sheet} is read",
            sheets.join(", ")
        );
        found.notes.insert(0, note);
    }
    Ok(found)
}

/// All sheets, and the one of this name, or the first.
fn chosen(
    sheets: Vec<String>,
    asked: Option<&str>,
    file: &str,
) -> Result<(Vec<String>, String), TableError> {
    let found = match asked {
        Some(asked) => sheets.iter().find(|sheet| *sheet == asked),
        None => sheets.first(),
    };
    match (found.cloned(), asked) {
        (Some(sheet), _) => Ok((sheets, sheet)),
        (None, None) => Err(TableError::Unsupported {
            file: file.into(),
            content: Content::NoSheets,
        }),
        (None, Some(asked)) => Err(TableError::UnknownSheet {
            file: file.into(),
            name: asked.into(),
            nearest: nearest(asked, &sheets).map(String::from),
            known: sheets,
        }),
    }
}

/// The cells as separated text, one line per row of the sheet.
fn text_of(cells: &Range<Data>, comma: Comma) -> Vec<u8> {
    let first = cells.start().map_or(0, |(row, _)| row as usize);
    let mut text = "\n".repeat(first);
    // A title above the table is not its header.
    let is_title = |row: &[Data]| {
        row.len() > 1
            && row
                .iter()
                .filter(|cell| !matches!(cell, Data::Empty))
                .count()
                == 1
    };
    let mut above = true;
    for row in cells.rows() {
        above &= is_title(row) || row.iter().all(|cell| matches!(cell, Data::Empty));
        let blank = row.iter().all(|cell| matches!(cell, Data::Empty));
        if !above && !blank {
            let cells: Vec<String> = row.iter().map(|cell| written(cell, comma)).collect();
            text.push_str(&cells.join(","));
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// A cell as it stands in separated text.
fn written(cell: &Data, comma: Comma) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::Int(value) => value.to_string(),
        Data::Float(value) => value.to_string(),
        Data::Bool(value) => value.to_string(),
        Data::DateTime(moment) => moment_of(moment),
        Data::Error(_) => "NA".into(),
        Data::String(text) if comma == Comma::Decimal => {
            let number = number::parse(text.trim(), comma);
            number.map_or_else(|| quoted(text), |value| value.to_string())
        }
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => quoted(text),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A date and time of Excel; a duration in seconds.
fn moment_of(moment: &ExcelDateTime) -> String {
    if moment.is_duration() {
        return (moment.as_f64() * 86_400.0).to_string();
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}")
}

#[cfg(test)]
mod tests;
