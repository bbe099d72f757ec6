//! Sheets as Excel and LibreOffice store them. The files are those of `tests/data/sheets`.

use super::super::tests::open;
use super::super::{Reading, Source};
use super::*;

const EXCEL: &[u8] = include_bytes!("../../../../tests/data/sheets/run.xlsx");
const OPEN_DOCUMENT: &[u8] = include_bytes!("../../../../tests/data/sheets/run.ods");

fn sheet(name: &str, decimal: Option<Decimal>) -> Result<Source> {
    let options = ReadOptions {
        sheet: Some(name.into()),
        decimal,
        ..Default::default()
    };
    Source::from_reader(Box::new(EXCEL), "run.xlsx", Format::Spreadsheet, &options)
}

#[test]
fn a_sheet_is_read_as_text_is() {
    let source = open(EXCEL, Format::Spreadsheet).unwrap();
    insta::assert_snapshot!(source.notes().join("\n"), @"
    data has the sheets Data, Commas, Nothing; Data is read
    units by the header: v in m/s
    ");
    let asked = [
        ("time", Reading::Seconds),
        ("v", Reading::Number),
        ("ok", Reading::Number),
        ("who", Reading::Label),
    ];
    let mut batches = source.batches_as(&asked).unwrap();
    let table = batches.whole().unwrap();
    assert_eq!(table.column("time").unwrap(), [0.0, 21_600.5]);
    assert_eq!(table.column("v").unwrap(), [1.5, 0.1]);
    assert_eq!(table.column("ok").unwrap(), [1.0, 0.0]);
    assert_eq!(batches.labels(3), ["ann, b", "bob \"c\""]);
    let (_, first) = batches.first_moment(0).unwrap();
    assert_eq!(first, "2024-01-31T12:00:00.000");
}

#[test]
fn a_sheet_has_a_name() {
    assert_eq!(sheet("Data", None).unwrap().columns().len(), 4);
    insta::assert_snapshot!(
        sheet("data", None).unwrap_err(),
        @r#"run.xlsx has no sheet "data"; did you mean "Data"? it has Data, Commas, Nothing"#
    );
    insta::assert_snapshot!(
        sheet("Nothing", None).unwrap_err(),
        @r#"run.xlsx, sheet "Nothing" is empty"#
    );
    let message = open(b"PK of something else", Format::Spreadsheet).unwrap_err();
    let message = message.to_string();
    assert!(
        message.starts_with("data is not a readable spreadsheet file"),
        "{message}"
    );
}

#[test]
fn text_that_is_a_number_with_a_decimal_comma_can_be_told() {
    assert!(sheet("Commas", None).is_err());
    let table = sheet("Commas", Some(Decimal::Comma)).unwrap();
    let table = table.read(&["x", "y"]).unwrap();
    assert_eq!(table.column("x").unwrap(), [1.5]);
    assert_eq!(table.column("y").unwrap(), [0.5]);
}

#[test]
fn open_document_is_read_too() {
    let table = open(OPEN_DOCUMENT, Format::Spreadsheet).unwrap();
    let table = table.read(&["y"]).unwrap();
    assert_eq!(table.column("y").unwrap(), [2.5, 4.5]);
}
