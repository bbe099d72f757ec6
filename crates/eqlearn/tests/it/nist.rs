//! NIST's certified linear regression sets: the digits of a fit, against values computed in
//! 500-digit arithmetic.

use eqlearn::methods::ols;
use eqlearn::{Dictionary, Fit, Problem, Support, Table, reduce_table};

use crate::close::assert_close;

/// A set and how its terms are built.
struct Set {
    name: &'static str,
    text: &'static str,
    max_power: u32,
    constant: bool,
}

macro_rules! set {
    ($name:literal, $max_power:literal, $constant:literal) => {
        Set {
            name: $name,
            text: include_str!(concat!("../data/nist/", $name, ".dat")),
            max_power: $max_power,
            constant: $constant,
        }
    };
}

const SETS: [Set; 11] = [
    set!("Filip", 10, true),
    set!("Longley", 1, true),
    set!("NoInt1", 1, false),
    set!("NoInt2", 1, false),
    set!("Norris", 1, true),
    set!("Pontius", 2, true),
    set!("Wampler1", 5, true),
    set!("Wampler2", 5, true),
    set!("Wampler3", 5, true),
    set!("Wampler4", 5, true),
    set!("Wampler5", 5, true),
];

/// Certified values of one set: coefficients with standard errors, noise level, R².
struct Certified {
    coefficients: Vec<(f64, f64)>,
    sigma: f64,
    r2: f64,
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}

fn certified(text: &str) -> Certified {
    let last = |start: &str| {
        let line = text
            .lines()
            .find(|l| l.trim_start().starts_with(start) && !numbers(l).is_empty());
        *numbers(line.expect("certified")).last().expect("a number")
    };
    let coefficient = |line: &str| {
        let rest = line.trim_start().strip_prefix('B')?;
        let values = numbers(rest.split_once(char::is_whitespace)?.1);
        (values.len() == 2).then(|| (values[0], values[1]))
    };
    Certified {
        coefficients: text
            .lines()
            .skip(30)
            .take(20)
            .filter_map(coefficient)
            .collect(),
        sigma: last("Standard Deviation"),
        r2: last("R-Squared"),
    }
}

/// The data: the response first, then the features.
fn table(text: &str) -> Table {
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(60)
        .map(numbers)
        .filter(|row| !row.is_empty())
        .collect();
    let n_features = rows[0].len() - 1;
    let name = |j| {
        if j == 0 {
            "y".to_string()
        } else if n_features == 1 {
            "x".into()
        } else {
            format!("x{j}")
        }
    };
    let column = |j| (name(j), rows.iter().map(|row: &Vec<f64>| row[j]).collect());
    Table::new((0..=n_features).map(column).collect()).unwrap()
}

/// The fit of all terms and the fit that R² is measured against.
fn fitted(set: &Set) -> (Fit, Fit) {
    let table = table(set.text);
    let features = &table.names()[1..];
    let dictionary =
        Dictionary::monomials(features, set.max_power, set.max_power, set.constant).unwrap();
    let problem = Problem::new("y", dictionary).unwrap();
    let reduction = reduce_table(&problem, &table).unwrap();
    let baseline = if set.constant {
        Support::from_iter([0])
    } else {
        Support::empty()
    };
    (ols(&problem, &reduction).unwrap(), reduction.fit(&baseline))
}

#[test]
fn certified_sets_are_met_to_thirteen_digits() {
    for set in &SETS {
        let certified = certified(set.text);
        let (fit, baseline) = fitted(set);
        assert_eq!(
            fit.coefficients().len(),
            certified.coefficients.len(),
            "{}",
            set.name
        );
        let errors = fit.std_errors().unwrap();
        for (i, (coefficient, error)) in certified.coefficients.iter().enumerate() {
            assert_close(
                fit.coefficients()[i],
                *coefficient,
                13.0,
                &format!("{} B{i}", set.name),
            );
            assert_close(
                errors[i],
                *error,
                13.0,
                &format!("{} error of B{i}", set.name),
            );
        }
        assert_close(
            fit.sigma().unwrap(),
            certified.sigma,
            13.0,
            &format!("{} sigma", set.name),
        );
        assert_close(
            fit.explained_share(&baseline),
            certified.r2,
            13.0,
            &format!("{} R²", set.name),
        );
    }
}
