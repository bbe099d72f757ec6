//! Non-linear least squares with few parameters, by the Levenberg–Marquardt method.
//!
//! Each step solves a damped linear problem with the residuals r and their Jacobian J:
//!
//! ```text
//! |r + J p|² + λ |D p|²  →  min over p
//! ```
//!
//! D holds the largest length that each column of J has had, so that units do not matter. λ falls
//! while steps do what the linear problem promises and grows when they fail. J is factorised once
//! per point (QR, because `JᵀJ` squares the condition number); a new λ costs a triangle only.
//!
//! Far from the minimum a step must lower the sum of squares. Close to it, differences of sums of
//! squares are rounding errors while the steps themselves still have digits. There a step is taken
//! as long as steps shrink, which ends at the rounding level of the residuals.
//!
//! Moré, The Levenberg–Marquardt algorithm (1978), for D; Nielsen, Damping parameter in Marquardt's
//! method (1999), for λ.

use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;

/// Steps at most, failed ones included.
const STEPS: usize = 500;
/// The damping at the start, in units of the squared column lengths.
const FIRST_DAMPING: f64 = 1e-3;
/// No damping is smaller: its square root is far below the rounding error of a column.
const LEAST_DAMPING: f64 = 1e-40;
/// When a step promises less than this share of the sum of squares, differences of sums are not
/// trusted any more: a million times their rounding error in ordinary data.
const TRUSTED: f64 = 1e-10;
/// A step that promises less than this share moves no parameter by more than 10⁻¹³ of its standard
/// error.
const FINISHED: f64 = 1e-26;

/// A model with parameters that are fitted.
///
/// `model(parameters, residuals, jacobian)` fills the residuals (n) and the Jacobian column by
/// column (n × k, derivatives of residuals by parameters). It returns false where it has no finite
/// value; such points are never entered.
type Residuals<'a> = dyn FnMut(&[f64], &mut [f64], &mut [f64]) -> bool + 'a;

/// What least squares found.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub(crate) parameters: Vec<f64>,
    /// The sum of squared residuals; NaN if the model has no finite value at the start.
    pub(crate) rss: f64,
    /// (JᵀJ)⁻¹ at the solution, not yet times σ²; None if rank-deficient
    pub(crate) inverse: Option<Vec<Vec<f64>>>,
    /// Whether it ended at a minimum, not at the limit of steps.
    pub(crate) converged: bool,
    pub(crate) steps: usize,
}

/// The parameters with the smallest sum of squared residuals, from a start on.
pub(crate) fn least_squares(n_rows: usize, start: &[f64], model: &mut Residuals<'_>) -> Solution {
    let mut scale = vec![0.0; start.len()];
    let mut solution = Solution {
        parameters: start.to_vec(),
        rss: f64::NAN,
        inverse: None,
        converged: false,
        steps: 0,
    };
    let mut columns = vec![0.0; n_rows * (start.len() + 1)];
    let Some(rss) = evaluate(n_rows, start, model, &mut columns) else {
        return solution;
    };
    solution.rss = rss;
    let mut linear = Linear::new(&mut columns, n_rows, &mut scale);
    let mut damping = FIRST_DAMPING;
    let mut growth = 2.0;
    let mut last_promise = f64::INFINITY;
    // Steps that are short only because the model has no value beyond end at no minimum.
    let mut is_at_border = false;
    while solution.steps < STEPS {
        let step = linear.step(damping);
        let moved = add(&solution.parameters, &step.parameters);
        // The sum is never negative; a perfect fit has nothing to promise.
        if moved == solution.parameters || step.promise <= FINISHED * solution.rss {
            solution.converged = !is_at_border;
            break;
        }
        solution.steps += 1;
        let is_close = step.promise < TRUSTED * solution.rss;
        if is_close && step.promise >= last_promise {
            solution.converged = !is_at_border;
            break;
        }
        let reached = evaluate(n_rows, &moved, model, &mut columns);
        is_at_border = reached.is_none() || (is_at_border && damping > 1.0);
        let is_taken = reached.is_some_and(|rss| {
            rss < solution.rss || (is_close && rss <= solution.rss * (1.0 + TRUSTED))
        });
        if let Some(rss) = reached.filter(|_| is_taken) {
            if is_close {
                last_promise = step.promise;
            }
            let kept = ((solution.rss - rss) / step.promise).min(1.0);
            let kept = if is_close { 1.0 } else { kept };
            damping = (damping * (1.0 / 3.0_f64).max(1.0 - (2.0 * kept - 1.0).powi(3)))
                .max(LEAST_DAMPING);
            growth = 2.0;
            solution.parameters = moved;
            solution.rss = rss;
            linear = Linear::new(&mut columns, n_rows, &mut scale);
        } else {
            damping *= growth;
            growth *= 2.0;
        }
    }
    solution.inverse = linear.inverse();
    solution
}

