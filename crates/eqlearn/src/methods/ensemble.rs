//! Ensembles: the same method on many resampled problems, and how often each term is found.
//!
//! Rows are bagged in blocks: each block of rows is a triangle, a bag is as many blocks drawn with
//! replacement, merged. The rows are not needed again, and neighbouring rows of a trajectory stay
//! together, as a bootstrap of correlated rows requires (block bootstrap). Terms are bagged by
//! leaving some out. The coefficients of all models are aggregated term by term; the share of
//! models that contain a term is its inclusion frequency.
//!
//! A frequency near one says that the method's choice is stable, not that it is right: a biased
//! method is biased in every bag. With few blocks (below 20) the bootstrap is too coarse.
//!
//! Source: Fasel, Kutz, Brunton and Brunton (2022); `pysindy.EnsembleOptimizer` 2.1.0, which draws
//! single rows.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::declare::{self, Chosen, Declaration, Kind, Knob};
use super::{InPlay, Lasso, Pick, Regressed, Regression, Sr3, Stlsq, lasso, sr3, stlsq};
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::ReduceError;
use crate::reduce::Reduction;
use crate::reduce::support::Support;

/// The method that each model of an ensemble is found with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// Sequentially thresholded least squares.
    Stlsq(Stlsq),
    /// Sparse relaxed regularised regression.
    Sr3(Sr3),
    /// LASSO.
    Lasso(Lasso),
}

impl Base {
    fn method(&self) -> &dyn Regression {
        match self {
            Self::Stlsq(method) => method,
            Self::Sr3(method) => method,
            Self::Lasso(method) => method,
        }
    }
}

/// How the coefficients of many models become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// The median of each coefficient; a term in fewer than half of the models gets 0.
    #[default]
    Median,
    /// The mean of each coefficient.
    Mean,
}

/// Settings of an ensemble.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `base` | STLSQ | | the method of each model |
/// | `n_models` | 20 | 1.. | how many models |
/// | `bag_rows` | true | | draw blocks of rows with replacement; the blocks are the folds |
/// | `terms_to_drop` | 0 | 0.. | terms that are left out of each model |
/// | `aggregate` | `median` | `median`, `mean` | how the coefficients become one |
/// | `seed` | 0 | | of the random numbers: the same seed, the same ensemble |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ensemble {
    /// The method of each model.
    pub base: Base,
    /// How many models.
    pub n_models: usize,
    /// Whether blocks of rows are drawn with replacement.
    pub bag_rows: bool,
    /// Terms that are left out of each model.
    pub terms_to_drop: usize,
    /// How the coefficients become one.
    pub aggregate: Aggregate,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for Ensemble {
    fn default() -> Self {
        Self {
            base: Base::Stlsq(Stlsq::default()),
            n_models: 20,
            bag_rows: true,
            terms_to_drop: 0,
            aggregate: Aggregate::Median,
            seed: 0,
        }
    }
}

static METHOD: Declaration = Declaration {
    name: "ensemble",
    summary: "Many models on resampled rows, and how often each term is found",
    knobs: &[
        Knob {
            name: "base",
            field: "base",
            meaning: "the method of each model",
            kind: Kind::Method {
                among: &[&stlsq::METHOD, &sr3::METHOD, &lasso::METHOD],
                hands_on: &["threshold", "alpha", "lambda"],
            },
        },
        declare::whole("models", "n_models", 1, "how many models"),
        declare::whole(
            "drop-terms",
            "terms_to_drop",
            0,
            "terms that are left out of each model",
        ),
        declare::whole("seed", "seed", 0, "the seed of the random numbers"),
    ],
    chosen: Chosen::Blocks,
    ..Declaration::PLAIN
};

/// Many models and what they agree on.
#[derive(Debug, Clone)]
pub struct Models {
    /// Each model.
    pub models: Vec<Pick>,
    /// The aggregate, one coefficient per term of the dictionary, in the units of the data.
    pub coefficients: Vec<f64>,
    /// For each term of the dictionary, the share of models that contain it.
    pub inclusion: Vec<f64>,
}

impl Regression for Ensemble {
    fn declaration(&self) -> &'static Declaration {
        &METHOD
    }

    /// Takes the folds as blocks of rows; without folds all models see all rows.
    fn regress(&self, play: &InPlay<'_>, observer: &mut dyn Observer) -> Result<Regressed> {
        let all = std::slice::from_ref(play.reduction);
        let blocks = if play.folds.is_empty() {
            all
        } else {
            play.folds
        };
        let models = ensemble(blocks, play.always_in, self.base.method(), self, observer)?;
        let support: Support = (0..models.coefficients.len())
            .filter(|&j| models.coefficients[j].abs() > 0.0 || play.always_in.contains(j))
            .collect();
        let coefficients = support.indices().iter().map(|&j| models.coefficients[j]);
        let pick = Pick {
            coefficients: coefficients.collect(),
            support,
        };
        let supports = models.models.iter().map(|model| model.support.clone());
        Ok(Regressed {
            inclusion: Some(models.inclusion),
            ..Regressed::along(supports.chain([pick.support.clone()]), pick)
        })
    }

    fn draws_blocks(&self) -> bool {
        true
    }
}

