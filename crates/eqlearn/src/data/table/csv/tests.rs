//! Text tables, good and bad.

use super::super::tests::{open, read_error};
use super::super::{ColumnKind, Missing, Reading, Source, Table};
use super::*;

fn read(text: &str, names: &[&str]) -> Table {
    open(text.as_bytes(), Format::Csv)
        .unwrap()
        .read(names)
        .unwrap()
}

fn error(text: &str, names: &[&str]) -> crate::Error {
    read_error(text.as_bytes(), Format::Csv, names)
}

fn names(source: &Source) -> Vec<&str> {
    source
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect()
}

#[test]
fn quotes_comments_blank_lines_and_marks_are_read_around() {
    let text = "\u{FEFF}# made by hand\r\n\r\n\"x, in m\",\"say \"\"y\"\"\"\r\n\
                1,2\r\n# half way\r\n\r\n\u{20}\"3\" , +4 \r\n";
    let text = text.replace(" \"3\" ", " 3 ");
    let source = open(text.as_bytes(), Format::Csv).unwrap();
    assert_eq!(names(&source), ["x, in m", "say \"y\""]);
    let table = source.read(&["say \"y\"", "x, in m"]).unwrap();
    assert_eq!(table.column("x, in m").unwrap(), [1.0, 3.0]);
    assert_eq!(table.column("say \"y\"").unwrap(), [2.0, 4.0]);
}

#[test]
fn the_header_tells_the_delimiter() {
    for text in [
        "a;b\n1;2\n",
        "a\tb\n1\t2\n",
        "a b\n1 2\n",
        "a,b\n1,2\n",
        "\"a,c\";b\n1;2\n",
    ] {
        assert_eq!(read(text, &["b"]).column("b").unwrap(), [2.0], "{text}");
    }
    let options = ReadOptions {
        delimiter: Some(b'|'),
        ..Default::default()
    };
    let text: &[u8] = b"a|b\n1|2\n";
    let source = Source::from_reader(Box::new(text), "data", Format::Csv, &options).unwrap();
    assert_eq!(source.read(&["b"]).unwrap().column("b").unwrap(), [2.0]);
}

#[test]
fn the_kinds_of_the_columns_are_told_with_examples() {
    use ColumnKind::{Boolean, Date, Numeric, Text};

    let text = "n,flag,day,who,void\n1,true,2024-01-31,,\n2,FALSE,2024-02-01,ann,NA\n";
    let source = open(text.as_bytes(), Format::Csv).unwrap();
    let kinds: Vec<ColumnKind> = source.columns().iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [Numeric, Boolean, Date, Text, Numeric]);
    assert_eq!(source.columns()[2].example, Some(("2024-01-31".into(), 1)));
    assert_eq!(source.columns()[3].example, Some(("ann".into(), 2)));
    assert_eq!(
        source.read(&["flag"]).unwrap().column("flag").unwrap(),
        [1.0, 0.0]
    );
}

#[test]
fn a_first_line_of_numbers_is_data() {
    let source = open(b"1,2\n3,4\n", Format::Csv).unwrap();
    insta::assert_snapshot!(
        source.notes()[0],
        @"data has no header; its columns are named x1 to x2"
    );
    let table = source.read(&["x2", "x1"]).unwrap();
    assert_eq!(table.column("x1").unwrap(), [1.0, 3.0]);
}

#[test]
fn a_cell_without_a_name_in_the_header_is_named_by_its_place() {
    let source = open(b",x,\n0,1,2\n", Format::Csv).unwrap();
    assert_eq!(names(&source), ["column1", "x", "column3"]);
}

