//! Fields from files: arrays by name, or a long table.

use std::fs::File;
use std::path::Path;

use super::array::Array;
use super::assemble::{Coordinates, assemble};
use super::long::pivot;
use super::netcdf::Variables;
use super::{Boundary, Field};
use crate::data::table::{Format, ReadOptions, WholeArrays};
use crate::data::{FieldError, TableError};
use crate::error::{Result, nearest};

/// What to read as a field.
///
/// | field | meaning |
/// |---|---|
/// | `axes` | the arrays with the coordinates, time first; `t=0.1` is an axis of equal steps |
/// | `quantities` | the arrays, or columns, with the values; if none, the only other one there is |
/// | `periodic` | the directions of space in which the field is periodic |
/// | `table` | how to read a long table |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldOptions {
    /// The arrays with the coordinates, time first.
    pub axes: Vec<String>,
    /// The arrays with the values.
    pub quantities: Vec<String>,
    /// The directions of space in which the field is periodic.
    pub periodic: Vec<String>,
    /// How to read a long table.
    pub table: ReadOptions,
}

/// A field, and remarks about its file.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRead {
    /// The field.
    pub field: Field,
    /// Remarks, such as that an array was turned.
    pub notes: Vec<String>,
}

/// Reads a field from NumPy arrays (`.npz`; `.npy` with axes of equal steps), from NetCDF or
/// HDF5, or from a long table of any kind that has a row for each point of the grid.
///
/// # Errors
/// A file that cannot be read, arrays that are not there, and whatever [`Field::new`] refuses.
pub fn read_field(path: impl AsRef<Path>, options: &FieldOptions) -> Result<FieldRead> {
    let path = path.as_ref();
    let axes: Vec<Given> = options
        .axes
        .iter()
        .map(|axis| Given::parse(axis))
        .collect::<Result<_>>()?;
    if !(2..=4).contains(&axes.len()) {
        return Err(FieldError::Dimensions { n: axes.len() }.into());
    }
    let file = path.display().to_string();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let kind = extension.to_ascii_lowercase();
    let is_netcdf = ["nc", "nc4", "cdf", "h5", "hdf5", "hdf", "mat"].contains(&kind.as_str());
    let format = options.table.format;
    let (coordinates, quantities, notes) = if is_netcdf && format.is_none() {
        let stored = Variables::open(open(path)?, &file)?;
        let names = stored.names()?;
        let read = |name: &str| stored.read(name);
        by_name(&file, &axes, &options.quantities, &names, &read)?
    } else {
        match format.map_or_else(|| Format::of_path(path), Ok)? {
            Format::Npz => {
                let stored = WholeArrays::open(open(path)?, &file, None)?;
                let read = |name: &str| stored.read(name);
                by_name(&file, &axes, &options.quantities, stored.names(), &read)?
            }
            Format::Npy => {
                if let Some(axis) = axes.iter().find(|axis| axis.step.is_none()) {
                    let axis = axis.name.clone();
                    return Err(FieldError::NoCoordinates { file, axis }.into());
                }
                let name = options.quantities.first().map_or("u", String::as_str);
                let stored = WholeArrays::open(open(path)?, &file, Some(name))?;
                let read = |name: &str| stored.read(name);
                by_name(&file, &axes, &options.quantities, stored.names(), &read)?
            }
            _ => from_table(path, &axes, options)?,
        }
    };
    let named = |name: &String| axes.iter().any(|axis| axis.name == *name);
    if let Some(name) = options.periodic.iter().find(|name| !named(name)) {
        let known: Vec<String> = axes[1..].iter().map(|axis| axis.name.clone()).collect();
        return Err(FieldError::UnknownAxis {
            name: name.clone(),
            known,
        }
        .into());
    }
    let coordinates = axes.into_iter().zip(coordinates).map(|(given, array)| {
        let is_periodic = options.periodic.contains(&given.name);
        Coordinates {
            name: given.name,
            boundary: if is_periodic {
                Boundary::Periodic
            } else {
                Boundary::Open
            },
            step: given.step,
            array,
        }
    });
    assemble(&file, coordinates.collect(), quantities, notes)
}

