//! Differential equations from noisy trajectories: the paper's Lorenz and Rabinovich–Fabrikant scenarios, and eight more systems.
//!
//! Scenarios run in parallel, each with noise from its own stream. With a file, each leaves a line of JSON there when it is done, and a run
//! that was cut off goes on with those that are missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::search::{Run, Search};
use eqlearn::{Discover, Method, RowScheme, Settings, Support, discover};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{normal, stream};
use crate::systems::{Known, LORENZ, OTHERS, RABINOVICH, RABINOVICH_ATTRACTOR};

/// The longest step of the true solution: its error is far below the least noise.
pub const LONGEST: f64 = 5e-4;

/// What to run.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    /// The seed of all noise.
    pub seed: u64,
    /// How trajectories become rows.
    pub rows: RowScheme,
    /// How rows become equations.
    pub method: Method,
    /// Where to keep results, and to go on from.
    pub out: Option<&'a Path>,
}

/// One trajectory to learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The system.
    pub system: String,
    /// Its place in the grid, which keys the noise.
    pub number: u32,
    /// The number of samples.
    pub n_obs: usize,
    /// The time step.
    pub step: f64,
    /// The noise.
    pub sigma: f64,
    /// The seed.
    pub seed: u64,
    /// The rows.
    pub rows: String,
    /// The method.
    pub method: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The scenario.
    pub scenario: Scenario,
    /// The terms found, per equation.
    pub terms: Vec<Vec<String>>,
    /// Which equations have exactly the true terms.
    pub right: Vec<bool>,
    /// How long it took.
    pub seconds: f64,
}

/// Runs one of the paper's two grids.
pub fn run(name: &str, experiment: &Experiment<'_>) -> String {
    let known = [LORENZ, RABINOVICH, RABINOVICH_ATTRACTOR]
        .into_iter()
        .find(|known| known.name == name)
        .expect("one of the paper's systems");
    let all: Vec<Scenario> = grid(name)
        .into_iter()
        .enumerate()
        .map(|(number, (n_obs, step, sigma))| Scenario {
            system: name.to_string(),
            number: u32::try_from(number).expect("a small grid"),
            n_obs,
            step,
            sigma,
            seed: experiment.seed,
            rows: experiment.rows.to_string(),
            method: experiment.method.name().to_string(),
        })
        .collect();
    let outcomes = outcomes(&all, experiment, |scenario| {
        let columns = known.solution(scenario.n_obs, scenario.step, LONGEST);
        (known.clone(), columns, vec![scenario.sigma; 3], (4, 6))
    });
    table(&outcomes)
}

/// Runs the eight systems with noise of 0, 0.1, 1 and 5 % of each state's spread.
pub fn run_others(experiment: &Experiment<'_>) -> String {
    let mut all = Vec::new();
    for known in &OTHERS {
        for sigma in [0.0, 0.001, 0.01, 0.05] {
            all.push(Scenario {
                system: known.name.to_string(),
                number: u32::try_from(all.len()).expect("a small grid"),
                n_obs: 2000,
                step: known.step,
                sigma,
                seed: experiment.seed,
                rows: experiment.rows.to_string(),
                method: experiment.method.name().to_string(),
            });
        }
    }
    let outcomes = outcomes(&all, experiment, |scenario| {
        let known = OTHERS.iter().find(|known| known.name == scenario.system);
        let known = known.expect("one of the eight").clone();
        let columns = known.solution(scenario.n_obs, scenario.step, LONGEST);
        let sigma = columns.iter().map(|x| scenario.sigma * spread(x)).collect();
        (known, columns, sigma, (3, 3))
    });
    let mut text = String::from(
        "equations found of all, by noise in % of each state's spread; 2000 samples, degree 3\n\n",
    );
    let _ = writeln!(
        text,
        "{:<24} {:>8} {:>8} {:>8} {:>8}",
        "system", "0", "0.1", "1", "5"
    );
    for group in outcomes.chunks(4) {
        let _ = write!(text, "{:<24}", group[0].scenario.system);
        for outcome in group {
            let right = outcome.right.iter().filter(|right| **right).count();
            let _ = write!(text, " {:>8}", format!("{right}/{}", outcome.right.len()));
        }
        text.push('\n');
    }
    text
}

fn spread(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// The paper's scenarios of a system: number of samples, time step, noise.
pub fn grid(name: &str) -> Vec<(usize, f64, f64)> {
    let lorenz = name == "lorenz";
    let (sizes, sigmas): (&[usize], &[f64]) = if lorenz {
        (&[200, 1000, 5000, 10_000], &[0.001, 0.005, 0.01, 0.05, 0.1])
    } else {
        (
            &[1000, 2000, 5000, 8000, 12_000, 16_000],
            &[1e-4, 1e-3, 1e-2],
        )
    };
    let mut all = Vec::new();
    for &n in sizes {
        for step in [0.001, 0.005, 0.01, 0.05, 0.1] {
            for &sigma in sigmas {
                let duration = n as f64 * step;
                let long_enough = if lorenz {
                    duration > 2.0
                } else {
                    duration > 5.0 - 1e-9
                };
                if long_enough {
                    all.push((n, step, sigma));
                }
            }
        }
    }
    all
}

/// A system, its true solution, the noise of each state, and the highest power and degree of the dictionary.
type Made = (Known, Vec<Vec<f64>>, Vec<f64>, (u32, u32));

fn outcomes(
    all: &[Scenario],
    experiment: &Experiment<'_>,
    make: impl Fn(&Scenario) -> Made + Sync,
) -> Vec<Outcome> {
    let done = experiment.out.map(read).unwrap_or_default();
    let file = experiment.out.map(|path| {
        let opened = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path);
        Mutex::new(opened.expect("the results file can be written"))
    });
    let one = |scenario: &Scenario| {
        if let Some(outcome) = done.iter().find(|outcome| outcome.scenario == *scenario) {
            return outcome.clone();
        }
        let outcome = learn_one(scenario, experiment, make(scenario));
        if let Some(file) = &file {
            let line = serde_json::to_string(&outcome).expect("plain data") + "\n";
            let mut file = file.lock().expect("no writer panics");
            file.write_all(line.as_bytes())
                .expect("the results file can be written");
        }
        outcome
    };
    all.par_iter().map(one).collect()
}

