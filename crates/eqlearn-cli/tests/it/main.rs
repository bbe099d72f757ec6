//! The command as a user meets it: what it prints, what it writes, how it ends.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop here"
)]

mod book;
mod command;
mod compare;
mod discover;
mod fields;
mod fit;
mod groups;
mod kinetics;
mod laboratory;
mod mistakes;
mod much_noise;
mod nist;
mod noise;
mod odd_words;
mod open;
mod parameters;
mod picture;
mod reduce;
mod reproduce;
mod search;
mod shards;
mod simulate;
mod terminal;
mod words;
mod written;
