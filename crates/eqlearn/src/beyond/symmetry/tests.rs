//! Laws of which it is known which features come together.

use super::super::factor::factored;
use super::*;
use crate::data::table::Table;
use crate::terms::dictionary::Dictionary;
use crate::terms::problem::Problem;

/// Numbers that look random, evenly from 1 to 3: multiples of irrational numbers.
fn scattered(column: usize, n_rows: usize) -> Vec<f64> {
    let step = [2.0_f64, 3.0, 5.0, 7.0, 11.0][column].sqrt();
    let unit = |row: usize| (row as f64 * step).fract();
    (0..n_rows).map(|row| 1.0 + 2.0 * unit(row)).collect()
}

/// What a law of some features is reduced to, as texts: the factor and the variables.
fn reduced_to(names: &[&str], law: impl Fn(&[f64]) -> f64) -> Option<(String, Vec<String>)> {
    let n_rows = 400;
    let columns: Vec<Vec<f64>> = (0..names.len()).map(|i| scattered(i, n_rows)).collect();
    let row = |row: usize| columns.iter().map(|x| x[row]).collect::<Vec<f64>>();
    let target: Vec<f64> = (0..n_rows).map(|i| law(&row(i))).collect();
    let named = names.iter().map(ToString::to_string);
    let mut all: Vec<(String, Vec<f64>)> = named.zip(columns.clone()).collect();
    all.push(("y".into(), target));
    let tables = [Table::new(all).unwrap()];
    let dictionary = Dictionary::monomials(names.iter().copied(), 1, 1, true).unwrap();
    let problem = Problem::new("y", dictionary).unwrap();
    let rows = Rows::new(&problem, &tables).unwrap().unwrap();
    let view = reduced(&rows, &factored(&rows))?;
    let variables = view.variables.iter().map(|v| v.meaning.to_string());
    Some((view.factor(1.0).to_string(), variables.collect()))
}

#[test]
fn features_that_come_together_are_one_variable() {
    let names = ["a", "b", "c"];
    let (factor, variables) = reduced_to(&names, |x| x[2] / ((x[0] * x[1]).exp() - 1.0)).unwrap();
    assert_eq!(
        (factor.as_str(), variables.as_slice()),
        ("c", &["a*b".to_string()][..])
    );
    let (_, variables) = reduced_to(&names, |x| (x[0] / x[1]).exp() + x[2] * x[2]).unwrap();
    assert_eq!(variables.len(), 2);
    assert!(
        variables.iter().any(|v| v == "a/b" || v == "b/a"),
        "{variables:?}"
    );
}

#[test]
fn a_power_beside_the_variable_is_part_of_the_factor() {
    // a³/(exp(a/b) − 1) is b³ times a function of a/b.
    let (factor, variables) =
        reduced_to(&["a", "b"], |x| x[0].powi(3) / ((x[0] / x[1]).exp() - 1.0)).unwrap();
    assert_eq!(variables, ["a/b"]);
    assert_eq!(factor, "b^3");
}

#[test]
fn a_function_that_turns_often_is_seen_too() {
    let turns = |x: &[f64]| (3.0 * x[0] * x[1] / x[2]).sin().powi(2);
    let (_, variables) = reduced_to(&["a", "b", "c"], turns).unwrap();
    assert_eq!(variables, ["a*b/c"]);
}

#[test]
fn differences_are_seen_and_independent_features_stay() {
    let (_, variables) =
        reduced_to(&["a", "b", "c"], |x| 4.0 + x[2] * (x[0] - x[1]).cos()).unwrap();
    assert!(variables.contains(&"a-b".to_string()), "{variables:?}");
    let apart = |x: &[f64]| x[0].exp() + (2.0 * x[1]).sin() + x[2].powi(3) * x[0];
    assert_eq!(reduced_to(&["a", "b", "c"], apart), None);
}
