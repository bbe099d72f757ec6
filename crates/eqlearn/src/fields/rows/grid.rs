//! One record with its test functions: sums of functions of its values, and their transpose.

use std::collections::BTreeMap;

use crate::data::field::{Axis, Boundary, Field};
use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::rows::bump::{Bumps, Placing};
use crate::fields::rows::sigma::sigma;
use crate::fields::rows::width::{corner, half_width, least};
use crate::numeric::vector::add;

/// Steps that differ by less than this share count as equal.
const EQUAL: f64 = 1e-6;
/// Bumps overlap: from one to the next it is this part of a half width.
const OVERLAP: usize = 5;
/// Places for bumps at most; with more, strides grow.
const MOST: usize = 20_000;

/// At least this share of a quantity's variance is not that of neighbours against each other.
const SMOOTH: f64 = 0.01;
/// How many standard deviations beyond chance.
const SURE: f64 = 3.0;

/// A function of the values at some points, quantity after quantity, into as many numbers.
type Evaluate<'a> = dyn Fn(&[&[f64]], &mut [f64]) + 'a;

/// What a sum multiplies with along one axis: a derivative of the bump, or a product of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kernel {
    One(u32),
    Two(u32, u32),
}

impl Kernel {
    pub(crate) fn product(a: u32, b: u32) -> Self {
        Self::Two(a.min(b), a.max(b))
    }

    fn of(self, bumps: &Bumps) -> Vec<f64> {
        match self {
            Self::One(order) => bumps.kernel(order).to_vec(),
            Self::Two(a, b) => bumps.kernel_product(a, b),
        }
    }
}

/// One record with its test functions.
#[derive(Debug)]
pub(crate) struct Grid<'a> {
    pub(crate) values: Vec<&'a [f64]>,
    pub(crate) axes: Vec<Bumps>,
    /// The steps of the axes.
    pub(crate) steps: Vec<f64>,
    /// The noise of each quantity.
    pub(crate) sigma: Vec<f64>,
}

impl<'a> Grid<'a> {
    /// Chooses test functions for derivatives up to these orders along each axis; half widths in
    /// units of the axes, if they are given.
    pub(crate) fn new(field: &'a Field, orders: &[u32], given: Option<&[f64]>) -> Result<Self> {
        let shape = field.shape();
        let values: Vec<&[f64]> = field.quantities().iter().map(|q| &q.values[..]).collect();
        for quantity in field.quantities() {
            check_values(&quantity.name, &quantity.values, field.name())?;
        }
        let steps: Vec<f64> = field
            .axes()
            .iter()
            .map(|axis| step(axis, field.name()))
            .collect::<Result<_>>()?;
        let sigma: Vec<f64> = values.iter().map(|values| sigma(values, &shape)).collect();
        for (quantity, sigma) in field.quantities().iter().zip(&sigma) {
            check_smoothness(&quantity.name, &quantity.values, *sigma, field.name())?;
        }
        let halves = halves(field, orders, given, &steps, &sigma)?;
        let axes = bumps(field, orders, &steps, &halves);
        Ok(Self {
            values,
            axes,
            steps,
            sigma,
        })
    }

    /// How many places there are for bumps.
    pub(crate) fn n_places(&self) -> usize {
        self.axes.iter().map(Bumps::n_places).product()
    }

    /// How many points one moment has.
    pub(crate) fn n_space(&self) -> usize {
        self.axes[1..].iter().map(Bumps::n_points).product()
    }

