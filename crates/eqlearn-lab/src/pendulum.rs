//! The double pendulum from a record of its angles and velocities.
//!
//! Two equal rods of length 1 with masses 1 and μ at their ends, gravity g. With `d = a − b` the
//! equations, solved for the accelerations, are fractions over one denominator:
//!
//! ```text
//! a' = u,  b' = v
//! u' = (−g sin a − μ g sin d cos b − μ v² sin d − μ u² sin d cos d) / (1 + μ sin² d)
//! v' = ((1 + μ) (u² sin d + g sin d cos a) + μ v² sin d cos d) / (1 + μ sin² d)
//! ```
//!
//! (`sin a + μ (sin a − sin b cos d) = sin a + μ sin d cos b`.) The terms that are given hold one
//! unknown number, `1/(1 + ?m sin(a−b)^2)` times products of velocities and sines, so that the law
//! is among them exactly; some of them are not in it.
//!
//! Written down before any result was seen: an equation counts as found if it has exactly the true
//! terms, and each coefficient and μ are within 5 % of the truth.

use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::Trajectories;
use eqlearn::terms::family::Family;
use eqlearn::{Dictionary, Discover, Model};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::Known;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::discovered_by;
use crate::systems::standard_deviation;
use crate::{Report, Request};

/// The noise levels in units of each state's standard deviation.
const NOISE: [f64; 3] = [0.0, 0.001, 0.01];
/// Samples of each record.
const N_OBS: usize = 1500;
/// The largest relative error of a number.
const ALLOWED: f64 = 0.05;
const GRAVITY: f64 = 9.81;
const RATIO: f64 = 0.7;

/// Terms over the line.
const ABOVE: [&str; 10] = [
    "sin(a)",
    "sin(b)",
    "sin(a-b)*cos(a)",
    "sin(a-b)*cos(b)",
    "u^2*sin(a-b)",
    "v^2*sin(a-b)",
    "u*v*sin(a-b)",
    "u^2*sin(a-b)*cos(a-b)",
    "v^2*sin(a-b)*cos(a-b)",
    "u*v*sin(a-b)*cos(a-b)",
];

/// The place of each true term above the line, and its coefficient.
fn truth(state: usize) -> Vec<(usize, f64)> {
    let (g, m) = (GRAVITY, RATIO);
    match state {
        2 => vec![(0, -g), (3, -m * g), (5, -m), (7, -m)],
        _ => vec![(2, (1.0 + m) * g), (4, 1.0 + m), (8, m)],
    }
}

static PENDULUM: Known = Known {
    name: "double pendulum",
    key: 51,
    states: &["a", "b", "u", "v"],
    slope: |_, x, d| {
        let (g, m) = (GRAVITY, RATIO);
        let (sin, cos) = (x[0] - x[1]).sin_cos();
        let (uu, vv) = (x[2] * x[2], x[3] * x[3]);
        let below = 1.0 + m * sin * sin;
        d[0] = x[2];
        d[1] = x[3];
        let pull = g * x[0].sin() + m * g * sin * x[1].cos();
        d[2] = (-pull - m * sin * (vv + uu * cos)) / below;
        d[3] = sin * ((1.0 + m) * (uu + g * x[0].cos()) + m * vv * cos) / below;
    },
    step: 0.01,
    ..Known::BLANK
};

const STARTS: [[f64; 4]; 2] = [[1.5, -1.0, 0.0, 0.5], [-0.8, 2.0, 1.0, 0.0]];

#[derive(Debug)]
pub(crate) struct Pendulum {
    seed: u64,
}

impl Pendulum {
    pub(crate) fn new(request: &Request) -> Self {
        Self { seed: request.seed }
    }
}

/// One noise level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    /// The place of its noise in [`NOISE`].
    level: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "noise {}, seed {}", self.level, self.seed)
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The equations as printed; empty where there is none.
    texts: Vec<String>,
    found: Vec<bool>,
}

fn recorded(scenario: &Scenario) -> Trajectories {
    let (known, noise) = (&PENDULUM, NOISE[scenario.level as usize]);
    let run = |(number, start): (u32, &[f64; 4])| {
        let mut states = known.solution_from(start, N_OBS, known.step);
        let sigma: Vec<f64> = states
            .iter()
            .map(|x| noise * standard_deviation(x))
            .collect();
        known.add_noise(
            scenario.seed,
            10 * scenario.level + number,
            &sigma,
            &mut states,
        );
        states
    };
    known.recorded(known.step, (0..).zip(&STARTS).map(run))
}

