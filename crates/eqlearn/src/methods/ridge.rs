//! Ridge regression: least squares with a quadratic penalty on the coefficients.
//!
//! # Formula
//! ```text
//! min |y − Xw|² + α|w|²
//! ```
//! The penalty regularises collinear terms and problems with fewer rows than terms. It keeps every
//! term, so it selects nothing. It depends on units: a term measured in thousandths is shrunk a
//! million times as much.
//!
//! Source: Hoerl and Kennard (1970); scikit-learn's `Ridge` has the same penalty.

use serde::{Deserialize, Serialize};

use super::cross_validation::TUNER;
use super::declare::{self, Chosen, Declaration};
use super::{CrossValidation, Grid, InPlay, Regressed, Regression, Simpler, Tuned, not_negative};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Design, Reduction};

/// Settings of ridge regression.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `alpha` | 1 | 0.. | the penalty; chosen by cross-validation where there are folds |
/// | `tuner` | 10 points, 3 refinements | | how it is chosen |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ridge {
    /// The penalty.
    pub alpha: f64,
    /// How the penalty is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Ridge {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            tuner: CrossValidation::default(),
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "ridge",
    summary: "Ridge regression on all given terms, as scikit-learn",
    centres: true,
    keeps_all_terms: true,
    knobs: &[declare::number("alpha", "alpha", "the penalty")],
    chosen: Chosen::Knob("alpha"),
    tuner: TUNER,
    ..Declaration::PLAIN
};

impl Regression for Ridge {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        not_negative("alpha", self.alpha)?;
        let tuned = Tuned {
            method: self.name(),
            name: "alpha",
            value: self.alpha,
            grid: &grid,
            tuner: &self.tuner,
            solve: &|reduction, values, _| {
                Ok(values
                    .iter()
                    .map(|&alpha| ridge(reduction, alpha).into())
                    .collect())
            },
        };
        tuned.regress(play, observer)
    }
}

/// From a penalty below double precision to one that shrinks nearly everything to zero.
fn grid(projected: &Reduction) -> Grid {
    let squares = (0..projected.n_terms()).map(|j| projected.column_norm(j).powi(2));
    let scale = squares.fold(0.0, f64::max);
    Grid::geometric(1e-12 * scale, scale, Simpler::Larger)
}

/// One ridge coefficient per term.
pub fn ridge(reduction: &Reduction, alpha: f64) -> Vec<f64> {
    let design = Design::new(reduction);
    let all: Vec<usize> = (0..design.n_terms()).collect();
    if alpha > 0.0 {
        design.ridge(0, &all, alpha)
    } else {
        super::refit(reduction, &all)
    }
}
