//! Simulation of periodic fields in one direction of space.
//!
//! Derivatives along space are those of the waves that the field is made of. What is linear in a
//! quantity is then one number per wave, however stiff, and is integrated exactly; the rest goes
//! by an exponential Runge–Kutta method of fourth order (`exponential`). Steps are halved until one
//! of them and two of half its length agree, so that steep fronts take short steps.
//!
//! A simulation that fails says when and how: that is a result, not an error.

mod exponential;
mod waves;

use std::rc::Rc;

use crate::dynamics::DynamicsError;
use crate::dynamics::simulate::{End, Simulate};
use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::system::FieldSystem;
use crate::numeric::fourier::Complex;
use exponential::Step;
use waves::{State, Waves};

/// A line has at least so many points.
const FEWEST: usize = 8;

/// Halvings of the time between two outputs before a step has collapsed.
const HALVINGS: u32 = 40;

/// Steps in one trial: one, and two of half its length.
const STEPS_OF_A_TRIAL: usize = 3;

/// Lengths of steps whose numbers are kept.
const REMEMBERED: usize = 32;

/// Lengths that differ by less than this share are the same.
const ROUNDING: f64 = 1e-12;

/// A step with less than this share of the tolerated error may double: 2⁵ for its order, and room.
const EASY: f64 = 0.015;

/// The error of two steps of half the length is below that of one by this, for order four.
const RICHARDSON: f64 = 15.0;

/// Values at the requested times, up to where the simulation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSimulation {
    /// The times that were reached.
    pub times: Vec<f64>,
    /// For each quantity the values at these times, all points of a time after those of the last.
    pub values: Vec<Vec<f64>>,
    /// How it ended.
    pub end: End,
}

/// Simulates a field from its values at equally spaced points at the first of some increasing
/// times. It repeats itself after `length`: the first point comes again one step after the last.
///
/// ```
/// use eqlearn::fields::{dictionary::parse, names::Names};
/// use eqlearn::{FieldSystem, LeftSide, Model, simulate_field};
///
/// // Heat: a wave sin x decays as exp(−t).
/// let names = Names::new(["u"], ["t", "x"])?;
/// let left = LeftSide::Evolution { of: "u".into(), time: "t".into(), order: 1 };
/// let heat = Model::given(left, parse(&names, ["u_xx"])?, &[1.0])?;
/// let system = FieldSystem::from_models(names, vec![heat]).expect("the motion of u");
/// let tau = std::f64::consts::TAU;
/// let start: Vec<f64> = (0..16).map(|i| (tau * f64::from(i) / 16.0).sin()).collect();
/// let run = simulate_field(&system, &[start], tau, &[0.0, 2.0], &Default::default())?;
/// assert!((run.values[0][16 + 4] - (-2.0_f64).exp()).abs() < 1e-12);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// Several directions of space, accelerations, a start or times that cannot be used.
pub fn simulate_field(
    system: &FieldSystem,
    start: &[Vec<f64>],
    length: f64,
    times: &[f64],
    settings: &Simulate,
) -> Result<FieldSimulation> {
    check(system, start, length)?;
    if times.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(DynamicsError::SimulationTimesDoNotRise.into());
    }
    let waves = Waves::new(system, start[0].len(), length)?;
    let largest = start.iter().flatten().fold(1.0_f64, |a, x| a.max(x.abs()));
    let mut walk = Walk {
        settings,
        limit: settings.bound * largest,
        steps_left: settings.max_steps,
        state: waves.of(start),
        waves: &waves,
        known: Vec::new(),
        depth: 0,
    };
    let mut values = start.to_vec();
    let mut reached = vec![times[0]];
    let mut end = End::Reached;
    for pair in times.windows(2) {
        if let Some(failed) = walk.between(pair[0], pair[1]) {
            end = failed;
            break;
        }
        reached.push(pair[1]);
        for (all, now) in values.iter_mut().zip(waves.lines(&walk.state)) {
            all.extend(now);
        }
    }
    Ok(FieldSimulation {
        times: reached,
        values,
        end,
    })
}

