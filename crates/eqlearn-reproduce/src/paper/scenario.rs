//! What is run: which scenarios of which experiment, and the data of each.

use std::fmt;

use eqlearn::Dictionary;
use serde::{Deserialize, Serialize};

use super::Contender;
use crate::known::{Known, LORENZ, Planted, RABINOVICH, RABINOVICH_ATTRACTOR, polynomial};

/// One of the paper's three experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperExperiment {
    /// Random polynomials with 2, 3 and 4 terms.
    Polynomials,
    /// The Lorenz system.
    Lorenz,
    /// The Rabinovich–Fabrikant system.
    Rabinovich,
}

impl PaperExperiment {
    /// All three, in the paper's order.
    pub const ALL: [Self; 3] = [Self::Polynomials, Self::Lorenz, Self::Rabinovich];

    /// Its name in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Polynomials => "polynomials",
            Self::Lorenz => "lorenz",
            Self::Rabinovich => "rabinovich",
        }
    }

    /// Its name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Polynomials => "Random polynomials",
            Self::Lorenz => "Lorenz system",
            Self::Rabinovich => "Rabinovich–Fabrikant system",
        }
    }

    /// The system of an experiment about one.
    pub fn system(self) -> Option<&'static Known> {
        match self {
            Self::Polynomials => None,
            Self::Lorenz => Some(&LORENZ),
            Self::Rabinovich => Some(&RABINOVICH),
        }
    }

    /// The system from a start whose trajectory stays on the attractor.
    pub fn on_attractor(self) -> Option<&'static Known> {
        match self {
            Self::Polynomials => None,
            Self::Lorenz => Some(&LORENZ),
            Self::Rabinovich => Some(&RABINOVICH_ATTRACTOR),
        }
    }
}

/// How much of the grids is run.
///
/// | field | full | quick | meaning |
/// |---|---|---|---|
/// | `polynomials` | 100 | 10 | polynomials of each size |
/// | `every` | 1 | 11 | every so many scenarios of a system |
/// | `forecasts` | 100 | 20 | initial values from the attractor |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Polynomials of each size.
    pub polynomials: u32,
    /// Every so many scenarios of a system.
    pub every: usize,
    /// Initial values from the attractor.
    pub forecasts: usize,
}

impl Size {
    /// The paper's counts.
    pub const FULL: Self = Self {
        polynomials: 100,
        every: 1,
        forecasts: 100,
    };
    /// A first look in two minutes. Eleven shares no factor with the grids, so all steps, sizes and
    /// noises occur.
    pub const QUICK: Self = Self {
        polynomials: 10,
        every: 11,
        forecasts: 20,
    };
}

/// What to run: how much, with whom, from which seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// How much of the grids.
    pub size: Size,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Who competes.
    pub contenders: Vec<Contender>,
}

impl Plan {
    /// The scenarios of an experiment, in the order of the results.
    pub fn scenarios(&self, experiment: PaperExperiment) -> Vec<Scenario> {
        let all: Vec<Scenario> = match experiment.system() {
            None => (2..=4)
                .flat_map(|n_terms| (0..self.size.polynomials).map(move |n| (n_terms, n)))
                .map(|(n_terms, number)| Scenario {
                    experiment,
                    seed: self.seed,
                    number,
                    n_terms: Some(n_terms),
                    n_obs: [20, 65, 95][n_terms - 2],
                    step: None,
                    sigma: 0.01,
                })
                .collect(),
            Some(known) => grid(known)
                .into_iter()
                .enumerate()
                .step_by(self.size.every.max(1))
                .map(|(number, (n_obs, step, sigma))| Scenario {
                    experiment,
                    seed: self.seed,
                    number: u32::try_from(number).expect("a small grid"),
                    n_terms: None,
                    n_obs,
                    step: Some(step),
                    sigma,
                })
                .collect(),
        };
        all
    }

