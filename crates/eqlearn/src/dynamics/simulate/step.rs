//! Steps with adaptive length.
//!
//! The error of a step is estimated by an embedded formula of lower order. The step is accepted if
//! the error is within the tolerance, and repeated with a shorter length if not. Two methods share
//! this: one for most systems, and one for stiff ones.

use super::Task;
use super::{rodas, tsitouras};

/// The method of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Explicit, of order 5: cheap, but its steps must resolve the fastest decay.
    Tsitouras,
    /// Linearly implicit, of order 4: a linear system per stage, and no such limit.
    Rodas,
}

/// A step that was tried.
pub(super) struct Trial {
    /// The state at its end.
    pub(super) after: Vec<f64>,
    /// The slope there.
    pub(super) slope_after: Vec<f64>,
    /// The estimated error of the state.
    pub(super) error: Vec<f64>,
    /// The coefficients of the dense output within the step.
    pub(super) shape: Vec<Vec<f64>>,
}

/// A step is given up after this many failures.
const MOST_TRIALS: usize = 40;
/// A shorter step counts as a collapse.
const SHORTEST: f64 = 1e-13;
/// A step is at least half and at most twice as long as the one before,
const SHRINK: f64 = 0.5;
const GROW: f64 = 2.0;
/// and a bit shorter than its error would allow.
const SAFETY: f64 = 0.9;

/// The state of an integration: the last step that was accepted, and the length of the next one.
pub(super) struct Walk<'a> {
    task: &'a Task<'a>,
    method: Method,
    pub(super) time: f64,
    pub(super) state: Vec<f64>,
    slope: Vec<f64>,
    next_length: f64,
    /// The time and state before the last step, and the states within it.
    before: (f64, Vec<f64>),
    shape: Vec<Vec<f64>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(task: &'a Task<'a>, method: Method) -> Self {
        let (time, state) = (task.times[0], task.start.to_vec());
        let mut slope = vec![0.0; state.len()];
        task.slope(&state, &mut slope);
        let next_length = first_length(task, method, &state, &slope);
        Self {
            task,
            method,
            time,
            before: (time, state.clone()),
            state,
            slope,
            next_length,
            shape: Vec::new(),
        }
    }

    /// Takes a step; false if no step is short enough.
    pub(super) fn step(&mut self) -> bool {
        for _ in 0..MOST_TRIALS {
            let length = self.next_length.min(self.task.reach(self.time));
            let trial = match self.method {
                Method::Tsitouras => tsitouras::trial(self.task, &self.state, &self.slope, length),
                Method::Rodas => rodas::trial(self.task, &self.state, &self.slope, length),
            };
            let error = squared_norm(self.task, &trial.error, &self.state);
            let factor = SAFETY * error.powf(-0.5 / self.method.error_order());
            let next_length = length * factor.clamp(SHRINK, GROW);
            // A step that ended at a sample of the inputs says nothing against longer ones.
            let cut_short = error < 1.0 && length < self.next_length;
            self.next_length = if cut_short {
                self.next_length.max(next_length)
            } else {
                next_length
            };
            if error < 1.0 {
                let state = std::mem::replace(&mut self.state, trial.after);
                self.before = (self.time, state);
                self.time += length;
                self.slope = trial.slope_after;
                self.shape = trial.shape;
                return true;
            }
            if self.next_length.abs() < SHORTEST {
                return false;
            }
        }
        false
    }

    /// The state before the last step.
    pub(super) fn state_before(&self) -> &[f64] {
        &self.before.1
    }

    /// The state at a time within the last step.
    pub(super) fn at(&self, time: f64) -> Vec<f64> {
        let (start, before) = &self.before;
        let share = (time - start) / (self.time - start);
        match self.method {
            Method::Tsitouras => tsitouras::within(before, &self.shape, share),
            Method::Rodas => rodas::within(before, &self.state, &self.shape, share),
        }
    }
}

impl Method {
    /// The order of the error estimate in the step length.
    fn error_order(self) -> f64 {
        match self {
            Method::Tsitouras => 5.0,
            Method::Rodas => 4.0,
        }
    }
}

/// The length of the first step, from the norms of the state and its first two derivatives.
///
/// Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.4.
fn first_length(task: &Task, method: Method, state: &[f64], slope: &[f64]) -> f64 {
    let norm = |values: &[f64]| squared_norm(task, values, state).sqrt();
    let (size, speed) = (norm(state), norm(slope));
    let short = if size < 1e-5 || speed < 1e-5 {
        1e-6
    } else {
        0.01 * (size / speed)
    };
    let ahead: Vec<f64> = state
        .iter()
        .zip(slope)
        .map(|(x, v)| v * short + x)
        .collect();
    let mut change = vec![0.0; state.len()];
    task.slope(&ahead, &mut change);
    for (after, before) in change.iter_mut().zip(slope) {
        *after -= before;
    }
    let fastest = (norm(&change) / short).max(speed);
    let length = if fastest < 1e-15 {
        (short * 1e-3).max(1e-6)
    } else {
        (0.01 / fastest).powf(1.0 / method.error_order())
    };
    length.min(100.0 * short)
}

/// The mean square of values in units of their tolerance; below 1 they are within it.
fn squared_norm(task: &Task, values: &[f64], state: &[f64]) -> f64 {
    let tolerance = task.settings.tolerance;
    let sum = values.iter().zip(state).fold(0.0, |sum, (value, x)| {
        let share = value / (x.abs() * tolerance + tolerance);
        sum + share * share
    });
    sum / values.len() as f64
}

/// Adds multiples of some vectors, one after the other.
pub(super) fn add(sum: &mut [f64], vectors: &[Vec<f64>], factors: &[f64]) {
    for (vector, factor) in vectors.iter().zip(factors) {
        for (sum, value) in sum.iter_mut().zip(vector) {
            *sum += value * factor;
        }
    }
}
