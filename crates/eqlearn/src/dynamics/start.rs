//! The state that a forecast starts from.
//!
//! Where all states were measured with little noise it is the sample itself. With much noise a
//! sample is no state of any use, and velocities that nobody measured are the slopes of
//! polynomials, which at the ends of a record lie on one side of the sample and are rough. There
//! the whole state is fitted: among all motions of the learned system it is the start of the one
//! that is nearest to the samples of the next few time scales, by the Gauss–Newton method from the
//! recorded state on.
//! That state stays where the fit fails or is no nearer.

use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::resolution::MUCH_NOISE;
use crate::dynamics::simulate::{End, Forcing, Simulate, Simulation, simulate_forced};
use crate::dynamics::system::System;
use crate::reduce::Reduction;

/// Time scales that the samples last to which a start is fitted: enough for a good velocity, too
/// short for errors of the system to matter.
const LENGTH: f64 = 2.0;
/// Samples for each state at least, and samples at most.
const SAMPLES: (usize, usize) = (4, 200);
/// Steps at most.
const STEPS: usize = 10;
/// Halvings of a step at most.
const HALVINGS: i32 = 5;
/// Converged when the sum of squares falls by less than this fraction.
const SETTLED: f64 = 1e-6;
/// The step of finite differences in units of the spread: far above the simulation's error.
const NUDGE: f64 = 1e-2;

/// A forecast is valid while its error is below this fraction of the record's spread, if the record
/// has no noise.
pub const VALID: f64 = 0.4;
/// A sample is hardly ever off by more than this many standard deviations of its noise.
const HARDLY: f64 = 4.0;

/// What errors and times along a record are measured by.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    /// The standard deviation of each state over the record.
    pub spreads: Vec<f64>,
    /// How many of the states were measured: the first ones. The others are velocities.
    pub n_measured: usize,
    /// The noise of each measured state.
    pub noise: Vec<f64>,
    /// The shortest time scale of the motion.
    pub time_scale: f64,
}

impl Scales {
    /// Those of a record, whose noise and shortest time scale are known.
    pub fn new(record: &Trajectories, noise: &[f64], time_scale: f64) -> Self {
        let states = 0..record.states().len();
        Self {
            spreads: states.map(|state| record.spread(state)).collect(),
            n_measured: record.n_measured(),
            noise: noise.to_vec(),
            time_scale,
        }
    }

    /// How long a state is fitted for, where that is done.
    pub fn fitted_for(&self) -> Option<f64> {
        let all_measured = self.n_measured == self.spreads.len();
        (!all_measured || self.is_noisy()).then_some(LENGTH * self.time_scale)
    }

    /// Whether there is much noise.
    pub fn is_noisy(&self) -> bool {
        let mut both = self.noise.iter().zip(&self.spreads);
        both.any(|(noise, spread)| *noise > MUCH_NOISE * spread)
    }

    /// By how much each measured state of a valid forecast may be off its sample: noise adds to
    /// what the forecast itself may be off.
    pub(crate) fn limits(&self) -> Vec<f64> {
        let measured = self.spreads[..self.n_measured].iter().enumerate();
        let noise = |state: usize| self.noise.get(state).copied().unwrap_or(0.0);
        measured
            .map(|(state, spread)| (VALID * spread).hypot(HARDLY * noise(state)))
            .collect()
    }
}

/// The state at a sample of a piece to start a system from.
pub(crate) fn start(system: &System, piece: &Piece, first: usize, scales: &Scales) -> Vec<f64> {
    let states = piece.columns()[..scales.spreads.len()].iter();
    let recorded: Vec<f64> = states.map(|column| column[first]).collect();
    let Some(length) = scales.fitted_for() else {
        return recorded;
    };
    let times = &piece.times()[first..];
    let within = times.partition_point(|t| *t <= times[0] + length);
    let least = SAMPLES.0 * recorded.len();
    let end = first + within.clamp(least, SAMPLES.1.max(least));
    if end > piece.len() {
        return recorded;
    }
    let stretch = Stretch {
        system,
        piece,
        range: first..end,
        scales,
    };
    stretch.fitted(recorded.clone()).unwrap_or(recorded)
}

