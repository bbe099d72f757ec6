//! Sequentially thresholded least squares, the method of `SINDy`.
//!
//! Fit by ridge regression, drop every term whose coefficient is small, fit the rest again, until nothing is dropped. With
//! several targets the rounds go on until the terms of all of them repeat.
//!
//! The threshold compares coefficients that have different units: a term with large values and a small
//! coefficient is dropped first, however much it explains, and what is dropped never returns.
//!
//! Source: Brunton, Proctor and Kutz (2016); the defaults and every rule of `pysindy.STLSQ` 2.1.0.

use serde::{Deserialize, Serialize};

use super::{
    CrossValidation, Grid, Knob, Method, Proposal, Simpler, Task, not_negative, refit, spread,
};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduction::{Design, Reduction};

/// A coefficient of at most this size counts as zero in `PySINDy`.
pub(super) const NEGLIGIBLE: f64 = 1e-14;

/// Settings of sequentially thresholded least squares.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `threshold` | 0.1 | 0.. | a smaller coefficient is dropped; chosen by cross-validation where there are folds |
/// | `alpha` | 0.05 | 0.. | the ridge penalty of each round |
/// | `max_iter` | 20 | 1.. | the most rounds |
/// | `normalize_columns` | false | | thresholds act on terms of unit length |
/// | `unbias` | true | | least squares on the final support |
/// | `tuner` | 10 points, 3 refinements | | how the threshold is chosen |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stlsq {
    /// A smaller coefficient is dropped.
    pub threshold: f64,
    /// The ridge penalty of each round.
    pub alpha: f64,
    /// The most rounds.
    pub max_iter: usize,
    /// Whether thresholds act on terms of unit length.
    pub normalize_columns: bool,
    /// Whether least squares on the final support replaces the ridge coefficients.
    pub unbias: bool,
    /// How the threshold is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Stlsq {
    fn default() -> Self {
        Self {
            threshold: 0.1,
            alpha: 0.05,
            max_iter: 20,
            normalize_columns: false,
            unbias: true,
            tuner: CrossValidation::default(),
        }
    }
}

impl Method for Stlsq {
    fn name(&self) -> &'static str {
        "stlsq"
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        not_negative("threshold", self.threshold)?;
        not_negative("alpha", self.alpha)?;
        let projected = task.reduction.project_out(task.always_in);
        let solve = |reduction: &Reduction, values: &[f64]| {
            let one = |&threshold: &f64| {
                let settings = Self {
                    threshold,
                    ..self.clone()
                };
                Ok(stlsq(std::slice::from_ref(reduction), &settings)?.swap_remove(0))
            };
            values.iter().map(one).collect()
        };
        let knob = Knob {
            method: self.name(),
            name: "threshold",
            value: self.threshold,
            grid: threshold_grid(&projected, self.normalize_columns),
            tuner: &self.tuner,
            solve: &solve,
        };
        knob.propose(task, observer)
    }
}

/// Thresholds from a ten-thousandth of the largest least-squares coefficient up to it.
pub(super) fn threshold_grid(reduction: &Reduction, normalize_columns: bool) -> Grid {
    let mut design = Design::new(reduction);
    if normalize_columns {
        design = design.normalised().0;
    }
    let all: Vec<usize> = (0..design.n_terms()).collect();
    let start = design.minimum_norm(0, &all);
    let largest = start.iter().fold(0.0_f64, |a, w| a.max(w.abs()));
    Grid::geometric(1e-4 * largest, largest, Simpler::Larger)
}

/// For each target one coefficient per term, in the units of the data.
///
/// The reductions are of the same rows and terms, one per target.
pub fn stlsq(reductions: &[Reduction], settings: &Stlsq) -> Result<Vec<Vec<f64>>> {
    let mut design = Design::several(reductions)?;
    let mut lengths = vec![1.0; design.n_terms()];
    if settings.normalize_columns {
        (design, lengths) = design.normalised();
    }
    let mut solutions = thresholded(&design, reductions, settings);
    for (target, w) in solutions.iter_mut().enumerate() {
        let kept: Vec<usize> = (0..w.len()).filter(|&j| w[j].abs() > NEGLIGIBLE).collect();
        if settings.unbias {
            let plain = Design::new(&reductions[target]);
            *w = refit(&reductions[target], &plain, 0, &kept);
        } else {
            w.iter_mut().zip(&lengths).for_each(|(w, l)| *w /= l);
        }
    }
    Ok(solutions)
}

fn thresholded(design: &Design, reductions: &[Reduction], settings: &Stlsq) -> Vec<Vec<f64>> {
    let n_terms = design.n_terms();
    let mut kept: Vec<Vec<usize>> = vec![(0..n_terms).collect(); design.n_targets()];
    let mut solutions = vec![vec![0.0; n_terms]; design.n_targets()];
    for _ in 0..settings.max_iter {
        let before = kept.clone();
        for (target, kept) in kept.iter_mut().enumerate() {
            let w = if settings.alpha > 0.0 {
                spread(n_terms, kept, &design.ridge(target, kept, settings.alpha))
            } else {
                refit(&reductions[target], design, target, kept)
            };
            kept.retain(|&j| w[j].abs() >= settings.threshold);
            let values: Vec<f64> = kept.iter().map(|&j| w[j]).collect();
            solutions[target] = spread(n_terms, kept, &values);
        }
        if kept == before {
            break;
        }
    }
    solutions
}
