//! The search over the supports of the whole system.
//!
//! From each start the quadratic model around the current system proposes: where its own climb
//! leads, every drop, and the best additions and swaps. Each is fitted, and the best becomes the
//! next system, until none is better. At the end moves are tried two at a time. Where the record
//! leads from another start is another matter, so there are several: what the weak form found, and
//! all terms up to some length at once.

use std::collections::BTreeMap;

use super::fit::{Fitted, Start};
use super::local::{Local, Move};
use super::problem::{Laws, Problem};
use crate::numeric::parallel;
use crate::reduce::support::Support;

/// Additions and swaps that are fitted in each round.
const PROMISING: usize = 12;
/// Drops with a predicted loss beyond this many nats are not fitted.
const HOPELESS: f64 = 60.0;
/// The same for additions and swaps.
const POOR: f64 = 8.0;
/// A start this many nats below the best is not followed.
const FAR: f64 = 40.0;
/// A system is fitted again where it promises more than what it reached from elsewhere, by this
/// many nats.
const RETRIED: f64 = 0.5;
/// Additions and swaps that are tried two at a time.
const PAIRED: usize = 40;
/// Rounds at most, from each start.
const ROUNDS: usize = 40;
/// All terms at once are a start if there are no more coefficients.
const MANY: usize = 120;

/// What a search found.
#[derive(Debug)]
pub(crate) struct Visited {
    pub(crate) best: Fitted,
    /// What every system that was fitted reached.
    pub(crate) reached: BTreeMap<Laws, Reached>,
    /// How many fits it took.
    pub(crate) fits: usize,
}

/// What a system reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reached {
    /// The log evidence.
    pub(crate) evidence: f64,
    /// How well it follows record and equations: the log likelihood at the best states.
    pub(crate) closeness: f64,
}

/// A search under way.
struct Search<'a> {
    problem: &'a Problem,
    threads: usize,
    reached: BTreeMap<Laws, Reached>,
    fits: usize,
}

/// What is known at first.
#[derive(Debug)]
pub(crate) struct Guess {
    /// The equations, and their coefficients.
    pub(crate) laws: Laws,
    pub(crate) coefficients: Vec<Vec<f64>>,
    /// The noise of each recorded state.
    pub(crate) noise: Vec<f64>,
}

impl Guess {
    /// A start of a system from the record, with the coefficients that are known.
    fn start(&self, problem: &Problem, laws: &Laws) -> Start {
        let of_state = |state: usize| -> Vec<f64> {
            let known = self.laws[state].indices();
            let value = |term: &usize| {
                let place = known.binary_search(term);
                place.map_or(0.0, |place| self.coefficients[state][place])
            };
            laws[state].indices().iter().map(value).collect()
        };
        let coefficients = (0..laws.len()).map(of_state).collect();
        Start::from_record(problem, coefficients, &self.noise)
    }
}

/// The best system that there is; none if none can be fitted.
pub(crate) fn search(problem: &Problem, guess: &Guess, threads: usize) -> Option<Visited> {
    let mut search = Search {
        problem,
        threads,
        reached: BTreeMap::new(),
        fits: 0,
    };
    let mut best: Option<Fitted> = None;
    for start in search.starts(guess) {
        let reached = best.as_ref().map(|best| best.evidence);
        if reached.is_some_and(|reached| start.evidence < reached - FAR) {
            break;
        }
        let top = search.climb(start);
        if reached.is_none_or(|reached| top.evidence > reached) {
            best = Some(top);
        }
    }
    let mut best = best?;
    while let Some(better) = search.pairs(&best) {
        best = search.climb(better);
    }
    Some(Visited {
        best,
        reached: search.reached,
        fits: search.fits,
    })
}

/// Best first, ties by laws.
fn order(a: &Fitted, b: &Fitted) -> std::cmp::Ordering {
    b.evidence
        .total_cmp(&a.evidence)
        .then_with(|| a.laws.cmp(&b.laws))
}

