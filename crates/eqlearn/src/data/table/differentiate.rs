//! A column differentiated by another: for laws that are only linear after differentiation.
//!
//! `y = a sin(bx)` is not linear in `b`, but `y'' = −b² y` is. Rows are sorted by `x`; derivatives
//! are those of polynomials fitted to windows of neighbours (`local`), whose width follows from the
//! noise of `y`. The errors of rows closer than half a window are correlated, so the rows are
//! thinned out to a few per window.

use super::{RowNumbers, Table};
use crate::data::TableError;
use crate::error::Result;
use crate::numeric::local::{self, Curve};

/// What the derivative of `y` by `x` is called: `dy/dx`, `d2y/dx2`, …
pub fn derivative_name(y: &str, x: &str, order: usize) -> String {
    match order {
        1 => format!("d{y}/d{x}"),
        _ => format!("d{order}{y}/d{x}{order}"),
    }
}

impl Table {
    /// The same columns in the order of `by`, with the derivatives of `column` up to some order
    /// behind them.
    ///
    /// # Errors
    /// A column that is not there, two rows with the same value of `by`, or too few rows.
    pub fn differentiated(&self, column: &str, by: &str, order: usize) -> Result<Table> {
        let (x, y) = (self.column(by)?, self.column(column)?);
        let mut rows: Vec<usize> = (0..x.len()).collect();
        rows.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let sorted = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&i| values[i]).collect() };
        let (x, y) = (sorted(x), sorted(y));
        if let Some(place) = x.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(TableError::DerivativeAmbiguous {
                column: by.to_string(),
                value: x[place],
                row: self.row_number(rows[place + 1]),
            }
            .into());
        }
        // Two windows that determine their polynomials.
        let least = 2 * (2 * local::determining(order) + 1);
        if x.len() < least {
            return Err(TableError::TooFewRowsToDifferentiate {
                rows: x.len(),
                least,
                order,
            }
            .into());
        }
        let curve = Curve {
            pieces: vec![(&x, &y)],
            sigma: local::noise(&[&y]),
        };
        let averaging = 2 * (2 * local::narrowest(order) + 1);
        let half = if x.len() < averaging {
            (x.len() / 2 - 1) / 2
        } else {
            local::best_window(&[curve], order)
        };
        let kept = || (half..x.len() - half).step_by((half / 2).max(1));
        let pick = |values: &[f64]| -> Vec<f64> { kept().map(|i| values[i]).collect() };
        let mut columns: Vec<(String, Vec<f64>)> = self
            .names
            .iter()
            .zip(&self.columns)
            .map(|(name, values)| (name.clone(), pick(&sorted(values))))
            .collect();
        for k in 0..=order {
            let smooth = local::derivative(&x, &y, half, local::degree(order), k);
            if k == 0 {
                // Terms in the column itself are evaluated on the fitted curve too.
                let own = columns.iter_mut().find(|(name, _)| name == column);
                own.expect("the column is in the table").1 = pick(&smooth);
            } else {
                columns.push((derivative_name(column, by, k), pick(&smooth)));
            }
        }
        let numbers = kept().map(|i| self.row_number(rows[i])).collect();
        let table = Table::new(columns)?;
        Ok(Table {
            rows: RowNumbers::Listed(numbers),
            ..table
        })
    }
}
