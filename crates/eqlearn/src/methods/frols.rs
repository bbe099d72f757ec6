//! Forward regression orthogonal least squares.
//!
//! At each step every unused term is made orthogonal to those chosen; the one with the largest
//! error reduction ratio enters.
//!
//! # Formula
//! ```text
//! v = the part of the term that is orthogonal to those chosen,  g = vᵀy / vᵀv,  ERR = g² vᵀv / yᵀy
//! ```
//! The textbook version ends when `1 − Σ ERR`, the unexplained fraction, is below a tolerance.
//! Being greedy it never revises a choice, and the first one is often wrong where terms are
//! collinear.
//!
//! `PySINDy` chooses the step by the smallest `Σ ERR` over targets plus a size penalty, although a
//! large one is good; without a penalty it returns the last steps only by accident.
//! [`Variant::PySindy`] repeats this.
//!
//! Source: Billings, Chen and Korenberg (1989); `pysindy.FROLS` 2.1.0.

use serde::{Deserialize, Serialize};

use super::cross_validation::SIZES;
use super::declare::{self, Chosen, Declaration, SPARSITY, VARIANT, VARIANTS};
use super::{
    CrossValidation, Grid, InPlay, Regressed, Regression, Rounds, Scaled, Solved, Tuned, Variant,
    not_negative, projected, refit, spread,
};
use crate::error::Result;
use crate::numeric::vector::{add, dot};
use crate::observe::Observer;
use crate::reduce::{Design, Reduction};

/// `PySINDy` drops a coefficient below this.
const SMALL: f64 = 1e-10;

/// A term whose orthogonal part is smaller than this fraction of its squared length cannot enter:
/// its coefficient would be rounding error.
const DEPENDENT: f64 = 1e-26;

/// Settings of forward regression orthogonal least squares.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `variant` | `textbook` | `textbook`, `py-sindy` | how the number of terms is chosen |
/// | `tolerance` | 1e-4 | 0.. | textbook: ends when the unexplained fraction is below this |
/// | `max_terms` | 10 | 1.. | the most terms; chosen by cross-validation where there are folds |
/// | `alpha` | 0.05 | 0.. | `PySINDy`: the ridge penalty on the triangular system |
/// | `kappa` | none | 0.. | `PySINDy`: the price of a term, times the condition number |
/// | `normalize_columns` | false | | terms of unit length |
/// | `unbias` | true | | least squares on the final support |
/// | `tuner` | | | how the number of terms is chosen |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Frols {
    /// How the number of terms is chosen.
    pub variant: Variant,
    /// The textbook version ends when the unexplained fraction is below this.
    pub tolerance: f64,
    /// The most terms.
    pub max_terms: usize,
    /// The ridge penalty on the triangular system.
    pub alpha: f64,
    /// The penalty per term, times the condition number.
    pub kappa: Option<f64>,
    /// Whether terms are scaled to unit length.
    pub normalize_columns: bool,
    /// Whether least squares on the final support replaces the coefficients.
    pub unbias: bool,
    /// How the number of terms is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Frols {
    fn default() -> Self {
        Self {
            variant: Variant::Textbook,
            tolerance: 1e-4,
            max_terms: 10,
            alpha: 0.05,
            kappa: None,
            normalize_columns: false,
            unbias: true,
            tuner: CrossValidation::default(),
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "frols",
    summary: "Forward regression orthogonal least squares",
    knobs: &[
        declare::whole("sparsity", "max_terms", 1, SPARSITY),
        declare::number("alpha", "alpha", "the ridge penalty of each fit"),
        declare::choice("variant", "variant", VARIANTS, VARIANT),
        declare::number(
            "kappa",
            "kappa",
            "the price of a term, for the variant of `PySINDy`",
        ),
        declare::number(
            "tolerance",
            "tolerance",
            "the textbook's end: an unexplained share below this",
        ),
        declare::NORMALIZE,
        declare::UNBIAS,
    ],
    chosen: Chosen::UpTo("sparsity"),
    tuner: SIZES,
    ..Declaration::PLAIN
};

impl Regression for Frols {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        not_negative("tolerance", self.tolerance)?;
        not_negative("alpha", self.alpha)?;
        not_negative("kappa", self.kappa.unwrap_or(0.0))?;
        let projected = play.reduction.project_out(play.always_in);
        let own = frols(std::slice::from_ref(&projected), self)?.swap_remove(0);
        if play.folds.is_empty() {
            let pick = play.pick(self.name(), &own.coefficients)?;
            return Ok(Regressed {
                rounds: Some(Rounds {
                    count: own.order.len(),
                    settled: true,
                }),
                ..Regressed::only(pick)
            });
        }
        let solve = |reduction: &Reduction, values: &[f64], _: &mut dyn Observer| {
            let design = Design::new(reduction);
            let steps = Steps::new(&design, 0, self.max_terms);
            let refitted = |&size: &f64| {
                let order = &steps.order[..steps.order.len().min(whole(size))];
                refit(reduction, order).into()
            };
            Ok(values.iter().map(refitted).collect())
        };
        let tuned = Tuned {
            method: self.name(),
            name: "max_terms",
            value: own.chosen as f64,
            grid: &|_| Grid::Whole {
                high: own.order.len().max(1),
            },
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
        let paths = frols(&projected(targets), self)?;
        let steps = paths.iter().map(|path| path.order.len());
        let solved = Solved {
            rounds: Rounds {
                count: steps.max().unwrap_or(0),
                settled: true,
            },
            coefficients: paths.into_iter().map(|path| path.coefficients).collect(),
        };
        solved.picks(self.name(), targets).map(Some)
    }
}

/// A size that came as a knob.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are small whole numbers"
)]
pub(super) fn whole(size: f64) -> usize {
    size.max(0.0) as usize
}

