//! Motion at high noise, and short records: how often the whole system is right, on the grids of
//! published methods.
//!
//! The systems, steps, lengths and dictionaries are those of ODR-BINDy, of E-SINDy (which leaves
//! the constant out), or of the shortest records of MIOSR. Starts are given, or drawn: on the
//! attractor, or from a box. Noise is normal and independent, a share of the standard deviation of
//! the values of all states together (whose means differ), or, with E-SINDy, of their root mean
//! square, both over the longest record. ODR-BINDy was given
//! the noise level; here nothing is given. A system counts as found if every equation has exactly
//! the true terms. The error is that of all coefficients together, `‖ŵ − w‖/‖w‖`, of all terms of
//! the dictionary, also where terms are wrong. Intervals are `ŵ ± 1.96` standard errors of systems
//! that were found.

use std::fmt::{self, Write as _};

mod bench;
mod cost;
mod longer;

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Denoise, Discover};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::discovery;
use crate::{Report, Request};
pub(crate) use bench::Grid;
use bench::{Bench, Outcome};
pub(crate) use cost::cost;
pub(crate) use longer::Longer;

#[derive(Debug)]
pub(crate) struct HighNoise {
    grid: Grid,
    system: Option<String>,
    seed: u64,
    sets: u32,
}

impl HighNoise {
    pub(crate) fn new(request: &Request, grid: Grid) -> Self {
        Self {
            grid,
            system: request.system.clone(),
            seed: request.seed,
            sets: request.sets,
        }
    }

    /// The systems that are looked at.
    fn benches(&self) -> impl Iterator<Item = &'static Bench> {
        let all = self.grid.benches().iter();
        let only = self.system.as_deref();
        all.filter(move |bench| only.is_none_or(|name| name == bench.known.name))
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

/// A record and its system.
pub(crate) struct Recorded {
    bench: &'static Bench,
    trajectories: Trajectories,
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
        for bench in self.benches() {
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
        let bench = bench.expect("one of the systems");
        let cell = (scenario.length, scenario.level);
        Recorded {
            bench,
            trajectories: bench.recorded(cell, scenario.seed, scenario.number),
        }
    }

    fn run(&self, recorded: &Recorded, method: &Denoise, _: &GoOn<'_>) -> Timed<Outcome> {
        let bench = recorded.bench;
        let dictionary = bench.known.dictionary(bench.degree, bench.degree);
        let settings = Discover {
            denoise: *method,
            ..Discover::default()
        };
        timed(|| discovery(&recorded.trajectories, &dictionary, &settings))
            .map(|found| bench.judge(&found))
    }
}

impl Report for HighNoise {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "systems with exactly the true terms in %, by duration and noise in % of {}\n\
             of all states together; {} draws a cell, seed {}; each equation by itself, all\n\
             together, and ODR-BINDy where it was published (with the noise given); the median\n\
             error of all coefficients together, and the 95 % intervals that hold the truth in %;\n\
             draws in which the answer says that the record decides all terms, and those of them\n\
             that are right, in %; how many times as long a record would decide the median of the\n\
             others, as the answer says\n\n",
            self.grid.unit(),
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
            "{system:<12} {duration:>4} {noise:>6} {apart:>11} {together:>9} {published:>10} \
             {:>7} {:>10} {:>8} {:>6} {:>7}",
            "error", "intervals", "decided", "right", "longer"
        );
        for bench in self.benches() {
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
        let is_decided = |outcome: &&Outcome| outcome.longer <= 1.0;
        let (decided, undecided): (Vec<&Outcome>, Vec<_>) =
            together.iter().copied().partition(is_decided);
        let published = self.published.map(|all| 100.0 * all[length][level]);
        let published = published.map_or("–".to_string(), |rate| format!("{rate:.0}"));
        let _ = writeln!(
            text,
            "{:<12} {:>4} {:>6} {:>11.0} {:>9.0} {published:>10} {:>7.4} {:>10} \
             {:>8.0} {:>6.0} {:>7.1}",
            self.known.name,
            self.durations[length],
            100.0 * self.noise.shares()[level],
            share(separately),
            share(together),
            median(together.iter().map(|outcome| outcome.error)),
            intervals(together),
            100.0 * decided.len() as f64 / together.len().max(1) as f64,
            share(&decided),
            median(undecided.iter().map(|outcome| outcome.longer)),
        );
    }
}

/// Systems that are right, in %.
fn share(outcomes: &[&Outcome]) -> f64 {
    let right = outcomes.iter().filter(|outcome| outcome.right).count();
    100.0 * right as f64 / outcomes.len().max(1) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
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
