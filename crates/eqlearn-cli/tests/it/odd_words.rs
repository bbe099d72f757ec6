//! Sentences that were wrong or odd once, and must not come back.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;
use crate::noise::{normal, uniform};

fn codes(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings.map(|w| w["code"].as_str().unwrap()).collect()
}

fn document(folder: &Folder, line: &str) -> Value {
    folder.run_line(&format!("{line} --json")).document()
}

#[test]
fn an_exact_law_has_no_errors_to_speak_of() {
    let folder = Folder::new("exact-law");
    let rows = (1..=12).fold(String::from("x,y\n"), |all, x| {
        all + &format!("{x},{}\n", 2 * x)
    });
    folder.file("data.csv", rows);
    let line = "fit data.csv --target y";
    let page = folder.run_line(line).stdout();
    assert!(page.starts_with("y = 2 x\n"), "{page}");
    assert!(page.contains("  x               2  –  1.000\n"), "{page}");
    assert!(
        !page.contains("NaN") && !page.contains("correlat"),
        "{page}"
    );
    assert!(
        !page.contains("e3") && !page.contains("e-"),
        "no t of 1.8e32: {page}"
    );
    assert!(
        page.contains("  1 − R² = 0 and σ = 0, but for rounding errors\n"),
        "{page}"
    );
    let told = document(&folder, line);
    assert!(codes(&told).contains(&"no-residual"), "{told}");
    let inclusion = told["equations"][0]["terms"][0]["inclusion"].as_f64();
    assert!(inclusion.unwrap() <= 1.0, "{inclusion:?}");
}

/// A table of y = x + z and noise, in which x and z are alike.
fn alike(seed: u32) -> String {
    let [a, b] = [seed, seed + 1].map(|seed| uniform(seed, 30));
    let mut text = String::from("x,z,y\n");
    for (i, e) in normal(seed + 2, 30).iter().enumerate() {
        let (x, z) = (1.0 + a[i], 1.0 + a[i] + 0.2 * b[i]);
        let _ = writeln!(text, "{x},{z},{}", x + z + 0.1 * e);
    }
    text
}

#[test]
fn odds_say_what_the_sentence_says() {
    let folder = Folder::new("odds");
    let mut seen = 0;
    for seed in 1..8 {
        folder.file("data.csv", alike(10 * seed));
        let told = document(&folder, "fit data.csv --target y --max-degree 2");
        for equation in told["equations"].as_array().unwrap() {
            for term in equation["terms"].as_array().unwrap() {
                assert!(term["inclusion"].as_f64().unwrap() <= 1.0, "{term}");
            }
        }
        for warning in told["warnings"].as_array().unwrap() {
            let said = warning["message"].as_str().unwrap();
            let Some((_, odds)) = said.split_once("(odds ") else {
                continue;
            };
            seen += 1;
            let odds: f64 = odds.split(' ').next().unwrap().parse().unwrap();
            assert!(
                odds >= 1.0,
                "odds of less than even are told the other way round: {said}"
            );
            assert!(!said.contains("cannot tell") || odds < 10.0, "{said}");
        }
    }
    assert!(seen > 0, "some of these tables leave a choice");
}

#[test]
fn a_clean_record_is_not_spoken_against() {
    let folder = Folder::new("clean");
    let rotation = |t: f64| {
        let r = 2.0 * (-0.1 * t).exp();
        (r * (2.0 * t).cos(), r * (2.0 * t).sin())
    };
    let logistic = |t: f64| (1.0 / (1.0 + 9.0 * (-t).exp()), (-0.5 * t).exp());
    let motions: [&dyn Fn(f64) -> (f64, f64); 2] = [&rotation, &logistic];
    for motion in motions {
        let rows = (0..400).fold(String::from("t,x,y\n"), |all, i| {
            let t = 0.02 * f64::from(i);
            let (x, y) = motion(t);
            all + &format!("{t:.2},{x:.9},{y:.9}\n")
        });
        folder.file("run.csv", rows);
        let ran = folder.run_line("discover run.csv --time t --max-degree 2");
        let said = ran.stdout();
        assert_eq!(ran.status(), 0, "{said}");
        for odd in [
            "probability 0.000",
            "with 1.000",
            "speak for another",
            "over a million to 1",
        ] {
            assert!(!said.contains(odd), "{odd}: {said}");
        }
    }
}