#[test]
fn files_without_rows_are_refused() {
    insta::assert_snapshot!(error("", &["x"]), @"data is empty");
    insta::assert_snapshot!(error("# only\n\n", &["x"]), @"data is empty");
    insta::assert_snapshot!(error("x,y\n", &["x"]), @"data has columns but no rows");
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    insta::assert_snapshot!(
        error("x,y\n1,2\n# note\n\n3\n", &["x"]),
        @"line 5 of data has 1 cell, but there are 2 columns"
    );
    insta::assert_snapshot!(
        error("x,y\r\n1,2\r\n\r\n3,4,5\r\n", &["x"]),
        @"line 4 of data has 3 cells, but there are 2 columns"
    );
    insta::assert_snapshot!(
        error("x,y\n\"1\n\",2\n3", &["y"]),
        @"line 4 of data has 1 cell, but there are 2 columns"
    );
}

#[test]
fn two_columns_of_one_name_are_refused() {
    insta::assert_snapshot!(
        error("x,y,x\n1,2,3\n", &["y"]),
        @r#"columns 1 and 3 of data are both named "x"; rename one of them"#
    );
}

#[test]
fn a_text_column_is_refused_only_if_asked_for() {
    let text = "x,who,day\n1,ann,2024-01-31\n2,bob,2024-02-01\n";
    assert_eq!(read(text, &["x"]).n_rows(), 2);
    insta::assert_snapshot!(
        error(text, &["who"]),
        @r#"column "who" of data holds text, not numbers, such as "ann" in row 1"#
    );
    insta::assert_snapshot!(
        error(text, &["x", "day"]),
        @r#"column "day" of data holds dates, not numbers, such as "2024-01-31" in row 1"#
    );
}

#[test]
fn text_far_down_in_a_numeric_column_is_an_error_at_its_place() {
    let text = format!("x,y\n{}oops,4\n5,6", "1,2\n".repeat(20_000));
    assert_eq!(read(&text, &["y"]).n_rows(), 20_002);
    insta::assert_snapshot!(
        error(&text, &["y", "x"]),
        @r#""oops" is not a number: data, row 20001 (line 20002), column "x""#
    );
    let text = text.replace('\n', "\r\n");
    insta::assert_snapshot!(
        error(&text, &["x"]),
        @r#""oops" is not a number: data, row 20001 (line 20002), column "x""#
    );
}

#[test]
fn a_missing_cell_is_an_error_at_its_place() {
    insta::assert_snapshot!(
        error("x,y\n1,2\n,4\n", &["x"]),
        @"an empty cell where a number is needed: data, row 2 (line 3), column \"x\"; fill it in, \
         or leave out rows with missing values"
    );
    insta::assert_snapshot!(
        error("x,y\n1,2\ninf,4\n", &["x"]),
        @"\"inf\" where a number is needed: data, row 2 (line 3), column \"x\"; fill it in, or \
         leave out rows with missing values"
    );
    assert_eq!(read("x,y\n1,2\n,4\n", &["y"]).n_rows(), 2);
}

#[test]
fn rows_that_are_all_missing_are_an_error_even_when_dropped() {
    let options = ReadOptions {
        missing: Missing::Drop,
        ..Default::default()
    };
    let text: &[u8] = b"x,y\n1,\n2,NA\n";
    let source = Source::from_reader(Box::new(text), "data", Format::Csv, &options).unwrap();
    insta::assert_snapshot!(
        source.read(&["x", "y"]).unwrap_err(),
        @"none of the 2 rows of data has a value in every chosen column; choose fewer columns"
    );
}

#[test]
fn decimal_commas_are_found_out_and_told() {
    let source = open(b"x;y\n1,5;2\n-0,25;1.234,5\n", Format::Csv).unwrap();
    insta::assert_snapshot!(
        source.notes()[0],
        @"data has decimal commas: 1,5 is one and a half"
    );
    let table = source.read(&["x", "y"]).unwrap();
    assert_eq!(table.column("x").unwrap(), [1.5, -0.25]);
    assert_eq!(table.column("y").unwrap(), [2.0, 1234.5]);
    for text in ["\"1,5\",\"2,5\"\n", "1,5;2,5\n", "1,5\t2,5\n"] {
        assert_eq!(read(text, &["x2"]).column("x2").unwrap(), [2.5], "{text}");
    }
}

