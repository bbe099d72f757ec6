//! `fit` and `predict` from end to end.

use std::fmt::Write as _;

use crate::command::Folder;
use crate::noise::normal;

/// y = 1 + 2 x on four rows, with a little noise, and a date that is no number.
const LINE: &str =
    "day,x,y\n2020-01-01,0,1.0\n2020-01-02,1,3.1\n2020-01-03,2,4.9\n2020-01-04,3,7.0\n";
const OLS: [&str; 6] = ["--method", "ols", "--max-power", "1", "--max-degree", "1"];

fn fit<'a>(data: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["fit", data, "--target", "y"], &OLS[..], rest].concat()
}

#[test]
fn the_page_shows_the_equation_and_what_was_left_out() {
    let folder = Folder::new("page");
    folder.file("line.csv", LINE);
    let ran = folder.run(&fit("line.csv", &[]));
    assert_eq!(ran.status(), 0);
    insta::assert_snapshot!(ran.stdout());
    insta::assert_snapshot!(ran.stderr());
}

#[test]
fn the_document_keeps_the_contract() {
    let folder = Folder::new("document");
    folder.file("line.csv", LINE);
    let document = folder.run(&fit("line.csv", &["--json"])).document();
    assert_eq!(document["schema"], "eqlearn/1");
    assert_eq!(document["kind"], "equation");
    assert_eq!(document["method"], "ols");
    assert_eq!(document["n_obs"], 4);
    assert_eq!(document["n_terms"], 2);
    let equation = &document["equations"][0];
    assert_eq!(equation["terms"][1]["term"], "x");
    assert!((equation["terms"][1]["coefficient"].as_f64().unwrap() - 1.98).abs() < 1e-14);
    assert_eq!(equation["probability"], serde_json::Value::Null);
    assert!(document.get("search").is_none());
}

#[test]
fn predictions_of_the_training_rows_give_the_residual() {
    let folder = Folder::new("predict");
    folder.file("line.csv", LINE);
    let document = folder
        .run(&fit("line.csv", &["--json", "--save", "model.json"]))
        .document();
    let ran = folder.run(&["predict", "model.json", "line.csv"]);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let predicted: Vec<f64> = ran
        .stdout()
        .lines()
        .skip(1)
        .map(|line| line.parse().unwrap())
        .collect();
    let rss: f64 = predicted
        .iter()
        .zip([1.0, 3.1, 4.9, 7.0])
        .map(|(p, y)| (p - y) * (p - y))
        .sum();
    assert!((rss - document["equations"][0]["rss"].as_f64().unwrap()).abs() < 1e-14);
    let to_file = folder.run(&["predict", "model.json", "line.csv", "--out", "p.csv"]);
    assert_eq!(to_file.status(), 0);
    assert_eq!(folder.read("p.csv"), ran.stdout());
}

#[test]
fn standard_input_is_csv() {
    let folder = Folder::new("stdin");
    folder.file("line.csv", LINE);
    let from_file = folder.run(&fit("line.csv", &["--json"])).stdout();
    let from_stdin = folder
        .run_with(&fit("-", &["--json"]), LINE.as_bytes())
        .stdout();
    assert_eq!(from_file, from_stdin);
}