/// An axis as it was given.
struct Given {
    name: String,
    /// Its step, if its coordinates are in no array.
    step: Option<f64>,
}

impl Given {
    fn parse(text: &str) -> Result<Self> {
        let Some((name, step)) = text.split_once('=') else {
            return Ok(Self {
                name: text.trim().to_string(),
                step: None,
            });
        };
        let step = step.trim();
        match step.parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 => Ok(Self {
                name: name.trim().to_string(),
                step: Some(value),
            }),
            _ => Err(FieldError::StepOfAxis {
                axis: name.trim().to_string(),
                step: step.to_string(),
            }
            .into()),
        }
    }
}

/// The coordinates of each axis that has some, the quantities by name, and remarks.
type Parts = (Vec<Option<Array>>, Vec<(String, Array)>, Vec<String>);

fn open(path: &Path) -> Result<File> {
    let unreadable = |source| TableError::Unreadable {
        file: path.display().to_string(),
        source,
    };
    Ok(File::open(path).map_err(unreadable)?)
}

/// Arrays of a file that names them.
fn by_name(
    file: &str,
    axes: &[Given],
    asked: &[String],
    names: &[String],
    read: &dyn Fn(&str) -> Result<Array>,
) -> Result<Parts> {
    let known = |name: &str| {
        if names.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(FieldError::UnknownArray {
            file: file.to_string(),
            name: name.to_string(),
            nearest: nearest(name, names).map(String::from),
            known: names.to_vec(),
        })
    };
    let mut coordinates = Vec::new();
    for axis in axes {
        let is_stored = axis.step.is_none();
        if is_stored {
            known(&axis.name)?;
        }
        let array = is_stored.then(|| read(&axis.name));
        coordinates.push(array.transpose()?);
    }
    let quantities = match asked {
        [] => {
            let is_axis = |name: &&String| axes.iter().any(|axis| axis.name == **name);
            let others: Vec<&String> = names.iter().filter(|name| !is_axis(name)).collect();
            match others.as_slice() {
                [only] => vec![(*only).clone()],
                others => {
                    return Err(FieldError::WhichQuantity {
                        file: file.to_string(),
                        known: others.iter().map(|name| (*name).clone()).collect(),
                    }
                    .into());
                }
            }
        }
        asked => asked.to_vec(),
    };
    let mut arrays = Vec::new();
    for name in quantities {
        known(&name)?;
        let array = read(&name)?;
        arrays.push((name, array));
    }
    Ok((coordinates, arrays, Vec::new()))
}

/// Columns of a long table.
fn from_table(path: &Path, axes: &[Given], options: &FieldOptions) -> Result<Parts> {
    if let Some(axis) = axes.iter().find(|axis| axis.step.is_some()) {
        return Err(FieldError::StepInTable {
            axis: axis.name.clone(),
        }
        .into());
    }
    let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
    let quantities = if options.quantities.is_empty() {
        let source = crate::data::table::Source::open(path, &options.table)?;
        let columns = source.columns().iter().filter(|c| c.is_numeric());
        let others: Vec<String> = columns
            .map(|column| column.name.clone())
            .filter(|name| !names.iter().any(|axis| source.name_of(axis) == *name))
            .collect();
        if others.len() != 1 {
            return Err(FieldError::WhichQuantity {
                file: path.display().to_string(),
                known: others,
            }
            .into());
        }
        others
    } else {
        options.quantities.clone()
    };
    let pivoted = pivot(path, &names, &quantities, &options.table)?;
    let arrays = quantities.into_iter().zip(pivoted.quantities).collect();
    let coordinates = pivoted.axes.into_iter().map(Some).collect();
    Ok((coordinates, arrays, pivoted.notes))
}
