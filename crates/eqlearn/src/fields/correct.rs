//! Products of rows, without the noise that sits in the terms.
//!
//! Values are `U = u + ε`. Columns are made of unbiased functions of `U` ([`polynomial`]), but a
//! product of two columns has the covariance of their noise in it. With `B` that of two terms and
//! `d` that of a term and the left side, summed over all rows,
//!
//! ```text
//! N = GᵀG − B,   c = Gᵀb − d,   E[c − N w] = 0
//! ```
//!
//! for the true coefficients `w`. Here `G = Q R`, so that scores are `s = R⁻ᵀ (c − N w)`; their
//! covariance is `M = Qᵀ C Q` with the covariance `C` of the rows' residuals `b − G w`. With `M =
//! L Lᵀ` the columns of `L⁻¹ R⁻ᵀ N` and `L⁻¹ R⁻ᵀ c` are a triangle of unit variance.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::names::Names;
use crate::fields::polynomial::{Unbiased, weight};
use crate::fields::rows::grid::{Grid, Kernel};
use crate::fields::term::{Function, Part};
use crate::numeric::parallel;
use crate::numeric::vector::{add, dot};

/// A total derivative of a function of the quantities: what sums are made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Column {
    pub(crate) function: Function,
    pub(crate) orders: Vec<u32>,
}

/// The columns that terms and left sides are made of, and how.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    /// For each term, then each left side, its columns with their factors.
    pub(crate) made_of: Vec<Vec<(usize, f64)>>,
    pub(crate) n_terms: usize,
}

impl Layout {
    /// Of the parts of each term, and of the left sides.
    pub(crate) fn new(terms: &[Vec<Part>], left_sides: &[Part]) -> Self {
        let mut known: BTreeMap<Column, usize> = BTreeMap::new();
        let mut columns = Vec::new();
        let mut place = |part: &Part| {
            let column = Column {
                function: part.function.clone(),
                orders: part.orders.clone(),
            };
            let place = *known.entry(column.clone()).or_insert_with(|| {
                columns.push(column);
                columns.len() - 1
            });
            (place, part.coefficient)
        };
        let left_sides = left_sides.iter().map(std::slice::from_ref);
        let all = terms.iter().map(Vec::as_slice).chain(left_sides);
        let made_of = all
            .map(|parts| parts.iter().map(&mut place).collect())
            .collect();
        Self {
            columns,
            made_of,
            n_terms: terms.len(),
        }
    }

    /// The highest order along each axis.
    pub(crate) fn highest(&self, n_axes: usize) -> Vec<u32> {
        let highest = |axis: usize| self.columns.iter().map(|c| c.orders[axis]).max();
        (0..n_axes).map(|axis| highest(axis).unwrap_or(0)).collect()
    }

    /// One number for each column of a sum of terms and left sides with these factors.
    pub(crate) fn in_columns(&self, factors: &[(usize, f64)]) -> Vec<f64> {
        let mut columns = vec![0.0; self.columns.len()];
        for &(which, factor) in factors {
            for &(column, own) in &self.made_of[which] {
                columns[column] += factor * own;
            }
        }
        columns
    }

    /// The matrix of terms and left sides from that of columns.
    fn combined(&self, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let entry = |a: &Vec<(usize, f64)>, b: &Vec<(usize, f64)>| -> f64 {
            let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
            pairs.map(|((i, f), (j, g))| f * g * columns[*i][*j]).sum()
        };
        let row = |a| self.made_of.iter().map(|b| entry(a, b)).collect();
        self.made_of.iter().map(row).collect()
    }
}

/// The rows of one record.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) grid: Grid<'a>,
    /// The places that have a row.
    pub(crate) kept: Vec<usize>,
    /// A column for each term, then for each left side.
    pub(crate) columns: Vec<Vec<f64>>,
    /// The covariance of the noise of terms and left sides, summed over the rows.
    pub(crate) noise: Vec<Vec<f64>>,
}

