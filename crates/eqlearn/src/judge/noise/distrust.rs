//! Rows that do not belong: outliers by their residuals, and sentinels such as −999 for "missing".
//!
//! Outliers bend a law of least squares towards themselves, so the law is fitted again with weights
//! that fall to zero for residuals far beyond the noise (Tukey's biweight), starting from Huber's
//! weights, which have one answer only.
//!
//! Huber and Ronchetti, Robust Statistics, chapter 7; Maronna, Martin and Yohai, Robust Statistics,
//! chapter 4.

use serde::{Deserialize, Serialize};

use super::typical_size;
use crate::numeric::complement::Complement;

/// Huber's weights fall from this many standard deviations on.
const HUBER: f64 = 1.345;

/// Tukey's weights are zero from this many standard deviations on; 95 % efficient for normal noise.
const TUKEY: f64 = 4.685;

/// Rows beyond this many standard deviations are named.
const NAMED: f64 = 6.0;

/// Steps of each kind.
const STEPS: usize = 15;

/// Numbers that programs write for "missing".
const SENTINELS: [f64; 12] = [
    -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, -99.9, -999.9, 999.9, 1e20,
];

/// A sentinel lies at least this many times the width of the other values outside them.
const APART: f64 = 3.0;

/// Rows that do not belong.
#[derive(Debug, Clone, PartialEq)]
pub struct Distrust {
    /// The rows, by place, with their residuals in units of the noise.
    pub rows: Vec<(usize, f64)>,
    /// The weight of each row in a fit: 1 for those that belong, 0 for those that do not.
    pub weights: Vec<f64>,
}

/// Fits the tangents again so that no row can bend the law, and weighs rows by what that leaves.
///
/// Residuals are those of any fit of these tangents. None if most of them are zero.
pub fn distrust(tangents: &[&[f64]], residuals: &[f64]) -> Option<Distrust> {
    let tangents: Vec<Vec<f64>> = tangents.iter().map(|column| column.to_vec()).collect();
    let mut left = residuals.to_vec();
    let huber = |r: f64| (HUBER / r.abs()).min(1.0);
    let tukey = |r: f64| (1.0 - (r / TUKEY).powi(2)).max(0.0).powi(2);
    for _ in 0..STEPS {
        left = refitted(&tangents, &left, huber)?;
    }
    for _ in 0..STEPS {
        left = refitted(&tangents, &left, tukey)?;
    }
    let scale = typical_size(&left)?;
    let scores = left.iter().map(|r| r / scale);
    let rows = scores.clone().enumerate().filter(|(_, r)| r.abs() > NAMED);
    Some(Distrust {
        rows: rows.collect(),
        weights: scores.map(tukey).collect(),
    })
}

/// The residuals of one weighted fit; rows of weight zero are predicted too.
fn refitted(
    tangents: &[Vec<f64>],
    residuals: &[f64],
    weight: impl Fn(f64) -> f64,
) -> Option<Vec<f64>> {
    let scale = typical_size(residuals)?;
    // A weight of nearly zero instead of zero keeps the residual of the row.
    let root = |r: &f64| weight(r / scale).max(1e-12).sqrt();
    let roots: Vec<f64> = residuals.iter().map(root).collect();
    Some(Complement::weighted_remainder(tangents, residuals, &roots))
}

/// A number that stands for "missing" in a column.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Sentinel {
    /// The column.
    pub column: String,
    /// The number.
    pub value: f64,
    /// The rows that have it, by place.
    pub rows: Vec<usize>,
}

/// Finds numbers that stand for "missing": well known ones, far from all other values of a column.
pub fn sentinels(columns: &[(&str, &[f64])]) -> Vec<Sentinel> {
    let mut found = Vec::new();
    for (name, column) in columns {
        let is_code = |x: f64| SENTINELS.iter().any(|code| code.total_cmp(&x).is_eq());
        let others = column.iter().copied().filter(|&x| !is_code(x));
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in others {
            (least, most) = (least.min(x), most.max(x));
        }
        let width = most - least;
        for code in SENTINELS {
            let gap = (least - code).max(code - most);
            let rows: Vec<usize> = (0..column.len())
                .filter(|&row| column[row].total_cmp(&code).is_eq())
                .collect();
            let few = 2 * rows.len() < column.len();
            if !rows.is_empty() && few && width > 0.0 && gap > APART * width {
                found.push(Sentinel {
                    column: (*name).to_string(),
                    value: code,
                    rows,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wild_rows_are_named_and_lose_their_weight() {
        let ones = vec![1.0; 40];
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let noise = |i: usize| 0.1 * ((i * i) as f64 * 0.7).sin();
        let mut y: Vec<f64> = (0..40).map(|i| 2.0 * x[i] + noise(i)).collect();
        (y[3], y[38]) = (-999.0, 1e4);
        let found = distrust(&[&ones, &x], &y).expect("there is noise");
        let rows: Vec<usize> = found.rows.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [3, 38]);
        assert!(found.weights[3] <= 0.0 && found.weights[10] > 0.5);
        let missing = sentinels(&[("x", &x), ("y", &y)]);
        let named: Vec<(&str, f64)> = missing.iter().map(|s| (&*s.column, s.value)).collect();
        assert_eq!(named, []);
        y[38] = 76.0;
        assert_eq!(sentinels(&[("y", &y)])[0].rows, [3]);
    }
}
