//! Simulations against exact solutions.

use std::f64::consts::TAU;

use super::*;
use crate::fields::dictionary::parse;
use crate::fields::names::Names;
use crate::learn::model::Model;
use crate::terms::left_side::LeftSide;

/// Equations of quantities, each as its terms with their coefficients.
fn system(equations: &[(&str, &[(&str, f64)])]) -> FieldSystem {
    let quantities = equations.iter().map(|(name, _)| *name);
    let names = Names::new(quantities, ["t", "x"]).unwrap();
    let model = |(name, terms): &(&str, &[(&str, f64)])| {
        let left = LeftSide::Evolution {
            of: (*name).into(),
            time: "t".into(),
            order: 1,
        };
        let (texts, coefficients): (Vec<&str>, Vec<f64>) = terms.iter().copied().unzip();
        Model::given(left, parse(&names, texts).unwrap(), &coefficients).unwrap()
    };
    let models = equations.iter().map(model).collect();
    FieldSystem::from_models(names, models).unwrap()
}

fn line(n: u32, length: f64, f: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..n)
        .map(|i| f(length * f64::from(i) / f64::from(n)))
        .collect()
}

fn times(n: u32, until: f64) -> Vec<f64> {
    (0..=n)
        .map(|i| until * f64::from(i) / f64::from(n))
        .collect()
}

