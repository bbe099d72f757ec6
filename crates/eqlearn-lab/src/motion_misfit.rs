//! Whether the misfit of motion tells laws inside the dictionary from laws outside it.
//!
//! Records of systems are learned with monomials of degree 3 and, for some, the terms that they
//! need. Inside, a misfit of an equation that was found is a false alarm. Outside, no such
//! polynomial is the law, and a misfit is what should be said.

use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::Trajectories;
use eqlearn::dynamics::rows::second_order::Order;
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::{Dictionary, Discover, Model, RowScheme, Table};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{Known, LORENZ, RABINOVICH_ATTRACTOR, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::learner::{Judged, judged};
use crate::said::{Count, SAID, Said, VISIBLE};
use crate::systems::{OTHERS, standard_deviation};
use crate::{Report, Request};

/// Samples of a record, in turns.
const SAMPLES: [usize; 3] = [400, 1000, 3000];

/// Runs of a system outside, from different starts: one run alone may come to rest before it has
/// shown what the law is like.
const RUNS: usize = 4;

/// Noise in units of each state's spread, in turns.
const NOISE_INSIDE: [f64; 4] = [0.0, 0.001, 0.01, 0.05];
const NOISE_OUTSIDE: [f64; 3] = [0.0, 0.001, 0.01];

/// Samples over which the error of an imitation adds up before the record corrects it.
const STRETCH: usize = 100;

/// Systems of which at least one equation is no polynomial of degree 3.
static OUTSIDE: [Known; 8] = [
    Known {
        name: "pendulum",
        key: 51,
        states: &["a", "w"],
        truth: &[&["w"], &[]],
        start: &[2.5, 0.0],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = -4.0 * x[0].sin() - 0.1 * x[1];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Michaelis–Menten",
        key: 52,
        states: &["s", "p"],
        truth: &[&[], &[]],
        start: &[3.0, 0.2],
        slope: |_, x, d| {
            let rate = x[0] / (0.4 + x[0]);
            d[0] = 0.3 - rate;
            d[1] = rate - 0.5 * x[1];
        },
        step: 0.01,
        ..Known::BLANK
    },
    Known {
        name: "toggle switch",
        key: 53,
        states: &["u", "v"],
        truth: &[&[], &[]],
        start: &[0.2, 2.5],
        slope: |_, x, d| {
            d[0] = 4.0 / (1.0 + x[1] * x[1]) - x[0];
            d[1] = 3.0 / (1.0 + x[0] * x[0]) - x[1];
        },
        step: 0.01,
        ..Known::BLANK
    },
    Known {
        name: "glider",
        key: 54,
        states: &["v", "a"],
        truth: &[&[], &[]],
        start: &[3.0, 0.5],
        slope: |_, x, d| {
            d[0] = -0.05 * x[0] * x[0] - x[1].sin();
            d[1] = x[0] - x[1].cos() / x[0];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "predator and prey",
        key: 55,
        states: &["x", "y"],
        truth: &[&[], &[]],
        start: &[5.0, 6.0],
        slope: |_, x, d| {
            let eaten = x[1] / (1.0 + x[0]);
            d[0] = x[0] * (4.0 - x[0] - eaten);
            d[1] = x[1] * (x[0] / (1.0 + x[0]) - 0.075 * x[1]);
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "bacterial respiration",
        key: 56,
        states: &["x", "y"],
        truth: &[&[], &[]],
        start: &[5.0, 10.0],
        slope: |_, x, d| {
            let used = x[0] * x[1] / (1.0 + 0.5 * x[0] * x[0]);
            d[0] = 20.0 - x[0] - used;
            d[1] = 10.0 - used;
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "saturating oscillator",
        key: 57,
        states: &["x", "v"],
        truth: &[&["v"], &[]],
        start: &[3.0, 0.0],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = -3.0 * x[0].tanh() - 0.05 * x[1];
        },
        step: 0.02,
        ..Known::BLANK
    },
    Known {
        name: "Thomas",
        key: 58,
        states: &["x", "y", "z"],
        truth: &[&[], &[], &[]],
        start: &[1.0, 0.5, -0.7],
        slope: |_, x, d| {
            d[0] = x[1].sin() - 0.2 * x[0];
            d[1] = x[2].sin() - 0.2 * x[1];
            d[2] = x[0].sin() - 0.2 * x[2];
        },
        step: 0.05,
        ..Known::BLANK
    },
];

#[derive(Debug)]
pub(crate) struct MotionMisfits {
    seed: u64,
    rows: RowScheme,
    /// Records of each system.
    sets: u32,
}

impl MotionMisfits {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            seed: request.seed,
            rows: request.rows,
            sets: request.sets.div_ceil(5),
        }
    }
}

/// One record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    system: String,
    inside: bool,
    n_obs: usize,
    noise: f64,
    number: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            n_obs,
            noise,
            number,
            seed,
            ..
        } = self;
        write!(
            f,
            "{system}, {n_obs} samples, noise {noise}, number {number}, seed {seed}"
        )
    }
}

