//! Arrays of NumPy as the batches that the library reads, without a copy of the whole.

use std::ops::Range;

use eqlearn::data::table::Held;
use eqlearn::{Result, Table};
use numpy::ndarray::{ArrayView1, ArrayView2, Dimension};
use numpy::{PyArray, PyArrayMethods as _, PyReadonlyArray};
use pyo3::prelude::*;

/// An array whose numbers are aligned in memory. One that is not, such as a field of a record
/// array, is copied.
pub(crate) fn aligned<D: Dimension>(
    array: PyReadonlyArray<'_, f64, D>,
) -> PyResult<PyReadonlyArray<'_, f64, D>> {
    let is_aligned: bool = array.getattr("flags")?.getattr("aligned")?.extract()?;
    if is_aligned {
        return Ok(array);
    }
    let copy = array.call_method0("copy")?;
    Ok(copy.cast_into::<PyArray<f64, D>>()?.readonly())
}

/// Features, one target and perhaps weights, side by side. Strides of any kind and sign will do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) features: ArrayView2<'a, f64>,
    pub(crate) target: Option<ArrayView1<'a, f64>>,
    pub(crate) weights: Option<ArrayView1<'a, f64>>,
}

impl<'a> Rows<'a> {
    /// Batches like those of a file with these columns.
    pub(crate) fn batches(
        self,
        names: Vec<String>,
    ) -> Result<impl Iterator<Item = Result<Table>> + Send + 'a> {
        let n_features = self.features.ncols();
        let fill = move |place: usize, rows: Range<usize>, out: &mut Vec<f64>| {
            let column = if place < n_features {
                self.features.column(place)
            } else {
                let others = [self.target, self.weights];
                let mut others = others.into_iter().flatten();
                others
                    .nth(place - n_features)
                    .expect("there is a name per column")
            };
            match column.as_slice() {
                Some(values) => out.extend_from_slice(&values[rows]),
                None => out.extend(rows.map(|row| column[row])),
            }
        };
        Held::new(names, self.features.nrows(), fill)
    }
}
