//! Stepwise sparse regression: from all terms down to one, one at a time.
//!
//! Fit by ridge regression, drop one term, fit again. The term to drop is the one with the smallest
//! coefficient, or the one whose removal increases the residual least. The answer is the step
//! before the largest jump of the error, or the smallest error plus a penalty per term.
//!
//! Because it starts from all terms, it needs more rows than terms. The smallest coefficient
//! depends on units; the smallest residual does not, but needs one fit per term and step.
//!
//! `PySINDy` keeps its first model by reference and overwrites it with the last; where the first is
//! chosen it returns the last. [`Variant::PySindy`] repeats this.
//!
//! Source: Boninsegna, Nüske and Clementi (2018); `pysindy.SSR` 2.1.0.

use serde::{Deserialize, Serialize};

use super::cross_validation::SIZES;
use super::declare::{self, Chosen, Declaration, VARIANT, VARIANTS};
use super::frols::whole;
use super::{
    CrossValidation, Grid, InPlay, Regressed, Regression, Scaled, Tuned, Variant, not_negative,
    refit,
};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Design, Reduction};

/// Which term goes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropping {
    /// The one with the smallest coefficient.
    #[default]
    CoefficientValue,
    /// The one without which the residual is smallest.
    ModelResidual,
}

/// Settings of stepwise sparse regression.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `variant` | `textbook` | `textbook`, `py-sindy` | whether the first model can be chosen |
/// | `criterion` | `coefficient-value` | or `model-residual` | which term goes next |
/// | `alpha` | 0.05 | 0.. | the ridge penalty |
/// | `max_iter` | 20 | 1.. | the most terms dropped |
/// | `kappa` | none | 0.. | penalty per term, times the condition number; none: the largest jump |
/// | `normalize_columns` | false | | terms of unit length |
/// | `unbias` | true | | least squares on the final support |
/// | `tuner` | | | how the number of terms is chosen where there are folds |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ssr {
    /// Whether the first model can be chosen.
    pub variant: Variant,
    /// Which term goes next.
    pub criterion: Dropping,
    /// The ridge penalty.
    pub alpha: f64,
    /// The most terms dropped.
    pub max_iter: usize,
    /// The penalty per term, times the condition number; none: the largest jump decides.
    pub kappa: Option<f64>,
    /// Whether terms are scaled to unit length.
    pub normalize_columns: bool,
    /// Whether least squares on the final support replaces the ridge coefficients.
    pub unbias: bool,
    /// How the number of terms is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Ssr {
    fn default() -> Self {
        Self {
            variant: Variant::Textbook,
            criterion: Dropping::CoefficientValue,
            alpha: 0.05,
            max_iter: 20,
            kappa: None,
            normalize_columns: false,
            unbias: true,
            tuner: CrossValidation::default(),
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "ssr",
    summary: "Stepwise sparse regression",
    knobs: &[
        declare::number("alpha", "alpha", "the ridge penalty of each fit"),
        declare::whole("max-iter", "max_iter", 0, "the most rounds"),
        declare::choice("variant", "variant", VARIANTS, VARIANT),
        declare::NORMALIZE,
    ],
    chosen: Chosen::Size,
    tuner: SIZES,
    ..Declaration::PLAIN
};

impl Regression for Ssr {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        not_negative("alpha", self.alpha)?;
        let projected = play.reduction.project_out(play.always_in);
        let own = ssr(std::slice::from_ref(&projected), self)?.swap_remove(0);
        if play.folds.is_empty() {
            return Ok(Regressed::only(play.pick(self.name(), &own)?));
        }
        let solve = |reduction: &Reduction, values: &[f64], _: &mut dyn Observer| {
            let scaled = Scaled::new(std::slice::from_ref(reduction), self.normalize_columns)?;
            let everything = Self {
                max_iter: usize::MAX,
                ..self.clone()
            };
            let steps = Steps::new(&scaled, &everything);
            let refitted = |&size: &f64| {
                // Step i has i terms less than all.
                let gone = reduction.n_terms().saturating_sub(whole(size));
                let step = &steps.models[gone.min(steps.models.len() - 1)][0];
                let kept: Vec<usize> = (0..step.len()).filter(|&j| step[j].abs() > 0.0).collect();
                refit(reduction, &kept).into()
            };
            Ok(values.iter().map(refitted).collect())
        };
        let tuned = Tuned {
            method: self.name(),
            name: "terms",
            value: own.iter().filter(|w| w.abs() > 0.0).count() as f64,
            grid: &|projected| Grid::Whole {
                high: projected.n_terms().max(1),
            },
            tuner: &self.tuner,
            solve: &solve,
        };
        tuned.regress(play, observer)
    }
}

