//! Plain least squares: every term of the dictionary is in.
//!
//! The answer where the terms are known and few. It selects nothing, so with many terms it follows the noise, and with fewer
//! rows than terms there is no single answer: then the shortest of all is given, as NumPy's `lstsq` has it. scikit-learn's `LinearRegression` of today
//! also cuts directions below 1e-6 of the largest singular value, unless its `tol` is 0; this does not.

use super::declare::Declaration;
use super::{Proposal, Regression, Task, refit};
use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::reduce::{Fit, Reduction};
use crate::terms::problem::Problem;

/// Least squares on all terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ols;

/// The method as users meet it.
pub(super) static METHOD: Declaration = Declaration {
    name: "ols",
    summary: "Least squares on all given terms",
    centres: true,
    keeps_all_terms: true,
    ..Declaration::PLAIN
};

impl Regression for Ols {
    fn name(&self) -> &'static str {
        "ols"
    }

    fn propose(&self, task: &Task<'_>, _observer: &mut dyn Observer) -> Result<Proposal> {
        let projected = task.reduction.project_out(task.always_in);
        let all: Vec<usize> = (0..projected.n_terms()).collect();
        let coefficients = refit(&projected, &all);
        let pick = task.pick(self.name(), &coefficients)?;
        Ok(Proposal {
            supports: vec![pick.support.clone()],
            pick: Some(pick),
            tuning: None,
            inclusion: None,
            proven: None,
            rounds: None,
        })
    }
}

/// Fits all terms of a problem.
///
/// # Errors
/// Fewer observations than terms, none to spare for an error estimate, or terms that are
/// combinations of others on these data: then many equations fit alike, and none is the answer.
pub fn ols(problem: &Problem, reduction: &Reduction) -> Result<Fit> {
    let (n_obs, n_terms) = (reduction.n_obs(), reduction.n_terms());
    if n_terms == 0 {
        return Err(Error::NoTerms);
    }
    if n_obs < n_terms {
        return Err(Error::TooFewObservations { n_obs, n_terms });
    }
    if n_obs == n_terms {
        return Err(Error::NoDegreesOfFreedom { n_obs });
    }
    let fit = reduction.fit(&(0..n_terms).collect());
    if let Some(&term) = fit.dependent().indices().first() {
        return Err(Error::DependentTerm {
            term: problem.dictionary().terms()[term].to_string(),
        });
    }
    if let Some(place) = fit.coefficients().iter().position(|c| !c.is_finite()) {
        return Err(Error::CoefficientBeyondRange {
            term: problem.dictionary().terms()[place].to_string(),
        });
    }
    Ok(fit)
}
