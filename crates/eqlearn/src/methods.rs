//! Ways to find an equation, one file each.
//!
//! Every method answers a [`Task`] with a [`Proposal`]: the supports it came across, how it found
//! them, and its own choice if it has a rule. Ranking and refitting happen elsewhere, in one place
//! each. [`Propose`] is the seam: [`learn`](fn@crate::learn) knows nothing else of a method.
//!
//! A method of another package gives coefficients of its own. It is a [`Regression`]: it sees only
//! the terms in play ([`InPlay`]), with that package's defaults, and gives its numbers.
//!
//! What always holds: terms that are always in are projected out before a regression starts, so
//! that they are neither shrunk nor dropped (for a forced constant this is centring); supports of a
//! proposal are in terms of the whole dictionary; nothing depends on threads or on the clock.
//!
//! ```
//! use eqlearn::methods::{InPlay, Regression, Stlsq};
//! use eqlearn::{Reduction, Support};
//!
//! // y = 2 a, and a term b that has nothing to do with it.
//! let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.5]);
//! let reduction = Reduction::from_columns(&[&a, &b, &[2.0, 4.01, 6.0, 7.99]]);
//! let play = InPlay {
//!     reduction: &reduction,
//!     folds: &[],
//!     always_in: &Support::empty(),
//!     threads: 1,
//! };
//! let pick = Stlsq::default().regress(&play, &mut ())?.pick;
//! assert_eq!(pick.support.indices(), [0]);
//! assert!((pick.coefficients[0] - 2.0).abs() < 0.01);
//! # Ok::<(), eqlearn::Error>(())
//! ```

// First, because the list of methods below is made by its macro.
#[macro_use]
mod method;

mod best;
mod bsr;
mod consistency;
mod cross_validation;
pub mod declare;
mod ensemble;
mod error;
mod frols;
mod lars;
mod lasso;
mod miosr;
mod ols;
mod proposal;
mod ridge;
mod scaled;
mod sr3;
mod ssr;
mod stlsq;
mod task;
mod tuned;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

pub use best::{Best, BestSubset, Patience};
pub use bsr::{Bsr, Stepwise, StepwiseEnd, bayes_stepwise};
pub use consistency::{Consistency, CsEvidence, CsR2, Vote, Votes, vote};
pub use cross_validation::{
    CrossValidation, Grid, Rule, Simpler, Solve, Tried, Tuning, mean_errors, tune,
};
pub use ensemble::{Aggregate, Base, Ensemble, Models, ensemble};
pub use error::MethodsError;
pub use frols::{Frols, FrolsPath, frols};
pub use lars::{Lars, LarsPath, Walk, lars_path};
pub use lasso::{Lasso, lasso, lasso_path};
pub use miosr::{Miosr, MiosrAnswer, MiosrTarget, miosr};
pub use ols::{Ols, ols};
pub use proposal::{How, Pick, Proposal, Regressed, Rounds};
pub use ridge::{Ridge, ridge};
pub use sr3::{Regulariser, Sr3, sr3};
pub use ssr::{Dropping, Ssr, ssr};
pub use stlsq::{Stlsq, stlsq};
pub use task::{InPlay, Task};

use crate::error::Result;
use crate::judge::criterion::{Criterion, EvidencePrior};
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::search::{PartsError, SearchPart, Shard};
use declare::Declaration;
use scaled::{Scaled, refit, spread};
use task::Places;
use tuned::{Solution, Tuned};

// A new method is a file, its module above and its line here.
methods! {
    without settings {
        /// Exact lists of all sizes, chosen by the criterion that recovers most. Ends early when no
        /// larger size can win.
        #[default]
        Best,
        /// The same lists, never ended early.
        BestSubset,
        /// The paper's search by consistency.
        CsR2,
        /// The paper's search, chosen by evidence.
        CsEvidence,
        /// Stepwise by evidence.
        Bsr,
        /// Least squares on all terms.
        Ols,
    }
    with settings {
        /// Ridge regression on all terms.
        Ridge(Ridge),
        /// LASSO.
        Lasso(Lasso),
        /// Least-angle regression.
        Lars(Lars),
        /// Sequentially thresholded least squares.
        Stlsq(Stlsq),
        /// Sparse relaxed regularised regression.
        Sr3(Sr3),
        /// Forward regression orthogonal least squares.
        Frols(Frols),
        /// Stepwise sparse regression.
        Ssr(Ssr),
        /// Best subsets under a ridge penalty.
        Miosr(Miosr),
        /// Many models on resampled rows and terms.
        Ensemble(Box<Ensemble>),
    }
}

/// A way to find supports: the seam between [`learn`](fn@crate::learn) and the methods.
///
/// Which one a user wants, with its settings, is a [`Method`].
pub trait Propose: Debug + Send + Sync {
    /// What it tells users about itself.
    fn declaration(&self) -> &'static Declaration;

