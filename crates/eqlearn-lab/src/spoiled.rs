//! Rows that do not belong or say less than their number: outliers, sentinels, copies and random
//! walks. What `fit` claims without any flag and with `--robust`, and what it names.

use std::fmt;
use std::fmt::Write as _;

use eqlearn::{Learned, Request as Words};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{normal, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::learner::fit;
use crate::shapes::{Rows, Shape, quadratic};
use crate::uneven::{Made, Outcome, made};
use crate::{Report, Request};

/// The numbers of rows.
const ROWS: [usize; 3] = [50, 150, 500];

/// One row in so many is spoiled.
const EVERY: usize = 20;

/// How often each row is there, where rows are copied.
const COPIES: usize = 4;

#[derive(Debug)]
pub(crate) struct Spoiled {
    seed: u64,
    sets: u32,
}

impl Spoiled {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

/// What is wrong with the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Spoil {
    /// A law; one row in twenty has ten times the noise.
    Noisy,
    /// A law; one row in twenty is off by up to five times the target's spread.
    Wild,
    /// A law; the target of one row in twenty is −999, for "missing".
    Sentinels,
    /// A law of a quarter of the rows, each there four times.
    CopiedLaw,
    /// Noise, each row there four times.
    CopiedNoise,
    /// A target and three features that walk at random, and know nothing of each other.
    Walks,
}

impl Spoil {
    const ALL: [Self; 6] = [
        Self::Noisy,
        Self::Wild,
        Self::Sentinels,
        Self::CopiedLaw,
        Self::CopiedNoise,
        Self::Walks,
    ];

    /// The rows of one table.
    fn rows(self, rng: &mut ChaCha8Rng, n_obs: usize) -> Rows {
        match self {
            Self::Noisy => quadratic(rng, Shape::Outliers, n_obs),
            Self::Wild => {
                let mut rows = quadratic(rng, Shape::Normal, n_obs);
                let spread = rows.clean.iter().fold(0.0_f64, |a, y| a.max(y.abs()));
                for value in rows.noisy.iter_mut().step_by(EVERY) {
                    *value += spread * rng.random_range(-5.0..5.0);
                }
                rows
            }
            Self::Sentinels => {
                let mut rows = quadratic(rng, Shape::Normal, n_obs);
                rows.noisy
                    .iter_mut()
                    .step_by(EVERY)
                    .for_each(|y| *y = -999.0);
                rows
            }
            Self::CopiedLaw => copied(quadratic(rng, Shape::Normal, n_obs / COPIES)),
            Self::CopiedNoise => copied(noise(n_obs / COPIES, || normal(rng))),
            Self::Walks => {
                let mut rows = noise(n_obs, || normal(rng));
                rows.features.iter_mut().for_each(|column| walk(column));
                walk(&mut rows.noisy);
                rows
            }
        }
    }

    /// Whether the answer names what is wrong.
    fn is_named(self, learned: &Learned) -> bool {
        let noise = &learned.noise;
        match self {
            Self::Noisy | Self::Wild => noise.distrust.as_ref().is_some_and(|d| !d.rows.is_empty()),
            Self::Sentinels => !noise.sentinels.is_empty(),
            Self::CopiedLaw | Self::CopiedNoise => noise.copies.is_some(),
            Self::Walks => noise.dependence.is_some(),
        }
    }
}

/// Features and a target that have nothing in common.
fn noise(n_obs: usize, mut draw: impl FnMut() -> f64) -> Rows {
    let mut column = || (0..n_obs).map(|_| draw()).collect::<Vec<f64>>();
    Rows {
        features: (0..3).map(|_| column()).collect(),
        noisy: column(),
        clean: vec![0.0; n_obs],
        sigma: 1.0,
        deviations: vec![1.0; n_obs],
        terms: Vec::new(),
    }
}

/// All rows several times.
fn copied(rows: Rows) -> Rows {
    Rows {
        features: rows.features.iter().map(|x| x.repeat(COPIES)).collect(),
        noisy: rows.noisy.repeat(COPIES),
        clean: rows.clean.repeat(COPIES),
        deviations: rows.deviations.repeat(COPIES),
        ..rows
    }
}

/// Steps become places.
fn walk(steps: &mut [f64]) {
    let mut place = 0.0;
    for step in steps {
        place += *step;
        *step = place;
    }
}

impl fmt::Display for Spoil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Noisy => "law, rows of 10 times the noise",
            Self::Wild => "law, wild rows",
            Self::Sentinels => "law, sentinels",
            Self::CopiedLaw => "law, each row 4 times",
            Self::CopiedNoise => "noise, each row 4 times",
            Self::Walks => "random walks",
        })
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    spoil: Spoil,
    n_obs: usize,
    seed: u64,
    number: u32,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            spoil,
            n_obs,
            seed,
            number,
        } = self;
        write!(f, "{spoil}, {n_obs} rows, number {number}, seed {seed}")
    }
}

