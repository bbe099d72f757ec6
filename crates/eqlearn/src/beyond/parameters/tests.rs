//! Laws with inner parameters, found without starting values.

use super::{Caution, Choice, Ingredients, Inner, Law, Rows, learn_parameters};
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;

/// Numbers between −1 and 1 that look like noise, the same every time.
fn noise(i: usize) -> f64 {
    let x = (i as f64 * 12.9898).sin() * 43758.5453;
    2.0 * (x - x.floor()) - 1.0
}

fn learned(terms: &[&str], families: &[&str], x: &[f64], y: &[f64], settings: &Inner) -> Vec<Law> {
    let names = ["x".to_string()];
    let dictionary = Dictionary::parse(&names, terms).unwrap();
    let families = Family::parse(families, &names).unwrap();
    let given = Ingredients {
        dictionary: &dictionary,
        always_in: &Support::empty(),
        families: &families,
    };
    let rows = Rows {
        features: &[x],
        target: y,
        precision: None,
    };
    learn_parameters(&rows, &given, settings).unwrap()
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
        &["exp(-?a*x)"],
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
        &["exp(-?a*x)", "x/(?k+x)"],
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
    let names = ["x".to_string()];
    let dictionary = Dictionary::new(&names).unwrap();
    let mut families = Family::parse(["exp(-?a*x)"], &names).unwrap();
    Family::limit(&mut families, "a", (1.0, 2.0)).unwrap();
    let given = Ingredients {
        dictionary: &dictionary,
        always_in: &Support::empty(),
        families: &families,
    };
    let rows = Rows {
        features: &[&x],
        target: &y,
        precision: None,
    };
    let settings = Inner {
        choice: Choice::All,
        ..Inner::default()
    };
    let laws = learn_parameters(&rows, &given, &settings).unwrap();
    let told = Caution::EndOfRange { name: "a".into() };
    assert_eq!(laws[0].cautions, [told]);
    assert!(!laws[0].converged);
}
