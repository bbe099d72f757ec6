//! Features that only scale the law: `y = x₁^a x₂^b · F(others)`.
//!
//! Most laws of many variables are of this form, and once the factor is known few features are left
//! for the sum. Logs turn it into `ln|y| = a ln x₁ + b ln x₂ + ln|F|`. A quadratic polynomial in
//! the logs stands for `ln|F|`. A feature belongs to the factor if it has no part in any quadratic
//! term and its linear coefficient is close to a simple fraction.
//!
//! This is a guess that costs nothing: it limits which terms are tried, and the law is judged as
//! all others are. Where it is wrong, the vocabulary without a factor is still there.

use crate::reduce::support::Support;
use crate::reduce::{Fit, Reduction};
use crate::terms::vocabulary::Variable;

use super::judge::combine;
use super::rows::Rows;
use super::view::{Coordinate, View};

/// A quadratic coefficient within this many standard errors of zero counts as zero.
const SIGNIFICANT: f64 = 4.5;
/// Or one that changes `ln|y|` by less than this over the data.
const NEGLIGIBLE: f64 = 1e-6;
/// How far a coefficient may be from a simple fraction.
const CLOSE: f64 = 0.06;
/// A feature whose largest and smallest values differ by less than this factor has no visible
/// exponent.
const LEAST_RATIO: f64 = 1.15;
/// Values of the target below this share of its root mean square are noise, or zeros of `F`.
const SMALLEST: f64 = 1e-2;
/// The most steps of a fit.
const STEPS: usize = 6;
/// Spare rows for each coefficient of the polynomial.
const ROWS_PER_COEFFICIENT: usize = 3;

/// The law with its factor, as far as the logs show it.
pub(super) fn factored(rows: &Rows<'_>) -> View {
    let plain = View::plain(rows);
    let scaling = exponents(rows, &rows.variables()).unwrap_or_default();
    let column = |v: &Coordinate| v.meaning.features().first().map(|(column, _)| *column);
    let scales = |v: &Coordinate| scaling.iter().any(|(known, _)| Some(*known) == column(v));
    let named = scaling.iter();
    View {
        powers: named
            .map(|&(column, power)| (column, rows.names[column].clone(), power))
            .collect(),
        variables: plain.variables.into_iter().filter(|v| !scales(v)).collect(),
        is_inverse: false,
    }
}

/// The features that only scale the target, with their exponents; none if logs say nothing.
fn exponents(rows: &Rows<'_>, all: &[Variable<'_>]) -> Option<Vec<(usize, f64)>> {
    let visible: Vec<&Variable<'_>> = all.iter().filter(|v| has_exponent(rows, v)).collect();
    let n = rows.len() as f64;
    let scale = (rows.target.iter().map(|y| y * y).sum::<f64>() / n).sqrt();
    let large: Vec<usize> = (0..rows.len())
        .filter(|&row| rows.target[row].abs() > SMALLEST * scale)
        .collect();
    let d = visible.len();
    let quadratic = large.len() > ROWS_PER_COEFFICIENT * (1 + d + d * (d + 1) / 2);
    if d == 0 || large.len() < ROWS_PER_COEFFICIENT * (1 + d) {
        return None;
    }
    let logs: Vec<Vec<f64>> = visible
        .iter()
        .map(|v| centred_logs(rows, v, &large))
        .collect();
    let mut columns = vec![vec![1.0; large.len()]];
    columns.extend(logs.iter().cloned());
    let mut pairs = Vec::new();
    if quadratic {
        for i in 0..d {
            for j in i..d {
                pairs.push((i, j));
                let both = logs[i].iter().zip(&logs[j]);
                columns.push(both.map(|(x, y)| x * y).collect());
            }
        }
    }
    let target: Vec<f64> = large.iter().map(|&row| rows.target[row].abs()).collect();
    let precision: Vec<f64> = large
        .iter()
        .map(|&row| rows.precision[row] / scale)
        .collect();
    let fit = log_linear(&columns, &target, &precision)?;
    let (values, errors) = (fit.coefficients(), fit.std_errors()?);
    let bends = |k: usize| {
        let (i, j) = pairs[k];
        let place = 1 + d + k;
        let effect = values[place].abs() * spread(&logs[i]) * spread(&logs[j]);
        values[place].abs() > SIGNIFICANT * errors[place] && effect > NEGLIGIBLE
    };
    let scales = |&i: &usize| {
        let concerned = |k: &usize| pairs[*k].0 == i || pairs[*k].1 == i;
        !(0..pairs.len()).filter(concerned).any(bends)
    };
    let exponent = |i: usize| {
        let power = simple(values[1 + i], errors[1 + i])?;
        let allowed = visible[i].positive || power.fract() == 0.0;
        (allowed && power.abs() > 0.0).then_some((visible[i].column, power))
    };
    Some((0..d).filter(scales).filter_map(exponent).collect())
}

