//! Text tables, good and bad.

use super::super::tests::{open, read_error};
use super::super::{ColumnKind, Missing, Source, Table};
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
        @"line 5 of data has 1 cells, but there are 2 columns"
    );
    insta::assert_snapshot!(
        error("x,y\r\n1,2\r\n\r\n3,4,5\r\n", &["x"]),
        @"line 4 of data has 3 cells, but there are 2 columns"
    );
    insta::assert_snapshot!(
        error("x,y\n\"1\n\",2\n3", &["y"]),
        @"line 4 of data has 1 cells, but there are 2 columns"
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
fn decimal_commas_are_recognised_in_the_message() {
    insta::assert_snapshot!(
        error("x;y\n1,5;2\n", &["x"]),
        @"column \"x\" of data holds text, not numbers, such as \"1,5\" in row 1; this looks like \
         a decimal comma, write numbers with a point"
    );
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
