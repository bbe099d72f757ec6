//! Shares: which subtrees belong to which process when several decide one size.
//!
//! Subtrees two levels below the root (fewer where there are fewer levels above the jobs) are
//! grouped into runs of neighbours. Each run goes to the shard that has least so far, long runs
//! first. Neighbours cost about the same and have the same parent. So a shard has runs from all
//! over the tree, but few upper nodes to compute.
//!
//! Invariant: every subset belongs to exactly one shard, so the subsets of all shares add up to
//! those of the size.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::search::decide::plan::Binomials;

/// Runs per shard, at least, where there are enough subtrees.
const RUNS: u128 = 16;

/// One of several equal shares of a search, counted from 1: `3/16`.
///
/// ```
/// use eqlearn::search::Shard;
///
/// let shard: Shard = "3/16".parse()?;
/// assert_eq!((shard.number(), shard.of()), (3, 16));
/// assert!("17/16".parse::<Shard>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    place: usize,
    of: usize,
}

impl Shard {
    /// The only share of a search that is not split.
    pub const WHOLE: Self = Self { place: 0, of: 1 };

    /// Share `number` of `of`; none unless `1 ≤ number ≤ of`.
    pub fn new(number: usize, of: usize) -> Option<Self> {
        let place = number.checked_sub(1).filter(|&place| place < of)?;
        Some(Self { place, of })
    }

    /// All shares of a search that is split into this many.
    pub fn all(of: usize) -> impl Iterator<Item = Self> {
        (0..of).map(move |place| Self { place, of })
    }

    /// Which one, from 1.
    pub fn number(self) -> usize {
        self.place + 1
    }

    /// Of how many.
    pub fn of(self) -> usize {
        self.of
    }

