//! The least squares fit of one law `y = P/Q`.
//!
//! The start comes from the Rayleigh quotient of the multiplied law, with rows weighted by 1/|Q| of
//! the iterate before; the best iterate whose Q has one sign on the rows is kept. From there the
//! sum of squares of `y − P/Q` itself is minimised. No starting values are needed.

use super::columns::Columns;
use super::pencil::{Least, least_on_rows};
use crate::numeric::least_squares::least_squares;

/// Reweighted problems at most before the sum of squares itself is minimised.
const ROUNDS: usize = 10;

/// Reweighting ends when it lowers the sum of squares by less than this share.
const SETTLED: f64 = 1e-2;

/// Rounding errors of an evaluated law, in units of the last place of its terms.
const ULPS: f64 = 4.0;

/// A fitted law, in units of the scaled columns.
#[derive(Debug, Clone)]
pub(super) struct Law {
    /// The columns of numerator and denominator.
    pub(super) p: Vec<usize>,
    pub(super) q: Vec<usize>,
    pub(super) numerator: Vec<f64>,
    pub(super) denominator: Vec<f64>,
    /// The place in `q` of the term whose coefficient is 1 or −1 in the units of the data.
    pub(super) unit: usize,
    pub(super) rss: f64,
    /// Of numerator and denominator without the unit; times σ² it is their covariance.
    pub(super) inverse: Vec<Vec<f64>>,
    /// The sum of squares that rounding errors alone may have.
    pub(super) rounding: f64,
    /// The values of P/Q.
    pub(super) fitted: Vec<f64>,
}

impl Law {
    /// The number of free coefficients.
    pub(super) fn size(&self) -> usize {
        self.p.len() + self.q.len() - 1
    }

    /// Whether nothing is left but rounding errors.
    pub(super) fn is_exact(&self) -> bool {
        self.rss <= self.rounding
    }

    /// Weights that make the noise of the multiplied law alike on all rows.
    pub(super) fn weights(&self, columns: &Columns<'_>) -> Vec<f64> {
        let q = columns.denominator.sum(&self.q, &self.denominator);
        q.iter().map(|q| 1.0 / q.abs()).collect()
    }
}

/// The fit of a support, from the coefficients of its least ρ on; none if no Q of one sign is near.
pub(super) fn fit(
    columns: &Columns<'_>,
    (p, q): (&[usize], &[usize]),
    least: &Least,
) -> Option<Law> {
    let start = start(columns, (p, q), least)?;
    let unit = unit(columns, q, &start);
    let model = Model {
        columns,
        p,
        q,
        unit,
        fixed: columns.denominator.scales[q[unit]].copysign(start.denominator[unit]),
    };
    let factor = model.fixed / start.denominator[unit];
    if !factor.is_finite() {
        return None;
    }
    let others = start
        .denominator
        .iter()
        .enumerate()
        .filter(|(j, _)| *j != unit);
    let free = start.numerator.iter().chain(others.map(|(_, d)| d));
    let free: Vec<f64> = free.map(|c| c * factor).collect();
    let n_rows = columns.n_rows();
    let solution = least_squares(n_rows, &free, &mut |free, residuals, jacobian| {
        model.evaluate(free, residuals, jacobian)
    });
    let inverse = solution.inverse.filter(|_| solution.rss.is_finite())?;
    let (numerator, denominator) = model.split(&solution.parameters);
    let p_values = columns.numerator.sum(p, &numerator);
    let q_values = columns.denominator.sum(q, &denominator);
    let fitted: Vec<f64> = p_values.iter().zip(&q_values).map(|(p, q)| p / q).collect();
    let p_sizes = columns.numerator.sum_of_sizes(p, &numerator);
    let q_sizes = columns.denominator.sum_of_sizes(q, &denominator);
    let rounding = |i: usize| {
        let size = (p_sizes[i] + fitted[i].abs() * q_sizes[i]) / q_values[i].abs();
        (ULPS * f64::EPSILON * columns.precision[i] * size).powi(2)
    };
    Some(Law {
        rounding: (0..n_rows).map(rounding).sum(),
        p: p.to_vec(),
        q: q.to_vec(),
        numerator,
        denominator,
        unit,
        rss: solution.rss,
        inverse,
        fitted,
    })
}

