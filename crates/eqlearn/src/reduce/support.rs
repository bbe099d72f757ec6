//! A set of terms, by their index in the dictionary.
//!
//! Supports are what a search finds, a ranking orders and a fit is made on. They are always sorted
//! and free of duplicates, and ordered by size, then lexicographically, so that ties are broken the
//! same way everywhere.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A set of terms, by index into the dictionary. Ordered by size, then lexicographically.
///
/// ```
/// use eqlearn::Support;
///
/// let support: Support = [4, 1, 4].into_iter().collect();
/// assert_eq!(support.indices(), [1, 4]);
/// assert!(support < Support::from_iter([0, 1, 2]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<usize>", into = "Vec<usize>")]
pub struct Support {
    indices: Vec<usize>,
}

impl Support {
    /// The empty support.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The term indices, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there is no term at all.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Whether the term with this index is in.
    pub fn contains(&self, term: usize) -> bool {
        self.indices.binary_search(&term).is_ok()
    }

    /// This support and one more term.
    #[must_use]
    pub fn with(&self, term: usize) -> Self {
        self.indices.iter().copied().chain([term]).collect()
    }

    /// This support without a term.
    #[must_use]
    pub fn without(&self, term: usize) -> Self {
        self.indices
            .iter()
            .copied()
            .filter(|&t| t != term)
            .collect()
    }

    /// This support without the terms of another.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let terms = self.indices.iter().copied();
        terms.filter(|&term| !other.contains(term)).collect()
    }

    /// This support and another together.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.indices.iter().chain(&other.indices).copied().collect()
    }
}

impl FromIterator<usize> for Support {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut indices: Vec<usize> = indices.into_iter().collect();
        indices.sort_unstable();
        indices.dedup();
        Self { indices }
    }
}

impl From<Vec<usize>> for Support {
    fn from(indices: Vec<usize>) -> Self {
        indices.into_iter().collect()
    }
}

impl From<Support> for Vec<usize> {
    fn from(support: Support) -> Self {
        support.indices
    }
}

impl Ord for Support {
    fn cmp(&self, other: &Self) -> Ordering {
        self.len()
            .cmp(&other.len())
            .then_with(|| self.indices.cmp(&other.indices))
    }
}

impl PartialOrd for Support {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
