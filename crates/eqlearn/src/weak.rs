//! The weak form: a differential equation seen through smooth windows.
//!
//! Multiplied by a bump `φ` that vanishes at both ends and integrated by parts, `x' = f(x)` needs no derivative of noisy data:
//! ```text
//! −∫ φ' x dt = ∫ φ f(x) dt
//! ```
//! Each bump is one row of the regression. Rows overlap, so their errors are correlated, and noise is in the terms as well as in
//! the response. To first order, with the current estimate `f` and noise `σ_d` of each state, the error of row `k` of state `e` is
//! ```text
//! Σ_i (−φ'_k(t_i) − φ_k(t_i) ∂f/∂x_e) ε_e,i − Σ_{d≠e} Σ_i φ_k(t_i) ∂f/∂x_d ε_d,i
//! ```
//! (times the node's weight). [`Covariance`] is the covariance of these, banded because bumps are local; multiplying rows by the inverse of
//! its Cholesky factor makes them independent with unit variance, so that criteria mean what they say.
//!
//! Since whitening weighs all combinations of rows as they deserve, narrow bumps lose nothing to noise: a wide bump is a sum of
//! narrow ones. What limits their width from below is the sampling, from above the fastest motion and the length of the record.
//!
//! From: Messenger & Bortz (2021), weak `SINDy`; the covariance as in their errors-in-variables treatment.

use crate::interpolate::Nodes;
use crate::trajectory::Trajectories;
use crate::vector::dot;

/// The bumps `(1 − u²)^q` that equations are seen through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bumps {
    /// Half the width of the support, in units of time.
    pub half_width: f64,
    /// The distance between neighbours.
    pub spacing: f64,
    /// The power `q`: it vanishes with its first `q − 1` derivatives at both ends.
    pub exponent: i32,
}

/// Half the width of a bump in units of the time scale of the motion: wider ones blur it.
const WIDTH: f64 = 1.0;
/// The distance between bumps as a share of half their width: neighbours overlap well, and no row is redundant.
const SPACING: f64 = 1.0 / 3.0;
/// The same in steps: there cannot be more independent rows than samples.
const LEAST_SPACING: f64 = 1.25;
/// Rows per term at least, where the record is long enough: the narrower the bumps, the more rows.
const ROWS_PER_TERM: f64 = 4.0;
/// The power of the bumps.
pub(crate) const EXPONENT: i32 = 6;

impl Bumps {
    /// Bumps as wide as the motion and the number of rows allow, but half of them at least so many steps.
    pub fn for_record(
        trajectories: &Trajectories,
        time_scale: f64,
        n_terms: usize,
        least_steps: f64,
    ) -> Self {
        let rows = ROWS_PER_TERM * n_terms as f64;
        let for_rows = trajectories.duration() / rows / SPACING;
        let widest = (WIDTH * time_scale).min(for_rows);
        Self::of_half_width(widest.max(least_steps * trajectories.step()), trajectories)
    }

    /// Bumps of this half width.
    pub fn of_half_width(half_width: f64, trajectories: &Trajectories) -> Self {
        Self {
            half_width,
            spacing: (SPACING * half_width).max(LEAST_SPACING * trajectories.step()),
            exponent: EXPONENT,
        }
    }
}

/// The bumps of one piece, sampled at its nodes and multiplied with their weights.
#[derive(Debug, Clone)]
pub struct Tests {
    rows: Vec<Test>,
}

#[derive(Debug, Clone)]
struct Test {
    /// The first node inside.
    first: usize,
    /// `φ` times the node's weight.
    value: Vec<f64>,
    /// `−φ'` times the node's weight.
    slope: Vec<f64>,
    /// `φ''` times the node's weight.
    curvature: Vec<f64>,
}

