//! Capabilities of the library, through its public face only. One module each.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop here"
)]

mod answers;
mod brute;
mod close;
mod code;
mod dynamics;
mod evidence;
mod examples;
mod field_files;
mod fields;
mod first_tables;
mod fixture;
mod golden;
mod groups;
mod inner;
mod kinetics;
mod learning;
mod methods;
mod motion_misfit;
mod much_noise;
mod nist;
mod orbit;
mod parts;
mod peers;
mod reduction;
mod search;
mod shards;
mod targets;
