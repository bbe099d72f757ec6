//! Comprehensive search: the best supports of every size, proven.
//!
//! For each size the subset tree is walked once. Above, a node's triangle bounds all its children for free ([`node`]); below, the last
//! levels are enumerated in nanoseconds ([`kernel`]); whatever may belong in the list is scored again from the triangle
//! ([`rescore`]) before it enters. So rounding and pruning cost time, never a support: the list is the one that a QR of
//! every subset would give.
//!
//! Sizes are decided one after the other, each starting from good proposals made of the one below ([`seed`]). When a
//! search is stopped, the sizes before are exact and the running one says how much of it was decided.
//!
//! Always holds: lists are ordered by residual, then by support; they do not depend on threads, and the list for a smaller `keep`
//! is the beginning of that for a larger one.

pub(crate) mod gram;
pub(crate) mod kernel;
pub(crate) mod node;
pub(crate) mod order;
pub(crate) mod pass;
pub(crate) mod plan;
pub(crate) mod rescore;
pub(crate) mod seed;
pub(crate) mod shortlist;
pub(crate) mod source;
pub(crate) mod walk;

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::support::Support;
use crate::triangle::Triangle;
use node::Node;
use order::arrange;
use pass::{OrderOf, Pass};
use plan::Binomials;
use rescore::Rescorer;
use seed::Field;
use shortlist::Shortlist;
use source::Source;
use walk::{Tally, Walk};

/// What to search.
///
/// | field | default | range | meaning |
/// |---|---|---|---|
/// | `max_terms` | 8 | 1.. | largest support visited (no more than there are terms) |
/// | `min_terms` | 1 | 1.. | smallest support visited |
/// | `keep` | 25 | 1.. | supports kept per size |
/// | `required` | none | | terms in every support; they count as terms |
/// | `excluded` | none | | terms in no support |
/// | `centre` | none | | terms always in that do not count: residuals are relative to what they leave of the target |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// The largest support visited.
    pub max_terms: usize,
    /// The smallest support visited.
    pub min_terms: usize,
    /// How many supports are kept per size.
    pub keep: usize,
    /// Terms that are in every support.
    pub required: Support,
    /// Terms that are in no support.
    pub excluded: Support,
    /// Terms that are always in and not counted: they are projected out of everything, the target included.
    pub centre: Support,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            max_terms: 8,
            min_terms: 1,
            keep: 25,
            required: Support::empty(),
            excluded: Support::empty(),
            centre: Support::empty(),
        }
    }
}

/// How to run a search. It never changes the answer.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// How many threads; 0 is one per core.
    pub threads: usize,
}

/// A support and what it leaves unexplained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The terms, required ones included, the centre not.
    pub support: Support,
    /// Residual sum of squares over that of the target alone (with the centre projected out of both).
    pub one_minus_r2: f64,
}

impl Candidate {
    /// By residual, then by support.
    fn order(&self, other: &Self) -> Ordering {
        self.one_minus_r2
            .total_cmp(&other.one_minus_r2)
            .then_with(|| self.support.cmp(&other.support))
    }
}

/// What was found at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeList {
    /// Number of terms, required ones included.
    pub size: usize,
    /// How many supports of this size there are.
    pub subsets: u128,
    /// Whether no other support of this size has a smaller residual than those listed.
    pub exact: bool,
    /// The best supports, best first.
    pub best: Vec<Candidate>,
    /// How the list was proven.
    pub certificate: Certificate,
}

/// How a list was proven: every subset was excluded by a bound or looked at.
///
/// These are counts of work: they vary with the timing of threads, which the lists do not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Certificate {
    /// Subsets excluded because a bound on their residual was above the list's worst.
    pub excluded: u128,
    /// Subsets looked at one by one.
    pub enumerated: u128,
    /// Subsets whose residual was computed by QR from the triangle.
    pub rescored: u64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// The least error in a residual length, relative to the target, that bounds allowed for.
    pub margin: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Found {
    /// One list per size, smallest first.
    pub sizes: Vec<SizeList>,
}

/// Finds the best supports of every size.
///
/// ```
/// use eqlearn::{Triangle, search::{Run, Search, search}};
///
/// // y = x₀ + x₂ exactly; x₁ is of no use.
/// let columns = [vec![1.0, 0.0, 2.0, 0.5], vec![0.0, 1.0, 1.0, 3.0], vec![1.0, 1.0, -1.0, 0.0], vec![2.0, 1.0, 1.0, 0.5]];
/// let triangle = Triangle::from_columns(&columns);
/// let settings = Search { max_terms: 2, ..Search::default() };
/// let found = search(&triangle, &settings, &Run::default(), &mut ())?;
/// assert_eq!(found.sizes[1].best[0].support.indices(), [0, 2]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
pub fn search(
    triangle: &Triangle,
    settings: &Search,
    run: &Run,
    observer: &mut dyn Observer,
) -> Result<Found> {
    let task = Task::new(triangle, settings)?;
    let mut found = Found::default();
    for size in task.sizes() {
        let list = task.decide(size, run, found.sizes.last(), observer);
        let exact = list.exact;
        found.sizes.push(list);
        if !exact {
            break;
        }
    }
    Ok(found)
}

/// A search made ready: the terms that are always in are projected out, the columns are in order.
struct Task<'a> {
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
const ORDER_PRICE: u128 = 4;

/// Below this many subsets a size is decided without further threads.
const SMALL: u128 = 200_000;

/// Between two looks at the observer.
const TICK: Duration = Duration::from_millis(100);

