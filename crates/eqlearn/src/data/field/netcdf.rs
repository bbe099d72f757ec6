//! Arrays of `NetCDF` and HDF5 files.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use netcdf_reader::{NcFile, NcType, NcVariable};

use super::array::Array;
use crate::data::{Content, Damage, TableError};
use crate::error::Result;

/// The variables of the root group of a file.
pub(super) struct Variables {
    name: String,
    file: NcFile,
}

impl Variables {
    pub(super) fn open(mut handle: File, name: &str) -> Result<Self> {
        let mut bytes = Vec::new();
        handle
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(name, error))?;
        let file = guarded(name, || NcFile::from_vec(bytes))?;
        Ok(Self {
            name: name.to_string(),
            file,
        })
    }

    pub(super) fn names(&self) -> Result<Vec<String>> {
        let all = guarded(&self.name, || self.file.variables())?.iter();
        Ok(all.map(|variable| variable.name().to_string()).collect())
    }

    /// One of them. What the file marks as missing is NaN, and packed numbers are unpacked.
    pub(super) fn read(&self, variable: &str) -> Result<Array> {
        let about = guarded(&self.name, || self.file.variable(variable))?;
        if let Some(kind) = other_than_numbers(about.dtype()) {
            let array = variable.to_string();
            let content = Content::NotNumbers { array, kind };
            let file = self.name.clone();
            return Err(TableError::Unsupported { file, content }.into());
        }
        let read = || self.file.read_variable_unpacked_masked(variable);
        let values = guarded(&self.name, read)?;
        Ok(Array {
            shape: values.shape().to_vec(),
            values: values.iter().copied().collect(),
            along: about.dimensions().iter().map(|d| d.name.clone()).collect(),
            unit: unit(about),
        })
    }
}

/// The unit of a variable. Of `days since 1970-01-01` it is the days.
fn unit(variable: &NcVariable) -> Option<String> {
    let text = variable.attribute("units")?.value.as_string()?;
    let unit = text.split(" since ").next().unwrap_or_default().trim();
    (!unit.is_empty()).then(|| unit.to_string())
}

fn other_than_numbers(kind: &NcType) -> Option<&'static str> {
    match kind {
        NcType::Char | NcType::String => Some("text"),
        kind if kind.is_primitive() => None,
        _ => Some("records"),
    }
}

/// What the library says of a damaged file, also where it panics.
fn guarded<T>(file: &str, read: impl FnOnce() -> netcdf_reader::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => Ok(read.map_err(|error| damaged(file, error))?),
        Err(_) => Err(damaged(file, std::io::Error::other("it is damaged")).into()),
    }
}

fn damaged(file: &str, error: impl std::error::Error + Send + Sync + 'static) -> TableError {
    TableError::Damaged {
        file: file.into(),
        format: "NetCDF or HDF5",
        damage: Damage::Refused(error.into()),
    }
}
