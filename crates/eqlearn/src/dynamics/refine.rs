//! Coefficients from the trajectories themselves: multiple shooting, by the Gauss–Newton method.
//!
//! The record is cut into windows of about one time scale. Each has an initial state of its own.
//! Initial states and coefficients are varied together until the sum of squared residuals, in units
//! of the noise, is smallest. Unlike rows made of derivatives, this needs no fine sampling in time,
//! and its error bars follow from the noise of the samples. Coefficients below the line of a
//! fraction and numbers inside terms are varied as other coefficients are. The form of the
//! equations stays the same, and the numbers must be near the optimum at the start.
//!
//! Each step solves a linear least-squares problem: the initial state of a window is eliminated
//! from its rows, and the rest of all windows together gives the coefficients. A step that makes
//! the fit worse is halved.
//!
//! # Longer windows
//! Each free initial state costs information, and short windows leave little of it. So windows are
//! doubled, each beginning where it began before, as long as the sum of squares grows by no more
//! than the lost initial states explain: with the right system and noise of variance `s²`, the
//! growth is `s²` times χ² with as many degrees of freedom. It grows more where errors are too
//! large for the Gauss–Newton method, as over many Lyapunov times, or where the system is not
//! exact.
//!
//! # Whether it is better
//! Let `D` be how much larger the sum of squares is with the coefficients of the rows, in units of
//! `s²`, with their best initial states in the same windows. Measured by the covariance `C` of the
//! `p` refined coefficients, their own expected squared error is `p`. If the errors of both were
//! independent, `D` would be `p` plus the squared error of the others. So the refined ones are
//! taken only if `D > 2 p`.

use crate::beyond::parameters::Form;
use crate::data::trajectory::Trajectories;
use crate::dynamics::DynamicsError;
use crate::dynamics::system::System;
use crate::dynamics::windows::{Window, stretches};
use crate::error::Result;
use crate::learn::model::{Denominator, Model};
use crate::reduce::support::Support;
use crate::reduce::{Fit, Reduction};

/// Time scales that a window lasts at first.
const LENGTH: f64 = 1.0;
/// Windows at most.
const WINDOWS: usize = 400;
/// Steps at most, for each length of windows.
const STEPS: usize = 40;
/// Halvings of a step at most.
const HALVINGS: i32 = 8;
/// Converged when the sum of squares falls by less than this many mean squares: what is left of the
/// way is far below a standard error.
const SETTLED: f64 = 0.001;
/// Not converged if the next step promises more than this, in the same units.
const PROMISING: f64 = 1.0;
/// Standard deviations of χ² by which the sum of squares may exceed what is expected when windows
/// are doubled.
const UNEXPECTED: f64 = 3.0;
/// The tolerance of a step of a simulation. Its errors grow as those of the start do.
const TOLERANCE: f64 = 1e-9;
/// The least noise of a state as a share of its spread: below, simulations would have to be finer.
const LEAST_NOISE: f64 = 1e3 * TOLERANCE;
/// The step of finite differences of initial states, in units of the noise.
const NEAR: f64 = 0.03;
/// The relative step of finite differences: about the square root of the simulation's error.
const NUDGE: f64 = 1e-5;

/// A system whose coefficients were refined.
#[derive(Debug, Clone)]
pub struct Refined {
    /// The system: as it was, unless it is better refined.
    pub system: System,
    /// Whether the refined coefficients explain the record significantly better.
    pub improved: bool,
    /// The root mean square residual in units of the noise, before and after, each with the best
    /// initial states of the windows; before with the samples as initial states, in the first
    /// windows, if simulations failed otherwise.
    pub distance: (f64, f64),
    /// How many windows it was simulated over.
    pub windows: usize,
    /// How long the longest one is.
    pub duration: f64,
    /// How many steps it took.
    pub steps: usize,
}

