//! The native half of the Python package: arrays and tables in, equations out.
//!
//! Nothing is computed here. Each function converts Python's data, calls the library without
//! holding Python's lock, and returns plain values. The Python sources beside this crate decide how
//! they look to a user.

mod discover;
mod field;
mod fit;
mod model;
mod outcome;
mod request;
mod rows;
mod system;
mod table;
mod triangle;
mod trouble;
mod watch;
mod workers;

use pyo3::prelude::*;

/// What the Python sources use; users import `eqlearn` instead.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::discover::discover_records;
    #[pymodule_export]
    use super::field::{FieldDiscovery, FieldSystem, discover_fields};
    #[pymodule_export]
    use super::fit::{fit_arrays, fit_table};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::outcome::{Discovery, Outcome};
    #[pymodule_export]
    use super::request::{keywords, methods};
    #[pymodule_export]
    use super::system::System;
    #[pymodule_export]
    use super::table::{files_in, read_records};
    #[pymodule_export]
    use super::triangle::{TriangleFile, fit_triangles, numeric_columns, reduce_table};
    #[pymodule_export]
    use super::workers::work;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
