//! The solver against closed forms and differences, and the evidence in other units.

use super::fit::Start;
use super::linear::{Scales, coefficients};
use super::local::Local;
use super::problem::Position;
use super::*;
use crate::data::trajectory::{Record, TimeFeature, Trajectories};
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;

/// Errors of fixed shape that look like noise.
fn noise(i: usize, k: f64) -> f64 {
    (12.9898 * k * ((i * i) as f64) + k).sin()
}

/// A decay from 3 at rate 0.8, with noise of this size.
fn decay(size: f64, unit: f64, second: f64) -> Trajectories {
    let times: Vec<f64> = (0..80).map(|i| 0.05 * f64::from(i)).collect();
    let value = |(i, t): (usize, &f64)| 3.0 * (-0.8 * t).exp() + size * noise(i, 1.3);
    let x = times.iter().enumerate().map(value).map(|x| unit * x);
    let x = x.collect();
    let times = times.iter().map(|t| second * t).collect();
    Trajectories::of_run("t", times, &["x"], vec![x]).unwrap()
}

fn problem(record: &Trajectories, second: f64) -> (Problem, Dictionary) {
    let dictionary = Dictionary::monomials(["x"], 3, 3, true).unwrap();
    let all: Support = (0..dictionary.len()).collect();
    let choice = Choice {
        allowed: vec![all],
        forced: vec![Support::empty()],
        most: vec![4],
    };
    let problem = Problem::new(record, &dictionary, second, choice);
    (problem, dictionary)
}

fn fitted(problem: &Problem, terms: &[usize], guess: &[f64]) -> Fitted {
    fitted_in(1.0, problem, terms, guess)
}

/// With times in units in which a second is that long.
fn fitted_in(second: f64, problem: &Problem, terms: &[usize], guess: &[f64]) -> Fitted {
    let laws = vec![terms.iter().copied().collect()];
    let noise = 0.1 * problem.slopes[0] * second;
    let start = Start::from_record(problem, vec![guess.to_vec()], &[noise]);
    problem.fit(&laws, start).unwrap()
}

#[test]
fn a_linear_system_is_fitted_as_its_solution_is() {
    let record = decay(0.05, 1.0, 1.0);
    let (problem, _) = problem(&record, 1.0);
    let found = fitted(&problem, &[1], &[-0.5]);
    // Least squares of the solution a·exp(w t) itself, from the truth.
    let piece = &record.pieces()[0];
    let (mut a, mut w) = (3.0, -0.8);
    let (mut variance, mut rss) = (0.0, 0.0);
    for _ in 0..20 {
        let (mut aa, mut aw, mut ww, mut ga, mut gw) = (0.0, 0.0, 0.0, 0.0, 0.0);
        rss = 0.0;
        for (t, x) in piece.times().iter().zip(&piece.columns()[0]) {
            let (by_a, by_w) = ((w * t).exp(), a * t * (w * t).exp());
            let left: f64 = x - a * by_a;
            aa += by_a * by_a;
            aw += by_a * by_w;
            ww += by_w * by_w;
            ga += by_a * left;
            gw += by_w * left;
            rss += left * left;
        }
        let determinant = aa * ww - aw * aw;
        a += (ww * ga - aw * gw) / determinant;
        w += (aa * gw - aw * ga) / determinant;
        variance = aa / determinant;
    }
    let sigma = (rss / 78.0).sqrt();
    let error = sigma * variance.sqrt();
    let own = found.at.coefficients[0][0];
    assert!((own - w).abs() < 0.02 * error, "{own} {w} ± {error}");
    assert!((found.scales.noise[0] / sigma - 1.0).abs() < 0.01);
    assert!((found.covariance[0][0].sqrt() / error - 1.0).abs() < 0.02);
    assert!(found.settled);
}

#[test]
fn the_gradient_is_that_of_the_cost() {
    let record = decay(0.05, 1.0, 1.0);
    let (problem, _) = problem(&record, 1.0);
    let laws: Laws = vec![Support::from_iter([0, 1, 3])];
    let at = Position {
        states: problem.recorded(),
        coefficients: vec![vec![0.1, -0.7, -0.02]],
    };
    let scales = Scales {
        noise: vec![0.05],
        slopes: vec![0.3],
    };
    let border = coefficients(&laws);
    let linear = problem.linear(&laws, &at, &scales, &border).unwrap();
    let cost = |at: &Position| problem.cost(&laws, at, &scales).unwrap().total();
    let step = 1e-5;
    let slope = |moved: &dyn Fn(&mut Position, f64)| {
        let (mut up, mut down) = (at.clone(), at.clone());
        moved(&mut up, step);
        moved(&mut down, -step);
        (cost(&up) - cost(&down)) / (2.0 * step)
    };
    for i in [0, 1, 2, 40, 78, 79] {
        let wanted = slope(&|at, by| at.states[0][0][i] += by);
        let own = linear.by_states[i];
        assert!((own - wanted).abs() < 1e-5 * wanted.abs().max(1.0), "{i}");
    }
    for j in 0..3 {
        let wanted = slope(&|at, by| at.coefficients[0][j] += by);
        let own = linear.by_coefficients[j];
        assert!((own - wanted).abs() < 1e-5 * wanted.abs().max(1.0), "{j}");
    }
}

