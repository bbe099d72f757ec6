//! What fits into a window: no line is longer than it is wide, and what is folded can be read.

use std::path::Path;

use crate::command::{Folder, without_times};

/// The data of the book.
fn data(test: &str) -> Folder {
    let folder = Folder::new(test);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/data");
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        folder.file(name, std::fs::read(&path).unwrap());
    }
    folder
}

#[test]
fn no_line_is_longer_than_the_window() {
    let folder = data("windows");
    let long = "sin(rho)+cos(v)*exp(-d)+sqrt(rho*v)+speed*x+log(v)+tanh(d)+cbrt(rho*v*d)+atan(v)";
    let wrong = format!("fit drag.csv --target force --terms '{long}'");
    let commands = [
        // A law, with all its digits, a fraction, powers, and no law at all.
        "fit drag.csv --target force",
        "fit drag.csv --target force -v",
        "discover enzyme.csv --time t --trajectory run",
        "fit pendulum.csv --target period --missing drop --max-degree 3",
        "fit dice.csv --target temperature",
        "discover oscillator.csv --time t",
        "discover swing.csv --time t --order 2 -v",
        "compare drag.csv --target force --methods best,ols,ridge,lasso,stlsq,frols,sr3,bsr",
        "compare oscillator.csv --time t --max-degree 3 --methods best,stlsq,frols",
        // Notes and errors.
        "fit drag.csv",
        "fit drag.csv --target froce",
        &wrong,
        // Help.
        "--help",
        "fit --help",
        "discover --help",
        "compare --help",
        "predict --help",
        "simulate --help",
        "reduce --help",
        "merge --help",
        "reproduce --help",
        "demo --help",
    ];
    for width in [60, 120] {
        for command in commands {
            let ran = folder.run_at(width, command);
            let all = ran.stdout() + &ran.stderr();
            let long: Vec<&str> = all.lines().filter(|l| l.chars().count() > width).collect();
            assert!(long.is_empty(), "{width}: {command}\n{}", long.join("\n"));
        }
    }
}

#[test]
fn a_law_folds_at_sixty_columns() {
    let folder = data("narrow-law");
    let ran = folder.run_at(60, "fit drag.csv --target force");
    insta::assert_snapshot!(ran.stdout());
}

#[test]
fn a_comparison_folds_at_sixty_columns() {
    let folder = data("narrow-comparison");
    let methods = "--methods best,ols,lasso,frols";
    let command = format!("compare drag.csv --target force --max-degree 4 {methods}");
    let ran = folder.run_at(60, &command);
    insta::assert_snapshot!(without_times(&ran.stdout()));
}

#[test]
fn an_error_keeps_its_caret_at_sixty_columns() {
    let folder = data("narrow-error");
    let terms = "sin(rho)+cos(v)*exp(-d)+sqrt(rho*v)+speed*x+log(v)+tanh(d)+cbrt(rho*v*d)";
    let command = format!("fit drag.csv --target force --terms '{terms}'");
    insta::assert_snapshot!(folder.run_at(60, &command).stderr());
}

#[test]
fn all_digits_come_with_verbose() {
    let folder = data("digits");
    let shown = |flags: &str| {
        let command = format!("fit drag.csv --target force --max-degree 5 {flags}");
        folder.run_at(100, &command).stdout()
    };
    let (short, long, document) = (shown(""), shown("-v"), shown("--json"));
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let left = document["equations"][0]["one_minus_r2"].as_f64().unwrap();
    assert!(long.contains(&format!("1 − R² = {left:e} ")), "{long}");
    assert!(short.contains(&format!("1 − R² = {left:.2e} ")), "{short}");
    // How it was found is not told without.
    assert!(long.contains("enumerated") && !short.contains("enumerated"));
}

#[test]
fn a_single_thing_is_not_told_as_many() {
    let folder = Folder::new("plural");
    folder.file(
        "data.csv",
        "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n,10.1\n6,11.9\n",
    );
    let line = "data.csv --target y --missing drop --max-terms 1";
    let fit = format!("fit {line} --terms x --only-terms --constant none -v");
    let compare = format!("compare {line} --terms x --only-terms --methods best --constant none");
    let reduce = format!(
        "reduce data.csv --target y --missing drop --out a.tri --terms x {}",
        "--only-terms --constant none"
    );
    for command in [&fit, &compare, &reduce] {
        let ran = folder.run_at(100, command);
        let all = ran.stdout() + &ran.stderr();
        assert!(
            ran.status() < 2 && all.contains("1 term"),
            "{command}\n{all}"
        );
        for many in ["1 terms", "1 rows", "1 subsets", "1 values"] {
            let found = all
                .match_indices(many)
                .any(|(place, _)| !all[..place].ends_with(|c: char| c.is_ascii_digit()));
            assert!(!found, "{command}\n{all}");
        }
    }
}