/// For each target one coefficient per term, in the units of the data.
///
/// The reductions are of the same rows and terms, one per target. The step is chosen for all
/// targets together.
pub fn ssr(reductions: &[Reduction], settings: &Ssr) -> Result<Vec<Vec<f64>>> {
    let scaled = Scaled::new(reductions, settings.normalize_columns)?;
    let mut steps = Steps::new(&scaled, settings);
    let mut chosen = steps.choose(&scaled.design, settings);
    if settings.variant == Variant::PySindy && chosen == 0 {
        chosen = steps.models.len() - 1;
    }
    let models = steps.models.swap_remove(chosen).into_iter().enumerate();
    Ok(models
        .map(|(target, w)| scaled.finish(target, w, settings.unbias))
        .collect())
}

/// The models on the way down.
struct Steps {
    /// For each step and target, one coefficient per term.
    models: Vec<Vec<Vec<f64>>>,
    /// The residual sum of squares of each step, over all targets.
    errors: Vec<f64>,
}

impl Steps {
    fn new(scaled: &Scaled<'_>, settings: &Ssr) -> Self {
        let design = &scaled.design;
        let n_terms = design.n_terms();
        let fit = |target: usize, kept: &[usize]| scaled.ridge(target, kept, settings.alpha);
        let mut kept: Vec<Vec<usize>> = vec![(0..n_terms).collect(); design.n_targets()];
        let mut current: Vec<Vec<f64>> = kept.iter().enumerate().map(|(t, k)| fit(t, k)).collect();
        let mut steps = Self {
            models: Vec::new(),
            errors: Vec::new(),
        };
        steps.push(design, &current);
        for _ in 0..settings.max_iter {
            if kept.iter().all(|kept| kept.len() <= 1) {
                break;
            }
            let before: usize = kept.iter().map(Vec::len).sum();
            for (target, kept) in kept.iter_mut().enumerate() {
                let gone = match settings.criterion {
                    Dropping::CoefficientValue => smallest(kept, &current[target]),
                    Dropping::ModelResidual if kept.len() < 2 => None,
                    Dropping::ModelResidual => {
                        let without = |gone: &usize| {
                            let rest: Vec<usize> =
                                kept.iter().copied().filter(|j| j != gone).collect();
                            design.rss(target, &fit(target, &rest))
                        };
                        least(kept, without)
                    }
                };
                if let Some(gone) = gone {
                    kept.retain(|&j| j != gone);
                    current[target] = fit(target, kept);
                }
            }
            if kept.iter().map(Vec::len).sum::<usize>() == before {
                // All coefficients are zero: there is nothing to drop by.
                break;
            }
            steps.push(design, &current);
        }
        steps
    }

    fn push(&mut self, design: &Design, models: &[Vec<f64>]) {
        let errors = models.iter().enumerate().map(|(t, w)| design.rss(t, w));
        self.errors.push(errors.sum());
        self.models.push(models.to_vec());
    }

    fn choose(&self, design: &Design, settings: &Ssr) -> usize {
        let places: Vec<usize> = (0..self.errors.len()).collect();
        if let Some(kappa) = settings.kappa {
            let price = kappa * design.condition();
            let size = |place: usize| {
                let all = self.models[place].iter().flatten();
                all.filter(|w| w.abs() > 0.0).count() as f64
            };
            return least(&places, |&i| self.errors[i] + price * size(i)).unwrap_or(0);
        }
        // From the sparsest up: the step that gains most over the one before it.
        if let Some(exact) = places.iter().rev().find(|&&i| self.errors[i] <= 0.0) {
            return *exact;
        }
        let gains = places.iter().rev().skip(1);
        gains
            .copied()
            .reduce(|best, i| {
                let gain = |i: usize| self.errors[i + 1] / self.errors[i];
                if gain(i) > gain(best) { i } else { best }
            })
            .unwrap_or(0)
    }
}

/// The kept term with the smallest coefficient that is not zero.
fn smallest(kept: &[usize], coefficients: &[f64]) -> Option<usize> {
    let nonzero: Vec<usize> = kept
        .iter()
        .copied()
        .filter(|&j| coefficients[j].abs() > 0.0)
        .collect();
    least(&nonzero, |&j| coefficients[j].abs())
}

/// The first with the smallest value.
fn least(items: &[usize], value: impl Fn(&usize) -> f64) -> Option<usize> {
    let valued = items.iter().map(|item| (*item, value(item)));
    let best = valued.reduce(|best, next| if next.1 < best.1 { next } else { best });
    best.map(|(item, _)| item)
}