/// The term of Q whose coefficient is fixed: the constant if there is one, because then
/// coefficients are those of the usual 1 + …, else the first that is added and not subtracted.
fn unit(columns: &Columns<'_>, q: &[usize], start: &Least) -> usize {
    let constant = columns.denominator.constant;
    let constant = q.iter().position(|q| Some(*q) == constant);
    let added = || start.denominator.iter().position(|d| *d > 0.0);
    constant.or_else(added).unwrap_or(0)
}

/// The coefficients from which the sum of squares is minimised: Q > 0 on all rows.
fn start(columns: &Columns<'_>, support: (&[usize], &[usize]), least: &Least) -> Option<Least> {
    let mut best: Option<(f64, Least)> = None;
    let mut next = least.clone();
    for _ in 0..ROUNDS {
        let q = columns.denominator.sum(support.1, &next.denominator);
        let mut settled = false;
        if let Some(sign) = one_sign(&q) {
            let p = columns.numerator.sum(support.0, &next.numerator);
            let rss = sum_of_squares(columns, &p, &q);
            let before = best.as_ref().map_or(f64::INFINITY, |(rss, _)| *rss);
            settled = rss > (1.0 - SETTLED) * before;
            if rss < before {
                for coefficient in next.numerator.iter_mut().chain(&mut next.denominator) {
                    *coefficient *= sign;
                }
                best = Some((rss, next.clone()));
            }
        }
        if settled {
            break;
        }
        // Rows near a zero of Q must not take all the weight.
        let floor = 1e-3 * q.iter().map(|q| q.abs()).sum::<f64>() / q.len() as f64;
        let weights: Vec<f64> = q.iter().map(|q| 1.0 / q.abs().max(floor)).collect();
        match least_on_rows(columns, support, &weights) {
            Some(least) => next = least,
            None => break,
        }
    }
    best.map(|(_, least)| least)
}

fn one_sign(values: &[f64]) -> Option<f64> {
    let sign = values.first()?.signum();
    let is_same = values.iter().all(|value| value * sign > 0.0);
    is_same.then_some(sign)
}

fn sum_of_squares(columns: &Columns<'_>, p: &[f64], q: &[f64]) -> f64 {
    let rows = columns.target.iter().zip(&columns.precision);
    let values = p.iter().zip(q).map(|(p, q)| p / q);
    rows.zip(values)
        .map(|((y, w), value)| (w * (y - value)).powi(2))
        .sum()
}

/// `w (P/Q − y)` as a function of the free coefficients.
struct Model<'a> {
    columns: &'a Columns<'a>,
    p: &'a [usize],
    q: &'a [usize],
    unit: usize,
    /// The coefficient of the unit's scaled column.
    fixed: f64,
}

impl Model<'_> {
    /// The coefficients of numerator and denominator.
    fn split(&self, free: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (numerator, others) = free.split_at(self.p.len());
        let mut denominator = others.to_vec();
        denominator.insert(self.unit, self.fixed);
        (numerator.to_vec(), denominator)
    }

    fn evaluate(&self, free: &[f64], residuals: &mut [f64], jacobian: &mut [f64]) -> bool {
        let columns = self.columns;
        let (numerator, denominator) = self.split(free);
        let p = columns.numerator.sum(self.p, &numerator);
        let q = columns.denominator.sum(self.q, &denominator);
        if !q.iter().all(|q| *q > 0.0) {
            return false;
        }
        let n_rows = columns.n_rows();
        let w = &columns.precision;
        for i in 0..n_rows {
            residuals[i] = w[i] * (p[i] / q[i] - columns.target[i]);
        }
        let mut derivatives = jacobian.chunks_exact_mut(n_rows);
        for &term in self.p {
            let column = &columns.numerator.columns[term];
            let out = derivatives.next().expect("a column per free coefficient");
            for i in 0..n_rows {
                out[i] = w[i] * column[i] / q[i];
            }
        }
        for (j, &term) in self.q.iter().enumerate() {
            if j == self.unit {
                continue;
            }
            let column = &columns.denominator.columns[term];
            let out = derivatives.next().expect("a column per free coefficient");
            for i in 0..n_rows {
                out[i] = -w[i] * column[i] * p[i] / (q[i] * q[i]);
            }
        }
        true
    }
}