fn check(system: &FieldSystem, start: &[Vec<f64>], length: f64) -> Result<()> {
    let names = system.names();
    if names.axes().len() != 2 {
        let space = names.axes()[1..].to_vec();
        return Err(FieldsError::SimulationDirections { space }.into());
    }
    if system.order() != 1 {
        let left = system.equations()[0].left_side().to_string();
        return Err(FieldsError::SimulationOrder { left }.into());
    }
    let n = start.first().map_or(0, Vec::len);
    let is_line = |line: &Vec<f64>| line.len() == n && line.iter().all(|value| value.is_finite());
    let complete = start.len() == names.quantities().len() && start.iter().all(is_line);
    if !complete || n < FEWEST {
        return Err(FieldsError::SimulationStart {
            quantities: names.quantities().to_vec(),
            least: FEWEST,
        }
        .into());
    }
    if !(length.is_finite() && length > 0.0) {
        return Err(FieldsError::SimulationLength { length }.into());
    }
    Ok(())
}

/// Where a simulation is, and the steps that it knows.
struct Walk<'a> {
    waves: &'a Waves,
    settings: &'a Simulate,
    /// A value beyond this has blown up.
    limit: f64,
    steps_left: usize,
    state: State,
    /// The last steps, by their length.
    known: Vec<Rc<Step>>,
    /// How often the time between two outputs is halved at present.
    depth: u32,
}

impl Walk<'_> {
    /// Goes from one time to another; how it failed, if it did.
    fn between(&mut self, from: f64, until: f64) -> Option<End> {
        // Places in units of the shortest step, so that no rounding adds up.
        let units = 1_u64 << HALVINGS;
        let share = |part: u64| (until - from) * (part as f64 / units as f64);
        let mut done = 0;
        while done < units {
            let part = units >> self.depth;
            let time = from + share(done);
            let Some(steps_left) = self.steps_left.checked_sub(STEPS_OF_A_TRIAL) else {
                return Some(End::OutOfSteps { time });
            };
            self.steps_left = steps_left;
            let (next, error) = self.try_step(share(part));
            if error <= 1.0 {
                done += part;
                self.state = next;
                if self.waves.largest(&self.state) > self.limit {
                    let time = from + share(done);
                    return Some(End::BlewUp { time });
                }
                // A step may double where it ends on the grid of the longer ones.
                if error < EASY && self.depth > 0 && done % (2 * part) == 0 {
                    self.depth -= 1;
                }
            } else if self.depth + 1 < HALVINGS {
                self.depth += 1;
            } else {
                return Some(End::StepCollapsed { time });
            }
        }
        None
    }

    /// Where two steps of half this length lead, and the difference from one of the whole length
    /// in units of what is tolerated; infinite where a value is not finite.
    fn try_step(&mut self, h: f64) -> (State, f64) {
        let at_once = self.step(h).take(self.waves, &self.state);
        let half = self.step(h / 2.0);
        let middle = half.take(self.waves, &self.state);
        let next = half.take(self.waves, &middle);
        let size = norm(&next).max(norm(&self.state)).max(f64::MIN_POSITIVE);
        let difference: State = at_once.iter().zip(&next).map(|(a, b)| a - b).collect();
        let error = norm(&difference) / (RICHARDSON * self.settings.tolerance * size);
        (
            next,
            if error.is_finite() {
                error
            } else {
                f64::INFINITY
            },
        )
    }

    fn step(&mut self, h: f64) -> Rc<Step> {
        let same = |step: &&Rc<Step>| (step.length() - h).abs() <= ROUNDING * h;
        if let Some(known) = self.known.iter().find(same) {
            return Rc::clone(known);
        }
        if self.known.len() == REMEMBERED {
            self.known.remove(0);
        }
        let new = Rc::new(Step::new(self.waves.linear(), h));
        self.known.push(Rc::clone(&new));
        new
    }
}

fn norm(state: &State) -> f64 {
    state.iter().map(Complex::norm_sqr).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
