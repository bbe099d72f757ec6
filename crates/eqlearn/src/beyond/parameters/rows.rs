//! Columns of terms and members on the rows, each row divided by its noise.

use super::{Ingredients, Rows};
use crate::error::Result;
use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::terms::family::Family;

/// A column whose part that is new is below this share of its length adds nothing but rounding
/// errors.
const DEPENDENT: f64 = 1e-13;

/// Features as they are; terms of the dictionary and the target divided by the noise of each row.
#[derive(Debug)]
pub(super) struct Columns {
    features: Vec<Vec<f64>>,
    precision: Option<Vec<f64>>,
    pub(super) linear: Vec<Vec<f64>>,
    pub(super) target: Vec<f64>,
}

impl Columns {
    /// At most so many rows, evenly spread.
    pub(super) fn new(rows: &Rows<'_>, given: &Ingredients<'_>, most: usize) -> Result<Self> {
        let stride = rows.target.len().div_ceil(most).max(1);
        let some = |column: &[f64]| column.iter().copied().step_by(stride).collect();
        let features: Vec<Vec<f64>> = rows.features.iter().map(|column| some(column)).collect();
        let slices: Vec<&[f64]> = features.iter().map(Vec::as_slice).collect();
        let target: Vec<f64> = some(rows.target);
        let n = target.len();
        let mut values = vec![0.0; n * given.dictionary.len()];
        if let Err(place) = given.dictionary.evaluate(&slices, &mut values) {
            let row = (place.row * stride + 1) as u64;
            return Err(given.dictionary.explain(place, &slices, row));
        }
        let precision: Option<Vec<f64>> = rows.precision.map(some);
        let mut columns = Self {
            linear: values.chunks_exact(n.max(1)).map(<[f64]>::to_vec).collect(),
            target,
            features,
            precision,
        };
        if let Some(precision) = &columns.precision {
            for column in columns.linear.iter_mut().chain([&mut columns.target]) {
                scale(column, precision);
            }
        }
        Ok(columns)
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.target.len()
    }

    pub(super) fn features(&self) -> Vec<&[f64]> {
        self.features.iter().map(Vec::as_slice).collect()
    }

    /// The columns of a family's formulas; none if a value is not finite.
    pub(super) fn members(&self, family: &Family, values: &[f64]) -> Option<Vec<Vec<f64>>> {
        let mut out = vec![0.0; self.len() * family.n_formulas()];
        let is_finite = family.evaluate(values, &self.features(), &mut out);
        is_finite.then(|| self.divided(&out))
    }

    /// The derivatives of a family's formulas by one parameter; none if one is not finite.
    pub(super) fn slopes(
        &self,
        family: &Family,
        parameter: usize,
        values: &[f64],
    ) -> Option<Vec<Vec<f64>>> {
        let mut out = vec![0.0; self.len() * family.n_formulas()];
        let is_finite = family.slopes(parameter, values, &self.features(), &mut out);
        is_finite.then(|| self.divided(&out))
    }

    fn divided(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let mut columns: Vec<Vec<f64>> = values
            .chunks_exact(self.len().max(1))
            .map(<[f64]>::to_vec)
            .collect();
        if let Some(precision) = &self.precision {
            for column in &mut columns {
                scale(column, precision);
            }
        }
        columns
    }

    /// The whole dictionary, these columns, and the target.
    pub(super) fn all<'a>(&'a self, members: &'a [Vec<f64>]) -> Vec<&'a [f64]> {
        let all = self.linear.iter().chain(members).chain([&self.target]);
        all.map(Vec::as_slice).collect()
    }

    /// The sum of squared residuals of these terms of the dictionary and these columns; none if
    /// they depend on each other.
    pub(super) fn rss(&self, linear: &[usize], members: &[Vec<f64>]) -> Option<f64> {
        let terms = linear.iter().map(|&i| &self.linear[i]).chain(members);
        let mut columns: Vec<f64> = terms.chain([&self.target]).flatten().copied().collect();
        let k = linear.len() + members.len();
        triangularise(&mut columns, self.len(), k)?;
        let rest = &columns[k * self.len()..][k.min(self.len())..];
        Some(dot(rest, rest))
    }
}

fn scale(column: &mut [f64], precision: &[f64]) {
    for (value, precision) in column.iter_mut().zip(precision) {
        *value *= precision;
    }
}

/// Reflects the first k columns to a triangle and all behind them with it; none if the columns
/// depend on each other.
pub(super) fn triangularise(columns: &mut [f64], n_rows: usize, k: usize) -> Option<()> {
    if n_rows <= k {
        return None;
    }
    for j in 0..k {
        let column = &columns[j * n_rows..][..n_rows];
        let length = dot(column, column).sqrt();
        if !length.is_finite() || !reflect(columns, n_rows, j, j..n_rows, DEPENDENT * length) {
            return None;
        }
    }
    Some(())
}
