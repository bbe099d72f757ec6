//! Values of a trajectory between its samples.
//!
//! Integrals over a trajectory are sums over [`Nodes`]. With equal steps and a well-resolved signal
//! the samples themselves are the nodes: the trapezoidal rule is then exact to rounding for smooth
//! test functions. Long or unequal steps need values in between: a polynomial of degree five
//! through the nearest samples first, and once a system has been learned, its own flow.
//!
//! # Formula
//! The flow `Φ` from a sample, with a linear correction so that it meets the next one:
//! ```text
//! X(t_i + s) = Φ_s(x_i) + (s/h) (x_{i+1} − Φ_h(x_i))
//! ```
//! This is exact if the system is the true one and the samples are exact. An error of the system
//! enters only by what accumulates within one step, so alternating between learning and
//! interpolation converges quickly.

use crate::data::trajectory::Piece;
use crate::dynamics::rows::jumps::{Jump, jumps};

/// Gauss–Legendre nodes and weights on [0, 1], exact for polynomials of degree seven.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Samples of the polynomial where the flow cannot be simulated.
const FALLBACK: usize = 6;

/// Points in time at which integrals are taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes {
    /// Times, rising.
    pub times: Vec<f64>,
    /// Quadrature weights.
    pub weights: Vec<f64>,
    /// The last sample at or before each node.
    pub left: Vec<usize>,
    /// The position of each node between two samples, 0 to 1.
    pub share: Vec<f64>,
    /// The values of the features at the nodes.
    pub columns: Vec<Vec<f64>>,
    /// Where columns jump from one sample to the next.
    pub(crate) jumps: Vec<Jump>,
}

impl Nodes {
    /// The samples themselves, with trapezoidal weights.
    pub fn samples(piece: &Piece) -> Self {
        let t = piece.times();
        let n = t.len();
        let weight = |i: usize| 0.5 * (t[(i + 1).min(n - 1)] - t[i.saturating_sub(1)]);
        Self {
            times: t.to_vec(),
            weights: (0..n).map(weight).collect(),
            left: (0..n).collect(),
            share: vec![0.0; n],
            columns: piece.columns().to_vec(),
            jumps: jumps(piece),
        }
    }

    /// Four nodes per step on a polynomial through this many nearest samples; on straight lines for
    /// an input that jumps. The states are the first features.
    pub fn polynomial(piece: &Piece, n_states: usize, stencil: usize) -> Self {
        let mut nodes = Self::between(piece);
        let jump = |input: &usize| nodes.jumps.iter().any(|jump| jump.feature == *input);
        let inputs = n_states..piece.columns().len();
        let jumping: Vec<usize> = inputs.filter(jump).collect();
        let n = piece.len();
        let width = stencil.min(n);
        for j in 0..nodes.times.len() {
            let first = (nodes.left[j] + 1).saturating_sub(width / 2).min(n - width);
            let weights = lagrange(&piece.times()[first..first + width], nodes.times[j]);
            for (column, samples) in nodes.columns.iter_mut().zip(piece.columns()) {
                let values = &samples[first..first + width];
                column[j] = weights.iter().zip(values).map(|(w, v)| w * v).sum();
            }
        }
        for input in jumping {
            nodes.columns[input] = nodes.on_line(&piece.columns()[input]);
        }
        nodes
    }

    /// Four nodes per step on the flow of a system, where it can be simulated; elsewhere on the
    /// polynomial.
    ///
    /// `slope` fills, for columns of features, the time derivative of each state.
    pub fn flow(piece: &Piece, n_states: usize, slope: &Slope<'_>) -> Self {
        let mut nodes = Self::polynomial(piece, n_states, FALLBACK);
        let n_steps = piece.len() - 1;
        let t = piece.times();
        let h: Vec<f64> = (0..n_steps).map(|i| t[i + 1] - t[i]).collect();
        let mut flow = Flow::new(piece, n_states, &h);
        let mut at_nodes = Vec::with_capacity(GAUSS.len());
        let mut before = 0.0;
        for (place, _) in GAUSS {
            flow.advance(before, place, slope);
            at_nodes.push(flow.states.clone());
            before = place;
        }
        flow.advance(before, 1.0, slope);
        let ranges: Vec<f64> = (0..n_states).map(|d| range(&piece.columns()[d])).collect();
        let defect = |d: usize, i: usize| piece.columns()[d][i + 1] - flow.states[d][i];
        // A flow that misses the next sample by more than the range of the record is useless for
        // this step.
        let follows = |i: usize| (0..n_states).all(|d| defect(d, i).abs() <= ranges[d]);
        for i in (0..n_steps).filter(|&i| follows(i)) {
            for (k, ((place, _), reached)) in GAUSS.iter().zip(&at_nodes).enumerate() {
                for (d, states) in reached.iter().enumerate() {
                    let value = states[i] + place * defect(d, i);
                    if value.is_finite() {
                        nodes.columns[d][i * GAUSS.len() + k] = value;
                    }
                }
            }
        }
        nodes
    }

