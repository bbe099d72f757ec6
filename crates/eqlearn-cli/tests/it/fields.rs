//! Partial differential equations from fields: what is printed, saved, simulated and refused.

use std::fmt::Write as _;

use crate::command::Folder;

/// A viscous Burgers field with 1 % of noise: `u_t = −u u_x + 0.1 u_xx`, periodic in x.
const BURGERS: &[u8] = include_bytes!("../../../eqlearn/tests/data/fields/burgers.npz");

const DISCOVER: &str = "discover burgers.npz --axes t,x --field u --periodic x";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("burgers.npz", BURGERS);
    folder
}

/// A long table of a function on 40 times and 48 points, a tenth apart.
pub(crate) fn long(f: impl Fn(f64, f64) -> f64) -> Vec<u8> {
    let mut text = "t,x,u\n".to_string();
    for i in 0..40 {
        for j in 0..48 {
            let (t, x) = (0.1 * f64::from(i), 0.1 * f64::from(j));
            writeln!(text, "{t},{x},{}", f(t, x)).unwrap();
        }
    }
    text.into_bytes()
}

#[test]
fn burgers_is_found_and_told() {
    let ran = folder("burgers-told").run_line(DISCOVER);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    insta::assert_snapshot!(ran.stdout());
}

#[test]
fn the_document_has_an_equation_for_each_quantity() {
    let line = format!("{DISCOVER} --json");
    let document = folder("burgers-json").run_line(&line).document();
    assert_eq!(document["kind"], "system");
    let equation = &document["equations"][0];
    assert_eq!(equation["target"], "u");
    assert_eq!(equation["left_side"]["kind"], "evolution");
    let terms = equation["terms"].as_array().unwrap();
    let names: Vec<&str> = terms.iter().map(|t| t["term"].as_str().unwrap()).collect();
    assert_eq!(names, ["u*u_x", "u_xx"]);
    for (term, truth) in terms.iter().zip([-1.0, 0.1]) {
        let value = term["coefficient"].as_f64().unwrap();
        let error = term["std_error"].as_f64().unwrap();
        assert!((value - truth).abs() < 5.0 * error, "{value} ± {error}");
        assert!(error < 0.05 * truth.abs(), "{error}");
    }
    let discovery = &document["discovery"];
    assert_eq!(discovery["axes"], serde_json::json!(["t", "x"]));
    assert_eq!(discovery["quantities"], serde_json::json!(["u"]));
    let noise = discovery["noise_share"][0].as_f64().unwrap();
    assert!((noise - 0.01).abs() < 0.002, "{noise}");
    assert_eq!(discovery["half_widths"][0].as_array().unwrap().len(), 2);
    assert!(discovery["n_rows"].as_u64().unwrap() > 100);
    assert_eq!(discovery["equations"][0]["settled"], true);
    assert_eq!(discovery["lists"][0]["state"], "u");
    let forecast = &discovery["forecast"];
    assert_eq!(forecast["reaches_end"], true);
    assert!(forecast["error"][0].as_f64().unwrap() < 0.05);
    assert!(forecast["why_not"].is_null());
}

#[test]
fn a_saved_field_is_simulated_from_a_field_and_from_a_table() {
    let folder = folder("burgers-simulated");
    let saved = folder.run_line(&format!("{DISCOVER} --quiet --save burgers.json"));
    assert_eq!(saved.status(), 0, "{}", saved.stderr());
    let simulate = "simulate burgers.json --until 3 --step 0.5";
    let ran = folder.run_line(&format!("{simulate} --starts burgers.npz"));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let text = ran.stdout();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "t,x,u");
    assert_eq!(rows.len(), 1 + 7 * 64);
    // The same from the rows of the first time.
    let mut start = "x,u\n".to_string();
    for row in &rows[1..=64] {
        let (_, point) = row.split_once(',').unwrap();
        writeln!(start, "{point}").unwrap();
    }
    folder.file("start.csv", start);
    let again = folder.run_line(&format!("{simulate} --starts start.csv"));
    assert_eq!(again.stdout(), text);
    let refused = folder.run_line(&format!("{simulate} --from u=1"));
    assert_eq!(refused.status(), 2);
    insta::assert_snapshot!(refused.stderr());
}

