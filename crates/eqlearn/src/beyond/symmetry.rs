//! Features that the law knows only together: `h*omega/(k*T)`, or `x1 - x2`.
//!
//! A law that stays the same when h is doubled and T too depends on h and T through their ratio
//! only. Scales and shifts of this kind are looked for in the rows: `ln|y|` is fitted by a
//! polynomial in the logs of all variables, and by one in fewer variables, for which a pair is
//! replaced by its product, ratio, difference or sum. If the second fits as well as the first, by
//! the F test, the pair is one variable. What the first cannot express counts as noise for both.
//! A change of scale may also multiply the law by a power, so the log of one feature of the pair
//! stays as a linear term, and becomes part of the factor.
//!
//! Functions that turn often are no polynomials. For them all variables together are tried as one,
//! by how little the target changes between neighbours in its order (von Neumann 1941).
//!
//! This is a guess that costs little: it adds terms that are tried, and the law is judged as all
//! others are.

use super::factor::simple;
use super::rows::Rows;
use super::view::{Coordinate, View};
use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::terms::term::Term;

/// Rows that are looked at.
const ROWS: usize = 500;
/// The degree of the polynomial by the number of variables; the last for that many and more.
const DEGREES: [u32; 6] = [9, 7, 5, 4, 3, 2];
/// Rows for each coefficient of the polynomial.
const ROWS_PER_COEFFICIENT: usize = 4;
/// The largest ratio of mean squares, lost and left, at which nothing is lost.
const LARGEST_RATIO: f64 = 4.0;
/// The smallest share of the target that a polynomial in fewer variables has to explain.
const LEAST_EXPLAINED: f64 = 0.5;
/// A polynomial that leaves less than this share of the target's squares is close to it.
const CLOSE: f64 = 1e-2;
/// Sums of squares below this share of the target's are rounding errors.
const ROUNDING: f64 = 1e-20;
/// Values of the target below this share of its root mean square are noise, or zeros.
const SMALLEST: f64 = 1e-2;
/// Neighbours that differ by less than this share of the variance lie on a curve.
const ON_A_CURVE: f64 = 0.1;
/// Powers of one feature beside another.
const RATIOS: [(f64, f64); 6] = [
    (1.0, 1.0),
    (1.0, -1.0),
    (1.0, 2.0),
    (1.0, -2.0),
    (2.0, 1.0),
    (2.0, -1.0),
];

/// The law in fewer variables; none if it seems to need all that there are.
pub(super) fn reduced(rows: &Rows<'_>, view: &View) -> Option<View> {
    let sample = Sample::new(rows, view)?;
    let mut current = view.clone();
    let mut linear: Vec<Coordinate> = Vec::new();
    while current.variables.len() > 1 {
        let Some(merge) = sample.best_merge(&current.variables, &linear) else {
            break;
        };
        current.variables = merge.variables(rows, &current.variables);
        linear.extend(merge.pivot);
    }
    let powers = sample.powers(&current.variables, &linear)?;
    let turns_often = !sample.is_explained(&current.variables, &linear);
    current.multiply(rows, &powers);
    if current.variables.len() > 1
        && turns_often
        && let Some(one) = one_variable(rows, &current)
    {
        return Some(one);
    }
    (current.variables.len() < view.variables.len()).then_some(current)
}

/// A pair of variables that becomes one.
struct Merge {
    pair: (usize, usize),
    joined: Joined,
    /// What stays as a linear term.
    pivot: Option<Coordinate>,
}

#[derive(Clone, Copy)]
enum Joined {
    /// The product of these powers.
    Product(f64, f64),
    Difference,
    Sum,
    /// Nothing but a power in the factor, which is what the pivot becomes.
    Nothing,
}

impl Joined {
    fn of(self, a: &Coordinate, b: &Coordinate) -> Option<Term> {
        Some(match self {
            Self::Product(p, q) => a.power(p)?.times(&b.power(q)?),
            Self::Difference => a.meaning.minus(&b.meaning),
            Self::Sum => a.meaning.minus(&b.meaning.scaled(-1.0)),
            Self::Nothing => return None,
        })
    }
}

