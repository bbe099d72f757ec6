//! Simulation of a system.
//!
//! An explicit method is tried first, and a method for stiff systems where the explicit one fails.
//! Values may become infinite or NaN on the way, so every simulation ends with a stated reason: a
//! blow-up, a step that collapsed or too many steps are results, not errors.

mod forcing;
mod rodas;
mod step;
mod tsitouras;

use serde::{Deserialize, Serialize};

pub use forcing::Forcing;
use forcing::{Outside, until_next};
use step::{Method, Walk};

use crate::dynamics::DynamicsError;
use crate::dynamics::system::{Evaluator, Kind, System};
use crate::error::Result;

/// How to integrate.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `tolerance` | 1e-8 | of a step, relative to the state and absolute |
/// | `max_steps` | 1,000,000 | steps of the integrator before it gives up |
/// | `bound` | 1e10 | a state this many times larger than all starting values and 1 has blown up |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Simulate {
    /// The tolerance of a step.
    pub tolerance: f64,
    /// How many steps at most.
    pub max_steps: usize,
    /// How large a state may become.
    pub bound: f64,
}

impl Default for Simulate {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_steps: 1_000_000,
            bound: 1e10,
        }
    }
}

/// How a simulation ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// At the last time asked for.
    Reached,
    /// A state exceeded the bound.
    BlewUp {
        /// When.
        time: f64,
    },
    /// The solution ran into a pole: something that the equations divide by goes to zero.
    Pole {
        /// When.
        time: f64,
    },
    /// No step was short enough: the equations are singular or not finite there.
    StepCollapsed {
        /// When.
        time: f64,
    },
    /// The budget of steps was used up.
    OutOfSteps {
        /// When.
        time: f64,
    },
}

/// States at the requested times, up to where the simulation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// The times that were reached.
    pub times: Vec<f64>,
    /// One column per state.
    pub states: Vec<Vec<f64>>,
    /// How it ended.
    pub end: End,
}

/// Simulates a system from an initial state at the first of some increasing times.
///
/// # Errors
/// A system with inputs, for which there is [`simulate_forced`]; an initial state of the wrong
/// length or not finite.
pub fn simulate(
    system: &System,
    start: &[f64],
    times: &[f64],
    settings: &Simulate,
) -> Result<Simulation> {
    simulate_forced(system, start, times, &Forcing::default(), settings)
}

/// Simulates a system on which something acts from outside: known inputs, or time itself.
///
/// # Errors
/// As [`simulate`]; an input that is not known, or not at all times.
pub fn simulate_forced(
    system: &System,
    start: &[f64],
    times: &[f64],
    forcing: &Forcing,
    settings: &Simulate,
) -> Result<Simulation> {
    let n = system.states().len();
    if start.len() != n || start.iter().any(|x| !x.is_finite()) {
        let states = system.states().to_vec();
        return Err(DynamicsError::StartIncomplete { states }.into());
    }
    if times.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(DynamicsError::SimulationTimesDoNotRise.into());
    }
    let outside = forcing.on(system, times)?;
    let mut first = start.to_vec();
    // Time is one more state where something depends on it, and its rate is 1. So the integrators
    // need to know nothing of it.
    first.extend(outside.iter().map(|_| times[0]).take(1));
    let task = Task {
        evaluator: system.evaluator(),
        n_states: n,
        n_features: system.features().len(),
        outside,
        start: &first,
        times,
        settings,
        limit: settings.bound * start.iter().fold(1.0_f64, |a, x| a.max(x.abs())),
    };
    let mut done = if system.kind() == Kind::Map {
        task.iterate()
    } else {
        let explicit = task.follow(Method::Tsitouras);
        match explicit.end {
            End::OutOfSteps { .. } => task.follow(Method::Rodas),
            _ => explicit,
        }
    };
    done.states.truncate(n);
    Ok(done)
}

struct Task<'a> {
    evaluator: Evaluator,
    n_states: usize,
    n_features: usize,
    /// What acts from outside, by the place of its feature; if there is anything, the last state
    /// is time.
    outside: Vec<(usize, Outside<'a>)>,
    start: &'a [f64],
    times: &'a [f64],
    settings: &'a Simulate,
    limit: f64,
}

