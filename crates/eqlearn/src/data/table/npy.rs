//! Tables in NumPy files.
//!
//! A one-dimensional array is a column, a two-dimensional one a column per second index, a
//! structured one a column per field. An array is read as one or more *strips*: a stretch of bytes
//! in which equal records follow one another, and the places of the columns in a record. A C-order
//! matrix is one strip of k columns; a Fortran-order matrix is k strips of one column, read side by
//! side; an `.npz` archive is the strips of its arrays. So all of them can be streamed.

mod header;
mod literal;
mod scalar;
mod whole;
mod window;

use std::fmt;
use std::io::{self, BufReader, Cursor, Read};

use zip::{CompressionMethod, ZipArchive};

use header::{Element, Header, Order, Plain};
use scalar::Scalar;
pub(in crate::data) use whole::WholeArrays;
use window::{Bytes, Window};

use super::batches::Choice;
use super::reader::{Found, Input, Reader, read_all};
use super::{ColumnInfo, ColumnKind};
use crate::data::{Content, Damage, TableError};
use crate::error::Result;

/// A wider matrix is taken for a damaged header.
const MOST_COLUMNS: u64 = 1_000_000;

/// NumPy arrays, from the first row on.
pub(super) struct NumpyReader {
    strips: Vec<Strip>,
    /// For each chosen column: its strip, and its number there.
    chosen: Vec<(usize, usize)>,
    /// Strips without a chosen column are never read.
    used: Vec<usize>,
    n_rows: u64,
    n_given: u64,
    scratch: Vec<u8>,
}

/// Records of equal size, one after the other.
struct Strip {
    bytes: Box<dyn Read + Send>,
    record_bytes: usize,
    cells: Vec<CellPlace>,
}

/// Where in a record a column's number stands, and how it is written.
#[derive(Debug, Clone, Copy)]
struct CellPlace {
    offset: usize,
    scalar: Scalar,
}

impl NumpyReader {
    pub(super) fn open_npy(input: Input, file: &str) -> Result<Found> {
        let mut bytes = match input {
            Input::File(handle) => Bytes::Shared(Window::whole(handle)),
            Input::Stream(stream) => Bytes::Once(stream),
        };
        let header = header_of(&mut bytes, file)?;
        let array = Array::new(&header, "", bytes, file)?;
        NumpyReader::of_arrays(vec![array])
    }

    pub(super) fn open_npz(input: Input, file: &str) -> Result<Found> {
        let bytes = match input {
            Input::File(handle) => Window::whole(handle),
            Input::Stream(stream) => Window::whole(Cursor::new(read_all(stream, file)?)),
        };
        let mut arrays = Vec::new();
        for (key, mut bytes) in members(&bytes, file)? {
            let header = header_of(&mut bytes, file)?;
            arrays.push(Array::new(&header, &key, bytes, file)?);
        }
        NumpyReader::of_arrays(arrays)
    }

    fn of_arrays(arrays: Vec<Array>) -> Result<Found> {
        let (first, n_rows) = (arrays[0].name.clone(), arrays[0].n_rows);
        let mut reader = NumpyReader {
            strips: Vec::new(),
            chosen: Vec::new(),
            used: Vec::new(),
            n_rows,
            n_given: 0,
            scratch: Vec::new(),
        };
        let mut columns = Vec::new();
        for array in arrays {
            if array.n_rows != n_rows {
                return Err(TableError::UnequalColumns {
                    first,
                    first_rows: n_rows,
                    second: array.name,
                    second_rows: array.n_rows,
                }
                .into());
            }
            columns.extend(array.columns);
            reader.strips.extend(array.strips);
        }
        let reader = Reader::Numpy(reader);
        Ok(Found {
            columns,
            notes: Vec::new(),
            n_rows: Some(n_rows),
            reader,
        })
    }

    pub(super) fn choose(&mut self, columns: &[usize]) {
        let places: Vec<(usize, usize)> = self
            .strips
            .iter()
            .enumerate()
            .flat_map(|(i, strip)| (0..strip.cells.len()).map(move |cell| (i, cell)))
            .collect();
        self.chosen = columns.iter().map(|&column| places[column]).collect();
        self.used = self.chosen.iter().map(|&(strip, _)| strip).collect();
        self.used.sort_unstable();
        self.used.dedup();
    }

