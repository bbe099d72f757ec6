//! Covariances of low rank, and what becomes of them when the noise changes.
//!
//! A smooth covariance of n rows is nearly of rank k, far below n. [`LowRank`] takes its largest
//! rows one after another (Cholesky with pivots), which costs `n k²` and never forms the matrix.
//! What is left out is itself a covariance, so the factor is one too. [`Tridiagonal`] turns
//! `G = FᵀF` so that `ln det(I + aG)` and `bᵀ(I + aG)⁻¹b` cost k operations for each further a.
//!
//! Golub and Van Loan, Matrix Computations, 4.2.9 and 8.3.1; Harbrecht, Peters and Schneider,
//! Applied Numerical Mathematics 62, 428 (2012).

use crate::numeric::householder::Scalar;
use crate::numeric::vector::{add, dot};

/// Variances that are left over below this are taken as zero.
const TOLERANCE: f64 = 1e-7;

/// A factor F of a covariance `K ≈ F Fᵀ` with unit variances, column by column.
pub(crate) struct LowRank {
    pub(crate) columns: Vec<Vec<f64>>,
}

impl LowRank {
    /// Factorises the covariance whose columns are given one at a time, up to a rank.
    pub(crate) fn new(
        n_rows: usize,
        highest_rank: usize,
        covariances: impl Fn(usize) -> Vec<f64>,
    ) -> Self {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut variances: Vec<f64> = vec![1.0; n_rows];
        while columns.len() < highest_rank.min(n_rows) {
            let by_variance = |a: &usize, b: &usize| variances[*a].total_cmp(&variances[*b]);
            // The first of equals, so that the choice depends on the rows' order alone.
            let Some(pivot) = (0..n_rows).rev().max_by(by_variance) else {
                break;
            };
            if variances[pivot] <= TOLERANCE {
                break;
            }
            let mut next = covariances(pivot);
            for column in &columns {
                add(&mut next, -column[pivot], column);
            }
            let root = variances[pivot].sqrt();
            for (x, variance) in next.iter_mut().zip(&mut variances) {
                *x /= root;
                *variance -= *x * *x;
            }
            variances[pivot] = 0.0;
            columns.push(next);
        }
        Self { columns }
    }
}

/// A symmetric matrix G turned to tridiagonal form, and a vector b turned with it.
pub(crate) struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    vector: Vec<f64>,
}

impl Tridiagonal {
    /// Turns the products of columns with each other, and a vector.
    pub(crate) fn of_gram(columns: &[Vec<f64>], mut vector: Vec<f64>) -> Self {
        let k = columns.len();
        let mut gram: Vec<Vec<f64>> = vec![vec![0.0; k]; k];
        for (i, a) in columns.iter().enumerate() {
            for (j, b) in columns[..=i].iter().enumerate() {
                let product = dot(a, b);
                (gram[i][j], gram[j][i]) = (product, product);
            }
        }
        let mut beside = vec![0.0; k.saturating_sub(1)];
        for j in 0..k.saturating_sub(1) {
            // Notation: v the reflection's axis, τ half its square, p = Gv/τ,
            // w = p − (pᵀv/2τ) v; then G ← G − v wᵀ − w vᵀ.
            let first = j + 1;
            let mut v = gram[j][first..].to_vec();
            let Some(reflection) = f64::axis(&mut v, 0.0) else {
                continue;
            };
            beside[j] = reflection.diagonal;
            if reflection.tau <= 0.0 {
                continue;
            }
            let below = &mut gram[first..];
            let p = below
                .iter()
                .map(|row| dot(&row[first..], &v) / reflection.tau);
            let mut w: Vec<f64> = p.collect();
            let along = -0.5 * dot(&w, &v) / reflection.tau;
            add(&mut w, along, &v);
            for (i, row) in below.iter_mut().enumerate() {
                add(&mut row[first..], -v[i], &w);
                add(&mut row[first..], -w[i], &v);
            }
            f64::turn(&v, reflection, &mut vector[first..]);
        }
        let diagonal = (0..k).map(|i| gram[i][i]).collect();
        Self {
            diagonal,
            beside,
            vector,
        }
    }

    /// `ln det(I + aG)` and `bᵀ(I + aG)⁻¹b`.
    pub(crate) fn shifted(&self, a: f64) -> (f64, f64) {
        // Notation: L D Lᵀ = I + aG, y = L⁻¹b.
        let (mut log_det, mut product) = (0.0, 0.0);
        let (mut d_before, mut y_before) = (1.0, 0.0);
        for (i, (g, b)) in self.diagonal.iter().zip(&self.vector).enumerate() {
            let beside = if i > 0 { a * self.beside[i - 1] } else { 0.0 };
            // At least 1 but for rounding errors, because G has no negative eigenvalue.
            let d = (1.0 + a * g - beside * beside / d_before).max(1.0);
            let y = b - beside / d_before * y_before;
            log_det += d.ln();
            product += y * y / d;
            (d_before, y_before) = (d, y);
        }
        (log_det, product)
    }
}
