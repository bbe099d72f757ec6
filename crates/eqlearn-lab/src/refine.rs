//! Coefficients of motion: those of the rows, refined ones, and those fitted with the states.
//!
//! The error is that of all coefficients together, `‖ŵ − w‖/‖w‖`, of systems whose terms are right.
//! Intervals are `ŵ ± 1.96` standard errors.

use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Denoise, Discover, Model, System, refine};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{Known, LORENZ};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::discovery;
use crate::systems::{OTHERS, standard_deviation};
use crate::{Report, Request};

/// Noise in units of each state's standard deviation.
const NOISE: [f64; 4] = [0.0, 0.001, 0.01, 0.05];
/// Samples of a record.
const SAMPLES: usize = 2000;
/// How much of a normal distribution is within so many standard errors: 95 %.
const WITHIN: f64 = 1.96;

/// The true coefficients of the systems without inputs, term by term.
const TRUTH: [(&str, &[&[f64]]); 8] = [
    (
        LORENZ.name,
        &[&[-10.0, 10.0], &[28.0, -1.0, -1.0], &[-8.0 / 3.0, 1.0]],
    ),
    ("van der Pol", &[&[1.0], &[-1.0, 2.0, -2.0]]),
    ("Lotka–Volterra", &[&[2.0 / 3.0, -4.0 / 3.0], &[-1.0, 1.0]]),
    ("Rössler", &[&[-1.0, -1.0], &[1.0, 0.2], &[0.2, -5.7, 1.0]]),
    (
        "Hopf normal form",
        &[&[0.25, -1.0, -1.0, -1.0], &[1.0, 0.25, -1.0, -1.0]],
    ),
    ("damped pendulum", &[&[1.0], &[-0.1, -4.0]]),
    ("SIR", &[&[-1.5], &[-0.3, 1.5]]),
    (
        "Rössler, hyperchaotic",
        &[&[-1.0, -1.0], &[1.0, 0.25, 1.0], &[3.0, 1.0], &[-0.5, 0.05]],
    ),
];

fn known(name: &str) -> &'static Known {
    let found = OTHERS.iter().find(|known| known.name == name);
    found.unwrap_or(&LORENZ)
}

#[derive(Debug)]
pub(crate) struct Refinement {
    seed: u64,
    sets: u32,
}

impl Refinement {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            seed: request.seed,
            sets: request.sets,
        }
    }
}

/// One draw of the noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    system: String,
    /// The place of its noise in [`NOISE`].
    level: u32,
    number: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            level,
            number,
            seed,
        } = self;
        write!(f, "{system}, noise {level}, set {number}, seed {seed}")
    }
}

/// Coefficients of one kind; none where terms are wrong.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Judged {
    error: f64,
    /// Intervals that hold the truth, and all.
    covered: (u32, u32),
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    rows: Option<Judged>,
    refined: Option<Judged>,
    together: Option<Judged>,
    /// Whether the refined coefficients were taken.
    improved: bool,
    /// How long the longest window was, in time scales.
    scales: f64,
}

fn judge(known: &Known, system: &System) -> Option<Judged> {
    let truth = TRUTH.iter().find(|(name, _)| *name == known.name)?.1;
    let (mut wrong, mut total) = (0.0, 0.0);
    let mut covered = (0, 0);
    for ((model, terms), truth) in system.equations().iter().zip(known.truth).zip(truth) {
        let found = Model::term_texts(model);
        if found.len() != terms.len() {
            return None;
        }
        for (term, w) in terms.iter().zip(*truth) {
            let place = found.iter().position(|own| own == term)?;
            let off = (model.coefficients()[place] - w).abs();
            let errors = model.std_errors().unwrap_or(&[]);
            wrong += off * off;
            total += w * w;
            covered.0 += u32::from(off <= WITHIN * errors.get(place).copied().unwrap_or(0.0));
            covered.1 += 1;
        }
    }
    Some(Judged {
        error: (wrong / total).sqrt(),
        covered,
    })
}

impl Experiment for Refinement {
    type Scenario = Scenario;
    type Method = ();
    type Data = (&'static Known, Trajectories);
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "refine"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for (number, level) in (0..self.sets).flat_map(|n| (0..4).map(move |level| (n, level))) {
            all.extend(TRUTH.iter().map(|(name, _)| Scenario {
                system: (*name).to_string(),
                level,
                number,
                seed: self.seed,
            }));
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("all", ())]
    }

