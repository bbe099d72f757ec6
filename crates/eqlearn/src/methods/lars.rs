//! Least-angle regression: the whole path from no term to all of them.
//!
//! Move all active coefficients together so that their terms stay equally correlated with the
//! residual, until another term is as correlated; let it in; go on. Between these knots the
//! coefficients are linear in the penalty, so the path is known exactly from its knots. With the
//! LASSO's rule (a coefficient that reaches zero leaves) the same walk gives every LASSO solution.
//!
//! Each choice is greedy in the correlation with the residual. Where terms are collinear many enter
//! before the right ones, and a term whose orthogonal part is below 1e-7 is dropped for good. The
//! path ends when the active terms reach the numerical rank of the data; scikit-learn goes on,
//! along directions that are rounding errors.
//!
//! Source: Efron, Hastie, Johnstone and Tibshirani (2004). Tolerances, the treatment of sign
//! changes, and `LarsCV`'s interpolation over the union of all knots are those of scikit-learn
//! 1.9.1.

use serde::{Deserialize, Serialize};

use super::cross_validation::{RULE, RULES, at_edge, simplest, trainings};
use super::declare::{self, Chosen, Declaration};
use super::{InPlay, Regressed, Regression, Rule, Simpler, Tried, Tuning};
use crate::error::{Error, Result};
use crate::methods::MethodsError;
use crate::numeric::vector::dot;
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::Design;

/// Two penalties closer than this are the same.
const SAME_PENALTY: f64 = f32::EPSILON as f64;

/// A term whose orthogonal part is shorter than this is dropped.
const DEPENDENT: f64 = 1e-7;

/// Avoids a division by zero without changing other results.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// What happens to a coefficient that reaches zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// It passes through: least-angle regression.
    #[default]
    LeastAngle,
    /// Its term leaves: the path of the LASSO.
    Lasso,
}

/// Settings of least-angle regression.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `walk` | `least-angle` | `least-angle`, `lasso` | whether terms may leave |
/// | `alpha` | 0 | 0.. | the penalty at which the path ends; with folds, cross-validation chooses |
/// | `max_steps` | 500 | 1.. | the most steps |
/// | `max_alphas` | 1000 | 1.. | the most penalties that cross-validation compares |
/// | `rule` | `minimum` | `minimum`, `one-standard-error` | which of them it chooses |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lars {
    /// Whether terms may leave.
    pub walk: Walk,
    /// The penalty at which the path ends.
    pub alpha: f64,
    /// The most steps.
    pub max_steps: usize,
    /// The most penalties that cross-validation compares.
    pub max_alphas: usize,
    /// Which of them it chooses.
    pub rule: Rule,
}