impl Merge {
    /// The linear terms with what stays of the pair.
    fn beside(&self, linear: &[Coordinate]) -> Vec<Coordinate> {
        linear.iter().chain(&self.pivot).cloned().collect()
    }

    /// The variables after it.
    fn variables(&self, rows: &Rows<'_>, before: &[Coordinate]) -> Vec<Coordinate> {
        let (i, j) = self.pair;
        let mut after = before.to_vec();
        if let Some(meaning) = self.joined.of(&before[i], &before[j]) {
            after[i] = Coordinate::new(rows, meaning);
        }
        after.remove(j);
        after
    }
}

/// Which merge loses nothing and leaves least: with other coordinates, law and merge may both be
/// fitted badly.
struct Contest {
    /// What is left without any variable.
    total: Unexplained,
    best: Option<(f64, Merge)>,
}

impl Contest {
    fn enter(&mut self, whole: &Unexplained, fewer: Option<Unexplained>, merge: Merge) {
        let Some(fewer) = fewer.filter(|fewer| whole.loses_nothing(fewer, &self.total)) else {
            return;
        };
        let left = fewer.mean_square();
        if self.best.as_ref().is_none_or(|(least, _)| left < *least) {
            self.best = Some((left, merge));
        }
    }
}

/// Some rows of the target without the factor.
struct Sample {
    places: Vec<usize>,
    /// The target, or its logs, times the weights.
    target: Vec<f64>,
    weights: Vec<f64>,
    is_log: bool,
}

impl Sample {
    fn new(rows: &Rows<'_>, view: &View) -> Option<Self> {
        let mut factor = vec![0.0; rows.len()];
        view.factor(1.0).evaluate(&rows.columns(), &mut factor);
        let z = |row: usize| rows.target[row] / factor[row];
        let scale = (rows.target.iter().map(|y| y * y).sum::<f64>() / rows.len() as f64).sqrt();
        let is_large = |row: &usize| rows.target[*row].abs() > SMALLEST * scale;
        let large: Vec<usize> = (0..rows.len()).filter(is_large).collect();
        let first = z(*large.first()?) > 0.0;
        let is_log = large.iter().all(|&row| (z(row) > 0.0) == first);
        let places = if is_log {
            large
        } else {
            (0..rows.len()).collect()
        };
        let every = places.len().div_ceil(ROWS).max(1);
        let places: Vec<usize> = places.into_iter().step_by(every).collect();
        // Even noise is σ/|y| in the logs and σ/factor without the factor.
        let weight = |row: usize| {
            let own = if is_log {
                rows.target[row] / scale
            } else {
                factor[row]
            };
            own.abs() * rows.precision[row]
        };
        let weights: Vec<f64> = places.iter().map(|&row| weight(row)).collect();
        let value = |row: usize| if is_log { z(row).abs().ln() } else { z(row) };
        let target = places.iter().zip(&weights).map(|(&row, w)| value(row) * w);
        let target: Vec<f64> = target.collect();
        let finite = target.iter().chain(&weights).all(|v| v.is_finite());
        finite.then_some(Self {
            places,
            target,
            weights,
            is_log,
        })
    }

    /// Whether a polynomial in these variables is close to the target.
    fn is_explained(&self, variables: &[Coordinate], linear: &[Coordinate]) -> bool {
        let logs: Vec<Vec<f64>> = variables.iter().map(|v| self.scaled(v)).collect();
        let left = |columns: &[Vec<f64>], degree| self.unexplained(columns, linear, degree);
        let whole = self.degree(variables.len()).and_then(|d| left(&logs, d));
        let both = whole.zip(left(&[], 0));
        both.is_some_and(|(whole, total)| whole.squares < CLOSE * total.squares)
    }