#[test]
fn odds_do_not_depend_on_units() {
    let odds = |unit: f64, second: f64| {
        let record = decay(0.1, unit, second);
        let (problem, _) = problem(&record, second);
        let rate = -0.5 / second;
        let evidence =
            |terms: &[usize], guess: &[f64]| fitted_in(second, &problem, terms, guess).evidence;
        evidence(&[1], &[rate]) - evidence(&[1, 2], &[rate, 0.0])
    };
    let here = odds(1.0, 1.0);
    assert!(here > 0.0, "{here}");
    for (unit, second) in [(1e3, 1.0), (1.0, 3600.0), (1e-4, 0.01)] {
        let there = odds(unit, second);
        assert!((there - here).abs() < 0.01, "{there} {here}");
    }
}

#[test]
fn the_quadratic_model_foresees_fits_nearby() {
    let record = decay(0.02, 1.0, 1.0);
    let (problem, _) = problem(&record, 1.0);
    let two = fitted(&problem, &[1, 2], &[-0.7, 0.0]);
    let one = fitted(&problem, &[1], &[-0.7]);
    let local = Local::new(&problem, &two).unwrap();
    let foreseen = local.evidence(&Support::from_iter([1])) - local.evidence(&local.own);
    let real = one.evidence - two.evidence;
    assert!((foreseen - real).abs() < 0.3, "{foreseen} {real}");
    // Its own climb drops the term, too.
    let summit = local.laws(&local.summit(&local.own), 1);
    assert_eq!(summit, one.laws);
}

#[test]
fn all_starts_lead_to_the_law() {
    let record = decay(0.05, 1.0, 1.0);
    let (problem, _) = problem(&record, 1.0);
    for (law, coefficients) in [(vec![], vec![]), (vec![0, 3], vec![-0.1, -0.1])] {
        let guess = Guess {
            laws: vec![law.into_iter().collect()],
            coefficients: vec![coefficients],
            noise: vec![0.05],
        };
        let found = search(&problem, &guess, 1).unwrap();
        assert_eq!(found.best.laws, [Support::from_iter([1])]);
        assert!(found.fits >= found.reached.len());
    }
}

/// A record of x' = −0.8 x + u, with u = sin 2t, at unequal times.
fn driven(name: &str, first: f64, k: f64) -> Record {
    let times: Vec<f64> = (0..60)
        .map(|i| 0.1 * i as f64 + 0.03 * noise(i, k))
        .collect();
    // The solution that decays plus the one that stays.
    let steady = |t: f64| (0.8 * (2.0 * t).sin() - 2.0 * (2.0 * t).cos()) / 4.64;
    let value = |t: &f64| (first - steady(0.0)) * (-0.8 * t).exp() + steady(*t);
    let noisy = times.iter().enumerate();
    let noisy = noisy.map(|(i, t)| value(t) + 0.05 * noise(i, k + 1.0));
    Record {
        name: name.into(),
        states: vec![noisy.collect()],
        inputs: vec![times.iter().map(|t| (2.0 * t).sin()).collect()],
        times,
    }
}

#[test]
fn records_at_unequal_times_with_an_input_are_fitted_together() {
    let records = vec![driven("a", 3.0, 1.1), driven("b", -2.0, 1.7)];
    let record = Trajectories::new("t", &["x"], &["u"], TimeFeature::No, records).unwrap();
    let dictionary = Dictionary::monomials(["x", "u"], 2, 2, true).unwrap();
    let choice = Choice {
        allowed: vec![(0..dictionary.len()).collect()],
        forced: vec![Support::empty()],
        most: vec![4],
    };
    let problem = Problem::new(&record, &dictionary, 1.0, choice);
    let guess = Guess {
        laws: vec![Support::empty()],
        coefficients: vec![Vec::new()],
        noise: vec![0.05],
    };
    let found = search(&problem, &guess, 1).unwrap().best;
    let terms = found.laws[0].indices().iter();
    let names: Vec<String> = terms
        .map(|&term| dictionary.terms()[term].to_string())
        .collect();
    assert_eq!(names, ["x", "u"]);
    for (place, truth) in [-0.8, 1.0].into_iter().enumerate() {
        let (own, error) = (
            found.at.coefficients[0][place],
            found.covariance[place][place],
        );
        assert!((own - truth).abs() < 4.0 * error.sqrt(), "{own} {truth}");
    }
}