impl Default for Lars {
    fn default() -> Self {
        Self {
            walk: Walk::LeastAngle,
            alpha: 0.0,
            max_steps: 500,
            max_alphas: 1000,
            rule: Rule::Minimum,
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "lars",
    summary: "Least-angle regression, as scikit-learn",
    centres: true,
    knobs: &[
        declare::number("alpha", "alpha", "the penalty"),
        declare::whole("max-iter", "max_steps", 0, "the most rounds"),
    ],
    chosen: Chosen::Knob("alpha"),
    // It compares the penalties at the knots of its paths, so there is no grid to describe.
    tuner: &[declare::choice("rule", "rule", RULES, RULE)],
    ..Declaration::PLAIN
};

impl Regression for Lars {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        super::not_negative("alpha", self.alpha)?;
        let tuning = if play.folds.is_empty() {
            None
        } else {
            Some(self.tune(play, observer)?)
        };
        let design = Design::new(&play.reduction.project_out(play.always_in));
        let chosen = tuning.as_ref().map_or(self.alpha, |tuning| tuning.chosen);
        let whole = lars_path(&design, self);
        let cut = lars_path(
            &design,
            &Self {
                alpha: chosen,
                ..self.clone()
            },
        );
        let knots = whole.coefficients.iter().chain(&cut.coefficients);
        let pick = play.pick(self.name(), cut.last())?;
        Ok(Regressed {
            tuning,
            ..Regressed::along(knots.map(|w| play.support(w)), pick)
        })
    }
}

impl Lars {
    /// The error at the union of all folds' knots.
    fn tune(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Tuning> {
        let trainings = trainings(play.folds)?;
        let mut paths = Vec::with_capacity(trainings.len());
        for (done, (training, fold)) in trainings.iter().zip(play.folds).enumerate() {
            let design = Design::new(&training.project_out(play.always_in));
            let path = lars_path(&design, self);
            let residual = |w: &[f64]| fold.residual_of(&play.dense(training, w));
            paths.push(Knots::new(path, fold.n_obs(), residual));
            let progress = Progress {
                stage: Stage::Folds,
                done: done as u128 + 1,
                total: play.folds.len() as u128,
            };
            if observer.progress(&progress).is_break() {
                return Err(Error::Stopped);
            }
        }
        let mut alphas: Vec<f64> = paths
            .iter()
            .flat_map(|p| p.alphas.iter().copied())
            .collect();
        alphas.sort_by(f64::total_cmp);
        alphas.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let stride = (alphas.len() / self.max_alphas.max(1)).max(1);
        let alphas: Vec<f64> = alphas.into_iter().step_by(stride).collect();
        let curve: Vec<Tried> = alphas
            .iter()
            .map(|&alpha| judge(alpha, &paths))
            .filter(|tried| tried.error.is_finite())
            .collect();
        let best = (0..curve.len()).min_by(|&a, &b| curve[a].error.total_cmp(&curve[b].error));
        let best = best.ok_or(MethodsError::NotConverged { method: "lars" })?;
        let place = match self.rule {
            Rule::Minimum => best,
            Rule::OneStandardError => simplest(&curve, Simpler::Larger),
        };
        Ok(Tuning {
            knob: "alpha",
            chosen: curve[place].value,
            // Nothing lies below no penalty at all.
            at_edge: at_edge(place, curve.len()) && curve[place].value > 0.0,
            curve,
        })
    }
}

fn judge(alpha: f64, paths: &[Knots]) -> Tried {
    let errors: Vec<f64> = paths.iter().map(|path| path.error_at(alpha)).collect();
    Tried::new(alpha, &errors)
}

/// The residuals of a path on rows that were left out, as a function of the penalty.
struct Knots {
    n_obs: f64,
    alphas: Vec<f64>,
    residuals: Vec<Vec<f64>>,
}

impl Knots {
    fn new(path: LarsPath, n_obs: usize, residual: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let knots = path.alphas.into_iter().zip(&path.coefficients);
        let mut knots: Vec<(f64, Vec<f64>)> = knots.map(|(a, w)| (a, residual(w))).collect();
        knots.reverse();
        knots.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (alphas, residuals) = knots.into_iter().unzip();
        Self {
            n_obs: n_obs.max(1) as f64,
            alphas,
            residuals,
        }
    }

    /// The mean squared error at a penalty: residuals are interpolated linearly between knots, and
    /// constant beyond the ends.
    fn error_at(&self, alpha: f64) -> f64 {
        let last = self.alphas.len() - 1;
        let above = self.alphas.partition_point(|a| *a < alpha);
        if above == 0 || above > last {
            let end = &self.residuals[above.min(last)];
            return dot(end, end) / self.n_obs;
        }
        let (low, high) = (above - 1, above);
        let share = (alpha - self.alphas[low]) / (self.alphas[high] - self.alphas[low]);
        let ends = self.residuals[low].iter().zip(&self.residuals[high]);
        let squares = ends.map(|(a, b)| (a + share * (b - a)).powi(2));
        squares.sum::<f64>() / self.n_obs
    }
}

/// A path by its knots.
#[derive(Debug, Clone)]
pub struct LarsPath {
    /// The penalty at each knot, from the largest down.
    pub alphas: Vec<f64>,
    /// The coefficients at each knot, one per term.
    pub coefficients: Vec<Vec<f64>>,
    /// The terms that are active at the end, in the order in which they entered.
    pub active: Vec<usize>,
}

impl LarsPath {
    /// The coefficients at the end of the path.
    pub fn last(&self) -> &[f64] {
        &self.coefficients[self.coefficients.len() - 1]
    }
}

/// The path from the empty equation down to the penalty `alpha` of the settings.
pub fn lars_path(design: &Design, settings: &Lars) -> LarsPath {
    let mut walker = Walker::new(design, settings);
    while walker.step().is_some() {}
    LarsPath {
        alphas: walker.alphas,
        coefficients: walker.coefficients,
        active: walker.order[..walker.n_active].to_vec(),
    }
}

struct Walker<'a> {
    settings: &'a Lars,
    n_obs: f64,
    /// The most terms that can be independent.
    rank: usize,
    gram: Vec<Vec<f64>>,
    products: Vec<f64>,
    /// The active terms in the order of entry, then the others.
    order: Vec<usize>,
    n_active: usize,
    signs: Vec<f64>,
    /// The correlation of each inactive term with the residual, in the order of `order`.
    correlations: Vec<f64>,
    /// Rows of the Cholesky factor of the active terms' Gram matrix.
    factor: Vec<Vec<f64>>,
    /// Whether a coefficient changed its sign in the last step, so that no term enters in this one.
    crossed: bool,
    alphas: Vec<f64>,
    coefficients: Vec<Vec<f64>>,
}

impl<'a> Walker<'a> {
    fn new(design: &Design, settings: &'a Lars) -> Self {
        let products = design.products(0);
        Self {
            settings,
            n_obs: design.n_obs().max(1) as f64,
            rank: design.height(),
            gram: design.gram(),
            order: (0..design.n_terms()).collect(),
            n_active: 0,
            signs: Vec::new(),
            correlations: products.clone(),
            products,
            factor: Vec::new(),
            crossed: false,
            alphas: vec![0.0],
            coefficients: vec![vec![0.0; design.n_terms()]],
        }
    }

