//! Choosing a method's knob by cross-validation, from the triangles of the folds.
//!
//! The rows come as folds, each reduced to its own triangle. All folds but one merge into the
//! training problem; the one left out gives the error of the coefficients that were learned without
//! it, `|R_test (w, −1)|²` per row. So a hundred values of a knob cost a hundred small solves per
//! fold, whatever the number of rows.
//!
//! The default tuner is the paper's: five folds (the caller's to make), a coarse grid, then three
//! times a finer grid between the neighbours of the best value. The result says where the error was
//! smallest and whether that was at an end of the grid, in which case a wider one may be better.

use serde::{Deserialize, Serialize};

use super::declare::{self, Choice, Knob};
use crate::error::{Error, Result};
use crate::methods::MethodsError;
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::Reduction;

/// Which of two values of a knob gives the simpler equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Simpler {
    /// The larger, as of a penalty or a threshold.
    Larger,
    /// The smaller, as of a number of terms.
    Smaller,
}

/// The values of a knob that are tried.
#[derive(Debug, Clone, PartialEq)]
pub enum Grid {
    /// Values in equal ratios from `low` to `high`, which may be refined.
    Geometric {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
        /// Which end is the simple one.
        simpler: Simpler,
    },
    /// Whole numbers from 1 on, such as numbers of terms.
    Whole {
        /// The largest.
        high: usize,
    },
}

impl Grid {
    /// A geometric grid; where there is nothing to span, the one value 1.
    pub fn geometric(low: f64, high: f64, simpler: Simpler) -> Self {
        let sound = low > 0.0 && high.is_finite() && low <= high;
        let (low, high) = if sound { (low, high) } else { (1.0, 1.0) };
        Self::Geometric { low, high, simpler }
    }

    /// The values, `points` of them where the grid leaves a choice.
    pub fn values(&self, points: usize) -> Vec<f64> {
        match self {
            Self::Geometric { low, high, .. } => spaced(*low, *high, points),
            Self::Whole { high } => (1..=(*high).max(1)).map(|value| value as f64).collect(),
        }
    }

    fn simpler(&self) -> Simpler {
        match self {
            Self::Geometric { simpler, .. } => *simpler,
            Self::Whole { .. } => Simpler::Smaller,
        }
    }
}

/// `points` values in equal ratios; one where both ends are the same.
fn spaced(low: f64, high: f64, points: usize) -> Vec<f64> {
    if points < 2 || high <= low {
        return vec![high];
    }
    let step = (high / low).ln() / (points - 1) as f64;
    let value = |i: usize| match i {
        0 => low,
        i if i == points - 1 => high,
        i => low * (step * i as f64).exp(),
    };
    (0..points).map(value).collect()
}

/// Which value of the curve is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The one with the smallest error.
    #[default]
    Minimum,
    /// The simplest whose error is within one standard error of the smallest.
    OneStandardError,
}

/// What the rule is, for users.
pub(super) const RULE: &str = "which value cross-validation chooses";

/// The rules as users call them.
pub(super) const RULES: &[Choice] = &[
    Choice {
        word: "min",
        setting: "minimum",
        meaning: "The smallest error",
    },
    Choice {
        word: "one-se",
        setting: "one-standard-error",
        meaning: "The simplest equation within one standard error of the smallest",
    },
];

/// The knobs of cross-validation over numbers of terms, all of which are tried.
pub(super) static SIZES: &[Knob] = &[declare::choice("rule", "tuner.rule", RULES, RULE)];

/// The knobs of cross-validation over a grid, in settings that call it their tuner.
pub(super) static TUNER: &[Knob] = &[
    declare::choice("rule", "tuner.rule", RULES, RULE),
    declare::whole(
        "points",
        "tuner.points",
        2,
        "values that cross-validation tries at first",
    ),
    declare::whole(
        "refinements",
        "tuner.refinements",
        0,
        "how often it tries finer values around the best",
    ),
];

/// Settings of cross-validation.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `points` | 10 | 2.. | values per grid |
/// | `refinements` | 3 | 0.. | finer grids around the best value |
/// | `rule` | `minimum` | `minimum`, `one-standard-error` | which value is chosen |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrossValidation {
    /// Values per grid.
    pub points: usize,
    /// Finer grids around the best value.
    pub refinements: usize,
    /// Which value is chosen.
    pub rule: Rule,
}

impl Default for CrossValidation {
    fn default() -> Self {
        Self {
            points: 10,
            refinements: 3,
            rule: Rule::Minimum,
        }
    }
}

/// One value of a knob and its error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The value.
    pub value: f64,
    /// The mean over the folds of the mean squared error on the rows left out.
    pub error: f64,
    /// The standard error of that mean.
    pub std_error: f64,
}

impl Tried {
    /// A value with the errors that it had on each fold.
    pub(super) fn new(value: f64, errors: &[f64]) -> Self {
        let k = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / k;
        let squares: f64 = errors.iter().map(|e| (e - mean).powi(2)).sum();
        Self {
            value,
            // A value for which a method diverged on a fold must not be chosen.
            error: if mean.is_nan() { f64::INFINITY } else { mean },
            std_error: (squares / (k - 1.0) / k).sqrt(),
        }
    }
}

/// How a knob was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning {
    /// The name of the setting.
    pub knob: &'static str,
    /// Every value that was tried, ascending.
    pub curve: Vec<Tried>,
    /// The value that was chosen.
    pub chosen: f64,
    /// Whether it lies at an end of what was tried, so that a value beyond might do better.
    pub at_edge: bool,
}

