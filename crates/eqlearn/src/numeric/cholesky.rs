//! Cholesky's factorisation of small dense matrices, by rows.

use crate::numeric::vector::dot;

/// The lower triangle `L` of `M = L Lᵀ`, by rows; none if `M` is not positive definite.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, row) in matrix.iter().enumerate() {
        let mut own: Vec<f64> = Vec::with_capacity(i + 1);
        for (j, before) in lower.iter().enumerate() {
            let known = dot(&own[..j], &before[..j]);
            own.push((row[j] - known) / before[j]);
        }
        let left = row[i] - dot(&own, &own);
        if left.is_nan() || left <= 0.0 {
            return None;
        }
        own.push(left.sqrt());
        lower.push(own);
    }
    Some(lower)
}

/// `L⁻¹ x`.
pub(crate) fn solve_lower(lower: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let mut solution: Vec<f64> = Vec::with_capacity(x.len());
    for (i, row) in lower.iter().enumerate() {
        let known = dot(&row[..i], &solution);
        solution.push((x[i] - known) / row[i]);
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_the_square_of_its_triangle() {
        let matrix = [
            vec![4.0, 2.0, -2.0],
            vec![2.0, 10.0, 2.0],
            vec![-2.0, 2.0, 6.0],
        ];
        let lower = cholesky(&matrix).expect("it is positive definite");
        assert_eq!(lower, [vec![2.0], vec![1.0, 3.0], vec![-1.0, 1.0, 2.0]]);
        assert_eq!(solve_lower(&lower, &[2.0, 7.0, 5.0]), [1.0, 2.0, 2.0]);
        assert!(cholesky(&[vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
        assert!(cholesky(&[vec![f64::NAN]]).is_none());
    }
}
