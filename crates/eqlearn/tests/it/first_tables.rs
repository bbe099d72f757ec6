//! The first tables that a new user tries: a law of physics, no flag, some noise.

use eqlearn::ask::Command;
use eqlearn::beyond::Asked;
use eqlearn::search::Run;
use eqlearn::{Learned, Request, Table, learn_beyond, reduce_table};

use crate::fixture::Dice;

/// A law with the range of each of its features.
struct Law {
    features: &'static [(&'static str, f64, f64)],
    value: fn(&[f64]) -> f64,
}

const N_ROWS: usize = 200;

impl Law {
    /// Rows with noise in units of the target's standard deviation.
    fn table(&self, seed: u64, noise: f64) -> Table {
        let mut dice = Dice::new(seed);
        let mut columns = vec![Vec::with_capacity(N_ROWS); self.features.len()];
        let mut values = Vec::with_capacity(N_ROWS);
        for _ in 0..N_ROWS {
            let draw = |&(_, low, high): &(&str, f64, f64)| low + (high - low) * dice.uniform();
            let row: Vec<f64> = self.features.iter().map(draw).collect();
            values.push((self.value)(&row));
            for (column, x) in columns.iter_mut().zip(row) {
                column.push(x);
            }
        }
        let n = N_ROWS as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let noisy = values.iter().map(|v| v + noise * deviation * dice.normal());
        let names = self.features.iter().map(|(name, ..)| (*name).to_string());
        let mut all: Vec<(String, Vec<f64>)> = names.zip(columns).collect();
        all.push(("y".into(), noisy.collect()));
        Table::new(all).unwrap()
    }

    fn learned(&self, noise: f64) -> Learned {
        self.learned_on(1, noise)
    }

    fn learned_on(&self, seed: u64, noise: f64) -> Learned {
        let table = self.table(seed, noise);
        let request = Request {
            target: Some("y".into()),
            threads: Some(1),
            ..Request::default()
        };
        let checked = request.check(Command::Fit).unwrap();
        let names = self.features.iter().map(|(name, ..)| (*name).to_string());
        let names: Vec<String> = names.collect();
        let problem = checked.problem_over(&names, "y").unwrap();
        let reduction = reduce_table(&problem, &table).unwrap();
        let asked = Asked {
            problem: &problem,
            data: (&reduction).into(),
            kept: std::slice::from_ref(&table),
            settings: &checked.settings(&problem).unwrap(),
        };
        let beyond = checked.beyond(&problem).unwrap();
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        learn_beyond(&asked, &beyond, &run, &mut ()).unwrap()
    }

    /// The relative error of the equation that was found, on fresh rows without noise.
    fn error(&self, learned: &Learned) -> f64 {
        let fresh = self.table(2, 0.0);
        let Some(model) = learned.study.model() else {
            return f64::INFINITY;
        };
        let truth = fresh.column("y").unwrap();
        let found = model.predict(&fresh).unwrap();
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
        let off = square(&mut found.iter().zip(truth).map(|(a, b)| a - b));
        (off / square(&mut truth.iter().copied())).sqrt()
    }

    /// Finds the law, with at most so many terms, at all three noise levels.
    fn is_found(&self, most_terms: usize) {
        for (noise, allowed) in [(0.0, 1e-7), (0.001, 1e-3), (0.01, 1e-2)] {
            let learned = self.learned(noise);
            let text = learned.study.model().map(|model| model.to_string());
            let error = self.error(&learned);
            assert!(error < allowed, "noise {noise}: {text:?} is off by {error}");
            let below = |m: &eqlearn::Model| m.denominator().map_or(0, |d| d.terms().len());
            let size = learned
                .study
                .model()
                .map_or(0, |m| m.terms().len() + below(&m));
            assert!(size <= most_terms, "noise {noise}: {text:?}");
        }
    }
}

#[test]
fn ideal_gas() {
    let law = Law {
        features: &[("n", 1.0, 3.0), ("T", 250.0, 400.0), ("V", 1.0, 5.0)],
        value: |x| 8.314 * x[0] * x[1] / x[2],
    };
    law.is_found(1);
}

