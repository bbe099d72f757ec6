//! The covariance of scores: what the noise of the values does to products of rows.
//!
//! The noise at one point is in all rows whose bumps reach it. With `h` the derivative of all
//! scores by the noise at a point, and higher derivatives for terms that are not linear,
//!
//! ```text
//! M = Σ_points Σ_κ σ^2κ/κ! h_κ h_κᵀ,
//! h_κ = Σ_columns c ∂^κ f(u) Σ_k q_k ∂^αψ(x − x_k)
//! ```
//!
//! for the residual `Σ c` of columns and directions `q` in the space of rows. The last sum is the
//! transpose of the sums that make rows.

use std::collections::BTreeMap;

use crate::fields::correct::{Layout, Rows};
use crate::fields::names::Names;
use crate::fields::polynomial::{Unbiased, weight};
use crate::fields::rows::grid::Grid;
use crate::fields::term::Function;
use crate::numeric::vector::{add, dot};

/// Products of numbers of points and pairs of directions that a covariance may take.
const WORK: f64 = 6e8;

/// What the residual of a law is to the noise at a point.
struct Slopes<'a> {
    /// The derivatives along the axes that columns of the residual have.
    orders: Vec<&'a [u32]>,
    /// For each derivative by the values: factor, function, and the place of its orders.
    by_kappa: Vec<(Vec<u32>, Vec<Slope>)>,
}

/// A part of the residual's derivative by the values: its factor, its function, and the place of
/// its orders.
type Slope = (f64, Function, usize);

impl<'a> Slopes<'a> {
    fn new(layout: &'a Layout, residual: &[f64], names: &Names) -> Self {
        let used: Vec<usize> = (0..residual.len())
            .filter(|&c| residual[c].abs() > 0.0)
            .collect();
        let mut orders: Vec<&[u32]> = used
            .iter()
            .map(|&c| &layout.columns[c].orders[..])
            .collect();
        orders.sort_unstable();
        orders.dedup();
        let mut by_kappa: BTreeMap<Vec<u32>, Vec<(f64, Function, usize)>> = BTreeMap::new();
        for &c in &used {
            let column = &layout.columns[c];
            let place = orders
                .binary_search(&&column.orders[..])
                .expect("all orders are listed");
            for kappa in column.function.kappas(names) {
                if let Some((factor, function)) = column.function.derivative(&kappa, names) {
                    let one = (factor * residual[c], function, place);
                    by_kappa.entry(kappa).or_default().push(one);
                }
            }
        }
        Self {
            orders,
            by_kappa: by_kappa.into_iter().collect(),
        }
    }
}

/// The points at which a sum over all points is taken, because bumps are wide.
struct Sample {
    /// Every how many moments.
    every: usize,
    /// The points of a moment.
    points: Vec<usize>,
    /// How many points one of them stands for.
    share: f64,
}

impl Sample {
    fn new(grid: &Grid<'_>, n_directions: usize, n_kappas: usize) -> Self {
        let (time, n_space) = (&grid.axes[0], grid.n_space());
        let pairs = n_directions * n_directions / 2;
        let excess = (pairs * n_space * time.n_points() * n_kappas) as f64 / WORK;
        let every = thinned(excess, (time.half() / 4).max(1));
        let skip = thinned(excess / every as f64, n_space);
        let points: Vec<usize> = (skip / 2..n_space).step_by(skip).collect();
        let share = every as f64 * n_space as f64 / points.len() as f64;
        Self {
            every,
            points,
            share,
        }
    }

    fn of<T: Copy>(&self, all: &[T]) -> Vec<T> {
        self.points.iter().map(|&point| all[point]).collect()
    }
}

