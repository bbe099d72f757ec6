//! Columns of terms and members on the rows, in units of the noise.

use super::{Ingredients, Rows};
use crate::error::Result;
use crate::judge::misfit::ROUNDING;
use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::terms::family::Family;

/// A column whose part that is new is below this share of its length adds nothing but rounding
/// errors.
const DEPENDENT: f64 = 1e-13;

/// What values become in the rows. It is linear, so that coefficients stay what they are.
pub(crate) type Transfer<'a> = dyn Fn(&[f64]) -> Vec<f64> + 'a;

/// Rows that are a linear function of values at some points, such as integrals over a motion.
#[derive(Clone, Copy)]
pub(crate) struct Integrated<'a> {
    /// The features at the points.
    pub(crate) features: &'a [&'a [f64]],
    /// What a column of values at the points becomes in the rows, in units of their noise.
    pub(crate) transfer: &'a Transfer<'a>,
    /// The target in the rows.
    pub(crate) target: &'a [f64],
    /// How many of the rows count as independent.
    pub(crate) n_counted: usize,
    /// The share of the target's sum of squares below which residuals mean nothing.
    pub(crate) least_share: f64,
    /// How many terms and members there are to choose from.
    pub(crate) n_candidates: usize,
}

/// How values become columns.
enum Made<'a> {
    /// Each is its row, divided by the noise of that row if it is known.
    RowByRow(Option<Vec<f64>>),
    Through(&'a Transfer<'a>),
}

/// Features as they are; terms of the dictionary and the target in units of the noise.
pub(super) struct Columns<'a> {
    features: Vec<Vec<f64>>,
    made: Made<'a>,
    pub(super) linear: Vec<Vec<f64>>,
    pub(super) target: Vec<f64>,
    /// How many of the rows count as independent.
    pub(super) n_counted: usize,
    /// The share of the target's sum of squares below which residuals mean nothing.
    pub(super) least_share: f64,
    /// How many terms and members there are to choose from, if that is not what grids say.
    pub(super) n_candidates: Option<usize>,
}

impl<'a> Columns<'a> {
    /// At most so many rows, evenly spread.
    pub(super) fn new(rows: &Rows<'_>, given: &Ingredients<'_>, most: usize) -> Result<Self> {
        let stride = rows.target.len().div_ceil(most).max(1);
        let some = |column: &[f64]| column.iter().copied().step_by(stride).collect();
        let target: Vec<f64> = some(rows.target);
        let columns = Self {
            n_counted: target.len(),
            least_share: ROUNDING,
            n_candidates: None,
            linear: Vec::new(),
            target,
            features: rows.features.iter().map(|column| some(column)).collect(),
            made: Made::RowByRow(rows.precision.map(some)),
        };
        let target = columns.made(&columns.target).concat();
        Self { target, ..columns }.with_terms_of(given, stride)
    }

    /// All rows.
    pub(super) fn integrated(rows: &Integrated<'a>, given: &Ingredients<'_>) -> Result<Self> {
        let columns = Self {
            features: rows.features.iter().map(|column| column.to_vec()).collect(),
            made: Made::Through(rows.transfer),
            linear: Vec::new(),
            target: rows.target.to_vec(),
            n_counted: rows.n_counted,
            least_share: rows.least_share,
            n_candidates: Some(rows.n_candidates),
        };
        columns.with_terms_of(given, 1)
    }

    fn with_terms_of(self, given: &Ingredients<'_>, stride: usize) -> Result<Self> {
        let slices = self.features();
        let mut values = vec![0.0; self.n_points() * given.dictionary.len()];
        if let Err(place) = given.dictionary.evaluate(&slices, &mut values) {
            let row = (place.row * stride + 1) as u64;
            return Err(given.dictionary.explain(place, &slices, row));
        }
        let linear = self.made(&values);
        Ok(Self { linear, ..self })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.target.len()
    }

    /// The number of points at which terms have values.
    fn n_points(&self) -> usize {
        self.features.first().map_or(self.target.len(), Vec::len)
    }

    pub(super) fn features(&self) -> Vec<&[f64]> {
        self.features.iter().map(Vec::as_slice).collect()
    }

    /// The columns of some of a family's formulas; none if a value is not finite.
    pub(super) fn members(
        &self,
        family: &Family,
        used: &[usize],
        values: &[f64],
    ) -> Option<Vec<Vec<f64>>> {
        let mut out = vec![0.0; self.n_points() * used.len()];
        let is_finite = family.evaluate_some(used, values, &self.features(), &mut out);
        is_finite.then(|| self.made(&out))
    }

    /// The derivatives of some of a family's formulas by one parameter; none if one is not finite.
    pub(super) fn slopes(
        &self,
        family: &Family,
        used: &[usize],
        parameter: usize,
        values: &[f64],
    ) -> Option<Vec<Vec<f64>>> {
        let mut out = vec![0.0; self.n_points() * used.len()];
        let is_finite = family.slopes(used, parameter, values, &self.features(), &mut out);
        is_finite.then(|| self.made(&out))
    }

    /// The columns of values at the points, one after another.
    fn made(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let column = |values: &[f64]| match &self.made {
            Made::RowByRow(None) => values.to_vec(),
            Made::RowByRow(Some(precision)) => {
                let both = values.iter().zip(precision);
                both.map(|(value, precision)| value * precision).collect()
            }
            Made::Through(transfer) => transfer(values),
        };
        values
            .chunks_exact(self.n_points().max(1))
            .map(column)
            .collect()
    }

    /// The whole dictionary, these columns, and the target.
    pub(super) fn all<'b>(&'b self, members: &'b [Vec<f64>]) -> Vec<&'b [f64]> {
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
