//! One experiment of a joint fit, and the joint fit itself.

use crate::reduce::Reduction;
use crate::reduce::support::Support;

/// One experiment, and the free terms that are independent in it.
pub(super) struct Part<'a> {
    rows: &'a Reduction,
    pub(super) independent: Support,
}

impl<'a> Part<'a> {
    pub(super) fn new(rows: &'a Reduction, free: &Support) -> Self {
        let independent = free.minus(rows.fit(free).dependent());
        Self { rows, independent }
    }

    /// The rows with the free terms and these, and the places of the free ones.
    fn with(&self, shared: &Support) -> (Reduction, Support) {
        let both = self.independent.union(shared);
        let places = both.indices().iter().enumerate();
        let places = places.filter(|(_, term)| self.independent.contains(**term));
        let places = places.map(|(place, _)| place).collect();
        (self.rows.select(&both), places)
    }

    /// The shared terms and the target with the free terms projected out.
    pub(super) fn left(&self, shared: &Support) -> Reduction {
        let (rows, places) = self.with(shared);
        rows.project_out(&places)
    }

    /// The free coefficients, given those of the shared terms.
    pub(super) fn complete(&self, shared: &Support, known: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let both = self.independent.union(shared);
        let (rows, places) = self.with(shared);
        let value = |&term: &usize| {
            if shared.contains(term) {
                known(term)
            } else {
                0.0
            }
        };
        let coefficients: Vec<f64> = both.indices().iter().map(value).collect();
        rows.complete(&places, &coefficients)
    }

    pub(super) fn covariance(
        &self,
        support: &Support,
        shared: &Support,
        of_shared: &[Vec<f64>],
        sigma: f64,
    ) -> Vec<Vec<f64>> {
        let own = self.rows.fit(&self.independent).covariance_at(sigma);
        // What the free coefficients gain when a shared one grows by 1: a column of −B.
        let none = self.complete(shared, &|_| 0.0);
        let moved = |&one: &usize| {
            let with = self.complete(shared, &|term| f64::from(u8::from(term == one)));
            let both = with.iter().zip(&none);
            both.map(|(with, none)| with - none).collect()
        };
        let slopes: Vec<Vec<f64>> = shared.indices().iter().map(moved).collect();
        // Each coefficient by its own noise, and by that of the shared ones.
        let row = |term: usize| -> (Option<usize>, Vec<f64>) {
            let place = |among: &Support| among.indices().binary_search(&term).ok();
            let own = place(&self.independent);
            let by = slopes.iter().enumerate().map(|(h, slope)| match own {
                Some(place) => slope[place],
                None => f64::from(u8::from(place(shared) == Some(h))),
            });
            (own, by.collect())
        };
        let rows: Vec<_> = support.indices().iter().map(|&term| row(term)).collect();
        let entry = |a: &(Option<usize>, Vec<f64>), b: &(Option<usize>, Vec<f64>)| {
            let direct = a.0.zip(b.0).map_or(0.0, |(i, k)| own[i][k]);
            let through = |(h, x): (usize, &f64)| {
                let inner = of_shared[h].iter().zip(&b.1).map(|(v, y)| v * y);
                x * inner.sum::<f64>()
            };
            direct + a.1.iter().enumerate().map(through).sum::<f64>()
        };
        let of = |a| rows.iter().map(|b| entry(a, b)).collect();
        rows.iter().map(of).collect()
    }
}

/// Least squares on one support in all experiments.
#[derive(Debug, Clone)]
pub struct GroupFit {
    pub(super) support: Support,
    pub(super) shared: Support,
    pub(super) n_obs: usize,
    pub(super) residual_norm: f64,
    pub(super) n_coefficients: usize,
    pub(super) coefficients: Vec<Vec<f64>>,
    pub(super) dependent: Vec<Support>,
}

impl GroupFit {
    /// The terms.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// Those with one coefficient for all experiments.
    pub fn shared(&self) -> &Support {
        &self.shared
    }

    /// The number of rows.
    pub fn n_obs(&self) -> usize {
        self.n_obs
    }

    /// The length of the residual vector of all experiments together.
    pub fn residual_norm(&self) -> f64 {
        self.residual_norm
    }

    /// How many coefficients the data determine, of all experiments together.
    pub fn n_coefficients(&self) -> usize {
        self.n_coefficients
    }

    /// The coefficients of each experiment, one per term.
    pub fn coefficients(&self) -> &[Vec<f64>] {
        &self.coefficients
    }

    /// For each experiment the terms that it does not determine: they are linear combinations of
    /// others there, and their coefficients are 0.
    pub fn dependent(&self) -> &[Support] {
        &self.dependent
    }

    /// Observations less coefficients, or 0.
    pub fn degrees_of_freedom(&self) -> usize {
        self.n_obs.saturating_sub(self.n_coefficients)
    }

    /// The noise level, one for all experiments, if a degree of freedom is left to estimate it.
    pub fn sigma(&self) -> Option<f64> {
        let freedom = self.degrees_of_freedom();
        (freedom > 0).then(|| self.residual_norm / (freedom as f64).sqrt())
    }

    /// The residual sum of squares relative to that of another fit.
    pub fn share_of(&self, baseline: &Self) -> f64 {
        if baseline.residual_norm > 0.0 {
            (self.residual_norm / baseline.residual_norm).powi(2)
        } else {
            0.0
        }
    }
}
