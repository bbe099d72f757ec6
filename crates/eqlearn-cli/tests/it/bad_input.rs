//! Wrong commands and wrong data: a clear message, status 2, and no half-written files.

use std::fmt::Write as _;

use crate::command::{Folder, Ran};

const GOOD: &str = "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n5,10.1\n";

/// Runs `eqlearn fit data.csv --target y …` on a file that must be refused; returns the message.
fn refused(test: &str, csv: &str, args: &[&str]) -> String {
    refused_file(test, "data.csv", csv.as_bytes(), args)
}

fn refused_file(test: &str, name: &str, content: &[u8], args: &[&str]) -> String {
    let folder = Folder::new(test);
    folder.file(name, content);
    let base = [
        "fit",
        name,
        "--target",
        "y",
        "--method",
        "ols",
        "--save",
        "model.json",
    ];
    let ran = folder.run(&[&base, args].concat());
    assert_eq!(ran.status(), 2, "{}", ran.stderr());
    assert_eq!(
        ran.stdout(),
        "",
        "results go to standard output only if there are any"
    );
    assert_eq!(folder.names(), [name], "nothing is half-written");
    ran.stderr()
}

const LINE: [&str; 4] = ["--max-power", "1", "--max-degree", "1"];

macro_rules! says {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}

#[test]
fn a_missing_file() {
    let folder = Folder::new("missing");
    let ran = folder.run(&["fit", "nowhere.csv", "--target", "y"]);
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}

#[test]
fn an_empty_file() {
    says!(refused("empty", "", &[]));
}

#[test]
fn a_header_only() {
    says!(refused("header", "x,y\n", &[]));
}

#[test]
fn a_ragged_row() {
    says!(refused("ragged", "x,y\n1,2\n3\n4,5\n", &[]));
}

#[test]
fn text_in_a_numeric_column() {
    let mut csv = String::from("x,y\n");
    for i in 0..3000 {
        writeln!(csv, "{i},{}", 2 * i).unwrap();
    }
    csv.push_str("abc,7\n");
    says!(refused("text-late", &csv, &LINE));
}

#[test]
fn a_text_column_that_was_asked_for() {
    says!(refused(
        "text-asked",
        "day,y\nmonday,1\ntuesday,2\n",
        &["--features", "day"]
    ));
}

#[test]
fn a_missing_value() {
    says!(refused("nan", "x,y\n1,2\nNaN,3\n3,4\n", &LINE));
}

#[test]
fn an_infinite_value() {
    says!(refused("inf", "x,y\n1,2\n2,inf\n3,4\n", &LINE));
}

#[test]
fn an_empty_cell() {
    says!(refused("cell", "x,y\n1,2\n,3\n3,4\n", &LINE));
}

#[test]
fn an_unknown_column() {
    says!(refused(
        "unknown",
        "speed,y\n1,2\n2,3\n",
        &["--features", "sped"]
    ));
}

#[test]
fn an_unknown_target() {
    let folder = Folder::new("target");
    folder.file("data.csv", GOOD);
    let ran = folder.run(&["fit", "data.csv", "--target", "Y"]);
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}

#[test]
fn no_target() {
    let folder = Folder::new("no-target");
    folder.file("data.csv", "day,x,y\n2020-01-01,1,2\n2020-01-02,2,3\n");
    let ran = folder.run(&["fit", "data.csv"]);
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}

#[test]
fn a_target_that_is_a_feature() {
    says!(refused("feature", GOOD, &["--features", "x,y"]));
}

#[test]
fn duplicate_column_names() {
    says!(refused("duplicate-columns", "x,x,y\n1,2,3\n2,3,4\n", &[]));
}

#[test]
fn a_constant_target() {
    says!(refused("constant-target", "x,y\n1,2\n2,2\n3,2\n", &LINE));
}

