//! What is said about a result: the document, warnings, comparisons.

pub mod caveats;
pub mod compare;
pub mod conclude;
pub mod diagnose;
pub mod document;
pub mod gather;
mod grouped;
pub mod part_file;
pub mod parting;
pub mod verdict;
pub mod warning;

pub use grouped::GatheredGroups;
