//! Arrow and Parquet files, good and bad.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, PrimitiveRunBuilder};
use arrow_array::types::{ArrowPrimitiveType, Decimal256Type, Float32Type, Int16Type, Int32Type};
use arrow_array::{
    BooleanArray, Date32Array, Decimal128Array, Decimal256Array, DictionaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, ListArray, NullArray, StringArray,
    Time64MicrosecondArray, TimestampMillisecondArray, UInt8Array,
};

use super::super::tests::{open, parquet_of, read_error};
use super::super::{Format, ReadOptions};
use super::*;

/// One column of every type that matters.
fn mixed() -> RecordBatch {
    let decimals = Decimal128Array::from(vec![150, -25])
        .with_precision_and_scale(10, 2)
        .unwrap();
    let words: DictionaryArray<Int32Type> = vec!["low", "high"].into_iter().collect();
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), None]);
    let columns: [(&str, ArrayRef); 9] = [
        (
            "int",
            Arc::new(Int64Array::from(vec![9_007_199_254_740_993, -1])),
        ),
        ("byte", Arc::new(UInt8Array::from(vec![1, 255]))),
        ("short", Arc::new(Float32Array::from(vec![0.1, 0.5]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
        ("money", Arc::new(decimals)),
        ("hole", Arc::new(Float64Array::from(vec![Some(1.0), None]))),
        ("day", Arc::new(Date32Array::from(vec![Some(19_753), None]))),
        ("level", Arc::new(words)),
        ("list", Arc::new(lists)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn ipc_of(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn both() -> [(Format, Vec<u8>); 2] {
    [
        (Format::Parquet, parquet_of(&mixed(), 1)),
        (Format::Arrow, ipc_of(&mixed())),
    ]
}

#[test]
fn batches_in_memory_are_read_as_those_of_a_file() {
    let options = ReadOptions {
        missing: Missing::Drop,
        ..ReadOptions::default()
    };
    // Cut anywhere, also into nothing: slices know where they begin.
    let whole = mixed();
    let parts = [(0, 0), (0, 1), (1, 1)].map(|(start, n)| whole.slice(start, n));
    for batches in [vec![whole.clone()], parts.to_vec()] {
        let bytes = Cursor::new(ipc_of(&whole));
        let file = Source::from_reader(Box::new(bytes), "a", Format::Arrow, &options).unwrap();
        let batches =
            arrow_array::RecordBatchIterator::new(batches.into_iter().map(Ok), whole.schema());
        let memory = Source::from_batches(Box::new(batches), "a", Missing::Drop).unwrap();
        let kinds = |source: &Source| {
            let columns = source.columns().iter();
            let kinds = columns.map(|column| (column.name.clone(), column.kind));
            kinds.collect::<Vec<_>>()
        };
        assert_eq!(kinds(&memory), kinds(&file));
        let names = ["hole", "money", "int", "short", "byte", "flag"];
        let mut memory = memory.batches(&names).unwrap();
        let mut file = file.batches(&names).unwrap();
        assert_eq!(memory.whole().unwrap(), file.whole().unwrap());
        assert_eq!((memory.dropped(), file.dropped()), (1, 1));
    }
}

#[test]
fn every_number_type_becomes_a_number() {
    for (format, bytes) in both() {
        let names = ["flag", "money", "int", "short", "byte"];
        let table = open(&bytes, format).unwrap().read(&names).unwrap();
        assert_eq!(
            table.column("int").unwrap(),
            [9_007_199_254_740_992.0, -1.0]
        );
        assert_eq!(table.column("byte").unwrap(), [1.0, 255.0]);
        assert_eq!(table.column("short").unwrap(), [f64::from(0.1_f32), 0.5]);
        assert_eq!(table.column("flag").unwrap(), [1.0, 0.0]);
        assert_eq!(table.column("money").unwrap(), [1.5, -0.25]);
    }
}

#[test]
fn columns_that_are_not_numeric_are_refused_with_an_example() {
    for (format, bytes) in both() {
        let error = |name| read_error(&bytes, format, &[name]).to_string();
        assert_eq!(
            error("day"),
            r#"column "day" of data holds dates, not numbers, such as "2024-01-31" in row 1"#
        );
        assert_eq!(
            error("level"),
            r#"column "level" of data holds text, not numbers, such as "low" in row 1"#
        );
        assert_eq!(
            error("list"),
            r#"column "list" of data holds nested values, not numbers, such as "[1]" in row 1"#
        );
    }
}

#[test]
fn a_null_is_a_missing_value() {
    for (format, bytes) in both() {
        let message = read_error(&bytes, format, &["int", "hole"]).to_string();
        assert_eq!(
            message,
            "null where a number is needed: data, row 2, column \"hole\"; \
             fill it in, or leave out rows with missing values"
        );
        let options = ReadOptions {
            missing: Missing::Drop,
            ..Default::default()
        };
        let bytes = Box::new(Cursor::new(bytes));
        let source = Source::from_reader(bytes, "data", format, &options).unwrap();
        assert_eq!(source.read(&["hole"]).unwrap().n_rows(), 1);
    }
}

#[test]
fn damaged_and_foreign_files_are_told_as_such() {
    insta::assert_snapshot!(
        read_error(b"x,y\n1,2\n3,4\n", Format::Parquet, &["x"]),
        @"data is not a readable Parquet file: Invalid Parquet file. Corrupt footer"
    );
    insta::assert_snapshot!(read_error(b"", Format::Parquet, &["x"]), @"data is empty");
    insta::assert_snapshot!(
        read_error(b"x,y\n1,2\n3,4\n", Format::Arrow, &["x"]),
        @"data is not a readable Arrow file: it does not start like one"
    );
    insta::assert_snapshot!(read_error(b"", Format::Arrow, &["x"]), @"data is empty");
    insta::assert_snapshot!(
        read_error(b"FEA1\0\0\0\0", Format::Arrow, &["x"]),
        @"data cannot be used: it is Feather version 1; write it again as version 2 or Parquet"
    );
}

#[test]
fn a_file_without_rows_is_refused() {
    let empty = mixed().slice(0, 0);
    for (format, bytes) in [
        (Format::Parquet, parquet_of(&empty, 1)),
        (Format::Arrow, ipc_of(&empty)),
    ] {
        assert_eq!(
            read_error(&bytes, format, &["int"]).to_string(),
            "data has columns but no rows"
        );
    }
}

#[test]
fn text_columns_beside_numbers_do_not_disturb() {
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let batch = RecordBatch::try_from_iter([("who", names), ("x", values)]).unwrap();
    for (format, bytes) in [
        (Format::Parquet, parquet_of(&batch, 9)),
        (Format::Arrow, ipc_of(&batch)),
    ] {
        assert_eq!(
            open(&bytes, format)
                .unwrap()
                .read(&["x"])
                .unwrap()
                .column("x")
                .unwrap(),
            [1.0, 2.0]
        );
    }
}

#[test]
fn numbers_are_found_behind_keys_and_runs() {
    let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(2)]);
    let values = Arc::new(Int64Array::from(vec![Some(7), Some(-3), None]));
    let keyed = DictionaryArray::<Int32Type>::new(keys, values);
    let mut runs = PrimitiveRunBuilder::<Int16Type, Float32Type>::new();
    runs.extend([Some(0.5), Some(0.5), None, Some(2.0)]);
    let given = |array: &dyn Array| numbers(array).unwrap().iter().collect::<Vec<_>>();
    assert_eq!(given(&keyed), [Some(-3.0), None, Some(7.0), None]);
    let runs = runs.finish();
    assert_eq!(given(&runs), [Some(0.5), Some(0.5), None, Some(2.0)]);
    assert_eq!(given(&runs.slice(1, 3)), [Some(0.5), None, Some(2.0)]);
    assert_eq!(given(&NullArray::new(2)), [None, None]);
    assert!(numbers(&StringArray::from(vec!["1"])).is_err());
}

#[test]
fn a_wide_decimal_is_the_nearest_number() {
    let digits = "12345678901234567890123456789012345678901234";
    let wide: <Decimal256Type as ArrowPrimitiveType>::Native = digits.parse().unwrap();
    let wide = Decimal256Array::from(vec![wide])
        .with_precision_and_scale(50, 4)
        .unwrap();
    assert_eq!(
        numbers(&wide).unwrap().values()[..],
        [1.234_567_890_123_456_8e39]
    );
}

#[test]
fn examples_read_as_people_write_them() {
    let shown = |array: &dyn Array| cells::text(array, 0);
    let moment = TimestampMillisecondArray::from(vec![1_706_697_000_250]);
    insta::assert_snapshot!(shown(&moment).unwrap(), @"2024-01-31T10:30:00.250");
    let zoned = moment.with_timezone("Europe/Berlin");
    insta::assert_snapshot!(shown(&zoned).unwrap(), @"2024-01-31T10:30:00.250Z");
    let time = Time64MicrosecondArray::from(vec![37_800_000_000]);
    insta::assert_snapshot!(shown(&time).unwrap(), @"10:30:00");
    let mut bytes = BinaryBuilder::new();
    bytes.append_value([0x0A, 0xFF]);
    insta::assert_snapshot!(shown(&bytes.finish()).unwrap(), @"0aff");
    let nested = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None])]);
    insta::assert_snapshot!(shown(&nested).unwrap(), @"[1, ]");
}
