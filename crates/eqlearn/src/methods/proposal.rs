//! What a method has found, and how.

use serde::{Deserialize, Serialize};

use super::{Stepwise, Tuning, Votes};
use crate::reduce::support::Support;
use crate::search::Found;

/// What a method has found: supports to rank, and its own choice among them if it has a rule.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The supports to be fitted and ranked.
    pub supports: Vec<Support>,
    /// The method's own choice; none if the best of the ranking is the answer.
    pub choice: Option<Support>,
    /// How they were found.
    pub how: How,
}

/// How a method found its supports.
#[derive(Debug, Clone)]
pub enum How {
    /// By exact lists of the best supports of every size.
    Lists(Found),
    /// By exact lists whose supports vote for their terms.
    Votes(Votes),
    /// By adding and removing one term at a time.
    Walk(Stepwise),
    /// By a rule that also gives the coefficients.
    Own(Regressed),
    /// By an exact search for fractions, multiplied out.
    Fractions,
    /// By a search for the values of inner parameters.
    Parameters,
    /// All terms were given, and there was nothing to choose.
    Given,
}

impl How {
    /// The exact lists, for the methods that make them.
    pub fn found(&self) -> Option<&Found> {
        match self {
            Self::Lists(found) => Some(found),
            Self::Votes(votes) => Some(&votes.found),
            Self::Walk(_) | Self::Own(_) | Self::Fractions | Self::Parameters | Self::Given => None,
        }
    }

    /// How many rounds or sizes it took, at least one.
    pub fn rounds(&self) -> Rounds {
        let ended = |count: usize| Rounds {
            count: count.max(1),
            settled: true,
        };
        match self {
            Self::Lists(found) => ended(found.sizes.len()),
            Self::Votes(votes) => ended(votes.found.sizes.len()),
            Self::Walk(walk) => ended(walk.path.len()),
            Self::Own(regressed) => regressed.rounds.unwrap_or(ended(1)),
            Self::Fractions | Self::Parameters | Self::Given => ended(1),
        }
    }

    /// Whether no other equation of a size that was searched fits better; none for methods that
    /// prove nothing.
    pub fn proven(&self) -> Option<bool> {
        match self {
            Self::Own(regressed) => regressed.proven,
            _ => Some(self.found()?.sizes.iter().all(|size| size.exact)),
        }
    }
}

/// A method's own answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pick {
    /// Its terms, those that are always in among them.
    pub support: Support,
    /// One coefficient per term of the support, in the units of the data: the method's own,
    /// shrunken or not.
    pub coefficients: Vec<f64>,
}

/// What a regression method has found.
#[derive(Debug, Clone)]
pub struct Regressed {
    /// Distinct supports, smallest first: those for all values of a knob that were tried, or else
    /// the pick's alone or its path's.
    pub supports: Vec<Support>,
    /// The method's own answer.
    pub pick: Pick,
    /// How its knob was chosen, if cross-validation chose it.
    pub tuning: Option<Tuning>,
    /// For each term of the dictionary how often an ensemble found it, if the method is one.
    pub inclusion: Option<Vec<f64>>,
    /// Whether no other support of the pick's size can do better, where the method proves such
    /// things.
    pub proven: Option<bool>,
    /// How many rounds the pick took, for methods that go in rounds.
    pub rounds: Option<Rounds>,
}

impl Regressed {
    /// A pick and nothing else: what a method finds whose knob the settings fix.
    pub(super) fn only(pick: Pick) -> Self {
        Self {
            supports: vec![pick.support.clone()],
            pick,
            tuning: None,
            inclusion: None,
            proven: None,
            rounds: None,
        }
    }

    /// The pick among the supports that were met on the way.
    pub(super) fn along(supports: impl Iterator<Item = Support>, pick: Pick) -> Self {
        let mut supports: Vec<Support> = supports.collect();
        supports.sort_unstable();
        supports.dedup();
        Self {
            supports,
            ..Self::only(pick)
        }
    }
}

/// How many rounds a method took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rounds {
    /// How many.
    pub count: usize,
    /// Whether it converged, rather than reached the limit on rounds.
    pub settled: bool,
}
