//! One law for several experiments: `fit --group`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;
use crate::noise::{normal, uniform};

const WEIGHTS: [f64; 3] = [1.0, 1.5, 3.0];

/// y = w x + 2 − x² z with another w in each of three runs; runs are named by `name`.
fn table(name: impl Fn(usize) -> String) -> String {
    let mut text = "run,x,z,y\n".to_string();
    let (x, z, noise) = (uniform(1, 90), uniform(2, 90), normal(3, 90));
    for i in 0..90 {
        let (run, x, z) = (i % 3, 4.0 * x[i] - 2.0, 4.0 * z[i] - 2.0);
        let y = WEIGHTS[run] * x + 2.0 - x * x * z + 0.05 * noise[i];
        let _ = writeln!(text, "{},{x:.4},{z:.4},{y:.4}", name(run));
    }
    text
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("data.csv", table(|run| ["a", "b", "c"][run].to_string()));
    folder
}

fn document(folder: &Folder, line: &str) -> Value {
    let ran = folder.run_line(&format!("{line} --json -q"));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let mut document: Value = serde_json::from_str(&ran.stdout()).unwrap();
    document["search"]["seconds"] = Value::Null;
    document
}

fn names(values: &Value) -> Vec<&str> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn one_law_has_a_coefficient_for_each_experiment() {
    let folder = folder("groups");
    let told = document(&folder, "fit data.csv --target y --group run");
    let equation = &told["equations"][0];
    assert_eq!(equation["text"], "y = c1[run] + c2[run] x + c3[run] x^2*z");
    let groups = &told["groups"];
    assert_eq!(names(&groups["names"]), ["a", "b", "c"]);
    for (term, expected) in [(0, [2.0; 3]), (1, WEIGHTS), (2, [-1.0; 3])] {
        let term = &groups["terms"][term];
        for (group, expected) in expected.into_iter().enumerate() {
            let value = term["coefficients"][group].as_f64().unwrap();
            let error = term["std_errors"][group].as_f64().unwrap();
            assert!((value - expected).abs() < 4.0 * error, "{term}");
        }
    }
    let p = |term: usize| groups["terms"][term]["equality"]["p"].as_f64().unwrap();
    assert!(p(0) > 0.01 && p(1) < 1e-6 && p(2) > 0.01, "{groups}");
    // The data say what to share.
    assert_eq!(names(&groups["sharing"][0]["shared"]), ["1", "x^2*z"]);
    let line = "fit data.csv --target y --group run --shared '1, x^2*z'";
    let shared = document(&folder, line);
    let text = shared["equations"][0]["text"].as_str().unwrap();
    let expected = text.starts_with("y = 2.0") && text.contains(" + c1[run] x - ");
    assert!(expected, "{text}");
    let errors = |told: &Value| {
        told["groups"]["terms"][1]["std_errors"][0]
            .as_f64()
            .unwrap()
    };
    assert!(
        errors(&shared) < errors(&told),
        "fewer coefficients are told better"
    );
}

#[test]
fn the_answer_is_the_same_whatever_names_the_experiments_and_how_many_threads() {
    let folder = folder("group-names");
    let numbers = table(|run| (run * 10).to_string());
    folder.file("numbers.csv", &numbers);
    let (first, second) = numbers.split_at(numbers.len() / 2);
    let (end, start) = first.rsplit_once('\n').unwrap();
    folder.file("one.csv", format!("{end}\n"));
    folder.file("two.csv", format!("run,x,z,y\n{start}{second}"));
    folder.file("options.toml", "group = \"run\"\ntarget = \"y\"\n");
    let told = document(&folder, "fit data.csv --target y --group run");
    let by_number = document(&folder, "fit numbers.csv --target y --group run");
    assert_eq!(names(&by_number["groups"]["names"]), ["0", "10", "20"]);
    assert_eq!(told["equations"], by_number["equations"]);
    assert_eq!(told["groups"]["terms"], by_number["groups"]["terms"]);
    let parts = document(&folder, "fit one.csv two.csv --target y --group run");
    assert_eq!(parts["equations"][0]["text"], told["equations"][0]["text"]);
    let single = document(&folder, "fit data.csv --target y --group run --threads 1");
    assert_eq!(told, single);
    assert_eq!(
        told,
        document(&folder, "fit data.csv --config options.toml")
    );
}

#[test]
fn a_saved_law_predicts_each_row_by_its_experiment() {
    let folder = folder("group-predict");
    let ran = folder.run_line("fit data.csv --target y --group run --save m.json --report p.html");
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let predicted = folder.run_line("predict m.json data.csv -q").stdout();
    let data = folder.read("data.csv");
    let rows = data.lines().skip(1).zip(predicted.lines().skip(1));
    let mut count = 0;
    for (row, value) in rows {
        let y: f64 = row.rsplit(',').next().unwrap().parse().unwrap();
        let value: f64 = value.parse().unwrap();
        assert!((y - value).abs() < 0.25, "{row} {value}");
        count += 1;
    }
    assert_eq!(count, 90);
    // All that the page says stands there without a script.
    let page = folder.read("p.html");
    for part in [
        "<h1>Equation found</h1>",
        "<h2>What differs between values of <math><mi>run</mi></math></h2>",
        "<tr><td>b<td class=\"number\">30<td",
        "x differs between values of run (p below 0.001)",
        "aria-label=\"Coefficients of x by run\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn heights_of_eleven_balls_follow_one_law() {
    let folder = Folder::new("balls");
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/data/drops.csv");
    folder.file("drops.csv", std::fs::read(book).unwrap());
    let line = "fit drops.csv --target height --features t --group ball";
    let told = document(&folder, line);
    let groups = &told["groups"];
    assert_eq!(names(&groups["names"]).len(), 11);
    // Drag slows whiffle balls down, and no others so clearly.
    let last = groups["terms"].as_array().unwrap().last().unwrap();
    assert_eq!(last["term"], "t^3");
    let drag = |ball: &str| {
        let place = names(&groups["names"])
            .iter()
            .position(|name| *name == ball);
        last["coefficients"][place.unwrap()].as_f64().unwrap()
    };
    let heavy = ["baseball", "bowling_ball", "golf_ball", "volleyball"];
    let least = ["whiffle_ball_1", "whiffle_ball_2", "orange_whiffle_ball"].map(drag);
    for ball in heavy {
        assert!(
            least.iter().all(|whiffle| *whiffle > drag(ball) + 0.2),
            "{ball}"
        );
    }
    let square = &groups["terms"][1];
    assert_eq!(square["term"], "t^2");
    assert!(square["equality"]["p"].as_f64().unwrap() > 0.05, "{square}");
}
