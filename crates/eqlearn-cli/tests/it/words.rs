//! What users say of terms and rows: powers, units, and the noise of each row in a column.

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;
use crate::noise::{normal, uniform};

/// An ideal gas with 0.1 % of noise: 300 rows of n, T, V and P.
fn gas() -> String {
    let mut text = "n,T,V,P\n".to_string();
    let [a, b, c] = [11, 12, 13].map(|seed| uniform(seed, 300));
    for (i, z) in normal(14, 300).iter().enumerate() {
        let (n, t, v) = (0.5 + 2.0 * a[i], 250.0 + 150.0 * b[i], 0.01 + 0.04 * c[i]);
        let p = 8.314 * n * t / v + 150.0 * z;
        let _ = writeln!(text, "{n},{t},{v},{p}");
    }
    text
}

const GAS: &str = "P=Pa,V=m^3,n=mol,T=K";

fn terms(document: &Value) -> Vec<String> {
    let terms = document["equations"][0]["terms"].as_array().unwrap().iter();
    terms
        .map(|term| term["term"].as_str().unwrap().to_string())
        .collect()
}

fn fit<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["fit", "data.csv", "--target", "P", "--json"], rest].concat()
}

#[test]
fn given_powers_make_the_dictionary() {
    let folder = Folder::new("given-powers");
    folder.file("data.csv", gas());
    let found = folder.run(&fit(&["--powers", "-1..1"])).document();
    assert_eq!(terms(&found), ["n*T/V"]);
    assert_eq!(found["equations"][0]["vocabulary"], "monomials");
    // Three features with powers −1, 0 and 1.
    assert_eq!(found["n_terms"], 27);
    let found = folder.run(&fit(&["--powers", "-1..1", "--max-degree", "2"]));
    let found = found.document();
    assert_eq!(found["vocabularies"][0]["n_terms"], 19);
}

#[test]
fn powers_that_the_data_do_not_allow_are_left_out() {
    let folder = Folder::new("allowed-powers");
    let mut text = "x,s,y\n".to_string();
    for (u, v) in uniform(21, 60).iter().zip(&uniform(22, 60)) {
        // x starts at zero, and s has both signs but is never zero.
        let (x, s) = ((10.0 * u).floor(), 2.0 * v - 0.973);
        let _ = writeln!(text, "{x},{s},{}", x / s + 0.5 * x * s);
    }
    folder.file("data.csv", &text);
    let words = ["fit", "--target", "y", "--json", "--powers", "-1..1/2"];
    let from_file = folder.run(&[&words[..], &["data.csv"]].concat()).document();
    assert_eq!(terms(&from_file), ["x*s", "x/s"]);
    // 1, √x, x times 1, s, 1/s.
    assert_eq!(from_file["n_terms"], 9);
    // A stream is read once, and held.
    let ran = folder.run_with(&[&words[..], &["-"]].concat(), text.as_bytes());
    assert_eq!(terms(&ran.document()), ["x*s", "x/s"]);
}

#[test]
fn a_first_pass_reads_all_files_and_keeps_what_is_missing_out() {
    let folder = Folder::new("powers-of-files");
    folder.file("a.csv", "x,y\n1,2\n2,1\n4,0.5\n5,0.4\n,7\n3,0.66\n");
    folder.file(
        "b.csv",
        "x,y\n8,0.25\n0,0.1\n7,0.28\n6,0.33\n9,0.22\n10,0.21\n",
    );
    let words = [
        "fit",
        "a.csv",
        "b.csv",
        "--target",
        "y",
        "--json",
        "--missing",
        "drop",
    ];
    let ran = folder.run(&[&words[..], &["--powers", "-2..2"]].concat());
    let found: Value = serde_json::from_str(&ran.stdout()).unwrap();
    // Zero is in the second file, so that there are 1, x and x^2 only.
    assert_eq!(found["n_terms"], 3, "{}", ran.stderr());
    assert_eq!(found["n_obs"], 11);
}

#[test]
fn absurd_powers_are_refused_with_what_they_must_be() {
    let folder = Folder::new("absurd-powers");
    folder.file("data.csv", gas());
    for (powers, words) in [
        ("4..-2", "from a lower to a higher power"),
        ("1..2/0", "/2 for halves"),
        ("-200..200", "between -12 and 12"),
        ("many", "two whole numbers"),
    ] {
        let ran = folder.run(&fit(&["--powers", powers]));
        let said = ran.stderr();
        assert!(
            ran.status() == 2 && said.contains(words),
            "{powers}: {said}"
        );
    }
    let ran = folder.run(&fit(&["--powers", "-1..1", "--max-power", "3"]));
    assert!(
        ran.stderr().contains("--powers and --max-power"),
        "{}",
        ran.stderr()
    );
    let ran = folder.run(&fit(&["--powers", "-12..12/6", "--max-degree", "30"]));
    assert!(ran.stderr().contains("fewer powers"), "{}", ran.stderr());
}

