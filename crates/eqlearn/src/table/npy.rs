//! Tables in NumPy files.
//!
//! A one-dimensional array is a column, a two-dimensional one a column per second index, a
//! structured one a column per field. An array is read as one or more *strips*: a stretch of bytes
//! in which equal records follow one another, and the places of the columns in a record. A C-order
//! matrix is one strip of k columns; a Fortran-order matrix is k strips of one column, read side by
//! side; an `.npz` archive is the strips of its arrays. So all of them stream.

use std::fmt;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr};
use zip::{CompressionMethod, ZipArchive};

use super::arrow::read_all;
use super::source::{Choice, Found, Input, Reader};
use super::{ColumnInfo, ColumnKind};
use crate::error::{Error, Result};

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
        let mut archive = ZipArchive::new(bytes.clone()).map_err(|error| damaged(file, &error))?;
        let mut arrays = Vec::new();
        for i in 0..archive.len() {
            let member = archive.by_index(i).map_err(|error| damaged(file, &error))?;
            let name = member
                .name()
                .map_err(|error| damaged(file, &error))?
                .into_owned();
            let Some(key) = name.strip_suffix(".npy") else {
                continue;
            };
            let start = member
                .data_start()
                .ok_or_else(|| damaged(file, &"no member data"))?;
            let window = bytes.part(start, member.compressed_size());
            let mut member_bytes = match member.compression() {
                CompressionMethod::Stored => Bytes::Shared(window),
                CompressionMethod::Deflated => {
                    let inflated = flate2::read::DeflateDecoder::new(BufReader::new(window));
                    Bytes::Once(Box::new(inflated))
                }
                other => return Err(damaged(file, &format!("{name} is compressed with {other}"))),
            };
            let header = header_of(&mut member_bytes, file)?;
            arrays.push(Array::new(&header, key, member_bytes, file)?);
        }
        if arrays.is_empty() {
            return Err(unsupported(file, "it holds no arrays"));
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
                return Err(Error::UnequalColumns {
                    first,
                    first_rows: n_rows,
                    second: array.name,
                    second_rows: array.n_rows,
                });
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

    pub(super) fn choose(&mut self, columns: &[usize], _: &Choice) -> Result<()> {
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
        Ok(())
    }

    /// Appends at most `room` rows of the chosen columns.
    pub(super) fn fill(
        &mut self,
        columns: &mut [Vec<f64>],
        room: usize,
        choice: &Choice,
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
                        damaged(&choice.file, &format!("it ends before row {}", self.n_rows))
                    }
                    _ => damaged(&choice.file, &error),
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
    fn new(header: &NpyHeader, key: &str, bytes: Bytes, file: &str) -> Result<Array> {
        let what = if key.is_empty() {
            "it".to_string()
        } else {
            format!("its array {key:?}")
        };
        if header.uses_pickled_array() {
            let reason = format!("{what} holds Python objects; save it as an array of numbers");
            return Err(unsupported(file, &reason));
        }
        let (n_rows, width) = match *header.shape() {
            [n] => (n, None),
            [n, k] => (n, Some(k)),
            ref shape => {
                let reason = format!(
                    "{what} has {} dimensions; a table has one or two",
                    shape.len()
                );
                return Err(unsupported(file, &reason));
            }
        };
        let name = if key.is_empty() {
            "x1".to_string()
        } else {
            key.to_string()
        };
        let array = |columns, strips| Array {
            name: name.clone(),
            n_rows,
            columns,
            strips,
        };
        match (header.dtype(), width) {
            (DType::Record(fields), None) => {
                let (columns, cells, record_bytes) = fields_of(&fields, key);
                let bytes = bytes.into_stream();
                Ok(array(
                    columns,
                    vec![Strip {
                        bytes,
                        record_bytes,
                        cells,
                    }],
                ))
            }
            (DType::Plain(plain), width) => {
                let size = plain.num_bytes().unwrap_or(0);
                let prefix = if key.is_empty() { "x" } else { key };
                let names: Vec<String> = match width {
                    None => vec![name.clone()],
                    Some(k) => (1..=k).map(|i| format!("{prefix}{i}")).collect(),
                };
                let columns = names.iter().map(|name| column_of(name, &plain)).collect();
                let scalar = Scalar::of(&plain);
                if header.order() == Order::Fortran && names.len() > 1 {
                    let strips = fortran_strips(bytes, n_rows, names.len(), size, scalar, file)?;
                    return Ok(array(columns, strips));
                }
                let place = |i| CellPlace {
                    offset: i * size,
                    scalar,
                };
                let cells: Vec<CellPlace> = (0..names.len()).map(place).collect();
                let record_bytes = size * names.len();
                Ok(array(
                    columns,
                    vec![Strip {
                        bytes: bytes.into_stream(),
                        record_bytes,
                        cells,
                    }],
                ))
            }
            (dtype, _) => {
                let reason = format!("{what} has the element type {}", dtype.descr());
                Err(unsupported(file, &reason))
            }
        }
    }
}