    /// In words: `part 3 of 16`.
    pub fn words(self) -> String {
        format!("part {} of {}", self.number(), self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number(), self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        numbers
            .and_then(|(number, of)| Self::new(number.parse().ok()?, of.parse().ok()?))
            .ok_or_else(|| format!("{text:?} is no share such as 3/16, the third of sixteen"))
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

/// The part of one size's tree that belongs to a shard.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    owned: Owned,
    left: usize,
    n_columns: usize,
}

#[derive(Debug, Clone)]
enum Owned {
    All,
    /// There was nothing to split, and another shard has it.
    Nothing,
    /// For each column of the root.
    Columns(Vec<bool>),
    /// For each column of the root, and each below that.
    Pairs(Vec<Vec<bool>>),
}

impl Share {
    /// The share of a tree in which `left` of `n_columns` are chosen and jobs are `depth` levels
    /// down.
    pub(crate) fn new(
        shard: Shard,
        n_columns: usize,
        left: usize,
        depth: usize,
        binomials: &Binomials,
    ) -> Self {
        let owned = match depth {
            _ if shard.of == 1 => Owned::All,
            0 if shard.place == 0 => Owned::All,
            0 => Owned::Nothing,
            1 => {
                let mine = |u: usize| (n_columns - 1 - u) % shard.of == shard.place;
                Owned::Columns((0..n_columns).map(mine).collect())
            }
            _ => Owned::Pairs(deal(shard, n_columns, left, binomials)),
        };
        Self {
            owned,
            left,
            n_columns,
        }
    }

    /// Whether something below this place is ours.
    pub(crate) fn has(&self, place: &[usize]) -> bool {
        match (&self.owned, place) {
            (Owned::Nothing, _) => false,
            (Owned::Columns(columns), [u, ..]) => columns[*u],
            (Owned::Pairs(pairs), [u]) => pairs[*u].contains(&true),
            (Owned::Pairs(pairs), [u, v, ..]) => pairs[*u][*v],
            _ => true,
        }
    }

    /// How many subsets of this share contain the path `above` and continue with column `u` or one
    /// before it.
    pub(crate) fn up_to(&self, above: &[usize], u: usize, binomials: &Binomials) -> u128 {
        let left = self.left - above.len();
        let of_pairs = |row: &[bool], left: usize| -> u128 {
            let ours = row.iter().enumerate().filter(|(_, ours)| **ours);
            ours.map(|(v, _)| binomials.choose(v, left - 1))
                .fold(0, u128::saturating_add)
        };
        match (&self.owned, above) {
            (Owned::Nothing, _) => 0,
            (Owned::Columns(columns), []) => of_pairs(&columns[..=u], left),
            (Owned::Pairs(pairs), []) => pairs[..=u]
                .iter()
                .map(|row| of_pairs(row, left - 1))
                .fold(0, u128::saturating_add),
            (Owned::Pairs(pairs), [above]) => of_pairs(&pairs[*above][..=u], left),
            _ => binomials.choose(u + 1, left),
        }
    }

    /// How many subsets are ours.
    pub(crate) fn subsets(&self, binomials: &Binomials) -> u128 {
        match self.n_columns.checked_sub(1) {
            Some(last) => self.up_to(&[], last, binomials),
            None => binomials.choose(0, self.left),
        }
    }
}

/// Which pairs of columns are the shard's: for each column of the root, those before it.
fn deal(shard: Shard, n_columns: usize, left: usize, binomials: &Binomials) -> Vec<Vec<bool>> {
    let mut pairs: Vec<Vec<bool>> = (0..n_columns).map(|u| vec![false; u]).collect();
    let mut runs = runs(shard, n_columns, left, binomials);
    runs.sort_by_key(|run| Reverse(run.subsets));
    let mut loads: BinaryHeap<Reverse<(u128, usize)>> =
        (0..shard.of).map(|place| Reverse((0, place))).collect();
    for run in runs {
        let Some(Reverse((load, place))) = loads.pop() else {
            break;
        };
        if place == shard.place {
            pairs[run.column][run.below].fill(true);
        }
        loads.push(Reverse((load.saturating_add(run.subsets), place)));
    }
    pairs
}

/// Neighbouring subtrees: those of the pairs of `column` with each of `below`.
struct Run {
    subsets: u128,
    column: usize,
    below: Range<usize>,
}

/// Runs of about equally many subsets, in the order of the walk: last columns first.
fn runs(shard: Shard, n_columns: usize, left: usize, binomials: &Binomials) -> Vec<Run> {
    let enough = binomials.choose(n_columns, left) / (RUNS * shard.of as u128);
    let mut runs = Vec::new();
    for column in (0..n_columns).rev() {
        let (mut end, mut subsets) = (column, 0_u128);
        for first in (0..column).rev() {
            subsets = subsets.saturating_add(binomials.choose(first, left - 2));
            if subsets > enough || first == 0 {
                let below = first..end;
                runs.push(Run {
                    subsets,
                    column,
                    below,
                });
                (end, subsets) = (first, 0);
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once() {
        for (n_columns, left, depth, of) in [
            (12, 5, 2, 3),
            (12, 5, 2, 7),
            (9, 4, 1, 4),
            (9, 3, 0, 2),
            (5, 5, 2, 40),
        ] {
            let binomials = Binomials::new(n_columns, left);
            let shares: Vec<Share> = Shard::all(of)
                .map(|shard| Share::new(shard, n_columns, left, depth, &binomials))
                .collect();
            let sum: u128 = shares.iter().map(|share| share.subsets(&binomials)).sum();
            assert_eq!(sum, binomials.choose(n_columns, left));
            for u in 1..n_columns {
                for v in 0..u {
                    let owners = shares.iter().filter(|share| share.has(&[u, v])).count();
                    assert_eq!(owners, 1, "pair {u}, {v}");
                }
            }
        }
    }

    #[test]
    fn shares_are_of_comparable_size() {
        for of in [2, 16, 100] {
            let binomials = Binomials::new(72, 8);
            let all = binomials.choose(72, 8) / of as u128;
            for shard in Shard::all(of) {
                let share = Share::new(shard, 72, 8, 2, &binomials).subsets(&binomials);
                let difference = share.abs_diff(all);
                assert!(difference < all / 8, "{shard}: {share} of {all}");
            }
        }
    }
}
