//! Enzymes as motion: Michaelis–Menten and Hill kinetics from noisy records, without any flag.
//!
//! A substrate is used up, `S' = −V S^n/(K^n + S^n)`, with V = 1, K = 0.5 and n = 1, 2 and 4; for
//! n = 1 also with the product, `P' = V S/(K + S)`. Three records start at different
//! concentrations; each has 200 samples, and noise of 0, 1, 3 and 6 % of each state's spread in
//! that record. The dictionary is that of `eqlearn discover`: whole powers up to 4.
//!
//! Written down before any result was seen: an equation counts as found if it is one fraction with
//! exactly the terms of the true law above and below the line, and if V and K, as they follow from
//! it, are within 20 % of the truth. Its errors count as honest if the truth of the coefficient
//! above the line is within two standard errors; with right errors that is so 95 times of 100.

use std::fmt::{self, Write as _};

use eqlearn::ask::{MAX_DEGREE, MAX_POWER};
use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::{Dictionary, Model};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::Known;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::discovered_models;
use crate::{Report, Request};

/// The noise levels in units of each state's standard deviation.
const NOISE: [f64; 4] = [0.0, 0.01, 0.03, 0.06];
/// Samples of each record.
const N_OBS: usize = 200;
/// The largest relative error of V and K.
const ALLOWED: f64 = 0.2;
const V: f64 = 1.0;
const K: f64 = 0.5;

/// A reaction, and the power of its law.
struct Reaction {
    known: Known,
    power: i32,
    starts: &'static [&'static [f64]],
}

fn rate(s: f64, power: i32) -> f64 {
    V * s.powi(power) / (K.powi(power) + s.powi(power))
}

static REACTIONS: [Reaction; 4] = [
    Reaction {
        known: Known {
            name: "Michaelis–Menten",
            key: 41,
            states: &["S"],
            slope: |_, x, d| d[0] = -rate(x[0], 1),
            step: 0.02,
            ..Known::BLANK
        },
        power: 1,
        starts: &[&[2.0], &[1.0], &[0.5]],
    },
    Reaction {
        known: Known {
            name: "with its product",
            key: 42,
            states: &["S", "P"],
            slope: |_, x, d| {
                d[0] = -rate(x[0], 1);
                d[1] = rate(x[0], 1);
            },
            step: 0.02,
            ..Known::BLANK
        },
        power: 1,
        starts: &[&[2.0, 0.0], &[1.0, 0.0], &[0.5, 0.5]],
    },
    Reaction {
        known: Known {
            name: "Hill, n = 2",
            key: 43,
            states: &["S"],
            slope: |_, x, d| d[0] = -rate(x[0], 2),
            step: 0.025,
            ..Known::BLANK
        },
        power: 2,
        starts: &[&[2.0], &[1.0], &[0.5]],
    },
    Reaction {
        known: Known {
            name: "Hill, n = 4",
            key: 44,
            states: &["S"],
            slope: |_, x, d| d[0] = -rate(x[0], 4),
            step: 0.025,
            ..Known::BLANK
        },
        power: 4,
        starts: &[&[2.0], &[1.0], &[0.5]],
    },
];

#[derive(Debug)]
pub(crate) struct Kinetics {
    seed: u64,
    sets: u32,
}

impl Kinetics {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            seed: request.seed,
            sets: request.sets,
        }
    }
}

/// One data set of one reaction at one noise level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    reaction: String,
    /// The place of its noise in [`NOISE`].
    level: u32,
    number: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            reaction,
            level,
            number,
            seed,
        } = self;
        write!(f, "{reaction}, noise {level}, set {number}, seed {seed}")
    }
}

/// What was found of each state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The equations as printed; empty where there is none.
    texts: Vec<String>,
    found: Vec<bool>,
    /// Whether the error of the coefficient above the line is honest, of those found.
    honest: Vec<bool>,
}

/// Records of a reaction.
pub(crate) struct Recorded {
    reaction: &'static Reaction,
    trajectories: Trajectories,
}

impl Reaction {
    fn recorded(&'static self, seed: u64, number: u32, level: u32) -> Recorded {
        let (known, noise) = (&self.known, NOISE[level as usize]);
        let record = |(place, start): (u32, &&[f64])| {
            let mut states = known.solution_from(start, N_OBS, known.step);
            let sigma: Vec<f64> = states.iter().map(|x| noise * spread(x)).collect();
            let place_of_noise = (number * 10 + level) * 10 + place;
            known.add_noise(seed, place_of_noise, &sigma, &mut states);
            Record {
                name: format!("record {place}"),
                times: (0..N_OBS).map(|i| i as f64 * known.step).collect(),
                states,
                inputs: Vec::new(),
            }
        };
        let records = (0..).zip(self.starts).map(record).collect();
        let trajectories =
            Trajectories::new("t", known.states, known.inputs, TimeFeature::No, records);
        Recorded {
            reaction: self,
            trajectories: trajectories.expect("made data are good"),
        }
    }

