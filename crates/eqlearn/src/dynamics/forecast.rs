//! Forecasts by simulation: a learned system starts from samples of the record and is compared with
//! the samples that follow.
//!
//! A model can fit derivatives and still be unstable. Windows are spread evenly over the record; in
//! each, the system starts from a sample and is simulated for a few time scales. Failed simulations
//! are counted, and left out of the means.

use serde::{Deserialize, Serialize};

use crate::data::trajectory::Trajectories;
use crate::dynamics::system::System;
use crate::dynamics::windows::windows;

/// Windows at most.
const WINDOWS: usize = 20;
/// Time scales that a window lasts.
const LENGTH: f64 = 10.0;
/// A forecast is valid while its error is below this fraction of the record's spread.
const VALID: f64 = 0.4;

/// How well a system predicts the record that it was learned from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// How many windows were tried.
    pub windows: usize,
    /// In how many of them the simulation failed before the end.
    pub failures: usize,
    /// How long a window lasts.
    pub duration: f64,
    /// The mean absolute error of each state over the windows that were simulated; none if there is
    /// none.
    pub mean_absolute_error: Option<Vec<f64>>,
    /// The mean time until the error reaches 40 % of the record's spread, at most the window's
    /// duration.
    pub valid_time: Option<f64>,
}

/// Simulates a system over windows of a record; none if it has inputs, whose future is not known.
pub fn forecast(system: &System, trajectories: &Trajectories, time_scale: f64) -> Option<Forecast> {
    if !system.others().is_empty() {
        return None;
    }
    let n_states = system.states().len();
    let spreads: Vec<f64> = (0..n_states).map(|d| trajectories.spread(d)).collect();
    let windows = windows(trajectories, LENGTH * time_scale, WINDOWS);
    let mut failures = 0;
    let mut errors = vec![0.0; n_states];
    let mut valid = 0.0;
    for window in &windows {
        let Some(run) = window.follow(system) else {
            failures += 1;
            continue;
        };
        let error = |d: usize, i: usize| (run.states[d][i] - window.state(d)[i]).abs();
        let n = run.times.len();
        for (d, total) in errors.iter_mut().enumerate() {
            *total += (0..n).map(|i| error(d, i)).sum::<f64>() / n as f64;
        }
        let off = |i: usize| (0..n_states).any(|d| error(d, i) > VALID * spreads[d]);
        let last = (0..n).find(|&i| off(i)).unwrap_or(n - 1);
        valid += run.times[last] - run.times[0];
    }
    let followed = (windows.len() - failures) as f64;
    let mean = |total: f64| total / followed;
    let longest = windows.iter().map(|window| {
        let times = window.times();
        times[times.len() - 1] - times[0]
    });
    Some(Forecast {
        windows: windows.len(),
        failures,
        duration: longest.fold(0.0, f64::max),
        mean_absolute_error: (followed > 0.0).then(|| errors.into_iter().map(mean).collect()),
        valid_time: (followed > 0.0).then(|| mean(valid)),
    })
}
