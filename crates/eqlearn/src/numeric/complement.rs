//! What is orthogonal to some columns: fits as reflections, for residuals rather than coefficients.
//!
//! Householder reflections turn the columns to the first axes. Coordinates beyond these are the
//! space that the columns leave; they keep lengths and products.

use crate::numeric::householder::{Reflection, Scalar};
use crate::numeric::vector::dot;

/// A column counts as dependent on others if this share of its length is left without them.
const DEPENDENT: f64 = 1e-11;

/// The space that is orthogonal to some columns, as reflections that turn these to the first axes.
pub(crate) struct Complement {
    axes: Vec<(Vec<f64>, Reflection<f64>)>,
}

impl Complement {
    /// What the independent ones of these columns, all of this many rows, leave.
    pub(crate) fn new(others: &[Vec<f64>], n_rows: usize) -> Self {
        let mut space = Self { axes: Vec::new() };
        for other in others {
            let mut column = other.clone();
            let largest = column.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
            if largest <= 0.0 || space.axes.len() == n_rows {
                continue;
            }
            for x in &mut column {
                *x /= largest;
            }
            let length = dot(&column, &column).sqrt();
            let mut left = space.project(column);
            if let Some(reflection) = f64::axis(&mut left, DEPENDENT * length) {
                space.axes.push((left, reflection));
            }
        }
        space
    }

    /// The number of independent columns.
    pub(crate) fn n_spent(&self) -> usize {
        self.axes.len()
    }

    /// The coordinates of a column in this space.
    pub(crate) fn project(&self, mut column: Vec<f64>) -> Vec<f64> {
        for (done, (axis, reflection)) in self.axes.iter().enumerate() {
            f64::turn(axis, *reflection, &mut column[done..]);
        }
        column.drain(..self.axes.len());
        column
    }

    /// What a weighted fit of others leaves of a column; weights by their square roots.
    pub(crate) fn weighted_remainder(
        others: &[Vec<f64>],
        column: &[f64],
        roots: &[f64],
    ) -> Vec<f64> {
        let weighted = |column: &[f64]| -> Vec<f64> {
            let pairs = column.iter().zip(roots);
            pairs.map(|(x, root)| x * root).collect()
        };
        let own: Vec<Vec<f64>> = others.iter().map(|other| weighted(other)).collect();
        let left = Self::new(&own, column.len()).remainder(weighted(column));
        left.iter().zip(roots).map(|(x, root)| x / root).collect()
    }

    /// What the others leave of a column, row by row.
    fn remainder(&self, column: Vec<f64>) -> Vec<f64> {
        let mut column = [vec![0.0; self.axes.len()], self.project(column)].concat();
        for (done, (axis, reflection)) in self.axes.iter().enumerate().rev() {
            f64::turn(axis, *reflection, &mut column[done..]);
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remainder_is_orthogonal_and_dependent_columns_count_once() {
        let ones = vec![1.0; 9];
        let line: Vec<f64> = (0..9).map(f64::from).collect();
        let twice: Vec<f64> = line.iter().map(|x| 2.0 * x + 3.0).collect();
        let others = [ones, line, twice];
        let space = Complement::new(&others, 9);
        assert_eq!(space.n_spent(), 2);
        let column: Vec<f64> = (0..9).map(|i| f64::from(i * i % 7)).collect();
        let left = space.remainder(column.clone());
        for other in &others {
            assert!(dot(other, &left).abs() < 1e-12);
        }
        let (a, b) = (space.project(column.clone()), dot(&left, &left));
        assert!((dot(&a, &a) - b).abs() < 1e-12);
        assert!((dot(&column, &left) - b).abs() < 1e-12);
    }
}
