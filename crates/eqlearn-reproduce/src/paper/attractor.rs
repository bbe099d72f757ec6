//! Forecasts of learned systems from points of the true attractor, and their errors.

use eqlearn::dynamics::simulate::End;
use eqlearn::{Simulate, System, simulate};
use rand::RngExt;

use super::PaperExperiment;
use crate::known::stream;
use crate::runner::GoOn;

/// Time that a trajectory is given to reach the attractor.
const TRANSIENT: f64 = 50.0;
/// Time over which initial values are drawn.
const SPAN: f64 = 500.0;
/// Samples of a forecast, the start not counted.
const SAMPLES: u32 = 100;

/// Initial values and what the true system does from each.
#[derive(Debug, Clone)]
pub struct Attractor {
    times: Vec<f64>,
    starts: Vec<Vec<f64>>,
    /// For each start one column per state.
    truth: Vec<Vec<Vec<f64>>>,
}

/// How long a forecast lasts: about five times the time in which errors grow by a factor of e.
pub fn horizon(experiment: PaperExperiment) -> f64 {
    match experiment {
        PaperExperiment::Rabinovich => 10.0,
        _ => 5.0,
    }
}

impl Attractor {
    /// Draws `count` initial values; none for an experiment without a system.
    pub fn new(experiment: PaperExperiment, seed: u64, count: usize) -> Option<Self> {
        let known = experiment.on_attractor()?;
        let mut rng = stream(seed, 20, known.key, 0);
        let step = 0.01;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "constants of a moderate size"
        )]
        let (first, last) = (
            (TRANSIENT / step) as usize,
            ((TRANSIENT + SPAN) / step) as usize,
        );
        let path = known.solution(last, step);
        let starts: Vec<Vec<f64>> = (0..count)
            .map(|_| {
                let at = rng.random_range(first..last);
                path.iter().map(|column| column[at]).collect()
            })
            .collect();
        let step = horizon(experiment) / f64::from(SAMPLES);
        let times: Vec<f64> = (0..=SAMPLES).map(|i| f64::from(i) * step).collect();
        let truth = starts
            .iter()
            .map(|start| known.solution_from(start, times.len(), step))
            .collect();
        Some(Self {
            times,
            starts,
            truth,
        })
    }

    /// How many initial values there are.
    pub fn n_starts(&self) -> usize {
        self.starts.len()
    }

    /// The mean absolute error over times and states from each start; none where the simulation
    /// did not reach the end.
    pub fn errors(&self, system: &System, go_on: &GoOn<'_>) -> Vec<Option<f64>> {
        let settings = Simulate {
            tolerance: 1e-6,
            max_steps: 20_000,
            ..Simulate::default()
        };
        let one = |(start, truth): (&Vec<f64>, &Vec<Vec<f64>>)| {
            if go_on().is_break() {
                return None;
            }
            let run = simulate(system, start, &self.times, &settings).ok()?;
            if run.end != End::Reached {
                return None;
            }
            let pairs = run.states.iter().flatten().zip(truth.iter().flatten());
            let sum: f64 = pairs.map(|(x, truth)| (x - truth).abs()).sum();
            let mean = sum / (truth.len() * self.times.len()) as f64;
            mean.is_finite().then(|| six_digits(mean))
        };
        self.starts.iter().zip(&self.truth).map(one).collect()
    }
}

/// A number rounded to six significant digits: more would only fill the files.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a printed number")
}