    /// One knot further; `None` at the end of the path.
    fn step(&mut self) -> Option<()> {
        let n_steps = self.alphas.len() - 1;
        let largest = (0..self.correlations.len()).reduce(|a, b| {
            let (x, y) = (self.correlations[a].abs(), self.correlations[b].abs());
            if y > x { b } else { a }
        });
        // With all terms active the last step was least squares, and the residual is orthogonal to
        // all terms.
        let left = largest.filter(|_| self.n_active < self.rank);
        let correlation = left.map_or(0.0, |place| self.correlations[place].abs());
        self.alphas[n_steps] = correlation / self.n_obs;
        if self.ends_here(n_steps) || n_steps >= self.settings.max_steps {
            return None;
        }
        if !self.crossed && !self.enter(left?) {
            return Some(());
        }
        let rising = n_steps > 0 && self.alphas[n_steps - 1] < self.alphas[n_steps];
        if self.settings.walk == Walk::Lasso && rising {
            // The remaining correlations are below the rounding errors.
            return None;
        }
        self.advance(correlation);
        Some(())
    }

    /// Whether the wanted penalty lies in the step just made; if so, cuts the step there.
    fn ends_here(&mut self, n_steps: usize) -> bool {
        let (alpha, wanted) = (self.alphas[n_steps], self.settings.alpha);
        if alpha > wanted + SAME_PENALTY {
            return false;
        }
        if (alpha - wanted).abs() > SAME_PENALTY {
            if n_steps > 0 {
                let before = self.alphas[n_steps - 1];
                let share = (before - wanted) / (before - alpha);
                let (done, last) = self.coefficients.split_at_mut(n_steps);
                for (w, before) in last[0].iter_mut().zip(&done[n_steps - 1]) {
                    *w = before + share * (*w - before);
                }
            }
            self.alphas[n_steps] = wanted;
        }
        true
    }

    /// Adds an inactive term; `false` if it is linearly dependent on the active ones and is dropped
    /// for good.
    fn enter(&mut self, place: usize) -> bool {
        let sign = self.correlations[place].signum();
        self.correlations.swap(0, place);
        self.order.swap(self.n_active, self.n_active + place);
        let term = self.order[self.n_active];
        let inner = |k: usize| self.gram[term][self.order[k]];
        let mut row: Vec<f64> = (0..self.n_active).map(inner).collect();
        forward_substitute(&self.factor, &mut row);
        let new = (self.gram[term][term] - dot(&row, &row)).abs().sqrt();
        let new = new.max(f64::EPSILON);
        if new < DEPENDENT {
            self.correlations[0] = 0.0;
            return false;
        }
        self.correlations.remove(0);
        row.push(new);
        self.factor.push(row);
        self.signs.push(sign);
        self.n_active += 1;
        true
    }

