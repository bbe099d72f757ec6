//! Laws that are fractions, found on their own.

use super::{Form, Fraction, FractionSettings, Rows, fractions};
use crate::judge::criterion::{Criterion, Judged};
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;

/// Random numbers between 0 and 1 that are the same on every machine.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A law with the ranges of its features.
struct Known {
    features: &'static [(&'static str, f64, f64)],
    law: fn(&[f64]) -> f64,
    /// Its terms above and below, as this library prints them.
    above: &'static [&'static str],
    below: &'static [&'static str],
}

struct Made {
    features: Vec<String>,
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
}

impl Made {
    fn new(known: &Known, n_rows: usize, noise: f64, seed: u64) -> Self {
        let mut number = numbers(seed);
        let mut column = |low: f64, high: f64| -> Vec<f64> {
            (0..n_rows).map(|_| low + (high - low) * number()).collect()
        };
        let columns: Vec<Vec<f64>> = known.features.iter().map(|f| column(f.1, f.2)).collect();
        let row = |i: usize| columns.iter().map(|c| c[i]).collect::<Vec<f64>>();
        let exact: Vec<f64> = (0..n_rows).map(|i| (known.law)(&row(i))).collect();
        let mean = exact.iter().sum::<f64>() / n_rows as f64;
        let spread = exact.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n_rows as f64;
        let sd = noise * spread.sqrt();
        let mut normal = || (0..12).map(|_| number()).sum::<f64>() - 6.0;
        Self {
            features: known.features.iter().map(|f| f.0.to_string()).collect(),
            columns,
            target: exact.iter().map(|y| y + sd * normal()).collect(),
        }
    }

    fn learn(&self, settings: &FractionSettings) -> Vec<Fraction> {
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        let rows = Rows {
            features: &self.features,
            columns: &columns,
            target: &self.target,
            weights: None,
        };
        fractions(&rows, settings, &mut ()).expect("all terms have values")
    }

    fn settings(&self, degree: u32) -> FractionSettings {
        let terms = || {
            Dictionary::monomials(self.features.clone(), degree, degree, true).expect("few terms")
        };
        FractionSettings {
            max_terms: 4,
            ..FractionSettings::new(terms(), terms())
        }
    }
}

fn texts(dictionary: &Dictionary, terms: &[usize]) -> Vec<String> {
    terms
        .iter()
        .map(|&term| dictionary.terms()[term].to_string())
        .collect()
}