impl<'a> Task<'a> {
    fn new(triangle: &'a Triangle, settings: &'a Search) -> Result<Self> {
        let p = triangle.n_terms();
        let named = [&settings.required, &settings.excluded, &settings.centre];
        if let Some(&term) = named.iter().flat_map(|s| s.indices()).find(|&&t| t >= p) {
            return Err(Error::NoSuchTerm { term, n_terms: p });
        }
        for (n, one) in named.iter().enumerate() {
            for other in &named[n + 1..] {
                if let Some(&term) = one.indices().iter().find(|&&t| other.contains(t)) {
                    return Err(Error::TermTwice { term });
                }
            }
        }
        let free: Vec<usize> = (0..p)
            .filter(|&t| !named.iter().any(|s| s.contains(t)))
            .collect();
        let rescorer = Rescorer::new(triangle, settings.centre.indices());
        let tolerance = Rescorer::rank_tolerance(triangle);
        let always: Vec<usize> = settings
            .centre
            .indices()
            .iter()
            .chain(settings.required.indices())
            .copied()
            .collect();
        let field = Field::new(triangle, &always, &free, tolerance);
        let max_terms = settings.max_terms.min(settings.required.len() + free.len());
        let binomials = Binomials::new(free.len(), max_terms.max(3));
        let columns: Vec<Vec<f64>> = field
            .columns
            .iter()
            .chain([&field.target])
            .cloned()
            .collect();
        let unordered = Node::root(free.clone(), &columns, 2.0 * tolerance);
        let mut root = Node::default();
        arrange(&unordered, f64::INFINITY, &mut root);
        Ok(Self {
            settings,
            free,
            field,
            root,
            rescorer,
            tolerance,
            binomials,
            max_terms,
        })
    }

    fn sizes(&self) -> std::ops::RangeInclusive<usize> {
        self.settings
            .required
            .len()
            .max(1)
            .max(self.settings.min_terms)..=self.max_terms
    }

    /// Decides one size, given the list of the one below.
    fn decide(
        &self,
        size: usize,
        run: &Run,
        smaller: Option<&SizeList>,
        observer: &mut dyn Observer,
    ) -> SizeList {
        let left = size - self.settings.required.len();
        let subsets = self.binomials.choose(self.free.len(), left);
        let order = OrderOf::Damage { price: ORDER_PRICE };
        let (seeded, seeds) = self.seeded(left, smaller);
        let pass = self.pass(seeded, order);
        let mut exact = self.run(&pass, (size, left), run, observer);
        let mut tally = pass.tally();
        let mut list = pass.list();
        if pass.flat.load(Relaxed) {
            (list, exact) = self.first_zeros(left);
            tally = Tally {
                excluded: subsets.saturating_sub(tally.enumerated),
                ..tally
            };
        }
        SizeList {
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
        }
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
        let proposals = seed::propose(&self.field, &smaller, self.settings.keep.min(64));
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

    /// Runs the jobs of one size; whether all were done.
    fn run(
        &self,
        pass: &Pass<'_>,
        (size, left): (usize, usize),
        run: &Run,
        observer: &mut dyn Observer,
    ) -> bool {
        let subsets = self.binomials.choose(self.free.len(), left);
        let mut depth = left.saturating_sub(3).min(2);
        while depth + 3 < left
            && self.binomials.choose(self.free.len() - depth, left - depth) > 4_000_000_000
        {
            depth += 1;
        }
        let enough = (pass.cutoff() + self.root.slack).powi(2);
        let source = Mutex::new(Source::new(self.root.clone(), left, depth, enough));
        let work = || {
            let mut walk = Walk::new(pass, self.rescorer.clone());
            walk.nodes.resize_with(depth + 1, Node::default);
            loop {
                let job = {
                    let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
                    let job = source.next(pass, &mut walk.nodes[depth]);
                    walk.tally.excluded += std::mem::take(&mut source.excluded);
                    job
                };
                let Some((_, path)) = job else { break };
                walk.path = path;
                walk.visit(depth, left - depth);
                walk.report();
                if pass.stop.load(Relaxed) {
                    break;
                }
            }
            walk.report();
        };
        let threads = match run.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let look = |observer: &mut dyn Observer| {
            let tally = pass.tally();
            let progress = Progress {
                stage: Stage::Subsets { size },
                done: tally.excluded.saturating_add(tally.enumerated),
                total: subsets,
            };
            if observer.progress(&progress) == ControlFlow::Break(()) {
                pass.stop.store(true, Relaxed);
                return true;
            }
            false
        };
        if subsets <= SMALL {
            work();
        } else {
            std::thread::scope(|scope| {
                let (sender, receiver) = mpsc::channel();
                for _ in 0..threads {
                    let sender = sender.clone();
                    scope.spawn(|| {
                        work();
                        drop(sender);
                    });
                }
                drop(sender);
                while let Err(mpsc::RecvTimeoutError::Timeout) =
                    receiver.recv_timeout(TICK) as std::result::Result<(), _>
                {
                    look(observer);
                }
            });
        }
        let finished = !pass.stop.load(Relaxed);
        let stopped = look(observer);
        finished || (pass.flat.load(Relaxed) && !stopped)
    }

    /// The first supports, in the order of the dictionary, that leave nothing unexplained.
    fn first_zeros(&self, left: usize) -> (Shortlist, bool) {
        let pass = self.pass(Shortlist::new(self.settings.keep), OrderOf::Dictionary);
        let terms: Vec<usize> = self.free.iter().rev().copied().collect();
        let columns: Vec<Vec<f64>> = self
            .field
            .columns
            .iter()
            .rev()
            .chain([&self.field.target])
            .cloned()
            .collect();
        let mut walk = Walk::new(&pass, self.rescorer.clone());
        walk.nodes
            .push(Node::root(terms, &columns, 2.0 * self.tolerance));
        walk.visit(0, left);
        (pass.list(), true)
    }
}
