//! Fields in long tables: a row for each point of the grid.

use std::collections::BTreeMap;

use super::array::Array;
use crate::data::table::{Missing, ReadOptions, Source};
use crate::data::{FieldError, left_out};
use crate::error::Result;

/// Coordinates that differ by less than this share of the usual step are one.
const SAME: f64 = 1e-6;
/// With fewer of its points a table is no grid.
const LEAST: f64 = 0.5;

/// The coordinates along each axis and the arrays of the quantities, from a table of columns.
pub(super) struct Pivoted {
    pub(super) axes: Vec<Array>,
    pub(super) quantities: Vec<Array>,
    pub(super) notes: Vec<String>,
}

/// Puts the rows of a table on the grid that their coordinates span. Points without a row are
/// missing.
///
/// # Errors
/// Two rows at one point, or so many points without a row that it is no grid.
pub(super) fn pivot(
    path: &std::path::Path,
    axes: &[String],
    quantities: &[String],
    options: &ReadOptions,
) -> Result<Pivoted> {
    let options = ReadOptions {
        missing: Missing::Drop,
        ..options.clone()
    };
    let source = Source::open(path, &options)?;
    let file = source.name().to_string();
    let mut notes = source.notes().to_vec();
    let names: Vec<String> = axes
        .iter()
        .chain(quantities)
        .map(|name| source.name_of(name).to_string())
        .collect();
    let unit = |name: &String| source.unit_of(name);
    let units: Vec<Option<String>> = names.iter().map(unit).collect();
    let mut batches = source.batches(&names)?;
    let mut columns = vec![Vec::new(); names.len()];
    let mut rows = Vec::new();
    for batch in batches.by_ref() {
        let batch = batch?;
        for (column, name) in columns.iter_mut().zip(&names) {
            column.extend_from_slice(batch.column(name)?);
        }
        rows.extend((0..batch.n_rows()).map(|row| batch.row_number(row)));
    }
    let dropped = batches.dropped();
    if dropped > 0 {
        notes.push(left_out(dropped));
    }
    let (coordinates, quantity_columns) = columns.split_at(axes.len());
    let grid: Vec<Vec<f64>> = coordinates.iter().map(|column| distinct(column)).collect();
    let places = places(coordinates, &grid, (axes, &rows, &file))?;
    let n_points: usize = grid.iter().map(Vec::len).product();
    let shape: Vec<usize> = grid.iter().map(Vec::len).collect();
    let mut filled = units.into_iter();
    let lone = |values: Vec<f64>, unit: Option<String>| Array {
        shape: vec![values.len()],
        values,
        along: Vec::new(),
        unit,
    };
    let axes = grid
        .into_iter()
        .zip(filled.by_ref())
        .map(|(values, unit)| lone(values, unit))
        .collect();
    let on_grid = |(column, unit): (&Vec<f64>, Option<String>)| {
        let mut values = vec![f64::NAN; n_points];
        for (&place, &value) in places.iter().zip(column) {
            values[place] = value;
        }
        Array {
            shape: shape.clone(),
            values,
            along: Vec::new(),
            unit,
        }
    };
    let quantities = quantity_columns.iter().zip(filled).map(on_grid).collect();
    Ok(Pivoted {
        axes,
        quantities,
        notes,
    })
}

/// The different values of a column, rising; values that differ by rounding are one.
fn distinct(column: &[f64]) -> Vec<f64> {
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let mut steps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    // Most steps may be rounding, but the widest tenth is not.
    let usual = steps.get(steps.len() * 9 / 10).copied().unwrap_or(0.0);
    sorted.dedup_by(|later, kept| *later - *kept <= SAME * usual);
    sorted
}

/// Where on the grid each row belongs.
fn places(
    coordinates: &[Vec<f64>],
    grid: &[Vec<f64>],
    (axes, rows, file): (&[String], &[u64], &str),
) -> Result<Vec<usize>> {
    let n_rows = rows.len();
    let n_points = grid
        .iter()
        .try_fold(1_usize, |n, axis| n.checked_mul(axis.len()));
    let n_points = n_points.filter(|&n| n_rows as f64 >= LEAST * n as f64);
    if n_points.is_none() {
        return Err(FieldError::NoGrid {
            file: file.to_string(),
            rows: n_rows as u64,
            grid: lengths(axes, grid),
        }
        .into());
    }
    let nearest = |axis: &[f64], value: f64| {
        let after = axis.partition_point(|at| *at <= value);
        // The first of the values that count as one is the one that was kept.
        after.saturating_sub(1)
    };
    let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
    let mut places = Vec::with_capacity(n_rows);
    for (i, &row) in rows.iter().enumerate() {
        let place = coordinates
            .iter()
            .zip(grid)
            .fold(0, |place, (column, axis)| {
                place * axis.len() + nearest(axis, column[i])
            });
        if let Some(first) = seen.insert(place, row) {
            let at = axes.iter().zip(coordinates);
            return Err(FieldError::PointTwice {
                file: file.to_string(),
                first,
                second: row,
                at: at.map(|(axis, column)| (axis.clone(), column[i])).collect(),
            }
            .into());
        }
        places.push(place);
    }
    Ok(places)
}

fn lengths(axes: &[String], grid: &[Vec<f64>]) -> Vec<(String, usize)> {
    let lengths = grid.iter().map(Vec::len);
    axes.iter().cloned().zip(lengths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_that_differ_by_rounding_are_one() {
        let column = [0.0, 0.1, 0.2, 0.1 * 3.0, 0.3, 0.1 + 0.2, 0.4];
        assert_eq!(distinct(&column).len(), 5);
    }
}