fn words(form: &Form, settings: &FractionSettings) -> (Vec<String>, Vec<String>) {
    (
        texts(&settings.numerator, &form.numerator),
        texts(&settings.denominator, &form.denominator),
    )
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// Some of the laws that the experiment `fractions` measures.
const LAWS: [Known; 5] = [
    // The sum of two velocities, multiplied out.
    Known {
        features: &[("u", 0.1, 0.9), ("v", 0.1, 0.9), ("c", 1.0, 2.0)],
        law: |x| (x[0] + x[1]) / (1.0 + x[0] * x[1] / (x[2] * x[2])),
        above: &["u*c^2", "v*c^2"],
        below: &["u*v", "c^2"],
    },
    // Hill.
    Known {
        features: &[("s", 0.1, 5.0), ("k", 0.5, 3.0)],
        law: |x| x[0] * x[0] / (x[1] * x[1] + x[0] * x[0]),
        above: &["s^2"],
        below: &["s^2", "k^2"],
    },
    // Clausius and Mossotti.
    Known {
        features: &[("n", 0.1, 1.0), ("a", 0.1, 1.0)],
        law: |x| 1.0 + x[0] * x[1] / (1.0 - x[0] * x[1] / 3.0),
        above: &["1", "n*a"],
        below: &["1", "n*a"],
    },
    // Michaelis and Menten.
    Known {
        features: &[("v", 1.0, 5.0), ("s", 0.1, 5.0), ("k", 0.5, 3.0)],
        law: |x| x[0] * x[1] / (x[2] + x[1]),
        above: &["v*s"],
        below: &["s", "k"],
    },
    // The Doppler effect.
    Known {
        features: &[("w", 1.0, 5.0), ("v", 1.0, 2.0), ("c", 3.0, 10.0)],
        law: |x| x[0] / (1.0 - x[1] / x[2]),
        above: &["w*c"],
        below: &["v", "c"],
    },
];

#[test]
fn laws_of_physics_are_found_at_every_noise_level() {
    for (place, known) in LAWS.iter().enumerate() {
        for noise in [0.0, 1e-2] {
            let made = Made::new(known, 150, noise, 7 + place as u64);
            let settings = made.settings(3);
            let found = made.learn(&settings);
            let best = words(&found[0].form, &settings);
            let truth = (owned(known.above), owned(known.below));
            assert_eq!(best, truth, "noise {noise}");
        }
    }
}

/// One of NIST's sets: its numbers, and the certified coefficients and standard errors.
fn nist(text: &str) -> (Made, Vec<(f64, f64)>, f64) {
    let parse = |line: &str| -> Vec<f64> {
        line.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    let certified = text
        .lines()
        .filter(|line| line.trim_start().starts_with('b'));
    let certified = certified.filter(|line| line.contains('='));
    let certified = certified.map(|line| {
        let values = parse(line);
        (values[values.len() - 2], values[values.len() - 1])
    });
    let rss = text.lines().find(|line| line.starts_with("Residual Sum"));
    let rss = parse(rss.expect("it is certified"))[0];
    let data = text
        .lines()
        .skip_while(|line| !line.starts_with("Data:   y"));
    let data: Vec<Vec<f64>> = data
        .skip(1)
        .map(parse)
        .filter(|row| row.len() == 2)
        .collect();
    let made = Made {
        features: vec!["x".into()],
        columns: vec![data.iter().map(|row| row[1]).collect()],
        target: data.iter().map(|row| row[0]).collect(),
    };
    (made, certified.collect(), rss)
}

/// The number of equal digits.
fn digits(value: f64, certified: f64) -> f64 {
    -((value - certified) / certified).abs().max(1e-16).log10()
}

#[test]
fn nists_fractions_are_certified_without_starting_values() {
    let sets = [
        (
            include_str!("../../../tests/data/nist_nonlinear/Kirby2.dat"),
            2,
        ),
        (
            include_str!("../../../tests/data/nist_nonlinear/Hahn1.dat"),
            3,
        ),
        (
            include_str!("../../../tests/data/nist_nonlinear/Thurber.dat"),
            3,
        ),
    ];
    for (text, degree) in sets {
        let (made, certified, rss) = nist(text);
        let settings = FractionSettings {
            max_terms: 2 * (degree as usize + 1),
            ..made.settings(degree)
        };
        let found = made.learn(&settings);
        let full = &found[0];
        assert_eq!(
            full.covariance.len(),
            certified.len(),
            "the model of NIST wins"
        );
        assert_eq!(full.form.unit, 0, "the constant");
        let below = &full.form.denominator_coefficients[1..];
        let coefficients = full.form.numerator_coefficients.iter().chain(below);
        for (i, (value, (certified, error))) in coefficients.zip(&certified).enumerate() {
            let own = full.covariance[i][i].sqrt();
            assert!(digits(*value, *certified) > 9.0, "{value} {certified}");
            assert!(digits(own, *error) > 9.0, "{own} {error}");
        }
        assert!(digits(full.rss, rss) > 9.0, "{} {rss}", full.rss);
    }
}

#[test]
fn forms_of_one_law_are_one_answer_and_the_shortest_stands_for_them() {
    // y = s/(k + s) is also s²/(k s + s²), and so on.
    let known = Known {
        features: &[("s", 0.1, 5.0), ("k", 0.5, 3.0)],
        law: |x| x[0] / (x[0] + x[1]),
        above: &["s"],
        below: &["s", "k"],
    };
    for noise in [0.0, 1e-3] {
        let made = Made::new(&known, 100, noise, 3);
        let settings = made.settings(2);
        let found = made.learn(&settings);
        let best = &found[0];
        let as_words = |form: &Form| words(form, &settings);
        assert_eq!(
            as_words(&best.form),
            (owned(known.above), owned(known.below))
        );
        let others: Vec<_> = best.equivalents.iter().map(as_words).collect();
        let squared = (owned(&["s^2"]), owned(&["s^2", "s*k"]));
        let mixed = (owned(&["s*k"]), owned(&["s*k", "k^2"]));
        assert!(
            others.contains(&squared) && others.contains(&mixed),
            "{others:?}"
        );
        let rivals = found[1..].iter().map(|law| as_words(&law.form));
        assert!(
            !rivals
                .into_iter()
                .any(|rival| rival == squared || rival == mixed)
        );
    }
}

#[test]
fn a_pole_between_the_data_is_told() {
    // Rows on both sides of x = 2, where y = 1/((x − 2)² − 0.01) has two poles.
    let x = (0..60).map(|i| f64::from(i) * 0.08 + if i < 20 { 0.0 } else { 0.9 });
    let x: Vec<f64> = x.collect();
    let y = x.iter().map(|x| 1.0 / ((x - 2.0).powi(2) - 0.01)).collect();
    let made = Made {
        features: vec!["x".into()],
        columns: vec![x],
        target: y,
    };
    let best = made.learn(&made.settings(2)).swap_remove(0);
    assert!(best.is_exact && best.has_pole, "{best:?}");
    let smooth = Made::new(&LAWS[1], 60, 0.0, 1);
    let best = smooth.learn(&smooth.settings(2)).swap_remove(0);
    assert!(best.is_exact && !best.has_pole, "{best:?}");
}

#[test]
fn weights_are_inverse_standard_deviations() {
    // Rows of the second half are wrong, and weigh nothing.
    let mut made = Made::new(&LAWS[1], 120, 0.0, 5);
    for y in &mut made.target[60..] {
        *y += 0.3;
    }
    let weights: Vec<f64> = (0..120).map(|i| if i < 60 { 1.0 } else { 1e-12 }).collect();
    let settings = made.settings(2);
    let columns: Vec<&[f64]> = made.columns.iter().map(Vec::as_slice).collect();
    let rows = Rows {
        features: &made.features,
        columns: &columns,
        target: &made.target,
        weights: Some(&weights),
    };
    let best = fractions(&rows, &settings, &mut ())
        .expect("it is found")
        .swap_remove(0);
    assert_eq!(
        words(&best.form, &settings),
        (owned(LAWS[1].above), owned(LAWS[1].below))
    );
}

#[test]
fn with_one_below_the_score_is_that_of_a_sum_of_terms() {
    let made = Made::new(&LAWS[3], 50, 1e-2, 2);
    let terms = Dictionary::monomials(made.features.clone(), 2, 2, true).expect("few terms");
    let one = Dictionary::parse(made.features.clone(), ["1"]).expect("a term");
    let settings = FractionSettings::new(terms.clone(), one);
    let best = made.learn(&settings).swap_remove(0);
    let columns: Vec<&[f64]> = made.columns.iter().map(Vec::as_slice).collect();
    let mut values = vec![0.0; 50 * terms.len()];
    terms
        .evaluate(&columns, &mut values)
        .expect("all are finite");
    let all: Vec<&[f64]> = values
        .chunks_exact(50)
        .chain([made.target.as_slice()])
        .collect();
    let reduction = Reduction::from_columns(&all);
    let support = best.form.numerator.iter().copied().collect();
    let (fit, baseline) = (reduction.fit(&support), reduction.fit(&Support::empty()));
    let judged = Judged {
        fit: &fit,
        baseline: &baseline,
        n_candidates: terms.len(),
    };
    let score = Criterion::Residual.score(&judged);
    assert!(
        (best.score - score).abs() < 1e-9 * score,
        "{} {score}",
        best.score
    );
    assert!((best.form.numerator_coefficients[0] - fit.coefficients()[0]).abs() < 1e-9);
}
