//! What is known of equations before any record: how large coefficients are, and which terms are
//! more probable than others.
//!
//! - A coefficient is normal with a scale at which its term is some times the usual slope of the
//!   state, which is its spread over the time scale of the motion: no unit matters.
//! - Whether a term is in an equation does not depend on the others. A term costs `TERM` nats, and
//!   each factor beyond the first `2 ln(n + 2)` more: one symbol for the feature that it names and
//!   one for the sign before it, out of `n` features and two signs. This is the length of a
//!   description, as exhaustive symbolic regression counts it, and pays for the number of terms of
//!   high degree. On a short record `y` and `y*z` are nearly the same where `z` is far from zero,
//!   and only this tells them.

/// How much larger than the usual slope a term may be, because terms cancel each other.
const LARGE: f64 = 2.0;

/// What a term costs, in nats: three terms of eight are in an equation.
const TERM: f64 = 0.5;
/// What each term beyond the most that an equation may have costs, in nats: more than any record
/// can pay.
const FORBIDDEN: f64 = 1e5;

/// Before any record.
#[derive(Debug)]
pub(super) struct Prior {
    /// The scale of each coefficient, by state and term.
    scales: Vec<Vec<f64>>,
    /// What each term costs, in nats.
    prices: Vec<f64>,
    /// How many terms of its choice each state's equation may have.
    most: Vec<usize>,
}

impl Prior {
    /// For slopes of this usual size, and terms of these sizes and prices.
    pub(super) fn new(slopes: &[f64], sizes: &[f64], prices: Vec<f64>, most: Vec<usize>) -> Self {
        // A term without a size has no scale: its price is infinite.
        let of = |slope: f64, size: f64| {
            if size.is_finite() {
                LARGE * slope / size
            } else {
                f64::INFINITY
            }
        };
        let scale = |slope: &f64| sizes.iter().map(|&size| of(*slope, size)).collect();
        Self {
            scales: slopes.iter().map(scale).collect(),
            prices,
            most,
        }
    }

    /// The scale of a coefficient.
    pub(super) fn scale(&self, state: usize, term: usize) -> f64 {
        self.scales[state][term]
    }

    /// What a coefficient costs by itself: the log of its scale, and the price of its term.
    pub(super) fn price(&self, state: usize, term: usize) -> f64 {
        self.scale(state, term).ln() + self.prices[term]
    }

    /// What it costs that a state's equation has this many terms of its choice.
    pub(super) fn of_size(&self, state: usize, size: usize) -> f64 {
        let beyond = size.saturating_sub(self.most[state]);
        TERM * size as f64 + FORBIDDEN * beyond as f64
    }
}
