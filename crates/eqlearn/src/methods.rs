//! Ways to find an equation, one file each.
//!
//! Every method reads a [`Task`] (the reduction, perhaps its folds, the terms that are always in) and answers with a
//! [`Proposal`]: the supports it came across, and its own pick with its own coefficients. Ranking and refitting happen elsewhere, in
//! one place each. A method whose peer is PySINDy or scikit-learn has that package's defaults and gives its numbers.
//!
//! What always holds: terms that are always in are projected out before a method starts, so that they are
//! neither shrunk nor dropped (for a forced constant this is centring); supports are in terms of the whole
//! dictionary and contain the terms that are always in; nothing depends on threads or on the clock.
//!
//! ```
//! use eqlearn::methods::{Regression, Stlsq, Task};
//! use eqlearn::{Reduction, Support};
//!
//! // y = 2 a, and a term b that has nothing to do with it.
//! let (a, b, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.5], [2.0, 4.01, 6.0, 7.99]);
//! let reduction = Reduction::from_columns(&[&a, &b, &y]);
//! let task = Task {
//!     reduction: &reduction,
//!     folds: &[],
//!     always_in: &Support::empty(),
//!     threads: 1,
//! };
//! let pick = Stlsq::default().propose(&task, &mut ())?.pick.expect("STLSQ has an answer of its own");
//! assert_eq!(pick.support.indices(), [0]);
//! assert!((pick.coefficients[0] - 2.0).abs() < 0.01);
//! # Ok::<(), eqlearn::Error>(())
//! ```

mod best;
mod bsr;
mod consistency;
mod cross_validation;
pub mod declare;
mod ensemble;
mod frols;
mod lars;
mod lasso;
mod method;
mod miosr;
mod ols;
mod ridge;
pub(crate) mod sr3;
mod ssr;
pub(crate) mod stlsq;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

pub use bsr::{BayesStepwise, Stepwise, StepwiseEnd, bayes_stepwise};
pub use consistency::{Consistency, Vote, Votes, vote};
pub use cross_validation::{
    CrossValidation, Grid, Rule, Simpler, Solve, Tried, Tuning, mean_errors, tune,
};
pub use ensemble::{Aggregate, Base, Ensemble, Models, ensemble};
pub use frols::{Frols, FrolsPath, frols};
pub use lars::{Lars, LarsPath, Walk, lars_path};
pub use lasso::{Lasso, lasso, lasso_path};
pub use method::Method;
pub use miosr::{Miosr, MiosrAnswer, MiosrTarget, miosr};
pub use ols::{Ols, ols};
pub use ridge::{Ridge, ridge};
pub use sr3::{Regulariser, Sr3, sr3};
pub use ssr::{Dropping, Ssr, ssr};
pub use stlsq::{Stlsq, stlsq};

use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Design, Reduction};

/// A method that reads nothing but triangles and answers with an equation of its own.
///
/// This is the seam between [`learn`](fn@crate::learn) and the methods: which one a user wants, with its settings, is a
/// [`Method`](crate::Method).
pub trait Regression: Debug + Send + Sync {
    /// The name as a user writes it.
    fn name(&self) -> &'static str;

    /// The supports that this method comes across on a problem, and its own pick.
    ///
    /// # Errors
    /// Settings without meaning, numbers beyond all bounds, [`Error::Stopped`] if the observer says so.
    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal>;
}

/// Every method of this module with its default settings.
pub fn all() -> Vec<Box<dyn Regression>> {
    vec![
        Box::new(Ols),
        Box::new(Ridge::default()),
        Box::new(Stlsq::default()),
        Box::new(Sr3::default()),
        Box::new(Frols::default()),
        Box::new(Lasso::default()),
        Box::new(Lars::default()),
        Box::new(Ssr::default()),
        Box::new(Miosr::default()),
        Box::new(BayesStepwise::default()),
        Box::new(Ensemble::default()),
    ]
}

/// What a method works on.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// All rows.
    pub reduction: &'a Reduction,
    /// The same rows in parts, to choose a method's knob by cross-validation. Empty: the settings choose.
    pub folds: &'a [Reduction],
    /// The terms that are in every equation, such as a forced constant.
    pub always_in: &'a Support,
    /// How many threads a search may use; 0 is one per core. Never changes the answer.
    pub threads: usize,
}

