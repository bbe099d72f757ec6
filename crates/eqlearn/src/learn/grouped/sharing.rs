//! Which coefficients of a law differ between experiments, and by how much.
//!
//! Each free term is tested by itself: with one coefficient for all experiments, and the other
//! terms as they are, the residual grows, and an F test says whether by more than chance. Beside
//! the tests, every way to share the law's coefficients is weighed by the criterion, all shared and
//! all free among them.

use super::{GroupFit, Groups, Scale};
use crate::judge::criterion::SMALLEST_SHARE;
use crate::numeric::beta::f_tail;
use crate::reduce::support::Support;

/// At most so many fits of single experiments for all ways to share.
const MOST_FITS: usize = 40_000;

/// A residual below this share of the target is rounding error: sixteen units in the last place.
const ROUNDING: f64 = 1024.0 * SMALLEST_SHARE;

/// Which coefficients of a law differ.
#[derive(Debug, Clone)]
pub struct Sharing {
    /// Each term of the law that is free, in their order.
    pub terms: Vec<Equality>,
    /// Ways to share the law's coefficients, the most probable first; none if there are too many.
    pub patterns: Vec<Pattern>,
}

/// Whether a term has the same coefficient in all experiments.
#[derive(Debug, Clone)]
pub struct Equality {
    /// The term.
    pub term: usize,
    /// The probability that chance alone makes the coefficients differ as much; none without a
    /// degree of freedom.
    pub p: Option<f64>,
    /// The mean of the coefficients, weighted by how precise they are, and its standard error.
    pub mean: f64,
    /// The standard error of the mean, where coefficients have errors.
    pub mean_error: Option<f64>,
    /// The standard deviation of the coefficients between experiments, without that by their
    /// errors.
    pub spread: f64,
}

/// A way to share the coefficients of a law.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The terms with one coefficient for all experiments.
    pub shared: Support,
    /// Its score, larger is better.
    pub score: f64,
    /// Its probability among all ways to share.
    pub probability: f64,
}

impl Sharing {
    pub(super) fn new(groups: &Groups, fit: &GroupFit, scale: &Scale, baseline: &GroupFit) -> Self {
        let free = fit.support().minus(fit.shared());
        let several = groups.each().len() > 1;
        let tested = free.indices().iter().filter(|_| several);
        let covariances = groups.covariances(fit);
        let test = |&term: &usize| {
            let together = groups.fit(fit.support(), &fit.shared().with(term));
            let (mean, mean_error, spread) = spread(fit, covariances.as_deref(), term);
            Equality {
                term,
                p: p_value(fit, &together, baseline),
                mean,
                mean_error,
                spread,
            }
        };
        Self {
            terms: tested.map(test).collect(),
            patterns: patterns(groups, fit, scale, baseline),
        }
    }

    /// The way to share that has all coefficients of the law free.
    pub fn all_free(&self) -> Option<&Pattern> {
        self.patterns.iter().find(|one| one.shared.is_empty())
    }

    /// The way with all shared.
    pub fn all_shared(&self) -> Option<&Pattern> {
        self.patterns.iter().max_by_key(|one| one.shared.len())
    }
}

/// The probability of an F as large as that of one fit against another with fewer coefficients.
fn p_value(fit: &GroupFit, together: &GroupFit, baseline: &GroupFit) -> Option<f64> {
    let freedom = fit.degrees_of_freedom();
    let fewer = fit
        .n_coefficients()
        .saturating_sub(together.n_coefficients());
    if freedom == 0 || fewer == 0 {
        return None;
    }
    let (less, more) = (fit.share_of(baseline), together.share_of(baseline));
    if more <= ROUNDING {
        return Some(1.0);
    }
    let (d1, d2) = (fewer as f64, freedom as f64);
    let f = (more - less).max(0.0) / d1 / (less.max(SMALLEST_SHARE) / d2);
    Some(f_tail(f, d1, d2))
}

/// The mean of a term's coefficients with its error, and how much they scatter besides their own
/// errors: the estimate of `DerSimonian` and Laird.
fn spread(
    fit: &GroupFit,
    covariances: Option<&[Vec<Vec<f64>>]>,
    term: usize,
) -> (f64, Option<f64>, f64) {
    let place = fit.support().indices().binary_search(&term);
    let place = place.expect("a term of the law");
    let known = fit
        .dependent()
        .iter()
        .map(|dependent| !dependent.contains(term));
    let known: Vec<usize> = known
        .enumerate()
        .filter_map(|(group, known)| known.then_some(group))
        .collect();
    let values: Vec<f64> = known
        .iter()
        .map(|&group| fit.coefficients()[group][place])
        .collect();
    let variance = |&group: &usize| covariances.map_or(0.0, |all| all[group][place][place]);
    let variances: Vec<f64> = known.iter().map(variance).collect();
    let has_errors = !variances.is_empty() && variances.iter().all(|v| *v > 0.0 && v.is_finite());
    let smallest = variances.iter().copied().fold(f64::INFINITY, f64::min);
    // In units of the smallest variance, so that nothing overflows.
    let weights: Vec<f64> = if has_errors {
        variances.iter().map(|v| smallest / v).collect()
    } else {
        vec![1.0; values.len()]
    };
    let total: f64 = weights.iter().sum();
    let weighted = values.iter().zip(&weights).map(|(w, weight)| w * weight);
    let mean = weighted.sum::<f64>() / total.max(f64::MIN_POSITIVE);
    let scatter = values.iter().zip(&weights);
    let scatter: f64 = scatter.map(|(w, weight)| weight * (w - mean).powi(2)).sum();
    let chance = if has_errors {
        smallest * (values.len().saturating_sub(1)) as f64
    } else {
        0.0
    };
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let room = total - squares / total.max(f64::MIN_POSITIVE);
    let spread = if room > 0.0 {
        ((scatter - chance) / room).max(0.0).sqrt()
    } else {
        0.0
    };
    let mean_error = has_errors.then(|| (smallest / total).sqrt());
    (mean, mean_error, spread)
}

/// All ways to share the coefficients, weighed.
fn patterns(groups: &Groups, fit: &GroupFit, scale: &Scale, baseline: &GroupFit) -> Vec<Pattern> {
    let terms = fit.support().indices();
    let n_groups = groups.each().len();
    let ways = u32::try_from(terms.len())
        .ok()
        .and_then(|m| 1_usize.checked_shl(m));
    let Some(ways) = ways.filter(|ways| ways.saturating_mul(n_groups) <= MOST_FITS) else {
        return Vec::new();
    };
    if n_groups < 2 {
        return Vec::new();
    }
    let way = |bits: usize| {
        let chosen = terms.iter().enumerate();
        let shared: Support = chosen
            .filter(|(place, _)| (bits >> place) & 1 == 1)
            .map(|(_, &term)| term)
            .collect();
        let other = groups.fit(fit.support(), &shared);
        let score = scale.score_of_all(&other, baseline);
        Pattern {
            shared,
            score,
            probability: 0.0,
        }
    };
    let mut patterns: Vec<Pattern> = (0..ways).map(way).collect();
    patterns.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| b.shared.cmp(&a.shared))
    });
    let best = patterns[0].score;
    let weight = |score: f64| {
        if best.is_finite() {
            (score - best).exp()
        } else {
            1.0
        }
    };
    let total: f64 = patterns.iter().map(|one| weight(one.score)).sum();
    for pattern in &mut patterns {
        pattern.probability = weight(pattern.score) / total;
    }
    patterns
}