/// The values at the last time of a run that must have come so far.
fn last(run: &FieldSimulation, n: usize) -> &[f64] {
    assert_eq!(run.end, End::Reached);
    &run.values[0][(run.times.len() - 1) * n..]
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let both = a.iter().zip(b);
    both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn heat_and_transport_are_exact() {
    let moving = system(&[("u", &[("u_x", -1.5), ("u_xx", 0.2)])]);
    let start = line(33, TAU, |x| (3.0 * x).sin() + 0.5 * x.cos());
    let run = simulate_field(&moving, &[start], TAU, &times(3, 2.0), &Simulate::default()).unwrap();
    let decay = |k: f64| (-0.2 * k * k * 2.0).exp();
    let exact = line(33, TAU, |x| {
        decay(3.0) * (3.0 * (x - 3.0)).sin() + 0.5 * decay(1.0) * (x - 3.0).cos()
    });
    assert!(largest_difference(last(&run, 33), &exact) < 1e-13);
}

/// A soliton of the Korteweg–de Vries equation `u_t = −6 u u_x − u_xxx`.
fn soliton(c: f64, x: f64) -> f64 {
    0.5 * c / (0.5 * c.sqrt() * x).cosh().powi(2)
}

#[test]
fn a_soliton_keeps_its_shape_and_its_speed() {
    let kdv = system(&[("u", &[("u*u_x", -6.0), ("u_xxx", -1.0)])]);
    let (n, length, c) = (256, 40.0, 4.0);
    let start = line(n, length, |x| soliton(c, x - 15.0));
    let error = |tolerance: f64| {
        let settings = Simulate {
            tolerance,
            ..Simulate::default()
        };
        let start = [start.clone()];
        let run = simulate_field(&kdv, &start, length, &times(2, 2.0), &settings).unwrap();
        let exact = line(n, length, |x| soliton(c, x - 15.0 - c * 2.0));
        largest_difference(last(&run, n as usize), &exact)
    };
    let (loose, tight) = (error(1e-5), error(1e-9));
    assert!(tight < 1e-6, "{tight}");
    assert!(tight < 0.01 * loose, "{loose} {tight}");
}

/// The Cole–Hopf solution of `u_t = −u u_x + ν u_xx` that is `−2ν φ_x/φ` with
/// `φ = 2 + exp(−ν t) cos x`.
#[test]
fn a_viscous_wave_follows_cole_and_hopf() {
    let nu = 0.1;
    let burgers = system(&[("u", &[("u*u_x", -1.0), ("u_xx", nu)])]);
    let exact = |t: f64| {
        let decay = (-nu * t).exp();
        line(128, TAU, |x| {
            2.0 * nu * decay * x.sin() / (2.0 + decay * x.cos())
        })
    };
    let settings = Simulate::default();
    let run = simulate_field(&burgers, &[exact(0.0)], TAU, &times(5, 4.0), &settings).unwrap();
    assert!(largest_difference(last(&run, 128), &exact(4.0)) < 1e-8);
}

/// Waves of two quantities that drive each other: `u_t = v_x`, `v_t = u_x`.
#[test]
fn quantities_act_on_each_other() {
    let waves = system(&[("u", &[("v_x", 1.0)]), ("v", &[("u_x", 1.0)])]);
    let start = [line(32, TAU, f64::sin), line(32, TAU, |_| 0.0)];
    let settings = Simulate::default();
    let run = simulate_field(&waves, &start, TAU, &times(4, 1.0), &settings).unwrap();
    let exact = line(32, TAU, |x| f64::midpoint((x + 1.0).sin(), (x - 1.0).sin()));
    assert!(largest_difference(last(&run, 32), &exact) < 1e-7);
}

/// A step that halves has an error smaller by 2⁵, that is by 2⁴ over the same time.
#[test]
fn the_error_falls_with_the_fourth_power_of_the_step() {
    let fisher = system(&[("u", &[("u", 1.0), ("u^2", -1.0), ("u_xx", 0.1)])]);
    let waves = Waves::new(&fisher, 64, TAU).unwrap();
    let start = waves.of(&[line(64, TAU, |x| 0.5 + 0.3 * x.sin())]);
    let after = |steps: u32| {
        let step = Step::new(waves.linear(), 1.0 / f64::from(steps));
        (0..steps).fold(start.clone(), |state, _| step.take(&waves, &state))
    };
    let exact = after(256);
    let off = |steps: u32| {
        let difference = after(steps);
        let difference: State = difference.iter().zip(&exact).map(|(a, b)| a - b).collect();
        norm(&difference)
    };
    let order = (off(8) / off(16)).log2();
    assert!((3.7..4.3).contains(&order), "{order}");
}

#[test]
fn failures_are_results() {
    let growing = system(&[("u", &[("u^2", 1.0)])]);
    let start = [line(16, 1.0, |_| 1.0)];
    let settings = Simulate::default();
    let run = simulate_field(&growing, &start, 1.0, &times(4, 2.4), &settings).unwrap();
    // 1/(1 − t) has a pole at 1.
    assert!(
        matches!(run.end, End::BlewUp { time } if (time - 1.0).abs() < 1e-3),
        "{:?}",
        run.end
    );
    assert_eq!(run.times.len(), 2, "0 and 0.6 were reached");
    let backward = system(&[("u", &[("u_xx", -1.0)])]);
    let start = [line(64, 1.0, |x| {
        (TAU * x).sin() + 1e-9 * (TAU * 25.0 * x).sin()
    })];
    let run = simulate_field(&backward, &start, 1.0, &times(4, 2.0), &settings).unwrap();
    assert!(matches!(run.end, End::BlewUp { .. }), "{:?}", run.end);
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let heat = system(&[("u", &[("u_xx", 1.0)])]);
    let settings = Simulate::default();
    let said = |start: &[Vec<f64>], length: f64, times: &[f64]| {
        let run = simulate_field(&heat, start, length, times, &settings);
        run.unwrap_err().to_string()
    };
    let start = vec![line(16, 1.0, f64::sin)];
    insta::assert_snapshot!(
        said(&[vec![1.0; 4]], 1.0, &[0.0, 1.0]),
        @"a simulation starts from the values of u at the same 8 points or more, all finite"
    );
    insta::assert_snapshot!(
        said(&start, 0.0, &[0.0, 1.0]),
        @"the field repeats itself after 0; it must be a length above 0"
    );
    insta::assert_snapshot!(
        said(&start, 1.0, &[0.0, 0.0]),
        @"the times of a simulation must increase"
    );
}
