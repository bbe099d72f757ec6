//! Several targets as the `PySINDy` methods see them.

use crate::error::Result;
use crate::reduce::{Design, Reduction};

/// A coefficient of at most this size counts as zero in `PySINDy`.
const NEGLIGIBLE: f64 = 1e-14;

/// Several targets as the `PySINDy` methods see them: terms in the units of the data or of unit
/// length.
pub(super) struct Scaled<'a> {
    pub(super) reductions: &'a [Reduction],
    pub(super) design: Design,
    /// What the terms were divided by.
    pub(super) lengths: Vec<f64>,
}

impl<'a> Scaled<'a> {
    pub(super) fn new(reductions: &'a [Reduction], normalize_columns: bool) -> Result<Self> {
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

    /// Least squares on some terms of one target, one coefficient per term: those of the fit, or
    /// the minimum-norm solution where terms are linearly dependent.
    pub(super) fn least_squares(&self, target: usize, terms: &[usize]) -> Vec<f64> {
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

    /// Ridge regression on some terms of one target, one coefficient per term; without a penalty
    /// least squares.
    pub(super) fn ridge(&self, target: usize, terms: &[usize], penalty: f64) -> Vec<f64> {
        if penalty > 0.0 {
            let values = self.design.ridge(target, terms, penalty);
            return spread(self.design.n_terms(), terms, &values);
        }
        self.least_squares(target, terms)
    }

    /// The answer in the units of the data, after least squares on its support if asked for.
    pub(super) fn finish(
        &self,
        target: usize,
        mut coefficients: Vec<f64>,
        unbias: bool,
    ) -> Vec<f64> {
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
pub(super) fn refit(reduction: &Reduction, terms: &[usize]) -> Vec<f64> {
    Scaled::new(std::slice::from_ref(reduction), false)
        .expect("there is a target")
        .least_squares(0, terms)
}

/// One coefficient per term from those of some terms; the others are 0.
pub(super) fn spread(n_terms: usize, terms: &[usize], values: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; n_terms];
    for (&term, &value) in terms.iter().zip(values) {
        all[term] = value;
    }
    all
}