#[test]
fn a_vocabulary_that_would_do_nothing_is_refused() {
    let folder = Folder::new("idle-vocabulary");
    folder.file("data.csv", gas());
    let by_bic = ["--vocabulary", "powers", "--criterion", "bic"];
    let of_motion = [
        "discover",
        "data.csv",
        "--dt",
        "1",
        "--vocabulary",
        "functions",
    ];
    for (words, said) in [
        (
            fit(&by_bic),
            "residual, by which all vocabularies are compared",
        ),
        (of_motion.to_vec(), "auto, monomials or fractions"),
    ] {
        let ran = folder.run(&words);
        assert!(
            ran.status() == 2 && ran.stderr().contains(said),
            "{}",
            ran.stderr()
        );
    }
}

#[test]
fn settings_files_hold_powers_and_units() {
    let folder = Folder::new("words-in-toml");
    folder.file("data.csv", gas());
    folder.file(
        "own.toml",
        "powers = \"-1..1\"\nunits = [\"P=Pa, V=m^3, n=mol, T=K\", \"R=J/(mol*K)\"]\n",
    );
    let found = folder.run(&fit(&["--config", "own.toml"])).document();
    assert_eq!(terms(&found), ["n*T/V"]);
    assert_eq!(found["n_terms"], 1);
}

#[test]
fn units_leave_only_terms_of_the_right_dimension() {
    let folder = Folder::new("units");
    folder.file("data.csv", gas());
    let gas_and_constant = format!("{GAS},R=J/(mol*K)");
    // No monomial has the dimension of a pressure; the products of powers have.
    let found = folder.run(&fit(&["--units", &gas_and_constant])).document();
    assert_eq!(terms(&found), ["n*T/V"]);
    assert_eq!(found["equations"][0]["vocabulary"], "powers");
    let found = folder.run(&fit(&["--units", &gas_and_constant, "--powers", "-2..2"]));
    let found = found.document();
    assert_eq!(
        (terms(&found), &found["n_terms"]),
        (vec!["n*T/V".into()], &1.into())
    );
    // Without the constant nothing is left, and it is said.
    let ran = folder.run(&fit(&["--units", GAS]));
    let said = ran.stderr();
    assert_eq!(ran.status(), 2);
    assert!(
        said.contains("no term has the dimension of P, kg m^-1 s^-2"),
        "{said}"
    );
}

#[test]
fn wrong_units_and_terms_of_wrong_dimension_are_named() {
    let folder = Folder::new("wrong-units");
    folder.file("data.csv", gas());
    let with_constant = format!("{GAS},R=J/(mol*K)");
    let cases: [(&[&str], &str); 6] = [
        (&["--units", "P=Pa,V=m^3,n=mol"], "no unit is given for T"),
        (
            &["--units", "P=psi,V=m^3,n=mol,T=K"],
            "\"psi\" is not a unit",
        ),
        (
            &["--units", &with_constant, "--terms", "sin(T)"],
            "the argument of sin is in K",
        ),
        (
            &["--units", &with_constant, "--terms", "n+V/0.02"],
            "it adds",
        ),
        (
            &["--units", &with_constant, "--features", "n,T"],
            "names the column \"V\", which has no part",
        ),
        (
            &["--units", GAS, "--vocabulary", "monomials"],
            "no term has the dimension of P",
        ),
    ];
    for (words, message) in cases {
        let ran = folder.run(&fit(words));
        let said = ran.stderr();
        assert!(
            ran.status() == 2 && said.contains(message),
            "{words:?}: {said}"
        );
    }
}

/// A harmonic oscillation with its speed, in units of metres and seconds.
fn oscillation() -> String {
    let mut text = "t,x,v\n".to_string();
    for i in 0..400 {
        let t = 0.05 * f64::from(i);
        let (x, v) = (1.5 * (2.0 * t).cos(), -3.0 * (2.0 * t).sin());
        let _ = writeln!(text, "{t},{x},{v}");
    }
    text
}

