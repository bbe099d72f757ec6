//! Sparse relaxed regularised regression.
//!
//! Two sets of coefficients are coupled by a quadratic penalty: `W` fits the data, `U` is sparse,
//! and `|W − U|²/(2ν)` keeps them close. Each round solves for `W` exactly and then applies the
//! proximal operator of the regulariser to it; `U` is the answer.
//!
//! # Formula
//! ```text
//! W = (XᵀX + I/ν)⁻¹ (XᵀY + U/ν)
//! U = prox(W):  L0 keeps |W| > √(2λν);  L1 moves W towards 0 by λν;  L2 divides W by 1 + 2λν
//! ```
//! With a large `XᵀX` (many rows) the coupling is too weak to change `W`, and U is thresholded
//! least squares. As with every threshold, the result depends on the units of the terms.
//!
//! Source: Zheng, Askham, Brunton, Kutz and Aravkin (2019); the defaults and the stopping rule of
//! `pysindy.SR3` 2.1.0.

use serde::{Deserialize, Serialize};

use super::cross_validation::TUNER;
use super::declare::{self, Choice, Chosen, Declaration};
use super::stlsq::threshold_grid;
use super::{
    CrossValidation, Grid, InPlay, Regressed, Regression, Rounds, Scaled, Solved, Tuned,
    not_negative, positive, projected,
};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Reduction, RidgeFactor};

/// What makes the coefficients sparse or small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regulariser {
    /// The number of terms: a hard threshold.
    #[default]
    L0,
    /// The sum of sizes: a soft threshold.
    L1,
    /// The sum of squares: shrinks, keeps every term.
    L2,
}

/// Settings of sparse relaxed regularised regression.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `lambda` | 0.005 | 0.. | the weight of the regulariser; with folds, cross-validation chooses |
/// | `nu` | 1 | above 0 | a larger one couples `W` and `U` more weakly |
/// | `regulariser` | `l0` | `l0`, `l1`, `l2` | what makes the coefficients sparse |
/// | `tol` | 1e-5 | 0.. | the end: a change of `U` below `tol · ν` |
/// | `max_iter` | 30 | 1.. | the most rounds |
/// | `normalize_columns` | false | | thresholds act on terms of unit length |
/// | `unbias` | false | | least squares on the final support |
/// | `tuner` | 10 points, 3 refinements | | how `lambda` is chosen |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sr3 {
    /// The weight of the regulariser.
    pub lambda: f64,
    /// The slack of the spring.
    pub nu: f64,
    /// What makes the coefficients sparse.
    pub regulariser: Regulariser,
    /// The end: a change of `U` below `tol · ν`.
    pub tol: f64,
    /// The most rounds.
    pub max_iter: usize,
    /// Whether thresholds act on terms of unit length.
    pub normalize_columns: bool,
    /// Whether least squares on the final support replaces the relaxed coefficients.
    pub unbias: bool,
    /// How `lambda` is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Sr3 {
    fn default() -> Self {
        Self {
            lambda: 0.005,
            nu: 1.0,
            regulariser: Regulariser::L0,
            tol: 1e-5,
            max_iter: 30,
            normalize_columns: false,
            unbias: false,
            tuner: CrossValidation::default(),
        }
    }
}

/// The method as users meet it.
pub(super) static METHOD: Declaration = Declaration {
    name: "sr3",
    summary: "Sparse relaxed regularised regression, as `PySINDy`",
    knobs: &[
        declare::number("lambda", "lambda", "the weight of the regulariser"),
        declare::number(
            "nu",
            "nu",
            "the slack between the coefficients that fit and those that are sparse",
        ),
        declare::choice(
            "regulariser",
            "regulariser",
            &[
                Choice {
                    word: "l0",
                    setting: "l0",
                    meaning: "The number of terms",
                },
                Choice {
                    word: "l1",
                    setting: "l1",
                    meaning: "The sum of sizes",
                },
                Choice {
                    word: "l2",
                    setting: "l2",
                    meaning: "The sum of squares",
                },
            ],
            "what makes the coefficients sparse",
        ),
        declare::number("tol", "tol", "when to stop"),
        declare::whole("max-iter", "max_iter", 0, "the most rounds"),
        declare::NORMALIZE,
        declare::UNBIAS,
    ],
    chosen: Chosen::Knob("lambda"),
    tuner: TUNER,
    ..Declaration::PLAIN
};