impl Tests {
    /// As many bumps as fit between the ends of the nodes' piece, evenly spread.
    pub fn new(nodes: &Nodes, start: f64, end: f64, bumps: &Bumps) -> Self {
        let a = bumps.half_width.min(0.5 * (end - start));
        let room = end - start - 2.0 * a;
        let n_gaps = (room / bumps.spacing).ceil().max(0.0);
        let spacing = if n_gaps > 0.0 { room / n_gaps } else { 0.0 };
        let row = |k: u32| {
            let centre = start + a + f64::from(k) * spacing;
            Test::new(nodes, centre, a, bumps.exponent)
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "fewer bumps than samples"
        )]
        let n_rows = n_gaps as u32 + 1;
        Self {
            rows: (0..n_rows).map(row).collect(),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `∫ φ g dt` for each bump.
    pub fn of_term(&self, values: &[f64]) -> Vec<f64> {
        self.integrals(values, |row| &row.value)
    }

    /// `−∫ φ' x dt` for each bump.
    pub fn of_response(&self, values: &[f64]) -> Vec<f64> {
        self.integrals(values, |row| &row.slope)
    }

    /// `∫ φ'' x dt` for each bump, which is `∫ φ x'' dt`.
    pub fn of_acceleration(&self, values: &[f64]) -> Vec<f64> {
        self.integrals(values, |row| &row.curvature)
    }

    fn integrals(&self, values: &[f64], factors: impl Fn(&Test) -> &Vec<f64>) -> Vec<f64> {
        let integral = |row: &Test| {
            let factors = factors(row);
            let inside = &values[row.first..row.first + factors.len()];
            dot(factors, inside)
        };
        self.rows.iter().map(integral).collect()
    }
}

impl Test {
    fn new(nodes: &Nodes, centre: f64, a: f64, q: i32) -> Self {
        let first = nodes.times.partition_point(|&t| t <= centre - a);
        let end = nodes.times.partition_point(|&t| t < centre + a);
        let inside = |j: usize| {
            let u = (nodes.times[j] - centre) / a;
            let base = 1.0 - u * u;
            let value = base.powi(q);
            let power = f64::from(q);
            let slope = -2.0 * power * u * base.powi(q - 1) / a;
            let bend = 4.0 * power * (power - 1.0) * u * u * base.powi(q - 2);
            let curvature = (bend - 2.0 * power * base.powi(q - 1)) / (a * a);
            [value, -slope, curvature].map(|v| v * nodes.weights[j])
        };
        let all: Vec<[f64; 3]> = (first..end).map(inside).collect();
        let column = |k: usize| all.iter().map(|values| values[k]).collect();
        Self {
            first,
            value: column(0),
            slope: column(1),
            curvature: column(2),
        }
    }
}

/// What noise does to rows: the covariance of their errors, as its Cholesky factor.
#[derive(Debug, Clone)]
pub struct Covariance {
    /// Row `k` of the factor: entries of columns `k − len + 1 ..= k`.
    factor: Vec<Vec<f64>>,
}

/// One state's share in the errors of an equation.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its noise level.
    pub sigma: f64,
    /// Whether the equation is its own, so that its noise is in the response too.
    pub is_response: bool,
    /// The equation's derivative with respect to it at the nodes, once an equation is known.
    pub slope: Option<&'a [f64]>,
}

