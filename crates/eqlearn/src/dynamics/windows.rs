//! Windows of a record over which a system is simulated.

use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::simulate::{End, Simulate, Simulation, simulate};
use crate::dynamics::start::{Scales, start};
use crate::dynamics::system::System;

/// Samples in a window at least, and at most.
const SAMPLES: (f64, f64) = (4.0, 500.0);

/// The tolerance of a step of a simulation.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// A stretch of a record.
pub(crate) struct Window<'a> {
    piece: &'a Piece,
    first: usize,
    end: usize,
    n_states: usize,
}

impl Window<'_> {
    pub(crate) fn times(&self) -> &[f64] {
        &self.piece.times()[self.first..self.end]
    }

    /// The samples of a state.
    pub(crate) fn state(&self, state: usize) -> &[f64] {
        &self.piece.columns()[state][self.first..self.end]
    }

    /// The states at the first time.
    pub(crate) fn start(&self) -> Vec<f64> {
        (0..self.n_states).map(|d| self.state(d)[0]).collect()
    }

    /// The state at the first time to start a system from.
    pub(crate) fn fitted_start(&self, system: &System, scales: &Scales) -> Vec<f64> {
        start(system, self.piece, self.first, scales)
    }

    /// Simulates a system from the first sample; none if the simulation fails before the end.
    pub(crate) fn follow(&self, system: &System) -> Option<Simulation> {
        self.follow_from(system, &self.start())
    }

    /// Simulates a system from a given initial state.
    pub(crate) fn follow_from(&self, system: &System, start: &[f64]) -> Option<Simulation> {
        let settings = Simulate {
            tolerance: TOLERANCE,
            max_steps: 20_000,
            ..Simulate::default()
        };
        let run = simulate(system, start, self.times(), &settings).ok()?;
        (run.end == End::Reached).then_some(run)
    }

    /// The mean over samples and states of the squared error in units of the spread of each state.
    pub(crate) fn squared_error(&self, run: &Simulation, spreads: &[f64]) -> f64 {
        let of_state = |d: usize| -> f64 {
            let pairs = run.states[d].iter().zip(self.state(d));
            pairs.map(|(a, b)| ((a - b) / spreads[d]).powi(2)).sum()
        };
        let sum: f64 = (0..self.n_states).map(of_state).sum();
        sum / (self.n_states * self.times().len()) as f64
    }
}

/// How many samples a window of some duration has.
fn samples(trajectories: &Trajectories, duration: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small range"
    )]
    let length = (duration / trajectories.step())
        .ceil()
        .clamp(SAMPLES.0, SAMPLES.1) as usize;
    length
}

/// Windows of about this duration, spread evenly over a record, at most a given number; they may
/// overlap.
pub(crate) fn windows(trajectories: &Trajectories, duration: f64, most: usize) -> Vec<Window<'_>> {
    let length = samples(trajectories, duration);
    let all: Vec<(&Piece, usize)> = trajectories
        .pieces()
        .iter()
        .flat_map(|piece| (0..=piece.len().saturating_sub(length)).map(move |first| (piece, first)))
        .collect();
    let stride = all.len().div_ceil(most).max(1);
    let n_states = trajectories.states().len();
    all.into_iter()
        .step_by(stride)
        .map(|(piece, first)| Window {
            piece,
            first,
            end: piece.len().min(first + length),
            n_states,
        })
        .collect()
}

/// Windows of about this duration that do not overlap, spread evenly, at most a given number.
pub(crate) fn tiles(trajectories: &Trajectories, duration: f64, most: usize) -> Vec<Window<'_>> {
    let length = samples(trajectories, duration);
    let n_states = trajectories.states().len();
    let pieces = trajectories.pieces().iter();
    let all: Vec<Window<'_>> = pieces
        .flat_map(|piece| {
            let starts = (0..(piece.len() + 1).saturating_sub(length)).step_by(length);
            starts.map(move |first| Window {
                piece,
                first,
                end: first + length,
                n_states,
            })
        })
        .collect();
    let stride = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(stride).collect()
}
