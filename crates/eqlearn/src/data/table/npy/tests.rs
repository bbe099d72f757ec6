//! NumPy arrays and archives, good and bad.

use super::super::tests::{Order, npy, npy_of, npz_of, open, read_error};
use super::super::{Format, Table};
use super::scalar::f64_from_half;
use super::*;

fn read(bytes: &[u8], format: Format) -> Table {
    let names: Vec<String> = open(bytes, format)
        .unwrap()
        .columns()
        .iter()
        .map(|c| c.name.clone())
        .collect();
    open(bytes, format).unwrap().read(&names).unwrap()
}

#[test]
fn a_matrix_is_the_same_in_both_orders() {
    let rows = npy(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2], Order::C);
    let columns = npy(&[1.0, 3.0, 5.0, 2.0, 4.0, 6.0], &[3, 2], Order::Fortran);
    let table = read(&rows, Format::Npy);
    assert_eq!(table.names(), ["x1", "x2"]);
    assert_eq!(table.column("x2").unwrap(), [2.0, 4.0, 6.0]);
    assert_eq!(table, read(&columns, Format::Npy));
}

#[test]
fn a_long_matrix_in_fortran_order_is_read_in_batches() {
    let n = 40_000_u32;
    let values: Vec<u32> = (0..3 * n).collect();
    let bytes = npy(&values, &[u64::from(n), 3], Order::Fortran);
    let mut batches = open(&bytes, Format::Npy)
        .unwrap()
        .batches(&["x3", "x1"])
        .unwrap();
    let second = batches.nth(1).unwrap().unwrap();
    assert_eq!(
        second.column("x3").unwrap()[..1],
        [f64::from(2 * n + 16_384)]
    );
    assert_eq!(second.column("x1").unwrap()[..1], [16_384.0]);
}

#[test]
fn every_number_type_is_read() {
    let one = |bytes: Vec<u8>| read(&bytes, Format::Npy).column("x1").unwrap().to_vec();
    assert_eq!(one(npy(&[-1_i8, 2], &[2], Order::C)), [-1.0, 2.0]);
    assert_eq!(one(npy(&[-1_i16, 2], &[2], Order::C)), [-1.0, 2.0]);
    assert_eq!(
        one(npy(&[u64::MAX], &[1], Order::C)),
        [18_446_744_073_709_551_615.0]
    );
    assert_eq!(one(npy(&[0.1_f32], &[1], Order::C)), [f64::from(0.1_f32)]);
    assert_eq!(one(npy(&[true, false], &[2], Order::C)), [1.0, 0.0]);
    let mut big_endian = npy(&[1.5_f64], &[1], Order::C);
    let place = big_endian.windows(3).position(|w| w == b"<f8").unwrap();
    big_endian[place] = b'>';
    let n = big_endian.len();
    big_endian[n - 8..].reverse();
    assert_eq!(one(big_endian), [1.5]);
}

#[test]
fn half_precision_follows_the_standard() {
    for (bits, value) in [
        (0x0000, 0.0),
        (0x3C00, 1.0),
        (0xC000, -2.0),
        (0x7BFF, 65_504.0),
        (0x0001, 5.960_464_477_539_063e-8),
        (0x0400, 6.103_515_625e-5),
        (0x3555, 0.333_251_953_125),
        (0xFC00, f64::NEG_INFINITY),
    ] {
        assert_eq!(
            f64_from_half(bits).to_bits(),
            f64::to_bits(value),
            "{bits:x}"
        );
    }
    assert!(f64_from_half(0x7E00).is_nan());
}

#[test]
fn fields_of_a_structured_array_are_columns() {
    let mut data = Vec::new();
    for (t, name, x) in [(1_i32, b"ab", 0.5_f64), (2, b"cd", -0.5)] {
        data.extend(t.to_le_bytes());
        data.extend(name);
        data.extend(x.to_le_bytes());
    }
    let bytes = npy_of(
        "[('t', '<i4'), ('who', '|S2'), ('x', '<f8')]",
        "False",
        "(2,)",
        &data,
    );
    let table = open(&bytes, Format::Npy)
        .unwrap()
        .read(&["x", "t"])
        .unwrap();
    assert_eq!(table.column("x").unwrap(), [0.5, -0.5]);
    assert_eq!(table.column("t").unwrap(), [1.0, 2.0]);
    insta::assert_snapshot!(
        read_error(&bytes, Format::Npy, &["who"]),
        @r#"column "who" of data holds text, not numbers"#
    );
}