/// The steps for one target and the answer.
#[derive(Debug, Clone)]
pub struct FrolsPath {
    /// The terms in the order in which they entered.
    pub order: Vec<usize>,
    /// The error reduction ratio of each.
    pub ratios: Vec<f64>,
    /// How many of them the answer has.
    pub chosen: usize,
    /// The answer: one coefficient per term, in the units of the data.
    pub coefficients: Vec<f64>,
}

/// The steps and the answer for each target.
///
/// The reductions are of the same rows and terms, one per target.
pub fn frols(reductions: &[Reduction], settings: &Frols) -> Result<Vec<FrolsPath>> {
    let scaled = Scaled::new(reductions, settings.normalize_columns)?;
    let design = &scaled.design;
    // PySINDy takes one step more than it keeps coefficients of.
    let extra = usize::from(settings.variant == Variant::PySindy);
    let limit = settings.max_terms.saturating_add(extra);
    let steps: Vec<Steps> = (0..design.n_targets())
        .map(|target| Steps::new(design, target, limit))
        .collect();
    let chosen = match settings.variant {
        Variant::Textbook => steps.iter().map(|s| s.enough(settings)).collect(),
        Variant::PySindy => cheapest(&steps, design, settings),
    };
    let path = |(target, (steps, chosen)): (usize, (Steps, usize))| {
        let order = &steps.order[..chosen];
        let own = steps.coefficients(chosen, settings);
        let w = spread(design.n_terms(), order, &own);
        let w = scaled.finish(target, w, settings.unbias);
        FrolsPath {
            order: steps.order,
            ratios: steps.ratios,
            chosen,
            coefficients: w,
        }
    };
    Ok(steps
        .into_iter()
        .zip(chosen)
        .enumerate()
        .map(path)
        .collect())
}

/// The orthogonalisation of one target's terms, in the order in which they enter.
struct Steps {
    order: Vec<usize>,
    ratios: Vec<f64>,
    /// The target's component along each orthogonal vector.
    shares: Vec<f64>,
    /// Column `i` of the unit upper triangle that turns terms into orthogonal vectors.
    triangle: Vec<Vec<f64>>,
}

