//! Singular values of small matrices, by one-sided Jacobi rotations.
//!
//! Pairs of columns are rotated until all are orthogonal. Their lengths then are the singular
//! values and the product of the rotations holds the right singular vectors:
//!
//! ```text
//! W = V Σ Uᵀ,   W U = V Σ
//! ```
//!
//! Small singular values come with nearly all their digits, where the eigenvalues of `WᵀW` would
//! have lost half of them (Demmel and Veselić, Jacobi's method is more accurate than QR, 1992).

use crate::numeric::vector::dot;

/// Sweeps over all pairs at most; convergence is quadratic and takes about eight.
const SWEEPS: usize = 40;

/// Columns count as orthogonal when their cosine is below this.
const ORTHOGONAL: f64 = 4.0 * f64::EPSILON;

/// Singular values and the singular vectors of each, in no order.
#[derive(Debug, Clone)]
pub(crate) struct Singular {
    pub(crate) values: Vec<f64>,
    /// `right[k]` belongs to `values[k]`.
    pub(crate) right: Vec<Vec<f64>>,
    /// `left[k]` belongs to `values[k]`, and is as long.
    pub(crate) left: Vec<Vec<f64>>,
}

impl Singular {
    /// Of the matrix with these columns.
    pub(crate) fn new(columns: Vec<Vec<f64>>) -> Self {
        Self::above(0.0, columns)
    }

    /// The same where values below this are not told apart: columns that are linearly dependent
    /// leave rounding errors, which no rotation makes orthogonal.
    pub(crate) fn above(floor: f64, mut columns: Vec<Vec<f64>>) -> Self {
        let n = columns.len();
        let unit = |k: usize| (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        let mut right: Vec<Vec<f64>> = (0..n).map(unit).collect();
        for _ in 0..SWEEPS {
            let mut has_turned = false;
            for j in 1..n {
                for i in 0..j {
                    if let Some(rotation) = rotation(&columns[i], &columns[j], floor) {
                        has_turned = true;
                        turn(&mut columns, i, j, rotation);
                        turn(&mut right, i, j, rotation);
                    }
                }
            }
            if !has_turned {
                break;
            }
        }
        let values = columns.iter().map(|c| dot(c, c).sqrt()).collect();
        Self {
            values,
            right,
            left: columns,
        }
    }

    /// The place of the smallest value.
    pub(crate) fn smallest(&self) -> Option<usize> {
        let places = 0..self.values.len();
        places.min_by(|&i, &j| self.values[i].total_cmp(&self.values[j]))
    }
}

/// Cosine and sine of the rotation that makes two columns orthogonal, if they are not.
fn rotation(a: &[f64], b: &[f64], floor: f64) -> Option<(f64, f64)> {
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    let is_nothing = aa.min(bb) <= floor * floor;
    if is_nothing || ab.abs() <= ORTHOGONAL * aa.sqrt() * bb.sqrt() {
        return None;
    }
    let zeta = (bb - aa) / (2.0 * ab);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    Some((cosine, cosine * tangent))
}

fn turn(columns: &mut [Vec<f64>], i: usize, j: usize, (cosine, sine): (f64, f64)) {
    let (before, behind) = columns.split_at_mut(j);
    for (a, b) in before[i].iter_mut().zip(&mut behind[0]) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

#[cfg(test)]
mod tests {
    use super::Singular;

    #[test]
    fn singular_values_of_a_known_matrix() {
        // WᵀW = [[9, 12], [12, 41]], eigenvalues 5 and 45.
        let singular = Singular::new(vec![vec![3.0, 0.0], vec![4.0, 5.0]]);
        let smallest = singular.smallest().expect("there are two");
        assert!((singular.values[smallest].powi(2) - 5.0).abs() < 1e-13);
        assert!((singular.values[1 - smallest].powi(2) - 45.0).abs() < 1e-12);
        // The vector of 5 is (3, −1)/√10.
        let vector = &singular.right[smallest];
        assert!((vector[0] / vector[1] + 3.0).abs() < 1e-13);
    }

    #[test]
    fn a_tiny_singular_value_keeps_its_digits() {
        // The columns (1, 1) and (1, 1 + e): the product of the singular values is e.
        let e = 2.0_f64.powi(-30);
        let singular = Singular::new(vec![vec![1.0, 1.0], vec![1.0, 1.0 + e]]);
        let product = singular.values[0] * singular.values[1];
        assert!((product / e - 1.0).abs() < 1e-6, "{product}");
    }
}
