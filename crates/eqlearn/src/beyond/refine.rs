//! A law of a function of the target, fitted in the target's own units.

use super::judge::{combine, evaluated};
use super::rows::Rows;
use crate::learn::Polished;
use crate::learn::model::Model;
use crate::reduce::Reduction;
use crate::terms::transform::Transform;

/// Steps of Gauss and Newton in the target's own units.
const STEPS: usize = 8;

/// Fits a law of a function of the target in the target's own units, by steps of Gauss and
/// Newton; none if it has no value on some row.
pub(super) fn polish(rows: &Rows<'_>, model: &Model, transform: Transform) -> Option<Polished> {
    let columns = evaluated(rows, model.terms());
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut coefficients = model.coefficients().to_vec();
    let mut fit = None;
    for _ in 0..STEPS {
        let right = combine(&columns, &coefficients, rows.len());
        let predicted: Vec<f64> = right.iter().map(|z| transform.inverse(*z)).collect();
        let norm = residual_norm(rows, &predicted);
        if !norm.is_finite() || best.as_ref().is_some_and(|(_, least)| norm >= *least) {
            break;
        }
        best = Some((coefficients.clone(), norm));
        let slope = |row: usize| transform.derivative(predicted[row]);
        let weight = |row: usize| rows.precision[row] / slope(row).abs();
        let weighted = |column: &Vec<f64>| -> Vec<f64> {
            column
                .iter()
                .enumerate()
                .map(|(row, v)| v * weight(row))
                .collect()
        };
        let working = |row: usize| {
            (right[row] + slope(row) * (rows.target[row] - predicted[row])) * weight(row)
        };
        let mut scaled: Vec<Vec<f64>> = columns.iter().map(weighted).collect();
        scaled.push((0..rows.len()).map(working).collect());
        if scaled.iter().flatten().any(|v| !v.is_finite()) {
            break;
        }
        let slices: Vec<&[f64]> = scaled.iter().map(Vec::as_slice).collect();
        let step = Reduction::from_columns(&slices).fit(&(0..columns.len()).collect());
        coefficients = step.coefficients().to_vec();
        fit = Some(step);
    }
    let (coefficients, residual_norm) = best?;
    let spare = rows.len().saturating_sub(coefficients.len());
    let polished = model.refined(coefficients, fit.and_then(|fit| fit.covariance()));
    let total = rows.total();
    Some(Polished {
        model: if spare > 0 {
            polished.with_sigma(residual_norm / (spare as f64).sqrt())
        } else {
            polished
        },
        residual_norm,
        share: residual_norm * residual_norm / total,
    })
}

fn residual_norm(rows: &Rows<'_>, predicted: &[f64]) -> f64 {
    let both = rows.target.iter().zip(predicted).zip(&rows.precision);
    let squares: f64 = both.map(|((y, f), p)| ((y - f) * p).powi(2)).sum();
    squares.sqrt()
}