impl Steps {
    fn new(design: &Design, target: usize, limit: usize) -> Self {
        let y = design.target(target);
        let squared = design.target_squared(target);
        let mut rest: Vec<Vec<f64>> = (0..design.n_terms())
            .map(|j| design.term(j).to_vec())
            .collect();
        let lengths: Vec<f64> = rest.iter().map(|v| dot(v, v)).collect();
        let mut chosen: Vec<Vec<f64>> = Vec::new();
        let mut steps = Self {
            order: Vec::new(),
            ratios: Vec::new(),
            shares: Vec::new(),
            triangle: Vec::new(),
        };
        while steps.order.len() < limit.min(design.n_terms()) && squared > 0.0 {
            let unused = (0..rest.len()).filter(|j| !steps.order.contains(j));
            let judged = unused.filter_map(|j| {
                let new = dot(&rest[j], &rest[j]);
                let share = dot(&rest[j], y) / new;
                (new > DEPENDENT * lengths[j]).then_some((j, share, share * share * new / squared))
            });
            // The first of equals.
            let best = judged.reduce(|best, next| if next.2 > best.2 { next } else { best });
            let Some((term, share, ratio)) = best else {
                break;
            };
            let q = rest[term].clone();
            let projection = |r: &Vec<f64>| dot(r, design.term(term)) / dot(r, r);
            steps.triangle.push(chosen.iter().map(projection).collect());
            steps.order.push(term);
            steps.shares.push(share);
            steps.ratios.push(ratio);
            let length = dot(&q, &q);
            for (j, v) in rest.iter_mut().enumerate() {
                if !steps.order.contains(&j) {
                    let factor = dot(&q, v) / length;
                    add(v, -factor, &q);
                }
            }
            chosen.push(q);
        }
        steps
    }

    /// The textbook's number of terms.
    fn enough(&self, settings: &Frols) -> usize {
        let mut unexplained = 1.0;
        let enough = self.ratios.iter().position(|ratio| {
            unexplained -= ratio;
            unexplained < settings.tolerance
        });
        enough.map_or(self.order.len(), |place| place + 1)
    }

    /// The coefficients of the first terms to enter: ridge on the triangular system, small ones
    /// dropped.
    fn coefficients(&self, n_terms: usize, settings: &Frols) -> Vec<f64> {
        let alpha = match settings.variant {
            Variant::Textbook => 0.0,
            Variant::PySindy => settings.alpha,
        };
        let column = |j: usize| -> Vec<f64> {
            let above = &self.triangle[j];
            (0..n_terms)
                .map(|i| match i {
                    i if i < j => above[i],
                    i if i == j => 1.0,
                    _ => 0.0,
                })
                .collect()
        };
        let mut columns: Vec<Vec<f64>> = (0..n_terms).map(column).collect();
        columns.push(self.shares[..n_terms].to_vec());
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut w = super::ridge(&Reduction::from_columns(&slices), alpha);
        if settings.variant == Variant::PySindy {
            w.iter_mut()
                .filter(|w| w.abs() < SMALL)
                .for_each(|w| *w = 0.0);
        }
        w
    }
}

/// `PySINDy`'s number of terms for each target.
fn cheapest(steps: &[Steps], design: &Design, settings: &Frols) -> Vec<usize> {
    let price = settings
        .kappa
        .map_or(0.0, |kappa| kappa * design.condition());
    let n_steps = steps.iter().map(|s| s.ratios.len()).min().unwrap_or(0);
    let mut gains = vec![0.0; n_steps];
    let mut chosen = Vec::with_capacity(steps.len());
    for steps in steps {
        for (gain, ratio) in gains.iter_mut().zip(&steps.ratios) {
            *gain += ratio;
        }
        let cost = |i: &usize| gains[*i] + price * (i + 1) as f64;
        let best = (0..n_steps).reduce(|a, b| if cost(&b) < cost(&a) { b } else { a });
        chosen.push(best.unwrap_or(0));
    }
    chosen
}
