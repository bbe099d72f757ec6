//! A banded matrix with a border: most unknowns know only their neighbours, a few know all others.
//!
//! ```text
//! [ A   B ]   A banded, B dense with few columns, C small
//! [ Bᵀ  C ]
//! ```
//!
//! The banded part is eliminated first: with `A = L Lᵀ` and `Z = L⁻¹ B`, what is left for the few
//! is the Schur complement `S = C − Zᵀ Z`. Work grows with the bandwidth only.

use crate::numeric::banded::{Cholesky, Ragged};
use crate::numeric::vector::{dot, widely};

/// The factors of a positive definite banded matrix with a border.
#[derive(Debug, Clone)]
pub(crate) struct Bordered {
    band: Cholesky,
    /// The columns of `Z`.
    border: Vec<Vec<f64>>,
    /// The rows of `S`, up to the diagonal.
    schur: Vec<Vec<f64>>,
    corner: Cholesky,
}

impl Bordered {
    /// Factorises the matrix with this banded part (its rows up to the diagonal), this border
    /// (column by column) and this corner (its rows up to the diagonal).
    pub(crate) fn new(band: Ragged, mut border: Vec<Vec<f64>>, corner: &[Vec<f64>]) -> Self {
        let band = Cholesky::new(band);
        let mut columns: Vec<&mut [f64]> = border.iter_mut().map(Vec::as_mut_slice).collect();
        band.solve_all(&mut columns);
        let mut schur = corner.to_vec();
        subtract_products(&mut schur, &border);
        let corner = factor(&schur);
        Self {
            band,
            border,
            schur,
            corner,
        }
    }

    /// What solves the system with this right side of the banded part, and this of the corner.
    pub(crate) fn solve(&self, mut inner: Vec<f64>, mut outer: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
        self.band.solve(&mut inner);
        for (value, column) in outer.iter_mut().zip(&self.border) {
            *value -= plain_dot(column, &inner);
        }
        self.corner.solve(&mut outer);
        self.corner.solve_transposed(&mut outer);
        for (value, column) in outer.iter().zip(&self.border) {
            for (inner, entry) in inner.iter_mut().zip(column) {
                *inner -= value * entry;
            }
        }
        self.band.solve_transposed(&mut inner);
        (inner, outer)
    }

    /// The right side that is left for the corner once the banded part is eliminated.
    pub(crate) fn reduced(&self, mut inner: Vec<f64>, mut outer: Vec<f64>) -> Vec<f64> {
        self.band.solve(&mut inner);
        for (value, column) in outer.iter_mut().zip(&self.border) {
            *value -= plain_dot(column, &inner);
        }
        outer
    }

    /// The Schur complement of the corner, its rows up to the diagonal.
    pub(crate) fn schur(&self) -> &[Vec<f64>] {
        &self.schur
    }

    /// `ln det` of the Schur complement.
    pub(crate) fn log_determinant_of_schur(&self) -> f64 {
        self.corner.log_determinant()
    }
}

/// The factor of a small dense matrix that is given by its rows up to the diagonal.
pub(crate) fn factor(rows: &[Vec<f64>]) -> Cholesky {
    let mut ragged = Ragged::default();
    for row in rows {
        ragged.push(row.len()).copy_from_slice(row);
    }
    Cholesky::new(ragged)
}

/// The inverse of a small dense matrix that is given by its rows up to the diagonal.
pub(crate) fn inverse(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let factor = factor(rows);
    let column = |place: usize| {
        let mut unit = vec![0.0; rows.len()];
        unit[place] = 1.0;
        factor.solve(&mut unit);
        factor.solve_transposed(&mut unit);
        unit
    };
    (0..rows.len()).map(column).collect()
}

widely! {
    /// `rows −= Zᵀ Z`, up to the diagonal.
    fn subtract_products(rows: &mut [Vec<f64>], columns: &[Vec<f64>]) = all_products
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
fn all_products(rows: &mut [Vec<f64>], columns: &[Vec<f64>]) {
    for (j, row) in rows.iter_mut().enumerate() {
        for (k, value) in row.iter_mut().enumerate() {
            *value -= dot(&columns[j], &columns[k]);
        }
    }
}

widely! {
    /// The product of two columns.
    fn plain_dot(a: &[f64], b: &[f64]) -> f64 = one_product
}

#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
fn one_product(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::vector::add;

    /// A positive definite matrix: two neighbours on each side, two columns of border.
    fn dense(n: usize, p: usize) -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            match high {
                _ if low == high => 9.0 + (i % 3) as f64,
                high if high >= n => (1.0 + (low * 7 + high * 3) as f64).sin() / 3.0,
                high if high - low <= 2 => (1.0 + (low * 5 + high) as f64).cos(),
                _ => 0.0,
            }
        };
        let row = |i| (0..n + p).map(|j| entry(i, j)).collect();
        (0..n + p).map(row).collect()
    }

    /// The same as a band with a border.
    fn split(dense: &[Vec<f64>], n: usize) -> (Ragged, Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let mut band = Ragged::default();
        for i in 0..n {
            let first = i.saturating_sub(2);
            band.push(i - first + 1)
                .copy_from_slice(&dense[i][first..=i]);
        }
        let border = (n..dense.len()).map(|j| dense[j][..n].to_vec()).collect();
        let corner = (n..dense.len()).map(|j| dense[j][n..=j].to_vec()).collect();
        (band, border, corner)
    }

    #[test]
    fn a_bordered_band_is_solved_as_the_dense_matrix_is() {
        let (n, p) = (12, 2);
        let all = dense(n, p);
        let wanted: Vec<f64> = (0..n + p).map(|i| (i as f64).sin()).collect();
        let mut right = vec![0.0; n + p];
        for (row, value) in all.iter().zip(&wanted) {
            add(&mut right, *value, row);
        }
        let (band, border, corner) = split(&all, n);
        let factors = Bordered::new(band, border, &corner);
        let (inner, outer) = factors.solve(right[..n].to_vec(), right[n..].to_vec());
        for (a, b) in inner.iter().chain(&outer).zip(&wanted) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        // The reduced right side and the Schur complement give the corner's part alone.
        let left = factors.reduced(right[..n].to_vec(), right[n..].to_vec());
        let inverse = inverse(factors.schur());
        for (row, wanted) in inverse.iter().zip(&wanted[n..]) {
            assert!((plain_dot(row, &left) - wanted).abs() < 1e-12);
        }
        // The determinant by elimination without any structure.
        let rows: Vec<Vec<f64>> = (0..n + p).map(|i| all[i][..=i].to_vec()).collect();
        let of_both = factors.band.log_determinant() + factors.log_determinant_of_schur();
        assert!((of_both - factor(&rows).log_determinant()).abs() < 1e-12);
    }
}