impl Covariance {
    /// The covariance of the rows of one equation.
    pub fn new(tests: &Tests, nodes: &Nodes, sources: &[Source<'_>]) -> Self {
        Noise::new(tests, nodes, &[sources]).covariance()
    }

    /// The covariance of rows whose response is [`of_acceleration`](Tests::of_acceleration), for noise of this size in the samples.
    pub fn of_accelerations(tests: &Tests, nodes: &Nodes, sigma: f64) -> Self {
        let row = |row: &Test| vec![spread(row, nodes, |k, _| sigma * row.curvature[k])];
        let noise = Noise {
            rows: tests.rows.iter().map(row).collect(),
        };
        noise.covariance()
    }

    /// `L⁻ᵀ v`.
    fn unwhiten_transposed(&self, column: &mut [f64]) {
        for (k, row) in self.factor.iter().enumerate().rev() {
            let (diagonal, before) = row.split_last().expect("a row ends with its diagonal");
            column[k] /= diagonal;
            let (known, first) = (column[k], k - before.len());
            for (value, factor) in column[first..k].iter_mut().zip(before) {
                *value -= factor * known;
            }
        }
    }

    /// Replaces a column of rows by one whose errors are independent with unit variance.
    pub fn whiten(&self, column: &mut [f64]) {
        for (k, row) in self.factor.iter().enumerate() {
            let (diagonal, before) = row.split_last().expect("a row ends with its diagonal");
            let known = &column[k - before.len()..k];
            column[k] = (column[k] - dot(before, known)) / diagonal;
        }
    }
}

/// Columns that are whitened at once.
const ABREAST: usize = 8;

impl Covariance {
    /// [`whiten`](Self::whiten) for many columns: side by side, because entries of one column wait for each other.
    pub fn whiten_all(&self, columns: &mut [&mut [f64]]) {
        let mut rows = vec![[0.0; ABREAST]; self.factor.len()];
        for group in columns.chunks_mut(ABREAST) {
            for (c, column) in group.iter().enumerate() {
                for (row, value) in rows.iter_mut().zip(column.iter()) {
                    row[c] = *value;
                }
            }
            for (k, factors) in self.factor.iter().enumerate() {
                let (diagonal, before) = factors.split_last().expect("it ends with its diagonal");
                let (known, rest) = rows.split_at_mut(k);
                let row = &mut rest[0];
                for (factor, known) in before.iter().zip(&known[k - before.len()..]) {
                    for c in 0..ABREAST {
                        row[c] -= factor * known[c];
                    }
                }
                for value in row {
                    *value /= diagonal;
                }
            }
            for (c, column) in group.iter_mut().enumerate() {
                for (value, row) in column.iter_mut().zip(&rows) {
                    *value = row[c];
                }
            }
        }
    }
}

/// How the noise of the samples enters rows of several equations: row `k` of the first equation, of the second, …, row `k + 1` of the first.
#[derive(Debug)]
pub struct Noise {
    /// For each row and state, how the noise of consecutive samples enters, in units of its standard deviation.
    rows: Vec<Vec<Spread>>,
}

impl Noise {
    /// For each equation, what each state contributes.
    pub fn new(tests: &Tests, nodes: &Nodes, equations: &[&[Source<'_>]]) -> Self {
        let row = |row: &Test, sources: &[Source<'_>]| -> Vec<Spread> {
            sources
                .iter()
                .map(|source| {
                    spread(row, nodes, |k, j| {
                        let in_terms = source.slope.map_or(0.0, |slope| -row.value[k] * slope[j]);
                        let in_response = if source.is_response {
                            row.slope[k]
                        } else {
                            0.0
                        };
                        source.sigma * (in_terms + in_response)
                    })
                })
                .collect()
        };
        let rows = tests
            .rows
            .iter()
            .flat_map(|test| equations.iter().map(move |e| row(test, e)));
        Self {
            rows: rows.collect(),
        }
    }

    /// The covariance of all rows.
    pub fn covariance(&self) -> Covariance {
        let product = |a: &[Spread], b: &[Spread]| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum();
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(self.rows.len());
        let mut first = 0;
        for (k, row) in self.rows.iter().enumerate() {
            // Bumps move forward in time: what does not reach this row reaches no later one.
            let reaches = |l: usize| self.rows[l].iter().zip(row).any(|(a, b)| b.first < a.end());
            while first < k && !reaches(first) {
                first += 1;
            }
            rows.push((first..=k).map(|l| product(row, &self.rows[l])).collect());
        }
        Covariance {
            factor: cholesky(rows),
        }
    }

    /// The most probable noise of each state at each sample, in units of its standard deviation, given the errors of all rows.
    pub fn most_probable(
        &self,
        n_samples: usize,
        n_states: usize,
        errors: &[f64],
    ) -> Vec<Vec<f64>> {
        let covariance = self.covariance();
        let mut weights = errors.to_vec();
        covariance.whiten(&mut weights);
        covariance.unwhiten_transposed(&mut weights);
        let mut noise = vec![vec![0.0; n_samples]; n_states];
        for (row, weight) in self.rows.iter().zip(&weights) {
            for (noise, spread) in noise.iter_mut().zip(row) {
                for (noise, factor) in noise[spread.first.min(n_samples)..]
                    .iter_mut()
                    .zip(&spread.factors)
                {
                    *noise += weight * factor;
                }
            }
        }
        noise
    }
}

/// How the noise of consecutive samples enters a row.
#[derive(Debug)]
struct Spread {
    first: usize,
    factors: Vec<f64>,
}

impl Spread {
    fn end(&self) -> usize {
        self.first + self.factors.len()
    }

    fn dot(&self, other: &Self) -> f64 {
        let (start, end) = (self.first.max(other.first), self.end().min(other.end()));
        if start >= end {
            return 0.0;
        }
        let a = &self.factors[start - self.first..end - self.first];
        let b = &other.factors[start - other.first..end - other.first];
        dot(a, b)
    }
}

/// With what factor the noise at a row's node (by its place in the row, and among all nodes) enters.
fn spread(row: &Test, nodes: &Nodes, factor: impl Fn(usize, usize) -> f64) -> Spread {
    let end = row.first + row.value.len();
    if row.value.is_empty() {
        return Spread {
            first: 0,
            factors: Vec::new(),
        };
    }
    let first = nodes.left[row.first];
    // A node at a sample has no share in the next one.
    let on_sample = nodes.share[end - 1] <= 0.0;
    let last = nodes.left[end - 1] + usize::from(!on_sample);
    let mut factors = vec![0.0; last - first + 1];
    for j in row.first..end {
        let factor = factor(j - row.first, j);
        let place = nodes.left[j] - first;
        factors[place] += factor * (1.0 - nodes.share[j]);
        if nodes.share[j] > 0.0 {
            factors[place + 1] += factor * nodes.share[j];
        }
    }
    Spread { first, factors }
}

/// The factor of a banded matrix that is given by its rows up to the diagonal.
///
/// A pivot below rounding of its diagonal is raised to it: the row is then a combination of those before it, and gets no weight
/// that it does not deserve.
fn cholesky(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for k in 0..rows.len() {
        let first = k + 1 - rows[k].len();
        let (done, rest) = rows.split_at_mut(k);
        let row = &mut rest[0];
        for j in first..=k {
            let place = j - first;
            let other_first = if j < k { j + 1 - done[j].len() } else { first };
            let start = first.max(other_first);
            let other = if j < k {
                &done[j][start - other_first..j - other_first]
            } else {
                &row[start - first..place]
            };
            let sum = row[place] - dot(&row[start - first..place], other);
            if j < k {
                row[place] = sum / done[j][j - other_first];
            } else {
                let floor = 1e-14 * row[place];
                row[place] = sum.max(floor).sqrt();
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::{Record, TimeFeature, Trajectories};

    fn nodes(n: u32, x: impl Fn(f64) -> f64) -> Nodes {
        let times: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.01).collect();
        let states = vec![times.iter().map(|&t| x(t)).collect()];
        let record = Record {
            name: "run".into(),
            times,
            states,
            inputs: vec![],
        };
        let none: &[&str] = &[];
        let made = Trajectories::new("t", &["x"], none, TimeFeature::No, vec![record]).unwrap();
        Nodes::samples(&made.pieces()[0])
    }

    const BUMPS: Bumps = Bumps {
        half_width: 0.15,
        spacing: 0.05,
        exponent: 6,
    };

    #[test]
    fn smooth_motion_meets_the_weak_form_to_many_digits() {
        let nodes = nodes(200, |t| (3.0 * t).sin());
        let tests = Tests::new(&nodes, 0.0, 1.99, &BUMPS);
        let cosine: Vec<f64> = nodes.times.iter().map(|t| 3.0 * (3.0 * t).cos()).collect();
        let (left, right) = (tests.of_response(&nodes.columns[0]), tests.of_term(&cosine));
        for (a, b) in left.iter().zip(&right) {
            // The slope of a bump has kinks of order q − 1: 6! 2^6 / (2π 15)^6 is 7e-8.
            assert!((a - b).abs() < 3e-7, "{a} and {b}");
        }
    }

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
        let covariance = Covariance::new(&tests, &nodes, &[source]);
        // L⁻¹ C L⁻ᵀ = I: whiten the columns of C, then its rows.
        let maps: Vec<Spread> = tests
            .rows
            .iter()
            .map(|r| spread(r, &nodes, |k, j| 0.5 * (r.slope[k] - r.value[k] * slope[j])))
            .collect();
        let n = tests.len();
        let mut columns: Vec<Vec<f64>> = (0..n)
            .map(|l| (0..n).map(|k| maps[k].dot(&maps[l])).collect())
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
