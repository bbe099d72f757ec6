//! Fractions as a linear problem whose noise is known.
//!
//! Multiplied out, a law `y = P/Q` says that `P − y Q` is zero. The columns of P are exact. Those
//! of `y Q` carry the noise of y, times the terms of Q: a residual `P − y Q` is the noise times −Q.
//! So the noise level of a law with coefficients c is a Rayleigh quotient,
//!
//! ```text
//! ρ(c) = cᵀ G c / cᵀ B c,   G = [P, y Q]ᵀ [P, y Q],   B = [0, Q]ᵀ [0, Q]
//! ```
//!
//! whose smallest value over a support is an estimate of σ². Least squares with one coefficient of
//! Q fixed would minimise the numerator alone: it prefers small Q and attenuates coefficients, as
//! always with noise in the regressors.
//!
//! For every λ below the smallest ρ of all terms together, `G − λB` is positive definite, hence the
//! Gram matrix of some columns. An exact search on them takes the known noise out of every support.
//!
//! G and B are never formed: with the triangles R of `[P, y Q]` (R₂₂ its corner that belongs to Q)
//! and S of Q, and `R₂₂ S⁻¹ = V Σ Uᵀ`, the corner becomes `√(Σ² − λ) Uᵀ S`.
//!
//! Golub and Van Loan, An analysis of the total least squares problem (1980), for the quotient.

use super::columns::Columns;
use crate::numeric::householder::reflect;
use crate::numeric::singular::Singular;
use crate::reduce::triangle::Triangle;

/// The share of the smallest ρ that is taken out before a search.
///
/// All of it would leave no residual to the full set, and rounding decides there. A tenth of the
/// noise that is left costs little contrast.
const TAKEN_OUT: f64 = 0.9;

/// A diagonal entry of a triangle below this share of its column's length is rounding.
const DEPENDENT: f64 = 64.0 * f64::EPSILON;

/// The triangles of `[P, y Q]` and of Q, with rows weighted.
#[derive(Debug)]
pub(super) struct Pencil {
    /// How many columns belong to P.
    n_numerator: usize,
    /// Columns of R.
    all: Vec<Vec<f64>>,
    /// Columns of S.
    noise: Vec<Vec<f64>>,
    /// Columns whose Gram matrix is `G − λB`.
    corrected: Vec<Vec<f64>>,
}

/// The least noise that coefficients on a support reach.
#[derive(Debug, Clone)]
pub(super) struct Least {
    pub(super) rho: f64,
    pub(super) numerator: Vec<f64>,
    pub(super) denominator: Vec<f64>,
}

impl Pencil {
    /// Of all terms; `weights` should be 1/|Q|, which makes the noise of all rows alike.
    pub(super) fn new(columns: &Columns<'_>, weights: &[f64]) -> Self {
        let p: Vec<usize> = (0..columns.numerator.len()).collect();
        let q: Vec<usize> = (0..columns.denominator.len()).collect();
        let (all, noise) = weighted(columns, (&p, &q), weights);
        let (all, noise) = (triangle(all), triangle(noise));
        let corrected = corrected(&all, &noise, p.len());
        Self {
            n_numerator: p.len(),
            all,
            noise,
            corrected,
        }
    }

    /// The search for supports that explain `y q` for one term q of the denominator: all other
    /// columns in order, and `y q` as the target.
    pub(super) fn with_left_side(&self, q: usize) -> Triangle {
        let left = self.n_numerator + q;
        let others = (0..self.corrected.len()).filter(|&j| j != left);
        let picked = others.chain([left]).map(|j| self.corrected[j].clone());
        Triangle::from_columns(&picked.collect::<Vec<_>>())
    }

    /// The least ρ on a support, with its coefficients.
    pub(super) fn least(&self, p: &[usize], q: &[usize]) -> Option<Least> {
        let own = p
            .iter()
            .copied()
            .chain(q.iter().map(|q| self.n_numerator + q));
        let all = own.map(|j| self.all[j].clone()).collect();
        let noise = q.iter().map(|&q| self.noise[q].clone()).collect();
        least(all, noise)
    }
}

/// The least ρ on a support, from the rows themselves.
pub(super) fn least_on_rows(
    columns: &Columns<'_>,
    support: (&[usize], &[usize]),
    weights: &[f64],
) -> Option<Least> {
    let (all, noise) = weighted(columns, support, weights);
    least(all, noise)
}

