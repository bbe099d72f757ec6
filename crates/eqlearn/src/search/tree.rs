//! The subset tree: nodes and their bounds, the order of columns, the enumeration of the last
//! levels, and the residual of one support.

pub(in crate::search) mod gram;
pub(in crate::search) mod kernel;
pub(in crate::search) mod node;
pub(in crate::search) mod order;
pub(in crate::search) mod rescore;
pub(in crate::search) mod walk;
