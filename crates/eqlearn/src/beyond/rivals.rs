//! Laws of other vocabularies that are nearly as good as the best.
//!
//! The probability of an equation is one among those listed with it. Where another vocabulary has
//! an equation that explains the rows as well, it is a rival too. Forms of one law are no rivals:
//! `1/y = c/x` and `y = x/c` leave the same residuals.

use super::attempt::Attempt;
use super::judge::residuals;
use super::rows::Rows;

/// Log odds beyond which a rival does not matter.
const FAR: f64 = 12.0;
/// Residuals of one law in two forms differ by less than this share of their squares.
const SAME: f64 = 1e-6;
/// Or by less than this share of the target's squares: rounding errors.
const ROUNDING: f64 = 1e-20;

/// The share of all probability that the equations listed with the best attempt have.
pub(super) fn share_of(rows: &Rows<'_>, attempts: &[Attempt], best: usize) -> f64 {
    let score = attempts[best].score;
    let Some(own) = left(rows, &attempts[best]) else {
        return 1.0;
    };
    let mut known = vec![own];
    let mut others = 0.0;
    for (place, rival) in attempts.iter().enumerate() {
        let is_near = score.is_finite() && rival.score > score - FAR;
        let Some(left) = left(rows, rival).filter(|_| place != best && is_near) else {
            continue;
        };
        if !known.iter().any(|other| is_same(rows, other, &left)) {
            others += (rival.score - score).exp();
            known.push(left);
        }
    }
    1.0 / (1.0 + others)
}

fn left(rows: &Rows<'_>, attempt: &Attempt) -> Option<Vec<f64>> {
    Some(residuals(rows, &attempt.study.model()?))
}

fn is_same(rows: &Rows<'_>, a: &[f64], b: &[f64]) -> bool {
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let apart: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    apart <= (SAME * square(a).min(square(b))).max(ROUNDING * rows.total())
}
