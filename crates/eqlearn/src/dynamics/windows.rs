//! Windows of a record over which a system is simulated.

use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::simulate::{End, Simulate, Simulation, simulate};
use crate::dynamics::start::{Scales, start};
use crate::dynamics::system::System;

/// Samples in a window at least, and at most.
const SAMPLES: (f64, f64) = (4.0, 500.0);

/// The first as a count.
const LEAST: usize = 4;

/// Windows in a stretch, where there are too many.
const TOGETHER: usize = 16;

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

    /// From the first time to the last.
    pub(crate) fn duration(&self) -> f64 {
        let times = self.times();
        times.last().map_or(0.0, |last| last - times[0])
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
        self.follow_within(system, start, TOLERANCE)
    }

    /// The same with another tolerance of a step.
    pub(crate) fn follow_within(
        &self,
        system: &System,
        start: &[f64],
        tolerance: f64,
    ) -> Option<Simulation> {
        let settings = Simulate {
            tolerance,
            max_steps: 20_000,
            ..Simulate::default()
        };
        let run = simulate(system, start, self.times(), &settings).ok()?;
        (run.end == End::Reached).then_some(run)
    }

    /// Cuts it into windows of so many samples; the last one also has what is left, if that is less
    /// than a window needs.
    pub(crate) fn split(&self, length: usize) -> Vec<Self> {
        let least = LEAST;
        let starts = (self.first..self.end).step_by(length);
        let firsts: Vec<usize> = starts
            .filter(|&first| first == self.first || self.end - first >= least)
            .collect();
        let ends = firsts.iter().skip(1).copied().chain([self.end]);
        let both = firsts.iter().zip(ends);
        both.map(|(&first, end)| Self {
            first,
            end,
            ..*self
        })
        .collect()
    }

    /// Whether it begins where another one does.
    pub(crate) fn begins_with(&self, other: &Self) -> bool {
        std::ptr::eq(self.piece, other.piece) && self.first == other.first
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

/// Stretches of a record to be cut into windows of about this duration: its pieces, or, where that
/// makes more windows than a given number, stretches of some windows, spread evenly. And how many
/// samples a window has.
pub(crate) fn stretches(
    trajectories: &Trajectories,
    duration: f64,
    most: usize,
) -> (Vec<Window<'_>>, usize) {
    let length = samples(trajectories, duration);
    let n_states = trajectories.states().len();
    let pieces = trajectories.pieces().iter();
    let whole: Vec<Window<'_>> = pieces
        .filter(|piece| piece.len() >= length)
        .map(|piece| Window {
            piece,
            first: 0,
            end: piece.len(),
            n_states,
        })
        .collect();
    let n_windows: usize = whole.iter().map(|w| w.times().len() / length).sum();
    if n_windows <= most {
        return (whole, length);
    }
    let all = whole
        .iter()
        .flat_map(|piece| piece.split(TOGETHER * length));
    let all: Vec<Window<'_>> = all.collect();
    let stride = all.len().div_ceil((most / TOGETHER).max(1)).max(1);
    (all.into_iter().step_by(stride).collect(), length)
}
