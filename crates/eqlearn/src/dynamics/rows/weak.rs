//! The weak form: a differential equation integrated against smooth test functions.
//!
//! Multiplied by a test function `φ` that vanishes at both ends and integrated by parts,
//! `x' = f(x)` needs no derivative of noisy data:
//! ```text
//! −∫ φ' x dt = ∫ φ f(x) dt
//! ```
//! Each test function is one row of the regression. Rows overlap, so their errors are correlated,
//! and noise is in the terms as well as in the response. To first order, with the current estimate
//! `f` and noise `σ_d` of each state, the error of row `k` of state `e` is
//! ```text
//! Σ_i (−φ'_k(t_i) − φ_k(t_i) ∂f/∂x_e) ε_e,i − Σ_{d≠e} Σ_i φ_k(t_i) ∂f/∂x_d ε_d,i
//! ```
//! (times the node's weight). [`Covariance`] is the covariance of these, banded because test
//! functions have compact support. Multiplying rows by the inverse of its Cholesky factor
//! (whitening) makes their errors independent with unit variance, as the criteria assume.
//!
//! Whitening gives every combination of rows its optimal weight, so narrow test functions are no
//! noisier than wide ones: a wide test function is a sum of narrow ones. The sampling limits their
//! width from below, the fastest motion and the length of the record from above.
//!
//! From: Messenger & Bortz (2021), weak `SINDy`; the covariance as in their errors-in-variables
//! treatment.

mod noise;

pub use noise::{Covariance, MovingSource, Noise, Source};

use std::ops::Range;

use crate::data::trajectory::Trajectories;
use crate::dynamics::rows::interpolate::Nodes;
use crate::numeric::vector::{dot, widely};

/// The test functions `(1 − u²)^q`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bumps {
    /// Half the width of the support, in units of time.
    pub half_width: f64,
    /// The distance between neighbours.
    pub spacing: f64,
    /// The power `q`: the function and its first `q − 1` derivatives vanish at both ends.
    pub exponent: i32,
}

/// The half width of a test function in units of the time scale: wider ones average over the
/// motion.
const WIDTH: f64 = 1.0;
/// The distance between test functions as a fraction of their half width: neighbours overlap well,
/// and no row is redundant.
const SPACING: f64 = 1.0 / 3.0;
/// The same in steps: there cannot be more independent rows than samples.
const LEAST_SPACING: f64 = 1.25;
/// Rows per term at least, where the record is long enough: narrower test functions give more rows.
const ROWS_PER_TERM: f64 = 4.0;
/// The same for records without noise, whose rows need no averaging.
const CLEAN_ROWS_PER_TERM: f64 = 2.0;
/// Steps in the half width where there is no noise: the relative error of sums over samples,
/// `q! 2^q / (2πm)^q`, is 6e-11 then.
const CLEAN_STEPS: f64 = 48.0;
/// Rows of a record at least, however short it is: fewer cannot tell a law from chance.
const FEWEST_ROWS: usize = 6;
/// Steps in the half width of a test function at least, where a record is that short.
const NARROWEST: f64 = 3.0;
/// The power of the test functions.
pub(crate) const EXPONENT: i32 = 6;

impl Bumps {
    /// Test functions as wide as the motion and the number of rows allow, with at least this many
    /// steps in the half width.
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

    /// The same or, for a record without noise that matters, wider ones, as far as there are rows
    /// enough: then the sums over samples are what limits the accuracy, and no motion is lost by
    /// averaging, since integrals of terms are exact whatever the width.
    #[must_use]
    pub(crate) fn widened_for_clean(self, trajectories: &Trajectories, n_terms: usize) -> Self {
        let rows = CLEAN_ROWS_PER_TERM * n_terms as f64;
        let for_rows = trajectories.duration() / rows / SPACING;
        let wide = for_rows.min(CLEAN_STEPS * trajectories.step());
        if wide > self.half_width {
            Self::of_half_width(wide, trajectories)
        } else {
            self
        }
    }

    /// The same or, where a short record would be left with hardly a row, narrower ones.
    ///
    /// Sums over few samples are rough integrals; the noise that they add is what makes an
    /// estimate from a dozen samples uncertain. One exact row makes no estimate at all.
    #[must_use]
    pub fn narrowed_for_rows(self, trajectories: &Trajectories) -> Self {
        let narrowest = NARROWEST * trajectories.step();
        let n_rows = |bumps: &Self| -> usize {
            let pieces = trajectories.pieces().iter();
            let ends = pieces.map(|piece| (piece.times()[0], piece.times()[piece.len() - 1]));
            ends.map(|(start, end)| bumps.count(start, end)).sum()
        };
        let mut bumps = self;
        while n_rows(&bumps) < FEWEST_ROWS && bumps.half_width > narrowest {
            let narrower = (bumps.half_width - trajectories.step()).max(narrowest);
            bumps = Self::of_half_width(narrower, trajectories);
        }
        bumps
    }