impl Task<'_> {
    /// The terms that may be chosen, ascending.
    pub fn free_terms(&self) -> Vec<usize> {
        (0..self.reduction.n_terms())
            .filter(|&term| !self.always_in.contains(term))
            .collect()
    }

    /// One coefficient per term of the dictionary from one per free term, those of the terms always in by least squares on `rows`.
    fn dense(&self, rows: &Reduction, coefficients: &[f64]) -> Vec<f64> {
        let mut dense = vec![0.0; rows.n_terms()];
        for (term, coefficient) in self.free_terms().into_iter().zip(coefficients) {
            dense[term] = *coefficient;
        }
        let completed = rows.complete(self.always_in, &dense);
        for (&term, coefficient) in self.always_in.indices().iter().zip(completed) {
            dense[term] = coefficient;
        }
        dense
    }

    /// The support of one coefficient per free term.
    fn support(&self, coefficients: &[f64]) -> Support {
        let free = self.free_terms().into_iter().zip(coefficients);
        free.filter(|(_, coefficient)| coefficient.abs() > 0.0)
            .map(|(term, _)| term)
            .chain(self.always_in.indices().iter().copied())
            .collect()
    }

    /// The method's own answer from one coefficient per free term.
    pub(crate) fn pick(&self, method: &'static str, coefficients: &[f64]) -> Result<Pick> {
        let dense = self.dense(self.reduction, coefficients);
        if dense.iter().any(|coefficient| !coefficient.is_finite()) {
            return Err(Error::NotConverged { method });
        }
        let support = self.support(coefficients);
        let coefficients = support.indices().iter().map(|&term| dense[term]).collect();
        Ok(Pick {
            support,
            coefficients,
        })
    }
}

/// A method's own answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// Its terms, those that are always in among them.
    pub support: Support,
    /// One coefficient per term of the support, in the units of the data: the method's own, shrunken or not.
    pub coefficients: Vec<f64>,
}

/// What a method has found.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// Distinct supports, smallest first: those along the way where a knob was tried out, else the pick's alone or its path's.
    pub supports: Vec<Support>,
    /// The method's own answer, if it has one.
    pub pick: Option<Pick>,
    /// How its knob was chosen, if cross-validation chose it.
    pub tuning: Option<Tuning>,
    /// For each term of the dictionary how often an ensemble found it, if the method is one.
    pub inclusion: Option<Vec<f64>>,
    /// Whether no other support of the pick's size can do better, where the method proves such things.
    pub proven: Option<bool>,
    /// How many rounds the pick took, for methods that go in rounds.
    pub rounds: Option<Rounds>,
}

/// How many rounds a method took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rounds {
    /// How many.
    pub count: usize,
    /// Whether it ended by itself, not because no more were allowed.
    pub settled: bool,
}

impl Proposal {
    /// A pick and nothing else: what a method finds whose knob the settings fix.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the end of functions that can fail"
    )]
    pub(crate) fn only(pick: Pick) -> Result<Self> {
        Ok(Self {
            supports: vec![pick.support.clone()],
            pick: Some(pick),
            tuning: None,
            inclusion: None,
            proven: None,
            rounds: None,
        })
    }
}

/// Whether a method that has a slip in PySINDy repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// As its paper has it.
    #[default]
    Textbook,
    /// As `PySINDy` computes it, slips included.
    PySindy,
}

/// A coefficient of at most this size counts as zero in `PySINDy`.
const NEGLIGIBLE: f64 = 1e-14;

/// A method with one number to choose, ready to be run for many values of it.
struct Knob<'a> {
    method: &'static str,
    name: &'static str,
    /// Used where there are no folds to choose by.
    value: f64,
    /// The values to choose from, given the problem without the terms that are always in; asked for only where there are folds.
    grid: &'a dyn Fn(&Reduction) -> Grid,
    tuner: &'a CrossValidation,
    /// For each value, one coefficient per term of a problem whose terms always in are projected out.
    solve: &'a Solve<'a>,
}

