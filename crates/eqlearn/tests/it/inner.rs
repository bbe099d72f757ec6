//! Inner parameters: certified values of NIST's non-linear sets without starting values, and laws
//! whose members are chosen.

use eqlearn::beyond::parameters::{
    Caution, Choice, Ingredients, Inner, Law, Rows, learn_parameters,
};
use eqlearn::terms::family::Family;
use eqlearn::{Dictionary, Support};

/// A set: its text, its families, and the places of coefficients (c) and parameters among the
/// certified values.
struct Set {
    text: &'static str,
    families: &'static [&'static str],
    coefficients: &'static [usize],
    parameters: &'static [usize],
}

macro_rules! set {
    ($name:literal, $families:expr, $coefficients:expr, $parameters:expr) => {
        Set {
            text: include_str!(concat!("../data/nist_nonlinear/", $name, ".dat")),
            families: &$families,
            coefficients: &$coefficients,
            parameters: &$parameters,
        }
    };
}

const SETS: [Set; 7] = [
    set!("Misra1a", ["1-exp(-?b2*x)"], [0], [1]),
    set!("BoxBOD", ["1-exp(-?b2*x)"], [0], [1]),
    set!("Bennett5", ["(?b2+x)^(-1/?b3)"], [0], [1, 2]),
    set!("MGH10", ["exp(?b2/(x+?b3))"], [0], [1, 2]),
    set!("Rat43", ["(1+exp(?b2-?b3*x))^(-1/?b4)"], [0], [1, 2, 3]),
    set!(
        "Lanczos3",
        ["exp(-?p*x)", "exp(-?q*x)", "exp(-?r*x)"],
        [0, 2, 4],
        [1, 3, 5]
    ),
    set!(
        "Kirby2",
        [
            "1/(1+?b4*x+?b5*x^2)",
            "x/(1+?b4*x+?b5*x^2)",
            "x^2/(1+?b4*x+?b5*x^2)"
        ],
        [0, 1, 2],
        [3, 4]
    ),
];