    /// The variable that only multiplies the law or, if there is none, the pair that is one
    /// variable, with the least loss.
    fn best_merge(&self, variables: &[Coordinate], linear: &[Coordinate]) -> Option<Merge> {
        let degree = self.degree(variables.len())?;
        // A function of fewer variables affords a higher degree.
        let higher = self.degree(variables.len() - 1)?;
        let logs: Vec<Vec<f64>> = variables.iter().map(|v| self.scaled(v)).collect();
        let mut contest = Contest {
            total: self.unexplained(&[], linear, 0)?,
            best: None,
        };
        let whole = self.unexplained(&logs, linear, degree)?;
        for j in 0..variables.len() {
            if let Some(merge) = self.dropped(variables, j) {
                let mut fewer = logs.clone();
                fewer.remove(j);
                let fewer = self.unexplained(&fewer, &merge.beside(linear), higher);
                contest.enter(&whole, fewer, merge);
            }
        }
        // What only multiplies the law could be joined with anything.
        if contest.best.is_none() {
            for i in 0..variables.len() {
                for j in i + 1..variables.len() {
                    let pair = (variables, (i, j));
                    self.enter_products(pair, (&logs, &whole), (linear, higher), &mut contest);
                    self.enter_sums(pair, &logs, (linear, [degree, higher]), &mut contest);
                }
            }
        }
        contest.best.map(|(_, merge)| merge)
    }

    /// A pair as a product of powers.
    fn enter_products(
        &self,
        (variables, pair): (&[Coordinate], (usize, usize)),
        (logs, whole): (&[Vec<f64>], &Unexplained),
        (linear, degree): (&[Coordinate], u32),
        contest: &mut Contest,
    ) {
        let (a, b) = (&variables[pair.0], &variables[pair.1]);
        if !a.is_positive() || !b.is_positive() {
            return;
        }
        for (p, q) in RATIOS {
            let merge = Merge {
                pair,
                joined: Joined::Product(p, q),
                pivot: self.is_log.then(|| b.clone()),
            };
            let joined = joined(logs, pair, |x, y| p * x + q * y);
            let fewer = self.unexplained(&joined, &merge.beside(linear), degree);
            contest.enter(whole, fewer, merge);
        }
    }

    /// A pair as a difference or a sum.
    fn enter_sums(
        &self,
        (variables, pair): (&[Coordinate], (usize, usize)),
        logs: &[Vec<f64>],
        (linear, [degree, higher]): (&[Coordinate], [u32; 2]),
        contest: &mut Contest,
    ) {
        let mut plain = logs.to_vec();
        for place in [pair.0, pair.1] {
            plain[place] = self.pick(&variables[place].values);
        }
        let Some(whole) = self.unexplained(&plain, linear, degree) else {
            return;
        };
        for (kind, sign) in [(Joined::Difference, -1.0), (Joined::Sum, 1.0)] {
            let merge = Merge {
                pair,
                joined: kind,
                pivot: None,
            };
            let joined = joined(&plain, pair, |x, y| x + sign * y);
            contest.enter(&whole, self.unexplained(&joined, linear, higher), merge);
        }
    }

    /// A variable that only multiplies the law; none if it has no logs to tell.
    fn dropped(&self, variables: &[Coordinate], place: usize) -> Option<Merge> {
        let pivot = &variables[place];
        let can = self.is_log && pivot.is_positive() && pivot.power(1.0).is_some();
        can.then(|| Merge {
            // The other of the pair stays as it is.
            pair: (usize::from(place == 0), place),
            joined: Joined::Nothing,
            pivot: Some(pivot.clone()),
        })
    }

    /// The degree that these rows can afford; none if there are too few rows for a parabola.
    fn degree(&self, n_variables: usize) -> Option<u32> {
        let most = DEGREES[n_variables.saturating_sub(1).min(DEGREES.len() - 1)];
        let affordable = |degree: &u32| {
            let n_terms = powers_up_to(n_variables, *degree).len();
            n_terms * ROWS_PER_COEFFICIENT <= self.places.len()
        };
        (2..=most).rev().find(affordable)
    }

