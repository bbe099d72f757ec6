//! The Bayes factor of a smooth function against noise, wherever that function is seen from.
//!
//! A smooth function is known at points, by the values of the features there. Rows may be these
//! points, or anything that is linear in the values at them, such as integrals over a trajectory.
//! Everything else is the same for both: the covariances, the cut of large residuals, and the mean
//! over lengths and amplitudes.

use super::Misfit;
use crate::judge::noise::typical_size;
use crate::numeric::complement::Complement;
use crate::numeric::low_rank::{LowRank, Tridiagonal};
use crate::numeric::vector::dot;

/// The fewest rows beyond those that the fit is free in.
const LEAST_FREE: usize = 6;

/// The steps of Huber's fit, each a weighted fit: the weights settle within a few.
const HUBER_STEPS: usize = 8;

/// The lengths of the process on all features together, times the root of their number.
const JOINT_LENGTHS: [f64; 3] = [0.3, 1.0, 2.0];

/// The lengths of a process on one feature alone.
const SINGLE_LENGTHS: [f64; 2] = [0.3, 1.0];

/// The amplitudes of the process relative to the noise, as variances: half decades.
const LOG10_AMPLITUDES: std::ops::RangeInclusive<i32> = -4..=8;

/// A feature of one sign whose largest value is this multiple of its smallest is looked at on a
/// logarithmic scale too: what bends near zero is smooth there.
const WIDE: f64 = 10.0;

/// The rows of a fit, and the points at which a smooth function would be evaluated.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    /// The features at the points, one column each.
    pub(crate) points: &'a [Vec<f64>],
    /// The columns that the fit is free in, one value per row, in units of the noise.
    pub(crate) tangents: &'a [Vec<f64>],
    /// What the law leaves, in the same units.
    pub(crate) residuals: Vec<f64>,
    /// The multiple of their typical size at which residuals are cut.
    pub(crate) cut: f64,
    /// The highest rank of a covariance.
    pub(crate) rank: usize,
}

/// How functions, given by their values at the points, are seen in the rows.
pub(crate) type Seen<'a> = dyn Fn(Vec<Vec<f64>>) -> Vec<Vec<f64>> + 'a;

impl Rows<'_> {
    /// Compares noise with a smooth function that is seen in a given way.
    ///
    /// None where it cannot be judged: with too few rows, without a feature that varies, or if most
    /// residuals are zero.
    pub(crate) fn judge(self, seen: &Seen<'_>) -> Option<Misfit> {
        let n_rows = self.residuals.len();
        let space = Complement::new(self.tangents, n_rows);
        if n_rows < space.n_spent() + LEAST_FREE {
            return None;
        }
        let residuals = bounded(self.tangents, self.residuals, self.cut)?;
        let left = space.project(residuals);
        let groups = groups(self.points);
        let compare = |covariance: &Covariance| {
            let columns = seen(covariance.factor(self.rank)).into_iter();
            let columns: Vec<Vec<f64>> = columns.map(|column| space.project(column)).collect();
            log_bayes_factors(&columns, &left)
        };
        Some(Misfit::new(mean_bayes_factor(&groups, compare)?))
    }
}

/// Residuals in units of their typical size, cut where they are too large for normal noise.
///
/// They are those of Huber's fit, whose influence is cut in the same way: where a few rows have
/// bent the law for all others, cut residuals of least squares would look like structure.
///
/// None if most of them are zero: then the law fits to the last digit.
fn bounded(tangents: &[Vec<f64>], mut residuals: Vec<f64>, cut: f64) -> Option<Vec<f64>> {
    for _ in 0..HUBER_STEPS {
        let scale = typical_size(&residuals)?;
        let roots: Vec<f64> = residuals
            .iter()
            .map(|r| (cut * scale / r.abs()).min(1.0).sqrt())
            .collect();
        residuals = Complement::weighted_remainder(tangents, &residuals, &roots);
    }
    let scale = typical_size(&residuals)?;
    let bounded = residuals.iter().map(|r| (r / scale).clamp(-cut, cut));
    Some(bounded.collect())
}

/// Covariances that share their prior weight evenly.
type Group = Vec<Covariance>;

/// A squared exponential covariance on some coordinates.
struct Covariance {
    /// One column per coordinate, in units of the length.
    coordinates: Vec<Vec<f64>>,
}