/// What was learned, and whether what is wrong was named.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Seen {
    outcome: Outcome,
    named: bool,
}

impl Experiment for Spoiled {
    type Scenario = Scenario;
    /// Whether rows that do not belong are left out.
    type Method = bool;
    type Data = (Spoil, Made);
    type Outcome = Seen;

    fn name(&self) -> &'static str {
        "spoiled"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for spoil in Spoil::ALL {
            for n_obs in ROWS {
                all.extend((0..self.sets).map(|number| Scenario {
                    spoil,
                    n_obs,
                    seed: self.seed,
                    number,
                }));
            }
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, bool)> {
        vec![("no flags", false), ("--robust", true)]
    }

    fn data(&self, scenario: &Scenario) -> (Spoil, Made) {
        let place = Spoil::ALL.iter().position(|spoil| *spoil == scenario.spoil);
        let kind = 80 + u32::try_from(place.unwrap_or_default()).expect("a few");
        let variant = u32::try_from(scenario.n_obs).expect("a moderate number");
        let mut rng = stream(scenario.seed, kind, variant, scenario.number);
        let rows = scenario.spoil.rows(&mut rng, scenario.n_obs);
        (scenario.spoil, made(rows))
    }

    fn run(&self, (spoil, made): &(Spoil, Made), robust: &bool, _: &GoOn<'_>) -> Timed<Seen> {
        let request = Words {
            target: Some("y".into()),
            robust: Some(*robust),
            ..Words::default()
        };
        timed(|| fit(&made.table, &request)).map(|learned| Seen {
            outcome: made.outcome(learned.as_ref()),
            named: learned.is_some_and(|learned| spoil.is_named(&learned)),
        })
    }
}

impl Report for Spoiled {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "rows that do not belong or say less than their number; {} tables each, seed {}\n\n\
             {:<32} {:>5} {:<9} {:>6} {:>7} {:>7} {:>9} {:>6} {:>14}\n",
            self.sets,
            self.seed,
            "rows",
            "N",
            "fit",
            "right",
            "stated",
            "claims",
            "coverage",
            "named",
            "claims unnamed"
        );
        for spoil in Spoil::ALL {
            for n_obs in ROWS {
                for (method, _) in self.methods() {
                    let own = lines.iter().filter(|line| {
                        let Scenario {
                            spoil: s, n_obs: n, ..
                        } = line.scenario;
                        s == spoil && n == n_obs && line.method == method
                    });
                    let own: Vec<&Seen> = own.map(|line| &line.outcome).collect();
                    let n = own.len() as f64;
                    let share = |is: &dyn Fn(&Seen) -> bool| {
                        own.iter().filter(|seen| is(seen)).count() as f64 / n
                    };
                    let stated = own.iter().map(|s| s.outcome.probability).sum::<f64>() / n;
                    let intervals: u32 = own.iter().map(|s| s.outcome.intervals).sum();
                    let covered: u32 = own.iter().map(|s| s.outcome.covered).sum();
                    let _ = writeln!(
                        text,
                        "{:<32} {n_obs:>5} {method:<9} {:>6.2} {stated:>7.2} {:>7.2} {:>9.3} \
                         {:>6.2} {:>14.2}",
                        spoil.to_string(),
                        share(&|s| s.outcome.right),
                        share(&|s| s.outcome.claims),
                        f64::from(covered) / f64::from(intervals.max(1)),
                        share(&|s| s.named),
                        share(&|s| s.outcome.claims && !s.named),
                    );
                }
            }
        }
        text
    }
}
