//! The command as a user meets it: what it prints, what it writes, how it ends.

mod bad_input;
mod command;
mod fit;
mod nist;
