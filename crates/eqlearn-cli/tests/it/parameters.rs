//! Inner parameters, such as the rate of a decay, from end to end.

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;

/// Rows of y = f(x) with noise between ±`noise` that looks random and is always the same.
fn rows(feature: &str, places: impl Iterator<Item = f64>, noise: f64, f: fn(f64) -> f64) -> String {
    let mut table = format!("{feature},y\n");
    let mut state = 12345_u64;
    for x in places {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 40) as f64 / f64::from(1 << 24);
        let y = f(x) + noise * (2.0 * uniform - 1.0);
        writeln!(table, "{x},{y}").unwrap();
    }
    table
}

/// y = 3 + 2 exp(-0.7 t).
fn decay() -> String {
    let times = (0..60).map(|i| 0.1 * f64::from(i));
    rows("t", times, 0.02, |t| 3.0 + 2.0 * (-0.7 * t).exp())
}

/// y = 5 x / (1.5 + x), the law of Michaelis and Menten.
fn enzyme() -> String {
    let places = (0..60).map(|i| 0.1 + 0.2 * f64::from(i));
    rows("x", places, 0.02, |x| 5.0 * x / (1.5 + x))
}

const DECAY: [&str; 7] = [
    "fit",
    "decay.csv",
    "--target",
    "y",
    "--only-terms",
    "--terms",
    "1, exp(-?a*t)",
];
const ENZYME: [&str; 7] = [
    "fit",
    "enzyme.csv",
    "--target",
    "y",
    "--only-terms",
    "--terms",
    "x/(?k+x)",
];

/// The only inner parameter of an equation, with its standard error.
fn parameter(equation: &Value, name: &str) -> (f64, f64) {
    let parameters = equation["parameters"].as_array().unwrap();
    assert_eq!(parameters.len(), 1, "{equation}");
    assert_eq!(parameters[0]["name"], name);
    let number = |field: &str| parameters[0][field].as_f64().unwrap();
    (number("value"), number("std_error"))
}

/// Whether a value is within five standard errors of the truth, and these are small.
fn assert_near((value, error): (f64, f64), truth: f64) {
    assert!((value - truth).abs() < 5.0 * error, "{value} ± {error}");
    assert!(error < 0.03 * truth, "{value} ± {error}");
}

#[test]
fn a_rate_is_found_and_told() {
    let folder = Folder::new("rate");
    folder.file("decay.csv", decay());
    let document = folder.run(&[&DECAY[..], &["--json"]].concat()).document();
    let equation = &document["equations"][0];
    assert_eq!(equation["vocabulary"], "parameters");
    assert_near(parameter(equation, "a"), 0.7);
    let terms = equation["terms"].as_array().unwrap();
    assert_eq!(terms.len(), 2, "{equation}");
    for (term, truth) in terms.iter().zip([3.0, 2.0]) {
        let number = |field: &str| term[field].as_f64().unwrap();
        assert_near((number("coefficient"), number("std_error")), truth);
    }
    // The term holds the value itself.
    let (value, _) = parameter(equation, "a");
    assert_eq!(terms[1]["term"], format!("exp(-{value}*t)"));
    // The equation for people has the digits that are known, and no others.
    let text = equation["text"].as_str().unwrap();
    let shown = text.split(['-', '*']).nth(1).unwrap();
    assert!(shown.len() <= "0.6999".len(), "{text}");
    assert!(
        (shown.parse::<f64>().unwrap() - value).abs() < 0.01,
        "{text}"
    );
    assert!(
        equation["latex"].as_str().unwrap().contains(shown),
        "{equation}"
    );
    let page = folder.run(&DECAY).stdout();
    let line = page.lines().find(|line| line.starts_with("  a  ")).unwrap();
    assert!(line.contains("0.7") || line.contains("0.69"), "{page}");
}

#[test]
fn a_family_alone_is_a_law_and_predicts() {
    let folder = Folder::new("enzyme");
    folder.file("enzyme.csv", enzyme());
    let args = [&ENZYME[..], &["--json", "--save", "model.json"]].concat();
    let document = folder.run(&args).document();
    let equation = &document["equations"][0];
    assert_near(parameter(equation, "k"), 1.5);
    let rss = equation["rss"].as_f64().unwrap();
    let ran = folder.run(&["predict", "model.json", "enzyme.csv"]);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let measured = enzyme();
    let measured = measured.lines().skip(1);
    let measured = measured.map(|line| line.split(',').nth(1).unwrap().parse::<f64>().unwrap());
    let predicted = ran.stdout();
    let predicted = predicted
        .lines()
        .skip(1)
        .map(|line| line.parse::<f64>().unwrap());
    let squares: f64 = predicted.zip(measured).map(|(p, y)| (p - y).powi(2)).sum();
    assert!((squares - rss).abs() < 1e-9 * rss, "{squares} {rss}");
}

#[test]
fn beside_monomials_the_family_competes() {
    let folder = Folder::new("beside-monomials");
    folder.file("enzyme.csv", enzyme());
    let args = [
        "fit",
        "enzyme.csv",
        "--target",
        "y",
        "--terms",
        "x/(?k+x)",
        "--json",
    ];
    let equation = &folder.run(&args).document()["equations"][0];
    assert_eq!(equation["vocabulary"], "parameters");
    assert_near(parameter(equation, "k"), 1.5);
    assert_eq!(equation["terms"].as_array().unwrap().len(), 1);
}

#[test]
fn a_range_is_kept_and_its_end_is_told() {
    let folder = Folder::new("range");
    folder.file("decay.csv", decay());
    let with_range = |range: &'static str| {
        let args = [&DECAY[..], &["--method", "ols", "--json", "--range", range]].concat();
        folder.run(&args)
    };
    let document = with_range("a=0.01..10").document();
    assert_near(parameter(&document["equations"][0], "a"), 0.7);
    let document = with_range("a=1..2").document();
    let (value, _) = parameter(&document["equations"][0], "a");
    assert!((1.0..1.02).contains(&value), "{value}");
    let warnings = document["warnings"].as_array().unwrap();
    let is_at_edge = |warning: &Value| warning["code"] == "parameter-at-edge";
    assert!(warnings.iter().any(is_at_edge), "{document}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = Folder::new("inner-refused");
    folder.file("decay.csv", decay());
    let refused = |args: &[&str], words: &str| {
        let ran = folder.run(args);
        assert_eq!(ran.status(), 2, "{}", ran.stdout());
        assert!(ran.stderr().contains(words), "{}", ran.stderr());
    };
    let with = |more: &[&'static str]| [&DECAY[..], more].concat();
    refused(&with(&["--range", "b=1..2"]), "there is no parameter ?b");
    refused(
        &with(&["--range", "a=2..1"]),
        "from a smaller to a larger number",
    );
    refused(&with(&["--range", "a"]), "such as a=0.01..10");
    refused(
        &with(&["--method", "lasso"]),
        "lasso finds no inner parameters",
    );
    let shard = ["--shard", "1/2", "--save-part", "p.json"];
    refused(&with(&shard), "cannot be split");
    let rest = &DECAY[1..];
    refused(
        &[&["compare"], rest].concat(),
        "compare finds no inner parameters",
    );
    let reduce = [&["reduce"], rest, &["--out", "a.tri"]].concat();
    refused(&reduce, "reduce finds no inner parameters");
    let reduce = ["reduce", "decay.csv", "--target", "y", "--out", "a.tri"];
    assert_eq!(folder.run(&reduce).status(), 0);
    let triangle = ["fit", "a.tri", "--terms", "exp(-?a*t)"];
    refused(&triangle, "not in triangles");
}
