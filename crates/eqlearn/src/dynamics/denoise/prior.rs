//! What is known of equations before any record: how large coefficients are, and which terms are
//! more probable than others.
//!
//! - A coefficient is normal with a scale at which its term is some times the usual slope of the
//!   state, which is its spread over the time scale of the motion: no unit matters.
//! - Every number of terms is equally probable. Among the supports of one size, each factor of a
//!   term beyond the first costs `2 ln(n + 2)` nats: one symbol for the feature that it names and
//!   one for the sign before it, out of `n` features and two signs. This is the length of a
//!   description, as exhaustive symbolic regression counts it. On a short record `y` and `y*z` are
//!   nearly the same where `z` is far from zero, and only this tells them.

use crate::reduce::support::Support;

/// How much larger than the usual slope a term may be, because terms cancel each other.
const LARGE: f64 = 5.0;

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
    /// For each state and number of chosen terms, the log of the sum over all supports.
    totals: Vec<Vec<f64>>,
}

impl Prior {
    /// For slopes of this usual size, terms of these sizes and prices, and the terms that each
    /// equation can choose from, with how many it may have.
    pub(super) fn new(
        slopes: &[f64],
        sizes: &[f64],
        prices: Vec<f64>,
        choice: &[(Support, usize)],
    ) -> Self {
        let scale = |slope: &f64| sizes.iter().map(|size| LARGE * slope / size).collect();
        Self {
            scales: slopes.iter().map(scale).collect(),
            totals: choice
                .iter()
                .map(|(own, most)| limited(totals(&prices, own), *most))
                .collect(),
            prices,
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
        self.totals[state][size]
    }
}

/// The log of the sum of `exp(−price)` over all supports of each size: elementary symmetric
/// polynomials, one term after another.
fn totals(prices: &[f64], choice: &Support) -> Vec<f64> {
    let mut sums = vec![1.0];
    for &term in choice.indices() {
        sums.push(0.0);
        let weight = (-prices[term]).exp();
        for size in (1..sums.len()).rev() {
            sums[size] += weight * sums[size - 1];
        }
    }
    sums.iter().map(|sum| sum.ln()).collect()
}

/// The same with a price that nothing can pay for larger sizes.
fn limited(mut totals: Vec<f64>, most: usize) -> Vec<f64> {
    for (beyond, total) in totals.iter_mut().skip(most + 1).enumerate() {
        *total += FORBIDDEN * (beyond + 1) as f64;
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_one_price_are_counted_and_dear_ones_count_less() {
        let alike = totals(&[0.0; 4], &(0..4).collect());
        for (log, count) in alike.iter().zip([1.0_f64, 4.0, 6.0, 4.0, 1.0]) {
            assert!((log - count.ln()).abs() < 1e-14);
        }
        let price = 3.0_f64.ln();
        let unlike = totals(&[0.0, price, price], &(0..3).collect());
        // Pairs: twice a cheap and a dear one, once two dear ones.
        let pairs: f64 = 2.0 / 3.0 + 1.0 / 9.0;
        assert!((unlike[2] - pairs.ln()).abs() < 1e-14);
    }
}