/// Whether an equation is the true one.
fn is_true(model: &Model, state: usize) -> bool {
    let near = |value: f64, truth: f64| (value / truth - 1.0).abs() <= ALLOWED;
    if state < 2 {
        let velocity = PENDULUM.states[state + 2];
        return model.term_texts() == [velocity] && near(model.coefficients()[0], 1.0);
    }
    let [m] = model.parameters() else {
        return false;
    };
    let features = names();
    let families = families(&features);
    let members = families[0].members(&[m.value]);
    let truth = truth(state);
    let own = model.terms().iter().zip(model.coefficients());
    let is_own = |(term, c): (&eqlearn::Term, &f64)| {
        let place = members.iter().position(|member| member == term);
        truth
            .iter()
            .any(|(own, value)| Some(*own) == place && near(*c, *value))
    };
    model.terms().len() == truth.len() && near(m.value, RATIO) && own.into_iter().all(is_own)
}

/// The family of all terms above the line.
fn families(features: &[String]) -> Vec<Family> {
    let texts = ABOVE.map(|above| format!("{above}/(1+?m*sin(a-b)^2)"));
    Family::parse(texts, features).expect("formulas of the states")
}

impl Experiment for Pendulum {
    type Scenario = Scenario;
    type Method = ();
    type Data = Trajectories;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "pendulum"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let levels = (0..).take(NOISE.len());
        let seed = self.seed;
        levels.map(|level| Scenario { level, seed }).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("discover", ())]
    }

    fn data(&self, scenario: &Scenario) -> Trajectories {
        recorded(scenario)
    }

    fn run(&self, record: &Trajectories, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let features = names();
        let plain = ["1", "u", "v", "sin(a)", "sin(b)", "sin(a-b)"];
        let dictionary = Dictionary::parse(PENDULUM.states.iter().copied(), plain);
        let dictionary = dictionary.expect("terms of the states");
        let settings = Discover {
            families: families(&features),
            ..Discover::default()
        };
        timed(|| discovered_by(record, &dictionary, &settings)).map(|models| {
            let judged = |(state, model): (usize, &Option<Model>)| {
                model.as_ref().is_some_and(|model| is_true(model, state))
            };
            let text = |model: &Option<Model>| model.as_ref().map(ToString::to_string);
            Outcome {
                found: models.iter().enumerate().map(judged).collect(),
                texts: models.iter().map(|m| text(m).unwrap_or_default()).collect(),
            }
        })
    }
}

impl Report for Pendulum {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "equations of the double pendulum, two records of {N_OBS} samples, by noise in % of \
             each state's spread, seed {}\n\n{:>6}  {:>10}\n",
            self.seed, "noise", "found of 4"
        );
        for line in lines {
            let noise = 100.0 * NOISE[line.scenario.level as usize];
            let found = line.outcome.found.iter().filter(|found| **found).count();
            let _ = writeln!(text, "{noise:>6}  {found:>10}");
        }
        for line in lines {
            text.push('\n');
            let noise = 100.0 * NOISE[line.scenario.level as usize];
            for (equation, found) in line.outcome.texts.iter().zip(&line.outcome.found) {
                let told = if *found { "" } else { "not found: " };
                let _ = writeln!(text, "noise {noise} %: {told}{equation}");
            }
        }
        text
    }
}

/// The names of the states.
fn names() -> Vec<String> {
    PENDULUM.states.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_that_count_as_true_give_the_motion() {
        let x = [0.7, -0.4, 1.3, -0.9];
        let mut slope = [0.0; 4];
        (PENDULUM.slope)(0.0, &x, &mut slope);
        let members = families(&names())[0].members(&[RATIO]);
        let columns: Vec<&[f64]> = x.iter().map(std::slice::from_ref).collect();
        for state in [2, 3] {
            let value = |(place, c): (usize, f64)| {
                let mut out = [0.0];
                members[place].evaluate(&columns, &mut out);
                c * out[0]
            };
            let sum: f64 = truth(state).into_iter().map(value).sum();
            assert!((sum - slope[state]).abs() < 1e-12, "{sum} {}", slope[state]);
        }
    }
}