#[test]
fn dropped_rows_are_counted() {
    let folder = Folder::new("drop");
    folder.file(
        "line.csv",
        format!("{LINE}2020-01-05,,9\n2020-01-06,4,NaN\n"),
    );
    let ran = folder.run(&fit("line.csv", &["--missing", "drop"]));
    assert_eq!(ran.status(), 0);
    assert!(
        ran.stderr()
            .contains("2 rows with missing values were left out"),
        "{}",
        ran.stderr()
    );
    assert!(ran.stdout().contains("4 rows"));
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = Folder::new("threads");
    let mut csv = String::from("x,y\n");
    for i in 0..100_000 {
        let x = (f64::from(i) * 0.618).sin();
        writeln!(csv, "{x},{}", x * x + (f64::from(i) * 7.7).cos()).unwrap();
    }
    folder.file("data.csv", csv);
    let run = |threads| {
        folder
            .run(&[
                "fit",
                "data.csv",
                "--target",
                "y",
                "--method",
                "ols",
                "--json",
                "--threads",
                threads,
            ])
            .document()
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn values_near_1e300_are_fitted_where_no_power_overflows() {
    let folder = Folder::new("huge");
    folder.file(
        "data.csv",
        "x,y\n1e300,2.1\n2e300,3.9\n3e300,6.2\n4e300,7.8\n",
    );
    let document = folder.run(&fit("data.csv", &["--json"])).document();
    let slope = document["equations"][0]["terms"][1]["coefficient"]
        .as_f64()
        .unwrap();
    assert!((slope / 1.94e-300 - 1.0).abs() < 1e-13, "{slope:e}");
}

#[test]
fn a_constant_can_be_left_out() {
    let folder = Folder::new("constant");
    folder.file("line.csv", LINE);
    let document = folder
        .run(&fit("line.csv", &["--json", "--constant", "none"]))
        .document();
    assert_eq!(document["n_terms"], 1);
    let one_minus_r2 = document["equations"][0]["one_minus_r2"].as_f64().unwrap();
    // About zero: 1 − (Σxy)²/(Σx² Σy²).
    let (xy, xx, yy) = (3.1 + 9.8 + 21.0, 14.0, 1.0 + 9.61 + 24.01 + 49.0_f64);
    assert!((one_minus_r2 - (1.0 - xy * xy / (xx * yy))).abs() < 1e-14);
}

#[test]
fn a_law_that_is_linear_only_after_differentiation() {
    // y = 2 sin(3x) + 0.5 is not linear in 3; y'' = −9 y + 4.5 is.
    let folder = Folder::new("differentiate");
    let mut csv = String::from("x,y\n");
    for i in 0..400 {
        let x = f64::from(i) * 0.01;
        writeln!(csv, "{x},{}", 2.0 * (3.0 * x).sin() + 0.5).unwrap();
    }
    folder.file("wave.csv", csv);
    let args = [
        "fit",
        "wave.csv",
        "--target",
        "y",
        "--differentiate",
        "x",
        "--order",
        "2",
    ];
    let small = ["--max-power", "2", "--max-degree", "2", "--json"];
    let document = folder.run(&[&args[..], &small].concat()).document();
    let equation = &document["equations"][0];
    assert_eq!(equation["target"], "d2y/dx2");
    let terms = equation["terms"].as_array().unwrap();
    let found: Vec<&str> = terms.iter().map(|t| t["term"].as_str().unwrap()).collect();
    assert_eq!(found, ["1", "y"]);
    let slope = terms[1]["coefficient"].as_f64().unwrap();
    assert!((slope + 9.0).abs() < 1e-3, "{slope}");

    folder.file("twice.csv", "x,y\n1,2\n1,3\n2,4\n");
    let ran = folder.run(&["fit", "twice.csv", "--target", "y", "--differentiate", "x"]);
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("x = 1"), "{}", ran.stderr());
    folder.file("few.csv", "x,y\n0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
    let ran = folder.run(&["fit", "few.csv", "--target", "y", "--differentiate", "x"]);
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("at least"), "{}", ran.stderr());
}

/// The pressure of `n` moles at temperature `T` in a volume `V`, with noise of a fixed shape.
fn ideal_gas() -> String {
    let mut csv = String::from("n,T,V,P\n");
    for i in 0..120_u32 {
        let x = f64::from(i);
        let (n, t) = (1.0 + (0.7 * x).sin().abs(), 300.0 + 50.0 * (1.3 * x).cos());
        let v = 0.01 + 0.04 * (0.37 * x).sin().powi(2);
        let p = 8.314 * n * t / v * (1.0 + 1e-3 * (12.9 * x * x).sin());
        writeln!(csv, "{n},{t},{v},{p}").unwrap();
    }
    csv
}

#[test]
fn a_misfit_names_a_remedy_that_was_tried() {
    let folder = Folder::new("remedy");
    folder.file("gas.csv", ideal_gas());
    let misfit = |flags: &[&str]| {
        let fit = [
            "fit",
            "gas.csv",
            "--target",
            "P",
            "--json",
            "--max-degree",
            "3",
        ];
        let document = folder.run(&[&fit[..], flags].concat()).document();
        let warnings = document["warnings"].as_array().unwrap().clone();
        let said = warnings.iter().find(|warning| warning["code"] == "misfit");
        said.map(|said| said["message"].as_str().unwrap().to_string())
    };
    for flags in [["--vocabulary", "monomials"], ["--method", "lasso"]] {
        let said = misfit(&flags).unwrap();
        assert!(
            said.contains("; adding n*T/V lowers the sum of squared residuals"),
            "{said}"
        );
    }
    // Without restrictions the law itself is found.
    assert_eq!(misfit(&[]), None);
}

#[test]
fn terms_of_all_flags_and_of_a_list_are_used() {
    let folder = Folder::new("all-terms");
    let mut csv = String::from("x,z,y\n");
    for i in 0..40 {
        let (x, z) = (f64::from(i) * 0.2, (f64::from(i) * 0.7).cos());
        writeln!(csv, "{x},{z},{}", x.sin() + 2.0 * x * z - 3.0 * z.cos()).unwrap();
    }
    folder.file("data.csv", csv);
    folder.file(
        "list.toml",
        "terms = [\"sin(x)\", \"x*z, cos(z)\"]\nonly-terms = true\n",
    );
    let fit = "fit data.csv --target y --constant none --json -q";
    let ways = [
        "--only-terms --terms 'sin(x),x*z,cos(z)'",
        "--only-terms --terms 'sin(x)' --terms 'x*z,cos(z)'",
        "--only-terms --terms 'sin(x)' --terms 'x*z' --terms 'cos(z)'",
        "--config list.toml",
        // What is typed takes the place of the list.
        "--config list.toml --terms 'sin(x),x*z,cos(z)'",
    ];
    for way in ways {
        let document = folder.run_line(&format!("{fit} {way}")).document();
        assert_eq!(document["n_terms"], 3, "{way}");
        let terms = document["equations"][0]["terms"].as_array().unwrap();
        let names: Vec<&str> = terms.iter().map(|t| t["term"].as_str().unwrap()).collect();
        assert_eq!(names, ["sin(x)", "x*z", "cos(z)"], "{way}");
    }
}

#[test]
fn a_degree_that_is_asked_for_raises_the_power_with_it() {
    let folder = Folder::new("degree");
    let mut csv = String::from("x,y,z\n");
    for (i, z) in (0..80).zip(normal(5, 80)) {
        let (x, y) = (0.1 * f64::from(i % 9), 0.1 * f64::from(i % 7));
        writeln!(csv, "{x},{y},{}", x + y + 0.1 * z).unwrap();
    }
    folder.file("data.csv", csv);
    let n_terms = |rest: &str| {
        let line = format!("fit data.csv --target z --json --vocabulary monomials {rest}");
        folder.run_line(&line).document()["n_terms"].clone()
    };
    assert_eq!(n_terms("--max-degree 5"), 21);
    assert_eq!(n_terms("--max-degree 5 --max-power 4"), 19);
    assert_eq!(n_terms("--max-degree 2"), 6);
}