#[test]
fn commas_may_set_thousands_apart() {
    let source = open(b"x\ty\n1,234\t0.5\n12,345.5\t1\n", Format::Csv).unwrap();
    insta::assert_snapshot!(
        source.notes()[0],
        @"data has commas between thousands: 1,234 is 1234"
    );
    assert_eq!(
        source.read(&["x"]).unwrap().column("x").unwrap(),
        [1234.0, 12_345.5]
    );
}

#[test]
fn a_comma_that_may_mean_both_is_asked_about_and_can_be_told() {
    let text = "x\ty\n1,234\t5\n2,345\t6\n";
    insta::assert_snapshot!(
        error(text, &["x"]),
        @"\"1,234\" in column \"x\" of data may have a decimal comma or one between thousands; \
         say which"
    );
    for (decimal, value) in [(Decimal::Comma, 1.234), (Decimal::Point, 1234.0)] {
        let options = ReadOptions {
            decimal: Some(decimal),
            ..Default::default()
        };
        let bytes = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let source = Source::from_reader(bytes, "data", Format::Csv, &options).unwrap();
        assert!(source.notes().is_empty());
        let table = source.read(&["x"]).unwrap();
        assert_eq!(table.column("x").unwrap()[..1], [value]);
    }
    insta::assert_snapshot!(
        error("x;y\n1,5;0.5\n", &["x"]),
        @"data has numbers with a decimal comma, such as \"1,5\" in column \"x\", and with a \
         decimal point, such as \"0.5\" in column \"y\"; say which it is, or write all alike"
    );
    // Where the first rows have none, a late one is refused.
    let late = format!("x;y\n{}1,5;2\n", "1;2\n".repeat(2_000));
    insta::assert_snapshot!(
        error(&late, &["x"]),
        @"\"1,5\" is not a number: data, row 2001 (line 2002), column \"x\"; this looks like a \
         decimal comma, and the numbers before have none"
    );
}

#[test]
fn semicolons_and_tabs_win_over_commas_in_names_and_numbers() {
    for text in [
        "\u{FEFF}force, N;time, s\n1;2\n3;4\n",
        "force, N\ttime, s\n1\t2\n3\t4\n",
    ] {
        assert_eq!(read(text, &["time, s"]).n_rows(), 2, "{text}");
    }
    // Tabs for looks.
    assert_eq!(read("a,\tb\n1,\t2\n", &["b"]).column("b").unwrap(), [2.0]);
    // A separator at the end of every line makes no column.
    let source = open(b"a;b;\n1;2;\n3;4;\n", Format::Csv).unwrap();
    assert_eq!(source.columns()[2].kind, ColumnKind::Empty);
}

#[test]
fn units_stand_in_the_header_or_in_a_row_of_their_own() {
    let source = open(b"t (s),v [m/s],n\n0,1.5,2\n1,2.5,3\n", Format::Csv).unwrap();
    assert_eq!(names(&source), ["t", "v", "n"]);
    insta::assert_snapshot!(source.notes()[0], @"units by the header: t in s, v in m/s");
    // By the short name or by the long one.
    assert_eq!(source.name_of("v [m/s]"), "v");
    let table = source.read(&["v [m/s]", "t"]).unwrap();
    assert_eq!(table.column("v [m/s]").unwrap(), [1.5, 2.5]);

    let text = "time,material,force,ratio\ns,-,(kN),1\n0,steel,1.5,2\n1,wood,2.5,3\n";
    let source = open(text.as_bytes(), Format::Csv).unwrap();
    let units: Vec<Option<&str>> = source.columns().iter().map(|c| c.unit.as_deref()).collect();
    assert_eq!(units, [Some("s"), None, Some("kN"), None]);
    insta::assert_snapshot!(
        error(&text.replace("2.5", ""), &["force"]),
        @"an empty cell where a number is needed: data, row 2 (line 4), column \"force\"; fill it \
         in, or leave out rows with missing values"
    );
    // A first row of words is no row of units where words follow, nor where numbers are among them.
    for text in ["who,y\nann,1\nbob,2\n", "x,y\nNA,NA\n1,2\n"] {
        let source = open(text.as_bytes(), Format::Csv).unwrap();
        assert!(source.notes().is_empty(), "{:?}", source.notes());
    }
}