/// A record and the system behind it.
pub(crate) struct Recorded {
    known: &'static Known,
    trajectories: Trajectories,
    /// The states of each run without noise.
    clean: Vec<Vec<Vec<f64>>>,
    /// The noise of each state.
    sigma: Vec<f64>,
}

impl Recorded {
    fn new(scenario: &Scenario) -> Self {
        let known = systems()
            .find(|known| known.name == scenario.system)
            .expect("one of the list");
        let Scenario {
            n_obs,
            noise,
            number,
            seed,
            ..
        } = *scenario;
        let mut rng = stream(seed, 60, known.key, number);
        let (n_runs, spread) = if scenario.inside {
            (1, 0.15)
        } else {
            (RUNS, 0.6)
        };
        let n_each = n_obs / n_runs;
        let mut run = |_: usize| {
            let start = known.start.iter();
            let start: Vec<f64> = start
                .map(|x| x * rng.random_range(1.0 - spread..1.0 + spread))
                .collect();
            known.solution_from(&start, n_each, known.step)
        };
        let clean: Vec<Vec<Vec<f64>>> = (0..n_runs).map(&mut run).collect();
        let all = |state: usize| -> Vec<f64> {
            clean.iter().flat_map(|run| &run[state]).copied().collect()
        };
        let states = 0..known.states.len();
        let sigma: Vec<f64> = states
            .map(|state| noise * standard_deviation(&all(state)))
            .collect();
        let noisy = |(run, clean): (u32, &Vec<Vec<f64>>)| {
            let mut states = clean.clone();
            known.add_noise(seed, 1000 + 10 * number + run, &sigma, &mut states);
            states
        };
        let trajectories = known.recorded(known.step, (0..).zip(&clean).map(noisy));
        Self {
            known,
            trajectories,
            clean,
            sigma,
        }
    }

    /// The error of an imitation: what it does to the state within short stretches, as a sum of
    /// squares in units of the noise. None without noise.
    fn imitation(&self, state: usize, model: &Model) -> Option<f64> {
        let sigma = self.sigma[state];
        let of_run = |run: &Vec<Vec<f64>>| -> Option<f64> {
            let names = self.known.states.iter().map(ToString::to_string);
            let table = Table::new(names.zip(run.iter().cloned()).collect());
            let table = table.expect("finite columns of equal length");
            let told = model.predict(&table).ok()?;
            let error = |i: usize| {
                let at: Vec<f64> = run.iter().map(|x| x[i]).collect();
                let mut slope = vec![0.0; at.len()];
                (self.known.slope)(i as f64 * self.known.step, &at, &mut slope);
                slope[state] - told[i]
            };
            let errors: Vec<f64> = (0..told.len()).map(error).collect();
            Some(errors.chunks(STRETCH).map(|part| self.drift(part)).sum())
        };
        let all = self.clean.iter().map(of_run).sum::<Option<f64>>()?;
        (sigma > 0.0).then(|| all / sigma.powi(2))
    }