/// The columns of a structured array, their places, and the size of a record.
fn fields_of(fields: &[npyz::Field], key: &str) -> (Vec<ColumnInfo>, Vec<CellPlace>, usize) {
    let (mut columns, mut cells, mut offset) = (Vec::new(), Vec::new(), 0);
    for field in fields {
        let name = if key.is_empty() {
            field.name.clone()
        } else {
            format!("{key}.{}", field.name)
        };
        let scalar = match &field.dtype {
            DType::Plain(plain) => {
                columns.push(column_of(&name, plain));
                Scalar::of(plain)
            }
            _ => {
                let kind = ColumnKind::Nested;
                columns.push(ColumnInfo {
                    name,
                    kind,
                    example: None,
                });
                Scalar::NotANumber
            }
        };
        cells.push(CellPlace { offset, scalar });
        offset += field.dtype.num_bytes().unwrap_or(0);
    }
    (columns, cells, offset)
}

/// A strip per column of a matrix that is stored column by column.
fn fortran_strips(
    bytes: Bytes,
    n_rows: u64,
    n_columns: usize,
    size: usize,
    scalar: Scalar,
    file: &str,
) -> Result<Vec<Strip>> {
    let window = match bytes {
        Bytes::Shared(window) => window.rest(),
        Bytes::Once(stream) => Window::whole(Cursor::new(read_all(stream, file)?)),
    };
    let column_bytes = n_rows * size as u64;
    let strip = |i| Strip {
        bytes: Bytes::Shared(window.part(i * column_bytes, column_bytes)).into_stream(),
        record_bytes: size,
        cells: vec![CellPlace { offset: 0, scalar }],
    };
    Ok((0..n_columns as u64).map(strip).collect())
}

fn column_of(name: &str, plain: &TypeStr) -> ColumnInfo {
    let kind = match plain.type_char() {
        TypeChar::Bool => ColumnKind::Boolean,
        TypeChar::TimeDelta | TypeChar::DateTime => ColumnKind::Date,
        TypeChar::Complex => ColumnKind::Nested,
        _ if Scalar::of(plain) == Scalar::NotANumber => ColumnKind::Text,
        _ => ColumnKind::Numeric,
    };
    ColumnInfo {
        kind,
        ..ColumnInfo::numeric(name)
    }
}

fn header_of(bytes: &mut Bytes, file: &str) -> Result<NpyHeader> {
    NpyHeader::from_reader(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(file, &"it ends within the header"),
        _ => damaged(file, &error),
    })
}

fn damaged(file: &str, error: &dyn fmt::Display) -> Error {
    Error::Damaged {
        file: file.into(),
        format: "NumPy",
        reason: error.to_string(),
    }
}

