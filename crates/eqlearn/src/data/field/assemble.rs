//! From arrays to a field: axes and quantities are held against each other.

use super::array::{Array, turned};
use super::read::FieldRead;
use super::{Axis, Boundary, Field, Quantity};
use crate::data::FieldError;
use crate::error::Result;

/// An axis, and where its coordinates come from.
pub(super) struct Coordinates {
    pub(super) name: String,
    pub(super) boundary: Boundary,
    /// Its step, if it has no array.
    pub(super) step: Option<f64>,
    pub(super) array: Option<Array>,
}

/// Makes a field of arrays. An array whose directions come in another order is turned, if its
/// lengths or the names of its directions leave no doubt.
pub(super) fn assemble(
    file: &str,
    coordinates: Vec<Coordinates>,
    quantities: Vec<(String, Array)>,
    mut notes: Vec<String>,
) -> Result<FieldRead> {
    let names: Vec<String> = coordinates.iter().map(|axis| axis.name.clone()).collect();
    let n_axes = names.len();
    let mut axes = Vec::new();
    for (place, axis) in coordinates.into_iter().enumerate() {
        let (values, unit) = match (axis.array, axis.step) {
            (Some(array), _) => (flat(&axis.name, &array)?, array.unit),
            (None, step) => {
                let step = step.expect("an axis has an array or a step");
                let Some((_, first)) = quantities.first() else {
                    return Err(FieldError::Nothing.into());
                };
                let n = first.shape.get(place).copied().unwrap_or(0);
                ((0..n).map(|i| i as f64 * step).collect(), None)
            }
        };
        axes.push(Axis {
            name: axis.name,
            unit,
            values,
            boundary: axis.boundary,
        });
    }
    let lengths: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
    let mut on_grid = Vec::new();
    for (name, array) in quantities {
        // A direction with one point, such as the one level of a map, is none.
        let array = if array.shape.len() > n_axes {
            without_lone(array)
        } else {
            array
        };
        let values = match order(&array, &names, &lengths) {
            Some(order) if order.is_sorted() => array.values,
            Some(order) => {
                notes.push(format!(
                    "{name} has its directions in another order than the axes, and was turned: it \
                     is {} in the file",
                    told(&array.shape)
                ));
                turned(&array.values, &array.shape, &order)
            }
            None => {
                return Err(FieldError::ShapeOfArray {
                    quantity: name,
                    shape: array.shape,
                    grid: names.into_iter().zip(lengths).collect(),
                }
                .into());
            }
        };
        on_grid.push(Quantity { name, values });
    }
    let field = Field::new(file, axes, on_grid)?;
    Ok(FieldRead { field, notes })
}

/// The coordinates of an axis, from a vector or a matrix with one row or column, as MATLAB has it.
fn flat(axis: &str, array: &Array) -> Result<Vec<f64>> {
    let long = array.shape.iter().filter(|&&n| n != 1).count();
    if long > 1 {
        return Err(FieldError::AxisNotVector {
            axis: axis.to_string(),
            shape: array.shape.clone(),
        }
        .into());
    }
    Ok(array.values.clone())
}

fn without_lone(array: Array) -> Array {
    let keep: Vec<bool> = array.shape.iter().map(|&n| n != 1).collect();
    let mut kept = keep.iter();
    let mut along = array.along;
    along.retain(|_| kept.next().copied().unwrap_or(true));
    Array {
        shape: array.shape.into_iter().filter(|&n| n != 1).collect(),
        along,
        ..array
    }
}

/// Which direction of an array is each axis; none if that cannot be known.
fn order(array: &Array, names: &[String], lengths: &[usize]) -> Option<Vec<usize>> {
    if array.shape.len() != lengths.len() {
        return None;
    }
    let by_name: Option<Vec<usize>> = names
        .iter()
        .map(|name| array.along.iter().position(|along| along == name))
        .collect();
    let fits = |order: &Vec<usize>| {
        let mut pairs = order.iter().zip(lengths);
        pairs.all(|(&direction, &n)| array.shape[direction] == n)
    };
    if let Some(order) = by_name.filter(fits) {
        return Some(order);
    }
    let as_it_is: Vec<usize> = (0..lengths.len()).collect();
    if fits(&as_it_is) {
        return Some(as_it_is);
    }
    // By lengths, if all of them are different.
    let place = |n: &usize| {
        let mut found = array.shape.iter().enumerate().filter(|(_, m)| *m == n);
        let (place, _) = found.next()?;
        found.next().is_none().then_some(place)
    };
    lengths.iter().map(place).collect()
}

fn told(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    lengths.join(" × ")
}
