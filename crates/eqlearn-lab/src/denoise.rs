//! Motion at high noise: how often the whole system is right, on the grids of two published methods.
//!
//! The systems, starts, steps, lengths and dictionaries are those of ODR-BINDy, or of E-SINDy (which
//! leaves the constant out). Noise is normal and independent, a share of the pooled standard
//! deviation of all states, or, with E-SINDy, of their root mean square over the longest record.
//! ODR-BINDy was given the noise level; here nothing is given. A system counts as found if every
//! equation has exactly the true terms. The error is that of all coefficients together, `‖ŵ − w‖/‖w‖`, of all terms of the
//! dictionary, also where terms are wrong. Intervals are `ŵ ± 1.96` standard errors of systems that
//! were found.

use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Denoise, Discover, Model};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{Known, LORENZ};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::discovered_by;
use crate::{Report, Request};

/// ODR-BINDy's noise in units of the pooled standard deviation.
const SPREAD: [f64; 7] = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];
/// E-SINDy's, and beyond: in units of the root mean square.
const POWER: [f64; 5] = [0.005, 0.01, 0.025, 0.05, 0.1];
/// How much of a normal distribution is within so many standard errors: 95 %.
const WITHIN: f64 = 1.96;

/// A system at some lengths of record.
struct Bench {
    known: Known,
    /// The true coefficients, term by term.
    truth: &'static [&'static [f64]],
    degree: u32,
    durations: &'static [u32],
    noise: Noise,
    /// What ODR-BINDy finds, by duration and noise, where that was published.
    published: Option<[[f64; 7]; 3]>,
}

/// What the noise is a share of.
#[derive(Debug, Clone, Copy)]
enum Noise {
    Spread,
    Power,
}

/// Whose systems, lengths and levels of noise.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Grid {
    OdrBindy,
    ESindy,
}

static ODR_BINDY: [Bench; 3] = [
    Bench {
        known: Known {
            key: 51,
            step: 0.01,
            ..LORENZ
        },
        truth: &[&[-10.0, 10.0], &[28.0, -1.0, -1.0], &[-8.0 / 3.0, 1.0]],
        degree: 2,
        durations: &[4, 7, 10],
        noise: Noise::Spread,
        published: Some([
            [1.0, 1.0, 1.0, 0.95, 0.57, 0.14, 0.04],
            [1.0, 1.0, 1.0, 0.99, 0.94, 0.72, 0.25],
            [1.0, 1.0, 1.0, 1.0, 1.0, 0.92, 0.73],
        ]),
    },
    Bench {
        known: Known {
            name: "rössler",
            key: 52,
            states: &["x", "y", "z"],
            truth: &[&["y", "z"], &["x", "y"], &["1", "z", "x*z"]],
            start: &[-5.0, 3.0, 0.5],
            slope: |_, x, d| {
                d[0] = -x[1] - x[2];
                d[1] = x[0] + 0.2 * x[1];
                d[2] = 0.2 + x[2] * (x[0] - 5.7);
            },
            step: 0.05,
            ..Known::BLANK
        },
        truth: &[&[-1.0, -1.0], &[1.0, 0.2], &[0.2, -5.7, 1.0]],
        degree: 2,
        durations: &[10, 20, 30],
        noise: Noise::Spread,
        published: None,
    },
    Bench {
        known: Known {
            name: "van der pol",
            key: 53,
            states: &["x", "y"],
            truth: &[&["y"], &["x", "y", "x^2*y"]],
            start: &[2.0, 0.0],
            slope: |_, x, d| {
                d[0] = x[1];
                d[1] = 2.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
            },
            step: 0.01,
            ..Known::BLANK
        },
        truth: &[&[1.0], &[-1.0, 2.0, -2.0]],
        degree: 3,
        durations: &[4, 8, 12],
        noise: Noise::Spread,
        published: None,
    },
];

static E_SINDY: [Bench; 1] = [Bench {
    known: Known {
        key: 54,
        start: &[-8.0, 7.0, 27.0],
        step: 0.01,
        ..LORENZ
    },
    truth: &[&[-10.0, 10.0], &[28.0, -1.0, -1.0], &[-8.0 / 3.0, 1.0]],
    degree: 5,
    durations: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    noise: Noise::Power,
    published: None,
}];