/// The columns `[P, y Q]` and Q of a support, with rows weighted.
fn weighted(
    columns: &Columns<'_>,
    (p, q): (&[usize], &[usize]),
    weights: &[f64],
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let both = || weights.iter().zip(&columns.precision).zip(columns.target);
    let exact = |&p: &usize| {
        let column = columns.numerator.columns[p].iter();
        column
            .zip(both())
            .map(|(x, ((v, w), _))| x * v * w)
            .collect()
    };
    let noisy = |&q: &usize| {
        let column = columns.denominator.columns[q].iter();
        column
            .zip(both())
            .map(|(x, ((v, w), y))| x * v * w * y)
            .collect()
    };
    let noise = |&q: &usize| {
        let column = columns.denominator.columns[q].iter();
        column.zip(weights).map(|(x, v)| x * v).collect()
    };
    let all = p.iter().map(exact).chain(q.iter().map(noisy)).collect();
    (all, q.iter().map(noise).collect())
}

/// The least ρ, from the columns `[P, y Q]` and Q.
fn least(all: Vec<Vec<f64>>, noise: Vec<Vec<f64>>) -> Option<Least> {
    // Notation as in the header; c and d are the coefficients of P and of Q.
    let m_p = all.len() - noise.len();
    let lengths: Vec<f64> = all.iter().map(|c| length(c)).collect();
    let (r, s) = (triangle(all), triangle(noise));
    let is_independent = |(j, length): (usize, &f64)| {
        r[j].get(j)
            .is_some_and(|diagonal| diagonal.abs() > DEPENDENT * length)
    };
    if !lengths.iter().take(m_p).enumerate().all(is_independent) {
        return None;
    }
    let singular = Singular::new(corner_over_noise(&r, &s, m_p)?);
    let smallest = singular.smallest()?;
    let d = solve(&s, &singular.right[smallest], s.len())?;
    let mut right = vec![0.0; m_p];
    for (column, d) in r[m_p..].iter().zip(&d) {
        crate::numeric::vector::add(&mut right, *d, &column[..m_p]);
    }
    Some(Least {
        rho: singular.values[smallest].powi(2),
        numerator: solve(&r, &right, m_p)?,
        denominator: d,
    })
}

/// The columns of `R₂₂ S⁻¹`; none if Q has dependent columns on these rows.
fn corner_over_noise(r: &[Vec<f64>], s: &[Vec<f64>], m_p: usize) -> Option<Vec<Vec<f64>>> {
    let n = s.len();
    let height = r.first().map_or(0, Vec::len).saturating_sub(m_p);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(n);
    // Column j of W S = R₂₂, left to right.
    for j in 0..n {
        let mut column: Vec<f64> = r[m_p + j][m_p..].to_vec();
        column.resize(height, 0.0);
        for (before, &entry) in columns.iter().zip(&s[j]) {
            crate::numeric::vector::add(&mut column, -entry, before);
        }
        let diagonal = *s[j].get(j)?;
        if diagonal.abs() <= DEPENDENT * length(&s[j]) {
            return None;
        }
        for x in &mut column {
            *x /= diagonal;
        }
        columns.push(column);
    }
    Some(columns)
}

/// Columns whose Gram matrix is `G − λB`; those of G itself where the rows do not say what λ is.
fn corrected(r: &[Vec<f64>], s: &[Vec<f64>], n_p: usize) -> Vec<Vec<f64>> {
    let n = s.len();
    let is_complete = r.first().is_some_and(|column| column.len() == r.len());
    let corner = corner_over_noise(r, s, n_p).filter(|_| is_complete);
    let Some(singular) = corner.map(Singular::new) else {
        return r.to_vec();
    };
    let Some(smallest) = singular.smallest() else {
        return r.to_vec();
    };
    let lambda = TAKEN_OUT * singular.values[smallest].powi(2);
    let mut columns = r.to_vec();
    for (column, s) in columns[n_p..].iter_mut().zip(s) {
        for k in 0..n {
            let along: f64 = singular.right[k].iter().zip(s).map(|(u, s)| u * s).sum();
            let left = (singular.values[k].powi(2) - lambda).max(0.0);
            column[n_p + k] = left.sqrt() * along;
        }
    }
    columns
}

/// The triangle of these columns: as many rows as columns, or fewer with fewer rows.
fn triangle(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let height = columns.first().map_or(0, Vec::len);
    let n_rows = height.min(columns.len());
    let mut work: Vec<f64> = columns.into_iter().flatten().collect();
    for j in 0..n_rows {
        reflect(&mut work, height, j, j..height, 0.0);
    }
    let column = |(j, column): (usize, &[f64])| {
        let mut column = column[..n_rows].to_vec();
        column[n_rows.min(j + 1)..].fill(0.0);
        column
    };
    work.chunks_exact(height.max(1))
        .enumerate()
        .map(column)
        .collect()
}

/// Back substitution in the first `n` columns of a triangle.
fn solve(triangle: &[Vec<f64>], right: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut x = right[..n].to_vec();
    for j in (0..n).rev() {
        let value = x[j] / triangle[j][j];
        if !value.is_finite() {
            return None;
        }
        for (x, entry) in x[..j].iter_mut().zip(&triangle[j]) {
            *x -= entry * value;
        }
        x[j] = value;
    }
    Some(x)
}

fn length(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}