/// Fits the numbers of a system to the trajectories of a record: coefficients, those below the line
/// of a fraction, and inner parameters.
///
/// `forms` has, for each equation, its terms as functions of its inner parameters; where there is
/// none, the numbers inside terms stay as they are. `sigma` is the noise of each state,
/// `time_scale` the shortest time scale of the motion.
///
/// # Errors
/// A system with inputs, or one whose simulation fails in a window.
pub fn refine(
    system: &System,
    forms: &[Option<Form>],
    trajectories: &Trajectories,
    sigma: &[f64],
    time_scale: f64,
) -> Result<Refined> {
    if !system.others().is_empty() {
        return Err(DynamicsError::RefinementNeedsInputs.into());
    }
    let (whole, mut length) = stretches(trajectories, LENGTH * time_scale, WINDOWS);
    if whole.is_empty() {
        return Err(DynamicsError::RecordTooShortToRefine.into());
    }
    let longest = whole.iter().map(|w| w.times().len()).max().unwrap_or(0);
    let equations = system.equations().iter().enumerate();
    let equations: Vec<Movable<'_>> = equations
        .map(|(place, model)| Movable {
            model,
            form: forms.get(place).and_then(Option::as_ref),
        })
        .collect();
    // What simulations cannot resolve is noise, too.
    let noise = sigma.iter().enumerate();
    let noise = noise.map(|(d, s)| s.max(LEAST_NOISE * trajectories.spread(d)));
    let sigma: Vec<f64> = noise.collect();
    let shooting = |length: usize| Shooting {
        equations: &equations,
        sigma: &sigma,
        windows: whole.iter().flat_map(|piece| piece.split(length)).collect(),
    };
    let numbers: Vec<f64> = equations.iter().flat_map(Movable::numbers).collect();
    let mut now = shooting(length);
    let starts = now.windows.iter().map(Window::start).collect();
    let first = Position {
        numbers: numbers.clone(),
        starts,
    };
    let rough = now.distance(&first);
    let rough = rough.ok_or(DynamicsError::RecordNotFollowed)?;
    let mut best = now.settle(first).ok_or(DynamicsError::RecordNotFollowed)?;
    let mut steps = best.steps;
    while length < longest {
        length *= 2;
        let longer = shooting(length);
        let Some(reached) = longer.settle(longer.joined(&now, &best.at)) else {
            break;
        };
        steps += reached.steps;
        let lost = now.n_starts() - longer.n_starts();
        let variance = now.variance(best.distance, numbers.len());
        if reached.promise > PROMISING * variance {
            break;
        }
        let grown = (reached.distance - best.distance) / variance;
        if grown > lost as f64 + UNEXPECTED * (2.0 * lost as f64).sqrt() {
            break;
        }
        (now, best) = (longer, reached);
    }
    let before = now.distance_of(&numbers, &best.at.starts);
    let variance = now.variance(best.distance, numbers.len());
    let improved = before
        .is_none_or(|before| (before - best.distance) / variance > 2.0 * numbers.len() as f64);
    let root = |sum: f64| (sum / now.n_values() as f64).sqrt();
    let system = if improved {
        let refined = now.with(&best.at.numbers, Some(&best.fit));
        refined.ok_or(DynamicsError::RecordNotFollowed)?
    } else {
        system.clone()
    };
    let durations = now.windows.iter().map(Window::duration);
    Ok(Refined {
        system,
        improved,
        distance: (root(before.unwrap_or(rough)), root(best.distance)),
        windows: now.windows.len(),
        duration: durations.fold(0.0, f64::max),
        steps,
    })
}

/// Where the Gauss–Newton method ended.
struct Settled {
    at: Position,
    fit: Fit,
    distance: f64,
    /// By how much another step would reduce the distance if it were linear.
    promise: f64,
    steps: usize,
}

/// An equation whose numbers can move.
struct Movable<'a> {
    model: &'a Model,
    form: Option<&'a Form>,
}

