//! Differential equations from trajectories: what is found, and what must not change it.

use eqlearn::data::trajectory::Trajectories;
use eqlearn::search::Run;
use eqlearn::{
    Denoise, Dictionary, Discover, Discovery, Order, ReadOptions, Source, System, discover,
    forecast, refine,
};

use crate::fixture::Dice;
use crate::orbit::motion;

/// Lorenz's system, with noise.
fn lorenz(seed: u64, n: usize, step: f64, sigma: f64) -> Trajectories {
    let slope = |x: [f64; 3]| {
        [
            10.0 * (x[1] - x[0]),
            x[0] * (28.0 - x[2]) - x[1],
            x[0] * x[1] - 8.0 / 3.0 * x[2],
        ]
    };
    let mut states = motion(slope, [-8.0, 8.0, 27.0], (n, step), 40);
    let mut dice = Dice::new(seed);
    for i in 0..n {
        for column in &mut states {
            column[i] += sigma * dice.normal();
        }
    }
    let times = (0..n).map(|i| i as f64 * step).collect();
    Trajectories::of_run("t", times, &["x", "y", "z"], states).unwrap()
}

/// The angle of a damped pendulum, x'' = −9 sin x − 0.3 x', by small steps of a symmetric method,
/// with noise.
fn swing(seed: u64, sigma: f64) -> Trajectories {
    let (n, step, small) = (800, 0.025, 400);
    let mut dice = Dice::new(seed);
    let (mut x, mut v) = (2.0_f64, 0.0);
    let mut angles = Vec::new();
    for _ in 0..n {
        angles.push(x + sigma * dice.normal());
        let h = step / f64::from(small);
        for _ in 0..small {
            let middle = x + 0.5 * h * v;
            v = (v * (1.0 - 0.15 * h) - 9.0 * h * middle.sin()) / (1.0 + 0.15 * h);
            x = middle + 0.5 * h * v;
        }
    }
    let times = (0..n).map(|i| f64::from(i) * step).collect();
    Trajectories::of_run("t", times, &["x"], vec![angles]).unwrap()
}

#[test]
fn accelerations_are_found_from_noisy_positions() {
    for (seed, sigma) in [(2, 1e-3), (3, 1e-3), (4, 1e-3), (5, 0.01), (6, 0.05)] {
        let made = swing(seed, sigma);
        let settings = Discover {
            order: Order::Second,
            ..Discover::default()
        };
        let features = settings.order.features(&made).unwrap();
        let dictionary = Dictionary::monomials(features, 3, 3, true).unwrap();
        let dictionary = dictionary.and_parse(["sin(x)"]).unwrap();
        let found = discover(&made, &dictionary, &settings, &Run::default(), &mut ()).unwrap();
        let model = found.model(0).unwrap();
        assert_eq!(model.term_texts(), ["dx", "sin(x)"], "seed {seed}, {sigma}");
        let truth = [-0.3, -9.0];
        let errors = model.std_errors().unwrap();
        for ((found, error), truth) in model.coefficients().iter().zip(errors).zip(truth) {
            assert!(
                (found - truth).abs() < 5.0 * error + 1e-4,
                "{found} ± {error}"
            );
        }
    }
}

/// A damped pendulum with so much noise that velocities are not seen in the record.
#[test]
fn accelerations_are_found_through_much_noise() {
    let made = swing(7, 0.15);
    let settings = Discover {
        order: Order::Second,
        ..Discover::default()
    };
    let features = settings.order.features(&made).unwrap();
    let dictionary = Dictionary::monomials(features, 3, 3, true).unwrap();
    let dictionary = dictionary.and_parse(["sin(x)"]).unwrap();
    let found = discover(&made, &dictionary, &settings, &Run::default(), &mut ()).unwrap();
    assert!(found.choice().denoised.is_some());
    let model = found.model(0).unwrap();
    assert_eq!(model.term_texts(), ["dx", "sin(x)"]);
    let errors = model.std_errors().unwrap();
    for ((found, error), truth) in model.coefficients().iter().zip(errors).zip([-0.3, -9.0]) {
        assert!((found - truth).abs() < 4.0 * error, "{found} ± {error}");
    }
    assert_eq!(found.cleaned().unwrap().states(), ["x"]);
}

/// A seed with which the weak form alone is wrong, as with most.
const NOISY: u64 = 2;

