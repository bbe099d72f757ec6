//! What holds for tables and for every kind of file.

mod fixtures;

use proptest::prelude::*;

pub(super) use fixtures::{
    Order, ipc_file, ipc_stream, npy, npy_of, npz, npz_of, open, parquet, parquet_of, read_error,
    text_of,
};

use super::*;

fn table(columns: &[(&str, &[f64])]) -> Result<Table> {
    Table::new(
        columns
            .iter()
            .map(|&(name, values)| (name.to_string(), values.to_vec()))
            .collect(),
    )
}

#[test]
fn a_table_gives_back_its_columns() {
    let table = table(&[("x", &[1.0, 2.0]), ("y", &[3.0, 4.0])]).unwrap();
    assert_eq!(table.names(), ["x", "y"]);
    assert_eq!(table.n_rows(), 2);
    assert_eq!(table.column("y").unwrap(), [3.0, 4.0]);
    assert_eq!(table.row_number(1), 2);
    assert_eq!(table.columns().len(), 2);
}

#[test]
fn a_table_without_columns_has_no_rows() {
    assert_eq!(table(&[]).unwrap().n_rows(), 0);
}

#[test]
fn a_table_refuses_what_is_not_a_table() {
    let repeated = table(&[("x", &[1.0]), ("x", &[2.0])]).unwrap_err();
    insta::assert_snapshot!(repeated, @r#"column "x" is given twice"#);
    let unequal = table(&[("x", &[1.0]), ("y", &[2.0, 3.0])]).unwrap_err();
    insta::assert_snapshot!(unequal, @r#"column "x" has 1 row but column "y" has 2"#);
    let infinite = table(&[("x", &[1.0, f64::INFINITY])]).unwrap_err();
    insta::assert_snapshot!(
        infinite,
        @r#"column "x" is inf in row 2; a table holds finite numbers only"#
    );
}

#[test]
fn an_unknown_column_is_refused_with_the_nearest_and_all_names() {
    let table = table(&[("velocity", &[1.0]), ("time", &[2.0])]).unwrap();
    insta::assert_snapshot!(
        table.column("velocty").unwrap_err(),
        @r#"column "velocty" is not in the table; did you mean "velocity"? it has velocity, time"#
    );
    insta::assert_snapshot!(
        table.column("mass").unwrap_err(),
        @r#"column "mass" is not in the table; it has velocity, time"#
    );
}

#[test]
fn many_columns_are_counted_rather_than_listed() {
    let columns = (0..30).map(|i| (format!("c{i:02}"), vec![0.0])).collect();
    let table = Table::new(columns).unwrap();
    let message = table.column("pressure").unwrap_err().to_string();
    assert!(message.ends_with("c18, c19 and 10 more"), "{message}");
}

/// The same columns in every kind of file.
fn every_kind(columns: &[(&str, Vec<f64>)]) -> Vec<(&'static str, Format, Vec<u8>)> {
    let csv = text_of(columns, ",").into_bytes();
    vec![
        ("csv", Format::Csv, csv.clone()),
        (
            "semicolons",
            Format::Csv,
            text_of(columns, ";").into_bytes(),
        ),
        ("blanks", Format::Csv, text_of(columns, "   ").into_bytes()),
        (
            "crlf",
            Format::Csv,
            text_of(columns, ",").replace('\n', "\r\n").into_bytes(),
        ),
        ("tsv", Format::Tsv, text_of(columns, "\t").into_bytes()),
        ("gzip", Format::Csv, fixtures::gzip(&csv)),
        ("zstd", Format::Csv, zstd::encode_all(&csv[..], 1).unwrap()),
        (
            "json",
            Format::JsonLines,
            fixtures::json_lines(columns).into_bytes(),
        ),
        ("parquet", Format::Parquet, parquet(columns, 700)),
        ("arrow file", Format::Arrow, ipc_file(columns, 900)),
        ("arrow stream", Format::Arrow, ipc_stream(columns, 5_000)),
        (
            "npz",
            Format::Npz,
            npz(columns, zip::CompressionMethod::Stored),
        ),
        (
            "compressed npz",
            Format::Npz,
            npz(columns, zip::CompressionMethod::Deflated),
        ),
    ]
}

/// Numbers of every magnitude, from a fixed congruential generator.
fn any_numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(state ^ (state >> 29))
    };
    std::iter::repeat_with(&mut next)
        .filter(|value| value.is_finite())
        .take(n)
        .collect()
}

fn bits(table: &Table) -> Vec<Vec<u64>> {
    table
        .columns()
        .map(|column| column.iter().map(|value| value.to_bits()).collect())
        .collect()
}

#[test]
fn every_kind_of_file_gives_the_same_bits_in_the_same_batches() {
    let n = 2 * 16_384 + 17;
    let columns = [
        ("t", any_numbers(n, 1)),
        ("x", any_numbers(n, 2)),
        ("y_z", any_numbers(n, 3)),
    ];
    let chosen = ["y_z", "t"];
    let expected: Vec<Vec<u64>> = [2, 0]
        .map(|i: usize| columns[i].1.iter().map(|value| value.to_bits()).collect())
        .into();
    for (kind, format, bytes) in every_kind(&columns) {
        let batches: Vec<Table> = open(&bytes, format)
            .unwrap()
            .batches(&chosen)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let lengths: Vec<usize> = batches.iter().map(Table::n_rows).collect();
        assert_eq!(lengths, [16_384, 16_384, 17], "{kind}");
        assert_eq!(batches[2].row_number(3), 2 * 16_384 + 4, "{kind}");
        let whole = open(&bytes, format).unwrap().read(&chosen).unwrap();
        assert_eq!(bits(&whole), expected, "{kind}");
        assert_eq!(whole.row_number(n - 1), n as u64, "{kind}");
    }
}

