//! How fast a learned system forgets where it started.
//!
//! Two motions that start a small distance apart part like `exp(λ t)`, with the largest Lyapunov
//! exponent `λ`. If it is positive and the motion stays bounded, the system is chaotic: after a few
//! times `1/λ` a forecast from a measured state says nothing about the state itself, however good
//! the equations are.
//!
//! A tangent vector is carried along a motion by the Jacobian, `v' = J(x) v`, and its growth is
//! averaged (Benettin and others, Meccanica 15, 1980). The first fifth is left out: there the
//! motion reaches its attractor and the vector the direction of fastest growth.

use serde::{Deserialize, Serialize};

use crate::data::trajectory::Trajectories;
use crate::dynamics::simulate::{End, Simulate, Simulation, simulate};
use crate::dynamics::system::{Evaluator, Kind, System};

/// Steps of the tangent vector per time scale, and steps in all.
const STEPS: (f64, usize) = (10.0, 20_000);
/// The share of steps that are not averaged.
const TRANSIENT: f64 = 0.2;
/// Blocks of steps whose spread gives the standard error.
const BLOCKS: usize = 20;
/// A step must not be longer than this over the norm of the Jacobian: the method of Runge and Kutta
/// is stable and accurate there. Systems that need more pieces than this per step are too stiff.
const STRETCH: (f64, f64) = (0.5, 50.0);
/// How much the vector must grow, as a power of e, before growth counts as exponential. A shear
/// grows in proportion to time: by a factor of 5 over the averaged steps.
const GROWTH: f64 = 10.0;
/// A motion that leaves the range of the record this many times is none of its own.
const ROOM: f64 = 10.0;

/// The largest Lyapunov exponent of a system.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Exponent {
    /// Its value: the mean growth rate of small errors.
    pub value: f64,
    /// Its standard error, from the finite time of the mean.
    pub std_error: f64,
}

impl Exponent {
    /// The time in which a small error grows by a factor of e.
    pub fn time(&self) -> f64 {
        1.0 / self.value
    }
}

/// The largest Lyapunov exponent along the motion from a state, followed for so many steps of this
/// length; none if the simulation fails or the equations are too stiff for the steps.
///
/// ```
/// use eqlearn::dynamics::lyapunov::exponent;
/// use eqlearn::*;
///
/// // The logistic map: errors double with each step on average.
/// let left = LeftSide::Next { state: "x".into() };
/// let model = Model::given(left, Dictionary::parse(["x"], ["x", "x^2"])?, &[3.999, -3.999])?;
/// let map = System::from_models(vec![model]).expect("it gives the next value");
/// let found = exponent(&map, &[0.3], 1.0, 20_000).expect("the motion stays in 0 to 1");
/// assert!((found.value - 0.68).abs() < 0.02, "{found:?}");
/// # Ok::<(), Error>(())
/// ```
pub fn exponent(system: &System, start: &[f64], step: f64, n_steps: usize) -> Option<Exponent> {
    let motion = motion(system, start, step, n_steps)?;
    Some(mean(&growth(system, &motion, step)?))
}

/// The exponent of the system that a record was learned from, if it is chaotic: the motion from the
/// first sample stays near the record, and errors grow exponentially.
pub fn chaos(system: &System, record: &Trajectories, time_scale: f64) -> Option<Exponent> {
    let n_states = system.states().len();
    // In one or two dimensions the curves of a flow cannot cross, so there is no chaos.
    let can_mix = system.kind() == Kind::Map || n_states > 2;
    if !can_mix || !system.others().is_empty() {
        return None;
    }
    let step = match system.kind() {
        Kind::Flow => time_scale / STEPS.0,
        Kind::Map => 1.0,
    };
    let first = record.pieces().first()?;
    let start: Vec<f64> = (0..n_states).map(|d| first.columns()[d][0]).collect();
    let motion = motion(system, &start, step, STEPS.1)?;
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let is_near = |d: usize| {
        let pieces = record.pieces().iter();
        let recorded = pieces.map(|piece| largest(&piece.columns()[d]));
        largest(&motion.states[d]) < ROOM * recorded.fold(0.0, f64::max)
    };
    if !(0..n_states).all(is_near) {
        return None;
    }
    let found = mean(&growth(system, &motion, step)?);
    let grown = found.value * (1.0 - TRANSIENT) * step * STEPS.1 as f64;
    (grown > GROWTH && found.value > 3.0 * found.std_error).then_some(found)
}

