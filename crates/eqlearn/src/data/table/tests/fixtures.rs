//! The same columns written as each kind of file.

use std::io::{Cursor, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};

use super::*;

/// Opens bytes under the name `data`.
pub(crate) fn open(bytes: &[u8], format: Format) -> Result<Source> {
    let bytes = Box::new(Cursor::new(bytes.to_vec()));
    Source::from_reader(bytes, "data", format, &ReadOptions::default())
}

/// The error of opening bytes and reading these columns.
pub(crate) fn read_error(bytes: &[u8], format: Format, names: &[&str]) -> crate::Error {
    match open(bytes, format) {
        Ok(source) => source.read(names).unwrap_err(),
        Err(error) => error,
    }
}

pub(crate) fn text_of(columns: &[(&str, Vec<f64>)], delimiter: &str) -> String {
    let mut text = columns
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(delimiter);
    for row in 0..columns[0].1.len() {
        let cells: Vec<String> = columns
            .iter()
            .map(|(_, values)| format!("{:e}", values[row]))
            .collect();
        text += "\n";
        text += &cells.join(delimiter);
    }
    text
}

pub(super) fn json_lines(columns: &[(&str, Vec<f64>)]) -> String {
    let mut text = String::new();
    for row in 0..columns[0].1.len() {
        let object: serde_json::Map<String, serde_json::Value> = columns
            .iter()
            .map(|(name, values)| (name.to_string(), values[row].into()))
            .collect();
        text += &serde_json::to_string(&object).unwrap();
        text += "\n";
    }
    text
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn record_batch(columns: &[(&str, Vec<f64>)]) -> RecordBatch {
    let arrays = columns.iter().map(|(name, values)| {
        (
            *name,
            Arc::new(Float64Array::from(values.clone())) as ArrayRef,
        )
    });
    RecordBatch::try_from_iter(arrays).unwrap()
}

/// A record batch cut into pieces of this many rows.
fn pieces(batch: &RecordBatch, rows: usize) -> Vec<RecordBatch> {
    let n = batch.num_rows();
    (0..n)
        .step_by(rows)
        .map(|start| batch.slice(start, rows.min(n - start)))
        .collect()
}

pub(crate) fn parquet(columns: &[(&str, Vec<f64>)], group_rows: usize) -> Vec<u8> {
    parquet_of(&record_batch(columns), group_rows)
}

pub(crate) fn parquet_of(batch: &RecordBatch, group_rows: usize) -> Vec<u8> {
    let properties = ::parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(group_rows))
        .set_compression(::parquet::basic::Compression::SNAPPY)
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        ::parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))
            .unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn ipc_file(columns: &[(&str, Vec<f64>)], rows: usize) -> Vec<u8> {
    let batch = record_batch(columns);
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    for piece in pieces(&batch, rows) {
        writer.write(&piece).unwrap();
    }
    writer.into_inner().unwrap()
}

pub(crate) fn ipc_stream(columns: &[(&str, Vec<f64>)], rows: usize) -> Vec<u8> {
    let batch = record_batch(columns);
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    for piece in pieces(&batch, rows) {
        writer.write(&piece).unwrap();
    }
    writer.into_inner().unwrap()
}

/// The order of the values of a NumPy matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    C,
    Fortran,
}

/// A number, as NumPy calls and writes it.
pub(crate) trait Number: Copy {
    const TYPE: &str;
    fn bytes(self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($type:ty => $name:literal,)*) => {
        $(impl Number for $type {
            const TYPE: &str = $name;
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}
numbers! {
    i8 => "|i1",
    i16 => "<i2",
    i32 => "<i4",
    u32 => "<u4",
    u64 => "<u8",
    f32 => "<f4",
    f64 => "<f8",
}

impl Number for bool {
    const TYPE: &str = "|b1";
    fn bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
}

/// An array of this shape; the values are given in the order in which they are stored.
pub(crate) fn npy<T: Number>(values: &[T], shape: &[u64], order: Order) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n}, ")).collect();
    let shape = shape.concat();
    let fortran = if order == Order::Fortran {
        "True"
    } else {
        "False"
    };
    let data: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
    npy_of(
        &format!("'{}'", T::TYPE),
        fortran,
        &format!("({shape})"),
        &data,
    )
}

/// A header with these entries, laid out as by NumPy, and then these bytes.
pub(crate) fn npy_of(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

pub(crate) fn npz(columns: &[(&str, Vec<f64>)], compression: zip::CompressionMethod) -> Vec<u8> {
    let arrays: Vec<(String, Vec<u8>)> = columns
        .iter()
        .map(|(name, values)| {
            (
                name.to_string(),
                npy(values, &[values.len() as u64], Order::C),
            )
        })
        .collect();
    npz_of(&arrays, compression)
}

pub(crate) fn npz_of(arrays: &[(String, Vec<u8>)], compression: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(compression);
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
