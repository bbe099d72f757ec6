//! Plain least squares: every term of the dictionary is in.
//!
//! The right method where the terms are known and few. It selects nothing, so with many terms it
//! overfits. Where terms are linearly dependent on the data the coefficients are not unique, and
//! that is an error.

use super::declare::Declaration;
use super::{How, MethodsError, Proposal, Propose, Task};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Fit, Reduction};
use crate::terms::problem::Problem;

/// Least squares on all terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ols;

static METHOD: Declaration = Declaration {
    name: "ols",
    summary: "Least squares on all given terms",
    centres: true,
    keeps_all_terms: true,
    ..Declaration::PLAIN
};

impl Propose for Ols {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn propose(&self, task: &Task<'_>, _observer: &mut dyn Observer) -> Result<Proposal> {
        let all = ols(task.problem, task.data.whole)?.support().clone();
        Ok(Proposal {
            supports: vec![all.clone()],
            choice: Some(all),
            how: How::Given,
        })
    }
}

/// Fits all terms of a problem.
///
/// # Errors
/// Fewer observations than terms, or as many (no error estimate), or terms that are linear
/// combinations of others on these data: then many equations fit equally well.
pub fn ols(problem: &Problem, reduction: &Reduction) -> Result<Fit> {
    let (n_obs, n_terms) = (reduction.n_obs(), reduction.n_terms());
    if n_terms == 0 {
        return Err(MethodsError::NoTermsToFit.into());
    }
    if n_obs < n_terms {
        return Err(MethodsError::FewerRowsThanTerms { n_obs, n_terms }.into());
    }
    if n_obs == n_terms {
        return Err(MethodsError::AsManyRowsAsTerms { n_obs }.into());
    }
    let fit = reduction.fit(&(0..n_terms).collect());
    if let Some(&term) = fit.dependent().indices().first() {
        return Err(MethodsError::DependentTerm {
            term: problem.dictionary().terms()[term].to_string(),
        }
        .into());
    }
    if let Some(place) = fit.coefficients().iter().position(|c| !c.is_finite()) {
        return Err(MethodsError::CoefficientBeyondRange {
            term: problem.dictionary().terms()[place].to_string(),
        }
        .into());
    }
    Ok(fit)
}