/// The motion from a state; of a flow the middles of the steps too, which the tangent vector needs.
fn motion(system: &System, start: &[f64], step: f64, n_steps: usize) -> Option<Simulation> {
    let times: Vec<f64> = match system.kind() {
        Kind::Flow => (0..=2 * n_steps).map(|i| 0.5 * step * i as f64).collect(),
        Kind::Map => (0..=n_steps).map(|i| i as f64).collect(),
    };
    let settings = Simulate {
        tolerance: 1e-6,
        ..Simulate::default()
    };
    let run = simulate(system, start, &times, &settings).ok()?;
    (run.end == End::Reached).then_some(run)
}

/// The growth rate of a small displacement in each step of a motion.
fn growth(system: &System, motion: &Simulation, step: f64) -> Option<Vec<f64>> {
    let n_states = system.states().len();
    let n_others = system.features().len() - n_states;
    let at = |i: usize| -> Vec<f64> {
        let states = motion.states.iter().map(|state| state[i]);
        states.chain(std::iter::repeat_n(0.0, n_others)).collect()
    };
    let mut tangent = Tangent::new(system.evaluator(), n_states);
    let last = motion.times.len() - 1;
    match system.kind() {
        Kind::Flow => (0..last / 2)
            .map(|k| {
                tangent.flow([&at(2 * k), &at(2 * k + 1), &at(2 * k + 2)], step)?;
                Some(tangent.normalise()? / step)
            })
            .collect(),
        Kind::Map => (0..last)
            .map(|k| {
                tangent.map(&at(k));
                tangent.normalise()
            })
            .collect(),
    }
}

/// A small displacement that is carried along a motion.
struct Tangent {
    evaluator: Evaluator,
    vector: Vec<f64>,
}

impl Tangent {
    fn new(evaluator: Evaluator, n: usize) -> Self {
        // Any direction will do that is not one of symmetry.
        let vector = (0..n).map(|d| 1.0 / (1.0 + d as f64)).collect();
        Self { evaluator, vector }
    }

    /// One step of the classical Runge–Kutta method for `v' = J(x) v`, in pieces where the Jacobian
    /// is large; none if that takes too many.
    fn flow(&mut self, [before, middle, after]: [&[f64]; 3], step: f64) -> Option<()> {
        let stiffness = self.norm_at(middle) * step / STRETCH.0;
        if !stiffness.is_finite() || stiffness > STRETCH.1 {
            return None;
        }
        let pieces = stiffness.ceil().max(1.0);
        let h = step / pieces;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most fifty"
        )]
        for piece in 0..pieces as u32 {
            let at =
                |share: f64| between([before, middle, after], (f64::from(piece) + share) / pieces);
            let (start, half, end) = (at(0.0), at(0.5), at(1.0));
            let k1 = self.along(&start, &self.vector);
            let k2 = self.along(&half, &plus(&self.vector, 0.5 * h, &k1));
            let k3 = self.along(&half, &plus(&self.vector, 0.5 * h, &k2));
            let k4 = self.along(&end, &plus(&self.vector, h, &k3));
            for (d, v) in self.vector.iter_mut().enumerate() {
                *v += h / 6.0 * (k1[d] + 2.0 * (k2[d] + k3[d]) + k4[d]);
            }
        }
        Some(())
    }

    fn map(&mut self, at: &[f64]) {
        self.vector = self.along(at, &self.vector);
    }

    fn along(&self, at: &[f64], direction: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; direction.len()];
        self.evaluator.slope_along(at, direction, &mut out);
        out
    }

    /// The norm of the Jacobian.
    fn norm_at(&self, at: &[f64]) -> f64 {
        let n = self.vector.len();
        let column = |d: usize| {
            let direction: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == d))).collect();
            let column = self.along(at, &direction);
            column.iter().map(|x| x * x).sum::<f64>()
        };
        (0..n).map(column).sum::<f64>().sqrt()
    }

    /// Makes its length 1 again; the logarithm of what it was. None if that is no number.
    fn normalise(&mut self) -> Option<f64> {
        let length = self.vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        self.vector.iter_mut().for_each(|v| *v /= length);
        Some(length.ln())
    }
}

