//! Sequentially thresholded least squares, the method of `SINDy`.
//!
//! Fit by ridge regression, drop every term whose coefficient is small, fit the rest again, until
//! nothing is dropped. With several targets the rounds go on until the terms of all of them repeat.
//!
//! The threshold compares coefficients that have different units: a term with large values and a
//! small coefficient is dropped first, however much it explains, and a dropped term never returns.
//!
//! Source: Brunton, Proctor and Kutz (2016); the defaults and every rule of `pysindy.STLSQ` 2.1.0.

use serde::{Deserialize, Serialize};

use super::cross_validation::TUNER;
use super::declare::{self, Chosen, Declaration};
use super::{
    CrossValidation, Grid, InPlay, Regressed, Regression, Rounds, Scaled, Simpler, Solved, Tuned,
    not_negative, projected, spread,
};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Design, Reduction};

/// Settings of sequentially thresholded least squares.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `threshold` | 0.1 | 0.. | smaller ones are dropped; with folds, cross-validation chooses |
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

/// The method as users meet it.
pub(super) static METHOD: Declaration = Declaration {
    name: "stlsq",
    summary: "Sequentially thresholded least squares, as `PySINDy`",
    knobs: &[
        declare::number("threshold", "threshold", "a smaller coefficient is dropped"),
        declare::number("alpha", "alpha", "the ridge penalty of each fit"),
        declare::whole("max-iter", "max_iter", 0, "the most rounds"),
        declare::NORMALIZE,
        declare::UNBIAS,
    ],
    chosen: Chosen::Knob("threshold"),
    tuner: TUNER,
    ..Declaration::PLAIN
};

impl Regression for Stlsq {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        self.check()?;
        let solve = |reduction: &Reduction, values: &[f64], _: &mut dyn Observer| {
            let one = |&threshold: &f64| {
                let settings = Self {
                    threshold,
                    ..self.clone()
                };
                Ok(solve_together(std::slice::from_ref(reduction), &settings)?.single())
            };
            values.iter().map(one).collect()
        };
        let tuned = Tuned {
            method: self.name(),
            name: "threshold",
            value: self.threshold,
            grid: &|projected| threshold_grid(projected, self.normalize_columns),
            tuner: &self.tuner,
            solve: &solve,
        };
        tuned.regress(play, observer)
    }

    fn regress_together(
        &self,
        targets: &[InPlay<'_>],
        _observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Regressed>>> {
        let solved = solve_together(&projected(targets), self)?;
        solved.picks(self.name(), targets).map(Some)
    }
}

impl Stlsq {
    fn check(&self) -> Result<()> {
        not_negative("threshold", self.threshold)?;
        not_negative("alpha", self.alpha)
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
    Ok(solve_together(reductions, settings)?.coefficients)
}

/// The same, with the number of rounds.
fn solve_together(reductions: &[Reduction], settings: &Stlsq) -> Result<Solved> {
    settings.check()?;
    let scaled = Scaled::new(reductions, settings.normalize_columns)?;
    let (solutions, rounds) = thresholded(&scaled, settings);
    let solutions = solutions.into_iter().enumerate();
    Ok(Solved {
        coefficients: solutions
            .map(|(target, w)| scaled.finish(target, w, settings.unbias))
            .collect(),
        rounds,
    })
}

fn thresholded(scaled: &Scaled<'_>, settings: &Stlsq) -> (Vec<Vec<f64>>, Rounds) {
    let (n_terms, n_targets) = (scaled.design.n_terms(), scaled.design.n_targets());
    let mut kept: Vec<Vec<usize>> = vec![(0..n_terms).collect(); n_targets];
    let mut solutions = vec![vec![0.0; n_terms]; n_targets];
    let mut rounds = Rounds::default();
    while rounds.count < settings.max_iter {
        rounds.count += 1;
        let before = kept.clone();
        for (target, kept) in kept.iter_mut().enumerate() {
            let w = scaled.ridge(target, kept, settings.alpha);
            kept.retain(|&j| w[j].abs() >= settings.threshold);
            let values: Vec<f64> = kept.iter().map(|&j| w[j]).collect();
            solutions[target] = spread(n_terms, kept, &values);
        }
        if kept == before {
            rounds.settled = true;
            break;
        }
    }
    (solutions, rounds)
}