    /// The values of the quantities at one moment.
    pub(crate) fn moment(&self, time: usize) -> Vec<&'a [f64]> {
        let n = self.n_space();
        self.values
            .iter()
            .map(|values| &values[time * n..][..n])
            .collect()
    }

    /// The sums of a function of the values with several kernels, one kernel per axis; each has a
    /// number for every place.
    pub(crate) fn sums(&self, evaluate: &Evaluate<'_>, wanted: &[Vec<Kernel>]) -> Vec<Vec<f64>> {
        let n = self.n_space();
        let time = &self.axes[0];
        let mut groups: BTreeMap<Kernel, Vec<usize>> = BTreeMap::new();
        for (number, kernels) in wanted.iter().enumerate() {
            groups.entry(kernels[0]).or_default().push(number);
        }
        // Moment by moment, so that no array of all values of the function is needed.
        let kernels: Vec<Vec<f64>> = groups.keys().map(|kernel| kernel.of(time)).collect();
        let mut sums = vec![vec![0.0; time.n_places() * n]; kernels.len()];
        let of_moment = time.places_of_points();
        let mut values = vec![0.0; n];
        for (moment, places) in of_moment.iter().enumerate() {
            evaluate(&self.moment(moment), &mut values);
            for (kernel, sums) in kernels.iter().zip(&mut sums) {
                for &(place, j) in places {
                    let weight = kernel[j];
                    if weight.abs() > 0.0 {
                        for (sum, value) in sums[place * n..][..n].iter_mut().zip(&values) {
                            *sum += weight * value;
                        }
                    }
                }
            }
        }
        let mut out = vec![Vec::new(); wanted.len()];
        for (sums, numbers) in sums.into_iter().zip(groups.into_values()) {
            self.along_space(1, &sums, wanted, &numbers, &mut out);
        }
        out
    }

    /// The sums over all places of what [`sums`](Self::sums) gives.
    pub(crate) fn totals(&self, evaluate: &Evaluate<'_>, wanted: &[Vec<Kernel>]) -> Vec<f64> {
        let n = self.n_space();
        let mut groups: BTreeMap<Kernel, Vec<usize>> = BTreeMap::new();
        for (number, kernels) in wanted.iter().enumerate() {
            groups.entry(kernels[0]).or_default().push(number);
        }
        let weights = |axis: usize, kernel: Kernel| {
            let bumps = &self.axes[axis];
            bumps.at_all_places(&kernel.of(bumps))
        };
        let by_time: Vec<Vec<f64>> = groups.keys().map(|kernel| weights(0, *kernel)).collect();
        let mut arrays = vec![vec![0.0; n]; by_time.len()];
        let mut values = vec![0.0; n];
        for moment in 0..self.axes[0].n_points() {
            evaluate(&self.moment(moment), &mut values);
            for (weights, array) in by_time.iter().zip(&mut arrays) {
                // Where no place has a bump values may be missing.
                if weights[moment].abs() > 0.0 {
                    add(array, weights[moment], &values);
                }
            }
        }
        let mut out = vec![0.0; wanted.len()];
        for (array, numbers) in arrays.into_iter().zip(groups.into_values()) {
            for number in numbers {
                let mut left = array.clone();
                for (axis, kernel) in wanted[number].iter().enumerate().skip(1) {
                    let weights = weights(axis, *kernel);
                    let after = left.len() / weights.len();
                    let mut sum = vec![0.0; after];
                    for (weight, row) in weights.iter().zip(left.chunks_exact(after)) {
                        if weight.abs() > 0.0 {
                            add(&mut sum, *weight, row);
                        }
                    }
                    left = sum;
                }
                out[number] = left[0];
            }
        }
        out
    }

    fn along_space(
        &self,
        axis: usize,
        array: &[f64],
        wanted: &[Vec<Kernel>],
        numbers: &[usize],
        out: &mut [Vec<f64>],
    ) {
        let Some(bumps) = self.axes.get(axis) else {
            for &number in numbers {
                out[number] = array.to_vec();
            }
            return;
        };
        let after: usize = self.axes[axis + 1..].iter().map(Bumps::n_points).product();
        let mut groups: BTreeMap<Kernel, Vec<usize>> = BTreeMap::new();
        for &number in numbers {
            groups.entry(wanted[number][axis]).or_default().push(number);
        }
        for (kernel, numbers) in groups {
            let sums = bumps.contract(&kernel.of(bumps), array, after);
            self.along_space(axis + 1, &sums, wanted, &numbers, out);
        }
    }

    /// What the bumps at all places, each times its number, are along space: an array of places in
    /// time by points in space.
    pub(crate) fn spread_space(&self, orders: &[u32], places: &[f64]) -> Vec<f64> {
        let mut array = places.to_vec();
        for axis in (1..self.axes.len()).rev() {
            let bumps = &self.axes[axis];
            let after: usize = self.axes[axis + 1..].iter().map(Bumps::n_points).product();
            array = bumps.spread(bumps.kernel(orders[axis]), &array, after);
        }
        array
    }
}

