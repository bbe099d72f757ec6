//! `reproduce`: killed and resumed, drawn again without running, and open to other methods.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::Folder;

const QUICK: [&str; 6] = [
    "reproduce",
    "polynomials",
    "--quick",
    "--methods",
    "cs-r2,bsr,best",
    "-q",
];

fn quick<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&QUICK[..], rest].concat()
}

#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_lines() {
    let folder = Folder::new("reproduce-kill");
    let whole = folder.run(&quick(&["--out", "whole", "--threads", "1"]));
    assert_eq!(whole.status(), 0, "{}", whole.stderr());
    assert!(
        whole
            .stdout()
            .contains("Random polynomials: exact recovery")
    );

    let mut child = Command::new(env!("CARGO_BIN_EXE_eqlearn"))
        .args(quick(&["--out", "cut", "--threads", "2"]))
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = folder.path().join("cut/polynomials.jsonl");
    let started = Instant::now();
    while std::fs::metadata(&lines).map_or(0, |file| file.len()) < 2000 {
        assert!(started.elapsed() < Duration::from_mins(1), "no lines");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let again = folder.run(&quick(&["--out", "cut", "--threads", "2"]));
    assert_eq!(again.status(), 0, "{}", again.stderr());
    assert!(
        folder.read("cut/polynomials.jsonl") == folder.read("whole/polynomials.jsonl"),
        "the lines differ after a kill"
    );
}

#[test]
fn shares_of_the_scenarios_are_put_together_into_the_same_lines() {
    let folder = Folder::new("reproduce-shares");
    let whole = folder.run(&quick(&["--out", "whole"]));
    assert_eq!(whole.status(), 0, "{}", whole.stderr());
    // The third shard is lost: the merging run computes it.
    for shard in ["1/3", "2/3"] {
        let ran = folder.run(&quick(&["--out", "shares", "--shard", shard]));
        assert_eq!(
            (ran.status(), ran.stdout().as_str()),
            (0, ""),
            "{}",
            ran.stderr()
        );
    }
    let ran = folder.run(&quick(&["--out", "shares"]));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    assert!(
        folder.read("shares/polynomials.jsonl") == folder.read("whole/polynomials.jsonl"),
        "the lines differ"
    );
    let seconds = |line: &str| -> serde_json::Value {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["seconds"].clone()
    };
    let times = folder.read("shares/polynomials-times.jsonl");
    let taken_over = folder.read("shares/polynomials-times-1-of-3.jsonl");
    assert_eq!(
        times.lines().next().map(seconds),
        taken_over.lines().next().map(seconds)
    );
}

#[test]
fn figures_are_drawn_again_without_running_anything() {
    let folder = Folder::new("reproduce-redraw");
    let nothing = folder.run(&[
        "reproduce",
        "polynomials",
        "--redraw",
        "--out",
        "empty",
        "-q",
    ]);
    assert_eq!(nothing.status(), 2);
    assert!(nothing.stderr().contains("no results in empty"));

    folder.run(&quick(&["--out", "out"]));
    let files = ["out/index.html", "out/figures/polynomials.svg"];
    let first = files.map(|file| folder.read(file));
    for file in files {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
    let again = folder.run(&quick(&["--out", "out", "--redraw"]));
    assert_eq!(again.status(), 0, "{}", again.stderr());
    assert_eq!(files.map(|file| folder.read(file)), first);
    assert!(first[0].contains("data:image/svg+xml,"));
    assert!(!first[0].contains("<script"));
    let mut words = ["src=\"http", "href=\"http", "url(http"].iter();
    assert!(!words.any(|word| first[0].contains(word)));
}

#[test]
fn models_of_others_stand_beside_ours() {
    let folder = Folder::new("reproduce-others");
    let exported = folder.run(&quick(&["--export", "data"]));
    assert_eq!(exported.status(), 0, "{}", exported.stderr());
    assert!(exported.stdout().starts_with("30 data sets in data"));
    assert!(
        folder
            .read("data/polynomials-3-004.csv")
            .starts_with("x1,x2,x3,y\n")
    );
    folder.file(
        "models.jsonl",
        concat!(
            r#"{"data":"polynomials-3-004","method":"guess","#,
            r#""equations":[{"target":"y","terms":["x1"],"coefficients":[2.5]}]}"#
        ),
    );
    let scored = folder.run(&quick(&["--out", "out", "--score", "models.jsonl"]));
    assert_eq!(scored.status(), 0, "{}", scored.stderr());
    assert!(scored.stdout().contains("guess"), "{}", scored.stdout());
}

#[test]
fn what_is_wrong_is_named() {
    let folder = Folder::new("reproduce-wrong");
    let unknown = folder.run(&["reproduce", "lorenz", "--methods", "laso"]);
    assert_eq!(unknown.status(), 2);
    assert!(unknown.stderr().contains("laso") && unknown.stderr().contains("lasso"));

    folder.run(&quick(&["--out", "out"]));
    let other = folder.run(&quick(&["--out", "out", "--seed", "2"]));
    assert_eq!(other.status(), 2);
    assert!(other.stderr().contains("polynomials.jsonl") && other.stderr().contains("--seed"));
}
