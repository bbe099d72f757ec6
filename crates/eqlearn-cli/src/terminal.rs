//! What people read at a terminal: results and comparisons in numbers of three digits, and
//! words beside them, folded to the width of the window.

mod aside;
mod comparison;
mod field;
mod fold;
mod groups;
mod look;
mod result;

pub(crate) use aside::aside;
pub(crate) use comparison::comparison;
pub(crate) use fold::sentence;
pub(crate) use look::Look;
pub(crate) use result::result;
