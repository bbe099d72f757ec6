//! Best subsets under a ridge penalty, with a limit on the number of terms that several targets
//! share.
//!
//! # Formula
//! ```text
//! min Σ |y − Xw|² + α|w|²   with at most K terms over all targets, or per target, or both
//! ```
//! MIOSR uses a mixed-integer solver for this. Here it is decomposed: merged into the triangle the
//! penalty is just more rows, so each size of each target is a best-subset problem that the exact
//! search solves. A small dynamic programme then distributes K among the targets. The answer is
//! proven whenever the search's lists are.
//!
//! The ridge penalty depends on the units of the terms, and K must be given or chosen by
//! cross-validation.
//!
//! Source: Bertsimas and Gurnee (2023); the problem and the defaults of `pysindy.MIOSR` 2.1.0.

use serde::{Deserialize, Serialize};

use super::cross_validation::SIZES;
use super::declare::{self, Chosen, Declaration, Kind, SPARSITY};
use super::frols::whole;
use super::{
    CrossValidation, Grid, InPlay, MethodsError, Regressed, Regression, Solution, Tuned,
    not_negative, projected, spread,
};
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::ReduceError;
use crate::reduce::support::Support;
use crate::reduce::{Design, Reduction};
use crate::search::{Run, Search, search};

/// Settings of MIOSR.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `target_sparsity` | 5 | 1.. or none | the most terms in all; with folds, the most tried |
/// | `group_sparsity` | none | one per target | the most terms of each target |
/// | `alpha` | 0.01 | 0.. | the ridge penalty |
/// | `normalize_columns` | false | | the penalty acts on terms of unit length |
/// | `unbias` | false | | least squares on the final support |
/// | `tuner` | | | how the number of terms is chosen |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Miosr {
    /// The most terms over all targets.
    pub target_sparsity: Option<usize>,
    /// The most terms of each target.
    pub group_sparsity: Option<Vec<usize>>,
    /// The ridge penalty.
    pub alpha: f64,
    /// Whether the penalty acts on terms of unit length.
    pub normalize_columns: bool,
    /// Whether least squares on the final support replaces the ridge coefficients.
    pub unbias: bool,
    /// How the number of terms is chosen where there are folds.
    pub tuner: CrossValidation,
}

