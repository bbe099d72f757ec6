//! Rows that do not count alike, from end to end: uneven noise, copies, walks, outliers and numbers
//! that stand for "missing".

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;

/// Uniform numbers between 0 and 1, the same ones each time.
pub(crate) fn uniform(seed: u32, count: u32) -> Vec<f64> {
    let value = |i: u32| {
        let mut bits = (i + 1).wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(0x9e37_79b9);
        for _ in 0..3 {
            bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
            bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
        }
        (f64::from(bits ^ (bits >> 16)) + 0.5) / 4_294_967_296.0
    };
    (0..count).map(value).collect()
}

/// Normal numbers of unit variance, by the method of Box and Muller.
pub(crate) fn normal(seed: u32, count: u32) -> Vec<f64> {
    let (radius, angle) = (uniform(2 * seed, count), uniform(2 * seed + 1, count));
    let both = radius.iter().zip(&angle);
    both.map(|(u, v)| (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos())
        .collect()
}

/// A table of two features between 1 and 10 and the law of them with noise.
fn table(n: u32, law: impl Fn(f64, f64) -> f64, noise: impl Fn(f64, f64) -> f64) -> String {
    let (a, b, z) = (uniform(1, n), uniform(2, n), normal(3, n));
    let mut text = "a,b,y\n".to_string();
    for ((u, v), z) in a.iter().zip(&b).zip(&z) {
        let (a, b) = (1.0 + 9.0 * u, 1.0 + 9.0 * v);
        let y = law(a, b);
        let _ = writeln!(text, "{a},{b},{}", y + noise(y, *z));
    }
    text
}

/// A law over more than two decades.
fn law(a: f64, b: f64) -> f64 {
    0.5 * a * b * b + 0.2 * a
}

const FIT: [&str; 6] = ["fit", "data.csv", "--target", "y", "--json", "--max-degree"];

fn fitted(name: &str, data: &str, rest: &[&str]) -> Value {
    let folder = Folder::new(name);
    folder.file("data.csv", data);
    // Outliers may leave no equation, which is told in a document too.
    let ran = folder.run(&[&FIT[..], &["4"], rest].concat());
    serde_json::from_str(&ran.stdout()).unwrap()
}

fn terms(document: &Value) -> Vec<String> {
    let terms = document["equations"][0]["terms"].as_array().unwrap().iter();
    terms
        .map(|term| term["term"].as_str().unwrap().to_string())
        .collect()
}

/// The messages of the warnings with a code.
fn said(document: &Value, code: &str) -> Vec<String> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings
        .filter(|warning| warning["code"] == code)
        .map(|warning| warning["message"].as_str().unwrap().to_string())
        .collect()
}

/// A document without the time that it took.
fn timeless(mut document: Value) -> Value {
    let search = document["search"].as_object_mut().unwrap();
    search.remove("seconds");
    search.remove("certificate");
    document
}

#[test]
fn relative_errors_are_told_and_rows_are_weighted() {
    let data = table(200, law, |y, z| 0.1 * y * z);
    let found = fitted("relative", &data, &[]);
    let said_so = said(&found, "uneven-noise");
    assert_eq!(said_so.len(), 1, "{:?}", found["warnings"]);
    assert!(
        said_so[0].contains("the predicted value") && said_so[0].contains("weighted"),
        "{said_so:?}"
    );
    assert_eq!(terms(&found), ["a", "a*b^2"]);
    assert_eq!(said(&found, "residuals-heavy-tailed"), [""; 0]);
    // Small values are exact, so the small term is too.
    let even = fitted("relative-even", &data, &["--noise", "even"]);
    assert_eq!(said(&even, "uneven-noise"), [""; 0]);
    assert_ne!(terms(&even), terms(&found));
    let given = fitted("relative-given", &data, &["--noise", "relative"]);
    assert_eq!(terms(&given), terms(&found));
    let coefficient = &given["equations"][0]["terms"][1]["coefficient"];
    assert!((coefficient.as_f64().unwrap() - 0.5).abs() < 0.02);
}

#[test]
fn even_noise_changes_nothing() {
    let data = table(120, law, |_, z| 2.0 * z);
    let auto = fitted("auto", &data, &[]);
    let even = fitted("even", &data, &["--noise", "even"]);
    assert_eq!(timeless(auto), timeless(even));
}

#[test]
fn what_a_law_from_outside_leaves_is_no_noise() {
    let wave = |a: f64, b: f64| 0.2 * b * (4.0 * a).sin();
    let data = table(200, wave, |_, z| 0.01 * z);
    let found = fitted(
        "outside",
        &data,
        &["--vocabulary", "monomials", "--constant", "forced"],
    );
    assert_eq!(said(&found, "uneven-noise"), [""; 0]);
}

#[test]
fn copies_of_rows_count_once() {
    let data = table(60, law, |_, z| 2.0 * z);
    let rows = data.split_once('\n').unwrap().1;
    let once = fitted("once", &data, &[]);
    let twice = fitted("twice", &format!("{data}{rows}"), &[]);
    assert_eq!(twice["n_obs"], 60);
    assert_eq!(twice["equations"], once["equations"]);
    let message = said(&twice, "copied-rows").join("");
    assert!(message.starts_with("60 of 120 rows"), "{message}");
    assert_eq!(said(&once, "copied-rows"), [""; 0]);
}