#[test]
fn moments_become_seconds_since_the_first() {
    let text = "when,x\n2024-01-31T23:59:59.5,1\n2024-02-01T00:00:00.25,2\nnoon,3\n";
    let seconds = |text: &str| {
        let source = open(text.as_bytes(), Format::Csv).unwrap();
        let mut batches = source.batches_as(&[("when", Reading::Seconds)])?;
        batches
            .whole()
            .map(|table| table.column("when").unwrap().to_vec())
    };
    let good = text.replace("noon", "2024-02-01 12:00");
    assert_eq!(seconds(&good).unwrap(), [0.0, 0.75, 43_200.5]);
    let late = format!("{good}{}noon,1\n", "2024-02-02,1\n".repeat(1_000));
    insta::assert_snapshot!(
        seconds(&late).unwrap_err(),
        @"\"noon\" is not a time such as 2024-01-31T12:30:00: data, row 1004 (line 1005), \
         column \"when\""
    );
}

#[test]
fn text_becomes_labels_and_columns_of_zeros_and_ones() {
    let text = "run,x\nb,1\na,2\nb,3\n";
    let source = open(text.as_bytes(), Format::Csv).unwrap();
    let mut batches = source.batches_as(&[("run", Reading::Label)]).unwrap();
    assert_eq!(
        batches.whole().unwrap().column("run").unwrap(),
        [0.0, 1.0, 0.0]
    );
    assert_eq!(batches.labels(0), ["b", "a"]);
    let table = read(text, &["x", "run_a", "run_b"]);
    assert_eq!(table.column("run_a").unwrap(), [0.0, 1.0, 0.0]);
    assert_eq!(table.column("run_b").unwrap(), [1.0, 0.0, 1.0]);
    // A column of that name comes first.
    let table = read("run,run_a\nb,7\na,8\n", &["run_a"]);
    assert_eq!(table.column("run_a").unwrap(), [7.0, 8.0]);
}

#[test]
fn text_that_is_not_utf8_is_named_by_its_line() {
    let header: &[u8] = b"temp\xE9rature,y\n1,2\n";
    insta::assert_snapshot!(
        read_error(header, Format::Csv, &["y"]),
        @"line 1 of data is not UTF-8 text; save the file as UTF-8"
    );
    let utf16: &[u8] = b"\xFF\xFEx\0,\0y\0";
    insta::assert_snapshot!(
        read_error(utf16, Format::Csv, &["y"]),
        @"line 1 of data is not UTF-8 text; save the file as UTF-8"
    );
    let mut cell = format!("x,y\n{}", "1,2\n".repeat(2_000)).into_bytes();
    cell.extend(b"3,\xE9\n");
    insta::assert_snapshot!(
        read_error(&cell, Format::Csv, &["y"]),
        @"line 2002 of data is not UTF-8 text; save the file as UTF-8"
    );
    assert!(open(&cell, Format::Csv).unwrap().read(&["x"]).is_ok());
}

#[test]
fn damaged_compression_is_told_as_such() {
    let mut bytes = vec![0x1F, 0x8B];
    bytes.extend([0; 40]);
    let message = read_error(&bytes, Format::Csv, &["x"]).to_string();
    assert!(
        message.starts_with("data is not a readable compressed file"),
        "{message}"
    );
}
