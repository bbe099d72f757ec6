//! How the noise of the samples propagates to the rows of the weak form.

use super::{Test, Tests};
use crate::dynamics::rows::interpolate::Nodes;
use crate::numeric::banded::{Cholesky, Ragged};
use crate::numeric::vector::{add, dot, widely};

/// One state's contribution to the errors of an equation.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its noise level.
    pub sigma: f64,
    /// Whether the equation is its own, so that its noise is in the response too.
    pub is_response: bool,
    /// The equation's derivative with respect to it at the nodes, once an equation is known.
    pub slope: Option<&'a [f64]>,
}

/// One state's contribution to the errors of an equation for accelerations.
#[derive(Debug, Clone)]
pub struct MovingSource {
    /// Its noise level.
    pub sigma: f64,
    /// Whether the equation is its own, so that its noise is in the response too.
    pub is_response: bool,
    /// The equation's derivative with respect to its position at the nodes, once an equation is
    /// known.
    pub by_position: Option<Vec<f64>>,
    /// The same for its velocity.
    pub by_velocity: Option<Vec<f64>>,
}

impl MovingSource {
    /// How the noise at a node of a row enters: `φ'' − φ ∂f/∂x + φ' ∂f/∂v`. The velocity is
    /// integrated by parts, so that its noise is that of the position.
    fn factor(&self, row: &Test, k: usize) -> f64 {
        let at_node = |slope: &Option<Vec<f64>>| slope.as_ref().map_or(0.0, |s| s[row.first + k]);
        let in_response = if self.is_response {
            row.curvature[k]
        } else {
            0.0
        };
        let in_terms =
            row.value[k] * at_node(&self.by_position) + row.slope[k] * at_node(&self.by_velocity);
        self.sigma * (in_response - in_terms)
    }
}

/// How the noise of the samples enters rows of several equations: row `k` of the first equation, of
/// the second, …, row `k + 1` of the first.
#[derive(Debug)]
pub struct Noise {
    n_states: usize,
    /// For each row the first sample that enters.
    first: Vec<usize>,
    /// For each row the sample after the last.
    end: Vec<usize>,
    /// For each row, one after another: the weight of each sample's noise, in units of its standard
    /// deviation, states side by side; then padding zeros.
    factors: Ragged,
    /// Scratch: the same at the nodes of one row.
    at_nodes: Vec<f64>,
}

/// Padding zeros after each row: as many as products are summed at once.
const PADDING: usize = 8;

/// How noise enters one equation, states side by side.
struct Weights {
    /// States whose noise is in the response, and its level.
    in_response: Vec<(usize, f64)>,
    /// At each node its level times the equation's derivative.
    in_terms: Vec<f64>,
}