    /// The name as a user writes it.
    fn name(&self) -> &'static str {
        self.declaration().name
    }

    /// The supports that this method finds, and its own choice if it has a rule.
    ///
    /// # Errors
    /// Settings without meaning, numbers that overflow; [`Error::Stopped`](crate::Error::Stopped)
    /// if the observer says so.
    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal>;

    /// What it proposes for several targets over the same rows and terms; none if it treats each
    /// target by itself.
    ///
    /// # Errors
    /// As [`propose`](Self::propose).
    fn propose_together(
        &self,
        tasks: &[Task<'_>],
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Proposal>>> {
        let _ = (tasks, observer);
        Ok(None)
    }

    /// One share of its search, for methods that make a single one.
    ///
    /// # Errors
    /// A method that makes no search, or several of which each depends on the one before.
    fn decide_shard(
        &self,
        task: &Task<'_>,
        shard: Shard,
        known: &[(String, SearchPart)],
        observer: &mut dyn Observer,
    ) -> Result<SearchPart> {
        let _ = (task, shard, known, observer);
        let method = self.name().to_string();
        Err(PartsError::NotSplittable { method }.into())
    }

    /// What its models are compared by, where the user asks for a criterion.
    fn criterion(&self, asked: Criterion, prior: EvidencePrior) -> Criterion {
        let _ = prior;
        asked
    }
}

/// A method with coefficients of its own.
pub trait Regression: Debug + Send + Sync {
    /// What it tells users about itself.
    fn declaration(&self) -> &'static Declaration;

    /// The name as a user writes it.
    fn name(&self) -> &'static str {
        self.declaration().name
    }

    /// The supports that this method comes across, and its own pick.
    ///
    /// # Errors
    /// As [`Propose::propose`].
    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed>;

    /// The picks for several targets at once; none if it treats each target by itself.
    ///
    /// # Errors
    /// As [`Propose::propose`].
    fn regress_together(
        &self,
        targets: &[InPlay<'_>],
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Regressed>>> {
        let _ = (targets, observer);
        Ok(None)
    }

    /// Whether it draws blocks of rows instead of leaving out one fold at a time.
    fn draws_blocks(&self) -> bool {
        false
    }
}

impl<R: Regression> Regression for Box<R> {
    fn declaration(&self) -> &'static Declaration {
        Regression::declaration(&**self)
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        (**self).regress(play, observer)
    }

    fn regress_together(
        &self,
        targets: &[InPlay<'_>],
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Regressed>>> {
        (**self).regress_together(targets, observer)
    }

    fn draws_blocks(&self) -> bool {
        (**self).draws_blocks()
    }
}

impl<R: Regression> Propose for R {
    fn declaration(&self) -> &'static Declaration {
        Regression::declaration(self)
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        let data = task.data;
        let places = Places::new(data.whole.n_terms(), task.space);
        let rows = |rows: &Reduction| places.rows(rows);
        let parts: Vec<Reduction> = if self.draws_blocks() {
            data.blocks.iter().flatten().map(rows).collect()
        } else {
            data.folds.iter().map(rows).collect()
        };
        let play = InPlay {
            reduction: &places.rows(data.whole),
            folds: &parts,
            always_in: &places.always_in,
            threads: task.run.threads,
        };
        Ok(places.back(self.regress(&play, observer)?).into())
    }

    fn propose_together(
        &self,
        tasks: &[Task<'_>],
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Proposal>>> {
        let Some(first) = tasks.first() else {
            return Ok(None);
        };
        let places = Places::new(first.data.whole.n_terms(), first.space);
        let rows: Vec<Reduction> = tasks.iter().map(|t| places.rows(t.data.whole)).collect();
        let play = |reduction| InPlay {
            reduction,
            folds: &[],
            always_in: &places.always_in,
            threads: first.run.threads,
        };
        let targets: Vec<InPlay<'_>> = rows.iter().map(play).collect();
        let found = self.regress_together(&targets, observer)?;
        let back = |regressed| places.back(regressed).into();
        Ok(found.map(|all| all.into_iter().map(back).collect()))
    }
}

impl From<Regressed> for Proposal {
    fn from(regressed: Regressed) -> Self {
        Self {
            supports: regressed.supports.clone(),
            choice: Some(regressed.pick.support.clone()),
            how: How::Own(regressed),
        }
    }
}

/// Whether a method repeats a defect of its counterpart in PySINDy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// As its paper has it.
    #[default]
    Textbook,
    /// As `PySINDy` computes it, defects included.
    PySindy,
}

/// The solutions of several targets that were iterated together.
#[derive(Debug)]
struct Solved {
    /// For each target one coefficient per term.
    coefficients: Vec<Vec<f64>>,
    rounds: Rounds,
}

impl Solved {
    /// The solution of the only target.
    fn single(mut self) -> Solution {
        Solution {
            rounds: Some(self.rounds),
            ..self.coefficients.swap_remove(0).into()
        }
    }

    /// The picks of the targets that these are the solutions of.
    fn picks(self, method: &'static str, targets: &[InPlay<'_>]) -> Result<Vec<Regressed>> {
        let regressed = |(play, w): (&InPlay<'_>, &Vec<f64>)| {
            Ok(Regressed {
                rounds: Some(self.rounds),
                ..Regressed::only(play.pick(method, w)?)
            })
        };
        targets
            .iter()
            .zip(&self.coefficients)
            .map(regressed)
            .collect()
    }
}

/// Several targets without the terms that are always in.
fn projected(targets: &[InPlay<'_>]) -> Vec<Reduction> {
    let project = |play: &InPlay<'_>| play.reduction.project_out(play.always_in);
    targets.iter().map(project).collect()
}

/// Refuses a setting that is not finite and at least 0.
fn not_negative(setting: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(MethodsError::Setting {
        setting,
        value,
        range: "a number from 0 up",
    }
    .into())
}

/// Refuses a setting that is not finite and above 0.
fn positive(setting: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(MethodsError::Setting {
        setting,
        value,
        range: "a number above 0",
    }
    .into())
}
