//! Whether a fraction has a pole between the data.
//!
//! Q has one sign on the rows. Its sign in between is looked up at the corners of the box of the
//! data and at points that fill it evenly (a Halton sequence), where its terms have values.

use super::{Form, Rows};
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;

/// Points inside the box.
const POINTS: usize = 4096;

/// Corners are looked at for up to this many features.
const CORNERS: usize = 10;

/// The bases of the Halton sequence; further features repeat them with a shift.
const BASES: [usize; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

pub(super) fn has_pole(rows: &Rows<'_>, denominator: &Dictionary, form: &Form) -> bool {
    let place = |name: &String| rows.features.iter().position(|known| known == name);
    let places = denominator.features().iter().filter_map(place);
    let columns: Vec<&[f64]> = places.map(|place| rows.columns[place]).collect();
    let terms = form.denominator.iter().map(|&q| &denominator.terms()[q]);
    let coefficients = form.denominator_coefficients.iter().copied();
    is_negative_somewhere(&Term::sum(terms.zip(coefficients)), &columns)
}

/// Whether a function is zero or negative somewhere in the box of these columns.
pub(crate) fn is_negative_somewhere(function: &Term, columns: &[&[f64]]) -> bool {
    let ends: Vec<(f64, f64)> = columns.iter().map(|column| ends(column)).collect();
    let n_corners = if ends.len() <= CORNERS {
        1 << ends.len()
    } else {
        0
    };
    let coordinate = |feature: usize, point: usize| {
        let share = if point < n_corners {
            ((point >> feature) & 1) as f64
        } else {
            let turn = (feature / BASES.len()) as f64 * 0.5_f64.sqrt();
            (halton(point - n_corners + 1, BASES[feature % BASES.len()]) + turn).fract()
        };
        let (low, high) = ends[feature];
        low + share * (high - low)
    };
    let n_points = n_corners + POINTS;
    let columns: Vec<Vec<f64>> = (0..ends.len())
        .map(|feature| {
            (0..n_points)
                .map(|point| coordinate(feature, point))
                .collect()
        })
        .collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let mut values = vec![0.0; n_points];
    function.evaluate(&columns, &mut values);
    // Where a term has no value, the sum is NaN or infinite and says nothing.
    values.iter().any(|q| *q <= 0.0 && q.is_finite())
}

fn ends(column: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    column
        .iter()
        .fold(start, |(low, high), x| (low.min(*x), high.max(*x)))
}

/// The digits of a number in some base, mirrored at the point.
fn halton(mut index: usize, base: usize) -> f64 {
    let (mut share, mut value) = (1.0, 0.0);
    while index > 0 {
        share /= base as f64;
        value += share * (index % base) as f64;
        index /= base;
    }
    value
}
