//! A search split among processes that do not communicate: each decides its share of every size and
//! writes a part. Merged, the parts give exactly the lists that one process would have found.
//!
//! The parts of a size fit together because all shards walk the same tree. Its order of columns
//! follows from good supports found before the search. Each shard derives these from the seeds of
//! the size below only, never from its own results, which the others do not know. Small sizes are
//! not split: every shard decides them, because the larger ones start from them; the first shard
//! keeps their lists.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::triangle::Triangle;
use crate::search::decide::task::{Part, Start, Task};
use crate::search::split::checkpoint::{Checkpoint, fingerprint};
use crate::search::split::cluster::WORTH_SENDING;
use crate::search::split::error::{PartDifference, PartsError};
use crate::search::tree::kernel;
use crate::search::{Elsewhere, Found, Run, Search, Shard, SizeList, SizeTask};

/// What one shard of a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPart {
    /// Which share it is.
    pub shard: Shard,
    /// Tells problems and settings apart.
    fingerprint: String,
    /// Which loops ran: a place in the tree means the same subset only where rounding is the same.
    arithmetic: String,
    /// One list per size, each of its share alone.
    pub sizes: Vec<SizeList>,
}

/// Decides one share of a search.
///
/// Parts that are already `known` let it prune more; they do not change the merged result. A score
/// ends it once no larger support can win. A shard alone seldom knows this, so it may search more
/// sizes than one process would. `go_on` is not asked.
///
/// # Errors
/// Those of [`search`](crate::search::search); a known part of another search.
pub fn search_shard(
    triangle: &Triangle,
    settings: &Search,
    shard: Shard,
    known: &[(String, SearchPart)],
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<SearchPart> {
    let task = Task::new(triangle, settings)?;
    let mut part = SearchPart {
        shard,
        fingerprint: fingerprint(triangle, settings),
        arithmetic: kernel::arithmetic().to_string(),
        sizes: Vec::new(),
    };
    for (name, other) in known {
        part.check_same_search(name, other)?;
    }
    let mut checkpoint = Checkpoint::open(run.checkpoint.as_deref(), triangle, settings, shard)?;
    // Supports that certainly exist, and those that all shards know of.
    let (mut certain, mut starts) = (Found::default(), Vec::<SizeList>::new());
    for size in task.sizes() {
        let ended = task.end(size, run, &certain);
        if ended.is_some() {
            break;
        }
        let start = task.start(size, starts.last());
        let mut best = SizeList::of_start(&start);
        let is_split = task.subsets(size) > WORTH_SENDING;
        if is_split {
            starts.push(best.clone());
            let proposed = SizeList::of_start(&task.start(size, certain.sizes.last()));
            let others = known.iter().filter_map(|(_, other)| other.of_size(size));
            for other in [&proposed].into_iter().chain(others) {
                best = best.merge(other, settings.keep);
            }
        }
        let list = if let Some(list) = checkpoint.finished(size) {
            list
        } else {
            let known = &best.best;
            let shard = if is_split { shard } else { Shard::WHOLE };
            let part = Part { shard, known };
            task.decide_share(&start, &part, run, &mut checkpoint, observer)?
        };
        let exact = list.exact;
        if !is_split {
            starts.push(list.clone());
        }
        certain.sizes.push(best.merge(&list, settings.keep));
        if exact {
            checkpoint.finish(&list)?;
        }
        part.sizes.push(list);
        if !exact {
            break;
        }
    }
    if shard.number() > 1 {
        // Counted by the first shard.
        let is_whole = |list: &&mut SizeList| task.subsets(list.size) <= WORTH_SENDING;
        for list in part.sizes.iter_mut().filter(is_whole) {
            let exact = list.exact;
            *list = SizeList {
                exact,
                ..SizeList::nothing(list.size)
            };
        }
    }
    Ok(part)
}

impl SearchPart {
    /// Its list of a size.
    fn of_size(&self, size: usize) -> Option<&SizeList> {
        self.sizes.iter().find(|list| list.size == size)
    }

    /// Refuses a part of something else.
    fn check_same_search(&self, name: &str, other: &Self) -> Result<()> {
        let difference = if self.fingerprint != other.fingerprint {
            PartDifference::DataOrSettings
        } else if self.arithmetic != other.arithmetic {
            PartDifference::Arithmetic {
                theirs: other.arithmetic.clone(),
                ours: self.arithmetic.clone(),
            }
        } else if self.shard.of() != other.shard.of() {
            PartDifference::NumberOfParts {
                share: other.shard,
                of: self.shard.of(),
            }
        } else {
            return Ok(());
        };
        let name = name.to_string();
        Err(PartsError::Foreign { name, difference }.into())
    }
}

impl SizeList {
    /// What is certain before a search.
    fn of_start(start: &Start) -> Self {
        Self {
            best: start.best.clone(),
            ..Self::nothing(start.size)
        }
    }

    /// No share of a size at all: the neutral element of [`merge`](Self::merge).
    pub(crate) fn nothing(size: usize) -> Self {
        Self {
            size,
            subsets: 0,
            exact: true,
            best: Vec::new(),
            certificate: crate::search::Certificate::default(),
        }
    }
}

/// All parts of a search, merged: a search takes its lists from here.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    fingerprint: String,
    sizes: Vec<SizeList>,
}

impl Merged {
    /// Puts named parts together, in any order.
    ///
    /// # Errors
    /// A part of another search, the same part twice, or one that is missing.
    pub fn new(parts: &[(String, SearchPart)], keep: usize) -> Result<Self> {
        let Some((_, first)) = parts.first() else {
            return Err(PartsError::NoParts.into());
        };
        for (place, (name, part)) in parts.iter().enumerate() {
            first.check_same_search(name, part)?;
            let before = parts[..place].iter().find(|(_, p)| p.shard == part.shard);
            if let Some((other, _)) = before {
                let (name, other) = (name.clone(), other.clone());
                let share = part.shard;
                return Err(PartsError::Twice { name, other, share }.into());
            }
        }
        let is_there = |shard: &Shard| parts.iter().any(|(_, part)| part.shard == *shard);
        let missing = Shard::all(first.shard.of()).filter(|shard| !is_there(shard));
        let missing: Vec<Shard> = missing.collect();
        if !missing.is_empty() {
            return Err(PartsError::Missing { missing }.into());
        }
        let merge = |list: &SizeList| {
            let mut others = parts.iter().map(|(_, part)| part.of_size(list.size));
            others.try_fold(SizeList::nothing(list.size), |all, other| {
                Some(all.merge(other?, keep))
            })
        };
        Ok(Self {
            fingerprint: first.fingerprint.clone(),
            sizes: first.sizes.iter().map_while(merge).collect(),
        })
    }
}

impl Elsewhere for Merged {
    fn decide(&self, task: &SizeTask<'_>, _: &mut dyn Observer) -> Result<Option<SizeList>> {
        let same = fingerprint(task.triangle, task.settings) == self.fingerprint;
        let list = self.sizes.iter().find(|list| list.size == task.size);
        match list.filter(|_| same) {
            Some(list) => Ok(Some(list.clone())),
            None => Err(PartsError::NotIncluded { size: task.size }.into()),
        }
    }
}