impl Covariance {
    fn new(columns: &[&Vec<f64>], length: f64) -> Self {
        let scaled = |column: &&Vec<f64>| column.iter().map(|x| x / length).collect();
        Self {
            coordinates: columns.iter().map(scaled).collect(),
        }
    }

    /// Functions whose products sum to the covariance, by their values at the points.
    fn factor(&self, rank: usize) -> Vec<Vec<f64>> {
        let n_points = self.coordinates[0].len();
        LowRank::new(n_points, rank, |point| self.column(point)).columns
    }

    /// The covariances of one point with all points.
    fn column(&self, point: usize) -> Vec<f64> {
        let n_points = self.coordinates[0].len();
        let mut squares = vec![0.0; n_points];
        for column in &self.coordinates {
            for (sum, x) in squares.iter_mut().zip(column) {
                *sum += (x - column[point]).powi(2);
            }
        }
        for value in &mut squares {
            *value = (-0.5 * *value).exp();
        }
        squares
    }
}

/// The covariances that are averaged over: on all features together, and on each alone.
fn groups(features: &[Vec<f64>]) -> Vec<Group> {
    let plain: Vec<Option<Vec<f64>>> = features.iter().map(|x| standardised(x)).collect();
    let logs: Vec<Option<Vec<f64>>> = features.iter().map(|x| log_scaled(x)).collect();
    let on_all = |columns: &[&Vec<f64>]| {
        let root = (columns.len() as f64).sqrt();
        let joint = JOINT_LENGTHS.map(|length| Covariance::new(columns, length * root));
        joint.into_iter().collect::<Group>()
    };
    let varying: Vec<&Vec<f64>> = plain.iter().flatten().collect();
    if varying.is_empty() {
        return Vec::new();
    }
    let mut together = on_all(&varying);
    let wide = plain.iter().zip(&logs);
    let wide: Vec<&Vec<f64>> = wide
        .filter_map(|(x, l)| l.as_ref().or(x.as_ref()))
        .collect();
    if logs.iter().any(Option::is_some) {
        together.extend(on_all(&wide));
    }
    if varying.len() == 1 {
        return vec![together];
    }
    let each = plain.iter().chain(&logs).flatten();
    let alone = each.flat_map(|x| SINGLE_LENGTHS.map(|length| Covariance::new(&[x], length)));
    vec![together, alone.collect()]
}

/// A column with mean 0 and variance 1; none if it never varies.
fn standardised(column: &[f64]) -> Option<Vec<f64>> {
    let largest = column.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let n = column.len() as f64;
    let mean = column.iter().map(|x| x / largest).sum::<f64>() / n;
    let centred: Vec<f64> = column.iter().map(|x| x / largest - mean).collect();
    let deviation = (dot(&centred, &centred) / n).sqrt();
    // Beyond rounding errors of the mean.
    (deviation > 1e-12).then(|| centred.iter().map(|x| x / deviation).collect())
}

/// The logarithm of a column's size, standardised; none unless it has one sign and a wide range.
fn log_scaled(column: &[f64]) -> Option<Vec<f64>> {
    let first = column.first()?.signum();
    let sizes = column.iter().map(|x| x * first);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let is_wide = least > 0.0 && most / least > WIDE;
    let logs: Vec<f64> = column.iter().map(|x| x.abs().ln()).collect();
    is_wide.then(|| standardised(&logs)).flatten()
}

/// The log of the mean of the Bayes factors over groups, covariances and amplitudes.
fn mean_bayes_factor(
    groups: &[Group],
    compare: impl Fn(&Covariance) -> Option<Vec<f64>>,
) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = Vec::new();
    for group in groups {
        let weight = 1.0 / (groups.len() * group.len() * LOG10_AMPLITUDES.count()) as f64;
        for covariance in group {
            let logs = compare(covariance)?;
            weighted.extend(logs.into_iter().map(|log| (log, weight)));
        }
    }
    let largest = weighted
        .iter()
        .map(|(log, _)| *log)
        .max_by(f64::total_cmp)?;
    let sum: f64 = weighted
        .iter()
        .map(|(log, w)| w * (log - largest).exp())
        .sum();
    Some(largest + sum.ln())
}