    fn data(&self, scenario: &Scenario) -> Self::Data {
        let known = known(&scenario.system);
        let mut states = known.solution(SAMPLES, known.step);
        let noise = NOISE[scenario.level as usize];
        let sigma: Vec<f64> = states
            .iter()
            .map(|x| noise * standard_deviation(x))
            .collect();
        // Other numbers than those of `systems`.
        let place = 1000 + scenario.number * 10 + scenario.level;
        known.add_noise(scenario.seed, place, &sigma, &mut states);
        (known, known.recorded(known.step, [states]))
    }

    fn run(&self, (known, record): &Self::Data, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let dictionary = known.dictionary(3, 3);
        let with = |denoise: Denoise| {
            let settings = Discover {
                denoise,
                ..Discover::default()
            };
            discovery(record, &dictionary, &settings)
        };
        timed(|| {
            let found = with(Denoise::Off);
            let system = found.system();
            let rows = system.as_ref().and_then(|system| judge(known, system));
            let (noise, scale) = (&found.choice().noise, found.choice().time_scale);
            let refined = match (&system, &rows) {
                (Some(system), Some(_)) => refine(system, found.forms(), record, noise, scale).ok(),
                _ => None,
            };
            let together = rows.and_then(|_| with(Denoise::Auto).system());
            Outcome {
                rows,
                refined: refined.as_ref().and_then(|r| judge(known, &r.system)),
                together: together.and_then(|system| judge(known, &system)),
                improved: refined.as_ref().is_some_and(|r| r.improved),
                scales: refined.map_or(0.0, |r| r.duration / scale),
            }
        })
    }
}

impl Report for Refinement {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "errors of the coefficients of systems with the right terms in %, medians of {} draws\n\
             each, seed {}, {SAMPLES} samples; by noise in % of each state's spread; those of the\n\
             rows, refined, and fitted together with the states (where the noise asks for it);\n\
             how often refined ones were taken, how often they were worse, how long windows were\n\
             in time scales; and the 95 % intervals that hold the truth in %: rows, refined\n\n",
            self.sets, self.seed
        );
        let _ = writeln!(
            text,
            "{:<22} {:>5} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8} {:>9}",
            "system",
            "noise",
            "rows",
            "refined",
            "together",
            "taken",
            "worse",
            "windows",
            "intervals"
        );
        for (name, _) in &TRUTH {
            for level in 0..4 {
                let own = |line: &&LineOf<Self>| {
                    line.scenario.system == *name && line.scenario.level == level
                };
                write_cell(&mut text, name, level, lines.iter().filter(own));
            }
        }
        for level in 0..4 {
            let own = |line: &&LineOf<Self>| line.scenario.level == level;
            write_cell(&mut text, "all", level, lines.iter().filter(own));
        }
        text
    }
}

fn write_cell<'a>(
    text: &mut String,
    name: &str,
    level: u32,
    lines: impl Iterator<Item = &'a LineOf<Refinement>>,
) {
    let outcomes: Vec<&Outcome> = lines.map(|line| &line.outcome).collect();
    let of = |kind: fn(&Outcome) -> Option<Judged>| -> Vec<Judged> {
        outcomes
            .iter()
            .filter_map(|outcome| kind(outcome))
            .collect()
    };
    let (rows, refined) = (of(|o| o.rows), of(|o| o.refined));
    let is_worse = |o: &&&Outcome| match (o.rows, o.refined) {
        (Some(rows), Some(refined)) => refined.error > rows.error,
        _ => false,
    };
    let _ = writeln!(
        text,
        "{name:<22} {:>5} {:>9.2e} {:>9.2e} {:>9.2e} {:>6} {:>6} {:>8.0} {:>4}/{:<4}",
        100.0 * NOISE[level as usize],
        100.0 * median(rows.iter().map(|r| r.error)),
        100.0 * median(refined.iter().map(|r| r.error)),
        100.0 * median(of(|o| o.together).iter().map(|r| r.error)),
        format!(
            "{}/{}",
            outcomes.iter().filter(|o| o.improved).count(),
            refined.len()
        ),
        outcomes.iter().filter(is_worse).count(),
        median(
            outcomes
                .iter()
                .filter(|o| o.refined.is_some())
                .map(|o| o.scales)
        ),
        intervals(&rows),
        intervals(&refined),
    );
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Intervals that hold the truth, in %.
fn intervals(all: &[Judged]) -> String {
    let covered: u32 = all.iter().map(|judged| judged.covered.0).sum();
    match all.iter().map(|judged| judged.covered.1).sum::<u32>() {
        0 => "–".to_string(),
        n => format!("{:.0}", 100.0 * f64::from(covered) / f64::from(n)),
    }
}