/// Noise of 20 % of the pooled spread: each equation's own rows cannot tell y from y*z.
#[test]
fn much_noise_needs_the_whole_record() {
    let made = lorenz(NOISY, 401, 0.01, 1.68);
    let dictionary = Dictionary::monomials(made.states(), 2, 2, true).unwrap();
    let found = |denoise: Denoise, threads: usize| {
        let settings = Discover {
            denoise,
            ..Discover::default()
        };
        let run = Run {
            threads,
            ..Run::default()
        };
        discover(&made, &dictionary, &settings, &run, &mut ()).unwrap()
    };
    let terms = |found: &Discovery| -> Vec<Vec<String>> {
        (0..3)
            .map(|d| found.model(d).unwrap().term_texts())
            .collect()
    };
    let truth = [vec!["x", "y"], vec!["x", "y", "x*z"], vec!["z", "x*y"]];
    let apart = found(Denoise::Off, 1);
    assert_ne!(terms(&apart), truth);
    assert!(apart.cleaned().is_none() && apart.choice().denoised.is_none());
    let together = found(Denoise::Auto, 1);
    assert_eq!(terms(&together), truth);
    let denoised = together.choice().denoised.as_ref().unwrap();
    assert!(!denoised.changed.is_empty());
    let names: Vec<&str> = denoised
        .states
        .iter()
        .map(|one| one.state.as_str())
        .collect();
    assert_eq!(names, made.states());
    for (one, noise) in denoised.states.iter().zip(&together.choice().noise) {
        assert_eq!(one.noise.to_bits(), noise.to_bits());
        assert!((one.chi2_per_sample - 1.0).abs() < 0.3, "{one:?}");
    }
    for (state, study) in together.studies().iter().enumerate() {
        let model = together.model(state).unwrap();
        assert!(model.std_errors().unwrap().iter().all(|error| *error > 0.0));
        assert!((model.sigma().unwrap() / 1.68 - 1.0).abs() < 0.15);
        assert!(study.answer().unwrap().probability > 0.3);
    }
    // The states without noise are nearer to the motion than the record is.
    let clean = lorenz(NOISY, 401, 0.01, 0.0);
    let cleaned = together.cleaned().unwrap();
    for d in 0..3 {
        let of = |made: &Trajectories| made.pieces()[0].columns()[d].clone();
        let (truth, own, noisy) = (of(&clean), of(cleaned), of(&made));
        let distance = |a: &[f64]| -> f64 {
            let squares = a.iter().zip(&truth).map(|(a, b)| (a - b).powi(2));
            (squares.sum::<f64>() / 401.0).sqrt()
        };
        assert!(distance(&own) < 0.4 * distance(&noisy), "{d}");
    }
    let again = found(Denoise::Auto, 3);
    assert_eq!(again.system(), together.system());
}

fn learned(made: &Trajectories, power: u32, degree: u32) -> Discovery {
    let dictionary = Dictionary::monomials(made.states(), power, degree, true).unwrap();
    let (settings, run) = (Discover::default(), Run::default());
    discover(made, &dictionary, &settings, &run, &mut ()).unwrap()
}

fn terms(system: &System) -> Vec<Vec<String>> {
    system
        .equations()
        .iter()
        .map(eqlearn::Model::term_texts)
        .collect()
}

#[track_caller]
fn assert_has_the_terms_of_lorenz(system: &System) {
    let truth = [vec!["x", "y"], vec!["x", "y", "x*z"], vec!["z", "x*y"]];
    assert_eq!(terms(system), truth, "{system}");
}

#[test]
fn lorenz_is_found_whether_steps_are_short_or_long() {
    for (n, step, sigma) in [(1000, 0.01, 0.05), (1000, 0.05, 0.05), (1000, 0.1, 0.01)] {
        let made = lorenz(1, n, step, sigma);
        let found = learned(&made, 4, 6);
        let system = found.system().unwrap();
        assert_has_the_terms_of_lorenz(&system);
        let noise = found.choice().noise[0];
        assert!(
            noise > 0.3 * sigma && noise < 3.0 * sigma,
            "{noise} for {sigma}"
        );
        let choice = found.choice();
        let opinion = forecast(&system, &made, &choice.noise, choice.time_scale).unwrap();
        assert_eq!(opinion.failures, 0);
    }
}

#[test]
fn coefficients_are_within_their_errors() {
    let found = learned(&lorenz(2, 2000, 0.01, 0.1), 2, 2);
    let system = found.system().unwrap();
    assert_has_the_terms_of_lorenz(&system);
    let truth = [
        vec![-10.0, 10.0],
        vec![28.0, -1.0, -1.0],
        vec![-8.0 / 3.0, 1.0],
    ];
    for (model, truth) in system.equations().iter().zip(&truth) {
        let errors = model.std_errors().unwrap();
        for ((w, error), truth) in model.coefficients().iter().zip(errors).zip(truth) {
            assert!((w - truth).abs() < 4.5 * error, "{w} ± {error} for {truth}");
        }
    }
}

