//! Whether equations of motion outside the dictionary are said to be outside, and others are not.

use eqlearn::data::trajectory::Trajectories;
use eqlearn::search::Run;
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::{Dictionary, Discover, Discovery, Order, RowScheme, discover};

use crate::fixture::Dice;
use crate::orbit::motion;

const STEP: f64 = 0.02;

/// Columns of states at equal steps.
fn followed(slope: impl Fn([f64; 2]) -> [f64; 2], start: [f64; 2], n: usize) -> Vec<Vec<f64>> {
    motion(slope, start, (n, STEP), 20)
}

fn recorded(mut columns: Vec<Vec<f64>>, names: &[&str], noise: f64) -> Trajectories {
    let mut dice = Dice::new(7);
    for x in columns.iter_mut().flatten() {
        *x += noise * dice.normal();
    }
    let n = columns[0].len();
    let times = (0..n).map(|i| i as f64 * STEP).collect();
    Trajectories::of_run("t", times, names, columns).unwrap()
}

fn learned(made: &Trajectories, terms: &[&str], settings: &Discover) -> Discovery {
    let features = settings.order.features(made).unwrap();
    let dictionary = Dictionary::monomials(features, 3, 3, true).unwrap();
    let dictionary = dictionary.and_parse(terms).unwrap();
    discover(made, &dictionary, settings, &Run::default(), &mut ()).unwrap()
}

/// Nothing but the dictionary: a fraction that is found would be a law inside.
fn plain() -> Discover {
    Discover {
        vocabulary: Some(Vocabulary::Monomials),
        ..Discover::default()
    }
}

/// The log Bayes factors of all states, where they were judged.
fn misfits(found: &Discovery) -> Vec<Option<f64>> {
    let studies = found.studies().iter();
    studies
        .map(|study| Some(study.misfit()?.log_bayes_factor))
        .collect()
}

fn pendulum(n: usize) -> Vec<Vec<f64>> {
    followed(|[a, w]| [w, -4.0 * a.sin() - 0.1 * w], [2.5, 0.0], n)
}

#[test]
fn a_pendulum_is_no_polynomial() {
    for noise in [0.0, 1e-3, 0.02] {
        let made = recorded(pendulum(1000), &["a", "w"], noise);
        let outside = misfits(&learned(&made, &[], &plain()));
        assert!(
            outside[0].is_none_or(|log| log < 1.0),
            "{noise}: {outside:?}"
        );
        assert!(outside[1].unwrap() > 20.0, "{noise}: {outside:?}");
        let inside = misfits(&learned(&made, &["sin(a)"], &plain()));
        for log in inside {
            assert!(log.is_none_or(|log| log < 1.0), "{noise}: {log:?}");
        }
    }
}

#[test]
fn saturation_is_no_polynomial() {
    let slope = |[s, p]: [f64; 2]| {
        let rate = s / (0.4 + s);
        [0.3 - rate, rate - 0.5 * p]
    };
    for noise in [0.0, 1e-3] {
        let made = recorded(followed(slope, [3.0, 0.2], 600), &["s", "p"], noise);
        for log in misfits(&learned(&made, &[], &plain())) {
            assert!(log.unwrap() > 5.0, "{noise}: {log:?}");
        }
    }
}

#[test]
fn accelerations_are_judged_as_well() {
    let settings = Discover {
        order: Order::Second,
        ..plain()
    };
    for noise in [0.0, 1e-3] {
        let angle = pendulum(1000).swap_remove(0);
        let made = recorded(vec![angle], &["a"], noise);
        let outside = misfits(&learned(&made, &[], &settings));
        assert!(outside[0].unwrap() > 20.0, "{noise}: {outside:?}");
        let inside = misfits(&learned(&made, &["sin(a)"], &settings));
        assert!(inside[0].is_none_or(|log| log < 1.0), "{noise}: {inside:?}");
    }
}

#[test]
fn maps_are_judged_as_tables_and_differences_are_not() {
    let mut dice = Dice::new(3);
    let mut iterate = |next: &dyn Fn(f64) -> f64| {
        let mut x = 0.4;
        let mut values = Vec::new();
        for _ in 0..300 {
            values.push(x);
            x = next(x) + 1e-3 * dice.normal();
        }
        recorded(vec![values], &["x"], 0.0)
    };
    let settings = Discover {
        rows: RowScheme::Map,
        ..plain()
    };
    let sine = iterate(&|x| 2.8 * (3.0 * x).sin());
    assert!(misfits(&learned(&sine, &[], &settings))[0].unwrap() > 20.0);
    let parabola = iterate(&|x| 3.8 * x * (1.0 - x));
    assert!(misfits(&learned(&parabola, &[], &settings))[0].unwrap() < 1.0);
    let differences = Discover {
        rows: RowScheme::Central { order: 4 },
        ..plain()
    };
    let made = recorded(pendulum(400), &["a", "w"], 1e-3);
    assert_eq!(misfits(&learned(&made, &[], &differences)), [None, None]);
}

#[test]
fn long_records_are_judged_by_some_stretches() {
    let made = recorded(pendulum(12_000), &["a", "w"], 1e-3);
    let found = learned(&made, &["sin(a)"], &plain());
    assert_eq!(found.model(1).unwrap().term_texts(), ["w", "sin(a)"]);
    assert!(
        misfits(&found)
            .iter()
            .all(|log| log.is_none_or(|log| log < 1.0))
    );
}

#[test]
fn wild_samples_are_no_misfit() {
    for (first, every) in [(1_u8, 50), (2, 100), (3, 200)] {
        let mut dice = Dice::new(first.into());
        let mut columns = pendulum(1000);
        for x in &mut columns {
            for x in x.iter_mut().skip(first.into()).step_by(every) {
                *x += 0.05 * dice.normal();
            }
        }
        let made = recorded(columns, &["a", "w"], 1e-3);
        let found = learned(&made, &["sin(a)"], &plain());
        for (state, log) in misfits(&found).into_iter().enumerate() {
            let text = found.model(state).map_or(String::new(), |m| m.to_string());
            assert!(log.is_none_or(|log| log < 2.0), "{every}: {text}, {log:?}");
        }
    }
}