    /// Values that are known at the samples, interpolated linearly.
    pub fn on_line(&self, samples: &[f64]) -> Vec<f64> {
        let value = |(&left, &share): (&usize, &f64)| {
            if share > 0.0 {
                samples[left] + share * (samples[left + 1] - samples[left])
            } else {
                samples[left]
            }
        };
        self.left.iter().zip(&self.share).map(value).collect()
    }

    fn between(piece: &Piece) -> Self {
        let t = piece.times();
        let n_nodes = (t.len() - 1) * GAUSS.len();
        let mut nodes = Self {
            times: Vec::with_capacity(n_nodes),
            weights: Vec::with_capacity(n_nodes),
            left: Vec::with_capacity(n_nodes),
            share: Vec::with_capacity(n_nodes),
            columns: vec![vec![0.0; n_nodes]; piece.columns().len()],
            jumps: jumps(piece),
        };
        for i in 0..t.len() - 1 {
            let h = t[i + 1] - t[i];
            for (place, weight) in GAUSS {
                nodes.times.push(t[i] + place * h);
                nodes.weights.push(weight * h);
                nodes.left.push(i);
                nodes.share.push(place);
            }
        }
        nodes
    }
}

/// Fills the time derivative of each state from the columns of the features.
pub type Slope<'a> = dyn Fn(&[&[f64]], &mut [Vec<f64>]) + 'a;

/// Runge–Kutta steps from every sample at once.
struct Flow<'a> {
    piece: &'a Piece,
    steps: &'a [f64],
    states: Vec<Vec<f64>>,
    /// Features that are not states, at the current time: inputs are interpolated linearly.
    others: Vec<Vec<f64>>,
}

impl<'a> Flow<'a> {
    fn new(piece: &'a Piece, n_states: usize, steps: &'a [f64]) -> Self {
        let n = steps.len();
        let (states, others) = piece.columns().split_at(n_states);
        Self {
            piece,
            steps,
            states: states.iter().map(|c| c[..n].to_vec()).collect(),
            others: others.iter().map(|c| c[..n].to_vec()).collect(),
        }
    }

    /// From one fraction of the step to another, by two steps of the classical Runge–Kutta method
    /// of order four.
    fn advance(&mut self, from: f64, to: f64, slope: &Slope<'_>) {
        let middle = 0.5 * (from + to);
        self.step(from, middle, slope);
        self.step(middle, to, slope);
    }

    fn step(&mut self, from: f64, to: f64, slope: &Slope<'_>) {
        let start = self.states.clone();
        let mut total: Vec<Vec<f64>> = vec![vec![0.0; self.steps.len()]; start.len()];
        let mut k = total.clone();
        for (share, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            for d in 0..start.len() {
                for i in 0..self.steps.len() {
                    let h = (to - from) * self.steps[i];
                    self.states[d][i] = start[d][i] + share * h * k[d][i];
                }
            }
            self.set_others(start.len(), from + share * (to - from));
            let columns: Vec<&[f64]> = self
                .states
                .iter()
                .chain(&self.others)
                .map(Vec::as_slice)
                .collect();
            slope(&columns, &mut k);
            for (total, k) in total.iter_mut().zip(&k) {
                for (total, k) in total.iter_mut().zip(k) {
                    *total += weight / 6.0 * k;
                }
            }
        }
        for d in 0..start.len() {
            for i in 0..self.steps.len() {
                let h = (to - from) * self.steps[i];
                self.states[d][i] = start[d][i] + h * total[d][i];
            }
        }
    }

    fn set_others(&mut self, n_states: usize, share: f64) {
        for (other, samples) in self
            .others
            .iter_mut()
            .zip(&self.piece.columns()[n_states..])
        {
            for (i, value) in other.iter_mut().enumerate() {
                *value = samples[i] + share * (samples[i + 1] - samples[i]);
            }
        }
    }
}

/// The weights of the samples in the value of their interpolating polynomial at a time.
fn lagrange(times: &[f64], at: f64) -> Vec<f64> {
    let weight = |j: usize| {
        let others = (0..times.len()).filter(|&k| k != j);
        others
            .map(|k| (at - times[k]) / (times[j] - times[k]))
            .product()
    };
    (0..times.len()).map(weight).collect()
}

fn range(values: &[f64]) -> f64 {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high - low
}
