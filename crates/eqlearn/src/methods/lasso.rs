//! LASSO by cyclic coordinate descent.
//!
//! # Formula
//! ```text
//! min (1/2n) |y − Xw|² + α |w|₁
//! ```
//! Coordinate descent: one coefficient at a time is set to its best value given the others, round
//! after round, until first the largest change of a round and then the duality gap is small. The
//! gap bounds by how much the objective can still be improved. Terms that the gap proves to be zero
//! are left out of the rounds. It centres where a constant is always in, and never scales.
//!
//! Its weakness is bias: every coefficient is shrunk by about the same amount. To keep the true
//! ones large, the penalty is chosen so small that false ones enter. With collinear terms,
//! convergence is very slow.
//!
//! Source: Tibshirani (1996), Friedman et al. (2010), the screening of Ndiaye et al. (2017). The
//! order of operations, the stopping rules and `LassoCV`'s grid are those of scikit-learn 1.9.1, so
//! that a descent that has not converged gives the same coefficients too.

use serde::{Deserialize, Serialize};

use super::cross_validation::TUNER;
use super::declare::{self, Chosen, Declaration};
use super::{
    CrossValidation, Grid, InPlay, Regressed, Regression, Simpler, Solution, Tuned, not_negative,
};
use crate::error::Result;
use crate::numeric::vector::{add, dot};
use crate::observe::Observer;
use crate::reduce::Design;

/// Settings of the LASSO.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `alpha` | 1 | 0.. | the penalty; chosen by cross-validation where there are folds |
/// | `tol` | 1e-4 | 0.. | the largest relative change, and the gap relative to `yᵀy` |
/// | `max_iter` | 1000 | 1.. | the most rounds |
/// | `span` | 1e-3 | 0..1 | the smallest penalty tried over the one that leaves no term |
/// | `tuner` | 10 points, 3 refinements | | the choice; in `LassoCV` 100 points, no refinement |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lasso {
    /// The penalty.
    pub alpha: f64,
    /// The largest relative change, and the gap relative to `yᵀy`.
    pub tol: f64,
    /// The most rounds.
    pub max_iter: usize,
    /// The smallest penalty tried, relative to the one at which no term is left.
    pub span: f64,
    /// How the penalty is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Lasso {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            tol: 1e-4,
            max_iter: 1000,
            span: 1e-3,
            tuner: CrossValidation::default(),
        }
    }
}

/// The method as users meet it.
pub(super) static METHOD: Declaration = Declaration {
    name: "lasso",
    summary: "LASSO, as scikit-learn",
    centres: true,
    knobs: &[
        declare::number("alpha", "alpha", "the penalty"),
        declare::number("tol", "tol", "when to stop"),
        declare::whole("max-iter", "max_iter", 0, "the most rounds"),
    ],
    chosen: Chosen::Knob("alpha"),
    tuner: TUNER,
    ..Declaration::PLAIN
};

impl Regression for Lasso {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        not_negative("alpha", self.alpha)?;
        not_negative("tol", self.tol)?;
        let tuned = Tuned {
            method: self.name(),
            name: "alpha",
            value: self.alpha,
            grid: &|projected| self.grid(&Design::new(projected)),
            tuner: &self.tuner,
            solve: &|reduction, values, _| {
                let path = lasso_path(&Design::new(reduction), values, self);
                Ok(path.into_iter().map(Solution::from).collect())
            },
        };
        tuned.regress(play, observer)
    }
}

impl Lasso {
    /// The penalties that cross-validation tries: downwards from the one at which no term is left.
    pub fn grid(&self, design: &Design) -> Grid {
        let largest = design
            .products(0)
            .iter()
            .fold(0.0_f64, |a, v| a.max(v.abs()));
        let high = largest / design.n_obs().max(1) as f64;
        Grid::geometric(self.span * high, high, Simpler::Larger)
    }
}

/// Coefficients for each penalty, from the largest down, each descent starting where the last one
/// ended.
///
/// The answers are in the order of `alphas`.
pub fn lasso_path(design: &Design, alphas: &[f64], settings: &Lasso) -> Vec<Vec<f64>> {
    let mut order: Vec<usize> = (0..alphas.len()).collect();
    order.sort_by(|&a, &b| alphas[b].total_cmp(&alphas[a]));
    let mut descent = Descent::new(design, settings);
    let mut answers = vec![Vec::new(); alphas.len()];
    for place in order {
        descent.run(alphas[place]);
        answers[place].clone_from(&descent.w);
    }
    answers
}

/// The coefficients for one penalty and the number of rounds it took.
pub fn lasso(design: &Design, settings: &Lasso) -> (Vec<f64>, usize) {
    let mut descent = Descent::new(design, settings);
    let rounds = descent.run(settings.alpha);
    (descent.w, rounds)
}