    /// Appends at most `room` rows of the chosen columns.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &mut Choice,
    ) -> Result<usize> {
        let left = usize::try_from(self.n_rows - self.n_given).unwrap_or(usize::MAX);
        let n_rows = room.min(left);
        if n_rows == 0 {
            return Ok(0);
        }
        for &used in &self.used {
            let strip = &mut self.strips[used];
            self.scratch.resize(n_rows * strip.record_bytes, 0);
            strip
                .bytes
                .read_exact(&mut self.scratch)
                .map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => {
                        let n_rows = self.n_rows;
                        damaged(&choice.file, Damage::RowsCutOff { n_rows })
                    }
                    _ => refused(&choice.file, error),
                })?;
            let here = self.chosen.iter().zip(columns.iter_mut());
            for (&(_, cell), column) in here.filter(|((strip, _), _)| *strip == used) {
                let CellPlace { offset, scalar } = strip.cells[cell];
                let records = self.scratch.chunks_exact(strip.record_bytes);
                scalar.append(records.map(|record| &record[offset..]), column);
            }
        }
        self.n_given += n_rows as u64;
        Ok(n_rows)
    }
}

impl fmt::Debug for NumpyReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NumpyReader")
            .field("n_rows", &self.n_rows)
            .finish_non_exhaustive()
    }
}

/// One array: its columns, and the strips they are in, in the same order.
struct Array {
    name: String,
    n_rows: u64,
    columns: Vec<ColumnInfo>,
    strips: Vec<Strip>,
}

impl Array {
    /// The array behind a header; `key` is its name in an archive, empty for a lone array.
    fn new(header: &Header, key: &str, bytes: Bytes, file: &str) -> Result<Array> {
        let (n_rows, width) = shape_of(header, key, file)?;
        let name = if key.is_empty() { "x1" } else { key };
        let (columns, strips) = match (&header.element, width) {
            (Element::Record(fields), None) => {
                let (columns, cells, record_bytes) = fields_of(fields, key);
                let bytes = bytes.into_stream();
                (
                    columns,
                    vec![Strip {
                        bytes,
                        record_bytes,
                        cells,
                    }],
                )
            }
            (Element::Plain(plain), width) => {
                let prefix = if key.is_empty() { "x" } else { key };
                let columns: Vec<ColumnInfo> = match width {
                    None => vec![column_of(name, plain)],
                    Some(k) => (1..=k)
                        .map(|i| column_of(&format!("{prefix}{i}"), plain))
                        .collect(),
                };
                let strips = if header.order == Order::Fortran && columns.len() > 1 {
                    fortran_strips(bytes, (n_rows, columns.len()), plain, file)?
                } else {
                    vec![c_strip(bytes, columns.len(), plain)]
                };
                (columns, strips)
            }
            (Element::Record(_) | Element::Array(..), _) => {
                let content = Content::MatrixOfRecords {
                    array: key.to_string(),
                };
                return Err(unsupported(file, content).into());
            }
        };
        Ok(Array {
            name: name.into(),
            n_rows,
            columns,
            strips,
        })
    }
}

/// The rows of an array and, for a matrix, its columns.
fn shape_of(header: &Header, key: &str, file: &str) -> Result<(u64, Option<u64>)> {
    let array = key.to_string();
    if header.element.holds_objects() {
        return Err(unsupported(file, Content::PythonObjects { array }).into());
    }
    match *header.shape {
        [n] => Ok((n, None)),
        [_, columns] if columns > MOST_COLUMNS => {
            Err(damaged(file, Damage::TooManyColumns { array, columns }).into())
        }
        [n, k] => Ok((n, Some(k))),
        ref shape => {
            let dimensions = shape.len();
            Err(unsupported(file, Content::Dimensions { array, dimensions }).into())
        }
    }
}

/// The columns of a structured array, their places, and the size of a record.
fn fields_of(fields: &[(String, Element)], key: &str) -> (Vec<ColumnInfo>, Vec<CellPlace>, usize) {
    let (mut columns, mut cells, mut offset) = (Vec::new(), Vec::new(), 0);
    for (name, element) in fields {
        let place = offset;
        offset = element.size().saturating_add(place);
        // NumPy writes padding as a field without a name.
        if name.is_empty() {
            continue;
        }
        let name = if key.is_empty() {
            name.clone()
        } else {
            format!("{key}.{name}")
        };
        let scalar = if let Element::Plain(plain) = element {
            columns.push(column_of(&name, plain));
            Scalar::of(plain)
        } else {
            columns.push(ColumnInfo {
                kind: ColumnKind::Nested,
                ..ColumnInfo::numeric(name)
            });
            Scalar::NotANumber
        };
        cells.push(CellPlace {
            offset: place,
            scalar,
        });
    }
    (columns, cells, offset)
}