impl Knob<'_> {
    fn propose(self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        let projected = task.reduction.project_out(task.always_in);
        let solve_one = |value: f64, observer: &mut dyn Observer| -> Result<Vec<f64>> {
            Ok((self.solve)(&projected, &[value], observer)?.swap_remove(0))
        };
        if task.folds.is_empty() {
            let own = solve_one(self.value, observer)?;
            return Proposal::only(task.pick(self.method, &own)?);
        }
        let grid = (self.grid)(&projected);
        let solve = |rows: &Reduction, values: &[f64], observer: &mut dyn Observer| {
            let projected = rows.project_out(task.always_in);
            let solutions = (self.solve)(&projected, values, observer)?;
            Ok(solutions.iter().map(|w| task.dense(rows, w)).collect())
        };
        let tuning = tune(self.name, task.folds, &grid, self.tuner, &solve, observer)?;
        let mut values = grid.values(self.tuner.points);
        values.push(tuning.chosen);
        let along = (self.solve)(&projected, &values, observer)?;
        let own = match grid {
            // Sizes come from one run of the method.
            Grid::Whole { .. } => along[along.len() - 1].clone(),
            // A penalty's answer must not depend on the others that are tried.
            Grid::Geometric { .. } => solve_one(tuning.chosen, observer)?,
        };
        let supports = along.iter().chain([&own]).map(|w| task.support(w));
        Ok(Proposal {
            pick: Some(task.pick(self.method, &own)?),
            supports: distinct(supports),
            tuning: Some(tuning),
            inclusion: None,
            proven: None,
            rounds: None,
        })
    }
}

/// Sorted and without duplicates.
fn distinct(supports: impl Iterator<Item = Support>) -> Vec<Support> {
    let mut supports: Vec<Support> = supports.collect();
    supports.sort_unstable();
    supports.dedup();
    supports
}

/// The solutions of several targets that went through their rounds together.
#[derive(Debug)]
pub(crate) struct Solved {
    /// For each target one coefficient per term.
    pub(crate) coefficients: Vec<Vec<f64>>,
    pub(crate) rounds: Rounds,
}

/// Several targets as the `PySINDy` methods see them: terms in the units of the data or of unit length.
struct Scaled<'a> {
    reductions: &'a [Reduction],
    design: Design,
    /// What the terms were divided by.
    lengths: Vec<f64>,
}

impl<'a> Scaled<'a> {
    fn new(reductions: &'a [Reduction], normalize_columns: bool) -> Result<Self> {
        let design = Design::several(reductions)?;
        let (design, lengths) = if normalize_columns {
            design.normalised()
        } else {
            let lengths = vec![1.0; design.n_terms()];
            (design, lengths)
        };
        Ok(Self {
            reductions,
            design,
            lengths,
        })
    }

    /// Least squares on some terms of one target, one coefficient per term: as the fit has it, or the shortest
    /// solution where terms depend on each other.
    fn least_squares(&self, target: usize, terms: &[usize]) -> Vec<f64> {
        let fit = self.reductions[target].fit(&terms.iter().copied().collect());
        let terms = fit.support().indices();
        let values = if fit.dependent().is_empty() {
            let raw = fit.coefficients().iter().zip(terms);
            raw.map(|(w, &term)| w * self.lengths[term]).collect()
        } else {
            self.design.minimum_norm(target, terms)
        };
        spread(self.design.n_terms(), terms, &values)
    }

    /// Ridge regression on some terms of one target, one coefficient per term; without a penalty least squares.
    fn ridge(&self, target: usize, terms: &[usize], penalty: f64) -> Vec<f64> {
        if penalty > 0.0 {
            let values = self.design.ridge(target, terms, penalty);
            return spread(self.design.n_terms(), terms, &values);
        }
        self.least_squares(target, terms)
    }

    /// The answer in the units of the data, after least squares on its support if asked for.
    fn finish(&self, target: usize, mut coefficients: Vec<f64>, unbias: bool) -> Vec<f64> {
        if unbias {
            let kept: Vec<usize> = (0..coefficients.len())
                .filter(|&j| coefficients[j].abs() > NEGLIGIBLE)
                .collect();
            coefficients = self.least_squares(target, &kept);
        }
        for (w, length) in coefficients.iter_mut().zip(&self.lengths) {
            *w /= length;
        }
        coefficients
    }
}

/// Least squares on some terms of a problem with one target, one coefficient per term.
fn refit(reduction: &Reduction, terms: &[usize]) -> Vec<f64> {
    Scaled::new(std::slice::from_ref(reduction), false)
        .expect("there is a target")
        .least_squares(0, terms)
}

/// One coefficient per term from those of some terms; the others are 0.
fn spread(n_terms: usize, terms: &[usize], values: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; n_terms];
    for (&term, &value) in terms.iter().zip(values) {
        all[term] = value;
    }
    all
}

/// Refuses a setting that is not finite and at least 0.
fn not_negative(setting: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting {
        setting,
        value,
        range: "a number from 0 up",
    })
}

/// Refuses a setting that is not finite and above 0.
fn positive(setting: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting {
        setting,
        value,
        range: "a number above 0",
    })
}