impl Sr3 {
    fn check(&self) -> Result<()> {
        not_negative("lambda", self.lambda)?;
        not_negative("tol", self.tol)?;
        positive("nu", self.nu)
    }

    /// The sparse coefficient nearest to a full one.
    fn prox(&self, w: f64) -> f64 {
        let weight = self.lambda * self.nu;
        match self.regulariser {
            Regulariser::L0 if w.abs() > (2.0 * weight).sqrt() => w,
            Regulariser::L0 => 0.0,
            Regulariser::L1 => w.signum() * (w.abs() - weight).max(0.0),
            Regulariser::L2 => w / (1.0 + 2.0 * weight),
        }
    }

    /// The values of `lambda` whose thresholds run over the sizes of the coefficients.
    fn grid(&self, reduction: &Reduction) -> Grid {
        let thresholds = threshold_grid(reduction, self.normalize_columns);
        let lambda = |threshold: f64| match self.regulariser {
            Regulariser::L0 => threshold * threshold / (2.0 * self.nu),
            Regulariser::L1 => threshold / self.nu,
            Regulariser::L2 => threshold,
        };
        match thresholds {
            Grid::Geometric { low, high, simpler } => {
                Grid::geometric(lambda(low), lambda(high), simpler)
            }
            Grid::Whole { .. } => thresholds,
        }
    }
}

impl Regression for Sr3 {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        self.check()?;
        let solve = |reduction: &Reduction, values: &[f64], _: &mut dyn Observer| {
            let spring = Spring::new(std::slice::from_ref(reduction), self)?;
            let one = |&lambda: &f64| {
                let settings = Self {
                    lambda,
                    ..self.clone()
                };
                spring.solve(&settings).single()
            };
            Ok(values.iter().map(one).collect())
        };
        let tuned = Tuned {
            method: self.name(),
            name: "lambda",
            value: self.lambda,
            grid: &|projected| self.grid(projected),
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

/// For each target one coefficient per term, in the units of the data.
///
/// The reductions are of the same rows and terms, one per target.
pub fn sr3(reductions: &[Reduction], settings: &Sr3) -> Result<Vec<Vec<f64>>> {
    Ok(solve_together(reductions, settings)?.coefficients)
}

/// The same, with the number of rounds.
fn solve_together(reductions: &[Reduction], settings: &Sr3) -> Result<Solved> {
    settings.check()?;
    Ok(Spring::new(reductions, settings)?.solve(settings))
}

/// All that does not depend on the regulariser.
struct Spring<'a> {
    scaled: Scaled<'a>,
    factor: RidgeFactor,
    products: Vec<Vec<f64>>,
    start: Vec<Vec<f64>>,
}

impl<'a> Spring<'a> {
    fn new(reductions: &'a [Reduction], settings: &Sr3) -> Result<Self> {
        let scaled = Scaled::new(reductions, settings.normalize_columns)?;
        let design = &scaled.design;
        let targets = 0..design.n_targets();
        let all: Vec<usize> = (0..design.n_terms()).collect();
        Ok(Self {
            factor: design.ridge_factor(1.0 / settings.nu),
            products: targets.clone().map(|t| design.products(t)).collect(),
            start: targets.map(|t| design.minimum_norm(t, &all)).collect(),
            scaled,
        })
    }

    fn solve(&self, settings: &Sr3) -> Solved {
        let (sparse, rounds) = self.relaxed(settings);
        let sparse = sparse.into_iter().enumerate();
        Solved {
            coefficients: sparse
                .map(|(target, u)| self.scaled.finish(target, u, settings.unbias))
                .collect(),
            rounds,
        }
    }

    fn relaxed(&self, settings: &Sr3) -> (Vec<Vec<f64>>, Rounds) {
        let mut sparse = self.start.clone();
        let mut rounds = Rounds::default();
        while rounds.count < settings.max_iter {
            rounds.count += 1;
            let mut change = 0.0;
            for (u, xy) in sparse.iter_mut().zip(&self.products) {
                let pull = |(xy, u): (&f64, &f64)| xy + u / settings.nu;
                let pulls: Vec<f64> = xy.iter().zip(&*u).map(pull).collect();
                for (u, w) in u.iter_mut().zip(self.factor.solve(&pulls)) {
                    let next = settings.prox(w);
                    change += (next - *u).powi(2);
                    *u = next;
                }
            }
            if change.sqrt() / settings.nu < settings.tol {
                rounds.settled = true;
                break;
            }
        }
        (sparse, rounds)
    }
}