impl Weights {
    fn new(sources: &[Source<'_>], n_nodes: usize) -> Self {
        let mut in_terms = vec![0.0; n_nodes * sources.len()];
        for (state, source) in sources.iter().enumerate() {
            let into = in_terms.iter_mut().skip(state).step_by(sources.len());
            for (into, slope) in into.zip(source.slope.unwrap_or_default()) {
                *into = source.sigma * slope;
            }
        }
        let responses = sources
            .iter()
            .enumerate()
            .filter(|(_, source)| source.is_response);
        Self {
            in_response: responses
                .map(|(state, source)| (state, source.sigma))
                .collect(),
            in_terms,
        }
    }
}

impl Noise {
    /// For each equation, what each state contributes.
    pub fn new(tests: &Tests, nodes: &Nodes, equations: &[&[Source<'_>]]) -> Self {
        let n_states = equations.first().map_or(0, |sources| sources.len());
        let equations: Vec<Weights> = equations
            .iter()
            .map(|sources| Weights::new(sources, nodes.times.len()))
            .collect();
        let mut noise = Self::empty(n_states);
        let all: usize = tests.rows.iter().map(|test| test.value.len() + 1).sum();
        noise
            .factors
            .reserve(equations.len() * (all * n_states + tests.rows.len() * PADDING));
        // The values of a test function, once for each state.
        let mut values = Vec::new();
        for test in &tests.rows {
            values.clear();
            values.extend(
                test.value
                    .iter()
                    .flat_map(|v| std::iter::repeat_n(*v, n_states)),
            );
            for weights in &equations {
                let inside = &weights.in_terms[test.first * n_states..];
                noise.push(test, nodes, |factors| {
                    for (factor, (value, in_terms)) in
                        factors.iter_mut().zip(values.iter().zip(inside))
                    {
                        *factor = -value * in_terms;
                    }
                    for &(state, sigma) in &weights.in_response {
                        let own = factors.iter_mut().skip(state).step_by(n_states);
                        for (factor, slope) in own.zip(&test.slope) {
                            *factor += sigma * slope;
                        }
                    }
                });
            }
        }
        noise
    }

    fn empty(n_states: usize) -> Self {
        Self {
            n_states,
            first: Vec::new(),
            end: Vec::new(),
            factors: Ragged::default(),
            at_nodes: Vec::new(),
        }
    }

    /// Adds a row, given how noise enters at its nodes, states side by side.
    fn push(&mut self, row: &Test, nodes: &Nodes, fill: impl FnOnce(&mut [f64])) {
        let (n_states, n_nodes) = (self.n_states, row.value.len());
        let inside = row.first..row.first + n_nodes;
        let (left, share) = (&nodes.left[inside.clone()], &nodes.share[inside]);
        let (Some(&first), Some(&last)) = (left.first(), left.last()) else {
            self.first.push(0);
            self.end.push(0);
            self.factors.push(PADDING);
            return;
        };
        self.first.push(first);
        if last - first + 1 == n_nodes && share.iter().all(|&share| share <= 0.0) {
            // Nodes are samples.
            self.end.push(last + 1);
            let factors = self.factors.push(n_nodes * n_states + PADDING);
            fill(&mut factors[..n_nodes * n_states]);
            return;
        }
        self.at_nodes.clear();
        self.at_nodes.resize(n_nodes * n_states, 0.0);
        fill(&mut self.at_nodes);
        // A node at a sample has no weight in the next one.
        let beyond = usize::from(share[n_nodes - 1] > 0.0);
        self.end.push(last + 1 + beyond);
        let n_samples = last + 1 + beyond - first;
        let factors = self.factors.push(n_samples * n_states + PADDING);
        let nodes = self.at_nodes.chunks_exact(n_states).zip(left).zip(share);
        for ((at_node, left), share) in nodes {
            let place = (left - first) * n_states;
            add(&mut factors[place..place + n_states], 1.0 - share, at_node);
            if *share > 0.0 {
                add(&mut factors[place + n_states..], *share, at_node);
            }
        }
    }

    /// The covariance of two rows.
    #[expect(
        clippy::inline_always,
        reason = "only what is inlined is compiled for wide instructions"
    )]
    #[inline(always)]
    fn product(&self, k: usize, l: usize) -> f64 {
        let start = self.first[k].max(self.first[l]);
        let end = self.end[k].min(self.end[l]);
        if start >= end {
            return 0.0;
        }
        let one = &self.factors.row(k)[(start - self.first[k]) * self.n_states..];
        let other = &self.factors.row(l)[(start - self.first[l]) * self.n_states..];
        // Rounded up to whole groups, because the shorter row is padded with zeros.
        let len = ((end - start) * self.n_states).next_multiple_of(PADDING);
        dot(&one[..len], &other[..len])
    }

    /// The covariance of all rows.
    pub fn covariance(&self) -> Covariance {
        let mut rows = Ragged::default();
        let mut first = 0;
        for k in 0..self.first.len() {
            // Test functions are ordered in time: one that does not overlap this row overlaps no
            // later one.
            while first < k && self.end[first] <= self.first[k] {
                first += 1;
            }
            products(self, k, first, rows.push(k + 1 - first));
        }
        Covariance {
            factor: Cholesky::new(rows),
        }
    }

