//! The rows that laws beyond the dictionary are looked for in.

use crate::data::table::Table;
use crate::error::Result;
use crate::terms::problem::Problem;
use crate::terms::vocabulary::Variable;

/// Rows for a screening, which has to tell terms apart and not to measure coefficients.
const SCREENED: usize = 300;

/// Features, target and weights of all rows at hand, column by column.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    /// The rows as they were given.
    pub(super) tables: &'a [Table],
    /// The names of the features.
    pub(super) names: &'a [String],
    pub(super) features: Vec<Vec<f64>>,
    pub(super) target: Vec<f64>,
    /// One over the standard deviation of each row's noise, up to a factor.
    pub(super) precision: Vec<f64>,
}

impl<'a> Rows<'a> {
    /// The rows of a problem; none if there are none at hand.
    pub(super) fn new(problem: &'a Problem, tables: &'a [Table]) -> Result<Option<Self>> {
        if tables.iter().all(|table| table.n_rows() == 0) {
            return Ok(None);
        }
        let names = problem.dictionary().features();
        let all = |name: &str| -> Result<Vec<f64>> {
            let parts = tables.iter().map(|table| table.column(name));
            Ok(parts.collect::<Result<Vec<_>>>()?.concat())
        };
        let target = all(&problem.target())?;
        let precision = match problem.weights() {
            Some(name) => {
                let weights = all(name)?;
                let weights = problem.meaning().of(&weights);
                weights.iter().map(|w| w.sqrt()).collect()
            }
            None => vec![1.0; target.len()],
        };
        let features = names.iter().map(|name| all(name)).collect::<Result<_>>()?;
        Ok(Some(Self {
            tables,
            names,
            features,
            target,
            precision,
        }))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.target.len()
    }

    /// The features as slices.
    pub(super) fn columns(&self) -> Vec<&[f64]> {
        self.features.iter().map(Vec::as_slice).collect()
    }

    /// The features that vary, with what their values allow.
    pub(super) fn variables(&self) -> Vec<Variable<'_>> {
        let named = self.names.iter().zip(&self.features).enumerate();
        let varies = |values: &[f64]| values.iter().any(|x| x.to_bits() != values[0].to_bits());
        named
            .filter(|(_, (_, values))| varies(values))
            .map(|(column, (name, values))| Variable::new(column, name, values))
            .collect()
    }

    /// The sum of squares of the target, in units of the noise.
    pub(super) fn total(&self) -> f64 {
        let both = self.target.iter().zip(&self.precision);
        both.map(|(y, p)| (y * p).powi(2)).sum()
    }

    /// The places of some rows, spread evenly.
    pub(super) fn some(&self) -> Vec<usize> {
        let every = self.len().div_ceil(SCREENED).max(1);
        (0..self.len()).step_by(every).collect()
    }
}
