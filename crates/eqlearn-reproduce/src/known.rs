//! Data whose equation is known.
//!
//! Every data set has its own random stream, keyed by what it is. So it does not depend on which
//! others were made before it.

mod planted;
mod systems;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

pub use planted::{Planted, polynomial};
pub use systems::{Known, LORENZ, RABINOVICH, RABINOVICH_ATTRACTOR};

/// The random stream of one data set: `kind` and `variant` say what is drawn, `number` which one.
pub fn stream(seed: u64, kind: u32, variant: u32, number: u32) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&kind.to_le_bytes());
    key[12..16].copy_from_slice(&variant.to_le_bytes());
    key[16..20].copy_from_slice(&number.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// One draw from the standard normal distribution.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}
