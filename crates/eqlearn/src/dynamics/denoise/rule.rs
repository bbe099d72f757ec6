//! Steps of a record as integrals: the mean slope over a step from four samples.
//!
//! A cubic through the slopes at four neighbouring samples is integrated over the step. With equal
//! steps the weights are (−1, 13, 13, −1)/24, and (9, 19, −5, 1)/24 at an end. The error is of
//! fourth order in the step.

/// How many samples a rule uses.
pub(super) const NODES: usize = 4;

/// The rule of one step: the mean slope is a weighted sum of the slopes at some samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    /// The step begins at this sample and ends at the next.
    pub(super) start: usize,
    /// The first sample of the rule.
    pub(super) first: usize,
    /// One over the length of the step.
    pub(super) rate: f64,
    /// One weight per sample; their sum is one.
    pub(super) weights: [f64; NODES],
}

impl Rule {
    /// The rules of all steps between these times, of which there are at least four.
    pub(super) fn all(times: &[f64]) -> Vec<Self> {
        let last = times.len() - NODES;
        let rule = |start: usize| Self::new(times, start, start.saturating_sub(1).min(last));
        (0..times.len() - 1).map(rule).collect()
    }

    fn new(times: &[f64], start: usize, first: usize) -> Self {
        // Notation: t the times, ℓ_k Lagrange's polynomials, g the nodes of Gauss of two points,
        // which integrate cubics exactly: weight k is (ℓ_k(g₁) + ℓ_k(g₂))/2.
        let t = &times[first..first + NODES];
        let (from, to) = (times[start], times[start + 1]);
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let g = [-1.0, 1.0].map(|side| middle + side * half / 3.0_f64.sqrt());
        let lagrange = |k: usize, at: f64| -> f64 {
            let others = (0..NODES).filter(|&j| j != k);
            others.map(|j| (at - t[j]) / (t[k] - t[j])).product()
        };
        let mut weights = [0.0; NODES];
        for (k, weight) in weights.iter_mut().enumerate() {
            *weight = 0.5 * (lagrange(k, g[0]) + lagrange(k, g[1]));
        }
        Self {
            start,
            first,
            rate: 1.0 / (to - from),
            weights,
        }
    }

    /// By how much the sample at a place of the rule moves the state over the step, per unit of
    /// time: −1 or 1 over the step at its ends, or zero.
    pub(super) fn difference(&self, place: usize) -> f64 {
        match (self.first + place).checked_sub(self.start) {
            Some(0) => -self.rate,
            Some(1) => self.rate,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_have_the_known_weights() {
        let times: Vec<f64> = (0..6).map(|i| 0.3 * f64::from(i)).collect();
        let rules = Rule::all(&times);
        let wanted = [
            (0, [9.0, 19.0, -5.0, 1.0]),
            (2, [-1.0, 13.0, 13.0, -1.0]),
            (4, [1.0, -5.0, 19.0, 9.0]),
        ];
        for (start, wanted) in wanted {
            for (a, b) in rules[start].weights.iter().zip(wanted) {
                assert!((a - b / 24.0).abs() < 1e-12, "{start}: {a} {b}");
            }
        }
    }

    #[test]
    fn unequal_steps_integrate_cubics_exactly() {
        let times = [0.0, 0.1, 0.35, 0.4, 0.62, 0.7];
        for rule in Rule::all(&times) {
            let (from, to) = (times[rule.start], times[rule.start + 1]);
            let exact = (to.powi(4) - from.powi(4)) / 4.0 * rule.rate;
            let nodes = rule.weights.iter().zip(&times[rule.first..]);
            let sum: f64 = nodes.map(|(weight, t)| weight * t.powi(3)).sum();
            assert!((sum - exact).abs() < 1e-14, "{sum} {exact}");
        }
    }
}