impl<'a> Rows<'a> {
    /// Makes the rows at all places where no test function meets a missing value.
    pub(crate) fn new(
        grid: Grid<'a>,
        layout: &Layout,
        names: &Names,
        threads: usize,
    ) -> Result<Self> {
        let sums = column_sums(&grid, layout, names, threads);
        let finite = |place: &usize| sums.iter().all(|sums| sums[*place].is_finite());
        let kept: Vec<usize> = (0..grid.n_places()).filter(finite).collect();
        let column = |made_of: &Vec<(usize, f64)>| -> Vec<f64> {
            let mut column = vec![0.0; kept.len()];
            for &(which, factor) in made_of {
                for (value, &place) in column.iter_mut().zip(&kept) {
                    *value += factor * sums[which][place];
                }
            }
            column
        };
        let columns = layout.made_of.iter().map(column).collect();
        let noise = layout.combined(&noise_gram(&grid, layout, &kept, names, threads)?);
        Ok(Self {
            grid,
            kept,
            columns,
            noise,
        })
    }
}

/// The sums of every column at all places.
fn column_sums(grid: &Grid<'_>, layout: &Layout, names: &Names, threads: usize) -> Vec<Vec<f64>> {
    let mut by_function: BTreeMap<&Function, Vec<usize>> = BTreeMap::new();
    for (number, column) in layout.columns.iter().enumerate() {
        by_function
            .entry(&column.function)
            .or_default()
            .push(number);
    }
    let groups: Vec<(&Function, Vec<usize>)> = by_function.into_iter().collect();
    let sums = parallel::map(threads, groups.len(), |group| {
        let (function, numbers) = &groups[group];
        let unbiased = Unbiased::new(function, &grid.sigma, names);
        let kernels = |&number: &usize| {
            let orders = layout.columns[number].orders.iter();
            orders.map(|&order| Kernel::One(order)).collect()
        };
        let wanted: Vec<Vec<Kernel>> = numbers.iter().map(kernels).collect();
        grid.sums(&|values, out| unbiased.evaluate(values, out), &wanted)
    });
    let mut all = vec![Vec::new(); layout.columns.len()];
    for ((_, numbers), sums) in groups.into_iter().zip(sums) {
        for (number, sums) in numbers.into_iter().zip(sums) {
            all[number] = sums;
        }
    }
    all
}

/// For each way to multiply with the bumps, the pairs of columns that need it, and their factors.
type Pairs = BTreeMap<Vec<Kernel>, Vec<(usize, usize, f64)>>;

/// The covariance of the noise of all pairs of columns, summed over the rows.
fn noise_gram(
    grid: &Grid<'_>,
    layout: &Layout,
    kept: &[usize],
    names: &Names,
    threads: usize,
) -> Result<Vec<Vec<f64>>> {
    let n = layout.columns.len();
    let mut gram = vec![vec![0.0; n]; n];
    if grid.sigma.iter().all(|sigma| *sigma <= 0.0) {
        return Ok(gram);
    }
    // The products of derivatives that are needed: with which kernels, and for which pairs.
    let mut needed: BTreeMap<Function, Pairs> = BTreeMap::new();
    for (i, a) in layout.columns.iter().enumerate() {
        for (j, b) in layout.columns.iter().enumerate().skip(i) {
            let both = a.orders.iter().zip(&b.orders);
            let kernels: Vec<Kernel> = both.map(|(&a, &b)| Kernel::product(a, b)).collect();
            for kappa in a.function.kappas(names) {
                let Some((f, left)) = a.function.derivative(&kappa, names) else {
                    continue;
                };
                let Some((g, right)) = b.function.derivative(&kappa, names) else {
                    continue;
                };
                let factor = f * g * weight(&kappa, &grid.sigma);
                let product = left.times(&right, names)?;
                let pairs = needed.entry(product).or_default();
                pairs
                    .entry(kernels.clone())
                    .or_default()
                    .push((i, j, factor));
            }
        }
    }
    let needed: Vec<_> = needed.into_iter().collect();
    let is_whole = kept.len() == grid.n_places();
    let sums = parallel::map(threads, needed.len(), |number| {
        let (function, pairs) = &needed[number];
        let unbiased = Unbiased::new(function, &grid.sigma, names);
        let wanted: Vec<Vec<Kernel>> = pairs.keys().cloned().collect();
        if is_whole {
            return grid.totals(&|values, out| unbiased.evaluate(values, out), &wanted);
        }
        let sums = grid.sums(&|values, out| unbiased.evaluate(values, out), &wanted);
        let over_rows = |sums: Vec<f64>| kept.iter().map(|&place| sums[place]).sum::<f64>();
        sums.into_iter().map(over_rows).collect::<Vec<f64>>()
    });
    for ((_, pairs), sums) in needed.into_iter().zip(sums) {
        for (pairs, sum) in pairs.into_values().zip(sums) {
            for (i, j, factor) in pairs {
                gram[i][j] += factor * sum;
            }
        }
    }
    for i in 1..n {
        let (above, own) = gram.split_at_mut(i);
        for (entry, row) in own[0].iter_mut().zip(above) {
            *entry = row[i];
        }
    }
    Ok(gram)
}