    /// The same or narrower ones, of which this many fit into the record, with at least this many
    /// steps in the half width.
    #[must_use]
    pub(crate) fn narrowed_to(
        self,
        n_rows: usize,
        least_steps: f64,
        trajectories: &Trajectories,
    ) -> Self {
        let for_rows = trajectories.duration() / n_rows as f64 / SPACING;
        let narrow = for_rows.max(least_steps * trajectories.step());
        if narrow < self.half_width {
            Self::of_half_width(narrow, trajectories)
        } else {
            self
        }
    }

    /// How many test functions fit between two times.
    fn count(&self, start: f64, end: f64) -> usize {
        let room = (end - start - 2.0 * self.half_width).max(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "fewer bumps than samples"
        )]
        let n_gaps = (room / self.spacing).ceil() as usize;
        n_gaps + 1
    }

    /// Test functions of this half width.
    pub fn of_half_width(half_width: f64, trajectories: &Trajectories) -> Self {
        Self {
            half_width,
            spacing: (SPACING * half_width).max(LEAST_SPACING * trajectories.step()),
            exponent: EXPONENT,
        }
    }
}

/// The test functions of one piece, sampled at its nodes and multiplied by the quadrature weights.
#[derive(Debug, Clone)]
pub struct Tests {
    /// Half the width of each support.
    half_width: f64,
    exponent: i32,
    rows: Vec<Test>,
}

#[derive(Debug, Clone)]
struct Test {
    /// The time at which it is largest.
    centre: f64,
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
    /// As many test functions as fit between the ends of the nodes' piece, evenly spread.
    pub fn new(nodes: &Nodes, start: f64, end: f64, bumps: &Bumps) -> Self {
        let a = bumps.half_width.min(0.5 * (end - start));
        let room = end - start - 2.0 * a;
        let n_rows = bumps.count(start, end);
        let n_gaps = (n_rows - 1) as f64;
        let spacing = if n_rows > 1 { room / n_gaps } else { 0.0 };
        let row = |k: usize| {
            let centre = start + a + k as f64 * spacing;
            Test::new((&nodes.times, &nodes.weights), centre, a, bumps.exponent)
        };
        Self {
            half_width: a,
            exponent: bumps.exponent,
            rows: (0..n_rows).map(row).collect(),
        }
    }

    /// Some of them, one after another.
    pub(crate) fn only(&self, rows: Range<usize>) -> Self {
        Self {
            rows: self.rows[rows].to_vec(),
            ..*self
        }
    }

    /// The same test functions at other times, with other quadrature weights.
    pub(crate) fn sampled_at(&self, times: &[f64], weights: &[f64]) -> Self {
        let (a, q) = (self.half_width, self.exponent);
        let row = |row: &Test| Test::new((times, weights), row.centre, a, q);
        Self {
            rows: self.rows.iter().map(row).collect(),
            ..*self
        }
    }

    /// Half the width of each support.
    pub(crate) fn half_width(&self) -> f64 {
        self.half_width
    }

    /// The times between which some test function is not zero.
    pub(crate) fn span(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.rows.first()?, self.rows.last()?);
        Some((
            first.centre - self.half_width,
            last.centre + self.half_width,
        ))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `∫ φ g dt` for each test function.
    pub fn of_term(&self, values: &[f64]) -> Vec<f64> {
        integrals(&self.rows, values, |row| &row.value)
    }

    /// `−∫ φ' x dt` for each test function.
    pub fn of_response(&self, values: &[f64]) -> Vec<f64> {
        integrals(&self.rows, values, |row| &row.slope)
    }

    /// `∫ φ'' x dt` for each test function, which is `∫ φ x'' dt`.
    pub fn of_acceleration(&self, values: &[f64]) -> Vec<f64> {
        integrals(&self.rows, values, |row| &row.curvature)
    }
}