    /// The contenders of an experiment, in the order of the results.
    pub fn contenders(&self, experiment: PaperExperiment) -> Vec<Contender> {
        let mut all: Vec<Contender> = self
            .contenders
            .iter()
            .copied()
            .filter(|contender| contender.competes_in(experiment))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// How many scenarios of an experiment the paper has.
pub fn full_count(experiment: PaperExperiment) -> usize {
    let full = Plan {
        size: Size::FULL,
        seed: 0,
        contenders: Vec::new(),
    };
    full.scenarios(experiment).len()
}

/// The paper's scenarios of a system: number of samples, time step, noise.
pub fn grid(known: &Known) -> Vec<(usize, f64, f64)> {
    let (sizes, sigmas, longer_than): (&[usize], &[f64], f64) = if known.name == LORENZ.name {
        let sigmas = &[0.001, 0.005, 0.01, 0.05, 0.1];
        (&[200, 1000, 5000, 10_000], sigmas, 2.0)
    } else {
        // A record of 5 time units is long enough, however its duration is rounded.
        let sizes = &[1000, 2000, 5000, 8000, 12_000, 16_000];
        (sizes, &[1e-4, 1e-3, 1e-2], 5.0 - 1e-9)
    };
    let mut all = Vec::new();
    for &n in sizes {
        for step in [0.001, 0.005, 0.01, 0.05, 0.1] {
            if n as f64 * step > longer_than {
                all.extend(sigmas.iter().map(|&sigma| (n, step, sigma)));
            }
        }
    }
    all
}

/// One data set to learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The experiment.
    pub experiment: PaperExperiment,
    /// The seed of its noise.
    pub seed: u64,
    /// Its place in the paper's grid, or among the polynomials of its size. It is a part of the key
    /// of its random numbers.
    pub number: u32,
    /// How many terms a polynomial has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_terms: Option<usize>,
    /// The number of rows or samples.
    pub n_obs: usize,
    /// The time step of a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The noise.
    pub sigma: f64,
}

impl Scenario {
    /// A short name of its own within a seed, for files.
    pub fn id(&self) -> String {
        let name = self.experiment.name();
        match self.n_terms {
            Some(n_terms) => format!("{name}-{n_terms}-{:03}", self.number),
            None => format!("{name}-{:03}", self.number),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.experiment.name())?;
        if let Some(n_terms) = self.n_terms {
            write!(f, "with {n_terms} terms, ")?;
        }
        write!(f, "number {} of seed {}", self.number, self.seed)
    }
}

/// A trajectory with noise, and the system that made it.
#[derive(Debug, Clone)]
pub struct Trajectory {
    /// The system.
    pub known: &'static Known,
    /// The time step.
    pub step: f64,
    /// One column per state.
    pub columns: Vec<Vec<f64>>,
}

/// The data of a scenario.
#[derive(Debug, Clone)]
pub enum Data {
    /// A table with a planted equation.
    Table(Box<Planted>),
    /// A trajectory of a known system.
    Trajectory(Trajectory),
}

impl Scenario {
    /// Makes the data, the same every time.
    pub fn data(&self) -> Data {
        let Some(known) = self.experiment.system() else {
            let n_terms = self.n_terms.expect("a polynomial knows its size");
            return Data::Table(Box::new(polynomial(self.seed, n_terms, self.number)));
        };
        let step = self.step.expect("a trajectory knows its step");
        let mut columns = known.solution(self.n_obs, step);
        let sigma = vec![self.sigma; columns.len()];
        known.add_noise(self.seed, self.number, &sigma, &mut columns);
        Data::Trajectory(Trajectory {
            known,
            step,
            columns,
        })
    }

    /// Its cost, roughly and in any unit.
    pub fn weight(&self) -> f64 {
        match self.n_terms {
            Some(n_terms) => 0.02 * n_terms as f64,
            None => 1.0 + self.n_obs as f64 / 2000.0,
        }
    }
}

impl Data {
    /// The names of the features.
    pub fn features(&self) -> Vec<&str> {
        match self {
            Self::Table(planted) => {
                let features = planted.problem.dictionary().features();
                features.iter().map(String::as_str).collect()
            }
            Self::Trajectory(trajectory) => trajectory.known.states.to_vec(),
        }
    }

    /// The targets: a column, or states whose time derivatives are sought.
    pub fn targets(&self) -> Vec<String> {
        match self {
            Self::Table(planted) => vec![planted.problem.target()],
            Self::Trajectory(trajectory) => {
                let states = trajectory.known.states.iter();
                states.map(ToString::to_string).collect()
            }
        }
    }

    /// The paper's 72 terms.
    pub fn dictionary(&self) -> Dictionary {
        Dictionary::monomials(self.features(), 4, 6, true).expect("the paper's dictionary")
    }

    /// The true terms of each equation, as text and in the dictionary's order.
    pub fn truth(&self) -> Vec<Vec<String>> {
        match self {
            Self::Table(planted) => {
                let terms = planted.problem.dictionary().terms();
                let truth = planted.truth.indices().iter();
                vec![truth.map(|&term| terms[term].to_string()).collect()]
            }
            Self::Trajectory(trajectory) => {
                let texts = |terms: &&[&str]| terms.iter().map(ToString::to_string).collect();
                trajectory.known.truth.iter().map(texts).collect()
            }
        }
    }
}
