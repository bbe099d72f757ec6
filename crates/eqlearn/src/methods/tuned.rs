//! A method with one number to choose, run for many values of it.

use super::cross_validation::{CrossValidation, Grid, tune};
use super::{InPlay, Regressed, Rounds};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::Reduction;

/// A method with one number to choose.
pub(super) struct Tuned<'a> {
    pub(super) method: &'static str,
    pub(super) name: &'static str,
    /// Used where there are no folds to choose by.
    pub(super) value: f64,
    /// The values to choose from, given the problem without the terms that are always in; asked for
    /// only where there are folds.
    pub(super) grid: &'a dyn Fn(&Reduction) -> Grid,
    pub(super) tuner: &'a CrossValidation,
    /// For each value, the solution of a problem whose terms always in are projected out.
    pub(super) solve: &'a SolveAll<'a>,
}

/// Solutions for each value of a knob, from some rows.
type SolveAll<'a> = dyn Fn(&Reduction, &[f64], &mut dyn Observer) -> Result<Vec<Solution>> + 'a;

/// What a method makes of one value of its knob.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// One coefficient per term.
    pub(super) coefficients: Vec<f64>,
    pub(super) rounds: Option<Rounds>,
    pub(super) proven: Option<bool>,
}

impl From<Vec<f64>> for Solution {
    fn from(coefficients: Vec<f64>) -> Self {
        Self {
            coefficients,
            rounds: None,
            proven: None,
        }
    }
}

impl Tuned<'_> {
    pub(super) fn regress(
        self,
        play: &InPlay<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Regressed> {
        let projected = play.reduction.project_out(play.always_in);
        let solve_one = |value: f64, observer: &mut dyn Observer| -> Result<Solution> {
            Ok((self.solve)(&projected, &[value], observer)?.swap_remove(0))
        };
        if play.folds.is_empty() {
            let own = solve_one(self.value, observer)?;
            let pick = play.pick(self.method, &own.coefficients)?;
            return Ok(Regressed {
                rounds: own.rounds,
                proven: own.proven,
                ..Regressed::only(pick)
            });
        }
        let grid = (self.grid)(&projected);
        let solve = |rows: &Reduction, values: &[f64], observer: &mut dyn Observer| {
            let projected = rows.project_out(play.always_in);
            let solutions = (self.solve)(&projected, values, observer)?;
            let dense = |solution: &Solution| play.dense(rows, &solution.coefficients);
            Ok(solutions.iter().map(dense).collect())
        };
        let tuning = tune(self.name, play.folds, &grid, self.tuner, &solve, observer)?;
        let mut values = grid.values(self.tuner.points);
        values.push(tuning.chosen);
        let along = (self.solve)(&projected, &values, observer)?;
        let own = match grid {
            // Sizes come from one run of the method.
            Grid::Whole { .. } => along[along.len() - 1].clone(),
            // The result for one penalty must not depend on which others are tried.
            Grid::Geometric { .. } => solve_one(tuning.chosen, observer)?,
        };
        let solutions = along.iter().chain([&own]);
        let supports = solutions.map(|solution| play.support(&solution.coefficients));
        let pick = play.pick(self.method, &own.coefficients)?;
        Ok(Regressed {
            tuning: Some(tuning),
            rounds: own.rounds,
            proven: own.proven,
            ..Regressed::along(supports, pick)
        })
    }
}