/// A system from a state at a sample of a piece on, as far as the given end, on which act the
/// inputs of the record.
pub(crate) fn followed(
    system: &System,
    piece: &Piece,
    range: std::ops::Range<usize>,
    start: &[f64],
) -> Option<Simulation> {
    let of_range = |column: &[f64]| column[range.clone()].to_vec();
    let times = of_range(piece.times());
    let others = &piece.columns()[start.len()..];
    let names = &system.features()[start.len()..];
    let mut forcing = Forcing::new(times.clone()).ok()?;
    for (name, column) in names.iter().zip(others) {
        forcing = forcing.with_input(name, of_range(column)).ok()?;
    }
    let settings = Simulate {
        tolerance: 1e-6,
        // With inputs a step ends at each sample.
        max_steps: 20_000.max(10 * times.len()),
        ..Simulate::default()
    };
    simulate_forced(system, start, &times, &forcing, &settings).ok()
}

/// The samples that a start is fitted to.
struct Stretch<'a> {
    system: &'a System,
    piece: &'a Piece,
    range: std::ops::Range<usize>,
    scales: &'a Scales,
}

impl Stretch<'_> {
    /// The residuals of the measured states in units of their spread; none if the simulation fails.
    fn residuals(&self, start: &[f64]) -> Option<Vec<f64>> {
        let run = followed(self.system, self.piece, self.range.clone(), start)?;
        let mut residuals = Vec::new();
        for d in 0..self.scales.n_measured {
            let samples = &self.piece.columns()[d][self.range.clone()];
            let pairs = run.states[d].iter().zip(samples);
            residuals.extend(pairs.map(|(a, b)| (a - b) / self.scales.spreads[d]));
        }
        (run.end == End::Reached).then_some(residuals)
    }

    /// The start of the nearest motion; none if there is none nearer than the given one.
    fn fitted(&self, mut start: Vec<f64>) -> Option<Vec<f64>> {
        let square = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
        let mut here = self.residuals(&start)?;
        let mut is_fitted = false;
        for _ in 0..STEPS {
            let Some(by) = self.step(&start, &here) else {
                break;
            };
            let better = (0..HALVINGS).find_map(|halving| {
                let share = 0.5_f64.powi(halving);
                let moved: Vec<f64> = start
                    .iter()
                    .zip(&by)
                    .map(|(x, by)| x + share * by)
                    .collect();
                let residuals = self.residuals(&moved)?;
                (square(&residuals) < square(&here)).then_some((moved, residuals))
            });
            let Some((moved, residuals)) = better else {
                break;
            };
            let settled = square(&residuals) > (1.0 - SETTLED) * square(&here);
            (start, here, is_fitted) = (moved, residuals, true);
            if settled {
                break;
            }
        }
        is_fitted.then_some(start)
    }

    /// The full step of the Gauss–Newton method.
    fn step(&self, start: &[f64], here: &[f64]) -> Option<Vec<f64>> {
        let mut columns = Vec::with_capacity(start.len() + 1);
        for (d, spread) in self.scales.spreads.iter().enumerate() {
            let mut moved = start.to_vec();
            let by = NUDGE * spread;
            moved[d] += by;
            let there = self.residuals(&moved)?;
            columns.push(there.iter().zip(here).map(|(a, b)| (a - b) / by).collect());
        }
        columns.push(here.iter().map(|r| -r).collect::<Vec<f64>>());
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let fit = Reduction::from_columns(&columns).fit(&(0..start.len()).collect());
        let step = fit.coefficients();
        step.iter().all(|x| x.is_finite()).then(|| step.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of x'' = −4 x − 0.3 x' with noise of 5 % of their spread, and slopes that are far
    /// off at both ends.
    fn spring() -> (Trajectories, Vec<f64>) {
        let times: Vec<f64> = (0..200).map(|i| 0.05 * f64::from(i)).collect();
        let (decay, turn) = (0.15, (4.0_f64 - 0.15 * 0.15).sqrt());
        let x = |t: f64| (-decay * t).exp() * (turn * t).cos();
        let v = |t: f64| -(-decay * t).exp() * (decay * (turn * t).cos() + turn * (turn * t).sin());
        let noise = |i: usize| 0.025 * (12.9898 * (i * i) as f64).sin();
        let measured = times
            .iter()
            .enumerate()
            .map(|(i, t)| x(*t) + noise(i))
            .collect();
        let record = Trajectories::of_run("t", times.clone(), &["x"], vec![measured]).unwrap();
        let rough = |i: usize| if (3..197).contains(&i) { 0.0 } else { 1.5 };
        let velocity: Vec<f64> = (0..200).map(|i| v(times[i]) + rough(i)).collect();
        let both = |piece: &Piece| (piece.columns().to_vec(), vec![velocity.clone()]);
        (record.with_velocities(both).unwrap(), velocity)
    }

    #[test]
    fn a_velocity_that_was_not_measured_is_fitted() {
        let (record, rough) = spring();
        let system = System::of_flow(
            &["x", "dx"],
            &[&[("dx", 1.0)], &[("x", -4.0), ("dx", -0.3)]],
        );
        let scales = Scales::new(&record, &[0.0], 0.5);
        assert_eq!((scales.n_measured, scales.fitted_for()), (1, Some(1.0)));
        let fitted = start(&system, &record.pieces()[0], 0, &scales);
        assert!((rough[0] - 1.35).abs() < 1e-12, "{}", rough[0]);
        let near = (fitted[0] - 1.0).abs() < 0.03 && (fitted[1] + 0.15).abs() < 0.1;
        assert!(near, "{fitted:?}");
        // Too near the end there is nothing to fit to.
        let last = start(&system, &record.pieces()[0], 196, &scales);
        assert_eq!(last[1].to_bits(), rough[196].to_bits());
    }

    #[test]
    fn measured_states_are_started_from_as_they_are() {
        let times: Vec<f64> = (0..100).map(|i| 0.05 * f64::from(i)).collect();
        let x: Vec<f64> = times
            .iter()
            .map(|t| (-t).exp() + 0.01 * (90.0 * t).sin())
            .collect();
        let record = Trajectories::of_run("t", times, &["x"], vec![x.clone()]).unwrap();
        let scales = Scales::new(&record, &[0.001], 1.0);
        let system = System::of_flow(&["x"], &[&[("x", -1.0)]]);
        assert_eq!(start(&system, &record.pieces()[0], 7, &scales), [x[7]]);
        assert_eq!(scales.fitted_for(), None);
        let limit = scales.limits()[0];
        assert!((limit / record.spread(0) - VALID).abs() < 1e-3, "{limit}");
    }

    #[test]
    fn where_there_is_much_noise_the_start_is_fitted_and_samples_may_be_far() {
        let times: Vec<f64> = (0..100).map(|i| 0.05 * f64::from(i)).collect();
        let noise = |i: usize| 0.1 * (12.9898 * (i * i) as f64).sin();
        let x = times.iter().enumerate().map(|(i, t)| (-t).exp() + noise(i));
        let record = Trajectories::of_run("t", times.clone(), &["x"], vec![x.collect()]).unwrap();
        let scales = Scales::new(&record, &[0.07], 1.0);
        let system = System::of_flow(&["x"], &[&[("x", -1.0)]]);
        let fitted = start(&system, &record.pieces()[0], 0, &scales)[0];
        let (state, sample) = (1.0, record.pieces()[0].columns()[0][3]);
        assert!((fitted - state).abs() < 0.04, "{fitted} {sample}");
        let limit = (0.4 * record.spread(0)).hypot(4.0 * 0.07);
        assert!((scales.limits()[0] - limit).abs() < 1e-15);
    }
}