    /// The sum of squares of what an error of the rate adds up to, about its mean.
    fn drift(&self, errors: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut add = |e: &f64| {
            sum += e * self.known.step;
            sum
        };
        let drift: Vec<f64> = errors.iter().map(&mut add).collect();
        standard_deviation(&drift).powi(2) * drift.len() as f64
    }
}

fn systems() -> impl Iterator<Item = &'static Known> {
    static PAPER: [Known; 2] = [
        Known {
            step: 0.01,
            ..LORENZ
        },
        Known {
            step: 0.02,
            ..RABINOVICH_ATTRACTOR
        },
    ];
    PAPER.iter().chain(&OTHERS).chain(&OUTSIDE)
}

/// What was said of each equation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    equations: Vec<Equation>,
}

/// What was said of one equation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Equation {
    /// The equation as printed; empty if there is none.
    text: String,
    log_bayes_factor: Option<f64>,
    /// Whether it has exactly the true terms; none if no polynomial has.
    right: Option<bool>,
    /// The error of the imitation as a sum of squares in units of the noise; none without noise.
    imitation: Option<f64>,
    /// The mean square of what it leaves in units of the noise that neighbouring samples show.
    #[serde(default)]
    chi2: Option<f64>,
    /// Whether that is a warning.
    #[serde(default)]
    excess: bool,
}

impl Experiment for MotionMisfits {
    type Scenario = Scenario;
    type Method = Discover;
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "motion-misfit"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let scenario = |(known, number): (&Known, u32)| {
            let inside = OUTSIDE.iter().all(|other| other.key != known.key);
            let turn = number as usize;
            let levels: &[f64] = if inside {
                &NOISE_INSIDE
            } else {
                &NOISE_OUTSIDE
            };
            Scenario {
                system: known.name.to_string(),
                inside,
                n_obs: SAMPLES[turn / levels.len() % SAMPLES.len()],
                noise: levels[turn % levels.len()],
                number,
                seed: self.seed,
            }
        };
        let all = systems().flat_map(|known| (0..self.sets).map(move |number| (known, number)));
        all.map(scenario).collect()
    }

    fn methods(&self) -> Vec<(&'static str, Discover)> {
        let settings = Discover {
            rows: self.rows,
            order: Order::First,
            // Fractions that are found would be laws inside.
            vocabulary: Some(Vocabulary::Monomials),
            ..Discover::default()
        };
        vec![("best", settings)]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        Recorded::new(scenario)
    }

    fn run(&self, made: &Recorded, settings: &Discover, _: &GoOn<'_>) -> Timed<Outcome> {
        let dictionary: Dictionary = made.known.dictionary(3, 3);
        let found = timed(|| judged(&made.trajectories, &dictionary, settings));
        found.map(|found| {
            let said = |(state, found): (usize, Judged)| {
                let truth = made.known.truth[state];
                let outside = found.model.as_ref().filter(|_| truth.is_empty());
                let imitation = outside.and_then(|model| made.imitation(state, model));
                Equation {
                    text: found.model.map_or_else(String::new, |m| m.to_string()),
                    log_bayes_factor: found.log_bayes_factor,
                    right: (!truth.is_empty()).then(|| found.terms == truth),
                    imitation,
                    chi2: found.chi2,
                    excess: found.excess,
                }
            };
            Outcome {
                equations: found.into_iter().enumerate().map(said).collect(),
            }
        })
    }

    fn weight(&self, scenario: &Scenario) -> f64 {
        1.0 + scenario.n_obs as f64 / 2000.0
    }
}

impl Equation {
    fn said(&self) -> Said {
        Said {
            log_bayes_factor: self.log_bayes_factor,
            imitation: self.imitation,
        }
    }
}

impl Report for MotionMisfits {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        format!(
            "misfit said (log Bayes factor above {SAID}) of equations of motion, monomials of \
             degree 3, seed {}\n\n{}\n{}\n{}",
            self.seed,
            inside_table(lines),
            outside_table(lines),
            chi2_table(lines)
        )
    }
}

