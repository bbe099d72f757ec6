//! Terms of numerator and denominator, evaluated on the rows.
//!
//! Every column is divided by its root mean square, so that coefficients in these units are of
//! order one whatever the powers. Terms that are linear combinations of earlier ones of the same
//! sum on these rows are left out: they would only say the same law again.

use super::{FractionSettings, Rows};
use crate::error::Result;
use crate::reduce::Reduction;
use crate::terms::dictionary::Dictionary;

/// The terms of one sum on all rows, in units of their root mean squares.
#[derive(Debug)]
pub(super) struct Side {
    /// The place of each column's term in the dictionary.
    pub(super) terms: Vec<usize>,
    pub(super) columns: Vec<Vec<f64>>,
    /// What each column was divided by.
    pub(super) scales: Vec<f64>,
    /// The column of the constant term.
    pub(super) constant: Option<usize>,
    /// The number of characters that each term takes in print.
    pub(super) lengths: Vec<usize>,
}

/// Everything that is known of the rows.
#[derive(Debug)]
pub(super) struct Columns<'a> {
    pub(super) numerator: Side,
    pub(super) denominator: Side,
    pub(super) target: &'a [f64],
    /// The inverse standard deviation of each row, up to a common factor.
    pub(super) precision: Vec<f64>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(rows: &Rows<'a>, settings: &FractionSettings) -> Result<Self> {
        let precision = match rows.weights {
            Some(weights) => weights.to_vec(),
            None => vec![1.0; rows.target.len()],
        };
        Ok(Self {
            numerator: Side::new(rows, &settings.numerator)?,
            denominator: Side::new(rows, &settings.denominator)?,
            target: rows.target,
            precision,
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.target.len()
    }

    /// The weighted sum of squares of the target.
    pub(super) fn total(&self) -> f64 {
        let weighted = self.target.iter().zip(&self.precision);
        weighted.map(|(y, w)| (y * w).powi(2)).sum()
    }
}

impl Side {
    fn new(rows: &Rows<'_>, dictionary: &Dictionary) -> Result<Self> {
        let n_rows = rows.target.len();
        let places: Vec<&[f64]> = columns_of(rows, dictionary)?;
        let mut values = vec![0.0; n_rows * dictionary.len()];
        dictionary
            .evaluate(&places, &mut values)
            .map_err(|place| dictionary.explain(place, &places, place.row as u64 + 1))?;
        let slices: Vec<&[f64]> = values.chunks_exact(n_rows.max(1)).collect();
        let with_target: Vec<&[f64]> = slices.iter().copied().chain([rows.target]).collect();
        let dependent = Reduction::from_columns_in_double(&with_target).dependent();
        let mut side = Self {
            terms: Vec::new(),
            columns: Vec::new(),
            scales: Vec::new(),
            constant: None,
            lengths: Vec::new(),
        };
        for (term, column) in slices.iter().enumerate() {
            let scale = root_mean_square(column);
            if dependent.contains(term) || scale <= 0.0 {
                continue;
            }
            if dictionary.terms()[term].is_constant() {
                side.constant = Some(side.terms.len());
            }
            side.terms.push(term);
            side.columns
                .push(column.iter().map(|x| x / scale).collect());
            side.scales.push(scale);
            side.lengths
                .push(dictionary.terms()[term].to_string().len());
        }
        Ok(side)
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The sum of these columns with these coefficients, row by row.
    pub(super) fn sum(&self, columns: &[usize], coefficients: &[f64]) -> Vec<f64> {
        let n_rows = self.columns.first().map_or(0, Vec::len);
        let mut sum = vec![0.0; n_rows];
        for (&column, coefficient) in columns.iter().zip(coefficients) {
            crate::numeric::vector::add(&mut sum, *coefficient, &self.columns[column]);
        }
        sum
    }

    /// The same with all terms positive: what rounding errors are relative to.
    pub(super) fn sum_of_sizes(&self, columns: &[usize], coefficients: &[f64]) -> Vec<f64> {
        let n_rows = self.columns.first().map_or(0, Vec::len);
        let mut sum = vec![0.0; n_rows];
        for (&column, coefficient) in columns.iter().zip(coefficients) {
            for (sum, x) in sum.iter_mut().zip(&self.columns[column]) {
                *sum += (coefficient * x).abs();
            }
        }
        sum
    }
}

/// The columns of the rows in the order of a dictionary's features.
fn columns_of<'a>(rows: &Rows<'a>, dictionary: &Dictionary) -> Result<Vec<&'a [f64]>> {
    let find = |name: &String| {
        let place = rows.features.iter().position(|known| known == name);
        place.map(|place| rows.columns[place]).ok_or_else(|| {
            crate::data::TableError::UnknownColumn {
                name: name.clone(),
                nearest: None,
                known: rows.features.to_vec(),
            }
            .into()
        })
    };
    dictionary.features().iter().map(find).collect()
}

fn root_mean_square(column: &[f64]) -> f64 {
    let largest = column.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    if largest <= 0.0 {
        return 0.0;
    }
    let mean = column.iter().map(|x| (x / largest).powi(2)).sum::<f64>() / column.len() as f64;
    largest * mean.sqrt()
}
