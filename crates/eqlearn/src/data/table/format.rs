//! The kinds of table that can be read, and their file extensions.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::data::TableError;
use crate::error::{Error, Result};

/// The kind of a table file.
///
/// The text kinds may be compressed with gzip or zstd; the content shows it, so it needs no
/// setting.
///
/// ```
/// use eqlearn::Format;
///
/// assert_eq!(Format::of_path("runs/lorenz.csv.gz".as_ref())?, Format::Csv);
/// assert_eq!("feather".parse::<Format>()?, Format::Arrow);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Cells separated by commas, or by what the header uses instead.
    Csv,
    /// Cells separated by tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, file or stream; Feather version 2 is the same.
    Arrow,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// One JSON object per line.
    JsonLines,
    /// A sheet of a spreadsheet: Excel's or `OpenDocument`.
    Spreadsheet,
}

impl Format {
    /// The names that [`Format::from_str`] takes, one per kind.
    pub const KNOWN: [&'static str; 8] = [
        "csv", "tsv", "parquet", "arrow", "npy", "npz", "jsonl", "xlsx",
    ];

    /// The kind by a file's extension; for the text kinds, before `.gz` or `.zst`.
    pub fn of_path(path: &Path) -> Result<Format> {
        let unknown = || TableError::UnknownFormat {
            name: path.display().to_string(),
        };
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let last = extension(path).ok_or_else(unknown)?;
        let (kind, compressed) = if matches!(last.as_str(), "gz" | "zst" | "zstd") {
            (
                extension(&path.with_extension("")).ok_or_else(unknown)?,
                true,
            )
        } else {
            (last, false)
        };
        let format: Format = kind.parse().map_err(|_| unknown())?;
        if compressed && !format.is_text() {
            return Err(unknown().into());
        }
        Ok(format)
    }

    /// Whether the kind is lines of text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::JsonLines)
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format> {
        Ok(
            match name.trim_start_matches('.').to_ascii_lowercase().as_str() {
                "csv" | "txt" | "dat" => Format::Csv,
                "tsv" | "tab" => Format::Tsv,
                "parquet" | "pq" => Format::Parquet,
                "arrow" | "feather" | "ipc" => Format::Arrow,
                "npy" => Format::Npy,
                "npz" => Format::Npz,
                "jsonl" | "ndjson" => Format::JsonLines,
                "xlsx" | "xlsm" | "ods" => Format::Spreadsheet,
                _ => return Err(TableError::UnknownFormat { name: name.into() }.into()),
            },
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Format::KNOWN[*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_read_and_printed_back() {
        for name in Format::KNOWN {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn only_text_kinds_may_be_compressed() {
        assert_eq!(Format::of_path("a.TSV.zst".as_ref()).unwrap(), Format::Tsv);
        assert!(Format::of_path("a.npy.gz".as_ref()).is_err());
        assert!(Format::of_path("a.gz".as_ref()).is_err());
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_known_ones() {
        let error = Format::of_path("runs/data.docx".as_ref()).unwrap_err();
        insta::assert_snapshot!(
            error,
            @"\"runs/data.docx\" is not a known kind of table; known are csv, tsv, parquet, arrow, \
             npy, npz, jsonl, xlsx"
        );
    }
}
