//! Proposed supports, fitted, scored and ordered, with the probability of each.
//!
//! Scores are logs of odds, so a ranking is also a posterior: each model's probability is its
//! `exp(score)` divided by the sum over the models listed, including the empty equation. The sum
//! runs over the list, not over all models; with the exact lists of a search, models that are left
//! out fit worse than those of the same size that are listed.

use std::collections::BTreeMap;

use crate::judge::criterion::{Criterion, Judged, Sample, SizePrior};
use crate::reduce::support::Support;
use crate::reduce::{Fit, Reduction};

/// One model of a ranking.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// Its fit, on the chosen terms and those that are always in.
    pub fit: Fit,
    /// Its score, larger is better.
    pub score: f64,
    /// Its probability among the models listed.
    pub probability: f64,
}

/// Models from best to worst.
#[derive(Debug, Clone)]
pub struct Ranking {
    models: Vec<Ranked>,
    baseline: Fit,
    inclusion: Vec<f64>,
}

/// How models are compared.
#[derive(Debug, Clone, Copy)]
pub struct Yardstick {
    /// What makes one better.
    pub criterion: Criterion,
    /// How likely sizes are beforehand.
    pub size_prior: SizePrior,
    /// The number of terms that there were to choose from.
    pub n_candidates: usize,
}

impl Ranking {
    /// Fits and orders these supports and the one with only the terms that are always in.
    pub fn new<'a>(
        reduction: &Reduction,
        always_in: &Support,
        supports: impl IntoIterator<Item = &'a Support>,
        yardstick: &Yardstick,
    ) -> Self {
        let baseline = reduction.fit(always_in);
        let mut all: Vec<Support> = supports
            .into_iter()
            .map(|support| support.union(always_in))
            .collect();
        all.push(always_in.clone());
        all.sort_unstable();
        all.dedup();
        let sample = Sample {
            n_obs: reduction.n_obs(),
            always_in: always_in.len(),
            n_candidates: yardstick.n_candidates,
        };
        let rank = |support: &Support| {
            let fit = reduction.fit(support);
            let judged = Judged {
                fit: &fit,
                baseline: &baseline,
                n_candidates: yardstick.n_candidates,
            };
            let prior = yardstick
                .size_prior
                .log_prior(&sample, support.len() - always_in.len());
            let score = yardstick.criterion.score(&judged) + prior;
            assert!(!score.is_nan(), "a criterion is never NaN");
            Ranked {
                fit,
                score,
                probability: 0.0,
            }
        };
        let mut models: Vec<Ranked> = all.iter().map(rank).collect();
        order(&mut models);
        let mut ranking = Self {
            models,
            baseline,
            inclusion: vec![0.0; reduction.n_terms()],
        };
        ranking.weigh();
        ranking
    }

    /// These supports with scores that are known from elsewhere, fitted in these rows.
    pub(crate) fn of_scores(
        reduction: &Reduction,
        always_in: &Support,
        scores: &BTreeMap<Support, f64>,
    ) -> Self {
        let rank = |(support, &score): (&Support, &f64)| Ranked {
            fit: reduction.fit(support),
            score,
            probability: 0.0,
        };
        let mut models: Vec<Ranked> = scores.iter().map(rank).collect();
        order(&mut models);
        let mut ranking = Self {
            models,
            baseline: reduction.fit(always_in),
            inclusion: vec![0.0; reduction.n_terms()],
        };
        ranking.weigh();
        ranking
    }

    /// The same models with other scores, one for each place, ordered and weighed by them.
    pub(crate) fn rescored(&self, scores: &[f64]) -> Self {
        let both = self.models.iter().zip(scores);
        let mut models: Vec<Ranked> = both
            .map(|(model, &score)| Ranked {
                score,
                ..model.clone()
            })
            .collect();
        order(&mut models);
        let mut ranking = Self {
            models,
            baseline: self.baseline.clone(),
            inclusion: vec![0.0; self.inclusion.len()],
        };
        ranking.weigh();
        ranking
    }

    /// The same models with this share of all probability: others are known elsewhere.
    #[must_use]
    pub(crate) fn sharing(mut self, share: f64) -> Self {
        let own = self.models.iter_mut().map(|model| &mut model.probability);
        own.chain(&mut self.inclusion).for_each(|p| *p *= share);
        self
    }

    /// Turns scores into probabilities and sums those of the models that each term is in.
    fn weigh(&mut self) {
        let best = self.models[0].score;
        let weight = |score: f64| {
            if best.is_finite() {
                (score - best).exp()
            } else {
                1.0
            }
        };
        let total: f64 = self.models.iter().map(|m| weight(m.score)).sum();
        for model in &mut self.models {
            model.probability = weight(model.score) / total;
            for &term in model.fit.support().indices() {
                self.inclusion[term] += model.probability;
            }
        }
        // A sum of many probabilities may be a rounding error above 1.
        for inclusion in &mut self.inclusion {
            *inclusion = inclusion.min(1.0);
        }
    }

    /// All models, best first. There is always at least the empty one.
    pub fn models(&self) -> &[Ranked] {
        &self.models
    }

    /// The best model.
    pub fn best(&self) -> &Ranked {
        &self.models[0]
    }

    /// The fit of the terms that are always in: what `R²` and all scores are measured from.
    pub fn baseline(&self) -> &Fit {
        &self.baseline
    }

    /// The model with this support, if it is listed.
    pub fn find(&self, support: &Support) -> Option<&Ranked> {
        self.models
            .iter()
            .find(|model| model.fit.support() == support)
    }

    /// The place of the model with this support, if it is listed.
    pub fn place(&self, support: &Support) -> Option<usize> {
        let mut models = self.models.iter();
        models.position(|model| model.fit.support() == support)
    }

    /// For each term of the dictionary, the probability that it belongs in the equation.
    pub fn inclusion(&self) -> &[f64] {
        &self.inclusion
    }
}

/// Best first, ties by support.
fn order(models: &mut [Ranked]) {
    models.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.fit.support().cmp(b.fit.support()))
    });
}