#[test]
fn an_archive_gives_a_column_per_array_and_per_matrix_column() {
    for compression in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let bytes = npz_of(
            &[
                ("t".into(), npy(&[0.0, 0.1, 0.2], &[3], Order::C)),
                (
                    "state".into(),
                    npy(&[1, 3, 5, 2, 4, 6], &[3, 2], Order::Fortran),
                ),
            ],
            compression,
        );
        let table = read(&bytes, Format::Npz);
        assert_eq!(table.names(), ["t", "state1", "state2"]);
        assert_eq!(table.column("state2").unwrap(), [2.0, 4.0, 6.0]);
    }
}

#[test]
fn arrays_that_are_no_table_are_refused() {
    let npz = npz_of(
        &[
            ("t".into(), npy(&[0.0, 0.1, 0.2], &[3], Order::C)),
            ("x".into(), npy(&[0.0, 0.1], &[2], Order::C)),
        ],
        CompressionMethod::Stored,
    );
    insta::assert_snapshot!(
        read_error(&npz, Format::Npz, &["t"]),
        @r#"column "t" has 3 rows but column "x" has 2"#
    );
    let cube = npy(&[0.0; 8], &[2, 2, 2], Order::C);
    insta::assert_snapshot!(
        read_error(&cube, Format::Npy, &["x1"]),
        @"data cannot be used: it has 3 dimensions; a table has one or two"
    );
    let objects = npy_of("'|O'", "False", "(1,)", b"\x80\x04");
    insta::assert_snapshot!(
        read_error(&objects, Format::Npy, &["x1"]),
        @"data cannot be used: it holds Python objects; save it as an array of numbers"
    );
    let records = npy_of("[('t', '<i4')]", "False", "(1, 1)", &[0; 4]);
    insta::assert_snapshot!(
        read_error(&records, Format::Npy, &["t"]),
        @"data cannot be used: it is a matrix of records"
    );
    let empty = npy::<f64>(&[], &[0, 2], Order::C);
    insta::assert_snapshot!(
        read_error(&empty, Format::Npy, &["x1"]),
        @"data has columns but no rows"
    );
}

#[test]
fn damaged_and_non_finite_arrays_are_refused() {
    let whole = npy(&[1.0, f64::NAN], &[2], Order::C);
    insta::assert_snapshot!(
        read_error(&whole, Format::Npy, &["x1"]),
        @"NaN where a number is needed: data, row 2, column \"x1\"; fill it in, or leave out rows \
         with missing values"
    );
    insta::assert_snapshot!(
        read_error(&whole[..whole.len() - 3], Format::Npy, &["x1"]),
        @"data is not a readable NumPy file: it ends before row 2"
    );
    insta::assert_snapshot!(
        read_error(&whole[..20], Format::Npy, &["x1"]),
        @"data is not a readable NumPy file: it ends within the header"
    );
    insta::assert_snapshot!(
        read_error(b"x,y\n1,2\n", Format::Npy, &["x"]),
        @"data is not a readable NumPy file: it does not start like one"
    );
    let unknown = npy_of("'<q8'", "False", "(1,)", &[0; 8]);
    insta::assert_snapshot!(
        read_error(&unknown, Format::Npy, &["x1"]),
        @"data is not a readable NumPy file: its header is not one of an array"
    );
    insta::assert_snapshot!(
        read_error(b"x,y\n1,2\n", Format::Npz, &["x"]),
        @"data is not a readable NumPy file: invalid Zip archive: Could not find EOCD"
    );
}

#[test]
fn headers_of_every_version_are_read() {
    let first = npy_of("[('é', '<f8')]", "False", "(1,)", &2.5_f64.to_le_bytes());
    for version in 1..=3 {
        let mut bytes = first[..6].to_vec();
        bytes.extend([version, 0]);
        bytes.extend(&first[8..10]);
        if version > 1 {
            bytes.extend([0, 0]);
        }
        bytes.extend(&first[10..]);
        // The letter's two bytes are two letters to the versions before UTF-8.
        let name = if version == 3 { "é" } else { "Ã©" };
        assert_eq!(read(&bytes, Format::Npy).column(name).unwrap(), [2.5]);
    }
}
