//! Laws of motion outside the dictionary: fractions, and families with inner parameters.

use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::search::Run;
use eqlearn::terms::family::Family;
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::{Coefficients, conclude, discover, simulate};
use eqlearn::{Dictionary, Discover, Discovery, LeftSide, Model, Simulate, System};

use crate::fixture::Dice;
use crate::orbit::motion;

fn spread(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// Records of a motion from several starts, with noise in units of each state's mean spread: the
/// same in all records.
fn records<const D: usize>(
    names: &[&str; D],
    slope: impl Fn([f64; D]) -> [f64; D],
    starts: &[[f64; D]],
    (n, step): (usize, f64),
    (seed, noise): (u64, f64),
) -> Trajectories {
    let mut dice = Dice::new(seed);
    let motions = starts
        .iter()
        .map(|start| motion(&slope, *start, (n, step), 20));
    let mut motions: Vec<Vec<Vec<f64>>> = motions.collect();
    for state in 0..D {
        let spreads: f64 = motions.iter().map(|motion| spread(&motion[state])).sum();
        let sigma = noise * spreads / starts.len() as f64;
        for x in motions.iter_mut().flat_map(|motion| &mut motion[state]) {
            *x += sigma * dice.normal();
        }
    }
    let record = |states: Vec<Vec<f64>>| Record {
        name: "motion".into(),
        times: (0..n).map(|i| i as f64 * step).collect(),
        states,
        inputs: vec![],
    };
    let records = motions.into_iter().map(record).collect();
    let none: &[&str] = &[];
    Trajectories::new("t", names, none, TimeFeature::No, records).unwrap()
}

/// An enzyme uses up its substrate, S' = −S/(0.5 + S).
fn enzyme(seed: u64, noise: f64) -> Trajectories {
    let slope = |[s]: [f64; 1]| [-s / (0.5 + s)];
    let starts = [[2.0], [1.0], [0.5]];
    records(&["S"], slope, &starts, (200, 0.02), (seed, noise))
}

fn learned(made: &Trajectories, settings: &Discover) -> Discovery {
    let dictionary = Dictionary::monomials(made.states(), 4, 6, true).unwrap();
    discover(made, &dictionary, settings, &Run::default(), &mut ()).unwrap()
}

fn below(model: &Model) -> Vec<String> {
    let below = model.denominator().expect("a fraction");
    below.terms().iter().map(ToString::to_string).collect()
}

#[test]
fn a_saturating_rate_is_found_without_being_asked_for() {
    for (seed, noise) in [(1, 0.0), (2, 0.01), (3, 0.03), (4, 0.06)] {
        let found = learned(&enzyme(seed, noise), &Discover::default());
        let model = found.model(0).unwrap();
        assert_eq!(
            found.studies()[0].vocabulary(),
            Vocabulary::Fractions,
            "{model}"
        );
        assert_eq!(model.term_texts(), ["S"], "{model}");
        assert_eq!(below(&model), ["1", "S"], "{model}");
        // S/(0.5 + S) = 2 S/(1 + 2 S).
        let coefficient = model.denominator().unwrap().coefficients()[1];
        let error = model.denominator().unwrap().std_errors().unwrap()[1];
        assert!((coefficient - 2.0).abs() < 4.0 * error + 1e-3, "{model}");
    }
}

#[test]
fn the_plain_dictionary_stays_where_it_is_asked_for() {
    let settings = Discover {
        vocabulary: Some(Vocabulary::Monomials),
        ..Discover::default()
    };
    let found = learned(&enzyme(2, 0.01), &settings);
    let model = found.model(0).unwrap();
    assert!(model.denominator().is_none() && model.parameters().is_empty());
    assert!(found.tried().iter().all(Vec::is_empty));
}

#[test]
fn an_inner_parameter_has_an_error_that_holds() {
    let mut within = 0;
    for seed in 0..20 {
        let made = enzyme(seed, 0.02);
        let settings = Discover {
            families: Family::parse(["S/(?k+S)"], &["S".to_string()]).unwrap(),
            ..Discover::default()
        };
        let found = learned(&made, &settings);
        let model = found.model(0).unwrap();
        assert_eq!(found.studies()[0].vocabulary(), Vocabulary::Parameters);
        let [k] = model.parameters() else {
            panic!("{model}");
        };
        assert_eq!((k.name.as_str(), model.terms().len()), ("k", 1), "{model}");
        within += usize::from((k.value - 0.5).abs() < 2.0 * k.std_error.unwrap());
    }
    // With 95 of 100 inside, fewer than 16 of 20 happen once in 400 times.
    assert!(within >= 16, "{within} of 20");
}

#[test]
fn a_fraction_beside_plain_terms_is_found_in_both_equations() {
    let slope = |[x, y]: [f64; 2]| {
        let eaten = x * y / (1.0 + x);
        [4.0 * x - x * x - eaten, eaten - 0.075 * y * y]
    };
    let starts = [[5.0, 10.0], [0.5, 2.0], [3.0, 15.0], [1.0, 6.0]];
    let made = records(&["x", "y"], slope, &starts, (500, 0.02), (7, 0.003));
    let found = learned(&made, &Discover::default());
    for (state, plain) in [(0, vec!["x", "x^2"]), (1, vec!["y^2"])] {
        let model = found.model(state).unwrap();
        let texts = model.term_texts();
        assert_eq!(texts[..plain.len()], plain[..], "{model}");
        assert!(texts[plain.len()].starts_with("x*y/("), "{model}");
        // At this noise one more term may come along, if it does next to nothing.
        let negligible = |w: &f64| w.abs() < 1e-6;
        assert!(texts.len() <= plain.len() + 2, "{model}");
        assert!(
            model.coefficients()[plain.len() + 1..]
                .iter()
                .all(negligible),
            "{model}"
        );
        let [q] = model.parameters() else {
            panic!("{model}");
        };
        let error = q.std_error.unwrap();
        assert!((q.value - 1.0).abs() < 4.0 * error, "{q:?}");
    }
    assert!(found.system().is_some());
}

#[test]
fn formulas_are_terms_too_where_a_record_has_no_noise() {
    // Five numbers, and only two terms in the dictionary.
    let slope = |[x]: [f64; 1]| [(1.0 - 2.0 * x + 0.3 * x.powi(3)) / (1.0 + 0.7 * x * x)];
    let starts = [[2.2], [-1.5], [0.1]];
    let made = records(&["x"], slope, &starts, (300, 0.01), (1, 0.0));
    let formulas = ["1", "x", "x^2", "x^3"].map(|above| format!("{above}/(1+?m*x^2)"));
    let settings = Discover {
        families: Family::parse(formulas, &["x".to_string()]).unwrap(),
        ..Discover::default()
    };
    let dictionary = Dictionary::parse(["x"], ["1", "x"]).unwrap();
    let found = discover(&made, &dictionary, &settings, &Run::default(), &mut ()).unwrap();
    let model = found.model(0).unwrap();
    let [m] = model.parameters() else {
        panic!("{model}");
    };
    assert!((m.value - 0.7).abs() < 1e-4, "{model}");
    assert_eq!(model.terms().len(), 3, "{model}");
}

#[test]
fn numbers_below_the_line_and_inside_terms_are_refined() {
    let made = enzyme(5, 0.02);
    let family = Discover {
        families: Family::parse(["S/(?k+S)"], &["S".to_string()]).unwrap(),
        ..Discover::default()
    };
    // S/(0.5 + S) = 2 S/(1 + 2 S).
    for (settings, truth) in [(Discover::default(), 2.0), (family, 0.5)] {
        let found = learned(&made, &settings);
        let inside = |model: &Model| {
            if let Some(below) = model.denominator() {
                return (below.coefficients()[1], below.std_errors().unwrap()[1]);
            }
            let k = &model.parameters()[0];
            let text = model.to_string();
            assert!(text.contains(&format!("{:.3}", k.value)), "{text}");
            (k.value, k.std_error.unwrap())
        };
        let before = inside(&found.model(0).unwrap());
        let concluded = conclude(&found, &made, Coefficients::OfMotion).unwrap();
        let after = inside(&concluded.system.unwrap().equations()[0]);
        assert!((before.0 - after.0).abs() > 1e-6, "{before:?} {after:?}");
        assert!((before.1 - after.1).abs() > 1e-6, "{before:?} {after:?}");
        assert!((after.0 - truth).abs() < 3.0 * after.1, "{after:?}");
        assert!(after.1 < 1.2 * before.1, "{before:?} {after:?}");
    }
}

#[test]
fn a_refined_number_stays_in_its_range() {
    let made = enzyme(6, 0.02);
    let mut families = Family::parse(["S/(?k+S)"], &["S".to_string()]).unwrap();
    Family::limit(&mut families, "k", (0.55, 2.0)).unwrap();
    let settings = Discover {
        families,
        vocabulary: Some(Vocabulary::Parameters),
        ..Discover::default()
    };
    let dictionary = Dictionary::new(["S"]).unwrap();
    let found = discover(&made, &dictionary, &settings, &Run::default(), &mut ()).unwrap();
    let concluded = conclude(&found, &made, Coefficients::OfMotion).unwrap();
    let system = concluded.system.unwrap();
    let k = &system.equations()[0].parameters()[0];
    assert!((0.55..0.56).contains(&k.value), "{k:?}");
}

#[test]
fn a_solution_that_runs_into_a_pole_says_so() {
    // x' = −1/x reaches zero at t = 2.
    let left = LeftSide::Flow { state: "x".into() };
    let terms = Dictionary::parse(["x"], ["1/x"]).unwrap();
    let model = Model::given(left, terms, &[-1.0]).unwrap();
    let system = System::from_models(vec![model]).unwrap();
    let times: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.1).collect();
    let done = simulate(&system, &[2.0], &times, &Simulate::default()).unwrap();
    let eqlearn::dynamics::simulate::End::Pole { time } = done.end else {
        panic!("{:?}", done.end);
    };
    assert!((time - 2.0).abs() < 1e-3, "{time}");
}