/// Fits `y = exp(sum of columns)` by least squares in `y`: in the logs first, where even noise is
/// σ/y, then by steps of Gauss and Newton, because the log of a small and noisy value is biased.
fn log_linear(columns: &[Vec<f64>], target: &[f64], precision: &[f64]) -> Option<Fit> {
    let mut working: Vec<f64> = target.iter().map(|y| y.ln()).collect();
    let mut slopes = target.to_vec();
    let mut best: Option<(f64, Fit)> = None;
    for _ in 0..STEPS {
        let weights: Vec<f64> = slopes.iter().zip(precision).map(|(s, p)| s * p).collect();
        let weighted = |values: &Vec<f64>| -> Vec<f64> {
            values.iter().zip(&weights).map(|(v, w)| v * w).collect()
        };
        let scaled: Vec<Vec<f64>> = columns.iter().chain([&working]).map(weighted).collect();
        if scaled.iter().flatten().any(|v| !v.is_finite()) {
            break;
        }
        let slices: Vec<&[f64]> = scaled.iter().map(Vec::as_slice).collect();
        let fit = Reduction::from_columns(&slices).fit(&(0..columns.len()).collect::<Support>());
        let exponents = combine(columns, fit.coefficients(), target.len());
        slopes = exponents.iter().map(|e| e.exp()).collect();
        let off = |row: usize| target[row] - slopes[row];
        let squares = (0..target.len()).map(|row| (off(row) * precision[row]).powi(2));
        let squares: f64 = squares.sum();
        if best.as_ref().is_some_and(|(least, _)| squares >= *least) {
            break;
        }
        working = (0..target.len())
            .map(|row| exponents[row] + off(row) / slopes[row])
            .collect();
        best = Some((squares, fit));
    }
    best.map(|(_, fit)| fit)
}

fn has_exponent(rows: &Rows<'_>, variable: &Variable<'_>) -> bool {
    let values = &rows.features[variable.column];
    let least = values
        .iter()
        .fold(f64::INFINITY, |least, x| x.abs().min(least));
    variable.nonzero && variable.largest > LEAST_RATIO * least
}

fn centred_logs(rows: &Rows<'_>, variable: &Variable<'_>, places: &[usize]) -> Vec<f64> {
    let values = &rows.features[variable.column];
    let logs = places.iter().map(|&row| values[row].abs().ln());
    let mean = logs.clone().sum::<f64>() / places.len() as f64;
    logs.map(|log| log - mean).collect()
}

fn spread(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// The simple fraction that a coefficient with this error stands for, if it is close to one.
pub(super) fn simple(value: f64, error: f64) -> Option<f64> {
    // Whole numbers first: of two fractions within the error, the simpler one.
    let nearest = |parts: f64| (value * parts).round() / parts;
    let within = (3.0 * error).clamp(1e-3, CLOSE);
    [1.0, 2.0, 3.0]
        .map(nearest)
        .into_iter()
        .find(|fraction| (value - fraction).abs() <= within && fraction.abs() <= 10.0)
}
