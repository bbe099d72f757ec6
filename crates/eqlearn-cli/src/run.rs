//! One file per command: flags to settings, one call into the library, the result printed.

pub(crate) mod compare;
mod conclude;
pub(crate) mod demo;
pub(crate) mod discover;
pub(crate) mod fit;
mod grouped;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod predict;
pub(crate) mod reduce;
pub(crate) mod reproduce;
pub(crate) mod simulate;
