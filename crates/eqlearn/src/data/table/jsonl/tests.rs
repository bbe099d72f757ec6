//! JSON lines, good and bad.

use super::super::tests::{open, read_error};
use super::super::{ColumnKind, Format, Missing, ReadOptions, Source};

fn error(text: &str, names: &[&str]) -> crate::Error {
    read_error(text.as_bytes(), Format::JsonLines, names)
}

#[test]
fn keys_are_columns_in_the_order_of_their_first_appearance() {
    use ColumnKind::{Boolean, Nested, Numeric, Text};

    let text = "{\"b\": 1, \"flag\": true}\n\n\
                {\"a\": 2.5, \"b\": -3e2, \"who\": \"ann\", \"list\": [1, {}]}\n";
    let source = open(text.as_bytes(), Format::JsonLines).unwrap();
    let columns: Vec<(&str, ColumnKind)> = source
        .columns()
        .iter()
        .map(|column| (column.name.as_str(), column.kind))
        .collect();
    assert_eq!(
        columns,
        [
            ("b", Numeric),
            ("flag", Boolean),
            ("a", Numeric),
            ("who", Text),
            ("list", Nested)
        ]
    );
    assert_eq!(
        source.read(&["b"]).unwrap().column("b").unwrap(),
        [1.0, -300.0]
    );
}

#[test]
fn what_is_missing_is_an_error_at_its_place() {
    insta::assert_snapshot!(
        error("{\"x\":1}\n\n{\"x\":null}\n", &["x"]),
        @"null where a number is needed: data, row 2 (line 3), column \"x\"; fill it in, or leave \
         out rows with missing values"
    );
    insta::assert_snapshot!(
        error("{\"x\":1}\n{\"y\":2}\n", &["x"]),
        @"no value where a number is needed: data, row 2 (line 2), column \"x\"; fill it in, or \
         leave out rows with missing values"
    );
    insta::assert_snapshot!(
        error("{\"x\":\"1\"}\n", &["x"]),
        @r#"column "x" of data holds text, not numbers, such as "1" in row 1"#
    );
}

#[test]
fn words_that_python_writes_are_missing_values() {
    let text = "{\"x\": NaN, \"y\": 1}\n{\"x\": 2, \"y\": -Infinity}\n\
                {\"x\": 3, \"y\": 4, \"s\": \"a \\\"NaN\\\" Infinity\"}\n";
    let options = ReadOptions {
        missing: Missing::Drop,
        ..Default::default()
    };
    let bytes = Box::new(std::io::Cursor::new(text));
    let source = Source::from_reader(bytes, "data", Format::JsonLines, &options).unwrap();
    assert_eq!(
        source.columns()[2].example,
        Some(("a \"NaN\" Infinity".into(), 3))
    );
    let table = source.read(&["x", "y"]).unwrap();
    assert_eq!((table.n_rows(), table.row_number(0)), (1, 3));
}

#[test]
fn a_malformed_line_is_named() {
    insta::assert_snapshot!(
        error("{\"x\":1}\n{\"x\":}\n", &["x"]),
        @"line 2 of data is not a JSON object: expected value at character 6"
    );
    insta::assert_snapshot!(
        error("[1,2]\n", &["x"]),
        @"line 1 of data is not a JSON object: invalid type: sequence, expected an object at \
         character 0"
    );
    insta::assert_snapshot!(
        error("{\"x\":1} 2\n", &["x"]),
        @"line 1 of data is not a JSON object: trailing characters at character 9"
    );
    insta::assert_snapshot!(error("", &["x"]), @"data is empty");
    let late = format!(
        "{}{{\"x\":true}}\n{{\"x\":\"a\"}}\n",
        "{\"x\":1}\n".repeat(1_500)
    );
    insta::assert_snapshot!(
        error(&late, &["x"]),
        @r#""a" is not a number: data, row 1502 (line 1502), column "x""#
    );
}
