//! Real data whose law nobody typed: what is claimed of them, from end to end.

use serde_json::Value;

use crate::command::Folder;

/// What `fit` says of a table without any flag.
fn fitted(name: &str, data: &str) -> Value {
    let folder = Folder::new(name);
    folder.file("data.csv", data);
    let ran = folder.run(&["fit", "data.csv", "--target", "y", "--json"]);
    serde_json::from_str(&ran.stdout()).unwrap()
}

/// A non-linear set of NIST as a table.
fn nist(name: &str) -> String {
    let path = format!(
        "{}/../eqlearn/tests/data/nist_nonlinear/{name}.dat",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let data = &text[text.rfind("\nData:").unwrap() + 1..];
    let rows = data.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(",")
    });
    let rows: Vec<String> = rows.filter(|row| row.contains(',')).collect();
    format!("y,x\n{}\n", rows.join("\n"))
}

fn codes(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings.map(|w| w["code"].as_str().unwrap()).collect()
}

#[test]
fn the_fraction_that_is_told_is_the_most_probable_of_those_compared() {
    let document = fitted("open-fraction", &nist("Kirby2"));
    let equation = &document["equations"][0];
    assert_eq!(equation["vocabulary"], "fractions");
    let probability = equation["probability"].as_f64().unwrap();
    let next = equation["runner_up"]["probability"].as_f64().unwrap();
    assert!(probability > next, "{probability} and {next}");
    assert!(!codes(&document).contains(&"not-the-most-probable"));
}

#[test]
fn a_sum_behind_a_coefficient_has_brackets() {
    let folder = Folder::new("open-brackets");
    folder.file("data.csv", nist("Misra1a"));
    let form = [
        "--terms",
        "1-exp(-?b2*x)",
        "--only-terms",
        "--method",
        "ols",
    ];
    let fit = ["fit", "data.csv", "--target", "y", "--json"];
    let document = folder.run(&[&fit[..], &form].concat()).document();
    let equation = &document["equations"][0];
    let text = equation["text"].as_str().unwrap();
    assert_eq!(text, "y = 239(3) (1-exp(-0.00055*x))");
    assert!(equation["latex"].as_str().unwrap().ends_with(')'));
}

#[test]
fn powers_of_a_switch_are_one_term_and_no_warning() {
    let row = |i: u32| {
        let (x, on) = (f64::from(i * 37 % 60) / 20.0 - 1.5, i % 2);
        let y = 1.5 * x + 2.0 * f64::from(on) * x * x + 0.01 * f64::from(i * i % 7);
        format!("{x},{on},{y}\n")
    };
    let rows: String = (0..60).map(row).collect();
    let document = fitted("open-switch", &format!("x,on,y\n{rows}"));
    let said = codes(&document);
    assert!(!said.contains(&"rank-deficient"), "{said:?}");
}

/// A logistic curve of nine rows, which one power can imitate.
#[test]
fn few_rows_do_not_make_a_power_law_certain() {
    let document = fitted("open-few", &nist("Rat42"));
    let said = codes(&document);
    assert!(said.contains(&"misfit-unjudged"), "{said:?}");
    // A power was chosen among many, so there was something to choose from.
    assert!(!said.contains(&"all-terms"), "{said:?}");
}

/// Fifteen rows cannot show that an imitation is not the law, but others are nearly as good.
#[test]
fn with_few_rows_other_vocabularies_have_a_say() {
    let document = fitted("open-vocabularies", &nist("Rat43"));
    assert!(document["vocabularies"].as_array().unwrap().len() > 1);
    let probability = document["equations"][0]["probability"].as_f64().unwrap();
    assert!(probability < 0.9, "{probability}");
    assert!(codes(&document).contains(&"ambiguous"));
}