fn numbers(line: &str) -> Vec<f64> {
    let words = line.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Numbers between −1 and 1 that look like noise, the same every time.
fn noise(i: usize) -> f64 {
    let x = (i as f64 * 12.9898).sin() * 43758.5453;
    2.0 * (x - x.floor()) - 1.0
}

/// The laws of a dictionary with these terms and of these families, best first.
fn learned(
    terms: &[&str],
    families: &[Family],
    x: &[f64],
    y: &[f64],
    settings: &Inner,
) -> Vec<Law> {
    let dictionary = Dictionary::parse(["x"], terms).unwrap();
    let given = Ingredients {
        dictionary: &dictionary,
        always_in: &Support::empty(),
        families,
        n_choices: 0,
    };
    let rows = Rows {
        features: &[x],
        target: y,
        precision: None,
    };
    learn_parameters(&rows, &given, settings).unwrap()
}

fn families(texts: &[&str]) -> Vec<Family> {
    Family::parse(texts, &["x".to_string()]).unwrap()
}

#[test]
fn certified_values_come_out_without_starting_values() {
    for set in SETS {
        let lines = set.text.lines();
        let certified: Vec<(f64, f64)> = lines
            .filter(|line| line.trim_start().starts_with('b') && line.contains(" = "))
            .map(numbers)
            .filter(|line| line.len() == 4)
            .map(|line| (line[2], line[3]))
            .collect();
        let data = set.text.rfind("\nData:").unwrap();
        let rows = set.text[data + 1..].lines().skip(1).map(numbers);
        let (y, x): (Vec<f64>, Vec<f64>) = rows
            .filter(|row| row.len() == 2)
            .map(|row| (row[0], row[1]))
            .unzip();
        let settings = Inner {
            choice: Choice::All,
            ..Inner::default()
        };
        let law = learned(&[], &families(set.families), &x, &y, &settings).remove(0);
        let errors = law.std_errors().unwrap();
        let coefficients = law.coefficients.iter().copied().zip(errors);
        let parameters = law.parameters.iter();
        let parameters = parameters.map(|p| (p.value, p.std_error.unwrap()));
        let places = set.coefficients.iter().chain(set.parameters);
        for (found, place) in coefficients.chain(parameters).zip(places) {
            let wanted = certified[*place];
            let text = format!("{:?}, b{}: {found:?} {wanted:?}", set.families, place + 1);
            assert!((found.0 / wanted.0 - 1.0).abs() < 1e-9, "{text}");
            assert!((found.1 / wanted.1 - 1.0).abs() < 1e-8, "{text}");
        }
        assert!(law.converged);
    }
}

#[test]
fn a_saturation_is_told_from_a_decay() {
    let x: Vec<f64> = (1..=60).map(|i| 0.2 * f64::from(i)).collect();
    let wiggle = |i: usize| 0.003 * (7.9 * i as f64).sin();
    let law = |(i, x): (usize, &f64)| 3.0 * x / (1.7 + x) + wiggle(i);
    let y: Vec<f64> = x.iter().enumerate().map(law).collect();
    let shapes = families(&["x/(?k+x)", "exp(-?a*x)", "1-exp(-?b*x)"]);
    let law = learned(&[], &shapes, &x, &y, &Inner::default()).remove(0);
    assert_eq!(law.terms.len(), 1, "{law:?}");
    assert_eq!(law.parameters[0].name, "k");
    assert!((law.parameters[0].value - 1.7).abs() < 0.02);
}

#[test]
fn two_decays_and_a_constant_are_told_from_polynomials() {
    let x: Vec<f64> = (0..120).map(|i| 0.05 * f64::from(i)).collect();
    let law = |(i, x): (usize, &f64)| {
        1.5 + 4.0 * (-0.6 * x).exp() - 3.0 * (-2.5 * x).exp() + 0.002 * noise(i)
    };
    let y: Vec<f64> = x.iter().enumerate().map(law).collect();
    let laws = learned(
        &["1", "x", "x^2", "x^3"],
        &families(&["exp(-?a*x)"]),
        &x,
        &y,
        &Inner::default(),
    );
    let best = &laws[0];
    assert_eq!(best.terms.len(), 3, "{best:?}");
    assert_eq!(best.terms[0].to_string(), "1");
    let names: Vec<&str> = best.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "a2"]);
    for (value, truth) in best.parameters.iter().zip([0.6, 2.5]) {
        let error = value.std_error.unwrap();
        assert!((value.value - truth).abs() < 4.0 * error, "{value:?}");
        assert!(error < 0.05);
    }
    assert!(best.cautions.is_empty(), "{best:?}");
}

#[test]
fn a_family_that_explains_nothing_stays_out() {
    let x: Vec<f64> = (1..80).map(|i| 0.1 * f64::from(i)).collect();
    let y: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, x)| 2.0 + x + 0.1 * noise(i))
        .collect();
    let laws = learned(
        &["1", "x"],
        &families(&["exp(-?a*x)", "x/(?k+x)"]),
        &x,
        &y,
        &Inner::default(),
    );
    assert!(laws[0].parameters.is_empty(), "{:?}", laws[0]);
}

#[test]
fn a_parameter_at_the_end_of_its_range_is_told() {
    let x: Vec<f64> = (0..50).map(|i| 0.1 * f64::from(i)).collect();
    let y: Vec<f64> = x.iter().map(|x| (-0.9 * x).exp()).collect();
    let mut limited = families(&["exp(-?a*x)"]);
    Family::limit(&mut limited, "a", (1.0, 2.0)).unwrap();
    let settings = Inner {
        choice: Choice::All,
        ..Inner::default()
    };
    let laws = learned(&[], &limited, &x, &y, &settings);
    let told = Caution::EndOfRange { name: "a".into() };
    assert_eq!(laws[0].cautions, [told]);
    assert!(!laws[0].converged);
}