/// The parabola through three equidistant points.
fn between(points: [&[f64]; 3], share: f64) -> Vec<f64> {
    let weights = [
        (1.0 - share) * (1.0 - 2.0 * share),
        4.0 * share * (1.0 - share),
        share * (2.0 * share - 1.0),
    ];
    let value = |d: usize| (0..3).map(|k| weights[k] * points[k][d]).sum();
    (0..points[0].len()).map(value).collect()
}

fn plus(x: &[f64], factor: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + factor * y).collect()
}

/// The mean growth after the transient; blocks of it give the standard error.
fn mean(growth: &[f64]) -> Exponent {
    let averaged = &growth[growth.len() / 5..];
    let block = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let length = (averaged.len() / BLOCKS).max(1);
    let blocks: Vec<f64> = averaged.chunks_exact(length).map(block).collect();
    let (n, value) = (blocks.len() as f64, block(averaged));
    let spread: f64 = blocks.iter().map(|b| (b - value).powi(2)).sum();
    Exponent {
        value,
        std_error: (spread / (n - 1.0).max(1.0) / n).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn lorenz() -> System {
        System::of_flow(
            &["x", "y", "z"],
            &[
                &[("x", -10.0), ("y", 10.0)],
                &[("x", 28.0), ("y", -1.0), ("x*z", -1.0)],
                &[("z", -8.0 / 3.0), ("x*y", 1.0)],
            ],
        )
    }

    /// A record of a system's own motion.
    fn record(system: &System, start: &[f64], end: f64) -> Trajectories {
        let times: Vec<f64> = (0..=400).map(|i| end * f64::from(i) / 400.0).collect();
        let states = simulate(system, start, &times, &Simulate::default())
            .unwrap()
            .states;
        Trajectories::of_run("t", times, system.states(), states).unwrap()
    }

    #[test]
    fn the_exponent_of_lorenz_is_0_906() {
        // Viswanath, Lyapunov exponents from random Fibonacci sequences to the Lorenz equations
        // (1998): 0.905630.
        let found = exponent(&lorenz(), &[-8.0, 8.0, 27.0], 0.02, 60_000).unwrap();
        assert!((found.value - 0.9056).abs() < 0.015, "{found:?}");
        assert!(found.std_error < 0.015, "{found:?}");
        assert!((found.time() - 1.1).abs() < 0.02);
    }

    #[test]
    fn a_decay_has_its_rate() {
        let decay = System::of_flow(&["x", "y"], &[&[("x", -0.3)], &[("y", -2.0)]]);
        let found = exponent(&decay, &[1.0, 1.0], 0.05, 2000).unwrap();
        assert!((found.value + 0.3).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_record_of_lorenz_is_chaotic() {
        let lorenz = lorenz();
        let record = record(&lorenz, &[-8.0, 8.0, 27.0], 20.0);
        let found = chaos(&lorenz, &record, 0.1).unwrap();
        assert!((found.value - 0.906).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn rotations_shears_cycles_and_stiff_decays_are_not_chaotic() {
        // Three states each: a pendulum with a clock that runs at the speed of its energy, the
        // oscillator of van der Pol with a slow follower, a stiff decay.
        let shear = System::of_flow(
            &["x", "v", "w"],
            &[
                &[("v", 1.0)],
                &[("sin(x)", -1.0)],
                &[("v^2", 1.0), ("w", -0.1)],
            ],
        );
        let cycle = System::of_flow(
            &["x", "v", "w"],
            &[
                &[("v", 1.0)],
                &[("x", -1.0), ("v", 1.0), ("x^2*v", -1.0)],
                &[("x", 1.0), ("w", -0.5)],
            ],
        );
        let stiff = System::of_flow(
            &["x", "y", "z"],
            &[
                &[("x", -1000.0), ("y", 1.0)],
                &[("y", -0.1)],
                &[("z", -1.0), ("y", 1.0)],
            ],
        );
        for system in [shear, cycle, stiff] {
            let record = record(&system, &[1.0, 0.5, 0.2], 40.0);
            assert_eq!(chaos(&system, &record, 1.0), None, "{system}");
        }
    }

    #[test]
    fn growth_without_end_is_not_chaos() {
        let growth = System::of_flow(
            &["x", "y", "z"],
            &[&[("x", 0.02)], &[("y", -1.0)], &[("z", -0.5)]],
        );
        let record = record(&growth, &[1.0, 1.0, 1.0], 4.0);
        assert_eq!(chaos(&growth, &record, 1.0), None);
    }
}
