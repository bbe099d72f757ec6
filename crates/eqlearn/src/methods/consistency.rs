//! The paper's comprehensive search: raise the size until the same terms stay on top.
//!
//! At each size the best `rated` supports vote for their terms, each with its R². Once the terms with a rating
//! of at least `threshold` are the same at two successive sizes, they are the equation (CS-R²). The model with the largest
//! evidence among the best `kept` of all sizes visited is the other answer (CS-p(M)). Both come from one run.
//!
//! With `prune`, terms that got no vote at two successive sizes are left out from then on, as in the paper. That voids the
//! promise of exactness for the sizes after: a true term may be among them.
//!
//! Source: Nickelsen and Bah (2023), Algorithms 1 to 3, with these readings: `r` is `m`; the search ends at `m_max`; `rated` is half
//! of the whole dictionary, pruned or not; a run that never becomes consistent returns what is rated highly at the last size.

use serde::{Deserialize, Serialize};

use super::declare::Declaration;
use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::{Run, Search, SizeList, search};

/// Settings of the comprehensive search with consistency.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `rated` | half the dictionary | how many of the best supports vote at each size |
/// | `kept` | 25 | how many of each size compete by evidence |
/// | `threshold` | 0.75 | the rating from which a term counts as selected |
/// | `prune` | true | leave terms out that two sizes in a row had no use for |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consistency {
    /// How many of the best supports vote at each size; half the dictionary if not given.
    pub rated: Option<usize>,
    /// How many of each size compete by evidence.
    pub kept: usize,
    /// The rating from which a term counts as selected.
    pub threshold: f64,
    /// Whether terms are left out that two sizes in a row had no use for.
    pub prune: bool,
}

impl Default for Consistency {
    fn default() -> Self {
        Self {
            rated: None,
            kept: 25,
            threshold: 0.75,
            prune: true,
        }
    }
}

/// The search that is decided by consistency, as users meet it.
pub(super) static BY_R2: Declaration = Declaration {
    name: "cs-r2",
    summary: "The paper's comprehensive search, by consistency of the best R²",
    centres: true,
    resumes: true,
    ..Declaration::PLAIN
};

/// The search that is decided by evidence, as users meet it.
pub(super) static BY_EVIDENCE: Declaration = Declaration {
    name: "cs-evidence",
    summary: "The paper's comprehensive search, by model evidence",
    centres: true,
    resumes: true,
    ..Declaration::PLAIN
};

/// What one size had to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// The best supports of this size.
    pub list: SizeList,
    /// For each term of the dictionary its rating, from 0 to 1.
    pub ratings: Vec<f64>,
    /// The terms rated at least the threshold.
    pub selected: Support,
    /// The terms that are left out from here on.
    pub removed: Support,
}

/// The sizes that were visited and what they agreed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Votes {
    /// One per size, smallest first.
    pub sizes: Vec<Vote>,
    /// Whether two successive sizes agreed.
    pub consistent: bool,
}

impl Votes {
    /// The terms that were rated highly at the last size: the answer of CS-R².
    pub fn selected(&self) -> Support {
        self.sizes
            .last()
            .map_or_else(Support::empty, |vote| vote.selected.clone())
    }
}

/// Raises the size until the same terms stay on top; `space` says which supports there are.
pub fn vote(
    reduction: &Reduction,
    space: &Search,
    settings: &Consistency,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Votes> {
    let triangle = reduction.triangle();
    let rated = settings.rated.unwrap_or(reduction.n_terms() / 2).max(1);
    let mut votes = Votes {
        sizes: Vec::new(),
        consistent: false,
    };
    let mut excluded = space.excluded.clone();
    for size in (space.required.len() + 1).min(space.max_terms)..=space.max_terms {
        let keep = rated.max(settings.kept).max(space.keep);
        let task = Search {
            min_terms: size,
            max_terms: size,
            keep,
            excluded: excluded.clone(),
            ..space.clone()
        };
        let Some(list) = search(&triangle, &task, run, observer)?.sizes.pop() else {
            break;
        };
        if list.best.is_empty() {
            break;
        }
        let stopped = !list.exact;
        let ratings = ratings(&list, rated, reduction.n_terms(), &space.required);
        let selected: Support = (0..ratings.len())
            .filter(|&term| ratings[term] >= settings.threshold)
            .collect();
        let previous = votes.sizes.last();
        let removed: Support = match previous {
            Some(previous) if settings.prune => unused(previous, &ratings, space, &excluded),
            _ => Support::empty(),
        };
        votes.consistent = previous.is_some_and(|previous| previous.selected == selected);
        excluded = excluded.union(&removed);
        votes.sizes.push(Vote {
            list,
            ratings,
            selected,
            removed,
        });
        if votes.consistent || stopped {
            break;
        }
    }
    Ok(votes)
}

/// How often each term is in the best `rated` supports, each counted with its R², relative to the term most often in. Required terms have no competitors: they
/// are rated 1, and the others among themselves.
fn ratings(list: &SizeList, rated: usize, n_terms: usize, required: &Support) -> Vec<f64> {
    let mut ratings = vec![0.0; n_terms];
    for candidate in list.best.iter().take(rated) {
        for &term in candidate.support.indices() {
            ratings[term] += 1.0 - candidate.one_minus_r2;
        }
    }
    let chosen = (0..n_terms).filter(|&term| !required.contains(term));
    let largest = chosen.map(|term| ratings[term]).fold(0.0, f64::max);
    if largest > 0.0 {
        for rating in &mut ratings {
            *rating /= largest;
        }
    }
    for &term in required.indices() {
        ratings[term] = 1.0;
    }
    ratings
}

/// Terms to choose from that had no vote now nor the size before.
fn unused(previous: &Vote, ratings: &[f64], space: &Search, excluded: &Support) -> Support {
    let chosen = |term: usize| {
        !excluded.contains(term) && !space.centre.contains(term) && !space.required.contains(term)
    };
    let no_vote = |term: usize| ratings[term] + previous.ratings[term] <= 0.0;
    (0..ratings.len())
        .filter(|&term| chosen(term) && no_vote(term))
        .collect()
}