/// The lines of an earlier run; one that was cut off in the middle does not count.
fn read(path: &Path) -> Vec<Outcome> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Adds noise to a true solution, from the stream of one scenario.
pub fn add_noise(known: &Known, seed: u64, number: u32, sigma: &[f64], columns: &mut [Vec<f64>]) {
    let system = u32::try_from(known.name.len()).unwrap_or(0);
    let mut rng = stream(seed, 10, system, number);
    for (column, sigma) in columns.iter_mut().zip(sigma) {
        for value in column {
            *value += sigma * normal(&mut rng);
        }
    }
}

fn learn_one(scenario: &Scenario, experiment: &Experiment<'_>, made: Made) -> Outcome {
    let (known, mut columns, sigma, (power, degree)) = made;
    let start = std::time::Instant::now();
    add_noise(&known, scenario.seed, scenario.number, &sigma, &mut columns);
    let times: Vec<f64> = (0..scenario.n_obs)
        .map(|i| i as f64 * scenario.step)
        .collect();
    let inputs = known
        .inputs
        .iter()
        .map(|_| times.iter().map(|t| (known.input)(*t)).collect());
    let record = Record {
        name: known.name.to_string(),
        inputs: inputs.collect(),
        times,
        states: columns,
    };
    let trajectories = Trajectories::new(
        "t",
        known.states,
        known.inputs,
        TimeFeature::No,
        vec![record],
    )
    .expect("made data are good");
    let dictionary = known.dictionary(power, degree);
    let centred = !matches!(experiment.method, Method::Best | Method::BestSubset);
    let space = Search {
        centre: (0..usize::from(centred)).collect(),
        ..Search::default()
    };
    let settings = Discover {
        rows: experiment.rows,
        learn: Settings {
            method: experiment.method.clone(),
            space,
            ..Settings::default()
        },
        ..Discover::default()
    };
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let found = discover(&trajectories, &dictionary, &settings, &run, &mut ())
        .expect("made data can be searched");
    let centre: Support = settings.learn.space.centre.clone();
    let terms: Vec<Vec<String>> = found
        .studies()
        .iter()
        .map(|study| {
            let support = study
                .answer()
                .map(|answer| answer.fit.support().indices().to_vec());
            let chosen = support
                .unwrap_or_default()
                .into_iter()
                .filter(|&term| !centre.contains(term));
            chosen
                .map(|term| dictionary.terms()[term].to_string())
                .collect()
        })
        .collect();
    Outcome {
        right: terms
            .iter()
            .zip(known.truth)
            .map(|(found, truth)| found == truth)
            .collect(),
        terms,
        scenario: scenario.clone(),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// Equations of three on average, and complete systems in %, by step, noise and size; then what went wrong.
fn table(outcomes: &[Outcome]) -> String {
    let mut groups: BTreeMap<String, (u32, usize, u32)> = BTreeMap::new();
    let mut text = String::new();
    for Outcome {
        scenario,
        right,
        terms,
        ..
    } in outcomes
    {
        let count = right.iter().filter(|right| **right).count();
        if count < right.len() {
            let wrong = terms
                .iter()
                .zip(right)
                .filter(|(_, right)| !**right)
                .map(|(t, _)| t.join(" + "));
            let _ = writeln!(
                text,
                "N {:>5}  Δt {:<5}  σ {:<6}  not: {}",
                scenario.n_obs,
                scenario.step,
                scenario.sigma,
                wrong.collect::<Vec<_>>().join("; ")
            );
        }
        for key in [
            "1 all".to_string(),
            format!("2 Δt {}", scenario.step),
            format!("3 σ  {}", scenario.sigma),
            format!("4 N  {:>5}", scenario.n_obs),
        ] {
            let group = groups.entry(key).or_default();
            *group = (
                group.0 + 1,
                group.1 + count,
                group.2 + u32::from(count == right.len()),
            );
        }
    }
    text.push_str("\n              scenarios  equations of 3  complete %\n");
    for (key, (count, equations, complete)) in groups {
        let n = f64::from(count);
        let _ = writeln!(
            text,
            "{:<14} {count:>8} {:>15.2} {:>11.0}",
            &key[2..],
            equations as f64 / n,
            100.0 * f64::from(complete) / n
        );
    }
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let _ = writeln!(text, "{seconds:.0} seconds of work");
    text
}
