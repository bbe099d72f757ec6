//! A search made ready, and how one size is decided.
//!
//! The terms that are always in are projected out, and the other columns are put in a good order
//! once. For each size a list is seeded and the tree is walked. If a list fills up with residuals
//! of zero, bounds cannot help and only the order of supports decides: the tree is walked again in
//! the order of the dictionary, up to the first `keep` of them.

use std::sync::atomic::Ordering::Relaxed;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::triangle::Triangle;
use crate::search::SearchError;
use crate::search::decide::crew;
use crate::search::decide::pass::{OrderOf, Pass};
use crate::search::decide::plan::{Binomials, job_depth};
use crate::search::decide::seed::{self, Field};
use crate::search::decide::shortlist::Shortlist;
use crate::search::decide::source::Source;
use crate::search::split::checkpoint::Checkpoint;
use crate::search::split::share::{Shard, Share};
use crate::search::tree::node::Node;
use crate::search::tree::order::Arranger;
use crate::search::tree::rescore::Rescorer;
use crate::search::{Candidate, Certificate, EndReason, EndedEarly, Found, Run, Search, SizeList};

/// A size with at most so many subsets is searched in milliseconds.
const QUICK: u128 = 1_000_000;

/// A search made ready.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    triangle: &'a Triangle,
    settings: &'a Search,
    /// Terms to choose from, ascending.
    free: Vec<usize>,
    field: Field,
    root: Node,
    rescorer: Rescorer<'a>,
    tolerance: f64,
    binomials: Binomials,
    max_terms: usize,
}

/// At most this many proposals start a list, however long it is.
const MOST_SEEDS: usize = 64;

impl<'a> Task<'a> {
    pub(crate) fn new(triangle: &'a Triangle, settings: &'a Search) -> Result<Self> {
        let free = free_terms(triangle.n_terms(), settings)?;
        let tolerance = Rescorer::rank_tolerance(triangle);
        let (centre, required) = (settings.centre.indices(), settings.required.indices());
        let always: Vec<usize> = centre.iter().chain(required).copied().collect();
        let field = Field::new(triangle, &always, &free, tolerance);
        let max_terms = settings.max_terms.min(required.len() + free.len());
        let root = field.root(&free, 2.0 * tolerance);
        Ok(Self {
            triangle,
            settings,
            field,
            root,
            rescorer: Rescorer::new(triangle, centre),
            tolerance,
            binomials: Binomials::new(free.len(), max_terms.max(4)),
            max_terms,
            free,
        })
    }

