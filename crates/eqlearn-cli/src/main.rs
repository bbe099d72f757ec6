//! The `eqlearn` command.

fn main() {}
