//! Following a system through time.
//!
//! The integrator is `diffsol`'s: an explicit method first, and a stiff one (BDF with exact Jacobians) where that gets nowhere. Around it stands a guard of
//! ours, because integrators let values through that are no numbers: every simulation ends with a reason, and blowing up,
//! a collapsing step or an exhausted budget of steps are answers.

use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason};
use serde::{Deserialize, Serialize};

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
    /// A state grew beyond all bounds.
    BlewUp {
        /// When.
        time: f64,
    },
    /// No step was short enough: the equations are singular there, or no number.
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

/// States at the times that were asked for, as far as they could be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// The times that were reached.
    pub times: Vec<f64>,
    /// One column per state.
    pub states: Vec<Vec<f64>>,
    /// How it ended.
    pub end: End,
}

/// Follows a system from a start to each of some rising times, the first of which is the start's.
///
/// # Errors
/// A system with inputs, which nobody can foretell; a start of the wrong length or not finite.
pub fn simulate(
    system: &System,
    start: &[f64],
    times: &[f64],
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
    if let Some(input) = system.others().first() {
        let input = input.to_string();
        return Err(DynamicsError::SimulationNeedsInput { input }.into());
    }
    let task = Task {
        evaluator: system.evaluator(),
        n_others: system.features().len() - n,
        start,
        times,
        settings,
        limit: settings.bound * start.iter().fold(1.0_f64, |a, x| a.max(x.abs())),
    };
    if system.kind() == Kind::Map {
        return Ok(task.iterate());
    }
    let explicit = task.explicit();
    Ok(match explicit.end {
        End::OutOfSteps { .. } => task.implicit(),
        _ => explicit,
    })
}

struct Task<'a> {
    evaluator: Evaluator,
    n_others: usize,
    start: &'a [f64],
    times: &'a [f64],
    settings: &'a Simulate,
    limit: f64,
}

/// Runs a solver of `diffsol`; the two differ in type only.
macro_rules! run {
    ($task:expr, $solver:ident $(::<$kind:ty>)?) => {{
        let task = $task;
        let n = task.start.len();
        let built = OdeBuilder::<NalgebraMat<f64>>::new()
            .t0(task.times[0])
            .rtol(task.settings.tolerance)
            .atol([task.settings.tolerance])
            .rhs_implicit(
                |x, _p, _t, out| task.slope(x, out),
                |x, _p, _t, v, out| task.slope_along(x, v, out),
            )
            .init(|_p, _t, x| x.copy_from_slice(task.start), n)
            .build();
        let mut done = Simulation::starting(task.start, task.times[0]);
        let Ok(problem) = built else { return done };
        let Ok(mut solver) = problem.$solver$(::<$kind>)?() else { return done };
        let mut next = 1;
        for _ in 0..task.settings.max_steps {
            if next == task.times.len() {
                done.end = End::Reached;
                return done;
            }
            let stepped = solver.step();
            let time = solver.state().t;
            let state: Vec<f64> = (0..n).map(|d| solver.state().y[d]).collect();
            if state.iter().any(|x| !x.is_finite() || x.abs() > task.limit) {
                done.end = End::BlewUp { time };
                return done;
            }
            match stepped {
                Ok(OdeSolverStopReason::InternalTimestep) => {}
                _ => {
                    done.end = End::StepCollapsed { time };
                    return done;
                }
            }
            while next < task.times.len() && task.times[next] <= time {
                let Ok(x) = solver.interpolate(task.times[next]) else {
                    done.end = End::StepCollapsed { time };
                    return done;
                };
                let x: Vec<f64> = (0..n).map(|d| x[d]).collect();
                done.push(task.times[next], &x);
                next += 1;
            }
        }
        if next < task.times.len() {
            done.end = End::OutOfSteps { time: solver.state().t };
        }
        done
    }};
}

impl Task<'_> {
    fn explicit(&self) -> Simulation {
        run!(self, tsit45)
    }

    fn implicit(&self) -> Simulation {
        run!(self, bdf::<NalgebraLU<f64>>)
    }

    fn iterate(&self) -> Simulation {
        let mut done = Simulation::starting(self.start, self.times[0]);
        let mut x = self.start.to_vec();
        for &time in &self.times[1..] {
            let before = self.features(&x);
            self.evaluator.slope(&before, &mut x);
            if x.iter().any(|x| !x.is_finite() || x.abs() > self.limit) {
                done.end = End::BlewUp { time };
                return done;
            }
            done.push(time, &x);
        }
        done.end = End::Reached;
        done
    }

    /// Features that are not states are in no term.
    fn features(&self, states: &[f64]) -> Vec<f64> {
        let mut features = states.to_vec();
        features.resize(states.len() + self.n_others, 0.0);
        features
    }

    fn slope(&self, states: &[f64], out: &mut [f64]) {
        self.evaluator.slope(&self.features(states), out);
        // An integrator that meets NaN may never come back; a huge slope makes it shorten its step and give up.
        for value in out.iter_mut().filter(|value| !value.is_finite()) {
            *value = HUGE_SLOPE;
        }
    }

    fn slope_along(&self, states: &[f64], direction: &[f64], out: &mut [f64]) {
        self.evaluator
            .slope_along(&self.features(states), direction, out);
        for value in out.iter_mut().filter(|value| !value.is_finite()) {
            *value = HUGE_SLOPE;
        }
    }
}

/// What stands for a slope that is no number: its square is still finite.
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
    use crate::learn::model::Model;
    use crate::reduce::Reduction;
    use crate::terms::dictionary::Dictionary;
    use crate::terms::problem::Problem;

    /// `x' = coefficient · term`, from rows that say so.
    fn system(term: &str, coefficient: f64) -> System {
        let dictionary = Dictionary::parse(["x"], [term]).unwrap();
        let problem = Problem::new("x'", dictionary).unwrap();
        let rows = Reduction::from_columns(&[&[1.0, 2.0], &[coefficient, 2.0 * coefficient]]);
        let model = Model::new(&problem, &rows.fit(&[0].into_iter().collect()));
        System::from_models(vec![model]).unwrap()
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