#[test]
fn coulomb() {
    let law = Law {
        features: &[("q1", 1.0, 5.0), ("q2", 1.0, 5.0), ("r", 1.0, 4.0)],
        value: |x| 8.99 * x[0] * x[1] / (x[2] * x[2]),
    };
    law.is_found(1);
}

#[test]
fn decay() {
    let law = Law {
        features: &[("t", 0.0, 5.0)],
        value: |x| 1000.0 * (-0.7 * x[0]).exp(),
    };
    law.is_found(2);
}

#[test]
fn cooling() {
    let law = Law {
        features: &[("t", 0.0, 30.0)],
        value: |x| 22.0 + 58.0 * (-0.12 * x[0]).exp(),
    };
    law.is_found(2);
    // Where the end is not seen, powers of the time do as well within the noise.
    for seed in 1..=4 {
        let learned = law.learned_on(seed, 0.015);
        let model = learned.study.model().expect("an equation");
        assert_eq!(model.parameters().len(), 1, "seed {seed}: {model}");
    }
}

#[test]
fn saturation() {
    let law = Law {
        features: &[("s", 0.1, 10.0)],
        value: |x| 2.5 * x[0] / (0.8 + x[0]),
    };
    law.is_found(3);
}

#[test]
fn pendulum() {
    let law = Law {
        features: &[("length", 0.2, 3.0)],
        value: |x| 2.006 * x[0].sqrt(),
    };
    law.is_found(1);
}

#[test]
fn swing_of_a_pendulum_has_powers_where_a_sine_would_do_as_well() {
    let law = Law {
        features: &[("length", 0.2, 2.0), ("angle", 0.05, 1.2)],
        value: |x| 2.006 * x[0].sqrt() * (1.0 + x[1] * x[1] / 16.0),
    };
    for seed in 1..=6 {
        let learned = law.learned_on(seed, 0.01);
        let terms = learned.study.model().map(|model| model.term_texts());
        let expected = ["sqrt(length)", "sqrt(length)*angle^2"].map(String::from);
        assert_eq!(terms, Some(expected.to_vec()), "seed {seed}");
    }
}

/// Within one percent of noise a polynomial of four terms in the angle is as good.
#[test]
fn range_of_a_throw_is_a_sine_and_no_series() {
    let law = Law {
        features: &[("v", 5.0, 30.0), ("angle", 0.2, 1.3)],
        value: |x| x[0] * x[0] * (2.0 * x[1]).sin() / 9.81,
    };
    law.is_found(1);
}

#[test]
fn lens() {
    let law = Law {
        features: &[("a", 1.0, 5.0), ("b", 1.0, 5.0)],
        value: |x| 1.0 / (1.0 / x[0] + 1.0 / x[1]),
    };
    law.is_found(3);
}

#[test]
fn planets() {
    let law = Law {
        features: &[("axis", 0.3, 10.0)],
        value: |x| 365.25 * x[0].powf(1.5),
    };
    law.is_found(1);
}

#[test]
fn arrhenius_is_found_or_said_to_be_outside() {
    let law = Law {
        features: &[("T", 280.0, 400.0)],
        value: |x| 1e8 * (-5800.0 / x[0]).exp(),
    };
    for (noise, allowed) in [(0.0, 1e-7), (0.001, 1e-3), (0.01, 1e-2)] {
        let learned = law.learned(noise);
        let study = &learned.study;
        let doubted = study.misfit().is_some_and(|m| m.probability > 0.5)
            || study.answer().is_none_or(|answer| answer.probability < 0.5);
        let is_right = law.error(&learned) < allowed && study.model().unwrap().terms().len() <= 2;
        let text = study.model().map(|model| model.to_string());
        assert!(is_right || doubted, "noise {noise}: {text:?}");
        assert!(is_right || noise > 0.005, "noise {noise}: {text:?}");
    }
}
