//! A search made ready, and how one size is decided.
//!
//! The terms that are always in are projected out, what is left is put in a good order once, and each size then seeds its list, walks the tree and
//! reports. If a list fills up with residuals of zero, no bound can help any more and only the order of supports decides:
//! the tree is walked again in the order of the dictionary, up to the first `keep` of them.

use std::sync::atomic::Ordering::Relaxed;

use super::checkpoint::Checkpoint;
use super::crew;
use super::node::Node;
use super::order::Arranger;
use super::pass::{OrderOf, Pass};
use super::plan::{Binomials, job_depth};
use super::rescore::Rescorer;
use super::seed::{self, Field};
use super::shortlist::Shortlist;
use super::source::Source;
use super::{Candidate, Certificate, EndReason, EndedEarly, Found, Run, Score, Search, SizeList};
use crate::error::{Error, Result};
use crate::observe::Observer;
use crate::support::Support;
use crate::triangle::Triangle;

/// A search made ready.
#[derive(Debug)]
pub(crate) struct Task<'a> {
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

/// Subsets at stake for each cubed candidate that make a better order worth its price.
const ORDER_PRICE: u128 = 8;

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

    /// Whether no support of this size or larger can score above the best found.
    pub(crate) fn end(&self, size: usize, score: &Score<'_>, found: &Found) -> Option<EndedEarly> {
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
        let hopeless = (size..=self.max_terms).all(|size| score(size, floor) <= best);
        hopeless.then_some(EndedEarly {
            after: size - 1,
            reason: EndReason::Proven { floor, best },
        })
    }

    /// Decides one size, given what was found below.
    pub(crate) fn decide(
        &self,
        size: usize,
        run: &Run<'_>,
        found: &Found,
        checkpoint: &mut Checkpoint,
        observer: &mut dyn Observer,
    ) -> Result<SizeList> {
        let left = self.left(size);
        let subsets = self.subsets(size);
        let (seeded, seeds) = self.seeded(left, found.sizes.last());
        let pass = self.pass(seeded, OrderOf::Damage { price: ORDER_PRICE });
        // The order of columns above the jobs must not depend on what a resumed search already knows.
        let enough = (pass.cutoff() + self.root.slack).powi(2);
        let depth = job_depth(&self.binomials, self.free.len(), left);
        let mut root = Node::default();
        Arranger::default().arrange(&self.root, enough, &mut root);
        let mut source = Source::new(root, left, depth, enough);
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
        let (mut tally, mut exact) = crew::run(&work, source, run, (found, checkpoint), observer)?;
        let mut list = pass.list();
        if pass.flat.load(Relaxed) {
            let first = self.first_zeros(&work, observer);
            exact = first.is_some();
            if let Some(first) = first {
                list = first;
                tally.excluded = subsets.saturating_sub(tally.enumerated);
            }
        }
        Ok(SizeList {
            size,
            subsets,
            exact,
            best: list.into_best(),
            certificate: Certificate {
                excluded: tally.excluded,
                enumerated: tally.enumerated,
                rescored: tally.rescored + seeds,
                nodes: tally.nodes,
                margin: 2.0 * self.tolerance,
            },
        })
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

    /// The first supports, in the order of the dictionary, that leave nothing unexplained; none if the observer stops the walk.
    fn first_zeros(&self, work: &crew::Work<'_>, observer: &mut dyn Observer) -> Option<Shortlist> {
        let pass = self.pass(Shortlist::new(self.settings.keep), OrderOf::Dictionary);
        let mut backwards = self.field.clone();
        backwards.columns.reverse();
        let terms: Vec<usize> = self.free.iter().rev().copied().collect();
        let mut root = backwards.root(&terms, 2.0 * self.tolerance);
        let work = crew::Work {
            pass: &pass,
            ..*work
        };
        crew::in_order(&work, &mut root, observer);
        let whole = pass.flat.load(Relaxed) || !pass.stop.load(Relaxed);
        whole.then(|| pass.list())
    }
}

/// The terms to choose from, if the settings make sense.
fn free_terms(n_terms: usize, settings: &Search) -> Result<Vec<usize>> {
    if settings.keep == 0 {
        return Err(Error::NothingKept);
    }
    let named = [&settings.required, &settings.excluded, &settings.centre];
    let all = || named.iter().flat_map(|s| s.indices().iter().copied());
    if let Some(term) = all().find(|&t| t >= n_terms) {
        return Err(Error::NoSuchTerm { term, n_terms });
    }
    if let Some(term) = all().find(|&t| named.iter().filter(|s| s.contains(t)).count() > 1) {
        return Err(Error::TermTwice { term });
    }
    if settings.max_terms < settings.required.len().max(1) {
        return Err(Error::SizeTooSmall {
            max_terms: settings.max_terms,
            required: settings.required.len(),
        });
    }
    Ok((0..n_terms).filter(|&t| all().all(|u| u != t)).collect())
}
