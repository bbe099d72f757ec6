//! What a user says of terms besides how rich they may be.

use super::left_side::LeftSide;
use super::powers::Powers;
use super::term::Term;
use super::units::Units;

/// Limits that terms of every vocabulary keep to.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// The powers of a feature in a product; as the vocabulary has them if not given.
    pub powers: Option<Powers>,
    /// The units of columns and constants, if terms are to have the dimension of the left side.
    pub units: Option<Units>,
}

impl Limits {
    /// Whether a term may be in a law with this left side.
    pub fn admits(&self, term: &Term, left: &LeftSide) -> bool {
        let of_unit = |units: &Units| units.admits(term, left);
        self.has_powers_of(term) && self.units.as_ref().is_none_or(of_unit)
    }

    /// Whether the features of a product have powers that are allowed.
    pub(crate) fn has_powers_of(&self, term: &Term) -> bool {
        let Some(powers) = self.powers else {
            return true;
        };
        let allowed = powers.values();
        let is_allowed = |power: f64| allowed.iter().any(|p| (p - power).abs() < SAME);
        term.feature_powers().into_iter().all(is_allowed)
    }
}

/// Powers are fractions with small denominators; closer ones are the same but for rounding.
const SAME: f64 = 1e-9;