impl Movable<'_> {
    /// Its coefficients, the free ones below the line, and its inner parameters.
    fn numbers(&self) -> Vec<f64> {
        let mut numbers = self.model.coefficients().to_vec();
        numbers.extend(self.below());
        numbers.extend(self.inner());
        numbers
    }

    fn below(&self) -> Vec<f64> {
        self.model
            .denominator()
            .map_or(Vec::new(), Denominator::free)
    }

    fn inner(&self) -> Vec<f64> {
        let parameters = self.model.parameters().iter();
        match self.form {
            Some(_) => parameters.map(|parameter| parameter.value).collect(),
            None => Vec::new(),
        }
    }

    /// The equation with other numbers and their covariance; none if it has no such form.
    fn with(&self, numbers: &[f64], covariance: Option<&[Vec<f64>]>) -> Option<Model> {
        let (n_terms, n_below) = (self.model.coefficients().len(), self.below().len());
        let (coefficients, rest) = numbers.split_at(n_terms);
        let (below, inner) = rest.split_at(n_below);
        let variances = covariance.map(|all| -> Vec<f64> {
            let rows = all.iter().enumerate();
            rows.map(|(i, row)| row[i]).collect()
        });
        let variances = variances.as_deref();
        let own = covariance.map(|all| {
            let rows = all[..n_terms].iter();
            rows.map(|row| row[..n_terms].to_vec()).collect()
        });
        let inside = n_terms..n_terms + n_below;
        let model = self.model.refined(coefficients.to_vec(), own);
        let model = model.with_below(below, variances.map(|v| &v[inside.clone()]));
        match self.form {
            Some(form) => {
                let behind = variances.map(|v| &v[inside.end..]);
                model.with_inner(form.terms(inner)?, inner, behind)
            }
            None => Some(model),
        }
    }
}

/// The numbers of all equations, and the start of each window.
#[derive(Debug, Clone)]
struct Position {
    numbers: Vec<f64>,
    starts: Vec<Vec<f64>>,
}

impl Position {
    fn moved(&self, by: &Self, share: f64) -> Self {
        let add = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + share * b).collect()
        };
        let starts = self.starts.iter().zip(&by.starts);
        Self {
            numbers: add(&self.numbers, &by.numbers),
            starts: starts.map(|(a, b)| add(a, b)).collect(),
        }
    }
}

struct Shooting<'a> {
    equations: &'a [Movable<'a>],
    sigma: &'a [f64],
    windows: Vec<Window<'a>>,
}

