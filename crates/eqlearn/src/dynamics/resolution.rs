//! What a record resolves: the noise of each state and the time scale of the motion, from the data
//! alone.
//!
//! # Time scale
//! `√(var x / var x')`, the smallest over the states, with the variance of the derivative from
//! differences over a lag: long enough to exceed the noise, short enough for the motion to be
//! nearly linear in it.

use crate::data::trajectory::Trajectories;
use crate::numeric::local::noise;

/// Noise beyond this share of a state's spread is much: below, the weak form is nearly as good as
/// anything, and a sample is nearly the state.
pub(crate) const MUCH_NOISE: f64 = 0.02;
/// The fraction of the variance that differences reach at the lag from which derivatives are taken.
const STRAIGHT: f64 = 0.1;

/// Noise and time scale of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// The noise level of each state.
    pub sigma: Vec<f64>,
    /// The shortest time scale of the motion: the smallest `√(var x / var x')`.
    pub time_scale: f64,
}

impl Resolution {
    /// Reads both off the record.
    pub fn new(trajectories: &Trajectories) -> Self {
        let n_states = trajectories.states().len();
        let columns = |state: usize| -> Vec<&[f64]> {
            let pieces = trajectories.pieces().iter();
            pieces
                .map(|piece| piece.columns()[state].as_slice())
                .collect()
        };
        let sigma: Vec<f64> = (0..n_states).map(|d| noise(&columns(d))).collect();
        let scale = |d: usize| time_scale(&columns(d), sigma[d]);
        let time_scale =
            trajectories.step() * (0..n_states).map(scale).fold(f64::INFINITY, f64::min);
        Self { sigma, time_scale }
    }
}

/// The time scale of one state in steps.
fn time_scale(pieces: &[&[f64]], sigma: f64) -> f64 {
    let n: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mean = pieces.iter().flat_map(|p| p.iter()).sum::<f64>() / n as f64;
    let squares = pieces
        .iter()
        .flat_map(|p| p.iter())
        .map(|v| (v - mean).powi(2));
    let variance = (squares.sum::<f64>() / n as f64 - sigma * sigma).max(f64::MIN_POSITIVE);
    let longest = pieces.iter().map(|piece| piece.len()).max().unwrap_or(1);
    let mut lag = 1;
    loop {
        let (sum, count) = squared_differences(pieces, lag);
        let moved = (sum / count.max(1) as f64 - 2.0 * sigma * sigma).max(0.0);
        if moved >= STRAIGHT * variance || 2 * lag >= longest {
            return lag as f64 * (variance / moved.max(f64::MIN_POSITIVE)).sqrt();
        }
        lag = (lag * 5).div_ceil(4);
    }
}

fn squared_differences(pieces: &[&[f64]], lag: usize) -> (f64, usize) {
    let mut total = (0.0, 0);
    for piece in pieces.iter().filter(|piece| piece.len() > lag) {
        let pairs = piece[lag..].iter().zip(*piece);
        total.0 += pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        total.1 += piece.len() - lag;
    }
    total
}