    /// Whether an equation of a state is the true one, and whether its error is honest.
    fn judge(&self, model: &Model, state: usize) -> (bool, bool) {
        let power = |term: &str| match self.power {
            1 => term == "S",
            n => term == format!("S^{n}"),
        };
        let Some(below) = model.denominator() else {
            return (false, false);
        };
        let below_texts: Vec<String> = below.terms().iter().map(ToString::to_string).collect();
        let above = model.term_texts();
        let right = above.len() == 1
            && power(&above[0])
            && below_texts.len() == 2
            && below_texts[0] == "1"
            && power(&below_texts[1]);
        if !right {
            return (false, false);
        }
        // V S^n/(K^n + S^n) = a S^n/(1 + b S^n) with b = K^−n and a = V b.
        let sign = if state == 0 { -1.0 } else { 1.0 };
        let (a, b) = (sign * model.coefficients()[0], below.coefficients()[1]);
        let (v, k) = (a / b, b.powf(-1.0 / f64::from(self.power)));
        let near = |value: f64, truth: f64| (value / truth - 1.0).abs() <= ALLOWED;
        let error = model.std_errors().map_or(f64::INFINITY, |errors| errors[0]);
        let truth = V / K.powi(self.power);
        let found = near(v, V) && near(k, K);
        (found, (a - truth).abs() <= 2.0 * error)
    }
}

fn spread(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}

impl Experiment for Kinetics {
    type Scenario = Scenario;
    type Method = ();
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "kinetics"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut scenarios = Vec::new();
        for reaction in &REACTIONS {
            for level in (0..).take(NOISE.len()) {
                // Without noise all sets are the same.
                let sets = if level == 0 { 1 } else { self.sets };
                scenarios.extend((0..sets).map(|number| Scenario {
                    reaction: reaction.known.name.to_string(),
                    level,
                    number,
                    seed: self.seed,
                }));
            }
        }
        scenarios
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("discover", ())]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        let mut reactions = REACTIONS.iter();
        let reaction = reactions.find(|reaction| reaction.known.name == scenario.reaction);
        let reaction = reaction.expect("one of the four");
        reaction.recorded(scenario.seed, scenario.number, scenario.level)
    }

    fn run(&self, recorded: &Recorded, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let Recorded {
            reaction,
            trajectories,
        } = recorded;
        let states = reaction.known.states;
        let dictionary = Dictionary::monomials(states.iter().copied(), MAX_POWER, MAX_DEGREE, true);
        let dictionary = dictionary.expect("the names of states are good");
        timed(|| discovered_models(trajectories, &dictionary)).map(|models| {
            let both = models.iter().enumerate();
            let judged = both.map(|(state, model)| {
                let model = model.as_ref();
                model.map_or((false, false), |model| reaction.judge(model, state))
            });
            let (found, honest) = judged.unzip();
            let text = |model: &Option<Model>| model.as_ref().map(ToString::to_string);
            Outcome {
                texts: models.iter().map(|m| text(m).unwrap_or_default()).collect(),
                found,
                honest,
            }
        })
    }
}

impl Report for Kinetics {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "equations found of all, and of those found the share whose error is honest; three \
             records of {N_OBS} samples, by noise in % of each state's spread, seed {}\n\n\
             {:<18} {:>14} {:>14} {:>14} {:>14}\n",
            self.seed, "reaction", "0", "1", "3", "6"
        );
        for reaction in &REACTIONS {
            let name = reaction.known.name;
            let _ = write!(text, "{name:<18}");
            for level in (0..).take(NOISE.len()) {
                let own = |line: &&LineOf<Self>| {
                    line.scenario.reaction == name && line.scenario.level == level
                };
                let outcomes = || lines.iter().filter(own).map(|line| &line.outcome);
                let of: usize = outcomes().map(|outcome| outcome.found.len()).sum();
                let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
                let found: usize = outcomes().map(|outcome| count(&outcome.found)).sum();
                let both = outcomes().flat_map(|o| o.found.iter().zip(&o.honest));
                let honest = both.filter(|(found, honest)| **found && **honest).count();
                let cell = format!("{found} of {of}, {honest}");
                let _ = write!(text, " {cell:>14}");
            }
            text.push('\n');
        }
        for line in lines {
            let equations = line.outcome.texts.iter().zip(&line.outcome.found);
            for (equation, _) in equations.filter(|(_, found)| !**found) {
                let _ = writeln!(text, "\n{}: not found: {equation}", line.scenario);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_is_not_the_law() {
        let terms = Dictionary::parse(["S"], ["S", "S^2"]).unwrap();
        let model = Model::given("S", terms, &[-1.5, 0.5]).unwrap();
        assert_eq!(REACTIONS[0].judge(&model, 0), (false, false));
    }

    #[test]
    fn the_rate_is_half_of_the_largest_at_the_constant() {
        for power in [1, 2, 4] {
            assert!((rate(K, power) - 0.5 * V).abs() < 1e-15);
        }
    }
}