#[test]
fn units_of_a_motion_give_each_state_its_own_terms() {
    let folder = Folder::new("units-of-motion");
    folder.file("run.csv", oscillation());
    let words = ["discover", "run.csv", "--time", "t", "--json", "--units"];
    let found = folder.run(&[&words[..], &["t=s,x=m,v=m/s,w=1/s"]].concat());
    let found = found.document();
    let terms = |place: usize| found["equations"][place]["terms"][0]["term"].clone();
    assert_eq!((terms(0), terms(1)), ("v".into(), "x".into()));
    // Up to powers of w: x and v, in all degrees of one length; no constant, no square.
    assert_eq!(found["n_terms"], 2);
    let ran = folder.run(&[&words[..], &["t=s,x=m,v=m/s"]].concat());
    let said = ran.stderr();
    assert!(
        said.contains("no term has the dimension of v', m s^-2"),
        "{said}"
    );
    let ran = folder.run(&[&words[..], &["x=m,v=m/s"]].concat());
    assert!(
        ran.stderr().contains("no unit is given for t"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn a_state_that_passes_zero_has_no_negative_powers() {
    let folder = Folder::new("powers-of-motion");
    folder.file("run.csv", oscillation());
    let words = [
        "discover", "run.csv", "--time", "t", "--json", "--powers", "-1..2",
    ];
    let found = folder.run(&words).document();
    // 1, x, v, x^2, x*v, v^2 and the products up to x^2*v^2.
    assert_eq!(found["n_terms"], 9);
}

/// Sixty rows of y = 2.5 x with a standard deviation that differs from row to row, in a column.
fn with_deviations() -> (String, Vec<[f64; 3]>) {
    let mut text = "x,s,y\n".to_string();
    let mut rows = Vec::new();
    let [a, b] = [31, 32].map(|seed| uniform(seed, 60));
    for (i, z) in normal(33, 60).iter().enumerate() {
        let (x, s) = (1.0 + 9.0 * a[i], 0.01 + 0.5 * b[i] * b[i]);
        let y = 2.5 * x + s * z;
        let _ = writeln!(text, "{x},{s},{y}");
        rows.push([x, s, y]);
    }
    (text, rows)
}

#[test]
fn a_column_of_standard_deviations_weighs_rows() {
    let folder = Folder::new("noise-column");
    let (text, rows) = with_deviations();
    folder.file("data.csv", text);
    let words = ["fit", "data.csv", "--target", "y", "--json", "--noise", "s"];
    let found = folder.run(&words).document();
    assert_eq!(terms(&found), ["x"]);
    // The formulas of weighted least squares through the origin.
    let sum = |f: &dyn Fn(&[f64; 3]) -> f64| rows.iter().map(f).sum::<f64>();
    let xx = sum(&|[x, s, _]| x * x / (s * s));
    let slope = sum(&|[x, s, y]| x * y / (s * s)) / xx;
    let rss = sum(&|[x, s, y]| ((y - slope * x) / s).powi(2));
    let sigma = (rss / 59.0).sqrt();
    let equation = &found["equations"][0];
    let close = |value: &Value, wanted: f64| {
        let value = value.as_f64().unwrap();
        assert!((value / wanted - 1.0).abs() < 1e-9, "{value} {wanted}");
    };
    close(&equation["terms"][0]["coefficient"], slope);
    close(&equation["terms"][0]["std_error"], sigma / xx.sqrt());
    close(&equation["sigma"], sigma);
    close(&equation["rss"], rss);
    close(
        &equation["one_minus_r2"],
        rss / sum(&|[_, s, y]| (y / s).powi(2)),
    );
    // Residuals are seen in units of what was told: no row stands out.
    assert_eq!(
        found["warnings"].as_array().unwrap().len(),
        0,
        "{}",
        found["warnings"]
    );
}

#[test]
fn standard_deviations_must_be_positive_and_said_once() {
    let folder = Folder::new("wrong-deviations");
    folder.file("data.csv", "x,s,y\n1,0.1,2\n2,0,4\n3,0.1,6\n4,0.1,8.1\n");
    let fit = ["fit", "data.csv", "--target", "y", "--noise"];
    let cases: [(&[&str], &str); 5] = [
        (&["s"], "the standard deviation \"s\" is 0 in row 2"),
        (&["sd"], "sd"),
        (
            &["s", "--weights", "s"],
            "--weights already says how precise",
        ),
        (&["s", "--robust"], "--noise already says how precise"),
        (
            &["s", "--features", "x,s"],
            "cannot also be the target or a feature",
        ),
    ];
    for (rest, message) in cases {
        let ran = folder.run(&[&fit[..], rest].concat());
        let said = ran.stderr();
        assert!(
            ran.status() == 2 && said.contains(message),
            "{rest:?}: {said}"
        );
    }
    let reduce = [
        "reduce", "data.csv", "--target", "y", "--out", "a.tri", "--noise",
    ];
    let ran = folder.run(&[&reduce[..], &["relative"]].concat());
    assert!(
        ran.stderr()
            .contains("the column with the standard deviation")
    );
}

#[test]
fn a_comparison_looks_beyond_the_dictionary_as_fit_does() {
    let folder = Folder::new("compare-beyond");
    folder.file("data.csv", gas());
    let words = [
        "compare",
        "data.csv",
        "--target",
        "P",
        "--methods",
        "best,frols",
    ];
    let words = [&words[..], &["--max-degree", "2"]].concat();
    let found = folder.run(&[&words[..], &["--json"]].concat()).document();
    let best = &found["methods"][0];
    assert_eq!(best["vocabulary"], "powers");
    assert_eq!(best["terms"][0]["term"], "n*T/V");
    assert!(best["one_minus_r2"].as_f64().unwrap() < 1e-5);
    assert!(best["log_evidence"].is_null() && best["cv_error"].is_null());
    assert!(found["methods"][1]["vocabulary"].is_null());
    assert!(found["methods"][1]["cv_error"].is_f64());
    let last = found["terms"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["term"], &last["methods"]),
        (&"n*T/V".into(), &vec!["best"].into())
    );
    let page = folder.run(&words).stdout();
    assert!(page.contains("powers: P = 8.31"), "{page}");
    let plain = [&words[..], &["--vocabulary", "monomials", "--json"]].concat();
    let found = folder.run(&plain).document();
    assert_eq!(found["methods"][0]["vocabulary"], "monomials");
    assert!(found["methods"][0]["cv_error"].is_f64());
    let page = folder.run(&[&words[..], &["--report", "page.html"]].concat());
    assert!(page.status() == 0 && folder.read("page.html").contains("n*T/V"));
}

#[test]
fn words_about_rows_are_for_best_alone() {
    let folder = Folder::new("words-of-best");
    folder.file("data.csv", gas());
    for words in [
        vec!["fit", "--method", "lasso", "--vocabulary", "powers"],
        vec!["compare", "--methods", "lasso,frols", "--robust"],
    ] {
        let ran = folder.run(&[&words[..], &["data.csv", "--target", "P"]].concat());
        let said = ran.stderr();
        assert!(ran.status() == 2 && said.contains("is for best"), "{said}");
    }
}

#[test]
fn a_split_search_keeps_what_was_said() {
    let folder = Folder::new("split-words");
    folder.file("data.csv", gas());
    let said: [&[&str]; 3] = [
        &["--vocabulary", "monomials", "--max-degree", "2"],
        &["--powers", "-1..1"],
        &[
            "--powers",
            "-1..1",
            "--units",
            "P=Pa,V=m^3,n=mol,T=K,R=J/(mol*K)",
        ],
    ];
    for words in said {
        let whole = folder.run(&fit(words)).document();
        let fit = ["fit", "data.csv", "--target", "P", "--quiet"];
        let part = ["--shard", "1/1", "--save-part", "part.json"];
        let ran = folder.run(&[&fit[..], words, &part].concat());
        assert_eq!(ran.status(), 0, "{}", ran.stderr());
        let merged = folder.run(&["merge", "part.json", "--json", "--quiet"]);
        let merged = merged.document();
        assert_eq!(merged["equations"], whole["equations"], "{words:?}");
        assert_eq!(merged["vocabularies"], whole["vocabularies"]);
    }
}

#[test]
fn triangles_refuse_what_needs_rows_or_other_terms() {
    let folder = Folder::new("late-words");
    folder.file("data.csv", gas());
    let reduce = [
        "reduce", "data.csv", "--target", "P", "--out", "all.tri", "--quiet",
    ];
    let powers = [
        "--powers",
        "-1..1",
        "--units",
        "P=Pa,V=m^3,n=mol,T=K,R=J/(mol*K)",
    ];
    assert_eq!(folder.run(&[&reduce[..], &powers].concat()).status(), 0);
    let found = folder.run(&["fit", "all.tri", "--json"]).document();
    assert_eq!(terms(&found), ["n*T/V"]);
    for (words, message) in [
        (
            ["--vocabulary", "powers"],
            "--vocabulary looks at single rows",
        ),
        (["--powers", "-2..2"], "--powers comes too late"),
        (["--units", "P=Pa"], "--units comes too late"),
        (["--noise", "s"], "--noise comes too late"),
    ] {
        let ran = folder.run(&[&["fit", "all.tri"], &words[..]].concat());
        let said = ran.stderr();
        assert!(ran.status() == 2 && said.contains(message), "{said}");
    }
    // A triangle has the same terms whatever the values, so that they can be put together.
    folder.file("zero.csv", "x,y\n0,1\n1,2\n2,3\n");
    let zero = [
        "reduce", "zero.csv", "--target", "y", "--out", "z.tri", "--powers", "-1..1",
    ];
    let said = folder.run(&zero).stderr();
    assert!(
        said.contains("term 1/x is not a finite number in row 1"),
        "{said}"
    );
}