#[test]
fn refined_coefficients_are_within_their_errors() {
    let made = lorenz(3, 1500, 0.02, 0.1);
    let found = learned(&made, 2, 2);
    let system = found.system().unwrap();
    let choice = found.choice();
    let (noise, scale) = (&choice.noise, choice.time_scale);
    let refined = refine(&system, found.forms(), &made, noise, scale).unwrap();
    assert_has_the_terms_of_lorenz(&refined.system);
    assert!(refined.distance.1 <= refined.distance.0);
    assert!(
        (refined.distance.1 - 1.0).abs() < 0.3,
        "{:?}",
        refined.distance
    );
    let truth = [-10.0, 10.0, 28.0, -1.0, -1.0, -8.0 / 3.0, 1.0];
    let models = refined.system.equations().iter();
    let both = models.flat_map(|m| m.coefficients().iter().zip(m.std_errors().unwrap()));
    for ((w, error), truth) in both.zip(truth) {
        assert!((w - truth).abs() < 4.5 * error, "{w} ± {error} for {truth}");
        assert!(*error < 0.05 * truth.abs(), "{w} ± {error}");
    }
}

#[test]
fn refined_coefficients_are_closer_to_the_truth_than_those_of_the_rows() {
    let slope = |x: [f64; 3]| [-x[1] - x[2], x[0] + 0.2 * x[1], 0.2 + x[2] * (x[0] - 5.7)];
    let truth = [-1.0, -1.0, 1.0, 0.2, 0.2, -5.7, 1.0];
    let error = |system: &System| -> f64 {
        let found = system
            .equations()
            .iter()
            .flat_map(eqlearn::Model::coefficients);
        let squares = found.zip(truth).map(|(w, truth)| (w - truth).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let (n, step) = (2000, 0.05);
    let (mut by_rows, mut by_motion) = (0.0, 0.0);
    for seed in 1..=4 {
        let mut states = motion(slope, [1.0, 1.0, 0.0], (n, step), 40);
        let mut dice = Dice::new(seed);
        for column in &mut states {
            for x in column.iter_mut() {
                *x += 0.005 * dice.normal();
            }
        }
        let times = (0..n).map(|i| i as f64 * step).collect();
        let made = Trajectories::of_run("t", times, &["x", "y", "z"], states).unwrap();
        let dictionary = Dictionary::monomials(made.states(), 2, 2, true).unwrap();
        let settings = Discover {
            denoise: Denoise::Off,
            ..Discover::default()
        };
        let found = discover(&made, &dictionary, &settings, &Run::default(), &mut ()).unwrap();
        let system = found.system().unwrap();
        assert_eq!(
            terms(&system),
            [vec!["y", "z"], vec!["x", "y"], vec!["1", "z", "x*z"]]
        );
        let choice = found.choice();
        let (noise, scale) = (&choice.noise, choice.time_scale);
        let refined = refine(&system, found.forms(), &made, noise, scale).unwrap();
        assert!(refined.duration > 4.0 * scale, "{}", refined.duration);
        by_rows += error(&system);
        by_motion += error(&refined.system);
    }
    assert!(by_motion < 0.8 * by_rows, "{by_motion} {by_rows}");
}

#[test]
fn the_hudson_bay_record_has_the_terms_of_lotka_and_volterra() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lynx_hare.csv");
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    let names = ["year", "hare", "lynx"].map(String::from);
    let table = source.batches(&names).unwrap().next().unwrap().unwrap();
    let column = |name: &str| table.column(name).unwrap().to_vec();
    let states = ["hare", "lynx"];
    let columns = states.map(column).to_vec();
    let made = Trajectories::of_run("year", column("year"), &states, columns).unwrap();
    let system = learned(&made, 2, 2).system().unwrap();
    assert_eq!(
        terms(&system),
        [["hare", "hare*lynx"], ["lynx", "hare*lynx"]]
    );
}

#[test]
fn a_clean_law_is_found_in_the_smallest_dictionary() {
    // x = ln(1 + t) obeys x' = exp(−x).
    let times: Vec<f64> = (0..=1000).map(|i| 0.02 * f64::from(i)).collect();
    let x = times.iter().map(|t| t.ln_1p()).collect();
    let made = Trajectories::of_run("t", times, &["x"], vec![x]).unwrap();
    for terms in [&["exp(-x)"][..], &["x", "exp(-x)"]] {
        let dictionary = Dictionary::parse(["x"], terms.iter().copied()).unwrap();
        let (settings, run) = (Discover::default(), Run::default());
        let found = discover(&made, &dictionary, &settings, &run, &mut ()).unwrap();
        let model = found.model(0).expect("there is a law");
        assert_eq!(model.term_texts(), ["exp(-x)"], "among {terms:?}");
        assert!((model.coefficients()[0] - 1.0).abs() < 1e-9, "{model}");
    }
}

#[test]
fn a_clean_answer_is_as_probable_as_it_was_chosen() {
    for step in [0.01, 0.05, 0.1] {
        let found = learned(&lorenz(1, 1000, step, 0.0), 4, 4);
        for study in found.studies() {
            assert_eq!(
                study.place(),
                Some(0),
                "the answer is the first of its list"
            );
            assert!(study.answer().unwrap().probability > 0.5);
        }
    }
}