fn unsupported(file: &str, reason: &str) -> Error {
    Error::Unsupported {
        file: file.into(),
        reason: reason.into(),
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scalar {
    I8,
    I16(Endian),
    I32(Endian),
    I64(Endian),
    U8,
    U16(Endian),
    U32(Endian),
    U64(Endian),
    F16(Endian),
    F32(Endian),
    F64(Endian),
    NotANumber,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endian {
    Little,
    Big,
}

impl Scalar {
    fn of(plain: &TypeStr) -> Scalar {
        let endian = match plain.endianness() {
            Endianness::Big => Endian::Big,
            _ => Endian::Little,
        };
        match (plain.type_char(), plain.num_bytes()) {
            (TypeChar::Int, Some(1)) => Scalar::I8,
            (TypeChar::Int, Some(2)) => Scalar::I16(endian),
            (TypeChar::Int, Some(4)) => Scalar::I32(endian),
            (TypeChar::Int, Some(8)) => Scalar::I64(endian),
            (TypeChar::Uint | TypeChar::Bool, Some(1)) => Scalar::U8,
            (TypeChar::Uint, Some(2)) => Scalar::U16(endian),
            (TypeChar::Uint, Some(4)) => Scalar::U32(endian),
            (TypeChar::Uint, Some(8)) => Scalar::U64(endian),
            (TypeChar::Float, Some(2)) => Scalar::F16(endian),
            (TypeChar::Float, Some(4)) => Scalar::F32(endian),
            (TypeChar::Float, Some(8)) => Scalar::F64(endian),
            _ => Scalar::NotANumber,
        }
    }

    /// Appends the number at the start of each stretch of bytes.
    fn append<'a>(self, cells: impl Iterator<Item = &'a [u8]>, to: &mut Vec<f64>) {
        macro_rules! append {
            ($type:ty, $endian:expr, $convert:expr) => {{
                let bytes = |cell: &[u8]| *cell.first_chunk().expect("a record holds its cells");
                match $endian {
                    Endian::Little => {
                        to.extend(cells.map(|c| $convert(<$type>::from_le_bytes(bytes(c)))))
                    }
                    Endian::Big => {
                        to.extend(cells.map(|c| $convert(<$type>::from_be_bytes(bytes(c)))))
                    }
                }
            }};
        }
        match self {
            Scalar::I8 => append!(i8, Endian::Little, f64::from),
            Scalar::I16(endian) => append!(i16, endian, f64::from),
            Scalar::I32(endian) => append!(i32, endian, f64::from),
            Scalar::I64(endian) => append!(i64, endian, |v| v as f64),
            Scalar::U8 => append!(u8, Endian::Little, f64::from),
            Scalar::U16(endian) => append!(u16, endian, f64::from),
            Scalar::U32(endian) => append!(u32, endian, f64::from),
            Scalar::U64(endian) => append!(u64, endian, |v| v as f64),
            Scalar::F16(endian) => append!(u16, endian, f64_from_half),
            Scalar::F32(endian) => append!(f32, endian, f64::from),
            Scalar::F64(endian) => append!(f64, endian, |v| v),
            Scalar::NotANumber => unreachable!("only numeric columns are chosen"),
        }
    }
}

/// The value of an IEEE 754 half-precision number: 1 sign, 5 exponent and 10 fraction bits.
fn f64_from_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3FF);
    match (bits >> 10) & 0x1F {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => sign * f64::INFINITY,
        exponent => sign * (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

/// The bytes of an array.
enum Bytes {
    /// Readable at any place.
    Shared(Window),
    /// Readable once, from the beginning.
    Once(Box<dyn Read + Send>),
}

impl Bytes {
    fn into_stream(self) -> Box<dyn Read + Send> {
        match self {
            Bytes::Shared(window) => Box::new(BufReader::with_capacity(64 * 1024, window)),
            Bytes::Once(stream) => stream,
        }
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytes::Shared(window) => window.read(buffer),
            Bytes::Once(stream) => stream.read(buffer),
        }
    }
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// A part of a file that several readers share, each with a position of its own.
#[derive(Clone)]
struct Window {
    file: Arc<Mutex<dyn ReadSeek>>,
    start: u64,
    position: u64,
    /// Where the part ends; past the end of the file if nobody knows.
    end: u64,
}

impl Window {
    fn whole(file: impl ReadSeek + 'static) -> Window {
        Window {
            file: Arc::new(Mutex::new(file)),
            start: 0,
            position: 0,
            end: u64::MAX,
        }
    }

    /// What has not been read yet.
    fn rest(&self) -> Window {
        Window {
            start: self.position,
            ..self.clone()
        }
    }

    /// A part of this part.
    fn part(&self, offset: u64, length: u64) -> Window {
        let start = self.start.saturating_add(offset);
        let end = start.saturating_add(length).min(self.end);
        Window {
            file: Arc::clone(&self.file),
            start,
            position: start,
            end,
        }
    }
}

impl Read for Window {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let mut file = self
            .file
            .lock()
            .map_err(|_| io::Error::other("another reader failed"))?;
        file.seek(SeekFrom::Start(self.position))?;
        let n = file.read(&mut buffer[..length])?;
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for Window {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
        self.position = match to {
            SeekFrom::Start(offset) => self.start.checked_add(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => {
                let mut file = self
                    .file
                    .lock()
                    .map_err(|_| io::Error::other("another reader failed"))?;
                file.seek(SeekFrom::End(0))?
                    .min(self.end)
                    .checked_add_signed(offset)
            }
        }
        .ok_or_else(invalid)?;
        Ok(self.position - self.start)
    }
}