/// The half width along each axis in steps.
fn halves(
    field: &Field,
    orders: &[u32],
    given: Option<&[f64]>,
    steps: &[f64],
    sigma: &[f64],
) -> Result<Vec<usize>> {
    let shape = field.shape();
    let half = |(place, axis): (usize, &Axis)| -> Result<usize> {
        let (n_points, order) = (shape[place], orders[place]);
        let half = if let Some(widths) = given {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is brought into the range of the axis"
            )]
            let half = (widths[place] / steps[place]).round() as usize;
            let half = half.max(least(order));
            (2 * half < n_points).then_some(half)
        } else {
            let periodic = axis.boundary == Boundary::Periodic;
            let both = field.quantities().iter().zip(sigma);
            let corners = both.map(|(q, s)| corner(&q.values, &shape, place, periodic, *s));
            half_width(corners.max().unwrap_or(1), n_points, order)
        };
        let too_few = FieldsError::TooFewPoints {
            axis: axis.name.clone(),
            record: field.name().to_string(),
            points: n_points,
            order,
            least: 2 * least(order) + 1,
        };
        Ok(half.ok_or(too_few)?)
    };
    field.axes().iter().enumerate().map(half).collect()
}

/// The test functions along each axis, not too many of them.
fn bumps(field: &Field, orders: &[u32], steps: &[f64], halves: &[usize]) -> Vec<Bumps> {
    let all = |overlap: usize| -> Vec<Bumps> {
        let bumps = |(place, axis): (usize, &Axis)| {
            Bumps::new(&Placing {
                n_points: axis.values.len(),
                step: steps[place],
                half: halves[place],
                stride: (halves[place] / overlap).max(1),
                periodic: axis.boundary == Boundary::Periodic,
                order: orders[place],
            })
        };
        field.axes().iter().enumerate().map(bumps).collect()
    };
    let is_small = |axes: &Vec<Bumps>| axes.iter().map(Bumps::n_places).product::<usize>() <= MOST;
    (2..=OVERLAP)
        .rev()
        .map(all)
        .find(is_small)
        .unwrap_or_else(|| all(1))
}

fn step(axis: &Axis, record: &str) -> Result<f64> {
    let values = &axis.values;
    let n = values.len();
    let usual = (values[n - 1] - values[0]) / (n - 1) as f64;
    let other = values.windows(2).position(|pair| {
        let rounding = 4.0 * f64::EPSILON * pair[0].abs().max(pair[1].abs());
        (pair[1] - pair[0] - usual).abs() > EQUAL * usual + rounding
    });
    match other {
        None => Ok(usual),
        Some(place) => Err(FieldsError::UnequalSteps {
            axis: axis.name.clone(),
            record: record.to_string(),
            place,
            step: values[place + 1] - values[place],
            usual,
        }
        .into()),
    }
}

/// Refuses what changes from point to point as much as anywhere.
fn check_smoothness(quantity: &str, values: &[f64], sigma: f64, record: &str) -> Result<()> {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    let n = known().count() as f64;
    let mean = known().sum::<f64>() / n;
    let variance = known().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    // The estimates themselves are as uncertain as this.
    let by_chance = SURE * (2.0 / n).sqrt();
    if variance - sigma * sigma > SMOOTH.max(by_chance) * variance {
        return Ok(());
    }
    Err(FieldsError::TooCoarse {
        quantity: quantity.to_string(),
        record: record.to_string(),
    }
    .into())
}

fn check_values(quantity: &str, values: &[f64], record: &str) -> Result<()> {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    let Some(first) = known().next() else {
        return Err(FieldsError::NoValue {
            quantity: quantity.to_string(),
            record: record.to_string(),
        }
        .into());
    };
    if known().all(|value| (value - first).abs() <= 0.0) {
        return Err(FieldsError::Constant {
            quantity: quantity.to_string(),
            record: record.to_string(),
            value: first,
        }
        .into());
    }
    Ok(())
}