struct Descent<'a> {
    design: &'a Design,
    settings: &'a Lasso,
    gram: Vec<Vec<f64>>,
    w: Vec<f64>,
    /// `Xᵀy`.
    target_products: Vec<f64>,
    /// `Xᵀ(y − Xw)`: updated by the Gram matrix, and recomputed from the triangle before the
    /// descent ends.
    products: Vec<f64>,
    /// Terms that may be other than zero.
    active: Vec<usize>,
}

/// The duality gap and the largest entry of `Xᵀr`.
struct Gap {
    size: f64,
    largest: f64,
}

impl<'a> Descent<'a> {
    fn new(design: &'a Design, settings: &'a Lasso) -> Self {
        Self {
            design,
            settings,
            gram: design.gram(),
            w: vec![0.0; design.n_terms()],
            target_products: design.products(0),
            products: Vec::new(),
            active: Vec::new(),
        }
    }

    /// Descends for one penalty from where the coefficients are; returns the number of rounds.
    fn run(&mut self, alpha: f64) -> usize {
        let penalty = alpha * self.design.n_obs() as f64;
        let enough = self.settings.tol * self.design.target_squared(0);
        self.active = (0..self.w.len())
            .filter(|&j| self.gram[j][j] > 0.0)
            .collect();
        let gap = self.exact_gap(penalty);
        if gap.size <= enough {
            return 0;
        }
        self.screen(&gap, penalty);
        for round in 1..=self.settings.max_iter {
            let (largest, change) = self.round(penalty);
            let settled = largest <= 0.0 || change / largest <= self.settings.tol;
            if settled || round == self.settings.max_iter {
                let mut gap = self.quick_gap(penalty);
                if gap.size <= enough {
                    gap = self.exact_gap(penalty);
                    if gap.size <= enough {
                        return round;
                    }
                }
                self.screen(&gap, penalty);
            }
        }
        self.settings.max_iter
    }

    /// One round over the active terms: the largest coefficient and the largest change.
    fn round(&mut self, penalty: f64) -> (f64, f64) {
        let (mut largest, mut change) = (0.0_f64, 0.0_f64);
        for &j in &self.active {
            let square = self.gram[j][j];
            let before = self.w[j];
            let pull = self.products[j] + before * square;
            let size = (pull.abs() - penalty).max(0.0) / square;
            let after = if size > 0.0 { size.copysign(pull) } else { 0.0 };
            let step = (after - before).abs();
            if step > 0.0 {
                add(&mut self.products, before - after, &self.gram[j]);
                self.w[j] = after;
            }
            change = change.max(step);
            largest = largest.max(after.abs());
        }
        (largest, change)
    }

    /// The gap from the residual itself, which also refreshes the products.
    fn exact_gap(&mut self, penalty: f64) -> Gap {
        let r = self.design.residual(0, &self.w);
        self.products = (0..self.w.len())
            .map(|j| dot(self.design.term(j), &r))
            .collect();
        let beyond = self.design.remainder(0).powi(2);
        let rr = dot(&r, &r) + beyond;
        let ry = dot(&r, self.design.target(0)) + beyond;
        self.gap(penalty, rr, ry)
    }

    /// The gap from the products, in as many operations as there are terms; accurate to rounding
    /// errors of `yᵀy`.
    fn quick_gap(&self, penalty: f64) -> Gap {
        let yy = self.design.target_squared(0);
        let ry = yy - dot(&self.w, &self.target_products);
        let rr = ry - dot(&self.w, &self.products);
        self.gap(penalty, rr, ry)
    }

    /// The gap, for the residual's product with itself and with the target.
    fn gap(&self, penalty: f64, rr: f64, ry: f64) -> Gap {
        let largest = self.products.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        if penalty <= 0.0 {
            // Without a penalty there is no dual point; the gradient must vanish instead.
            let size = dot(&self.products, &self.products);
            return Gap { size, largest };
        }
        let l1: f64 = self.w.iter().map(|w| w.abs()).sum();
        let scale = if largest > penalty {
            penalty / largest
        } else {
            1.0
        };
        let primal = 0.5 * rr + penalty * l1;
        let dual = -0.5 * scale * scale * rr + scale * ry;
        Gap {
            size: primal - dual,
            largest,
        }
    }

    /// Sets terms to zero that the gap proves to be zero, and removes them from the rounds.
    fn screen(&mut self, gap: &Gap, penalty: f64) {
        if penalty <= 0.0 {
            return;
        }
        let radius = (2.0 * gap.size.abs()).sqrt() / penalty;
        // All are tested before any is removed, because a removal changes the products.
        let angles = self.products.clone();
        let (active, mut kept) = (std::mem::take(&mut self.active), Vec::new());
        for j in active {
            let angle = angles[j] / penalty.max(gap.largest);
            if (1.0 - angle.abs()) / self.gram[j][j].sqrt() <= radius {
                kept.push(j);
            } else if self.w[j].abs() > 0.0 {
                add(&mut self.products, self.w[j], &self.gram[j]);
                self.w[j] = 0.0;
            }
        }
        self.active = kept;
    }
}
