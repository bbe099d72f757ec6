//! Whether an equation says more than that the rows lie on a curve.
//!
//! Where a law is a function of one variable, up to a factor, the rows can be told without any
//! equation: by the coefficients of a polynomial, each to the precision that the noise allows. The
//! coefficient of an orthogonal polynomial that is `t` times its error takes about `ln t` nats. An
//! equation with m numbers saves all but m of the coefficients, and takes as many nats as it takes
//! to say which one it is among all equations that are as simple. If it saves no more than that,
//! some equation of its kind fits whatever the law is, and that it fits says nothing for it. The
//! difference is the log of the odds that it is the law. (Rissanen 1978; Wallace and Boulton 1968.)
//!
//! Only laws of one variable are cheap to tell in this way: a polynomial in two has many terms.

use super::attempt::Attempt;
use super::explore::views;
use super::judge::residuals;
use super::rows::Rows;
use super::symmetry::centred;
use super::view::{Coordinate, View};
use crate::judge::misfit::ROUNDING;
use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;

/// The highest degree of the polynomial.
const DEGREE: usize = 9;
/// Rows for each coefficient of the polynomial.
const ROWS_PER_COEFFICIENT: usize = 2;
/// Powers of the variable that the polynomial may be multiplied by.
const POWERS: [f64; 3] = [0.0, 1.0, -1.0];

/// The log of the odds that the best attempt is the law, and not one of many equations that follow
/// the same curve; none if there is no curve, or no noise.
pub(super) fn log_odds(rows: &Rows<'_>, best: &Attempt) -> Option<f64> {
    let description = best.description?;
    let left = residuals(rows, &best.study.model()?);
    let squares = dot(&left, &left);
    let n_numbers = best.n_numbers();
    let spare = rows.len().checked_sub(n_numbers).filter(|n| *n > 0)?;
    if squares <= ROUNDING * rows.total() || !squares.is_finite() {
        return None;
    }
    let sigma = (squares / spare as f64).sqrt();
    let views = views(rows).into_iter().chain([View::plain(rows)]);
    let view = views.into_iter().find(|view| view.variables.len() == 1)?;
    let curves = curves(rows, &view);
    let choices = (curves.len() as f64).ln();
    let saved = curves
        .iter()
        .filter_map(|curve| curve.cost(sigma, n_numbers));
    let saved = saved.min_by(f64::total_cmp)?;
    Some(saved + choices - description)
}

/// A way to tell the rows by a polynomial.
struct Curve {
    /// The variable, from −1 to 1.
    x: Vec<f64>,
    /// What the polynomial is multiplied by, in units of the noise.
    factor: Vec<f64>,
    /// The target in units of the noise.
    target: Vec<f64>,
}

/// In the variable and in its logarithm, times some powers of it.
fn curves(rows: &Rows<'_>, view: &View) -> Vec<Curve> {
    let variable = &view.variables[0];
    let mut whole = vec![0.0; rows.len()];
    view.factor(1.0).evaluate(&rows.columns(), &mut whole);
    let target = rows.target.iter().zip(&rows.precision);
    let target: Vec<f64> = target.map(|(y, p)| y * p).collect();
    let (coordinates, powers) = if variable.is_positive() {
        let logs = variable.values.iter().map(|x| x.ln()).collect();
        (vec![variable.values.clone(), logs], &POWERS[..])
    } else {
        (vec![variable.values.clone()], &POWERS[..1])
    };
    let curve = |x: &Vec<f64>, power: f64| {
        let at = |row: usize| whole[row] * rows.precision[row] * power_of(variable, row, power);
        Curve {
            x: centred(x),
            factor: (0..rows.len()).map(at).collect(),
            target: target.clone(),
        }
    };
    let of_coordinate =
        |x: &Vec<f64>| -> Vec<Curve> { powers.iter().map(|&power| curve(x, power)).collect() };
    coordinates.iter().flat_map(of_coordinate).collect()
}

