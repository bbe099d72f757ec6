//! Measured fields: quantities on a grid of time and one to three directions of space.
//!
//! A field is one record: its axes, time first, and one array of values per quantity, in the order
//! of the axes with the last one running fastest. Several records of the same quantities on other
//! grids are several fields.
//!
//! Invariants: coordinates are finite and rise strictly along every axis, every axis has enough
//! points, and every array has one value per point of the grid. A value that is missing is NaN.

mod array;
mod assemble;
mod error;
mod long;
mod netcdf;
mod read;

pub(in crate::data) use array::{Array, turned};
pub use error::FieldError;
pub use read::{FieldOptions, FieldRead, read_field};

use crate::error::Result;

/// With fewer points along an axis a derivative cannot be told from noise.
pub const MIN_POINTS: usize = 8;
/// Steps that differ by less than this share are equal.
pub const UNEVEN: f64 = 1e-3;

/// How the field goes on beyond the ends of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Boundary {
    /// Nothing is known beyond the first and the last point.
    #[default]
    Open,
    /// After the last point the first one comes again, one step further.
    Periodic,
}

/// One direction of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name, as derivatives say it: `x` in `u_x`.
    pub name: String,
    /// The unit of its coordinates, if it is known.
    pub unit: Option<String>,
    /// The coordinates, rising.
    pub values: Vec<f64>,
    /// How the field goes on beyond its ends.
    pub boundary: Boundary,
}

/// One quantity on the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its values, the last axis running fastest; NaN where one is missing.
    pub values: Vec<f64>,
}

/// One record of one or more quantities on a grid.
///
/// ```
/// use eqlearn::data::field::{Axis, Boundary, Field, Quantity};
///
/// let axis = |name: &str, n: u32, step: f64| Axis {
///     name: name.into(),
///     unit: None,
///     values: (0..n).map(|i| f64::from(i) * step).collect(),
///     boundary: Boundary::Open,
/// };
/// let (t, x) = (axis("t", 20, 0.1), axis("x", 30, 0.2));
/// let values = t.values.iter().flat_map(|t| x.values.iter().map(move |x| (x - t).sin()));
/// let u = Quantity { name: "u".into(), values: values.collect() };
/// let field = Field::new("wave", vec![t, x], vec![u])?;
/// assert_eq!(field.shape(), [20, 30]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    name: String,
    axes: Vec<Axis>,
    quantities: Vec<Quantity>,
}

impl Field {
    /// A record, checked.
    ///
    /// # Errors
    /// Says which axis or quantity cannot be used, and why.
    pub fn new(name: &str, axes: Vec<Axis>, quantities: Vec<Quantity>) -> Result<Self> {
        if !(2..=4).contains(&axes.len()) {
            return Err(FieldError::Dimensions { n: axes.len() }.into());
        }
        for (place, axis) in axes.iter().enumerate() {
            check(axis)?;
            if axes[..place].iter().any(|before| before.name == axis.name) {
                let name = axis.name.clone();
                return Err(FieldError::GivenTwice { name }.into());
            }
        }
        if axes[0].boundary == Boundary::Periodic {
            let axis = axes[0].name.clone();
            return Err(FieldError::PeriodicTime { axis }.into());
        }
        if quantities.is_empty() {
            return Err(FieldError::Nothing.into());
        }
        let n_points: usize = axes.iter().map(|axis| axis.values.len()).product();
        for (place, quantity) in quantities.iter().enumerate() {
            let name = quantity.name.as_str();
            let mut before = quantities[..place].iter().map(|other| &other.name);
            let mut along = axes.iter().map(|axis| &axis.name);
            if before.any(|other| other == name) || along.any(|axis| axis == name) {
                let name = name.to_string();
                return Err(FieldError::GivenTwice { name }.into());
            }
            if quantity.values.len() != n_points {
                return Err(FieldError::Shape {
                    quantity: quantity.name.clone(),
                    values: quantity.values.len(),
                    grid: axes
                        .iter()
                        .map(|axis| (axis.name.clone(), axis.values.len()))
                        .collect(),
                }
                .into());
            }
        }
        Ok(Self {
            name: name.to_string(),
            axes,
            quantities,
        })
    }

    /// What to call it in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its axes: time, then space.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Time.
    pub fn time(&self) -> &Axis {
        &self.axes[0]
    }

    /// The directions of space.
    pub fn space(&self) -> &[Axis] {
        &self.axes[1..]
    }

    /// Its quantities.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// How many points there are along each axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.values.len()).collect()
    }

    /// How many points the grid has.
    pub fn n_points(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }
}

fn check(axis: &Axis) -> Result<()> {
    let name = || axis.name.clone();
    if axis.values.len() < MIN_POINTS {
        return Err(FieldError::TooShort {
            axis: name(),
            points: axis.values.len(),
        }
        .into());
    }
    if let Some(place) = axis.values.iter().position(|value| !value.is_finite()) {
        return Err(FieldError::NotFinite {
            axis: name(),
            place,
        }
        .into());
    }
    let falls = axis.values.windows(2).position(|pair| pair[0] >= pair[1]);
    if let Some(place) = falls {
        return Err(FieldError::NotRising {
            axis: name(),
            place: place + 1,
            before: axis.values[place],
            value: axis.values[place + 1],
        }
        .into());
    }
    if axis.boundary == Boundary::Periodic {
        let steps = axis.values.windows(2).map(|pair| pair[1] - pair[0]);
        let (least, most) = steps.fold((f64::INFINITY, 0.0_f64), |(least, most), step| {
            (least.min(step), most.max(step))
        });
        if most - least > UNEVEN * most {
            return Err(FieldError::UnevenPeriodic {
                axis: name(),
                least,
                most,
            }
            .into());
        }
    }
    Ok(())
}