#[test]
fn a_constant_feature() {
    says!(refused(
        "constant-feature",
        "x,z,y\n1,7,2\n2,7,3\n3,7,2\n4,7,1\n",
        &LINE
    ));
}

#[test]
fn a_duplicate_term() {
    says!(refused(
        "duplicate-term",
        "a,b,y\n1,2,3\n2,5,4\n",
        &["--terms", "a*b,b*a", "--only-terms"]
    ));
}

#[test]
fn a_proportional_term() {
    says!(refused("proportional-term", GOOD, &["--terms", "2*x"]));
}

#[test]
fn no_degrees_of_freedom() {
    says!(refused("freedom", "x,y\n1,2\n2,3.5\n", &LINE));
}

#[test]
fn fewer_rows_than_terms() {
    says!(refused(
        "few",
        GOOD,
        &["--max-power", "9", "--max-degree", "9"]
    ));
}

#[test]
fn dependent_terms() {
    says!(refused(
        "dependent",
        "a,b,y\n1,2,3\n2,4,4\n3,6,1\n5,10,2\n",
        &LINE
    ));
}

#[test]
fn values_near_the_end_of_the_range() {
    says!(refused(
        "huge",
        "x,y\n1e300,1\n2e300,2\n3e300,2.5\n",
        &["--max-power", "2", "--max-degree", "2"]
    ));
}

#[test]
fn a_term_that_is_not_finite() {
    says!(refused(
        "log",
        "x,y\n1,1\n-2.5,2\n3,2.5\n",
        &["--terms", "log(x)", "--only-terms"]
    ));
}

#[test]
fn an_unreadable_parquet_file() {
    says!(refused_file(
        "parquet",
        "data.parquet",
        b"this is not parquet",
        &[]
    ));
}

#[test]
fn an_unknown_format() {
    says!(refused_file("format", "data.docx", b"whatever", &[]));
}

#[test]
fn a_format_nobody_knows() {
    says!(refused("format-flag", GOOD, &["--format", "excel"]));
}

#[test]
fn a_malformed_term() {
    says!(refused("term", GOOD, &["--terms", "sin(x),x*(x+2"]));
}

#[test]
fn an_unknown_function() {
    says!(refused("function", GOOD, &["--terms", "sine(x)"]));
}

#[test]
fn an_unknown_feature_in_a_term() {
    says!(refused(
        "term-feature",
        "speed,y\n1,2\n2,3\n",
        &["--terms", "log(sped)"]
    ));
}

#[test]
fn a_dictionary_too_large_to_mean() {
    let header: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let csv = format!("{},y\n{}1\n", header.join(","), "1,".repeat(40));
    says!(refused(
        "dictionary",
        &csv,
        &["--max-power", "9", "--max-degree", "12"]
    ));
}

/// Fits by least squares and saves the model.
fn save(folder: &Folder, path: &str) -> Ran {
    let fit = "fit data.csv --target y --max-power 1 --max-degree 1 --method ols --save";
    let words: Vec<&str> = fit.split(' ').chain([path]).collect();
    folder.run(&words)
}

#[test]
fn a_place_that_cannot_be_written() {
    let folder = Folder::new("unwritable");
    folder.file("data.csv", GOOD);
    let ran = save(&folder, "no/such/folder/m.json");
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}

#[test]
fn a_model_file_of_another_kind() {
    let folder = Folder::new("model");
    folder
        .file("data.csv", GOOD)
        .file("m.json", r#"{"schema": "eqlearn-model/99"}"#);
    let ran = folder.run(&["predict", "m.json", "data.csv"]);
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}

#[test]
fn a_model_file_with_a_missing_field() {
    let folder = Folder::new("field");
    folder.file("data.csv", GOOD);
    save(&folder, "m.json");
    let broken = folder.read("m.json").replace("coefficients", "coefs");
    folder.file("m.json", broken);
    let ran = folder.run(&["predict", "m.json", "data.csv"]);
    assert_eq!(ran.status(), 2);
    says!(ran.stderr());
}
