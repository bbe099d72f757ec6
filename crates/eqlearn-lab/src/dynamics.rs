//! Differential equations from noisy trajectories: the paper's scenarios, with any rows and method.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Discover, Method, RowScheme};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::Known;
use eqlearn_reproduce::paper::grid;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::{Constant, discovered, settings};
use crate::{Report, Request};

/// The paper's scenarios of one system.
#[derive(Debug)]
pub(crate) struct Grid {
    known: &'static Known,
    seed: u64,
    learning: Learning,
}

/// How trajectories become equations.
#[derive(Debug, Clone)]
pub(crate) struct Learning {
    pub(crate) rows: RowScheme,
    pub(crate) method: Method,
}

/// One trajectory to learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    pub(crate) system: String,
    /// Its place in the grid, a part of the key of its noise.
    pub(crate) number: u32,
    pub(crate) n_obs: usize,
    pub(crate) step: f64,
    /// The standard deviation of the noise, or its ratio to that of each state.
    pub(crate) sigma: f64,
    pub(crate) seed: u64,
    pub(crate) rows: String,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            number,
            seed,
            rows,
            ..
        } = self;
        write!(f, "number {number} of {system}, seed {seed}, rows {rows}")
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The terms of each equation.
    pub(crate) terms: Vec<Vec<String>>,
    /// Which equations have exactly the true terms.
    pub(crate) right: Vec<bool>,
}

impl Outcome {
    pub(crate) fn n_right(&self) -> usize {
        self.right.iter().filter(|right| **right).count()
    }
}

/// A recorded trajectory and the system that made it.
#[derive(Debug)]
pub(crate) struct Recorded {
    known: &'static Known,
    trajectories: Trajectories,
}

impl Recorded {
    /// Records a solution with noise of one standard deviation per state.
    pub(crate) fn new(
        known: &'static Known,
        scenario: &Scenario,
        sigma: impl Fn(&[f64]) -> f64,
    ) -> Self {
        let Scenario { n_obs, step, .. } = *scenario;
        let mut states = known.solution(n_obs, step);
        let sigma: Vec<f64> = states.iter().map(|x| sigma(x)).collect();
        known.add_noise(scenario.seed, scenario.number, &sigma, &mut states);
        Self {
            known,
            trajectories: known.recorded(step, [states]),
        }
    }

    pub(crate) fn trajectories(&self) -> &Trajectories {
        &self.trajectories
    }
}

impl Learning {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            rows: request.rows,
            method: request.method.clone(),
        }
    }

    /// Learns from monomials up to a power and a degree, and compares with the truth.
    pub(crate) fn outcome(&self, recorded: &Recorded, power: u32, degree: u32) -> Timed<Outcome> {
        let known = recorded.known;
        let dictionary = known.dictionary(power, degree);
        let constant = match self.method {
            Method::Best | Method::BestSubset => Constant::Free,
            _ => Constant::Forced,
        };
        let settings = Discover {
            rows: self.rows,
            learn: settings(self.method.clone(), constant),
            ..Discover::default()
        };
        timed(|| discovered(&recorded.trajectories, &dictionary, &settings)).map(|terms| {
            let both = terms.iter().zip(known.truth);
            Outcome {
                right: both.map(|(found, truth)| found == truth).collect(),
                terms,
            }
        })
    }
}

impl Grid {
    pub(crate) fn new(known: &'static Known, request: &Request) -> Self {
        Self {
            known,
            seed: request.seed,
            learning: Learning::new(request),
        }
    }
}

impl Experiment for Grid {
    type Scenario = Scenario;
    type Method = ();
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        self.known.name
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let scenario = |(number, (n_obs, step, sigma))| Scenario {
            system: self.known.name.to_string(),
            number,
            n_obs,
            step,
            sigma,
            seed: self.seed,
            rows: self.learning.rows.to_string(),
        };
        (0..).zip(grid(self.known)).map(scenario).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![(self.learning.method.name(), ())]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        Recorded::new(self.known, scenario, |_| scenario.sigma)
    }

    fn run(&self, recorded: &Recorded, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        self.learning.outcome(recorded, 4, 6)
    }

    fn weight(&self, scenario: &Scenario) -> f64 {
        1.0 + scenario.n_obs as f64 / 2000.0
    }
}

impl Report for Grid {
    /// What went wrong; then equations of three on average, and complete systems in %, by step,
    /// noise and size.
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
        let mut text = String::new();
        for line in lines {
            let (scenario, Outcome { terms, right }) = (&line.scenario, &line.outcome);
            let wrong = terms.iter().zip(right).filter(|(_, right)| !**right);
            let wrong: Vec<String> = wrong.map(|(terms, _)| terms.join(" + ")).collect();
            if !wrong.is_empty() {
                let _ = writeln!(
                    text,
                    "N {:>5}  Δt {:<5}  σ {:<6}  not: {}",
                    scenario.n_obs,
                    scenario.step,
                    scenario.sigma,
                    wrong.join("; ")
                );
            }
            for key in [
                "1 all".to_string(),
                format!("2 Δt {}", scenario.step),
                format!("3 σ  {}", scenario.sigma),
                format!("4 N  {:>5}", scenario.n_obs),
            ] {
                groups.entry(key).or_default().push(&line.outcome);
            }
        }
        text.push_str("\n              scenarios  equations of 3  complete %\n");
        for (key, outcomes) in groups {
            let n = outcomes.len() as f64;
            let equations: usize = outcomes.iter().map(|o| o.n_right()).sum();
            let complete = outcomes.iter().filter(|o| o.n_right() == o.right.len());
            let _ = writeln!(
                text,
                "{:<14} {:>8} {:>15.2} {:>11.0}",
                &key[2..],
                outcomes.len(),
                equations as f64 / n,
                100.0 * complete.count() as f64 / n
            );
        }
        text
    }
}