impl Shooting<'_> {
    fn n_values(&self) -> usize {
        let samples: usize = self.windows.iter().map(|w| w.times().len()).sum();
        samples * self.sigma.len()
    }

    /// How many numbers the initial states have.
    fn n_starts(&self) -> usize {
        self.windows.len() * self.sigma.len()
    }

    /// The variance of residuals that a fit of so many numbers leaves, in units of the noise; at
    /// least one, because what is left of clean records is the error of simulations.
    fn variance(&self, distance: f64, n_numbers: usize) -> f64 {
        let left = self.n_values() as f64 - (self.n_starts() + n_numbers) as f64;
        (distance / left.max(1.0)).max(1.0)
    }

    /// The position that begins where shorter windows ended.
    fn joined(&self, shorter: &Self, at: &Position) -> Position {
        let mut known = shorter.windows.iter().zip(&at.starts);
        let start = |window: &Window<'_>| {
            let same = known.find(|(other, _)| window.begins_with(other));
            same.map_or_else(|| window.start(), |(_, start)| start.clone())
        };
        Position {
            numbers: at.numbers.clone(),
            starts: self.windows.iter().map(start).collect(),
        }
    }

    /// Varies numbers and initial states until the fit settles; none if simulations fail.
    fn settle(&self, start: Position) -> Option<Settled> {
        let mut at = start;
        let mut distance = self.distance(&at)?;
        let mut steps = 0;
        let (mut fit, mut moves) = self.step(&at)?;
        while steps < STEPS {
            let better = (0..HALVINGS).find_map(|halving| {
                let moved = at.moved(&moves, 0.5_f64.powi(halving));
                let reached = self.distance(&moved)?;
                (reached < distance).then_some((moved, reached))
            });
            let Some((moved, reached)) = better else {
                break;
            };
            steps += 1;
            let settled = distance - reached < SETTLED * distance / self.n_values() as f64;
            (at, distance) = (moved, reached);
            (fit, moves) = self.step(&at)?;
            if settled {
                break;
            }
        }
        Some(Settled {
            at,
            promise: distance - fit.residual_norm().powi(2),
            fit,
            distance,
            steps,
        })
    }

    /// The sum of squares with given numbers and the best initial states; none if simulations fail.
    fn distance_of(&self, numbers: &[f64], starts: &[Vec<f64>]) -> Option<f64> {
        let system = self.with(numbers, None)?;
        let windows = self.windows.iter().zip(starts);
        windows
            .map(|(window, start)| self.distance_from(window, &system, start))
            .sum()
    }

    fn distance_from(&self, window: &Window<'_>, system: &System, start: &[f64]) -> Option<f64> {
        let of = |start: &[f64]| -> Option<f64> {
            let residuals = self.residuals(window, system, start)?;
            Some(residuals.iter().map(|r| r * r).sum())
        };
        let mut at = start.to_vec();
        let mut distance = of(&at)?;
        for _ in 0..STEPS {
            let here = self.residuals(window, system, &at)?;
            let mut columns = self.slopes_by_start(window, system, &at, &here)?;
            columns.push(here.iter().map(|r| -r).collect());
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let fit = Reduction::from_columns(&columns).fit(&(0..at.len()).collect());
            let better = (0..HALVINGS).find_map(|halving| {
                let share = 0.5_f64.powi(halving);
                let both = at.iter().zip(fit.coefficients());
                let moved: Vec<f64> = both.map(|(a, b)| a + share * b).collect();
                let reached = of(&moved)?;
                (reached < distance).then_some((moved, reached))
            });
            let Some((moved, reached)) = better else {
                break;
            };
            let settled = distance - reached < SETTLED * distance / here.len() as f64;
            (at, distance) = (moved, reached);
            if settled {
                break;
            }
        }
        Some(distance)
    }

    /// The system with other numbers, and with the error bars of a fit of all of them; none if the
    /// equations have no such form.
    fn with(&self, numbers: &[f64], fit: Option<&Fit>) -> Option<System> {
        let covariance = fit.and_then(Fit::covariance);
        let mut first = 0;
        let mut equations = Vec::with_capacity(self.equations.len());
        for equation in self.equations {
            let own = first..first + equation.numbers().len();
            first = own.end;
            let block = covariance.as_ref().map(|all| -> Vec<Vec<f64>> {
                let rows = all[own.clone()].iter();
                rows.map(|row| row[own.clone()].to_vec()).collect()
            });
            equations.push(equation.with(&numbers[own], block.as_deref())?);
        }
        System::from_models(equations)
    }

    /// The residuals of a window in units of the noise, state after state; none if its simulation
    /// fails.
    fn residuals(&self, window: &Window<'_>, system: &System, start: &[f64]) -> Option<Vec<f64>> {
        let run = window.follow_within(system, start, TOLERANCE)?;
        let of_state = |(d, sigma): (usize, &f64)| {
            let pairs = run.states[d].iter().zip(window.state(d));
            pairs.map(|(a, b)| (a - b) / sigma).collect::<Vec<f64>>()
        };
        Some(self.sigma.iter().enumerate().flat_map(of_state).collect())
    }

    /// The sum of all squared residuals.
    fn distance(&self, at: &Position) -> Option<f64> {
        let system = self.with(&at.numbers, None)?;
        let mut sum = 0.0;
        for (window, start) in self.windows.iter().zip(&at.starts) {
            let residuals = self.residuals(window, &system, start)?;
            sum += residuals.iter().map(|r| r * r).sum::<f64>();
        }
        Some(sum)
    }

    /// The linearised problem at a position: the fit of all numbers, and the full step.
    fn step(&self, at: &Position) -> Option<(Fit, Position)> {
        let problems: Vec<Reduction> = self
            .windows
            .iter()
            .zip(&at.starts)
            .map(|(window, start)| self.linear(window, &at.numbers, start))
            .collect::<Option<_>>()?;
        let (n_starts, n) = (self.sigma.len(), at.numbers.len());
        let of_start: Support = (0..n_starts).collect();
        let reduced: Vec<Reduction> = problems.iter().map(|p| p.project_out(&of_start)).collect();
        let fit = Reduction::merge_all(n, &reduced).fit(&(0..n).collect());
        let complete = |problem: &Reduction| {
            let padded = [vec![0.0; n_starts], fit.coefficients().to_vec()].concat();
            problem.complete(&of_start, &padded)
        };
        let moves = Position {
            numbers: fit.coefficients().to_vec(),
            starts: problems.iter().map(complete).collect(),
        };
        Some((fit, moves))
    }

    /// The derivatives of a window's residuals by its initial state.
    fn slopes_by_start(
        &self,
        window: &Window<'_>,
        system: &System,
        start: &[f64],
        here: &[f64],
    ) -> Option<Vec<Vec<f64>>> {
        let by_state = |d: usize| {
            let mut moved = start.to_vec();
            // Less than the standard deviation of the noise: the motion is smooth on that scale,
            // and it is far above the simulation's error.
            let by = (NEAR * self.sigma[d]).max(NUDGE * start[d].abs());
            moved[d] += by;
            Some(slope(&self.residuals(window, system, &moved)?, here, by))
        };
        (0..start.len()).map(by_state).collect()
    }

    /// One window's rows: the derivatives of its residuals by its initial state and each number.
    fn linear(&self, window: &Window<'_>, numbers: &[f64], start: &[f64]) -> Option<Reduction> {
        let system = self.with(numbers, None)?;
        let here = self.residuals(window, &system, start)?;
        let mut columns = self.slopes_by_start(window, &system, start, &here)?;
        for j in 0..numbers.len() {
            let mut moved = numbers.to_vec();
            let mut by = NUDGE * numbers[j].abs().max(1e-4);
            moved[j] += by;
            // A number at the end of its range can move inwards only.
            let system = self.with(&moved, None).or_else(|| {
                by = -by;
                moved[j] = numbers[j] + by;
                self.with(&moved, None)
            })?;
            columns.push(slope(&self.residuals(window, &system, start)?, &here, by));
        }
        columns.push(here.iter().map(|r| -r).collect());
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Some(Reduction::from_columns(&columns))
    }
}

