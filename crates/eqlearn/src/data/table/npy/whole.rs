//! Whole arrays with any number of dimensions.
//!
//! A table needs columns and is read in batches; a field on a grid is one array, read at once.

use std::fs::File;
use std::io::Read;

use super::header::{Element, Order};
use super::scalar::Scalar;
use super::window::{Bytes, Window};
use super::{damaged, header_of, members, refused, unsupported};
use crate::data::field::Array;
use crate::data::{Content, Damage};
use crate::error::Result;

/// The arrays of a NumPy file, each read when it is asked for.
pub(in crate::data) struct WholeArrays {
    file: String,
    bytes: Window,
    names: Vec<String>,
    is_archive: bool,
}

impl WholeArrays {
    /// Opens an archive of arrays, or one array that has the given name then.
    pub(in crate::data) fn open(handle: File, file: &str, lone: Option<&str>) -> Result<Self> {
        let bytes = Window::whole(handle);
        let names = if let Some(name) = lone {
            vec![name.to_string()]
        } else {
            let members = members(&bytes, file)?.into_iter();
            members.map(|(name, _)| name).collect()
        };
        Ok(Self {
            file: file.to_string(),
            bytes,
            names,
            is_archive: lone.is_none(),
        })
    }

    /// The names of all arrays.
    pub(in crate::data) fn names(&self) -> &[String] {
        &self.names
    }

    /// One of the arrays.
    pub(in crate::data) fn read(&self, name: &str) -> Result<Array> {
        let file = self.file.as_str();
        let mut bytes = if self.is_archive {
            let all = members(&self.bytes, file)?.into_iter();
            let mut named = all.filter(|(member, _)| member == name);
            named.next().expect("it is one of the names").1
        } else {
            Bytes::Shared(self.bytes.clone())
        };
        let header = header_of(&mut bytes, file)?;
        let array = || name.to_string();
        let scalar = match &header.element {
            element if element.holds_objects() => {
                return Err(unsupported(file, Content::PythonObjects { array: array() }).into());
            }
            Element::Plain(plain) => Some((Scalar::of(plain), *plain)),
            Element::Record(_) | Element::Array(..) => None,
        };
        let Some((scalar, plain)) = scalar.filter(|(scalar, _)| *scalar != Scalar::NotANumber)
        else {
            let kind = match &header.element {
                Element::Plain(plain) if plain.letter == 'c' => {
                    "complex numbers (save real and imaginary parts as two arrays)"
                }
                Element::Plain(plain) if "mM".contains(plain.letter) => "dates",
                Element::Plain(_) => "text",
                _ => "records",
            };
            let array = array();
            return Err(unsupported(file, Content::NotNumbers { array, kind }).into());
        };
        let lengths = header.shape.iter();
        let shape: Vec<usize> = lengths
            .map(|&n| usize::try_from(n).unwrap_or(usize::MAX))
            .collect();
        let n_values = header
            .shape
            .iter()
            .try_fold(1_u64, |n, m| n.checked_mul(*m));
        let n_bytes = n_values.and_then(|n| n.checked_mul(plain.size as u64));
        let cut_off = || damaged(file, Damage::ArrayCutOff { array: array() });
        let n_bytes = n_bytes.ok_or_else(cut_off)?;
        // Not all at once into a buffer of that size: a damaged header may promise anything.
        let mut raw = Vec::new();
        bytes
            .into_stream()
            .take(n_bytes)
            .read_to_end(&mut raw)
            .map_err(|error| refused(file, error))?;
        if raw.len() as u64 != n_bytes {
            return Err(cut_off().into());
        }
        let mut values = Vec::with_capacity(raw.len() / plain.size.max(1));
        scalar.append(raw.chunks_exact(plain.size), &mut values);
        if header.order == Order::Fortran {
            values = c_order(&values, &shape);
        }
        Ok(Array {
            shape,
            values,
            along: Vec::new(),
            unit: None,
        })
    }
}

/// The values of an array whose first index runs fastest, with the last one running fastest.
fn c_order(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    crate::data::field::turned(values, &reversed, &order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_stored_by_columns_is_turned() {
        // [[1, 2, 3], [4, 5, 6]], column after column.
        let stored = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
        let by_rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(c_order(&stored, &[2, 3]), by_rows);
    }
}
