//! Forecasts by simulation: a learned system starts from samples of the record and is compared with
//! the samples that follow.
//!
//! A model can fit derivatives and still be unstable. Windows are spread evenly over the record; in
//! each, the system starts from a sample and is simulated for a few time scales. Failed simulations
//! are counted, and left out of the means. To be looked at, the system is also followed along the
//! whole record ([`restarts`]): from the first sample until it is lost, then from the sample there.
//! Whether it is lost is judged by the states that were measured.

use serde::{Deserialize, Serialize};

use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::lyapunov::{Exponent, chaos};
pub use crate::dynamics::start::VALID;
use crate::dynamics::start::{Scales, followed, start};
use crate::dynamics::system::System;
use crate::dynamics::windows::windows;

/// Windows at most.
const WINDOWS: usize = 20;
/// Time scales that a window lasts.
const LENGTH: f64 = 10.0;
/// Starts along a piece at most.
const RESTARTS: usize = 20;

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
    /// The mean time until the error reaches 40 % of the record's spread, and what noise adds to
    /// that; at most the window's duration.
    pub valid_time: Option<f64>,
    /// The largest Lyapunov exponent of the system, if it is chaotic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lyapunov: Option<Exponent>,
}

/// Simulates a system over windows of a record, whose noise and shortest time scale are known; none
/// if it has inputs, whose future is not known.
pub fn forecast(
    system: &System,
    trajectories: &Trajectories,
    noise: &[f64],
    time_scale: f64,
) -> Option<Forecast> {
    if !system.others().is_empty() {
        return None;
    }
    let n_states = system.states().len();
    let scales = Scales::new(trajectories, noise, time_scale);
    let limits = scales.limits();
    let windows = windows(trajectories, LENGTH * time_scale, WINDOWS);
    let mut failures = 0;
    let mut errors = vec![0.0; n_states];
    let mut valid = 0.0;
    for window in &windows {
        let Some(run) = window.follow_from(system, &window.fitted_start(system, &scales)) else {
            failures += 1;
            continue;
        };
        let error = |d: usize, i: usize| (run.states[d][i] - window.state(d)[i]).abs();
        let n = run.times.len();
        for (d, total) in errors.iter_mut().enumerate() {
            *total += (0..n).map(|i| error(d, i)).sum::<f64>() / n as f64;
        }
        let off = |i: usize| {
            let mut measured = limits.iter().enumerate();
            measured.any(|(d, limit)| error(d, i) > *limit)
        };
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
        lyapunov: chaos(system, trajectories, time_scale),
    })
}

/// A system that was started from a sample of a record, and how far it followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Restart {
    /// The sample that it starts from.
    pub first: usize,
    /// The simulated values of each state from there on, up to the sample where it is lost.
    pub states: Vec<Vec<f64>>,
    /// How long it is valid: until a state is off by 40 % of its spread, or until the record ends.
    pub horizon: f64,
    /// Whether it is still valid where the record ends.
    pub reaches_end: bool,
}

/// Follows a piece of a record from its first sample until the system is lost (a state is off by
/// more than [`VALID`] of its spread and what noise adds, or the simulation fails), then from the
/// sample there, and so on to the end. A system that is lost at once starts again every twentieth
/// of the piece. Inputs, and time where it is a feature, are those of the record. Where velocities
/// were not measured, or there is much noise, starts are fitted to the samples that follow
/// ([`Scales::fitted_for`]).
pub fn restarts(system: &System, piece: &Piece, scales: &Scales) -> Vec<Restart> {
    let shortest = piece.len().div_ceil(RESTARTS);
    let mut all: Vec<Restart> = Vec::new();
    let mut first = 0;
    while first + 1 < piece.len() {
        let Some(next) = restart(system, piece, first, scales) else {
            break;
        };
        let followed = next.states[0].len().saturating_sub(1);
        let done = next.reaches_end;
        all.push(next);
        if done {
            break;
        }
        first += followed.max(shortest);
    }
    all
}

/// The system from one sample on; none if it cannot be simulated at all.
fn restart(system: &System, piece: &Piece, first: usize, scales: &Scales) -> Option<Restart> {
    let recorded = |d: usize| &piece.columns()[d][first..];
    let times = &piece.times()[first..];
    let from = start(system, piece, first, scales);
    let run = followed(system, piece, first..piece.len(), &from)?;
    let off = |d: usize, i: usize| (run.states[d][i] - recorded(d)[i]).abs();
    let limits = scales.limits();
    let is_lost = |i: &usize| {
        let mut measured = limits.iter().enumerate();
        measured.any(|(d, limit)| off(d, *i) > *limit)
    };
    let n = run.times.len();
    let lost = (0..n).find(is_lost);
    let last = lost.unwrap_or(n - 1);
    Some(Restart {
        first,
        states: run.states.iter().map(|x| x[..=last].to_vec()).collect(),
        horizon: times[last] - times[0],
        reaches_end: lost.is_none() && n == times.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::trajectory::{Record, TimeFeature};

    fn decay(rate: f64) -> System {
        System::of_flow(&["x"], &[&[("x", -rate)]])
    }

    fn record() -> Trajectories {
        let times: Vec<f64> = (0..100).map(|i| 0.05 * f64::from(i)).collect();
        let x = times.iter().map(|t| (-t).exp()).collect();
        Trajectories::of_run("t", times, &["x"], vec![x]).unwrap()
    }

    #[test]
    fn a_right_system_follows_to_the_end_from_one_start() {
        let record = record();
        let piece = &record.pieces()[0];
        let all = restarts(&decay(1.0), piece, &Scales::new(&record, &[0.0], 1.0));
        assert_eq!(all.len(), 1);
        assert!(all[0].reaches_end && (all[0].horizon - 4.95).abs() < 1e-9);
        assert_eq!(all[0].states[0].len(), 100);
    }

    #[test]
    fn a_system_that_is_lost_starts_again_from_the_measured_state() {
        let record = record();
        let piece = &record.pieces()[0];
        let all = restarts(&decay(-0.5), piece, &Scales::new(&record, &[0.0], 1.0));
        assert!((2..=RESTARTS).contains(&all.len()), "{}", all.len());
        for one in &all {
            let measured = piece.columns()[0][one.first];
            assert!((one.states[0][0] - measured).abs() < 1e-12);
        }
        // Between starts nothing is left out but where it is lost at once.
        let reach = |one: &Restart| one.first + (one.states[0].len() - 1).max(5);
        assert!(all.windows(2).all(|pair| reach(&pair[0]) == pair[1].first));
    }

    #[test]
    fn inputs_are_those_of_the_record() {
        // x' = u − x with the ramp u = t has the solution t − 1 + 3 exp(−t) from x = 2.
        let times: Vec<f64> = (0..=20).map(|i| 0.25 * f64::from(i)).collect();
        let x = times.iter().map(|t| t - 1.0 + 3.0 * (-t).exp()).collect();
        let record = Record {
            name: "run".into(),
            states: vec![x],
            inputs: vec![times.clone()],
            times,
        };
        let record = Trajectories::new("t", &["x"], &["u"], TimeFeature::No, vec![record]).unwrap();
        let system = System::of_flow(&["x", "u"], &[&[("x", -1.0), ("u", 1.0)]]);
        let piece = &record.pieces()[0];
        let all = restarts(&system, piece, &Scales::new(&record, &[0.0], 1.0));
        assert!(all.len() == 1 && all[0].reaches_end);
        for (simulated, x) in all[0].states[0].iter().zip(&piece.columns()[0]) {
            assert!((simulated - x).abs() < 1e-5, "{simulated} {x}");
        }
    }
}