/// Fills the columns of the Jacobian and the residuals behind them; their sum of squares, if all
/// is finite.
fn evaluate(
    n_rows: usize,
    parameters: &[f64],
    model: &mut Residuals<'_>,
    columns: &mut [f64],
) -> Option<f64> {
    let (jacobian, residuals) = columns.split_at_mut(n_rows * parameters.len());
    if !model(parameters, residuals, jacobian) {
        return None;
    }
    // The lengths must be finite as well, and a sum of finite squares may overflow.
    let is_finite = |column: &[f64]| dot(column, column).is_finite();
    let rss = dot(residuals, residuals);
    let all = n_rows == 0 || jacobian.chunks_exact(n_rows).all(is_finite);
    (rss.is_finite() && all).then_some(rss)
}

fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// The linear problem at a point: the triangle of J D⁻¹, and the residuals turned with it.
struct Linear {
    /// k × k, column by column; zero below the diagonal.
    triangle: Vec<f64>,
    turned: Vec<f64>,
    scale: Vec<f64>,
    /// Whether every column adds to those before it.
    is_full_rank: bool,
}

/// A step, and by how much it would lower the sum of squares if residuals were linear.
struct Step {
    parameters: Vec<f64>,
    promise: f64,
}

impl Linear {
    /// Factorises `[J | r]`, which is destroyed; `scale` keeps the largest lengths of columns.
    fn new(columns: &mut [f64], n_rows: usize, scale: &mut [f64]) -> Self {
        let k = scale.len();
        for (column, scale) in columns.chunks_exact_mut(n_rows.max(1)).zip(&mut *scale) {
            *scale = scale.max(dot(column, column).sqrt());
            if *scale > 0.0 {
                for x in column {
                    *x /= *scale;
                }
            }
        }
        let lengths = columns.chunks_exact(n_rows.max(1)).take(k);
        let lengths: Vec<f64> = lengths.map(|c| dot(c, c).sqrt()).collect();
        let mut is_full_rank = n_rows >= k;
        for j in 0..k.min(n_rows) {
            reflect(columns, n_rows, j, j..n_rows, 0.0);
            // Rounding leaves this much of a column that depends on those before it.
            let least = f64::EPSILON * (n_rows as f64).sqrt() * lengths[j];
            is_full_rank &= columns[j * n_rows + j].abs() > least;
        }
        let height = k.min(n_rows);
        let mut triangle = vec![0.0; k * k];
        for j in 0..k {
            let upper = height.min(j + 1);
            triangle[j * k..][..upper].copy_from_slice(&columns[j * n_rows..][..upper]);
        }
        let mut turned = vec![0.0; k];
        turned[..height].copy_from_slice(&columns[k * n_rows..][..height]);
        Self {
            triangle,
            turned,
            scale: scale
                .iter()
                .map(|s| if *s > 0.0 { *s } else { 1.0 })
                .collect(),
            is_full_rank,
        }
    }

    /// The step with this damping.
    fn step(&self, damping: f64) -> Step {
        // Notation: p in units of D, R p ≈ −Qᵀr in the upper k rows, √λ p ≈ 0 in the lower ones.
        let k = self.turned.len();
        let height = 2 * k;
        let mut columns = vec![0.0; height * (k + 1)];
        for j in 0..k {
            columns[j * height..][..k].copy_from_slice(&self.triangle[j * k..][..k]);
            columns[j * height + k + j] = damping.sqrt();
        }
        for (i, value) in self.turned.iter().enumerate() {
            columns[k * height + i] = -value;
        }
        for j in 0..k {
            reflect(&mut columns, height, j, j..height, 0.0);
        }
        let mut p = vec![0.0; k];
        for i in (0..k).rev() {
            let known: f64 = (i + 1..k).map(|j| columns[j * height + i] * p[j]).sum();
            p[i] = (columns[k * height + i] - known) / columns[i * height + i];
        }
        // |r|² − |r + J p|² = |J p|² + 2 λ |p|², which has no cancellation.
        let image = |i: usize| (i..k).map(|j| self.triangle[j * k + i] * p[j]).sum::<f64>();
        let promise = (0..k).map(|i| image(i).powi(2)).sum::<f64>() + 2.0 * damping * dot(&p, &p);
        let parameters = p.iter().zip(&self.scale).map(|(p, s)| p / s).collect();
        Step {
            parameters,
            promise,
        }
    }

    /// (JᵀJ)⁻¹ = D⁻¹ R⁻¹ R⁻ᵀ D⁻¹.
    fn inverse(&self) -> Option<Vec<Vec<f64>>> {
        if !self.is_full_rank {
            return None;
        }
        let k = self.turned.len();
        let entry = |i: usize, j: usize| self.triangle[j * k + i];
        // The columns of R⁻¹, by back substitution.
        let mut root = vec![vec![0.0; k]; k];
        for (j, column) in root.iter_mut().enumerate() {
            for i in (0..=j).rev() {
                let known: f64 = (i + 1..=j).map(|l| entry(i, l) * column[l]).sum();
                let unit = if i == j { 1.0 } else { 0.0 };
                column[i] = (unit - known) / entry(i, i);
            }
        }
        let product = |a: usize, b: usize| {
            let sum: f64 = (a.max(b)..k).map(|j| root[j][a] * root[j][b]).sum();
            sum / (self.scale[a] * self.scale[b])
        };
        let rows = (0..k).map(|a| (0..k).map(|b| product(a, b)).collect());
        Some(rows.collect())
    }
}

#[cfg(test)]
mod tests;