impl Task<'_> {
    fn follow(&self, method: Method) -> Simulation {
        let mut walk = Walk::new(self, method);
        let mut done = Simulation::starting(self.start, self.times[0]);
        let mut next = 1;
        for _ in 0..self.settings.max_steps {
            if next == self.times.len() {
                break;
            }
            let stepped = walk.step();
            let time = walk.time;
            let blew_up = self.blew_up(&walk.state);
            if blew_up || !stepped {
                done.end = match blew_up {
                    _ if self.is_near_a_pole(walk.state_before()) => End::Pole { time },
                    _ if self.is_near_a_pole(&walk.state) => End::Pole { time },
                    true => End::BlewUp { time },
                    false => End::StepCollapsed { time },
                };
                return done;
            }
            while next < self.times.len() && self.times[next] <= time {
                done.push(self.times[next], &walk.at(self.times[next]));
                next += 1;
            }
        }
        done.end = if next == self.times.len() {
            End::Reached
        } else {
            End::OutOfSteps { time: walk.time }
        };
        done
    }

    fn iterate(&self) -> Simulation {
        let mut done = Simulation::starting(self.start, self.times[0]);
        let mut x = self.start.to_vec();
        for &time in &self.times[1..] {
            let before = self.features(&x);
            self.evaluator.slope(&before, &mut x[..self.n_states]);
            x[self.n_states..].fill(time);
            if self.blew_up(&x) {
                done.end = End::BlewUp { time };
                return done;
            }
            done.push(time, &x);
        }
        done.end = End::Reached;
        done
    }

    fn blew_up(&self, state: &[f64]) -> bool {
        let too_large = |x: &f64| !x.is_finite() || x.abs() > self.limit;
        state[..self.n_states].iter().any(too_large)
    }

    /// Whether something that the equations divide by has nearly vanished since the start.
    fn is_near_a_pole(&self, state: &[f64]) -> bool {
        let at = |state: &[f64]| self.evaluator.divisors(&self.features(state));
        let both = at(self.start).into_iter().zip(at(state));
        let vanished = |(start, here): (f64, f64)| here.abs() < NEARLY_ZERO * start.abs();
        both.into_iter().any(vanished)
    }

    /// The features at a state. Those that are neither states nor act from outside are in no term.
    fn features(&self, state: &[f64]) -> Vec<f64> {
        let mut features = state[..self.n_states].to_vec();
        features.resize(self.n_features, 0.0);
        for (place, outside) in &self.outside {
            features[*place] = outside.at(state[self.n_states]);
        }
        features
    }

    /// How far a step may reach where something acts from outside: to the next sample of the
    /// inputs, which bend there, and to the next time that is asked for, since within the step of a
    /// stiff system what is forced upon it is known less well.
    fn reach(&self, time: f64) -> f64 {
        if self.outside.is_empty() {
            return f64::INFINITY;
        }
        let reaches = self.outside.iter().map(|(_, outside)| outside.reach(time));
        reaches.fold(until_next(self.times, time), f64::min)
    }

    fn slope(&self, state: &[f64], out: &mut [f64]) {
        let (own, time) = out.split_at_mut(self.n_states);
        self.evaluator.slope(&self.features(state), own);
        time.fill(1.0);
        finite(out);
    }

    fn slope_along(&self, state: &[f64], direction: &[f64], out: &mut [f64]) {
        let n = self.n_states;
        let features = self.features(state);
        self.evaluator
            .slope_along(&features, &direction[..n], &mut out[..n]);
        if let Some(time) = direction.get(n) {
            out[n] = 0.0;
            self.add_change_in_time(state, *time, out);
        }
        finite(out);
    }

    /// Adds how fast the slope changes because of what acts from outside, by a difference forwards:
    /// inputs may bend at this very time.
    fn add_change_in_time(&self, state: &[f64], direction: f64, out: &mut [f64]) {
        let mut later = state.to_vec();
        let step = f64::EPSILON.sqrt() * state[self.n_states].abs().max(1.0);
        later[self.n_states] += step;
        let mut slopes = [vec![0.0; self.n_states], vec![0.0; self.n_states]];
        for (slope, state) in slopes.iter_mut().zip([state, &later]) {
            self.evaluator.slope(&self.features(state), slope);
        }
        for (place, out) in out[..self.n_states].iter_mut().enumerate() {
            *out += direction * (slopes[1][place] - slopes[0][place]) / step;
        }
    }
}