impl Search<'_> {
    /// The guess, and what becomes of all terms at once; best first.
    fn starts(&mut self, guess: &Guess) -> Vec<Fitted> {
        let problem = self.problem;
        let first = self.fit(&guess.laws, guess.start(problem, &guess.laws));
        let mut starts: Vec<Fitted> = first.into_iter().collect();
        for wide in problem.widths(MANY) {
            if let Some(fitted) = self.fit(&wide, guess.start(problem, &wide)) {
                starts.extend(self.narrowed(&fitted));
            }
        }
        starts.sort_by(order);
        starts
    }

    fn fit(&mut self, laws: &Laws, start: Start) -> Option<Fitted> {
        let fitted = self.problem.fit(laws, start);
        self.note(fitted.as_slice());
        self.fits += 1;
        fitted
    }

    /// Remembers what systems reached.
    fn note(&mut self, fits: &[Fitted]) {
        for fitted in fits {
            let reached = Reached {
                evidence: fitted.evidence,
                closeness: fitted.closeness,
            };
            let known = self.reached.entry(fitted.laws.clone()).or_insert(reached);
            if reached.evidence > known.evidence {
                *known = reached;
            }
        }
    }

    /// Climbs from a fitted system until no neighbour is better.
    fn climb(&mut self, start: Fitted) -> Fitted {
        let mut here = start;
        for _ in 0..ROUNDS {
            let Some(local) = Local::new(self.problem, &here) else {
                break;
            };
            let rated = local.rated(&local.own, local.moves(&local.own));
            let own = local.evidence(&local.own);
            let (drops, others): (Vec<_>, Vec<_>) =
                rated.into_iter().partition(|(_, step)| step.is_drop());
            let drops = drops.into_iter().filter(|(e, _)| *e > own - HOPELESS);
            let others = others
                .into_iter()
                .filter(|(e, _)| *e > own - POOR)
                .take(PROMISING);
            let all = drops.chain(others).map(|(_, step)| step.of(&local.own));
            let summit = local.summit(&local.own);
            let supports: Vec<Support> = [summit].into_iter().chain(all).collect();
            match self.best_of(&here, &local, &supports) {
                Some(best) if best.evidence > here.evidence => here = best,
                _ => break,
            }
        }
        here
    }

    /// The best of those two moves away, if it is better.
    fn pairs(&mut self, here: &Fitted) -> Option<Fitted> {
        let local = Local::new(self.problem, here)?;
        let own = &local.own;
        let (drops, others): (Vec<_>, Vec<_>) = local
            .rated(own, local.moves(own))
            .into_iter()
            .partition(|(_, step)| step.is_drop());
        let others = others.into_iter().take(PAIRED);
        let single: Vec<Move> = drops.into_iter().chain(others).map(|(_, m)| m).collect();
        let pair = |(i, a): (usize, &Move)| -> Vec<Move> {
            single[..i].iter().map(|b| a.and(b)).collect()
        };
        let mut pairs: Vec<Move> = single.iter().enumerate().flat_map(pair).collect();
        pairs.sort();
        pairs.dedup();
        let least = local.evidence(own) - POOR;
        let best = local.rated(own, pairs).into_iter().take(2 * PROMISING);
        let best = best.filter(|(evidence, _)| *evidence > least);
        let supports: Vec<Support> = best.map(|(_, step)| step.of(own)).collect();
        let best = self.best_of(here, &local, &supports)?;
        (best.evidence > here.evidence).then_some(best)
    }

    /// What the quadratic model around a wide system makes of it, from there and from nothing.
    fn narrowed(&mut self, wide: &Fitted) -> Vec<Fitted> {
        let Some(local) = Local::new(self.problem, wide) else {
            return Vec::new();
        };
        let mut laws: Vec<Laws> = [&local.own, &local.forced]
            .map(|start| local.laws(&local.summit(start), wide.laws.len()))
            .into();
        laws.dedup();
        let all = laws.iter();
        all.filter_map(|laws| self.fit(laws, Start::from_fit(wide, laws)))
            .collect()
    }

    /// Fits those that were not fitted before or promise more now, and gives the best.
    fn best_of(&mut self, here: &Fitted, local: &Local, supports: &[Support]) -> Option<Fitted> {
        let own = local.evidence(&local.own);
        let promised = |support: &Support| here.evidence + local.evidence(support) - own;
        let system = |support: &Support| (promised(support), local.laws(support, here.laws.len()));
        let is_worth = |(promised, laws): &(f64, Laws)| {
            let known = self.reached.get(laws);
            *laws != here.laws && known.is_none_or(|k| k.evidence < promised - RETRIED)
        };
        let mut laws: Vec<Laws> = supports
            .iter()
            .map(system)
            .filter(is_worth)
            .map(|(_, laws)| laws)
            .collect();
        laws.sort();
        laws.dedup();
        let fit = |place: usize| {
            let laws = &laws[place];
            self.problem.fit(laws, Start::from_fit(here, laws))
        };
        let fits = parallel::map(self.threads, laws.len(), fit);
        let fits: Vec<Fitted> = fits.into_iter().flatten().collect();
        self.fits += laws.len();
        self.note(&fits);
        fits.into_iter().min_by(order)
    }
}
