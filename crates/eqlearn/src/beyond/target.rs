//! The target of an attempt: a column of the table, or a function of it that is made here.

use super::rows::Rows;
use crate::data::table::Table;
use crate::error::Result;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
use crate::terms::transform::Transform;

/// The largest share of rows on which a function of the target may have no value.
const MOST_MISSING: f64 = 0.25;
/// Values up to this share of the target's root mean square can be noise around zero.
const SMALL_VALUE: f64 = 0.1;
/// Values beyond this are not used: their squares are too close to the end of all numbers.
pub(super) const LARGEST_VALUE: f64 = 1e120;

/// The target of an attempt: a column of the table, or one that is made here.
pub(super) struct Target {
    pub(super) left: LeftSide,
    pub(super) values: Vec<f64>,
    /// The square roots of the weights; 0 for rows on which the function has no value.
    pub(super) precision: Vec<f64>,
    /// The name of the column of weights, if one is made.
    weights: Option<String>,
    pub(super) tables: Option<Vec<Table>>,
}

impl Target {
    /// The target of a problem, or a function of it; none if it has no values on these rows.
    pub(super) fn new(
        rows: &Rows<'_>,
        problem: &Problem,
        transform: Option<Transform>,
    ) -> Option<Self> {
        let column = problem.target();
        let Some(transform) = transform else {
            return Some(Self {
                left: problem.left_side().clone(),
                values: rows.target.clone(),
                precision: rows.precision.clone(),
                weights: None,
                tables: None,
            });
        };
        let (defined, mostly) = defined(rows, transform);
        if !mostly {
            return None;
        }
        let left = LeftSide::Function {
            of: column.clone(),
            transform,
        };
        let name = format!("weight of {left}");
        let weighted = |row: usize| {
            if defined[row] {
                rows.precision[row] / transform.derivative(rows.target[row]).abs()
            } else {
                0.0
            }
        };
        let precision: Vec<f64> = (0..rows.len()).map(weighted).collect();
        let largest = precision.iter().fold(0.0_f64, |a, p| a.max(*p));
        let value = |row: usize| {
            if defined[row] {
                transform.apply(rows.target[row])
            } else {
                0.0
            }
        };
        let values: Vec<f64> = (0..rows.len()).map(value).collect();
        let finite = |values: &[f64]| values.iter().all(|v| v.abs() < LARGEST_VALUE);
        if !finite(&values) || !finite(&precision) || largest <= 0.0 {
            return None;
        }
        let mut tables = Vec::with_capacity(rows.tables.len());
        let mut first = 0;
        for table in rows.tables {
            let range = first..first + table.n_rows();
            first = range.end;
            let squares = precision[range.clone()].iter().map(|p| p * p).collect();
            let table = table.with_column(&left.to_string(), values[range].to_vec());
            tables.push(table.with_column(&name, squares));
        }
        Some(Self {
            left,
            values,
            precision,
            weights: Some(name),
            tables: Some(tables),
        })
    }

    /// The problem of explaining it by these terms.
    pub(super) fn problem(&self, base: &Problem, dictionary: Dictionary) -> Result<Problem> {
        let problem = Problem::new(self.left.clone(), dictionary)?.with_constants(base.constants());
        match (&self.weights, base.weights()) {
            (Some(made), _) => problem.with_weights(made),
            (None, Some(given)) => Ok(problem.with_weights(given)?.with_meaning(base.meaning())),
            (None, None) => Ok(problem),
        }
    }
}

/// On which rows a function of the target exists, and whether those where it does not can be
/// noise: few and small.
fn defined(rows: &Rows<'_>, transform: Transform) -> (Vec<bool>, bool) {
    let exists = |y: &f64| transform.is_defined_for(std::slice::from_ref(y));
    let defined: Vec<bool> = rows.target.iter().map(exists).collect();
    let scale = (rows.target.iter().map(|y| y * y).sum::<f64>() / rows.len() as f64).sqrt();
    let missing = || rows.target.iter().filter(|y| !exists(y));
    let few = missing().count() as f64 <= MOST_MISSING * rows.len() as f64;
    let small = missing().all(|y| y.abs() <= SMALL_VALUE * scale);
    (defined, few && small)
}
