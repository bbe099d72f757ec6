//! Fractions and inner parameters of motion, from the command line to every form of the answer.

use std::fmt::Write as _;

use serde_json::Value;

use crate::command::Folder;

/// An enzyme uses up its substrate, S' = −S/(0.5 + S), from three starts, with a little noise of a
/// fixed shape.
fn enzyme() -> String {
    let slope = |s: f64| -s / (0.5 + s);
    let mut csv = String::from("run,t,S\n");
    let h = 0.001;
    for (run, start) in [2.0, 1.0, 0.5].into_iter().enumerate() {
        let mut s: f64 = start;
        for i in 0_u32..4000 {
            if i % 20 == 0 {
                let noise = 0.003 * (12.9898 * f64::from(i / 20 + 1).powi(2)).sin();
                writeln!(csv, "{run},{},{}", f64::from(i) * h, s + noise).unwrap();
            }
            let k1 = slope(s);
            let k2 = slope(s + h / 2.0 * k1);
            let k3 = slope(s + h / 2.0 * k2);
            let k4 = slope(s + h * k3);
            s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
    }
    csv
}

const RECORD: [&str; 6] = [
    "discover",
    "enzyme.csv",
    "--time",
    "t",
    "--trajectory",
    "run",
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn a_fraction_is_told_in_every_form_without_a_flag() {
    let folder = Folder::new("enzyme");
    folder.file("enzyme.csv", enzyme());
    let more = ["--json", "--save", "law.json", "--report", "page.html"];
    let document = folder.run(&[&RECORD[..], &more].concat()).document();
    let equation = &document["equations"][0];
    assert_eq!(equation["vocabulary"], "fractions");
    assert_eq!(equation["numerator"][0]["term"], "S");
    assert_eq!(equation["denominator"][0]["term"], "1");
    assert_eq!(equation["denominator"][1]["term"], "S");
    let k = number(&equation["denominator"][1]["coefficient"]);
    let error = number(&equation["denominator"][1]["std_error"]);
    assert!(
        (k - 2.0).abs() < 5.0 * error && error < 0.2,
        "{k} ± {error}"
    );
    let text = equation["text"].as_str().unwrap();
    assert!(
        text.starts_with("S' = (-") && text.contains(" S) / (1 + "),
        "{text}"
    );
    let tried = document["vocabularies"].as_array().unwrap();
    assert_eq!(tried[0]["vocabulary"], "monomials");
    assert!(
        tried
            .iter()
            .any(|t| t["vocabulary"] == "fractions" && t["target"] == "S")
    );
    // The page shows it as a fraction.
    assert!(folder.read("page.html").contains("<mfrac>"));
    let latex = folder.run(&[&RECORD[..], &["--latex"]].concat()).stdout();
    assert!(latex.starts_with(r"\dot{S} = \frac{-"), "{latex}");
    let code = folder
        .run(&[&RECORD[..], &["--code", "python"]].concat())
        .stdout();
    assert!(code.contains("*x[0])/(1.0 + "), "{code}");
    // After the time that t = S₀ − S + 0.5 ln(S₀/S) says, S has fallen from 2 to 1.
    let until = (1.0 + 0.5 * 2.0_f64.ln()).to_string();
    let simulate = [
        "simulate", "law.json", "--from", "S=2", "--until", &until, "--step", &until,
    ];
    let ran = folder.run(&simulate);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let last = ran.stdout().lines().last().unwrap().to_string();
    let s: f64 = last.split(',').nth(1).unwrap().parse().unwrap();
    assert!((s - 1.0).abs() < 0.01, "{last}");
}

#[test]
fn an_inner_parameter_of_motion_is_found_with_its_error() {
    let folder = Folder::new("enzyme-family");
    folder.file("enzyme.csv", enzyme());
    let family = ["--terms", "S/(?k+S)"];
    let more = [
        "--range",
        "k=0.1..10",
        "--json",
        "--save",
        "law.json",
        "--report",
        "page.html",
    ];
    let document = folder
        .run(&[&RECORD[..], &family, &more].concat())
        .document();
    let equation = &document["equations"][0];
    assert_eq!(equation["vocabulary"], "parameters");
    assert_eq!(equation["terms"].as_array().unwrap().len(), 1);
    let parameter = &equation["parameters"][0];
    assert_eq!(parameter["name"], "k");
    let (k, error) = (number(&parameter["value"]), number(&parameter["std_error"]));
    assert!(
        (k - 0.5).abs() < 5.0 * error && error < 0.05,
        "{k} ± {error}"
    );
    let saved: Value = serde_json::from_str(&folder.read("law.json")).unwrap();
    assert_eq!(
        saved["equations"][0]["parameters"][0]["value"],
        parameter["value"]
    );
    assert!(folder.read("page.html").contains("<mfrac>"));
    let page = folder.run(&[&RECORD[..], &family].concat()).stdout();
    assert!(
        page.contains("  parameter       value\n  k          0.50"),
        "{page}"
    );
    let simulate = [
        "simulate", "law.json", "--from", "S=2", "--until", "1", "--step", "0.5",
    ];
    assert_eq!(folder.run(&simulate).status(), 0);
    // Without any other term.
    let only = [&RECORD[..], &family, &["--only-terms", "--json"]].concat();
    let document = folder.run(&only).document();
    assert_eq!(document["equations"][0]["parameters"][0]["name"], "k");
}

#[test]
fn words_that_have_no_meaning_for_motion_are_refused() {
    let folder = Folder::new("enzyme-refused");
    folder.file("enzyme.csv", enzyme());
    for more in [
        ["--terms=S/(?k+S)", "--derivative=savgol"],
        ["--terms=S/(?k+S)", "--order=2"],
        ["--vocabulary=fractions", "--derivative=central4"],
        ["--terms=S/(?k+S)", "--method=lasso"],
    ] {
        let ran = folder.run(&[&RECORD[..], &more].concat());
        assert_eq!(ran.status(), 2, "{more:?}: {}", ran.stdout());
    }
    let unknown = folder.run(&[&RECORD[..], &["--terms=S/(?k+S)", "--range=q=1..2"]].concat());
    assert_eq!(unknown.status(), 2);
    assert!(unknown.stderr().contains('q'), "{}", unknown.stderr());
}

#[test]
fn the_plain_dictionary_can_be_asked_for() {
    let folder = Folder::new("enzyme-plain");
    folder.file("enzyme.csv", enzyme());
    let plain = ["--vocabulary", "monomials", "--json"];
    let document = folder.run(&[&RECORD[..], &plain].concat()).document();
    assert_eq!(document["equations"][0]["vocabulary"], "monomials");
    assert!(document.get("vocabularies").is_none());
}

#[test]
fn a_pole_is_named() {
    let folder = Folder::new("pole");
    folder.file("enzyme.csv", enzyme());
    let saved = [
        "--terms",
        "1/S",
        "--only-terms",
        "--method",
        "ols",
        "--save",
        "law.json",
    ];
    let ran = folder.run(&[&RECORD[..], &saved].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let simulate = [
        "simulate", "law.json", "--from", "S=0.1", "--until", "100", "--step", "1",
    ];
    let ran = folder.run(&simulate);
    assert_eq!(ran.status(), 1);
    assert!(ran.stderr().contains("ran into a pole"), "{}", ran.stderr());
}
