//! Dynamical systems whose equations are known: their true solutions, and noise on top.

use eqlearn::Dictionary;
use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};

use super::{normal, stream};

/// The longest step of the integrator. Its error is then far below the least noise.
const LONGEST_STEP: f64 = 5e-4;

/// A system with known equations.
#[derive(Debug, Clone)]
pub struct Known {
    /// What it is called.
    pub name: &'static str,
    /// The key of its random numbers: no two systems share one. It must never change, because the
    /// published results depend on it.
    pub key: u32,
    /// The names of its states.
    pub states: &'static [&'static str],
    /// The names of its known inputs.
    pub inputs: &'static [&'static str],
    /// The true terms of each equation.
    pub truth: &'static [&'static [&'static str]],
    /// Where trajectories start.
    pub start: &'static [f64],
    /// Terms besides monomials.
    pub terms: &'static [&'static str],
    /// The right-hand side.
    pub slope: fn(f64, &[f64], &mut [f64]),
    /// The inputs at a time.
    pub input: fn(f64) -> f64,
    /// A time step that resolves it.
    pub step: f64,
}

/// Lorenz's system with its usual parameters.
pub const LORENZ: Known = Known {
    name: "lorenz",
    key: 6,
    states: &["x", "y", "z"],
    truth: &[&["x", "y"], &["x", "y", "x*z"], &["z", "x*y"]],
    start: &[-8.0, 8.0, 27.0],
    slope: |_, x, d| {
        d[0] = 10.0 * (x[1] - x[0]);
        d[1] = x[0] * (28.0 - x[2]) - x[1];
        d[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
    },
    ..Known::BLANK
};

/// The system of Rabinovich and Fabrikant with the paper's parameters and the paper's start, which
/// spirals into a fixed point.
pub const RABINOVICH: Known = Known {
    name: "rabinovich",
    key: 10,
    states: &["x", "y", "z"],
    truth: &[
        &["x", "y", "y*z", "x^2*y"],
        &["x", "y", "x*z", "x^3"],
        &["z", "x*y*z"],
    ],
    start: &[-1.5, 0.0, 1.0],
    slope: |_, x, d| {
        d[0] = x[1] * (x[2] - 1.0 + x[0] * x[0]) + 0.1 * x[0];
        d[1] = x[0] * (3.0 * x[2] + 1.0 - x[0] * x[0]) + 0.1 * x[1];
        d[2] = -2.0 * x[2] * (0.14 + x[0] * x[1]);
    },
    ..Known::BLANK
};

/// The same system from a start on its attractor.
pub const RABINOVICH_ATTRACTOR: Known = Known {
    name: "rabinovich-attractor",
    key: 20,
    start: &[-1.0, 0.0, 0.5],
    ..RABINOVICH
};

impl Known {
    /// A system without anything, to be filled in.
    pub const BLANK: Self = Self {
        name: "",
        key: 0,
        states: &[],
        inputs: &[],
        truth: &[],
        start: &[],
        terms: &[],
        slope: |_, _, _| {},
        input: |_| 0.0,
        step: 0.01,
    };

    /// All monomials of states and inputs up to a power and a degree, and the system's own terms.
    pub fn dictionary(&self, max_power: u32, max_degree: u32) -> Dictionary {
        let features = self.states.iter().chain(self.inputs).copied();
        Dictionary::monomials(features, max_power, max_degree, true)
            .and_then(|dictionary| dictionary.and_parse(self.terms))
            .expect("the names and terms are good")
    }

    /// The true solution at `n` times that are `step` apart, one column per state. By the classical
    /// Runge–Kutta method.
    pub fn solution(&self, n: usize, step: f64) -> Vec<Vec<f64>> {
        self.solution_from(self.start, n, step)
    }

    /// The same from another start.
    pub fn solution_from(&self, start: &[f64], n: usize, step: f64) -> Vec<Vec<f64>> {
        let inner = (step / LONGEST_STEP).ceil().max(1.0);
        let h = step / inner;
        let mut x = start.to_vec();
        let mut columns: Vec<Vec<f64>> = x.iter().map(|x| vec![*x]).collect();
        for i in 1..n {
            let mut k = 0.0;
            while k < inner {
                self.runge_kutta(step * (i - 1) as f64 + h * k, h, &mut x);
                k += 1.0;
            }
            for (column, x) in columns.iter_mut().zip(&x) {
                column.push(*x);
            }
        }
        columns
    }

    /// Adds normal noise to a solution, of one standard deviation per state. Each `number` has its
    /// own random stream.
    pub fn add_noise(&self, seed: u64, number: u32, sigma: &[f64], columns: &mut [Vec<f64>]) {
        let mut rng = stream(seed, 10, self.key, number);
        for (column, sigma) in columns.iter_mut().zip(sigma) {
            for value in column {
                *value += sigma * normal(&mut rng);
            }
        }
    }

    /// Runs at equal steps as they would be recorded, with the inputs of the system.
    ///
    /// # Panics
    /// If the states of a run never vary, or there are too few samples.
    pub fn recorded(
        &self,
        step: f64,
        runs: impl IntoIterator<Item = Vec<Vec<f64>>>,
    ) -> Trajectories {
        let record = |(number, states): (u32, Vec<Vec<f64>>)| {
            let times: Vec<f64> = (0..states[0].len()).map(|i| i as f64 * step).collect();
            let input = |_: &&str| times.iter().map(|t| (self.input)(*t)).collect();
            Record {
                name: format!("run {number}"),
                inputs: self.inputs.iter().map(input).collect(),
                times,
                states,
            }
        };
        let records = (0..).zip(runs).map(record).collect();
        let made = Trajectories::new("t", self.states, self.inputs, TimeFeature::No, records);
        made.expect("made data are good")
    }

    fn runge_kutta(&self, time: f64, h: f64, x: &mut [f64]) {
        let dims = x.len();
        let mut k = [[0.0; 4]; 4];
        let mut at = [0.0; 4];
        (self.slope)(time, x, &mut k[0][..dims]);
        for (stage, share) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            for d in 0..dims {
                at[d] = x[d] + share * h * k[stage - 1][d];
            }
            (self.slope)(time + share * h, &at[..dims], &mut k[stage][..dims]);
        }
        for d in 0..dims {
            x[d] += h / 6.0 * (k[0][d] + 2.0 * k[1][d] + 2.0 * k[2][d] + k[3][d]);
        }
    }
}