/// The log Bayes factors of a covariance at all amplitudes: from its factor and the residuals, both
/// without the terms.
fn log_bayes_factors(factor: &[Vec<f64>], left: &[f64]) -> Option<Vec<f64>> {
    // Notation: K = F Fᵀ, G = FᵀF and b = Fᵀr without the terms, ν rows that are left. Then
    // det(I + aK) = det(I + aG) and rᵀ(I + aK)⁻¹r = rᵀr − a bᵀ(I + aG)⁻¹b.
    let b: Vec<f64> = factor.iter().map(|column| dot(column, left)).collect();
    let gram = Tridiagonal::of_gram(factor, b);
    let (nu, rr) = (left.len() as f64, dot(left, left));
    if rr <= 0.0 {
        return None;
    }
    let log_bayes_factor = |half_decades: i32| {
        let a = 10_f64.powf(0.5 * f64::from(half_decades));
        let (log_det, product) = gram.shifted(a);
        let share = ((rr - a * product) / rr).max(f64::EPSILON);
        -0.5 * log_det - 0.5 * nu * share.ln()
    };
    Some(LOG10_AMPLITUDES.map(log_bayes_factor).collect())
}

#[cfg(test)]
mod tests {
    use super::super::CUT;
    use super::super::tests::{Case, without};
    use super::*;

    /// The log Bayes factor of one covariance and amplitude from n × n matrices.
    fn dense(case: &Case, covariance: &Covariance, amplitude: f64) -> f64 {
        // An orthonormal basis of what the tangents leave, from the unit vectors.
        let n = case.residuals.len();
        let slices: Vec<&[f64]> = case.tangents.iter().map(Vec::as_slice).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let known = slices
                .iter()
                .copied()
                .chain(basis.iter().map(Vec::as_slice));
            let left = without(&known.collect::<Vec<_>>(), &unit);
            let length = dot(&left, &left).sqrt();
            if length > 1e-6 && basis.len() < n - slices.len() {
                basis.push(left.iter().map(|x| x / length).collect());
            }
        }
        let nu = basis.len();
        let columns: Vec<Vec<f64>> = (0..n).map(|row| covariance.column(row)).collect();
        let product = |a: &[f64], b: &[f64]| {
            let image: Vec<f64> = columns.iter().map(|column| dot(column, b)).collect();
            dot(a, &image)
        };
        let residuals =
            bounded(&case.tangents, case.residuals.clone(), CUT).expect("they are not zero");
        let r: Vec<f64> = basis.iter().map(|u| dot(u, &residuals)).collect();
        // Cholesky of I + a K, and L⁻¹ r.
        let mut l = vec![vec![0.0; nu]; nu];
        let (mut y, mut log_det) = (vec![0.0; nu], 0.0);
        for i in 0..nu {
            for j in 0..=i {
                let one = if i == j { 1.0 } else { 0.0 };
                let entry = one + amplitude * product(&basis[i], &basis[j]);
                let rest = entry - dot(&l[i][..j], &l[j][..j]);
                l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
            }
            y[i] = (r[i] - dot(&l[i][..i], &y[..i])) / l[i][i];
            log_det += 2.0 * l[i][i].ln();
        }
        -0.5 * log_det - 0.5 * nu as f64 * (dot(&y, &y) / dot(&r, &r)).ln()
    }

    #[test]
    fn low_rank_gives_what_full_matrices_give() {
        let case = Case::new(40, |x, z, noise| (2.0 * x * z).sin() + 0.1 * noise);
        let space = Complement::new(&case.tangents, 40);
        let cut = bounded(&case.tangents, case.residuals.clone(), CUT).expect("they are not zero");
        let left = space.project(cut);
        for covariance in groups(&case.features).iter().flatten() {
            let factor = covariance.factor(128).into_iter();
            let factor: Vec<Vec<f64>> = factor.map(|column| space.project(column)).collect();
            let fast = log_bayes_factors(&factor, &left).expect("some noise");
            for (half_decades, fast) in LOG10_AMPLITUDES.zip(fast) {
                let slow = dense(
                    &case,
                    covariance,
                    10_f64.powf(0.5 * f64::from(half_decades)),
                );
                assert!((fast - slow).abs() < 0.05, "{half_decades}: {fast} {slow}");
            }
        }
    }
}