#[test]
fn blanks_separate_cells_however_many_there_are() {
    let columns = [("a", vec![1.0, -2.5, 1e300]), ("b", vec![0.1, 0.2, 0.3])];
    let text = text_of(&columns, "   ").replace('\n', "\n  ");
    let table = open(text.as_bytes(), Format::Csv)
        .unwrap()
        .read(&["b", "a"])
        .unwrap();
    assert_eq!(table.column("a").unwrap(), columns[0].1);
    assert_eq!(table.column("b").unwrap(), columns[1].1);
}

#[test]
fn every_kind_of_file_is_read_from_disk_too() {
    let columns = [("x", any_numbers(50, 4)), ("y", any_numbers(50, 5))];
    let directory = std::env::temp_dir().join(format!("eqlearn-tables-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for (i, (kind, format, bytes)) in every_kind(&columns).into_iter().enumerate() {
        let path = directory.join(format!("{i}.{format}"));
        std::fs::write(&path, bytes).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(source.name(), path.display().to_string());
        let table = source.read(&["x", "y"]).unwrap();
        assert_eq!(table.column("y").unwrap(), columns[1].1, "{kind}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_file_that_is_not_there_or_is_a_directory_is_named() {
    let error = Source::open("no/such.csv", &ReadOptions::default()).unwrap_err();
    insta::assert_snapshot!(error, @"cannot read no/such.csv: there is no such file");
    let options = ReadOptions {
        format: Some(Format::Csv),
        ..Default::default()
    };
    let error = Source::open("/", &options).unwrap_err();
    insta::assert_snapshot!(error, @"cannot read /: it is a directory");
}

#[test]
fn garbage_is_an_error_in_every_kind_and_never_a_panic() {
    let columns = [("x", any_numbers(300, 6)), ("y", any_numbers(300, 7))];
    for (kind, format, bytes) in every_kind(&columns) {
        for cut in [0, 1, 7, bytes.len() / 2, bytes.len() - 1] {
            let source = open(&bytes[..cut], format);
            if let Ok(source) = source
                && source.columns().len() == 2
            {
                let _ = source
                    .batches(&["x", "y"])
                    .map(|batches| batches.for_each(drop));
            }
        }
        let mut spoiled = bytes.clone();
        for i in (0..spoiled.len()).step_by(97) {
            spoiled[i] ^= 0x55;
        }
        let names: Option<Vec<String>> = open(&spoiled, format).ok().map(|source| {
            source
                .columns()
                .iter()
                .map(|column| column.name.clone())
                .collect()
        });
        if let Some(names) = names {
            let read = open(&spoiled, format).unwrap().read(&names);
            assert!(read.is_err(), "{kind}");
        }
    }
}

#[test]
fn batches_stay_small_with_thousands_of_columns() {
    let names: Vec<String> = (0..3_000).map(|i| format!("v{i}")).collect();
    let row = vec!["0.5"; 3_000].join(",");
    let text = format!("{}\n{}", names.join(","), format!("{row}\n").repeat(600));
    let batches = open(text.as_bytes(), Format::Csv)
        .unwrap()
        .batches(&names)
        .unwrap();
    let lengths: Vec<usize> = batches.map(|batch| batch.unwrap().n_rows()).collect();
    assert_eq!(lengths, [349, 251]);
}

#[test]
fn a_column_cannot_be_asked_for_twice_nor_none_at_all() {
    let open = || open(b"x,y\n1,2\n", Format::Csv).unwrap();
    insta::assert_snapshot!(open().read(&["x", "x"]).unwrap_err(), @r#"column "x" is given twice"#);
    insta::assert_snapshot!(
        open().read::<&str>(&[]).unwrap_err(),
        @"no column of data was asked for"
    );
}

#[test]
fn batches_can_be_read_on_another_thread() {
    let batches = open(b"x,y\n1,2\n", Format::Csv)
        .unwrap()
        .batches(&["y"])
        .unwrap();
    let count = std::thread::spawn(move || batches.count()).join().unwrap();
    assert_eq!(count, 1);
}

proptest! {
    #[test]
    fn dropped_rows_are_exactly_the_incomplete_ones(
        rows in proptest::collection::vec((any::<Option<i16>>(), any::<Option<i16>>()), 1..60)
    ) {
        let cell = |value: Option<i16>| value.map_or(String::from("NA"), |value| value.to_string());
        let lines: Vec<String> =
            rows.iter().map(|&(x, y)| format!("{},{}", cell(x), cell(y))).collect();
        let text = format!("x,y\n{}", lines.join("\n"));
        let complete: Vec<(u64, f64, f64)> = (1..)
            .zip(&rows)
            .filter_map(|(row, &(x, y))| Some((row, f64::from(x?), f64::from(y?))))
            .collect();
        let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
        let bytes = Box::new(std::io::Cursor::new(text.into_bytes()));
        let source = Source::from_reader(bytes, "data", Format::Csv, &options).unwrap();
        let mut batches = source.batches(&["x", "y"]).unwrap();
        match batches.next().unwrap() {
            Ok(table) => {
                let found: Vec<(u64, f64, f64)> = (0..table.n_rows())
                    .map(|i| (table.row_number(i), table.columns[0][i], table.columns[1][i]))
                    .collect();
                prop_assert_eq!(&found, &complete);
            }
            Err(_) => prop_assert!(complete.is_empty()),
        }
        prop_assert!(batches.next().is_none());
        prop_assert_eq!(batches.dropped(), (rows.len() - complete.len()) as u64);
    }
}
