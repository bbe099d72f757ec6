//! The best supports of every size for one law in several experiments, proven.
//!
//! A term is free, so that each experiment has a coefficient of its own, or shared, with one for
//! all. How well a support can fit depends on both numbers, so there is a list for each number of
//! free and of shared terms.
//!
//! Free terms are chosen by branch and bound, with a node for each experiment (`walk`). The sum of
//! their residuals is a lower bound for the joint residual of all supports below, because the
//! residual of every experiment falls as terms are added, and because shared coefficients can only
//! do worse than free ones. For each choice of free terms, the shared ones are those of a plain
//! search in what is left of all experiments, stacked. Every support that may belong in a list is
//! scored again (`score`), so that its residual depends on nothing but the support.

mod score;
mod walk;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::groups::Groups;
use crate::reduce::support::Support;
use crate::search::decide::task::free_terms;
use crate::search::{EndReason, EndedEarly, Search, SizeList};
use score::Scorer;
use walk::Walk;

/// A list with at most this much work is made in milliseconds.
const QUICK: u128 = 1_000_000;

/// The best supports with this many free and shared terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupList {
    /// How many terms have a coefficient for each experiment.
    pub free: usize,
    /// How many terms have one coefficient for all.
    pub shared: usize,
    /// The list.
    pub list: SizeList,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupsFound {
    /// Smallest first; of one size those with the fewest free terms first.
    pub lists: Vec<GroupList>,
    /// Present if larger sizes were not searched.
    pub ended_early: Option<EndedEarly>,
}

impl GroupsFound {
    /// Whether all lists are proven.
    pub fn is_exact(&self) -> bool {
        self.lists.iter().all(|one| one.list.exact)
    }
}

/// A score of the number of free and of shared terms, and of a relative residual. Larger is better,
/// and it never increases with the residual.
pub type GroupScore<'a> = dyn Fn(usize, usize, f64) -> f64 + 'a;

/// When a search ends before its largest size.
#[derive(Clone, Copy, Default)]
pub struct GroupRun<'a> {
    /// Lists that cannot hold a support which scores within `rivals` of the best found are left
    /// out, and the search ends where all are.
    pub score: Option<&'a GroupScore<'a>>,
    /// How far behind the best a support is still wanted.
    pub rivals: f64,
    /// Sizes with more subsets than this, once for each experiment, are searched only if the last
    /// one scored above all smaller ones.
    pub cheap: Option<u128>,
    /// The most free terms of a support, required ones included.
    pub max_free: Option<usize>,
}

impl std::fmt::Debug for GroupRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupRun")
            .field("score", &self.score.map(|_| "a function"))
            .field("rivals", &self.rivals)
            .field("cheap", &self.cheap)
            .field("max_free", &self.max_free)
            .finish()
    }
}

