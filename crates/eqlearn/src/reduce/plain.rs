//! A reduction as plain data, for files and for other processes, without loss of a bit.
//!
//! Entries are double-double numbers, column by column, without the zeros below the diagonal. The
//! low halves are written only if one of them is not zero, as in reductions of few rows.

use std::sync::Arc;

use qd::Quad;
use serde::{Deserialize, Serialize};

use super::Reduction;
use crate::numeric::matrix::Matrix;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plain {
    n_obs: usize,
    exponents: Vec<i32>,
    n_rows: usize,
    entries: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rests: Vec<f64>,
}

impl From<Reduction> for Plain {
    fn from(reduction: Reduction) -> Self {
        let triangle = &reduction.triangle;
        let pairs = || places(triangle.n_rows(), triangle.n_cols()).map(|place| triangle[place]);
        let rests: Vec<f64> = pairs().map(|pair| pair.1).collect();
        let is_zero = rests.iter().all(|rest| rest.abs() <= 0.0);
        Self {
            n_obs: reduction.n_obs,
            n_rows: triangle.n_rows(),
            entries: pairs().map(|pair| pair.0).collect(),
            rests: if is_zero { Vec::new() } else { rests },
            exponents: reduction.exponents,
        }
    }
}

impl TryFrom<Plain> for Reduction {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        let n_cols = plain.exponents.len();
        if n_cols == 0 || plain.n_rows > n_cols {
            return Err("a triangle has a target and no more rows than columns".into());
        }
        let n_entries = places(plain.n_rows, n_cols).count();
        let complete = plain.entries.len() == n_entries
            && (plain.rests.is_empty() || plain.rests.len() == n_entries);
        if !complete {
            return Err(format!(
                "a triangle of {} rows and {n_cols} columns has {n_entries} entries, not {}",
                plain.n_rows,
                plain.entries.len()
            ));
        }
        let mut triangle = Matrix::zeros(plain.n_rows, n_cols);
        for (k, place) in places(plain.n_rows, n_cols).enumerate() {
            let rest = plain.rests.get(k).copied().unwrap_or_default();
            triangle[place] = Quad(plain.entries[k], rest);
        }
        Ok(Self {
            n_obs: plain.n_obs,
            triangle: Arc::new(triangle),
            exponents: plain.exponents,
        })
    }
}

/// Row and column of all entries on and above the diagonal.
fn places(n_rows: usize, n_cols: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_cols).flat_map(move |j| (0..n_rows.min(j + 1)).map(move |i| (i, j)))
}

#[cfg(test)]
mod tests {
    use crate::reduce::Reduction;

    #[test]
    fn every_bit_survives() {
        let columns: [&[f64]; 3] = [
            &[1e-300, 0.1, 0.3, 7.0],
            &[0.0; 4],
            &[3.0, 1e200, -0.7, 0.2],
        ];
        for rows in [2, 4] {
            let columns: Vec<&[f64]> = columns.iter().map(|column| &column[..rows]).collect();
            let reduction = Reduction::from_columns(&columns);
            let text = serde_json::to_string(&reduction).expect("plain data");
            let read: Reduction = serde_json::from_str(&text).expect("it was just written");
            assert_eq!(format!("{reduction:?}"), format!("{read:?}"));
        }
    }

    #[test]
    fn a_triangle_that_lost_entries_is_refused() {
        let reduction = Reduction::from_columns(&[&[1.0, 2.0], &[3.0, 4.0]]);
        let text = serde_json::to_string(&reduction).expect("plain data");
        let cut = text.replacen("\"n_rows\":2", "\"n_rows\":1", 1);
        assert!(serde_json::from_str::<Reduction>(&cut).is_err());
    }
}