/// Finds many models on resampled blocks of rows and subsets of terms.
///
/// # Errors
/// No block or no model; those of the method; [`Error::Stopped`] if the observer says so.
pub fn ensemble(
    blocks: &[Reduction],
    always_in: &Support,
    method: &dyn Regression,
    settings: &Ensemble,
    observer: &mut dyn Observer,
) -> Result<Models> {
    super::positive("n_models", settings.n_models as f64)?;
    let n_terms = blocks
        .first()
        .ok_or(ReduceError::NoRowsToLearnFrom)?
        .n_terms();
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let everything = Reduction::merge_all(n_terms, blocks);
    let mut models = Vec::with_capacity(settings.n_models);
    for done in 0..settings.n_models {
        let rows = if settings.bag_rows && blocks.len() > 1 {
            bag(blocks, &mut random)
        } else {
            everything.clone()
        };
        let kept = without_some(n_terms, always_in, settings.terms_to_drop, &mut random);
        models.push(model_on(&rows, &kept, always_in, method)?);
        let progress = Progress {
            stage: Stage::Models,
            done: done as u128 + 1,
            total: settings.n_models as u128,
        };
        if observer.progress(&progress).is_break() {
            return Err(Error::Stopped);
        }
    }
    Ok(aggregated(models, n_terms, settings.aggregate))
}

/// As many blocks as there are, drawn with replacement.
fn bag(blocks: &[Reduction], random: &mut ChaCha8Rng) -> Reduction {
    let mut times = vec![0; blocks.len()];
    for _ in blocks {
        times[random.random_range(0..blocks.len())] += 1;
    }
    // A block that is drawn more than once is scaled instead of merged again, which saves a third
    // of the merges.
    let drawn = blocks.iter().zip(times).filter(|(_, times)| *times > 0);
    let drawn: Vec<Reduction> = drawn.map(|(block, n)| block.repeated(n)).collect();
    Reduction::merge_all(blocks[0].n_terms(), &drawn)
}

/// All terms but a few drawn ones; at least one free term stays.
fn without_some(
    n_terms: usize,
    always_in: &Support,
    to_drop: usize,
    random: &mut ChaCha8Rng,
) -> Support {
    let mut free: Vec<usize> = (0..n_terms).filter(|&j| !always_in.contains(j)).collect();
    for _ in 0..to_drop.min(free.len().saturating_sub(1)) {
        free.remove(random.random_range(0..free.len()));
    }
    free.into_iter().collect::<Support>().union(always_in)
}

/// The method's own answer on some of the terms, with supports in terms of the whole dictionary.
fn model_on(
    rows: &Reduction,
    kept: &Support,
    always_in: &Support,
    method: &dyn Regression,
) -> Result<Pick> {
    let place = |term: &usize| kept.indices().binary_search(term).ok();
    let always_here: Support = always_in.indices().iter().filter_map(place).collect();
    let play = InPlay {
        reduction: &rows.select(kept),
        folds: &[],
        always_in: &always_here,
        threads: 1,
    };
    let pick = method.regress(&play, &mut ())?.pick;
    let support = pick.support.indices().iter().map(|&j| kept.indices()[j]);
    Ok(Pick {
        support: support.collect(),
        coefficients: pick.coefficients,
    })
}

fn aggregated(models: Vec<Pick>, n_terms: usize, aggregate: Aggregate) -> Models {
    let n_models = models.len() as f64;
    let of_term = |term: usize| -> Vec<f64> {
        let coefficient = |model: &Pick| {
            let place = model.support.indices().binary_search(&term);
            place.map_or(0.0, |place| model.coefficients[place])
        };
        models.iter().map(coefficient).collect()
    };
    let one = |term: usize| match aggregate {
        Aggregate::Median => median(of_term(term)),
        Aggregate::Mean => of_term(term).iter().sum::<f64>() / n_models,
    };
    let share =
        |term: usize| models.iter().filter(|m| m.support.contains(term)).count() as f64 / n_models;
    Models {
        coefficients: (0..n_terms).map(one).collect(),
        inclusion: (0..n_terms).map(share).collect(),
        models,
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