    fn pick(&self, values: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&row| values[row]).collect()
    }

    /// The logs of a variable that has them, else its values.
    fn scaled(&self, variable: &Coordinate) -> Vec<f64> {
        let values = self.pick(&variable.values);
        if variable.is_positive() {
            values.iter().map(|x| x.ln()).collect()
        } else {
            values
        }
    }

    /// What a polynomial in these columns leaves, with some logs as linear terms beside it; none
    /// if its terms depend on each other.
    fn unexplained(
        &self,
        columns: &[Vec<f64>],
        linear: &[Coordinate],
        degree: u32,
    ) -> Option<Unexplained> {
        let n = self.target.len();
        let mut work = self.terms(columns, linear, degree);
        let k = work.len() / n;
        work.extend(&self.target);
        for j in 0..k {
            let column = &work[j * n..][..n];
            let length = dot(column, column).sqrt();
            if !reflect(&mut work, n, j, j..n, 1e-11 * length) {
                return None;
            }
        }
        let rest = &work[k * n..][k..];
        Some(Unexplained {
            squares: dot(rest, rest),
            n_terms: k,
            n_rows: n,
        })
    }

    /// The columns of the polynomial and of the linear terms, times the weights.
    fn terms(&self, columns: &[Vec<f64>], linear: &[Coordinate], degree: u32) -> Vec<f64> {
        let centred: Vec<Vec<f64>> = columns.iter().map(|x| centred(x)).collect();
        let mut all = Vec::new();
        for powers in powers_up_to(columns.len(), degree) {
            let mut column = self.weights.clone();
            for (x, &power) in centred.iter().zip(&powers) {
                for _ in 0..power {
                    column.iter_mut().zip(x).for_each(|(v, x)| *v *= x);
                }
            }
            all.extend(column);
        }
        for variable in linear {
            let logs = centred_logs(&self.pick(&variable.values));
            all.extend(logs.iter().zip(&self.weights).map(|(x, w)| x * w));
        }
        all
    }

    /// The features that multiply the law after all, with simple powers; none if a power is not
    /// simple.
    fn powers(
        &self,
        variables: &[Coordinate],
        linear: &[Coordinate],
    ) -> Option<Vec<(Coordinate, f64)>> {
        if linear.is_empty() {
            return Some(Vec::new());
        }
        let degree = self.degree(variables.len())?;
        let columns: Vec<Vec<f64>> = variables.iter().map(|v| self.scaled(v)).collect();
        let n = self.target.len();
        let mut all = self.terms(&columns, linear, degree);
        all.extend(&self.target);
        let slices: Vec<&[f64]> = all.chunks_exact(n).collect();
        let k = slices.len() - 1;
        let fit = Reduction::from_columns_in_double(&slices).fit(&(0..k).collect::<Support>());
        let (values, errors) = (fit.coefficients(), fit.std_errors()?);
        let mut powers = Vec::new();
        for (place, variable) in (k - linear.len()..k).zip(linear) {
            let scale = spread(&self.pick(&variable.values));
            let power = simple(values[place] / scale, errors[place] / scale)?;
            powers.push((variable.clone(), power));
        }
        Some(powers)
    }
}

/// What a fit leaves.
struct Unexplained {
    squares: f64,
    n_terms: usize,
    n_rows: usize,
}

impl Unexplained {
    /// Whether fewer terms leave no more than these, up to chance, and still explain the target.
    fn loses_nothing(&self, fewer: &Self, total: &Self) -> bool {
        if fewer.squares > (1.0 - LEAST_EXPLAINED) * total.squares {
            return false;
        }
        let more = self.n_terms.saturating_sub(fewer.n_terms) as f64;
        let lost = (fewer.squares - self.squares) / more;
        fewer.squares <= ROUNDING * total.squares || lost < LARGEST_RATIO * self.mean_square()
    }

