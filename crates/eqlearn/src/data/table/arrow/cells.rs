//! Cells of Arrow arrays: as numbers, and as text for messages.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    RunEndIndexType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Float64Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use arrow_select::take::take;
use num_traits::ToPrimitive;

use super::super::cell::Cell;
use super::super::instant::Instant;
use super::super::meaning::Meaning;
use super::super::number::Comma;

/// The numbers of a numeric or Boolean array.
pub(super) fn numbers(array: &dyn Array) -> Result<Float64Array, ArrowError> {
    // Wide integers are rounded to the nearest number.
    macro_rules! unary {
        ($type:ty, $number:expr) => {
            array.as_primitive::<$type>().unary($number)
        };
    }
    macro_rules! decimal {
        ($type:ty, $scale:expr, $number:expr) => {{
            let unit = 10_f64.powi(i32::from(*$scale));
            unary!($type, |x| $number(x) / unit)
        }};
    }
    Ok(match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().clone(),
        DataType::Float32 => unary!(Float32Type, f64::from),
        DataType::Float16 => unary!(Float16Type, f64::from),
        DataType::Int8 => unary!(Int8Type, f64::from),
        DataType::Int16 => unary!(Int16Type, f64::from),
        DataType::Int32 => unary!(Int32Type, f64::from),
        DataType::Int64 => unary!(Int64Type, |x| x as f64),
        DataType::UInt8 => unary!(UInt8Type, f64::from),
        DataType::UInt16 => unary!(UInt16Type, f64::from),
        DataType::UInt32 => unary!(UInt32Type, f64::from),
        DataType::UInt64 => unary!(UInt64Type, |x| x as f64),
        DataType::Decimal32(_, scale) => decimal!(Decimal32Type, scale, f64::from),
        DataType::Decimal64(_, scale) => decimal!(Decimal64Type, scale, |x| x as f64),
        DataType::Decimal128(_, scale) => decimal!(Decimal128Type, scale, |x| x as f64),
        DataType::Decimal256(_, scale) => decimal!(Decimal256Type, scale, |x| {
            ToPrimitive::to_f64(&x).expect("every integer of 256 bits is in the range of f64")
        }),
        DataType::Boolean => array
            .as_boolean()
            .iter()
            .map(|truth| truth.map(|truth| f64::from(u8::from(truth))))
            .collect(),
        DataType::Null => Float64Array::new_null(array.len()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = numbers(dictionary.values())?;
            let taken = take(&values, dictionary.keys(), None)?;
            taken.as_primitive::<Float64Type>().clone()
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array)?,
            DataType::Int32 => runs::<Int32Type>(array)?,
            _ => runs::<Int64Type>(array)?,
        },
        other => return Err(ArrowError::CastError(format!("{other} is not numeric"))),
    })
}

fn runs<T: RunEndIndexType>(array: &dyn Array) -> Result<Float64Array, ArrowError> {
    let runs = array.as_run::<T>();
    let values = numbers(runs.values())?;
    let places: UInt64Array = (0..runs.len())
        .map(|row| Some(runs.get_physical_index(row) as u64))
        .collect();
    let taken = take(&values, &places, None)?;
    Ok(taken.as_primitive::<Float64Type>().clone())
}

/// The cells of an array by their meaning in a column; the row of one that has none, and that cell.
pub(super) fn meant(
    array: &dyn Array,
    meaning: &mut Meaning,
) -> Result<Float64Array, (usize, String)> {
    let number = |row: usize| {
        if array.is_null(row) {
            return Ok(None);
        }
        let written = || text(array, row).unwrap_or_default();
        let cell = match nanoseconds(array, row) {
            Some(moment) => meaning.of_instant(Instant::from_nanoseconds(moment), written),
            None => meaning.of_text(written().as_bytes(), Comma::Absent),
        };
        match cell {
            Cell::Number(value) => Ok(Some(value)),
            Cell::Missing => Ok(None),
            _ => Err((row, written())),
        }
    };
    (0..array.len()).map(number).collect()
}

/// The nanoseconds of a date or time that is not null; none of other cells.
fn nanoseconds(array: &dyn Array, row: usize) -> Option<i128> {
    macro_rules! stored {
        ($type:ty) => {
            i128::from(array.as_primitive::<$type>().value(row))
        };
    }
    const DAY: i128 = 86_400_000_000_000;
    Some(match array.data_type() {
        DataType::Date32 => stored!(Date32Type) * DAY,
        DataType::Date64 => stored!(Date64Type) * 1_000_000,
        DataType::Time32(TimeUnit::Second) => stored!(Time32SecondType) * 1_000_000_000,
        DataType::Time32(_) => stored!(Time32MillisecondType) * 1_000_000,
        DataType::Time64(TimeUnit::Microsecond) => stored!(Time64MicrosecondType) * 1_000,
        DataType::Time64(_) => stored!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => stored!(TimestampSecondType) * 1_000_000_000,
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            stored!(TimestampMillisecondType) * 1_000_000
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => stored!(TimestampMicrosecondType) * 1_000,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => stored!(TimestampNanosecondType),
        _ => return None,
    })
}

/// A cell that is not null as text, if its type is one that people read.
pub(super) fn text(array: &dyn Array, row: usize) -> Option<String> {
    macro_rules! moment {
        ($type:ty, $moment:ident) => {
            format!("{:?}", array.as_primitive::<$type>().$moment(row)?)
        };
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Binary => hexadecimal(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => hexadecimal(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => hexadecimal(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => hexadecimal(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => moment!(Date32Type, value_as_date),
        DataType::Date64 => moment!(Date64Type, value_as_datetime),
        DataType::Time32(TimeUnit::Second) => moment!(Time32SecondType, value_as_time),
        DataType::Time32(_) => moment!(Time32MillisecondType, value_as_time),
        DataType::Time64(TimeUnit::Microsecond) => moment!(Time64MicrosecondType, value_as_time),
        DataType::Time64(_) => moment!(Time64NanosecondType, value_as_time),
        DataType::Timestamp(unit, zone) => {
            let moment = match unit {
                TimeUnit::Second => moment!(TimestampSecondType, value_as_datetime),
                TimeUnit::Millisecond => moment!(TimestampMillisecondType, value_as_datetime),
                TimeUnit::Microsecond => moment!(TimestampMicrosecondType, value_as_datetime),
                TimeUnit::Nanosecond => moment!(TimestampNanosecondType, value_as_datetime),
            };
            // With a time zone, the stored time is UTC.
            moment + if zone.is_some() { "Z" } else { "" }
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            text(dictionary.values(), dictionary.normalized_keys()[row])?
        }
        DataType::List(_) => list(&array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row))?,
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row))?,
        _ => numbers(&array.slice(row, 1)).ok()?.value(0).to_string(),
    })
}

fn list(items: &ArrayRef) -> Option<String> {
    let items = (0..items.len()).map(|row| {
        if items.is_valid(row) {
            text(items, row)
        } else {
            Some(String::new())
        }
    });
    let items: Option<Vec<String>> = items.collect();
    Some(format!("[{}]", items?.join(", ")))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
