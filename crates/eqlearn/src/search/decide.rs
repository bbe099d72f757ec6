//! How one size is decided: good supports first, then jobs for threads that share one list.

pub(in crate::search) mod crew;
pub(in crate::search) mod pass;
pub(in crate::search) mod plan;
pub(in crate::search) mod seed;
pub(in crate::search) mod shortlist;
pub(in crate::search) mod source;
pub(in crate::search) mod task;