/// The terms of all records as `Q R`, with what noise takes away.
pub(crate) struct Factored {
    /// `Q`: for each term that is linearly independent of those before it, and not zero, its
    /// direction in the space of rows.
    pub(crate) directions: Vec<Vec<f64>>,
    /// `R⁻ᵀ N`, by term.
    pub(crate) corrected: Vec<Vec<f64>>,
    /// `R⁻ᵀ c`, by left side.
    pub(crate) left_sides: Vec<Vec<f64>>,
}

/// What is left of a column's length if it counts as dependent on others.
const DEPENDENT: f64 = 1e-10;

impl Factored {
    /// Of columns of terms and left sides, and the covariance of their noise.
    pub(crate) fn new(columns: &[Vec<f64>], noise: &[Vec<f64>], n_terms: usize) -> Self {
        let mut independent = Vec::new();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        let mut coordinates = Vec::new();
        for (term, column) in columns[..n_terms].iter().enumerate() {
            let length = dot(column, column).sqrt();
            let mut rest = column.clone();
            let mut along = vec![0.0; directions.len()];
            // Twice: the second pass takes out what rounding left of the first.
            for _ in 0..2 {
                for (direction, sum) in directions.iter().zip(&mut along) {
                    let product = dot(direction, &rest);
                    add(&mut rest, -product, direction);
                    *sum += product;
                }
            }
            let left = dot(&rest, &rest).sqrt();
            if left > DEPENDENT * length && directions.len() < column.len() {
                for value in &mut rest {
                    *value /= left;
                }
                along.push(left);
                directions.push(rest);
                independent.push(term);
            }
            coordinates.push(along);
        }
        let r = directions.len();
        for along in &mut coordinates {
            along.resize(r, 0.0);
        }
        // R⁻ᵀ x: forward substitution with the independent columns of R.
        let solved = |x: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let mut solution: Vec<f64> = Vec::with_capacity(r);
            for (i, &term) in independent.iter().enumerate() {
                let known = dot(&coordinates[term][..i], &solution);
                solution.push((x(term) - known) / coordinates[term][i]);
            }
            solution
        };
        let corrected = (0..n_terms).map(|j| {
            let taken = solved(&|i| noise[i][j]);
            coordinates[j]
                .iter()
                .zip(taken)
                .map(|(r, b)| r - b)
                .collect()
        });
        let corrected = corrected.collect();
        let left_sides = (n_terms..columns.len()).map(|b| {
            let taken = solved(&|i| noise[i][b]);
            let along = directions
                .iter()
                .map(|direction| dot(direction, &columns[b]));
            along.zip(taken).map(|(c, d)| c - d).collect()
        });
        let left_sides = left_sides.collect();
        Self {
            directions,
            corrected,
            left_sides,
        }
    }
}

/// Checks that every function has finite values on a record, but where values are missing.
pub(crate) fn check_functions(
    grid: &Grid<'_>,
    terms: &[(String, Vec<Part>)],
    names: &Names,
    record: &str,
) -> Result<()> {
    let n_space = grid.n_space();
    let mut out = vec![0.0; n_space];
    for (term, parts) in terms {
        for part in parts {
            let Function::Other(_) = part.function else {
                continue;
            };
            let unbiased = Unbiased::new(&part.function, &grid.sigma, names);
            for moment in 0..grid.axes[0].n_points() {
                let values = grid.moment(moment);
                unbiased.evaluate(&values, &mut out);
                let known = |point: usize| values.iter().all(|values| !values[point].is_nan());
                if (0..n_space).any(|point| known(point) && !out[point].is_finite()) {
                    return Err(FieldsError::NotFinite {
                        term: term.clone(),
                        record: record.to_string(),
                    }
                    .into());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
