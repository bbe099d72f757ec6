//! Names of quantities, axes and derivatives.
//!
//! `u_xx` is the second derivative of `u` along `x`; `(u^2)_xy` is a derivative of a function of
//! the quantities. The directions are told in the order of the axes, time last: `u_xyt`. Where all
//! axes have one letter, their letters stand side by side; longer names do too (`h_latlat`), and
//! axes for which this could mean two things are refused.

use crate::data::field::Field;
use crate::error::Result;
use crate::fields::FieldsError;
use crate::terms::term::parse::derivative_of_parentheses;

/// The quantities and axes of a field, by name.
///
/// ```
/// use eqlearn::fields::names::Names;
///
/// let names = Names::new(["u"], ["t", "x"])?;
/// assert_eq!(names.evolution("u", 2), "u_tt");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    quantities: Vec<String>,
    /// Time first.
    axes: Vec<String>,
}

/// A feature of a dictionary: a function of the quantities, differentiated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Derivative<'a> {
    /// What is differentiated: a quantity, or a formula of quantities.
    pub(crate) of: &'a str,
    /// How often along each axis, time first.
    pub(crate) orders: Vec<u32>,
}

impl Names {
    /// These quantities, and these axes with time first.
    ///
    /// # Errors
    /// Names that are there twice, that are not words, or that could be read in two ways.
    pub fn new(
        quantities: impl IntoIterator<Item = impl Into<String>>,
        axes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self> {
        let names = Self {
            quantities: quantities.into_iter().map(Into::into).collect(),
            axes: axes.into_iter().map(Into::into).collect(),
        };
        names.check()?;
        Ok(names)
    }

    /// Those of a field.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(field: &Field) -> Result<Self> {
        let quantities = field.quantities().iter().map(|quantity| &quantity.name);
        let axes = field.axes().iter().map(|axis| &axis.name);
        Self::new(quantities, axes)
    }

    /// The quantities.
    pub fn quantities(&self) -> &[String] {
        &self.quantities
    }

    /// The axes: time, then space.
    pub fn axes(&self) -> &[String] {
        &self.axes
    }

    /// The axis of time.
    pub fn time(&self) -> &str {
        &self.axes[0]
    }

    /// The name of a derivative of a quantity by time.
    pub fn evolution(&self, quantity: &str, order: usize) -> String {
        format!("{quantity}_{}", self.time().repeat(order))
    }

    /// The feature that is this derivative of a quantity or of a formula of quantities.
    pub(crate) fn feature(&self, of: &str, orders: &[u32]) -> String {
        let space = self.axes.iter().zip(orders).skip(1);
        let all = space.chain([(&self.axes[0], &orders[0])]);
        let by: String = all.map(|(axis, &n)| axis.repeat(n as usize)).collect();
        let is_quantity = self.quantities.iter().any(|quantity| quantity == of);
        match (by.is_empty(), is_quantity) {
            (true, _) => of.to_string(),
            (false, true) => format!("{of}_{by}"),
            (false, false) => format!("({of})_{by}"),
        }
    }

    /// How often along each axis a word such as `xxy` differentiates, in any order of its letters.
    pub(crate) fn orders(&self, by: &str) -> Option<Vec<u32>> {
        let mut orders = vec![0; self.axes.len()];
        let mut rest = by;
        while !rest.is_empty() {
            let begins = |axis: &String| rest.starts_with(axis.as_str());
            let axis = self.axes.iter().position(begins)?;
            orders[axis] += 1;
            rest = &rest[self.axes[axis].len()..];
        }
        (!by.is_empty()).then_some(orders)
    }

    /// What a feature means; none if it is neither a quantity nor a derivative.
    pub(crate) fn derivative<'a>(&self, feature: &'a str) -> Option<Derivative<'a>> {
        if self.quantities.iter().any(|quantity| quantity == feature) {
            let orders = vec![0; self.axes.len()];
            return Some(Derivative {
                of: feature,
                orders,
            });
        }
        if let Some((of, by)) = derivative_of_parentheses(feature) {
            let orders = self.orders(by)?;
            return Some(Derivative { of, orders });
        }
        self.quantities.iter().find_map(|quantity| {
            let by = feature.strip_prefix(quantity.as_str())?.strip_prefix('_')?;
            let orders = self.orders(by)?;
            let of = &feature[..quantity.len()];
            Some(Derivative { of, orders })
        })
    }

    /// The place of a quantity.
    pub(crate) fn place(&self, quantity: &str) -> Option<usize> {
        self.quantities.iter().position(|name| name == quantity)
    }

    fn check(&self) -> Result<()> {
        let is_word = |name: &String| {
            let starts = name.starts_with(char::is_alphabetic);
            starts && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let all: Vec<&String> = self.quantities.iter().chain(&self.axes).collect();
        for (place, name) in all.iter().enumerate() {
            if !is_word(name) {
                let name = (*name).clone();
                return Err(FieldsError::NotAWord { name }.into());
            }
            if all[..place].contains(name) {
                let name = (*name).clone();
                return Err(FieldsError::SameName { name }.into());
            }
        }
        for axis in &self.axes {
            let other = self.axes.iter().find(|other| {
                *other != axis && (other.starts_with(axis.as_str()) || axis.contains('_'))
            });
            if let Some(other) = other {
                return Err(FieldsError::AmbiguousAxes {
                    axis: axis.clone(),
                    other: other.clone(),
                }
                .into());
            }
        }
        for quantity in &self.quantities {
            let others = self.quantities.iter().filter(|other| *other != quantity);
            for other in others {
                let by = quantity.strip_prefix(other.as_str());
                let by = by.and_then(|rest| rest.strip_prefix('_'));
                if by.is_some_and(|by| self.orders(by).is_some()) {
                    return Err(FieldsError::LooksDifferentiated {
                        quantity: quantity.clone(),
                        other: other.clone(),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_named_and_read_again() {
        let names = Names::new(["u", "v_1"], ["t", "x", "y"]).unwrap();
        for feature in ["u", "u_xx", "u_xyt", "v_1_y", "(u*v_1)_xx", "(u^2)_t"] {
            let read = names.derivative(feature).unwrap();
            assert_eq!(names.feature(read.of, &read.orders), feature);
        }
        assert_eq!(names.derivative("u_yx").unwrap().orders, [0, 1, 1]);
        for unknown in ["w", "u_z", "u_", "(u^2)_q", "v_x"] {
            assert!(names.derivative(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn names_that_could_mean_two_things_are_refused() {
        for (quantities, axes) in [
            (vec!["u"], vec!["t", "t"]),
            (vec!["u", "u"], vec!["t", "x"]),
            (vec!["u", "u_x"], vec!["t", "x"]),
            (vec!["u"], vec!["t", "tt"]),
            (vec!["u v"], vec!["t", "x"]),
            (vec!["x"], vec!["t", "x"]),
        ] {
            assert!(
                Names::new(quantities.clone(), axes).is_err(),
                "{quantities:?}"
            );
        }
    }
}