/// An integrator may not recover from NaN; a huge derivative makes it shorten its step and give up.
fn finite(slopes: &mut [f64]) {
    for value in slopes.iter_mut().filter(|value| !value.is_finite()) {
        *value = HUGE_SLOPE;
    }
}

/// A divisor below this share of what it was at the start is that of a pole: the step collapses
/// only where the distance to the pole is some 10⁻⁵.
const NEARLY_ZERO: f64 = 1e-3;

/// Replaces a derivative that is not finite: its square is still finite.
const HUGE_SLOPE: f64 = 1e120;

impl Simulation {
    fn starting(start: &[f64], time: f64) -> Self {
        Self {
            times: vec![time],
            states: start.iter().map(|x| vec![*x]).collect(),
            end: End::StepCollapsed { time },
        }
    }

    fn push(&mut self, time: f64, state: &[f64]) {
        self.times.push(time);
        for (column, x) in self.states.iter_mut().zip(state) {
            column.push(*x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x' = coefficient · term`.
    fn system(term: &str, coefficient: f64) -> System {
        System::of_flow(&["x"], &[&[(term, coefficient)]])
    }

    fn times(end: f64) -> Vec<f64> {
        (0..=10).map(|i| end * f64::from(i) / 10.0).collect()
    }

    #[test]
    fn decay_follows_the_exponential() {
        let done = simulate(
            &system("x", -0.7),
            &[2.0],
            &times(5.0),
            &Simulate::default(),
        )
        .unwrap();
        assert_eq!(done.end, End::Reached);
        for (t, x) in done.times.iter().zip(&done.states[0]) {
            assert!((x - 2.0 * (-0.7 * t).exp()).abs() < 1e-6, "{t} {x}");
        }
    }

    #[test]
    fn blow_up_is_an_answer() {
        // x' = x² from 1 ends at t = 1.
        let done = simulate(
            &system("x^2", 1.0),
            &[1.0],
            &times(2.0),
            &Simulate::default(),
        )
        .unwrap();
        let (End::BlewUp { time } | End::StepCollapsed { time }) = done.end else {
            panic!("{:?}", done.end);
        };
        assert!((time - 1.0).abs() < 0.01, "{time}");
    }

    #[test]
    fn a_stiff_system_is_followed() {
        let settings = Simulate {
            max_steps: 3000,
            ..Simulate::default()
        };
        let done = simulate(&system("x", -1e5), &[1.0], &times(10.0), &settings).unwrap();
        assert_eq!(done.end, End::Reached);
        assert!(done.states[0][10].abs() < 1e-6);
    }

    fn followed(system: &System, start: &[f64], times: &[f64], by: Method) -> Vec<Vec<f64>> {
        let settings = Simulate::default();
        let done = Task {
            evaluator: system.evaluator(),
            n_states: start.len(),
            n_features: start.len(),
            outside: Vec::new(),
            start,
            times,
            settings: &settings,
            limit: 1e10,
        }
        .follow(by);
        assert_eq!(done.end, End::Reached);
        done.states
    }

    #[test]
    fn both_methods_follow_a_pendulum_between_their_steps_too() {
        let system = System::of_flow(&["x", "v"], &[&[("v", 1.0)], &[("x", -1.0)]]);
        let times: Vec<f64> = (0..=1000).map(|i| f64::from(i) / 100.0).collect();
        for method in [Method::Tsitouras, Method::Rodas] {
            let states = followed(&system, &[1.0, 0.0], &times, method);
            for (t, x) in times.iter().zip(&states[0]) {
                assert!((x - t.cos()).abs() < 1e-6, "{method:?} {t} {x}");
            }
        }
    }

    #[test]
    fn the_reaction_of_robertson_is_followed() {
        // Rates nine orders of magnitude apart. Expected: the classical method of order 4 in
        // extended precision, 1.6 million steps.
        let system = System::of_flow(
            &["a", "b", "c"],
            &[
                &[("a", -0.04), ("b*c", 1e4)],
                &[("a", 0.04), ("b*c", -1e4), ("b^2", -3e7)],
                &[("b^2", 3e7)],
            ],
        );
        let states = followed(&system, &[1.0, 0.0, 0.0], &[0.0, 40.0], Method::Rodas);
        let expected = [
            0.715_827_068_719_4,
            9.185_534_764_558e-6,
            0.284_163_745_745_8,
        ];
        for (column, expected) in states.iter().zip(expected) {
            let error = (column[1] - expected).abs();
            assert!(
                error < 1e-6 * expected.max(1e-3),
                "{} {expected}",
                column[1]
            );
        }
    }

    fn followed_forced(system: &System, start: f64, times: &[f64], forcing: &Forcing) -> Vec<f64> {
        let settings = Simulate::default();
        let mut done = simulate_forced(system, &[start], times, forcing, &settings).unwrap();
        assert_eq!((done.end, done.states.len()), (End::Reached, 1));
        done.states.swap_remove(0)
    }

    #[test]
    fn time_itself_may_act() {
        let system = System::of_flow(&["x", "t"], &[&[("cos(t)", 1.0)]]);
        let times = times(7.0);
        let x = followed_forced(&system, 0.0, &times, &Forcing::of_time("t"));
        for (t, x) in times.iter().zip(&x) {
            assert!((x - t.sin()).abs() < 1e-7, "{t} {x}");
        }
    }

    #[test]
    fn inputs_are_straight_between_their_samples() {
        // x' = u − x with the ramp u = t, then the constant 2: x = t − 1 + e⁻ᵗ up to t = 2.
        let system = System::of_flow(&["x", "u"], &[&[("u", 1.0), ("x", -1.0)]]);
        let forcing = Forcing::new(vec![0.0, 2.0, 9.0])
            .and_then(|f| f.with_input("u", vec![0.0, 2.0, 2.0]))
            .unwrap();
        let times = times(8.0);
        let x = followed_forced(&system, 0.0, &times, &forcing);
        let at_two = 1.0 + (-2.0_f64).exp();
        for (t, x) in times.iter().zip(&x) {
            let expected = if *t <= 2.0 {
                t - 1.0 + (-t).exp()
            } else {
                2.0 + (at_two - 2.0) * (2.0 - t).exp()
            };
            assert!((x - expected).abs() < 1e-7, "{t} {x} {expected}");
        }
    }

    #[test]
    fn a_pulse_while_nothing_moves_is_not_stepped_over() {
        let system = System::of_flow(&["x", "u"], &[&[("u", 1.0)]]);
        let samples: Vec<f64> = (0..=1000).map(f64::from).collect();
        let pulse = samples
            .iter()
            .map(|t| f64::from(u8::from(*t > 499.5 && *t < 500.5)));
        let forcing = Forcing::new(samples.clone())
            .and_then(|f| f.with_input("u", pulse.collect()))
            .unwrap();
        let x = followed_forced(&system, 0.0, &[0.0, 1000.0], &forcing);
        assert!((x[1] - 1.0).abs() < 1e-9, "{}", x[1]);
    }

    #[test]
    fn a_stiff_system_follows_what_acts_on_it() {
        let terms = [("x", -1e6), ("cos(t)", 1e6), ("sin(t)", -1.0)];
        let system = System::of_flow(&["x", "t"], &[&terms]);
        let times = times(5.0);
        let x = followed_forced(&system, 1.0, &times, &Forcing::of_time("t"));
        for (t, x) in times.iter().zip(&x) {
            assert!((x - t.cos()).abs() < 1e-5, "{t} {x}");
        }
    }

    #[test]
    fn inputs_must_be_known_at_all_times() {
        let system = System::of_flow(&["x", "u"], &[&[("u", 1.0)]]);
        let settings = Simulate::default();
        let said = |forcing: Forcing| {
            let done = simulate_forced(&system, &[0.0], &[0.0, 5.0], &forcing, &settings);
            done.unwrap_err().to_string()
        };
        insta::assert_snapshot!(
            said(Forcing::default()),
            @r#"the equations depend on "u", which is no state: its values over time are needed"#
        );
        let short = Forcing::new(vec![0.0, 1.0, 4.0]);
        let short = short.and_then(|f| f.with_input("u", vec![1.0; 3]));
        insta::assert_snapshot!(
            said(short.unwrap()),
            @"the inputs are known from time 0 to 4, and the simulation is from 0 to 5"
        );
    }

    #[test]
    fn slopes_that_are_no_numbers_end_it() {
        // The square root of a negative number: x' = −√x reaches 0 at t = 2.
        let done = simulate(
            &system("sqrt(x)", -1.0),
            &[1.0],
            &times(4.0),
            &Simulate::default(),
        )
        .unwrap();
        assert_ne!(done.end, End::Reached);
    }
}