    /// What is searched.
    pub(crate) fn triangle(&self) -> &'a Triangle {
        self.triangle
    }

    /// How it is searched.
    pub(crate) fn settings(&self) -> &'a Search {
        self.settings
    }

    /// The sizes to decide, smallest first.
    pub(crate) fn sizes(&self) -> std::ops::RangeInclusive<usize> {
        let smallest = self
            .settings
            .required
            .len()
            .max(self.settings.min_terms)
            .max(1);
        smallest..=self.max_terms
    }

    /// How many supports of this size there are.
    pub(crate) fn subsets(&self, size: usize) -> u128 {
        self.binomials.choose(self.free.len(), self.left(size))
    }

    /// How many terms are to be chosen.
    fn left(&self, size: usize) -> usize {
        size - self.settings.required.len()
    }

    /// Whether no support of this size or larger can score above the best found or, if this size is
    /// quick to search, be among its rivals.
    pub(crate) fn end(&self, size: usize, run: &Run<'_>, found: &Found) -> Option<EndedEarly> {
        let score = run.score?;
        let best = found
            .sizes
            .iter()
            .filter_map(|list| Some(score(list.size, list.best.first()?.one_minus_r2)))
            .max_by(f64::total_cmp)?;
        let least = match self.root.len() {
            0 => self.root.rss(),
            k => self.root.bound(k - 1),
        };
        let length = (least.sqrt() - self.root.slack).max(0.0);
        let floor = (length / self.rescorer.target_length().max(f64::MIN_POSITIVE)).powi(2);
        let behind = if self.subsets(size) <= QUICK {
            run.rivals
        } else {
            0.0
        };
        let hopeless = (size..=self.max_terms).all(|size| score(size, floor) <= best - behind);
        hopeless.then_some(EndedEarly {
            after: size - 1,
            reason: EndReason::Proven { floor, best },
        })
    }

    /// Where the search of a size starts: good supports, found from those of the size below.
    pub(crate) fn start(&self, size: usize, smaller: Option<&SizeList>) -> Start {
        let (list, scored) = self.seeded(self.left(size), smaller);
        let best = list.into_best();
        Start { size, best, scored }
    }

    /// Decides one size.
    pub(crate) fn decide(
        &self,
        start: &Start,
        run: &Run<'_>,
        checkpoint: &mut Checkpoint,
        observer: &mut dyn Observer,
    ) -> Result<SizeList> {
        let list = self.decide_share(start, &Part::WHOLE, run, checkpoint, observer)?;
        Ok(self.settle(list, observer))
    }

    /// Decides what a shard has of one size.
    ///
    /// The order of columns above the jobs depends on this start only: all shards must agree on it.
    pub(crate) fn decide_share(
        &self,
        start: &Start,
        part: &Part<'_>,
        run: &Run<'_>,
        checkpoint: &mut Checkpoint,
        observer: &mut dyn Observer,
    ) -> Result<SizeList> {
        let (size, left) = (start.size, self.left(start.size));
        let mut list = Shortlist::new(self.settings.keep);
        list.extend(&start.best);
        let pass = self.pass(list, OrderOf::Damage);
        let enough = (pass.cutoff() + self.root.slack).powi(2);
        for candidate in part.known {
            pass.offer(candidate.support.indices(), candidate.one_minus_r2);
        }
        let depth = job_depth(&self.binomials, self.free.len(), left);
        let share = Share::new(part.shard, self.free.len(), left, depth, &self.binomials);
        let subsets = share.subsets(&self.binomials);
        let mut root = self.root.clone();
        if left > 1 {
            Arranger::default().improve(&mut root, 0, left, enough);
        }
        let mut source = Source::new(root, left, depth, enough, share);
        if let Some(saved) = checkpoint.running(size) {
            for candidate in &saved.best {
                pass.offer(candidate.support.indices(), candidate.one_minus_r2);
            }
            source.resume(&pass, saved);
        }
        let work = crew::Work {
            pass: &pass,
            rescorer: &self.rescorer,
            size,
            left,
            subsets,
        };
        let (mut tally, mut exact) = crew::run(&work, source, run, checkpoint, observer)?;
        if pass.flat.load(Relaxed) {
            // Bounds cannot help, and none is needed: which zero residuals come first is decided
            // for all shares together.
            exact = true;
            tally.excluded = subsets.saturating_sub(tally.enumerated);
        }
        Ok(SizeList {
            size,
            subsets,
            exact,
            best: pass.list().into_best(),
            certificate: Certificate {
                excluded: tally.excluded,
                enumerated: tally.enumerated,
                rescored: tally.rescored + start.scored,
                nodes: tally.nodes,
                margin: 2.0 * self.tolerance,
            },
        })
    }

    /// The list of a size once all its shares are decided: if it is full of zero residuals, the
    /// first of these in the order of the dictionary.
    pub(crate) fn settle(&self, mut list: SizeList, observer: &mut dyn Observer) -> SizeList {
        if list.is_full_of_zeros(self.settings.keep) {
            let zeros = self.first_zeros(list.size, observer);
            list.exact = zeros.is_some();
            if let Some(zeros) = zeros {
                list.best = zeros.into_best();
            }
        }
        list
    }

    fn pass(&self, list: Shortlist, order: OrderOf) -> Pass<'_> {
        Pass::new(
            list,
            self.settings.required.indices(),
            order,
            (self.tolerance, self.rescorer.target_length()),
            &self.binomials,
        )
    }

    /// A list filled with good supports, and how many were scored for it.
    fn seeded(&self, left: usize, smaller: Option<&SizeList>) -> (Shortlist, u64) {
        let mut list = Shortlist::new(self.settings.keep);
        if left < 2 {
            return (list, 0);
        }
        let place = |term: &usize| self.free.binary_search(term).ok();
        let smaller: Vec<Vec<usize>> = smaller
            .map(|s| s.best.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|c| c.support.indices().iter().filter_map(place).collect())
            .collect();
        let mut rescorer = self.rescorer.clone();
        let count = self.settings.keep.min(MOST_SEEDS);
        let proposals = seed::propose(&self.field, &smaller, count);
        for proposal in &proposals {
            let support: Support = proposal
                .places
                .iter()
                .map(|&j| self.free[j])
                .chain(self.settings.required.indices().iter().copied())
                .collect();
            let one_minus_r2 = rescorer.one_minus_r2(support.indices());
            list.offer(Candidate {
                support,
                one_minus_r2,
            });
        }
        (list, proposals.len() as u64)
    }

    /// The first supports with zero residual, in the order of the dictionary; none if the observer
    /// stops the walk.
    fn first_zeros(&self, size: usize, observer: &mut dyn Observer) -> Option<Shortlist> {
        let pass = self.pass(Shortlist::new(self.settings.keep), OrderOf::Dictionary);
        let mut backwards = self.field.clone();
        backwards.columns.reverse();
        let terms: Vec<usize> = self.free.iter().rev().copied().collect();
        let mut root = backwards.root(&terms, 2.0 * self.tolerance);
        let work = crew::Work {
            pass: &pass,
            rescorer: &self.rescorer,
            size,
            left: self.left(size),
            subsets: self.subsets(size),
        };
        crew::in_order(&work, &mut root, observer);
        let whole = pass.flat.load(Relaxed) || !pass.stop.load(Relaxed);
        whole.then(|| pass.list())
    }
}