impl Noise {
    fn shares(self) -> &'static [f64] {
        match self {
            Self::Spread => &SPREAD,
            Self::Power => &POWER,
        }
    }
}

impl Grid {
    fn benches(self) -> &'static [Bench] {
        match self {
            Self::OdrBindy => &ODR_BINDY,
            Self::ESindy => &E_SINDY,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::OdrBindy => "denoise",
            Self::ESindy => "short",
        }
    }
}

#[derive(Debug)]
pub(crate) struct HighNoise {
    grid: Grid,
    seed: u64,
    sets: u32,
}

impl HighNoise {
    pub(crate) fn new(request: &Request, grid: Grid) -> Self {
        Self {
            grid,
            seed: request.seed,
            sets: request.sets,
        }
    }
}

/// One draw of the noise of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    system: String,
    /// The place of its duration.
    length: u32,
    /// The place of its noise.
    level: u32,
    number: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            length,
            level,
            number,
            seed,
        } = self;
        write!(
            f,
            "{system}, length {length}, noise {level}, set {number}, seed {seed}"
        )
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The equations as printed; empty where there is none.
    texts: Vec<String>,
    right: bool,
    error: f64,
    /// Intervals that hold the truth, and all, where the system is right.
    covered: (u32, u32),
}

/// A record and its system.
pub(crate) struct Recorded {
    bench: &'static Bench,
    trajectories: Trajectories,
}

impl Bench {
    fn recorded(&'static self, scenario: &Scenario) -> Recorded {
        let known = &self.known;
        let mut states = known.solution(self.samples(scenario.length as usize), known.step);
        let unit = match self.noise {
            Noise::Spread => mean(states.iter().map(|x| variance(x))).sqrt(),
            Noise::Power => {
                let longest = known.solution(self.samples(self.durations.len() - 1), known.step);
                mean(longest.iter().flatten().map(|x| x * x)).sqrt()
            }
        };
        let share = self.noise.shares()[scenario.level as usize];
        let sigma = vec![share * unit; states.len()];
        let place = (scenario.number * 10 + scenario.level) * 10 + scenario.length;
        known.add_noise(scenario.seed, place, &sigma, &mut states);
        Recorded {
            bench: self,
            trajectories: known.recorded(known.step, [states]),
        }
    }

    /// How many samples a record of a duration has.
    fn samples(&self, length: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some hundred steps"
        )]
        let n_steps = (f64::from(self.durations[length]) / self.known.step).round() as usize;
        n_steps + 1
    }

    /// Duration and noise of each cell, by place.
    fn cells(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = |n: usize| 0..u32::try_from(n).expect("some lengths and levels");
        let levels = all(self.noise.shares().len());
        all(self.durations.len()).flat_map(move |l| levels.clone().map(move |level| (l, level)))
    }

    fn judge(&self, models: &[Option<Model>]) -> Outcome {
        let (mut wrong, mut total) = (0.0, 0.0);
        let mut right = true;
        let mut covered = (0, 0);
        for (state, (terms, truth)) in self.known.truth.iter().zip(self.truth).enumerate() {
            total += truth.iter().map(|w| w * w).sum::<f64>();
            let model = models[state].as_ref();
            let found = model.map_or(Vec::new(), Model::term_texts);
            let own = model.map_or(&[][..], Model::coefficients);
            let errors = model.and_then(Model::std_errors).unwrap_or(&[]);
            right &= found.len() == terms.len();
            for (term, w) in terms.iter().zip(*truth) {
                let Some(place) = found.iter().position(|own| own == term) else {
                    right = false;
                    wrong += w * w;
                    continue;
                };
                wrong += (own[place] - w).powi(2);
                let error = errors.get(place).copied().unwrap_or(0.0);
                covered.0 += u32::from((own[place] - w).abs() <= WITHIN * error);
                covered.1 += 1;
            }
            let others = found.iter().zip(own);
            let others = others.filter(|(term, _)| !terms.contains(&term.as_str()));
            wrong += others.map(|(_, w)| w * w).sum::<f64>();
        }
        let text = |model: &Option<Model>| model.as_ref().map(ToString::to_string);
        Outcome {
            texts: models.iter().map(|m| text(m).unwrap_or_default()).collect(),
            right,
            error: (wrong / total).sqrt(),
            covered: if right { covered } else { (0, 0) },
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0, 0.0), |(n, sum), value| (n + 1, sum + value));
    sum / f64::from(n)
}