fn chi2_table(lines: &[LineOf<MotionMisfits>]) -> String {
    let mut text = format!(
        "mean square of what is left, in units of the noise that neighbouring samples show, and\n\
         equations of which that or a misfit is a warning\n\
         {:<28} {:>9} {:>9} {:>9} {:>9} {:>11}\n",
        "equations", "known of", "median", "99 %", "largest", "warned of"
    );
    let mut row = |name: &str, own: &dyn Fn(Option<bool>) -> bool| {
        let all = lines.iter().flat_map(|line| &line.outcome.equations);
        let all = all.filter(|one| !one.text.is_empty() && own(one.right));
        let all: Vec<&Equation> = all.collect();
        let mut chi2: Vec<f64> = all.iter().filter_map(|one| one.chi2).collect();
        chi2.sort_by(f64::total_cmp);
        let at = |place: usize| chi2.get(place).copied().unwrap_or(f64::NAN);
        let n = chi2.len();
        // Where a misfit is said, this is not.
        let warned = |one: &&&Equation| one.excess || one.said().is_said();
        let warned = all.iter().filter(warned).count();
        let _ = writeln!(
            text,
            "{name:<28} {n:>9} {:>9.2} {:>9.2} {:>9.2} {warned:>5} of {:>2}",
            at(n / 2),
            at(n * 99 / 100),
            at(n.saturating_sub(1)),
            all.len()
        );
    };
    row("right", &|right| right == Some(true));
    row("wrong, law inside", &|right| right == Some(false));
    row("law outside", &|right| right.is_none());
    text
}

fn inside_table(lines: &[LineOf<MotionMisfits>]) -> String {
    let mut text = format!(
        "right equations: said by mistake\n{:<28} {:>9} {:>6} {:>9} {:>9}\n",
        "system", "equations", "said", "unjudged", "largest"
    );
    let mut row = |name: &str, own: &dyn Fn(&Scenario) -> bool| {
        let lines = lines.iter().filter(|line| own(&line.scenario));
        let all = lines.flat_map(|line| &line.outcome.equations);
        let count = Count::of(
            all.filter(|one| one.right == Some(true))
                .map(Equation::said),
        );
        let _ = writeln!(
            text,
            "{name:<28} {:>9} {:>6} {:>9} {:>9}",
            count.equations,
            count.said,
            count.unjudged,
            count.largest()
        );
    };
    for known in systems() {
        row(known.name, &|scenario| scenario.system == known.name);
    }
    for noise in NOISE_INSIDE {
        row(&format!("noise {} %", 100.0 * noise), &|scenario| {
            scenario.noise.to_bits() == noise.to_bits()
        });
    }
    row("all", &|_| true);
    text
}

fn outside_table(lines: &[LineOf<MotionMisfits>]) -> String {
    let mut text = format!(
        "laws outside: detected; visible are those that differ from their imitation by more than \
         {VISIBLE}\nin units of the noise, as a sum of squares\n\
         {:<28} {:>9} {:>6} {:>9} {:>8} {:>13} {:>9}\n",
        "system", "equations", "said", "unjudged", "visible", "said of them", "smallest"
    );
    let mut row = |name: &str, own: &dyn Fn(&Scenario) -> bool| {
        let lines = lines.iter().filter(|line| own(&line.scenario));
        let all = lines.flat_map(|line| &line.outcome.equations);
        let count = Count::of(all.filter(|one| one.right.is_none()).map(Equation::said));
        let _ = writeln!(
            text,
            "{name:<28} {:>9} {:>6} {:>9} {:>8} {:>13} {:>9}",
            count.equations,
            count.said,
            count.unjudged,
            count.visible,
            count.said_of_visible,
            count.smallest()
        );
    };
    for known in &OUTSIDE {
        row(known.name, &|scenario| scenario.system == known.name);
    }
    for noise in NOISE_OUTSIDE {
        row(&format!("noise {} %", 100.0 * noise), &|scenario| {
            scenario.noise.to_bits() == noise.to_bits()
        });
    }
    row("all", &|_| true);
    text
}