/// The covariance of the scores along directions of the rows of one record, for the residual that
/// is this sum of columns.
pub(crate) fn score_covariance(
    rows: &Rows<'_>,
    layout: &Layout,
    directions: &[&[f64]],
    residual: &[f64],
    names: &Names,
    smooth: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let (grid, r, n_space) = (&rows.grid, directions.len(), rows.grid.n_space());
    let slopes = Slopes::new(layout, residual, names);
    let sample = Sample::new(grid, r, slopes.by_kappa.len());
    let n = sample.points.len();
    // By direction and orders, an array of places in time by points in space.
    let spread: Vec<Vec<Vec<f64>>> = directions
        .iter()
        .map(|direction| spread_at(rows, &slopes.orders, direction, &sample))
        .collect();
    let of_moment = grid.axes[0].places_of_points();
    let none = vec![0.0; grid.values.len()];
    let mut covariance = vec![vec![0.0; r]; r];
    let mut h = vec![vec![0.0; n]; r];
    let mut along = vec![vec![vec![0.0; n]; slopes.orders.len()]; r];
    let mut slope = vec![0.0; n];
    for moment in (sample.every / 2..grid.axes[0].n_points()).step_by(sample.every) {
        for (spread, along) in spread.iter().zip(&mut along) {
            for ((orders, spread), along) in slopes.orders.iter().zip(spread).zip(along) {
                let kernel = grid.axes[0].kernel(orders[0]);
                along.fill(0.0);
                for &(place, j) in &of_moment[moment] {
                    add(along, kernel[j], &spread[place * n..][..n]);
                }
            }
        }
        let at_moment = |u: &Vec<f64>| sample.of(&u[moment * n_space..][..n_space]);
        let values: Vec<Vec<f64>> = smooth.iter().map(at_moment).collect();
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        for (kappa, parts) in &slopes.by_kappa {
            let factor = weight(kappa, &grid.sigma) * sample.share;
            if factor <= 0.0 {
                continue;
            }
            for h in &mut h {
                h.fill(0.0);
            }
            for (factor, function, place) in parts {
                Unbiased::new(function, &none, names).evaluate(&values, &mut slope);
                for slope in &mut slope {
                    *slope *= factor;
                }
                for (h, along) in h.iter_mut().zip(&along) {
                    for ((h, slope), along) in h.iter_mut().zip(&slope).zip(&along[*place]) {
                        *h += slope * along;
                    }
                }
            }
            add_products(&mut covariance, factor, &h);
        }
    }
    covariance
}

/// What a direction is on the grid: the bumps at all places, each times its number, along space.
fn spread_at(
    rows: &Rows<'_>,
    orders: &[&[u32]],
    direction: &[f64],
    sample: &Sample,
) -> Vec<Vec<f64>> {
    let grid = &rows.grid;
    let mut places = vec![0.0; grid.n_places()];
    for (&place, value) in rows.kept.iter().zip(direction) {
        places[place] = *value;
    }
    let at_points = |orders: &&[u32]| -> Vec<f64> {
        let all = grid.spread_space(orders, &places);
        all.chunks_exact(grid.n_space())
            .flat_map(|all| sample.of(all))
            .collect()
    };
    orders.iter().map(at_points).collect()
}

/// `M += factor · H Hᵀ`.
fn add_products(matrix: &mut [Vec<f64>], factor: f64, h: &[Vec<f64>]) {
    for (i, row) in matrix.iter_mut().enumerate() {
        for (entry, other) in row.iter_mut().zip(h) {
            *entry += factor * dot(&h[i], other);
        }
    }
}

/// One of how many is looked at, to do no more than this multiple less of work.
fn thinned(excess: f64, most: usize) -> usize {
    let wanted = excess.ceil().clamp(1.0, most as f64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 1 on"
    )]
    let wanted = wanted as usize;
    wanted
}

/// The values of each quantity with less noise: a local mean of a few points along each axis.
/// Where a value is missing it is that of its neighbours, or zero if they are missing too.
pub(crate) fn smoothed(grid: &Grid<'_>) -> Vec<Vec<f64>> {
    let smooth = |(values, sigma): (&&[f64], &f64)| -> Vec<f64> {
        let mut sums: Vec<f64> = values
            .iter()
            .map(|v| if v.is_nan() { 0.0 } else { *v })
            .collect();
        if *sigma <= 0.0 {
            return sums;
        }
        let known = values.iter().map(|v| f64::from(u8::from(!v.is_nan())));
        let mut weights: Vec<f64> = known.collect();
        let mut after = values.len();
        for axis in &grid.axes {
            after /= axis.n_points();
            for array in [&mut sums, &mut weights] {
                *array = local_mean(array, axis.n_points(), after, axis.half());
            }
        }
        let both = sums.iter().zip(&weights);
        both.map(|(sum, weight)| if *weight > 0.0 { sum / weight } else { 0.0 })
            .collect()
    };
    grid.values.iter().zip(&grid.sigma).map(smooth).collect()
}

/// Sums with the weights of a bell whose width is a part of that of the bumps.
fn local_mean(array: &[f64], n: usize, after: usize, half: usize) -> Vec<f64> {
    let reach = half / 3;
    let bell = |d: usize| (1.0 - (d as f64 / (reach + 1) as f64).powi(2)).powi(3);
    let bell: Vec<f64> = (0..=reach).map(bell).collect();
    let mut out = vec![0.0; array.len()];
    for (array, out) in array
        .chunks_exact(n * after)
        .zip(out.chunks_exact_mut(n * after))
    {
        for (i, out) in out.chunks_exact_mut(after).enumerate() {
            for other in i.saturating_sub(reach)..(i + reach + 1).min(n) {
                add(
                    out,
                    bell[i.abs_diff(other)],
                    &array[other * after..][..after],
                );
            }
        }
    }
    out
}
