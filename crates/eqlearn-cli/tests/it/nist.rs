//! NIST's certified sets through the command line: the digits survive reading and printing.

use std::fmt::Write as _;

use crate::command::Folder;

/// Name, highest power, and whether there is a constant.
const SETS: [(&str, &str, &str); 11] = [
    ("Filip", "10", "forced"),
    ("Longley", "1", "forced"),
    ("NoInt1", "1", "none"),
    ("NoInt2", "1", "none"),
    ("Norris", "1", "forced"),
    ("Pontius", "2", "forced"),
    ("Wampler1", "5", "forced"),
    ("Wampler2", "5", "forced"),
    ("Wampler3", "5", "forced"),
    ("Wampler4", "5", "forced"),
    ("Wampler5", "5", "forced"),
];

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// The set's data as CSV, every number as it is written in the file.
fn csv(text: &str) -> String {
    let rows = || text.lines().skip(60).filter(|line| !line.trim().is_empty());
    let n_features = rows().next().unwrap().split_whitespace().count() - 1;
    let mut csv = String::from("y");
    (1..=n_features).for_each(|j| write!(csv, ",x{j}").unwrap());
    for row in rows() {
        write!(
            csv,
            "\n{}",
            row.split_whitespace().collect::<Vec<_>>().join(",")
        )
        .unwrap();
    }
    csv
}

fn certified(text: &str) -> Vec<(f64, f64)> {
    let coefficient = |line: &str| {
        let values = numbers(
            line.trim_start()
                .strip_prefix('B')?
                .split_once(char::is_whitespace)?
                .1,
        );
        (values.len() == 2).then(|| (values[0], values[1]))
    };
    text.lines()
        .skip(30)
        .take(20)
        .filter_map(coefficient)
        .collect()
}

#[track_caller]
fn assert_digits(actual: &serde_json::Value, expected: f64, what: &str) {
    let actual = actual.as_f64().unwrap();
    let scale = if expected.abs() > 0.0 {
        expected.abs()
    } else {
        1.0
    };
    let error = (actual - expected).abs() / scale;
    assert!(
        error < 1e-13,
        "{what}: {actual:e} and {expected:e} differ by {error:e}"
    );
}

#[test]
fn certified_sets_are_met_to_thirteen_digits() {
    let folder = Folder::new("nist");
    for (name, power, constant) in SETS {
        let path = format!(
            "{}/../eqlearn/tests/data/nist/{name}.dat",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        folder.file("data.csv", csv(&text));
        let args = [
            "fit",
            "data.csv",
            "--target",
            "y",
            "--method",
            "ols",
            "--json",
            "--max-power",
            power,
            "--max-degree",
            power,
            "--constant",
            constant,
        ];
        let document = folder.run(&args).document();
        let terms = &document["equations"][0]["terms"];
        for (i, (coefficient, error)) in certified(&text).into_iter().enumerate() {
            assert_digits(
                &terms[i]["coefficient"],
                coefficient,
                &format!("{name} B{i}"),
            );
            assert_digits(
                &terms[i]["std_error"],
                error,
                &format!("{name} error of B{i}"),
            );
        }
    }
}