    fn mean_square(&self) -> f64 {
        self.squares / self.n_rows.saturating_sub(self.n_terms).max(1) as f64
    }
}

/// The columns with one in place of two.
fn joined(
    columns: &[Vec<f64>],
    (i, j): (usize, usize),
    join: impl Fn(f64, f64) -> f64,
) -> Vec<Vec<f64>> {
    let mut fewer = columns.to_vec();
    let other = fewer.remove(j);
    for (x, y) in fewer[i].iter_mut().zip(other) {
        *x = join(*x, y);
    }
    fewer
}

/// All powers of so many variables up to a degree.
fn powers_up_to(n_variables: usize, degree: u32) -> Vec<Vec<u32>> {
    let Some(rest) = n_variables.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let with = |first: u32| {
        let others = powers_up_to(rest, degree - first).into_iter();
        others.map(move |others| [vec![first], others].concat())
    };
    (0..=degree).flat_map(with).collect()
}

/// Values from −1 to 1.
pub(super) fn centred(values: &[f64]) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let half = (0.5 * (high - low)).max(f64::MIN_POSITIVE);
    values.iter().map(|x| (x - low) / half - 1.0).collect()
}

fn centred_logs(values: &[f64]) -> Vec<f64> {
    centred(&values.iter().map(|x| x.ln()).collect::<Vec<f64>>())
}

/// What logs are divided by to be within −1 and 1.
fn spread(values: &[f64]) -> f64 {
    let logs = values.iter().map(|x| x.ln());
    let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
        (a.min(x), b.max(x))
    });
    0.5 * (high - low)
}

/// All variables as one, if the target is a curve over it.
fn one_variable(rows: &Rows<'_>, view: &View) -> Option<View> {
    let mut factor = vec![0.0; rows.len()];
    view.factor(1.0).evaluate(&rows.columns(), &mut factor);
    let both = rows.target.iter().zip(&factor);
    let z: Vec<f64> = both.map(|(y, factor)| y / factor).collect();
    let mut best: Option<(f64, Coordinate)> = None;
    for meaning in whole_combinations(&view.variables) {
        let coordinate = Coordinate::new(rows, meaning);
        let roughness = roughness(&coordinate.values, &z);
        let known = best
            .as_ref()
            .map_or(ON_A_CURVE, |(roughness, _)| *roughness);
        if roughness < known {
            best = Some((roughness, coordinate));
        }
    }
    let (_, coordinate) = best?;
    Some(View {
        variables: vec![coordinate],
        ..view.clone()
    })
}

/// Products of powers of all variables, and the difference and the sum of two.
fn whole_combinations(variables: &[Coordinate]) -> Vec<Term> {
    const MOST: usize = 4;
    if variables.len() > MOST {
        return Vec::new();
    }
    let mut products = Vec::new();
    if variables.iter().all(Coordinate::is_positive) {
        products.extend(variables[0].power(1.0));
        products.extend(variables[0].power(2.0));
        for variable in &variables[1..] {
            let with = |product: &Term| {
                let powers = [1.0, -1.0, 2.0, -2.0].map(|power| variable.power(power));
                let powers = powers.into_iter().flatten();
                powers.map(|p| product.times(&p)).collect::<Vec<_>>()
            };
            products = products.iter().flat_map(with).collect();
        }
    }
    if let [a, b] = variables {
        products.extend(Joined::Difference.of(a, b));
        products.extend(Joined::Sum.of(a, b));
    }
    products
}

/// The mean square of the change between neighbours in the order of x, as a share of what it would
/// be without any order.
fn roughness(x: &[f64], z: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(a.cmp(&b)));
    let n = z.len() as f64;
    let mean = z.iter().sum::<f64>() / n;
    let variance = z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / n;
    let changes = order.windows(2).map(|pair| z[pair[1]] - z[pair[0]]);
    let changes = changes.map(|change| change * change).sum::<f64>() / n;
    changes / (2.0 * variance).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests;