#[test]
fn terms_are_those_that_are_asked_for() {
    let folder = folder("burgers-terms");
    let line = format!("{DISCOVER} --only-terms --terms 'u*u_x,u_xx,(u^2)_x' --json --verbose");
    let ran = folder.run_line(&line);
    assert_eq!(ran.document()["n_terms"], 2);
    insta::assert_snapshot!(ran.stderr(), @"note: (u^2)_x is in the dictionary already, as u*u_x");
    let n_terms = |flags: &str| {
        let line = format!("{DISCOVER} {flags} --json");
        let document = folder.run_line(&line).document();
        document["n_terms"].as_u64().unwrap()
    };
    // 1, and powers up to the third with up to four derivatives.
    assert_eq!(n_terms(""), 1 + 3 * 5);
    assert_eq!(
        n_terms("--max-order 2 --max-degree 2 --constant none"),
        2 * 3
    );
    assert_eq!(n_terms("--max-power 4 --max-order 1"), 1 + 4 * 2);
}

#[test]
fn one_travelling_wave_does_not_tell_its_law() {
    let folder = Folder::new("one-wave");
    folder.file("wave.csv", long(|t, x| (2.0 * (x - t)).sin()));
    let line = "discover wave.csv --axes t,x --max-order 3 --max-degree 1 --constant none --json";
    let document = folder.run_line(line).document();
    let one = |terms: &serde_json::Value| terms.as_array().unwrap().len();
    let equation = &document["equations"][0];
    let told = [
        &equation["terms"][0]["term"],
        &equation["runner_up"]["terms"][0],
    ];
    assert_eq!(
        (
            one(&equation["terms"]),
            one(&equation["runner_up"]["terms"])
        ),
        (1, 1)
    );
    assert_eq!(told, ["u_x", "u_xxx"]);
    assert!(equation["probability"].as_f64().unwrap() < 0.6);
    let warnings = document["warnings"].as_array().unwrap();
    let codes: Vec<&str> = warnings
        .iter()
        .map(|w| w["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"ambiguous"), "{codes:?}");
    assert!(codes.contains(&"exchangeable-terms"), "{codes:?}");
}

#[test]
fn a_block_of_missing_values_is_left_out() {
    let folder = Folder::new("field-with-a-hole");
    let hole = |t: f64, x: f64| {
        let inside = (1.0..1.5).contains(&t) && (1.0..2.0).contains(&x);
        let wave = (x - t).sin() + 0.3 * (2.0 * x - t).cos();
        if inside { f64::NAN } else { wave }
    };
    folder.file("field.csv", long(hole));
    let ran = folder.run_line("discover field.csv --axes t,x --json");
    insta::assert_snapshot!(ran.stderr(), @"note: 50 rows with missing values were left out");
    let left_out = ran.document()["discovery"]["left_out"].as_u64();
    assert!(left_out.unwrap() > 0);
}

#[test]
fn the_page_has_pictures_of_the_field() {
    let folder = folder("burgers-page");
    let ran = folder.run_line(&format!("{DISCOVER} --quiet --report page.html"));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let page = folder.read("page.html");
    assert!(page.contains("<h1>Equations found</h1>"));
    assert!(page.contains("u simulated as colours: x from 0.00 to 6.19 from left to right"));
    // Measured, simulated and the scale.
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
    assert!(page.contains("<mfrac><mrow><mi>∂</mi><mi>u</mi></mrow><mrow><mi>∂</mi><mi>t</mi>"));
    assert!(page.contains("<msub><mi>u</mi><mrow><mi>x</mi><mi>x</mi></mrow></msub>"));
    assert!(page.contains("Error of u over time"));
    assert!(page.len() < 400_000, "{}", page.len());
}
