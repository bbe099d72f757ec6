//! What is said of a record with so much noise that it does not decide all terms, and of one whose
//! errors depend on each other.

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;
use crate::discover::lorenz;
use crate::noise::normal;

/// Four time units of the Lorenz system with 30 % of noise.
fn noisy_lorenz() -> String {
    let noise = [1, 11, 21].map(|seed| normal(seed, 401));
    let mut csv = String::from("t,x,y,z\n");
    for (i, line) in lorenz().lines().skip(1).take(401).enumerate() {
        let mut cells = line.split(',');
        csv.push_str(cells.next().unwrap());
        for (cell, noise) in cells.zip(&noise) {
            let x: f64 = cell.parse().unwrap();
            write!(csv, ",{}", x + 2.5 * noise[i]).unwrap();
        }
        csv.push('\n');
    }
    csv
}

#[test]
fn undecided_terms_are_told_everywhere() {
    let folder = Folder::new("undecided");
    folder.file("run.csv", noisy_lorenz());
    let plain = ["discover", "run.csv", "--time", "t", "--max-degree", "2"];
    let ran = folder.run(&[&plain[..], &["--report", "page.html"]].concat());
    let said = ran
        .stdout()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let wanted = "y: the record does not tell wh";
    assert!(said.contains(wanted), "{said}");
    assert!(said.contains("times as long would decide, or 0."), "{said}");
    let page = folder.read("page.html");
    assert!(page.contains("undecided: y in the equation of y, with probability 0."));
    assert!(page.contains("times as long would decide"));
    let document = folder.run(&[&plain[..], &["--json"]].concat()).document();
    let all = document["discovery"]["denoised"]["undecided"]
        .as_array()
        .unwrap();
    let is_damping = |one: &&Value| one["state"] == "y" && one["term"] == "y";
    let one = all.iter().find(is_damping).unwrap();
    let probability = one["probability"].as_f64().unwrap();
    assert!(probability > 0.05 && probability < 0.95, "{probability}");
    let longer = one["longer"].as_f64().unwrap();
    assert!(longer > 1.0 && longer < 5.0, "{longer}");
    let codes = document["warnings"].as_array().unwrap().iter();
    assert!(
        codes
            .into_iter()
            .any(|warning| warning["code"] == "hidden-terms")
    );
}

#[test]
fn errors_that_depend_on_each_other_are_a_warning() {
    let folder = Folder::new("excess");
    let noise = [normal(1, 600), normal(2, 600)];
    let mut errors = [0.0; 2];
    let mut csv = String::from("t,x,y\n");
    for i in 0..600 {
        let t = 0.05 * i as f64;
        for (error, noise) in errors.iter_mut().zip(&noise) {
            *error = 0.5 * *error + 0.75_f64.sqrt() * noise[i];
        }
        let (x, y) = (t.cos() + 0.01 * errors[0], -t.sin() + 0.01 * errors[1]);
        writeln!(csv, "{t},{x},{y}").unwrap();
    }
    folder.file("run.csv", csv);
    let args = ["discover", "run.csv", "--time", "t", "--max-degree", "2"];
    let ran = folder.run(&[&args[..], &["--json"]].concat());
    let document = ran.document();
    for (state, chi2) in ["x", "y"]
        .iter()
        .zip(document["discovery"]["chi2_per_row"].as_array().unwrap())
    {
        assert!(chi2.as_f64().unwrap() > 3.0, "{state}: {chi2}");
        let said = document["warnings"].as_array().unwrap().iter();
        let mut said = said.filter(|warning| warning["code"] == "excess-residuals");
        let of_state = format!("{state}: what the equation leaves of its rows is");
        assert!(said.any(|warning| warning["message"].as_str().unwrap().starts_with(&of_state)));
    }
}
