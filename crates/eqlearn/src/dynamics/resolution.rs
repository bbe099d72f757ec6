//! What a record resolves: the noise of each state and the time scale of the motion, from the data
//! alone.
//!
//! # Time scale
//! `√(var x / var x')`, the smallest over the states, with the variance of the derivative from
//! differences over a lag: long enough to exceed the noise and what is not known of it, short
//! enough for the motion to be nearly linear in it.

use crate::data::trajectory::Trajectories;
use crate::numeric::local::noise;

/// Noise beyond this share of a state's spread is much: below, the weak form is nearly as good as
/// anything, and a sample is nearly the state.
pub(crate) const MUCH_NOISE: f64 = 0.02;
/// The fraction of the variance that differences reach at the lag from which derivatives are taken.
const STRAIGHT: f64 = 0.1;

/// How much of the noise's part in differences may be a wrong estimate of the noise. A state that
/// is hidden by noise would otherwise seem to move from sample to sample.
const UNKNOWN: f64 = 0.2;

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
        // Where noise hides all states, they change from sample to sample as far as one can tell.
        let steps = (0..n_states).filter_map(scale).reduce(f64::min);
        Self {
            sigma,
            time_scale: trajectories.step() * steps.unwrap_or(1.0),
        }
    }
}

/// The time scale of one state in steps; none if noise hides it.
fn time_scale(pieces: &[&[f64]], sigma: f64) -> Option<f64> {
    let n: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mean = pieces.iter().flat_map(|p| p.iter()).sum::<f64>() / n as f64;
    let squares = pieces
        .iter()
        .flat_map(|p| p.iter())
        .map(|v| (v - mean).powi(2));
    let variance = squares.sum::<f64>() / n as f64 - sigma * sigma;
    if variance <= UNKNOWN * sigma * sigma {
        return None;
    }
    let of_noise = 2.0 * sigma * sigma;
    let enough = STRAIGHT * variance + UNKNOWN * of_noise;
    let longest = pieces.iter().map(|piece| piece.len()).max().unwrap_or(1);
    let mut lag = 1;
    loop {
        let (sum, count) = squared_differences(pieces, lag);
        let moved = (sum / count.max(1) as f64 - of_noise).max(0.0);
        if moved >= enough || 2 * lag >= longest {
            return Some(lag as f64 * (variance / moved.max(f64::MIN_POSITIVE)).sqrt());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors of fixed shape that look like noise: sums of twelve digits far behind the point.
    fn noise(i: usize) -> f64 {
        let digit = |k: usize| {
            let far = 1e4 * (1.0 + (12 * i + k) as f64 * 0.754_877_666_246_692_8).sin();
            far - far.floor() - 0.5
        };
        (0..12).map(digit).sum()
    }

    #[test]
    fn a_state_that_noise_hides_does_not_set_the_time_scale() {
        let record = |share: f64| {
            let times: Vec<f64> = (0..2000).map(|i| 0.05 * f64::from(i)).collect();
            let noisy = |value: fn(f64) -> f64, share: f64, first: usize| -> Vec<f64> {
                let values = times.iter().enumerate();
                values
                    .map(|(i, t)| value(*t) + share * noise(first + i))
                    .collect()
            };
            let columns = vec![noisy(f64::sin, 0.01, 0), noisy(f64::cos, share, 2000)];
            Trajectories::of_run("t", times.clone(), &["x", "y"], columns).unwrap()
        };
        // The spread of a sine over that of its derivative.
        for share in [0.0, 0.1, 1.0, 3.0] {
            let found = Resolution::new(&record(share)).time_scale;
            assert!((found - 1.0).abs() < 0.15, "{share}: {found}");
        }
    }
}