    /// The most probable noise of each state at each sample, in units of its standard deviation,
    /// given the errors of all rows.
    pub fn most_probable(&self, n_samples: usize, errors: &[f64]) -> Vec<Vec<f64>> {
        let covariance = self.covariance();
        let mut weights = errors.to_vec();
        covariance.factor.solve(&mut weights);
        covariance.factor.solve_transposed(&mut weights);
        let n_states = self.n_states;
        let mut noise = vec![0.0; n_samples * n_states];
        for (row, weight) in weights.iter().enumerate() {
            let into = &mut noise[self.first[row] * n_states..];
            for (noise, factor) in into.iter_mut().zip(self.factors.row(row)) {
                *noise += weight * factor;
            }
        }
        let of_state = |state| {
            noise
                .iter()
                .skip(state)
                .step_by(n_states)
                .copied()
                .collect()
        };
        (0..n_states).map(of_state).collect()
    }
}

widely! {
    /// The covariance of row `k` with each from `first` on.
    fn products(noise: &Noise, k: usize, first: usize, into: &mut [f64]) = fill_products
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
fn fill_products(noise: &Noise, k: usize, first: usize, into: &mut [f64]) {
    for (l, value) in (first..).zip(into) {
        *value = noise.product(k, l);
    }
}

/// The covariance of the rows' errors, as its Cholesky factor.
#[derive(Debug, Clone)]
pub struct Covariance {
    factor: Cholesky,
}

impl Covariance {
    /// The covariance of the rows of one equation.
    pub fn new(tests: &Tests, nodes: &Nodes, sources: &[Source<'_>]) -> Self {
        Noise::new(tests, nodes, &[sources]).covariance()
    }

    /// The covariance of rows whose response is [`of_acceleration`](Tests::of_acceleration).
    pub fn of_accelerations(tests: &Tests, nodes: &Nodes, sources: &[MovingSource]) -> Self {
        let n_states = sources.len();
        let mut noise = Noise::empty(n_states);
        for row in &tests.rows {
            noise.push(row, nodes, |factors| {
                for (state, source) in sources.iter().enumerate() {
                    let own = factors.iter_mut().skip(state).step_by(n_states);
                    for (k, factor) in own.enumerate() {
                        *factor = source.factor(row, k);
                    }
                }
            });
        }
        noise.covariance()
    }

    /// `ln det` of it.
    pub(crate) fn log_determinant(&self) -> f64 {
        self.factor.log_determinant()
    }

    /// Replaces a column of rows by one whose errors are independent with unit variance.
    pub fn whiten(&self, column: &mut [f64]) {
        self.factor.solve(column);
    }

    /// [`whiten`](Self::whiten) for many columns.
    pub fn whiten_all(&self, columns: &mut [&mut [f64]]) {
        self.factor.solve_all(columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::rows::weak::tests::{BUMPS, nodes};

    #[test]
    fn whitening_inverts_the_factor_of_the_covariance() {
        let nodes = nodes(120, |t| t);
        let tests = Tests::new(&nodes, 0.0, 1.19, &BUMPS);
        let slope = vec![2.0; nodes.times.len()];
        let source = Source {
            sigma: 0.5,
            is_response: true,
            slope: Some(&slope),
        };
        let noise = Noise::new(&tests, &nodes, &[&[source]]);
        let covariance = noise.covariance();
        // On samples, the factors of the noise are those of the row: −φ' − φ ∂f/∂x.
        let enters: Vec<Vec<f64>> = tests
            .rows
            .iter()
            .map(|row| {
                let mut all = vec![0.0; nodes.times.len()];
                for (k, (value, slope)) in row.value.iter().zip(&row.slope).enumerate() {
                    all[row.first + k] = 0.5 * (slope - 2.0 * value);
                }
                all
            })
            .collect();
        // L⁻¹ C L⁻ᵀ = I: whiten the columns of C, then its rows.
        let n = tests.len();
        let mut columns: Vec<Vec<f64>> = (0..n)
            .map(|l| (0..n).map(|k| dot(&enters[k], &enters[l])).collect())
            .collect();
        let mut abreast = columns.clone();
        let mut all: Vec<&mut [f64]> = abreast.iter_mut().map(Vec::as_mut_slice).collect();
        covariance.whiten_all(&mut all);
        for (column, abreast) in columns.iter_mut().zip(&abreast) {
            covariance.whiten(column);
            for (a, b) in column.iter().zip(abreast) {
                assert!((a - b).abs() < 1e-12, "{a} and {b}");
            }
        }
        for k in 0..n {
            let mut row: Vec<f64> = columns.iter().map(|c| c[k]).collect();
            covariance.whiten(&mut row);
            for (l, value) in row.iter().enumerate() {
                let expected = f64::from(u8::from(k == l));
                assert!((value - expected).abs() < 1e-8, "{k} {l} {value}");
            }
        }
    }
}
