//! Eight more systems, with noise of 0, 0.1, 1 and 5 % of each state's standard deviation.

use std::fmt::Write as _;

use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::Known;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed};

use crate::dynamics::{Learning, Outcome, Recorded, Scenario};
use crate::{Report, Request};

/// Eight systems of different kinds.
pub(crate) static OTHERS: [Known; 8] = [
    Known {
        name: "van der Pol",
        key: 11,
        states: &["x", "y"],
        truth: &[&["y"], &["x", "y", "x^2*y"]],
        start: &[2.0, 0.0],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = 2.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Lotka–Volterra",
        key: 16,
        states: &["x", "y"],
        truth: &[&["x", "x*y"], &["y", "x*y"]],
        start: &[1.8, 1.3],
        slope: |_, x, d| {
            d[0] = x[0] * (2.0 / 3.0 - 4.0 / 3.0 * x[1]);
            d[1] = x[1] * (x[0] - 1.0);
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Rössler",
        key: 8,
        states: &["x", "y", "z"],
        truth: &[&["y", "z"], &["x", "y"], &["1", "z", "x*z"]],
        start: &[1.0, 1.0, 0.0],
        slope: |_, x, d| {
            d[0] = -x[1] - x[2];
            d[1] = x[0] + 0.2 * x[1];
            d[2] = 0.2 + x[2] * (x[0] - 5.7);
        },
        step: 0.05,
        ..Known::BLANK
    },
    Known {
        name: "Duffing, forced",
        key: 15,
        states: &["x", "v"],
        inputs: &["u"],
        truth: &[&["v"], &["x", "v", "u", "x^3"]],
        start: &[1.0, 0.0],
        slope: |t, x, d| {
            d[0] = x[1];
            d[1] = x[0] - x[0].powi(3) - 0.3 * x[1] + 0.5 * (1.2 * t).cos();
        },
        input: |t| (1.2 * t).cos(),
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Hopf normal form",
        key: 17,
        states: &["x", "y"],
        truth: &[&["x", "y", "x^3", "x*y^2"], &["x", "y", "x^2*y", "y^3"]],
        start: &[2.0, 0.0],
        slope: |_, x, d| {
            let r2 = x[0] * x[0] + x[1] * x[1];
            d[0] = 0.25 * x[0] - x[1] - x[0] * r2;
            d[1] = x[0] + 0.25 * x[1] - x[1] * r2;
        },
        step: 0.01,
        ..Known::BLANK
    },
    Known {
        name: "damped pendulum",
        key: 18,
        states: &["a", "w"],
        truth: &[&["w"], &["w", "sin(a)"]],
        start: &[2.8, 0.0],
        terms: &["sin(a)", "cos(a)"],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = -4.0 * x[0].sin() - 0.1 * x[1];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "SIR",
        key: 3,
        states: &["s", "i"],
        truth: &[&["s*i"], &["i", "s*i"]],
        start: &[0.99, 0.01],
        slope: |_, x, d| {
            d[0] = -1.5 * x[0] * x[1];
            d[1] = 1.5 * x[0] * x[1] - 0.3 * x[1];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Rössler, hyperchaotic",
        key: 22,
        states: &["x", "y", "z", "w"],
        truth: &[&["y", "z"], &["x", "y", "w"], &["1", "x*z"], &["z", "w"]],
        start: &[-10.0, -6.0, 0.0, 10.0],
        slope: |_, x, d| {
            d[0] = -x[1] - x[2];
            d[1] = x[0] + 0.25 * x[1] + x[3];
            d[2] = 3.0 + x[0] * x[2];
            d[3] = -0.5 * x[2] + 0.05 * x[3];
        },
        step: 0.02,
        ..Known::BLANK
    },
];

/// The noise levels.
const SIGMAS: [f64; 4] = [0.0, 0.001, 0.01, 0.05];

#[derive(Debug)]
pub(crate) struct Systems {
    seed: u64,
    learning: Learning,
}

impl Systems {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            seed: request.seed,
            learning: Learning::new(request),
        }
    }
}

pub(crate) fn standard_deviation(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}

impl Experiment for Systems {
    type Scenario = Scenario;
    type Method = ();
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "systems"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let levels = OTHERS.iter().flat_map(|known| SIGMAS.map(|s| (known, s)));
        let scenario = |(number, (known, sigma)): (u32, (&Known, f64))| Scenario {
            system: known.name.to_string(),
            number,
            n_obs: 2000,
            step: known.step,
            sigma,
            seed: self.seed,
            rows: self.learning.rows.to_string(),
        };
        (0..).zip(levels).map(scenario).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![(self.learning.method.name(), ())]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        let known = OTHERS.iter().find(|known| known.name == scenario.system);
        let known = known.expect("one of the eight");
        Recorded::new(known, scenario, |x| scenario.sigma * standard_deviation(x))
    }

    fn run(&self, recorded: &Recorded, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        self.learning.outcome(recorded, 3, 3)
    }
}

impl Report for Systems {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "equations found of all, by noise in % of each state's spread; 2000 samples, degree 3\n\
             \n{:<24} {:>8} {:>8} {:>8} {:>8}\n",
            "system", "0", "0.1", "1", "5"
        );
        for group in lines.chunks(SIGMAS.len()) {
            let _ = write!(text, "{:<24}", group[0].scenario.system);
            for line in group {
                let (right, all) = (line.outcome.n_right(), line.outcome.right.len());
                let _ = write!(text, " {:>8}", format!("{right}/{all}"));
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use eqlearn_reproduce::known::{LORENZ, RABINOVICH, RABINOVICH_ATTRACTOR};

    use super::*;

    #[test]
    fn no_two_systems_share_their_random_numbers() {
        let papers = [LORENZ, RABINOVICH, RABINOVICH_ATTRACTOR];
        let mut keys: Vec<u32> = papers.iter().chain(&OTHERS).map(|k| k.key).collect();
        keys.sort_unstable();
        let all = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }
}
