//! The reproduction from outside: the same bytes however it is run, and figures of all lines.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop here"
)]

mod figures;
mod folder;
mod others;
mod runs;
mod toy;