/// A random walk.
fn walk(seed: u32, n_rows: u32) -> Vec<f64> {
    let mut sum = 0.0;
    let steps = normal(seed, n_rows);
    let step = |z: &f64| {
        sum += z;
        sum
    };
    steps.iter().map(step).collect()
}

#[test]
fn walks_are_told_with_what_they_are_worth() {
    let (x, noise) = (walk(5, 150), walk(8, 150));
    let mut data = "x,y\n".to_string();
    for (x, noise) in x.iter().zip(&noise) {
        let _ = writeln!(data, "{x},{}", 5.0 * x + 0.1 * noise);
    }
    let found = fitted("walks", &data, &["--max-power", "1"]);
    let message = said(&found, "dependent-rows").join("");
    assert!(message.contains("independent rows"), "{found:#}");
    assert_eq!(found["equations"][0]["terms"][0]["term"], "x", "{found:#}");
}

#[test]
fn walks_that_know_nothing_of_each_other_have_no_law() {
    for (n_rows, seed) in [(50, 20), (50, 30), (150, 40), (150, 50)] {
        let columns = [0, 1, 2, 3].map(|k| walk(seed + k, n_rows));
        let mut data = "a,b,c,y\n".to_string();
        for row in 0..n_rows as usize {
            let cells = columns.each_ref().map(|column| column[row].to_string());
            let _ = writeln!(data, "{}", cells.join(","));
        }
        let name = format!("walks-{seed}");
        let found = fitted(&name, &data, &["--vocabulary", "monomials"]);
        let message = said(&found, "dependent-rows").join("");
        assert!(message.contains("independent rows"), "{found:#}");
        assert_eq!(found["equations"], serde_json::json!([]), "{found:#}");
    }
}

#[test]
fn numbers_that_stand_for_missing_are_named() {
    let data = table(60, law, |_, z| 2.0 * z);
    let mut lines: Vec<String> = data.lines().map(String::from).collect();
    for row in [7, 31] {
        let (features, _) = lines[row].rsplit_once(',').unwrap();
        lines[row] = format!("{features},-99999");
    }
    let data = lines.join("\n");
    let found = fitted("missing", &data, &["--vocabulary", "monomials"]);
    let message = said(&found, "distrusted-rows").join("");
    assert!(
        message.contains("y is -99999 in rows 7 and 31"),
        "{message}"
    );
    let robust = fitted("missing-robust", &data, &["--robust"]);
    let message = said(&robust, "distrusted-rows").join("");
    assert!(message.contains("no say"), "{message}");
    assert_eq!(
        (robust["n_obs"].as_u64(), &*terms(&robust)),
        (Some(58), &["a*b^2".to_string()][..])
    );
}

#[test]
fn rows_that_do_not_belong_are_left_out_and_named_on_request() {
    let data = table(100, law, |_, z| 0.05 * z);
    let mut lines: Vec<String> = data.lines().map(String::from).collect();
    for (row, error) in [(12, 150.0), (40, -90.0), (77, 200.0)] {
        let (features, y) = lines[row].rsplit_once(',').unwrap();
        lines[row] = format!("{features},{}", y.parse::<f64>().unwrap() + error);
    }
    let data = lines.join("\n");
    let found = fitted("outliers", &data, &["--robust"]);
    assert_eq!(terms(&found), ["a", "a*b^2"], "{:?}", found["warnings"]);
    assert_eq!(found["n_obs"], 97);
    let message = said(&found, "distrusted-rows").join("");
    assert!(
        message.starts_with("rows 12, 40 and 77 do not belong"),
        "{message}"
    );
    let plain = fitted("outliers-plain", &data, &["--vocabulary", "monomials"]);
    assert_eq!(said(&plain, "distrusted-rows"), [""; 0]);
}

#[test]
fn words_about_the_noise_that_mean_nothing_are_refused() {
    let folder = Folder::new("noise-words");
    folder.file("data.csv", table(30, law, |_, z| z));
    let refused = |rest: &[&str], words: &str| {
        let ran = folder.run(&[&FIT[..], &["2"], rest].concat());
        assert_eq!(ran.status(), 2);
        assert!(ran.stderr().contains(words), "{}", ran.stderr());
    };
    let lasso = ["--method", "lasso"];
    refused(
        &[&lasso[..], &["--robust"]].concat(),
        "--robust means nothing to lasso",
    );
    refused(&["--noise", "odd"], "column \"odd\" is not in the table");
    refused(
        &["--noise", "relative", "--weights", "b"],
        "how precise rows are",
    );
    let reduce = ["reduce", "data.csv", "--target", "y", "--out", "all.tri"];
    assert_eq!(folder.run(&reduce).status(), 0);
    let ran = folder.run(&["fit", "all.tri", "--robust"]);
    assert_eq!(ran.status(), 2);
    assert!(
        ran.stderr().contains("--robust looks at single rows"),
        "{}",
        ran.stderr()
    );
}
