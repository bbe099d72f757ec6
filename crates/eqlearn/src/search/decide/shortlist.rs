//! The best few supports of one size.
//!
//! A shortlist holds the best supports of a search: at most `keep`, ordered by residual and, on
//! ties, by the support itself. The order is total and a support is held once. So the same supports
//! give the same list in whatever order, from whatever thread and however often they are offered:
//! splitting a search cannot change its answer.
//!
//! Cost: one comparison for a support that does not enter, `O(keep)` for one that does.

use crate::search::Candidate;

/// At most `keep` candidates of one size, best first.
#[derive(Debug, Clone)]
pub(crate) struct Shortlist {
    keep: usize,
    best: Vec<Candidate>,
}

impl Shortlist {
    pub(crate) fn new(keep: usize) -> Self {
        Self {
            keep,
            best: Vec::new(),
        }
    }

    /// Takes the candidate in if it is among the best; says whether the list changed.
    pub(crate) fn offer(&mut self, candidate: Candidate) -> bool {
        assert!(!candidate.one_minus_r2.is_nan(), "a residual is a number");
        match self.best.binary_search_by(|held| held.order(&candidate)) {
            Ok(_) => false,
            Err(place) if place >= self.keep => false,
            Err(place) => {
                self.best.truncate(self.keep - 1);
                self.best.insert(place, candidate);
                true
            }
        }
    }

    /// Offers several.
    pub(crate) fn extend<'a>(&mut self, candidates: impl IntoIterator<Item = &'a Candidate>) {
        for candidate in candidates {
            self.offer(candidate.clone());
        }
    }

    /// A support with a larger residual than this cannot enter; one with an equal residual may.
    pub(crate) fn cutoff(&self) -> f64 {
        if self.best.len() < self.keep {
            return f64::INFINITY;
        }
        self.best
            .last()
            .map_or(f64::INFINITY, |worst| worst.one_minus_r2)
    }

    pub(crate) fn into_best(self) -> Vec<Candidate> {
        self.best
    }
}
