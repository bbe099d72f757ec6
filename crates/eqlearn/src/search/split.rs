//! A search in pieces: shards for separate processes, tasks for a cluster, checkpoints to resume
//! from.

pub(in crate::search) mod checkpoint;
pub(in crate::search) mod cluster;
pub(in crate::search) mod error;
pub(in crate::search) mod parts;
pub(in crate::search) mod share;
