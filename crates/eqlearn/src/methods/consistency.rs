//! The paper's comprehensive search: raise the size until the same terms stay on top.
//!
//! At each size the best `rated` supports vote for their terms, each with its R². Once the terms
//! with a rating of at least `threshold` are the same at two successive sizes, they are the
//! equation (CS-R²). The model with the largest evidence among the best `kept` of all sizes visited
//! is the other answer (CS-p(M)). Both come from one run.
//!
//! With `prune`, terms that got no vote at two successive sizes are left out from then on, as in
//! the paper. The lists of larger sizes are then no longer exact: a true term may have been left
//! out.
//!
//! Source: Nickelsen and Bah (2023), Algorithms 1 to 3, with these readings: `r` is `m`; the search
//! ends at `m_max`; `rated` is half of the whole dictionary, pruned or not; a run that never
//! becomes consistent returns what is rated highly at the last size.

use serde::{Deserialize, Serialize};

use super::best::listed;
use super::declare::Declaration;
use super::{How, Proposal, Propose, Task};
use crate::error::Result;
use crate::judge::criterion::{Criterion, EvidencePrior};
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::{Checkpoint, Found, Run, Search, Shard, SizeList, search_from};

/// Settings of the comprehensive search with consistency.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `rated` | half the dictionary | how many of the best supports vote at each size |
/// | `kept` | 25 | how many of each size compete by evidence |
/// | `threshold` | 0.75 | the rating from which a term counts as selected |
/// | `prune` | true | leave out terms without a vote at two successive sizes |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consistency {
    /// How many of the best supports vote at each size; half the dictionary if not given.
    pub rated: Option<usize>,
    /// How many of each size compete by evidence.
    pub kept: usize,
    /// The rating from which a term counts as selected.
    pub threshold: f64,
    /// Whether terms without a vote at two successive sizes are left out.
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

/// The paper's search by consistency: the terms that two successive sizes agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CsR2;

/// The paper's search, chosen by evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CsEvidence;

static BY_R2: Declaration = Declaration {
    name: "cs-r2",
    summary: "The paper's comprehensive search, by consistency of the best R²",
    centres: true,
    resumes: true,
    ..Declaration::PLAIN
};

static BY_EVIDENCE: Declaration = Declaration {
    name: "cs-evidence",
    summary: "The paper's comprehensive search, by model evidence",
    centres: true,
    resumes: true,
    ..Declaration::PLAIN
};

impl Propose for CsR2 {
    fn declaration(&self) -> &'static Declaration {
        &BY_R2
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        let mut proposal = voted(task, observer)?;
        if let How::Votes(votes) = &proposal.how {
            let selected = votes.selected();
            proposal.supports.push(selected.clone());
            proposal.choice = Some(selected);
        }
        Ok(proposal)
    }

    fn criterion(&self, _asked: Criterion, prior: EvidencePrior) -> Criterion {
        Criterion::Evidence(prior)
    }
}

impl Propose for CsEvidence {
    fn declaration(&self) -> &'static Declaration {
        &BY_EVIDENCE
    }

    fn propose(&self, task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
        voted(task, observer)
    }

    fn criterion(&self, _asked: Criterion, prior: EvidencePrior) -> Criterion {
        Criterion::Evidence(prior)
    }
}

/// The supports that compete by evidence, with the votes.
fn voted(task: &Task<'_>, observer: &mut dyn Observer) -> Result<Proposal> {
    let reduction = task.data.whole;
    let votes = vote(reduction, task.space, task.consistency, task.run, observer)?;
    Ok(Proposal {
        supports: listed(&votes.found, task.consistency.kept),
        choice: None,
        how: How::Votes(votes),
    })
}