impl Default for Miosr {
    fn default() -> Self {
        Self {
            target_sparsity: Some(5),
            group_sparsity: None,
            alpha: 0.01,
            normalize_columns: false,
            unbias: false,
            tuner: CrossValidation::default(),
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "miosr",
    summary: "Best subset under a ridge penalty, proven",
    knobs: &[
        declare::whole("sparsity", "target_sparsity", 1, SPARSITY),
        declare::Knob {
            name: "group-sparsity",
            field: "group_sparsity",
            meaning: "at most this many terms, a limit for each target",
            kind: Kind::Wholes,
        },
        declare::number("alpha", "alpha", "the ridge penalty of each fit"),
        declare::NORMALIZE,
        declare::UNBIAS,
    ],
    chosen: Chosen::UpTo("sparsity"),
    tuner: SIZES,
    ..Declaration::PLAIN
};

impl Regression for Miosr {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        not_negative("alpha", self.alpha)?;
        let n_terms = play.free_terms().len();
        let own = self.group_sparsity.as_ref().and_then(|own| own.first());
        let limits = self.target_sparsity.iter().chain(own);
        let limit = limits.copied().min().unwrap_or(n_terms).min(n_terms);
        let run = Run {
            threads: play.threads,
            ..Run::default()
        };
        let solve = |reduction: &Reduction, values: &[f64], observer: &mut dyn Observer| {
            let largest = values.iter().copied().fold(0.0, f64::max);
            let ladder = Ladder::new(reduction, whole(largest), self, &run, observer)?;
            let at_size = |&size: &f64| {
                let step = &ladder.steps[whole(size).min(ladder.steps.len() - 1)];
                let own = step.own_or_refitted(reduction, self.unbias);
                Solution {
                    proven: Some(ladder.proven),
                    ..spread(reduction.n_terms(), step.support.indices(), &own).into()
                }
            };
            Ok(values.iter().map(at_size).collect())
        };
        let tuned = Tuned {
            method: self.name(),
            name: "target_sparsity",
            value: limit as f64,
            grid: &|_| Grid::Whole { high: limit },
            tuner: &self.tuner,
            solve: &solve,
        };
        tuned.regress(play, observer)
    }

    fn regress_together(
        &self,
        targets: &[InPlay<'_>],
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Regressed>>> {
        let rows = projected(targets);
        let run = Run {
            threads: targets.first().map_or(0, |play| play.threads),
            ..Run::default()
        };
        let answer = miosr(&rows, self, &run, observer)?;
        let regressed = |(play, target): (&InPlay<'_>, &MiosrTarget)| {
            let n_terms = rows[0].n_terms();
            let w = spread(n_terms, target.support.indices(), &target.coefficients);
            Ok(Regressed {
                proven: Some(answer.proven),
                ..Regressed::only(play.pick(self.name(), &w)?)
            })
        };
        let all = targets.iter().zip(&answer.targets).map(regressed);
        all.collect::<Result<_>>().map(Some)
    }
}

/// The answer for one target.
#[derive(Debug, Clone)]
pub struct MiosrTarget {
    /// Its support.
    pub support: Support,
    /// One coefficient per term of the support, in the units of the data.
    pub coefficients: Vec<f64>,
    /// The penalised residual sum of squares, `|y − Xw|² + α|w|²`.
    pub objective: f64,
}

impl MiosrTarget {
    fn own_or_refitted(&self, reduction: &Reduction, unbias: bool) -> Vec<f64> {
        if unbias {
            return reduction.fit(&self.support).coefficients().to_vec();
        }
        self.coefficients.clone()
    }
}

/// The answer for all targets.
#[derive(Debug, Clone)]
pub struct MiosrAnswer {
    /// One per target.
    pub targets: Vec<MiosrTarget>,
    /// Whether no other choice of terms can do better.
    pub proven: bool,
}

/// The best supports of all targets within the limits.
///
/// The reductions are of the same terms, one per target. A search that the observer stops leaves
/// the best known, not proven.
///
/// ```
/// use eqlearn::Reduction;
/// use eqlearn::methods::{Miosr, miosr};
/// use eqlearn::search::Run;
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.5]);
/// let targets = [[2.0, 4.1, 6.0, 7.9], [0.9, -1.1, 1.0, -1.4]];
/// let reductions = targets.map(|y| Reduction::from_columns(&[&a, &b, &y]));
/// let settings = Miosr { target_sparsity: Some(2), ..Miosr::default() };
/// let answer = miosr(&reductions, &settings, &Run::default(), &mut ())?;
/// assert!(answer.proven);
/// assert_eq!(answer.targets[0].support.indices(), [0]);
/// assert_eq!(answer.targets[1].support.indices(), [1]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
pub fn miosr(
    reductions: &[Reduction],
    settings: &Miosr,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<MiosrAnswer> {
    not_negative("alpha", settings.alpha)?;
    let limits = limits(reductions, settings)?;
    let mut ladders = Vec::with_capacity(reductions.len());
    for (reduction, &limit) in reductions.iter().zip(&limits) {
        ladders.push(Ladder::new(reduction, limit, settings, run, observer)?);
    }
    let total = settings
        .target_sparsity
        .unwrap_or_else(|| limits.iter().sum());
    let sizes = share(&ladders, total);
    let answer = |(ladder, (&size, reduction)): (&Ladder, (&usize, &Reduction))| {
        let step = &ladder.steps[size];
        MiosrTarget {
            coefficients: step.own_or_refitted(reduction, settings.unbias),
            ..step.clone()
        }
    };
    let chosen = sizes.iter().zip(reductions);
    Ok(MiosrAnswer {
        targets: ladders.iter().zip(chosen).map(answer).collect(),
        proven: ladders.iter().all(|ladder| ladder.proven),
    })
}

/// The most terms of each target.
fn limits(reductions: &[Reduction], settings: &Miosr) -> Result<Vec<usize>> {
    if reductions.is_empty() {
        return Err(ReduceError::NoTargets.into());
    }
    let total = settings.target_sparsity.unwrap_or(usize::MAX);
    let none = settings.target_sparsity.is_none() && settings.group_sparsity.is_none();
    let groups = settings.group_sparsity.as_ref();
    if none || groups.is_some_and(|groups| groups.len() != reductions.len()) {
        return Err(MethodsError::Setting {
            setting: "group_sparsity",
            value: groups.map_or(0, Vec::len) as f64,
            range: "one limit per target, unless target_sparsity limits them all",
        }
        .into());
    }
    let limit = |(target, reduction): (usize, &Reduction)| {
        let own = groups.map_or(usize::MAX, |groups| groups[target]);
        own.min(total).min(reduction.n_terms())
    };
    Ok(reductions.iter().enumerate().map(limit).collect())
}

/// The best supports of one target, one per size from 0 on.
struct Ladder {
    steps: Vec<MiosrTarget>,
    proven: bool,
}

impl Ladder {
    fn new(
        reduction: &Reduction,
        limit: usize,
        settings: &Miosr,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let precisions: Vec<f64> = if settings.normalize_columns {
            let (_, lengths) = Design::new(reduction).normalised();
            lengths.iter().map(|l| settings.alpha * l * l).collect()
        } else {
            vec![settings.alpha; reduction.n_terms()]
        };
        let penalised = reduction.clone().merge(Reduction::priors(&precisions));
        let limit = limit.min(reduction.n_terms());
        let space = Search {
            max_terms: limit,
            keep: 1,
            ..Search::default()
        };
        let mut sizes = Vec::new();
        if limit > 0 {
            sizes = search(&penalised.triangle(), &space, run, observer)?.sizes;
        }
        let proven = sizes.len() == limit && sizes.iter().all(|size| size.exact);
        let found: Vec<&Support> = sizes
            .iter()
            .filter_map(|size| size.best.first().map(|best| &best.support))
            .collect();
        let step = |support: &Support| {
            let fit = penalised.fit(support);
            MiosrTarget {
                support: support.clone(),
                coefficients: fit.coefficients().to_vec(),
                objective: fit.rss(),
            }
        };
        let empty = Support::empty();
        let supports = [&empty].into_iter().chain(found);
        Ok(Self {
            steps: supports.map(step).collect(),
            proven,
        })
    }
}

/// The size of each target that minimises the sum of objectives with at most `total` terms; of
/// equals the smallest.
fn share(ladders: &[Ladder], total: usize) -> Vec<usize> {
    // After each target: for each number of terms spent, the smallest sum and the sizes that give
    // it.
    let mut best: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new())];
    for ladder in ladders {
        let reach = total.min(best.len() - 1 + ladder.steps.len() - 1);
        let spend = |terms: usize| {
            let sizes =
                (0..ladder.steps.len().min(terms + 1)).filter(|size| terms - size < best.len());
            let sums =
                sizes.map(|size| (best[terms - size].0 + ladder.steps[size].objective, size));
            let (sum, size) = sums.reduce(|a, b| if b.0 < a.0 { b } else { a })?;
            let mut sizes = best[terms - size].1.clone();
            sizes.push(size);
            Some((sum, sizes))
        };
        best = (0..=reach).filter_map(spend).collect();
    }
    let cheapest = best
        .into_iter()
        .reduce(|a, b| if b.0 < a.0 { b } else { a });
    cheapest.map(|(_, sizes)| sizes).unwrap_or_default()
}