widely! {
    /// The integral of some factors of each row times values at the nodes.
    fn integrals(rows: &[Test], values: &[f64], factors: fn(&Test) -> &[f64]) -> Vec<f64>
        = sum_products
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
fn sum_products(rows: &[Test], values: &[f64], factors: fn(&Test) -> &[f64]) -> Vec<f64> {
    let integral = |row: &Test| {
        let factors = factors(row);
        dot(factors, &values[row.first..row.first + factors.len()])
    };
    rows.iter().map(integral).collect()
}

impl Test {
    fn new((times, weights): (&[f64], &[f64]), centre: f64, a: f64, q: i32) -> Self {
        let first = times.partition_point(|&t| t <= centre - a);
        let end = times.partition_point(|&t| t < centre + a);
        let inside = |j: usize| {
            let u = (times[j] - centre) / a;
            let base = 1.0 - u * u;
            let value = base.powi(q);
            let power = f64::from(q);
            let slope = -2.0 * power * u * base.powi(q - 1) / a;
            let bend = 4.0 * power * (power - 1.0) * u * u * base.powi(q - 2);
            let curvature = (bend - 2.0 * power * base.powi(q - 1)) / (a * a);
            [value, -slope, curvature].map(|v| v * weights[j])
        };
        let all: Vec<[f64; 3]> = (first..end).map(inside).collect();
        let column = |k: usize| -> Vec<f64> { all.iter().map(|values| values[k]).collect() };
        let (value, mut curvature) = (column(0), column(2));
        let places = times[first..end].iter().map(|t| (t - centre) / a);
        make_exact(
            &places.collect::<Vec<f64>>(),
            &value,
            2.0 / (a * a),
            &mut curvature,
        );
        Self {
            centre,
            first,
            value,
            slope: column(1),
            curvature,
        }
    }
}

/// Changes the weights of `∫ φ'' x dt` a little, so that the sum is that of `∫ φ x'' dt` for every
/// parabola `x`.
///
/// The integral has no part of a position or a velocity, but a sum over few samples has: its
/// quadrature error times the position, which may be far larger than what acceleration adds to it
/// within one test function. The correction is `φ` times a parabola, and vanishes at both ends.
fn make_exact(places: &[f64], value: &[f64], bend: f64, curvature: &mut [f64]) {
    // Notation: u places in units of the half width, v = φ, c = φ''; p polynomials orthogonal
    // under v. The second derivative of u² is `bend`, those of 1 and u are zero.
    let mean = |p: &[f64], q: &[f64]| -> f64 {
        let products = value.iter().zip(p).zip(q);
        products.map(|((v, p), q)| v * p * q).sum()
    };
    if places.len() < 3 {
        return;
    }
    let one = vec![1.0; places.len()];
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for power in 0..3 {
        let mut next: Vec<f64> = places.iter().map(|u| u.powi(power)).collect();
        for known in &basis {
            let share = mean(&next, known) / mean(known, known);
            for (next, known) in next.iter_mut().zip(known) {
                *next -= share * known;
            }
        }
        let wanted = if power == 2 {
            bend * mean(&one, &one)
        } else {
            0.0
        };
        let sum: f64 = curvature.iter().zip(&next).map(|(c, p)| c * p).sum();
        let missing = (wanted - sum) / mean(&next, &next);
        for ((c, v), p) in curvature.iter_mut().zip(value).zip(&next) {
            *c += missing * v * p;
        }
        basis.push(next);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::trajectory::Trajectories;

    pub(crate) fn nodes(n: u32, x: impl Fn(f64) -> f64) -> Nodes {
        let times: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.01).collect();
        let x = times.iter().map(|&t| x(t)).collect();
        let made = Trajectories::of_run("t", times, &["x"], vec![x]).unwrap();
        Nodes::samples(&made.pieces()[0])
    }

    pub(crate) const BUMPS: Bumps = Bumps {
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
            // The relative quadrature error of the derivative: 6! 2^6 / (2π 15)^6 is 7e-8.
            assert!((a - b).abs() < 3e-7, "{a} and {b}");
        }
    }

    #[test]
    fn a_parabola_has_its_acceleration_wherever_it_is() {
        let nodes = nodes(200, |t| 1e3 + 40.0 * t - 4.905 * t * t);
        let tests = Tests::new(
            &nodes,
            0.0,
            1.99,
            &Bumps {
                half_width: 0.08,
                spacing: 0.03,
                exponent: 6,
            },
        );
        let left = tests.of_acceleration(&nodes.columns[0]);
        let right = tests.of_term(&vec![-9.81; nodes.times.len()]);
        for (a, b) in left.iter().zip(&right) {
            assert!((a / b - 1.0).abs() < 1e-8, "{a} and {b}");
        }
    }
}