/// Differences of residuals as a derivative.
fn slope(moved: &[f64], here: &[f64], by: f64) -> Vec<f64> {
    moved.iter().zip(here).map(|(a, b)| (a - b) / by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_a_single_window_is_refused() {
        let times: Vec<f64> = (0..20).map(|i| f64::from(i) * 0.1).collect();
        let x = times.iter().map(|t| (-t).exp()).collect();
        let record = Trajectories::of_run("t", times, &["x"], vec![x]).unwrap();
        let system = System::of_flow(&["x"], &[&[("x", -1.0)]]);
        let said = refine(&system, &[], &record, &[0.01], 100.0)
            .unwrap_err()
            .to_string();
        assert!(said.contains("shorter"), "{said}");
        assert!(refine(&system, &[], &record, &[0.01], 0.5).is_ok());
    }

    #[test]
    fn coefficients_that_are_right_stay() {
        let times: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.02).collect();
        let x = times.iter().map(|t| (-t).exp()).collect();
        let record = Trajectories::of_run("t", times, &["x"], vec![x]).unwrap();
        let refined = |w: f64, noise: f64| {
            let system = System::of_flow(&["x"], &[&[("x", w)]]);
            let refined = refine(&system, &[], &record, &[noise], 0.5).unwrap();
            let found = refined.system.equations()[0].coefficients()[0];
            (refined.improved, found)
        };
        assert_eq!(refined(-1.0, 1e-9), (false, -1.0));
        // The noise is said to be so large that this is no worse.
        assert_eq!(refined(-1.001, 0.1), (false, -1.001));
        let (improved, found) = refined(-1.001, 1e-6);
        assert!(improved && (found + 1.0).abs() < 1e-6, "{found}");
    }
}
