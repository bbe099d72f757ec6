//! What the values of a column are like, found in one pass: which powers they allow.

use crate::data::table::Table;
use crate::error::Result;

/// The smallest and largest values of a column, and whether zero is among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
    pub(crate) has_zero: bool,
}

impl Extent {
    /// Of no value.
    const NOTHING: Self = Self {
        lowest: f64::INFINITY,
        highest: f64::NEG_INFINITY,
        has_zero: false,
    };

    /// Of values that allow every power.
    pub(crate) const POSITIVE: Self = Self {
        lowest: 1.0,
        highest: 1.0,
        has_zero: false,
    };

    /// Of values of any sign, zero among them.
    pub(crate) const ANY: Self = Self {
        lowest: f64::NEG_INFINITY,
        highest: f64::INFINITY,
        has_zero: true,
    };

    /// Of these values.
    pub fn of(values: &[f64]) -> Self {
        Self::NOTHING.and(values)
    }

    /// Of all these values.
    pub(crate) fn of_all<'a>(parts: impl Iterator<Item = &'a [f64]>) -> Self {
        parts.fold(Self::NOTHING, Self::and)
    }

    /// Of the values between these too.
    #[must_use]
    pub(crate) fn between(self) -> Self {
        let passes_zero = self.lowest <= 0.0 && self.highest >= 0.0;
        Self {
            has_zero: passes_zero,
            ..self
        }
    }

    /// Of each of these columns, in all tables.
    ///
    /// # Errors
    /// Those of the tables, and a column that they lack.
    pub fn of_columns(
        names: &[String],
        tables: impl Iterator<Item = Result<Table>>,
    ) -> Result<Vec<Self>> {
        let mut extents = vec![Self::NOTHING; names.len()];
        for table in tables {
            let table = table?;
            for (extent, name) in extents.iter_mut().zip(names) {
                *extent = extent.and(table.column(name)?);
            }
        }
        Ok(extents)
    }

    /// Of these values too.
    fn and(self, values: &[f64]) -> Self {
        values.iter().fold(self, |so_far, x| Self {
            lowest: so_far.lowest.min(*x),
            highest: so_far.highest.max(*x),
            has_zero: so_far.has_zero || *x == 0.0,
        })
    }
}