fn power_of(variable: &Coordinate, row: usize, power: f64) -> f64 {
    variable.values[row].powf(power)
}

impl Curve {
    /// The nats that the polynomial takes besides the numbers that an equation has too, where the
    /// noise is `sigma`; with fewer coefficients the rows are told less precisely, which takes
    /// nats for each of them. None if a value is not finite.
    fn cost(&self, sigma: f64, n_numbers: usize) -> Option<f64> {
        // Notation: t_k the coefficients of orthogonal polynomials in units of their errors, s² the
        // mean square of what they leave, n rows.
        let n = self.target.len();
        let n_terms = (DEGREE + 1).min(n / ROWS_PER_COEFFICIENT);
        let mut work = self.terms(n_terms);
        work.extend(&self.target);
        if work.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let turned = |work: &[f64], row: usize| work[n_terms * n + row];
        let mut nats = Vec::new();
        let mut least = f64::INFINITY;
        for k in 0..n_terms {
            let column = &work[k * n..][..n];
            let length = dot(column, column).sqrt();
            if !reflect(&mut work, n, k, k..n, 1e-11 * length) {
                break;
            }
            nats.push((turned(&work, k).abs() / sigma).max(1.0).ln());
            let rest = &work[n_terms * n..][k + 1..];
            let mean_square = dot(rest, rest) / (n - k - 1) as f64;
            let lost = 0.5 * n as f64 * (mean_square / (sigma * sigma)).max(1.0).ln();
            least = least.min(lost + without_largest(&nats, n_numbers));
        }
        least.is_finite().then_some(least)
    }

    /// The columns of the first Chebyshev polynomials times the factor.
    fn terms(&self, n_terms: usize) -> Vec<f64> {
        let mut columns = Vec::with_capacity((n_terms + 1) * self.x.len());
        for k in 0..n_terms {
            let chebyshev = |x: &f64| (k as f64 * x.clamp(-1.0, 1.0).acos()).cos();
            let both = self.x.iter().zip(&self.factor);
            columns.extend(both.map(|(x, factor)| chebyshev(x) * factor));
        }
        columns
    }
}

/// The sum of all but the largest few.
fn without_largest(values: &[f64], few: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.iter().skip(few).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand rows on a curve, and the nats that it takes besides two numbers at noise of 1 %
    /// of the target's spread.
    fn saved(law: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
        let u: Vec<f64> = (0..1000)
            .map(|i| low + (high - low) * f64::from(i) / 999.0)
            .collect();
        let target: Vec<f64> = u.iter().map(|u| law(*u)).collect();
        let mean = target.iter().sum::<f64>() / 1000.0;
        let variance = target.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 1000.0;
        let curve = Curve {
            x: centred(&u),
            factor: vec![1.0; 1000],
            target,
        };
        curve.cost(0.01 * variance.sqrt(), 2).unwrap()
    }

    #[test]
    fn what_a_curve_takes_grows_with_what_it_does() {
        assert!(saved(|u| 1.0 + 3.0 * u, 0.1, 0.7) < 1e-6);
        let parabola = saved(|u| 1.0 + u + u * u, 0.1, 0.7);
        let doppler = saved(|u| 1.0 / (1.0 - u), 0.1, 0.7);
        let waves = saved(|u| (20.0 * u).sin(), 0.1, 3.0);
        assert!(
            parabola < doppler && doppler < waves,
            "{parabola} {doppler} {waves}"
        );
        // Enough for a fraction of simple terms, and for no two of hundreds of functions.
        assert!((10.0..20.0).contains(&doppler), "{doppler}");
        // No polynomial follows twenty waves: what is left of the rows counts.
        assert!(waves > 1000.0, "{waves}");
    }

    #[test]
    fn the_largest_coefficients_are_those_that_an_equation_has_too() {
        assert!((without_largest(&[3.0, 5.0, 1.0, 2.0], 2) - 3.0).abs() < 1e-12);
        assert!(without_largest(&[3.0], 2).abs() < 1e-12);
    }
}