/// Where the search of a size starts. It determines the order of columns, so all shards of a size
/// need the same one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) size: usize,
    /// Good supports.
    pub(crate) best: Vec<Candidate>,
    /// How many were scored to find them.
    pub(crate) scored: u64,
}

/// What one process is to decide of a size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) shard: Shard,
    /// Supports known from elsewhere: they let bounds exclude more.
    pub(crate) known: &'a [Candidate],
}

impl Part<'_> {
    const WHOLE: Self = Self {
        shard: Shard::WHOLE,
        known: &[],
    };
}

/// The terms to choose from, if the settings make sense.
pub(in crate::search) fn free_terms(n_terms: usize, settings: &Search) -> Result<Vec<usize>> {
    if settings.keep == 0 {
        return Err(SearchError::NothingKept.into());
    }
    let named = [&settings.required, &settings.excluded, &settings.centre];
    let all = || named.iter().flat_map(|s| s.indices().iter().copied());
    if let Some(term) = all().find(|&t| t >= n_terms) {
        return Err(SearchError::NoSuchTerm { term, n_terms }.into());
    }
    if let Some(term) = all().find(|&t| named.iter().filter(|s| s.contains(t)).count() > 1) {
        return Err(SearchError::TermTwice { term }.into());
    }
    let (max_terms, required) = (settings.max_terms, settings.required.len());
    if max_terms == 0 {
        return Err(SearchError::NoTermAllowed.into());
    }
    if max_terms < required {
        return Err(SearchError::MoreRequiredThanAllowed {
            max_terms,
            required,
        }
        .into());
    }
    Ok((0..n_terms).filter(|&t| all().all(|u| u != t)).collect())
}