fn variance(x: &[f64]) -> f64 {
    let about = mean(x.iter().copied());
    mean(x.iter().map(|x| (x - about).powi(2)))
}

impl Experiment for HighNoise {
    type Scenario = Scenario;
    type Method = Denoise;
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        self.grid.name()
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for bench in self.grid.benches() {
            for (length, level) in bench.cells() {
                all.extend((0..self.sets).map(|number| Scenario {
                    system: bench.known.name.to_string(),
                    length,
                    level,
                    number,
                    seed: self.seed,
                }));
            }
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, Denoise)> {
        vec![("separately", Denoise::Off), ("together", Denoise::Auto)]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        let bench = self
            .grid
            .benches()
            .iter()
            .find(|b| b.known.name == scenario.system);
        bench.expect("one of the systems").recorded(scenario)
    }

    fn run(&self, recorded: &Recorded, method: &Denoise, _: &GoOn<'_>) -> Timed<Outcome> {
        let bench = recorded.bench;
        let dictionary = bench.known.dictionary(bench.degree, bench.degree);
        let settings = Discover {
            denoise: *method,
            ..Discover::default()
        };
        timed(|| discovered_by(&recorded.trajectories, &dictionary, &settings))
            .map(|models| bench.judge(&models))
    }
}

impl Report for HighNoise {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "systems with exactly the true terms in %, by duration and noise in % of {}\n\
             of all states; {} draws a cell, seed {}; each equation by itself, all together,\n\
             and ODR-BINDy where it was published (which was given the noise); the median error\n\
             of all coefficients together, and the 95 % intervals that hold the truth in %\n\n",
            match self.grid {
                Grid::OdrBindy => "the pooled standard deviation",
                Grid::ESindy => "the root mean square",
            },
            self.sets,
            self.seed
        );
        let head = [
            "system",
            "T",
            "noise",
            "separately",
            "together",
            "ODR-BINDy",
        ];
        let [system, duration, noise, apart, together, published] = head;
        let _ = writeln!(
            text,
            "{system:<12} {duration:>3} {noise:>6} {apart:>11} {together:>9} {published:>10} \
             {:>7} {:>10}",
            "error", "intervals"
        );
        for bench in self.grid.benches() {
            for (length, level) in bench.cells() {
                let of = |method: &str| -> Vec<&Outcome> {
                    let cell = lines.iter().filter(|line| {
                        let at = &line.scenario;
                        line.method == method
                            && at.system == bench.known.name
                            && (at.length, at.level) == (length, level)
                    });
                    cell.map(|line| &line.outcome).collect()
                };
                bench.write(
                    &mut text,
                    (length, level),
                    &of("separately"),
                    &of("together"),
                );
            }
        }
        text
    }
}

impl Bench {
    /// The line of one cell.
    fn write(
        &self,
        text: &mut String,
        (length, level): (u32, u32),
        separately: &[&Outcome],
        together: &[&Outcome],
    ) {
        let (length, level) = (length as usize, level as usize);
        let published = self.published.map(|all| 100.0 * all[length][level]);
        let published = published.map_or("–".to_string(), |rate| format!("{rate:.0}"));
        let _ = writeln!(
            text,
            "{:<12} {:>3} {:>6} {:>11.0} {:>9.0} {published:>10} {:>7.4} {:>10}",
            self.known.name,
            self.durations[length],
            100.0 * self.noise.shares()[level],
            share(separately),
            share(together),
            median(together),
            intervals(together),
        );
    }
}

/// Systems that are right, in %.
fn share(outcomes: &[&Outcome]) -> f64 {
    let right = outcomes.iter().filter(|outcome| outcome.right).count();
    100.0 * right as f64 / outcomes.len().max(1) as f64
}

fn median(outcomes: &[&Outcome]) -> f64 {
    let mut errors: Vec<f64> = outcomes.iter().map(|outcome| outcome.error).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Intervals that hold the truth, in %.
fn intervals(outcomes: &[&Outcome]) -> String {
    let covered: u32 = outcomes.iter().map(|outcome| outcome.covered.0).sum();
    match outcomes
        .iter()
        .map(|outcome| outcome.covered.1)
        .sum::<u32>()
    {
        0 => "–".to_string(),
        all => format!("{:.0}", 100.0 * f64::from(covered) / f64::from(all)),
    }
}