#[test]
fn the_width_of_test_functions_has_its_true_reason() {
    let folder = Folder::new("widths");
    let record = |steps: i32, step: f64| {
        (0..steps).fold(String::from("t,x,y\n"), |all, i| {
            let t = step * f64::from(i);
            all + &format!("{t:.3},{:.9},{:.9}\n", t.cos(), t.sin())
        })
    };
    let why = |text: String, flags: &str| {
        folder.file("run.csv", text);
        let line = format!("discover run.csv --time t --max-degree 2 -v {flags}");
        let page = folder.run_line(&line).stdout();
        let found = page.lines().find(|line| line.contains("test functions"));
        found.unwrap_or(&page).to_string()
    };
    let allowed = "as wide as the motion";
    assert!(why(record(2000, 0.02), "").contains(allowed));
    // With few samples in a period it is the samples that decide, and a given width is given.
    let coarse = why(record(60, 0.4), "");
    assert!(!coarse.contains(allowed), "{coarse}");
    let given = why(record(2000, 0.02), "--half-width 0.3");
    assert!(given.contains("as given"), "{given}");
}

#[test]
fn a_quick_reproduction_counts_what_ran() {
    let folder = Folder::new("quick-counts");
    let line = "reproduce polynomials --quick --methods best --out all -q";
    assert_eq!(folder.run_line(line).status(), 0);
    let lines = folder.read("all/polynomials.jsonl").lines().count();
    let page = folder.read("all/index.html");
    assert!(page.contains(&format!("{lines} of 300")), "{lines}");
    assert!(page.contains(&format!("{lines} scenarios")), "{lines}");
    assert!(
        !page.contains("100.00"),
        "so few scenarios have no such digits"
    );
}

#[test]
fn correlated_neighbours_have_a_correlation() {
    let folder = Folder::new("neighbours");
    // Residuals that keep their sign for long, with a few large ones that hide it from sums.
    let value = |i: i32| match (i % 40, (i / 20) % 2) {
        (0 | 20, _) => 30.0,
        (10 | 30, _) => -30.0,
        (_, 0) => 0.1,
        _ => -0.1,
    };
    let rows = (0..200).fold(String::from("x,y\n"), |all, i| {
        all + &format!("{i},{}\n", 5.0 * f64::from(i) + value(i))
    });
    folder.file("data.csv", rows);
    let page = folder.run_line("fit data.csv --target y --method ols --max-degree 1");
    let page = page.stdout();
    assert!(!page.contains("0.00)"), "{page}");
    assert!(page.contains("change sign"), "{page}");
}

#[test]
fn a_multiple_of_pi_stays_one() {
    let folder = Folder::new("pi");
    let mut text = String::from("year,y\n");
    for (i, z) in normal(5, 80).iter().enumerate() {
        let year = 0.05 * i as f64;
        let _ = writeln!(text, "{year:.2},{:.6}", 3.0 * (TAU * year).sin() + 0.01 * z);
    }
    folder.file("data.csv", text);
    let line = "fit data.csv --target y --max-degree 2 --terms 'sin(2*pi*year)'";
    let page = folder.run_line(line).stdout();
    assert!(page.contains(" sin(2*pi*year)\n"), "{page}");
    assert!(!page.contains("6.28"), "{page}");
    let told = document(&folder, line);
    assert_eq!(told["equations"][0]["terms"][0]["term"], "sin(2*pi*year)");
}