/// Finds the best supports of every size; those of their terms that are `shared` have one
/// coefficient for all experiments.
///
/// A search that the observer stops returns what it has: finished lists are exact, the unfinished
/// one is marked.
///
/// ```
/// use eqlearn::reduce::groups::Groups;
/// use eqlearn::search::{Search, groups::{GroupRun, search_groups}};
/// use eqlearn::{Reduction, Support};
///
/// // The target is the second column in both experiments, with another coefficient in each.
/// let x: [&[f64]; 2] = [&[1.0, 2.0, 0.5, 1.5], &[3.0, -1.0, 2.0, 0.0]];
/// let one = Reduction::from_columns(&[x[0], x[1], &[6.0, -2.0, 4.0, 0.0]]);
/// let two = Reduction::from_columns(&[x[0], x[1], &[-3.0, 1.0, -2.0, 0.0]]);
/// let groups = Groups::new("run", vec![("a".into(), one), ("b".into(), two)]);
/// let (settings, run) = (Search { max_terms: 1, ..Search::default() }, GroupRun::default());
/// let found = search_groups(&groups, &Support::empty(), &settings, &run, &mut ())?;
/// assert_eq!(found.lists[0].list.best[0].support.indices(), [1]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// Settings that make no sense.
pub fn search_groups(
    groups: &Groups,
    shared: &Support,
    settings: &Search,
    run: &GroupRun<'_>,
    observer: &mut dyn Observer,
) -> Result<GroupsFound> {
    let candidates = free_terms(groups.n_terms(), settings)?;
    let scorer = Scorer::new(groups, shared, &settings.centre);
    let job = Job::new(groups.each().len(), shared, (settings, run), &candidates);
    let mut found = GroupsFound::default();
    // No support of a kind is better than all candidates together.
    let floors = job.floors(&scorer);
    for size in job.sizes() {
        let kinds: Vec<Kind> = job.kinds(size).collect();
        let best = best_score(run, &found);
        let wanted: Vec<&Kind> = kinds
            .iter()
            .filter(|kind| job.is_wanted(**kind, run, best, &floors))
            .collect();
        if wanted.is_empty() && job.is_hopeless(size, run, best, &floors) {
            let (floor, best) = (floors[1].min(floors[0]), best.unwrap_or_default());
            let reason = EndReason::Proven { floor, best };
            let after = size - 1;
            found.ended_early = Some(EndedEarly { after, reason });
            break;
        }
        if job.is_too_costly(run, &wanted, &found) {
            found.ended_early = Some(EndedEarly {
                after: size - 1,
                reason: EndReason::Declined,
            });
            break;
        }
        for kind in wanted {
            let mut walk = Walk::new(&job, &scorer, *kind);
            let list = walk.decide(observer)?;
            let exact = list.exact;
            found.lists.push(GroupList {
                free: kind.free,
                shared: kind.shared,
                list,
            });
            if !exact {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// How many terms of a support are free and how many shared, required ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    free: usize,
    shared: usize,
}

/// What is searched, made ready.
#[derive(Debug)]
struct Job<'a> {
    settings: &'a Search,
    n_groups: usize,
    /// Candidates with a coefficient for each experiment, and those with one for all.
    free: Vec<usize>,
    shared: Vec<usize>,
    required_free: usize,
    required_shared: usize,
    max_free: usize,
}

impl<'a> Job<'a> {
    fn new(
        n_groups: usize,
        shared: &Support,
        (settings, run): (&'a Search, &GroupRun<'_>),
        candidates: &[usize],
    ) -> Self {
        let is_shared = |term: &&usize| shared.contains(**term);
        let required = settings.required.indices();
        let required_shared = required.iter().filter(is_shared).count();
        let (shared, free) = candidates.iter().partition(|term| shared.contains(**term));
        Self {
            settings,
            n_groups,
            max_free: run.max_free.unwrap_or(usize::MAX),
            free,
            shared,
            required_free: required.len() - required_shared,
            required_shared,
        }
    }

    fn sizes(&self) -> std::ops::RangeInclusive<usize> {
        let required = self.required_free + self.required_shared;
        let all = required + self.free.len() + self.shared.len();
        let smallest = required.max(self.settings.min_terms).max(1);
        smallest..=self.settings.max_terms.min(all)
    }

    /// The kinds of a size, those with the fewest free terms first.
    fn kinds(&self, size: usize) -> impl Iterator<Item = Kind> {
        let free = self.required_free..=self.required_free + self.free.len();
        let shared = self.required_shared..=self.required_shared + self.shared.len();
        free.filter(move |free| *free <= size.min(self.max_free) && shared.contains(&(size - free)))
            .map(move |free| Kind {
                free,
                shared: size - free,
            })
    }

    /// The residual of all free candidates together, and that with the shared ones besides.
    fn floors(&self, scorer: &Scorer) -> [f64; 2] {
        let required = self.settings.required.indices();
        let free = required.iter().chain(&self.free).copied();
        let all: Support = free.clone().chain(self.shared.iter().copied()).collect();
        let free: Support = free.collect();
        [free, all].map(|support| scorer.one_minus_r2(support.indices()))
    }

    /// Whether a support of this kind may score above the best found, or near it where the list is
    /// quick.
    fn is_wanted(
        &self,
        kind: Kind,
        run: &GroupRun<'_>,
        best: Option<f64>,
        floors: &[f64; 2],
    ) -> bool {
        let (Some(score), Some(best)) = (run.score, best) else {
            return true;
        };
        let floor = floors[usize::from(kind.shared > self.required_shared)];
        let behind = if self.work(kind) <= QUICK {
            run.rivals
        } else {
            0.0
        };
        score(kind.free, kind.shared, floor) > best - behind
    }

    /// Whether no support of this size or larger is wanted.
    fn is_hopeless(
        &self,
        size: usize,
        run: &GroupRun<'_>,
        best: Option<f64>,
        floors: &[f64; 2],
    ) -> bool {
        let mut kinds = (size..=*self.sizes().end()).flat_map(|size| self.kinds(size));
        kinds.all(|kind| !self.is_wanted(kind, run, best, floors))
    }

    /// Whether a size takes long although the last one did not score above all smaller ones.
    fn is_too_costly(&self, run: &GroupRun<'_>, kinds: &[&Kind], found: &GroupsFound) -> bool {
        let (Some(cheap), Some(score)) = (run.cheap, run.score) else {
            return false;
        };
        let work = kinds.iter().map(|kind| self.work(**kind));
        if work.fold(0, u128::saturating_add) <= cheap {
            return false;
        }
        let mut scores: Vec<(usize, f64)> = Vec::new();
        for one in &found.lists {
            let Some(first) = one.list.best.first() else {
                continue;
            };
            let own = score(one.free, one.shared, first.one_minus_r2);
            match scores.last_mut() {
                Some((size, best)) if *size == one.list.size => *best = best.max(own),
                _ => scores.push((one.list.size, own)),
            }
        }
        match scores.split_last() {
            Some(((_, last), before)) => {
                let others = before.iter().map(|(_, score)| *score).chain([0.0]);
                others.fold(f64::NEG_INFINITY, f64::max) >= *last
            }
            None => false,
        }
    }

    /// How many residuals of single experiments the supports of a kind have.
    fn work(&self, kind: Kind) -> u128 {
        self.subsets(kind).saturating_mul(self.n_groups as u128)
    }

    /// How many supports of a kind there are.
    fn subsets(&self, kind: Kind) -> u128 {
        let free = choose(self.free.len(), kind.free - self.required_free);
        let shared = choose(self.shared.len(), kind.shared - self.required_shared);
        free.saturating_mul(shared)
    }
}

/// In how many ways `k` of `n` can be chosen.
fn choose(n: usize, k: usize) -> u128 {
    let step = |ways: u128, i: usize| ways.saturating_mul((n - i) as u128) / (i as u128 + 1);
    if k > n { 0 } else { (0..k).fold(1, step) }
}

/// The best score of what was found; none where nothing is scored.
fn best_score(run: &GroupRun<'_>, found: &GroupsFound) -> Option<f64> {
    let score = run.score?;
    let of = |one: &GroupList| {
        let first = one.list.best.first()?;
        Some(score(one.free, one.shared, first.one_minus_r2))
    };
    found.lists.iter().filter_map(of).max_by(f64::total_cmp)
}
