//! Capabilities of the library, through its public face only. One module each.

mod close;
mod nist;
mod reduction;