/// The one strip of a matrix that is stored row by row.
fn c_strip(bytes: Bytes, n_columns: usize, plain: &Plain) -> Strip {
    let (size, scalar) = (plain.size, Scalar::of(plain));
    let cell = |i| CellPlace {
        offset: i * size,
        scalar,
    };
    Strip {
        bytes: bytes.into_stream(),
        record_bytes: n_columns * size,
        cells: (0..n_columns).map(cell).collect(),
    }
}

/// A strip per column of a matrix that is stored column by column.
fn fortran_strips(
    bytes: Bytes,
    (n_rows, n_columns): (u64, usize),
    plain: &Plain,
    file: &str,
) -> Result<Vec<Strip>> {
    let (size, scalar) = (plain.size, Scalar::of(plain));
    let window = match bytes {
        Bytes::Shared(window) => window.rest(),
        Bytes::Once(stream) => Window::whole(Cursor::new(read_all(stream, file)?)),
    };
    let column_bytes = n_rows.saturating_mul(size as u64);
    let strip = |i| Strip {
        bytes: Bytes::Shared(window.part(column_bytes.saturating_mul(i), column_bytes))
            .into_stream(),
        record_bytes: size,
        cells: vec![CellPlace { offset: 0, scalar }],
    };
    Ok((0..n_columns as u64).map(strip).collect())
}

fn column_of(name: &str, plain: &Plain) -> ColumnInfo {
    let kind = match plain.letter {
        'b' => ColumnKind::Boolean,
        'm' | 'M' => ColumnKind::Date,
        'c' => ColumnKind::Nested,
        _ if Scalar::of(plain) == Scalar::NotANumber => ColumnKind::Text,
        _ => ColumnKind::Numeric,
    };
    ColumnInfo {
        kind,
        ..ColumnInfo::numeric(name)
    }
}

/// The arrays of an archive, by their names.
fn members(bytes: &Window, file: &str) -> Result<Vec<(String, Bytes)>> {
    let mut archive = ZipArchive::new(bytes.clone()).map_err(|error| refused(file, error))?;
    let mut arrays = Vec::new();
    for i in 0..archive.len() {
        let member = archive.by_index(i).map_err(|error| refused(file, error))?;
        let name = member
            .name()
            .map_err(|error| refused(file, error))?
            .into_owned();
        let Some(key) = name.strip_suffix(".npy") else {
            continue;
        };
        let start = member.data_start().ok_or_else(|| {
            let member = name.clone();
            damaged(file, Damage::MemberWithoutData { member })
        })?;
        let window = bytes.part(start, member.compressed_size());
        let bytes = match member.compression() {
            CompressionMethod::Stored => Bytes::Shared(window),
            CompressionMethod::Deflated => {
                let inflated = flate2::read::DeflateDecoder::new(BufReader::new(window));
                Bytes::Once(Box::new(inflated))
            }
            other => {
                let (member, compression) = (name, other.to_string());
                let damage = Damage::MemberCompression {
                    member,
                    compression,
                };
                return Err(damaged(file, damage).into());
            }
        };
        arrays.push((key.to_string(), bytes));
    }
    if arrays.is_empty() {
        return Err(unsupported(file, Content::NoArrays).into());
    }
    Ok(arrays)
}

fn header_of(bytes: &mut Bytes, file: &str) -> Result<Header> {
    let header = Header::read(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(file, Damage::HeaderCutOff),
        _ => refused(file, error),
    });
    Ok(header?)
}

fn refused(file: &str, error: impl std::error::Error + Send + Sync + 'static) -> TableError {
    damaged(file, Damage::Refused(error.into()))
}

fn damaged(file: &str, damage: Damage) -> TableError {
    TableError::Damaged {
        file: file.into(),
        format: "NumPy",
        damage,
    }
}

fn unsupported(file: &str, content: Content) -> TableError {
    TableError::Unsupported {
        file: file.into(),
        content,
    }
}

#[cfg(test)]
mod tests;