/// Coefficients (one per term of the dictionary) for each value of a knob, learned from some rows.
pub type Solve<'a> = dyn Fn(&Reduction, &[f64], &mut dyn Observer) -> Result<Vec<Vec<f64>>> + 'a;

/// Chooses a value of a knob by cross-validation over these folds.
///
/// # Errors
/// Fewer than two folds; those of `solve`; [`Error::Stopped`] if the observer says so.
pub fn tune(
    knob: &'static str,
    folds: &[Reduction],
    grid: &Grid,
    settings: &CrossValidation,
    solve: &Solve<'_>,
    observer: &mut dyn Observer,
) -> Result<Tuning> {
    let trainings = trainings(folds)?;
    let mut curve = tried(
        grid.values(settings.points),
        folds,
        &trainings,
        solve,
        observer,
    )?;
    if let Grid::Geometric { .. } = grid {
        for _ in 0..settings.refinements {
            let best = smallest(&curve, grid.simpler());
            let low = curve[best.saturating_sub(1)].value;
            let high = curve[(best + 1).min(curve.len() - 1)].value;
            // The ends are known already.
            let mut values = spaced(low, high, settings.points + 2);
            values.retain(|value| {
                curve
                    .iter()
                    .all(|tried| tried.value.total_cmp(value).is_ne())
            });
            curve.extend(tried(values, folds, &trainings, solve, observer)?);
            curve.sort_by(|a, b| a.value.total_cmp(&b.value));
        }
    }
    curve.sort_by(|a, b| a.value.total_cmp(&b.value));
    let place = match settings.rule {
        Rule::Minimum => smallest(&curve, grid.simpler()),
        Rule::OneStandardError => simplest(&curve, grid.simpler()),
    };
    Ok(Tuning {
        knob,
        chosen: curve[place].value,
        // No equation has less than one term: that end of a grid of sizes is none.
        at_edge: at_edge(place, curve.len()) && !(place == 0 && matches!(grid, Grid::Whole { .. })),
        curve,
    })
}

/// For each fold the mean squared error of coefficients that were learned from the others, for each
/// value of a knob.
///
/// # Errors
/// Fewer than two folds; those of `solve`.
pub fn mean_errors(
    folds: &[Reduction],
    values: &[f64],
    solve: &Solve<'_>,
) -> Result<Vec<Vec<f64>>> {
    let one = |(training, fold): (Reduction, &Reduction)| {
        errors_on(fold, &training, values, solve, &mut ())
    };
    trainings(folds)?.into_iter().zip(folds).map(one).collect()
}

fn errors_on(
    fold: &Reduction,
    training: &Reduction,
    values: &[f64],
    solve: &Solve<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<f64>> {
    let n_obs = fold.n_obs().max(1) as f64;
    let error = |w: &Vec<f64>| fold.residual_norm_of(w).powi(2) / n_obs;
    Ok(solve(training, values, observer)?
        .iter()
        .map(error)
        .collect())
}

/// For each fold, all the others merged.
pub(super) fn trainings(folds: &[Reduction]) -> Result<Vec<Reduction>> {
    if folds.len() < 2 {
        return Err(MethodsError::TooFewFolds { folds: folds.len() }.into());
    }
    let n_terms = folds[0].n_terms();
    let without = |left_out: usize| {
        let others = (0..folds.len()).filter(|&fold| fold != left_out);
        Reduction::merge_all(n_terms, others.map(|fold| &folds[fold]))
    };
    Ok((0..folds.len()).map(without).collect())
}

fn tried(
    values: Vec<f64>,
    folds: &[Reduction],
    trainings: &[Reduction],
    solve: &Solve<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Tried>> {
    let mut errors = Vec::with_capacity(folds.len());
    for (done, (fold, training)) in folds.iter().zip(trainings).enumerate() {
        errors.push(errors_on(fold, training, &values, solve, observer)?);
        let progress = Progress {
            stage: Stage::Folds,
            done: done as u128 + 1,
            total: folds.len() as u128,
        };
        if observer.progress(&progress).is_break() {
            return Err(Error::Stopped);
        }
    }
    let judge = |(place, value): (usize, f64)| {
        let errors: Vec<f64> = errors.iter().map(|e| e[place]).collect();
        Tried::new(value, &errors)
    };
    Ok(values.into_iter().enumerate().map(judge).collect())
}

/// Whether a place is at an end of a curve.
pub(super) fn at_edge(place: usize, length: usize) -> bool {
    length > 1 && (place == 0 || place == length - 1)
}

/// The smallest error; of equals the simplest.
fn smallest(curve: &[Tried], simpler: Simpler) -> usize {
    let better = |a: usize, b: usize| match simpler {
        Simpler::Smaller => curve[b].error < curve[a].error,
        Simpler::Larger => curve[b].error <= curve[a].error,
    };
    let places = 0..curve.len();
    places
        .reduce(|a, b| if better(a, b) { b } else { a })
        .unwrap_or(0)
}

/// The simplest value within one standard error of the smallest.
pub(super) fn simplest(curve: &[Tried], simpler: Simpler) -> usize {
    let best = smallest(curve, simpler);
    let limit = curve[best].error + curve[best].std_error;
    let mut within = (0..curve.len()).filter(|&i| curve[i].error <= limit);
    match simpler {
        Simpler::Smaller => within.next(),
        Simpler::Larger => within.next_back(),
    }
    .unwrap_or(best)
}
