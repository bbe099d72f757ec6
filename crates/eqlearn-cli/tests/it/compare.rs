//! `compare`: every method side by side, and the methods with knobs through `fit`.

use std::fmt::Write as _;

use crate::command::{Folder, without_times};

/// y = 2 x1 x2 − 3 x2 and a little that looks like noise, on 60 rows.
fn data() -> String {
    let mut csv = String::from("x1,x2,y\n");
    for i in 0..60 {
        let (a, b) = (
            (f64::from(i) * 0.7).sin() * 2.0,
            (f64::from(i) * 1.3).cos() + 0.5,
        );
        let y = 2.0 * a * b - 3.0 * b + 0.05 * (f64::from(i) * 7.9).sin();
        writeln!(csv, "{a},{b},{y}").unwrap();
    }
    csv
}

const SMALL: [&str; 6] = ["--target", "y", "--max-power", "2", "--max-degree", "2"];

fn compare<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["compare", "data.csv"], &SMALL[..], rest].concat()
}

#[test]
fn the_page_shows_every_method_and_who_uses_which_term() {
    let folder = Folder::new("compare-page");
    folder.file("data.csv", data());
    let ran = folder.run(&compare(&["--methods", "best,bsr,lasso,stlsq,frols,miosr"]));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    insta::assert_snapshot!(without_times(&ran.stdout()));
    assert!(ran.stdout().lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn the_document_keeps_its_contract() {
    let folder = Folder::new("compare-json");
    folder.file("data.csv", data());
    let document = folder.run(&compare(&["--json"])).document();
    assert_eq!(document["schema"], "eqlearn-compare/1");
    assert_eq!(document["target"], "y");
    assert_eq!(
        (&document["n_obs"], &document["n_terms"], &document["folds"]),
        (&60.into(), &6.into(), &5.into())
    );
    let methods = document["methods"].as_array().unwrap();
    let names: Vec<&str> = methods
        .iter()
        .map(|m| m["method"].as_str().unwrap())
        .collect();
    let all = "best cs-r2 cs-evidence bsr ols ridge lasso lars stlsq sr3 frols ssr miosr ensemble";
    assert_eq!(names, all.split(' ').collect::<Vec<_>>());
    for report in methods {
        let fields = "method failure equation latex terms size one_minus_r2 log_evidence cv_error \
                      cv_std_error seconds tuning proven vocabulary warnings";
        let mut wanted: Vec<&str> = fields.split(' ').collect();
        let mut found: Vec<&str> = report
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted);
        assert!(report["failure"].is_null(), "{report}");
        assert!(report["cv_error"].as_f64().unwrap() < 0.5, "{report}");
        let size = report["terms"].as_array().unwrap().len();
        assert_eq!(report["size"], size, "{report}");
    }
    let lasso = &methods[6];
    assert_eq!(lasso["tuning"]["knob"], "alpha");
    assert!(lasso["tuning"]["curve"].as_array().unwrap().len() > 10);
    assert_eq!(methods[12]["proven"], true);
    let product = document["terms"]
        .as_array()
        .unwrap()
        .iter()
        .find(|t| t["term"] == "x1*x2");
    assert_eq!(
        product.unwrap()["methods"].as_array().unwrap().len(),
        names.len()
    );
}

#[test]
fn a_method_that_fails_does_not_stop_the_others() {
    let folder = Folder::new("compare-fails");
    // Five rows for six terms: least squares on all of them has no single answer.
    let data = data();
    let few: Vec<&str> = data.lines().take(6).collect();
    folder.file("data.csv", few.join("\n"));
    let ran = folder.run(&compare(&["--methods", "ols,stlsq", "--json"]));
    let document: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert!(
        document["methods"][0]["failure"]
            .as_str()
            .unwrap()
            .contains('5')
    );
    assert!(document["methods"][1]["failure"].is_null());
    assert_eq!(ran.status(), 0);
    let page = folder.run(&compare(&["--methods", "ols,stlsq"])).stdout();
    assert!(
        page.contains("failed, see below") && page.contains("! ols:"),
        "{page}"
    );
}

#[test]
fn the_data_for_plots_are_one_number_per_row() {
    let folder = Folder::new("compare-plot");
    folder.file("data.csv", data());
    let ran = folder.run(&compare(&[
        "--methods",
        "best,lasso",
        "--plot-data",
        "plot.csv",
    ]));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let plot = folder.read("plot.csv");
    assert!(plot.starts_with("target,method,quantity,key,value\n"));
    for start in [
        "y,best,size,,2\n",
        "y,best,coefficient,x1*x2,1.99",
        "y,lasso,tuning_error,",
        "y,lasso,seconds,,",
    ] {
        assert!(plot.contains(start), "{start}: {plot}");
    }
}

#[test]
fn threads_do_not_change_a_comparison() {
    let folder = Folder::new("compare-threads");
    folder.file("data.csv", data());
    let run = |threads| {
        let mut document = folder
            .run(&compare(&["--json", "--threads", threads]))
            .document();
        for report in document["methods"].as_array_mut().unwrap() {
            report["seconds"] = 0.into();
        }
        document
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn wrong_flags_are_named() {
    let folder = Folder::new("compare-flags");
    folder.file("data.csv", data());
    let says = |args: &[&str], words: &[&str]| {
        let ran = folder.run(args);
        assert_eq!((ran.status(), ran.stdout()), (2, String::new()), "{args:?}");
        for word in words {
            assert!(ran.stderr().contains(word), "{args:?}: {}", ran.stderr());
        }
    };
    says(
        &compare(&["--methods", "best,laso"]),
        &["--methods", "'lasso'"],
    );
    says(
        &compare(&["--metods", "best"]),
        &["--metods", "'--methods'"],
    );
    says(&compare(&["--method", "lasso"]), &["--methods A,B,C"]);
    says(&compare(&["--checkpoint", "c"]), &["--checkpoint"]);
    says(
        &compare(&["--methods", "best,bsr", "--nu", "2"]),
        &["--nu means nothing to best, bsr", "sr3"],
    );
    says(&["compare", "data.csv"], &["--target"]);
    let fit = |rest: &[&'static str]| [&["fit", "data.csv"], &SMALL[..], rest].concat();
    says(
        &fit(&["--method", "stlsq", "--lambda", "3"]),
        &["--lambda means nothing to stlsq", "sr3"],
    );
    says(
        &fit(&["--method", "lasso", "--alpha", "1", "--cv", "5"]),
        &["--alpha fixes what --cv would choose"],
    );
    says(
        &fit(&["--method", "lasso", "--cv", "1"]),
        &["--cv", "2 or more"],
    );
    says(
        &fit(&["--method", "lasso", "--alpha", "-1"]),
        &["alpha is -1"],
    );
    says(
        &fit(&["--method", "lars", "--points", "5"]),
        &["--points means nothing to lars", "lasso"],
    );
    says(
        &fit(&[
            "--method",
            "ensemble",
            "--base",
            "lasso",
            "--threshold",
            "1",
        ]),
        &["--threshold means nothing to ensemble of lasso", "stlsq"],
    );
    says(
        &fit(&["--method", "ols", "--checkpoint", "c"]),
        &["--checkpoint", "best-subset"],
    );
    says(&fit(&["--only-terms"]), &["--only-terms", "--terms"]);
    says(&fit(&["--order", "2"]), &["--order", "--differentiate"]);
    says(&compare(&["--states", "x"]), &["--states", "--time COLUMN"]);
    says(
        &fit(&["--method", "best", "--refit"]),
        &["--refit means nothing to best"],
    );
}

#[test]
fn a_method_keeps_its_own_coefficients_and_refits_on_demand() {
    let folder = Folder::new("knobs");
    folder.file("data.csv", data());
    let fit = |rest: &[&'static str]| {
        let base = [
            "fit", "data.csv", "--method", "lasso", "--alpha", "0.5", "--json",
        ];
        folder.run(&[&base, &SMALL[..], rest].concat()).document()
    };
    let coefficient = |document: &serde_json::Value| {
        let terms = document["equations"][0]["terms"].as_array().unwrap();
        let term = terms.iter().find(|t| t["term"] == "x1*x2").unwrap();
        (
            term["coefficient"].as_f64().unwrap(),
            term["std_error"].is_null(),
        )
    };
    let own = fit(&["--save", "model.json"]);
    assert_eq!(own["regression"]["coefficients"], "method");
    assert!(own["regression"]["tuning"].is_null());
    assert_eq!(own["regression"]["settings"]["alpha"], 0.5);
    let (shrunken, no_error) = coefficient(&own);
    assert!(shrunken < 1.9 && no_error, "{shrunken}");
    let refitted = fit(&["--refit"]);
    assert_eq!(refitted["regression"]["coefficients"], "least-squares");
    let (plain, no_error) = coefficient(&refitted);
    assert!(plain > shrunken && !no_error);
    // The saved model predicts with the shrunken ones: its residuals give the document's rss.
    let predicted = folder.run(&["predict", "model.json", "data.csv"]).stdout();
    let predicted = predicted.lines().skip(1).map(|v| v.parse::<f64>().unwrap());
    let data = data();
    let y = data
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
    let rss: f64 = predicted.zip(y).map(|(p, y)| (p - y).powi(2)).sum();
    let told = own["equations"][0]["rss"].as_f64().unwrap();
    assert!((rss / told - 1.0).abs() < 1e-10, "{rss} {told}");
}

#[test]
fn knobs_are_chosen_by_cross_validation_unless_given() {
    let folder = Folder::new("tuned");
    folder.file("data.csv", data());
    let fit = |rest: &[&'static str]| {
        let base = ["fit", "data.csv", "--json"];
        folder.run(&[&base, &SMALL[..], rest].concat()).document()["regression"].clone()
    };
    let tuned = fit(&["--method", "stlsq"]);
    assert_eq!(tuned["tuning"]["knob"], "threshold");
    assert!(
        tuned["tuning"]["curve"].as_array().unwrap().len() > 30,
        "10 values and 3 refinements"
    );
    assert!(fit(&["--method", "stlsq", "--threshold", "0.2"])["tuning"].is_null());
    let plain = fit(&["--method", "stlsq", "--cv", "0"]);
    assert_eq!(plain["settings"]["threshold"], 0.1, "the peer's default");
    let sizes = fit(&["--method", "miosr", "--sparsity", "3", "--cv", "4"]);
    assert_eq!(sizes["tuning"]["curve"].as_array().unwrap().len(), 3);
    assert_eq!(sizes["proven"], true);
    let careful = fit(&["--method", "lasso", "--rule", "one-se"]);
    let least = fit(&["--method", "lasso", "--rule", "min"]);
    let chosen = |report: &serde_json::Value| report["tuning"]["chosen"].as_f64().unwrap();
    assert!(chosen(&careful) > chosen(&least));
}

#[test]
fn methods_are_compared_on_a_trajectory_state_by_state() {
    let folder = Folder::new("compare-run");
    let mut csv = String::from("t,x,y\n");
    for i in 0..300 {
        let t = f64::from(i) * 0.02;
        let r = 2.0 * (-0.1 * t).exp();
        writeln!(csv, "{t},{},{}", r * (2.0 * t).cos(), r * (2.0 * t).sin()).unwrap();
    }
    folder.file("run.csv", csv);
    let args = [
        "compare",
        "run.csv",
        "--time",
        "t",
        "--max-power",
        "2",
        "--max-degree",
        "2",
    ];
    let args = [&args, &["--methods", "best,stlsq,miosr"][..]].concat();
    let document = folder.run(&[&args, &["--json"][..]].concat()).document();
    let states = document.as_array().unwrap();
    assert_eq!(states.len(), 2);
    for (state, target) in states.iter().zip(["x'", "y'"]) {
        assert_eq!(state["target"], target);
        assert_eq!(state["folds"], 0);
        assert_eq!(state["methods"].as_array().unwrap().len(), 3);
        assert_eq!(state["methods"][0]["terms"].as_array().unwrap().len(), 2);
    }
    let page = folder.run(&args).stdout();
    assert!(
        page.contains("x' from") && page.contains("y' from"),
        "{page}"
    );
    let both = folder.run(&[&args, &["--target", "x"][..]].concat());
    assert_eq!(both.status(), 2);
    assert!(both.stderr().contains("--target"), "{}", both.stderr());
}
