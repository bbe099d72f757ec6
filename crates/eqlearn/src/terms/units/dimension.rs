//! Products of powers of the base units.

use std::fmt;

/// The base units of the SI.
const BASE: [&str; 7] = ["kg", "m", "s", "A", "K", "mol", "cd"];

/// Exponents are whole numbers of this part, so that halves, thirds and their products are exact.
const PARTS: i32 = 5040;

/// The exponents of the base units.
///
/// ```
/// use eqlearn::terms::units::Units;
///
/// let given = Units::parse(["P=Pa, a=sqrt(m)"]);
/// assert!(given.is_err(), "units have powers and no functions");
/// let given = Units::parse(["P=Pa, noise=V/Hz^0.5"])?;
/// assert_eq!(given[0].1.to_string(), "kg m^-1 s^-2");
/// assert_eq!(given[1].1.to_string(), "kg m^2 s^-2.5 A^-1");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dimension {
    parts: [i32; 7],
}

impl Dimension {
    /// That of a plain number.
    pub const NONE: Self = Self { parts: [0; 7] };

    /// From whole exponents of kg, m, s, A, K, mol and cd.
    pub(super) const fn whole(exponents: [i32; 7]) -> Self {
        let mut parts = exponents;
        let mut place = 0;
        while place < parts.len() {
            parts[place] *= PARTS;
            place += 1;
        }
        Self { parts }
    }

    /// Of a product.
    #[must_use]
    pub(crate) fn times(self, other: Self) -> Self {
        let mut parts = self.parts;
        for (own, more) in parts.iter_mut().zip(other.parts) {
            *own = own.saturating_add(more);
        }
        Self { parts }
    }

    /// Of a quotient.
    #[must_use]
    pub(crate) fn over(self, other: Self) -> Self {
        self.times(other.power(-1.0))
    }

    /// Of a power.
    #[must_use]
    pub(crate) fn power(self, exponent: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let power = |part: i32| (f64::from(part) * exponent).round() as i32;
        Self {
            parts: self.parts.map(power),
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = |(name, part): (&&str, &i32)| {
            let exponent = f64::from(*part) / f64::from(PARTS);
            // Thirds need no more digits to be recognised.
            let rounded = (exponent * 1000.0).round() / 1000.0;
            if *part == PARTS {
                (*name).to_string()
            } else {
                format!("{name}^{rounded}")
            }
        };
        let both = BASE.iter().zip(&self.parts);
        let factors: Vec<String> = both.filter(|(_, part)| **part != 0).map(factor).collect();
        f.write_str(
            if factors.is_empty() {
                "plain numbers".into()
            } else {
                factors.join(" ")
            }
            .as_ref(),
        )
    }
}