/// The votes of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// The number of terms.
    pub size: usize,
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
    /// The best supports of each size, smallest first.
    pub found: Found,
    /// The votes of each of these sizes.
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
///
/// One checkpoint serves the searches of all sizes: what is pruned follows from the lists it holds.
pub fn vote(
    reduction: &Reduction,
    space: &Search,
    settings: &Consistency,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Votes> {
    let triangle = reduction.triangle();
    let all = (space, settings);
    let mut checkpoint =
        Checkpoint::open(run.checkpoint.as_deref(), &triangle, &all, Shard::WHOLE)?;
    let rated = settings.rated.unwrap_or(reduction.n_terms() / 2).max(1);
    let mut votes = Votes {
        found: Found::default(),
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
        let found = search_from(&mut checkpoint, &triangle, &task, run, observer)?;
        let Some(list) = found.sizes.into_iter().next() else {
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
        votes.found.sizes.push(list);
        votes.sizes.push(Vote {
            size,
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

/// How often each term is in the best `rated` supports, each counted with its R², relative to the
/// term most often in. Required terms have no competitors: they are rated 1, and the others among
/// themselves.
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::observe::{Progress, Stage};
    use crate::search::SearchError;
    use crate::{Dictionary, Error, Problem, Table, reduce_table};

    /// Stops before anything of this size is decided.
    struct StopAt(usize);

    impl Observer for StopAt {
        fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
            match progress.stage {
                Stage::Subsets { size } if size == self.0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }

    /// Twenty terms of three features, four of which make the target.
    fn reduction() -> Reduction {
        let wave = |speed: f64| move |i: u32| (f64::from(i) * speed).sin() + 0.3;
        let features = [wave(1.0), wave(1.7), wave(2.9)];
        let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
        for (name, wave) in ["a", "b", "c"].into_iter().zip(features) {
            columns.push((name.to_string(), (0..80).map(wave).collect()));
        }
        let y = (0..80).map(|i| {
            let [a, b, c] = features.map(|wave| wave(i));
            2.0 * a * a * b - 3.0 * c + b * b + 0.7 * a + 0.05 * (f64::from(i) * 7.3).sin()
        });
        columns.push(("y".to_string(), y.collect()));
        let terms = Dictionary::monomials(["a", "b", "c"], 3, 3, true).unwrap();
        let problem = Problem::new("y", terms).unwrap();
        reduce_table(&problem, &Table::new(columns).unwrap()).unwrap()
    }

    #[test]
    fn votes_that_were_stopped_at_any_size_go_on_from_one_checkpoint() {
        let (reduction, space) = (reduction(), Search::default());
        let settings = Consistency {
            rated: Some(5),
            threshold: 0.3,
            ..Consistency::default()
        };
        let go = |run: &Run<'_>, settings, observer: &mut dyn Observer| {
            let votes = vote(&reduction, &space, settings, run, observer)?;
            // Counts of work may differ.
            let both = votes.found.sizes.into_iter().zip(votes.sizes);
            let told = both.map(|(list, vote)| {
                let list = (list.size, list.exact, list.best);
                (list, vote.ratings, vote.selected, vote.removed)
            });
            Ok::<_, Error>(told.collect::<Vec<_>>())
        };
        let whole = go(&Run::default(), &settings, &mut ()).unwrap();
        assert!(whole.len() > 3, "{whole:?}");
        assert!(whole[..3].iter().any(|vote| !vote.3.is_empty()), "pruned");
        let path = std::env::temp_dir().join(format!("eqlearn-votes-{}", std::process::id()));
        let run = Run {
            checkpoint: Some(path.clone()),
            ..Run::default()
        };
        for size in 2..=whole.len() {
            let part = go(&run, &settings, &mut StopAt(size)).unwrap();
            assert_eq!(part[..size - 1], whole[..size - 1]);
            assert!(part.len() < size || !part[size - 1].0.1, "not proven");
        }
        assert_eq!(go(&run, &settings, &mut ()).unwrap(), whole);
        // The file has every size: nothing is left that could be stopped.
        assert_eq!(go(&run, &settings, &mut StopAt(1)).unwrap(), whole);
        let other = Consistency {
            rated: Some(6),
            ..settings
        };
        let refused = go(&run, &other, &mut ()).unwrap_err();
        assert!(
            matches!(
                refused,
                Error::Search(SearchError::ForeignCheckpoint { .. })
            ),
            "{refused}"
        );
        std::fs::remove_file(path).unwrap();
    }
}