    /// Moves along the direction that makes equal angles with all active terms.
    fn advance(&mut self, correlation: f64) {
        let (direction, angle) = self.direction();
        let along = |&j: &usize| {
            let active = self.order[..self.n_active].iter().zip(&direction);
            let sum: f64 = active.map(|(&k, d)| self.gram[j][k] * d).sum();
            // Rounded as scikit-learn does, so that equal correlations stay equal.
            (sum * 1e15).round_ties_even() / 1e15
        };
        let slopes: Vec<f64> = self.order[self.n_active..].iter().map(along).collect();
        let pairs = || self.correlations.iter().zip(&slopes);
        let same = smallest_positive(pairs().map(|(c, s)| (correlation - c) / (angle - s + TINY)));
        let other = smallest_positive(pairs().map(|(c, s)| (correlation + c) / (angle + s + TINY)));
        let mut length = correlation / angle;
        if self.n_active < self.rank {
            length = length.min(same).min(other);
        }

        let current = &self.coefficients[self.coefficients.len() - 1];
        let active = self.order[..self.n_active].iter().zip(&direction);
        let zeros: Vec<f64> = active.map(|(&j, d)| -current[j] / (d + TINY)).collect();
        let first_zero = smallest_positive(zeros.iter().copied());
        self.crossed = first_zero < length;
        let mut crossing: Vec<usize> = Vec::new();
        if self.crossed {
            crossing.extend((0..zeros.len()).filter(|&k| zeros[k].total_cmp(&first_zero).is_eq()));
            for &k in &crossing {
                self.signs[k] = -self.signs[k];
            }
            if self.settings.walk == Walk::Lasso {
                length = first_zero;
            }
        }
        let mut next = vec![0.0; current.len()];
        for (&j, d) in self.order[..self.n_active].iter().zip(&direction) {
            next[j] = current[j] + length * d;
        }
        for (c, s) in self.correlations.iter_mut().zip(&slopes) {
            *c -= length * s;
        }
        if self.crossed && self.settings.walk == Walk::Lasso {
            for &k in crossing.iter().rev() {
                self.leave(k, &mut next);
            }
        }
        self.coefficients.push(next);
        self.alphas.push(0.0);
    }

    /// The direction in terms of the active coefficients, and the correlation that each active term
    /// has with it.
    fn direction(&self) -> (Vec<f64>, f64) {
        let mut factor = self.factor.clone();
        let mut lift = f64::EPSILON;
        loop {
            let mut direction = self.signs.clone();
            forward_substitute(&factor, &mut direction);
            backward_substitute(&factor, &mut direction);
            let sum = dot(&direction, &self.signs);
            let angle = 1.0 / sum.sqrt();
            if angle.is_finite() || lift > 1.0 {
                for d in &mut direction {
                    *d *= angle;
                }
                return (direction, angle);
            }
            for (k, row) in factor.iter_mut().enumerate() {
                row[k] += lift;
            }
            lift *= 2.0;
        }
    }

    /// An active term becomes inactive at zero.
    fn leave(&mut self, place: usize, next: &mut [f64]) {
        let term = self.order[place];
        self.order[place..self.n_active].rotate_left(1);
        self.n_active -= 1;
        self.signs.remove(place);
        self.factor.truncate(place);
        for k in place..self.n_active {
            let row_of = self.order[k];
            let inner = |i: usize| self.gram[row_of][self.order[i]];
            let mut row: Vec<f64> = (0..k).map(inner).collect();
            forward_substitute(&self.factor, &mut row);
            let new = (self.gram[row_of][row_of] - dot(&row, &row)).abs().sqrt();
            row.push(new.max(f64::EPSILON));
            self.factor.push(row);
        }
        let correlation = self.products[term] - dot(&self.gram[term], next);
        next[term] = 0.0;
        self.correlations.insert(0, correlation);
    }
}

/// `L⁻¹ b` for the leading rows of a lower triangle.
fn forward_substitute(rows: &[Vec<f64>], b: &mut [f64]) {
    for i in 0..b.len() {
        let before = dot(&rows[i][..i], &b[..i]);
        b[i] = (b[i] - before) / rows[i][i];
    }
}

/// `L⁻ᵀ b`.
fn backward_substitute(rows: &[Vec<f64>], b: &mut [f64]) {
    for i in (0..b.len()).rev() {
        b[i] /= rows[i][i];
        for k in 0..i {
            b[k] -= rows[i][k] * b[i];
        }
    }
}

/// The smallest of the positive values, or the largest number.
fn smallest_positive(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|v| *v > 0.0).fold(f64::MAX, f64::min)
}
