//! From words to the units of columns, and to the terms that they allow.

use super::{AskError, Checked, Constant, Request};
use crate::data::table::{Source, derivative_name};
use crate::data::trajectory::Trajectories;
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::rows::second_order::Order;
use crate::error::Result;
use crate::reduce::support::Support;
use crate::terms::TermsError;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::units::Units;

impl Request {
    pub(super) fn check_units(&self) -> Result<()> {
        Units::parse(&self.units).map(|_| ())
    }

    /// Refuses the unit of a column that has no part in what is asked: other names are constants.
    pub(super) fn check_units_of(&self, source: &Source, used: &[String]) -> Result<()> {
        let is_column = |name: &String| source.columns().iter().any(|c| c.name == *name);
        let given = Units::parse(&self.units)?;
        let mut names = given.into_iter().map(|(name, _)| name);
        match names.find(|name| is_column(name) && !used.contains(name)) {
            Some(name) => Err(AskError::UnitOfUnused { name }.into()),
            None => Ok(()),
        }
    }
}

/// The units, and what the laws give that they are for.
#[derive(Debug)]
pub(super) struct Homogeneous {
    pub(super) units: Units,
    pub(super) left_sides: Vec<LeftSide>,
}

impl Homogeneous {
    /// Whether a term may be in one of the laws.
    pub(super) fn admits(&self, term: &Term) -> bool {
        let mut left_sides = self.left_sides.iter();
        left_sides.any(|left| self.units.admits(term, left))
    }

    /// Says why a term can be in none of the laws.
    pub(super) fn check(&self, term: &Term) -> Result<()> {
        if self.admits(term) {
            return Ok(());
        }
        self.units.check(term, &self.left_sides[0])
    }
}

impl Checked {
    /// The units for a law with this left side; none if nobody gave any.
    pub(super) fn units_of(
        &self,
        features: &[String],
        left: &LeftSide,
    ) -> Result<Option<Homogeneous>> {
        if self.request.units.is_empty() {
            return Ok(None);
        }
        let given = Units::parse(&self.request.units)?;
        let units = match left {
            LeftSide::Derivative { of, by, order } => {
                let made = |k: usize| derivative_name(of, by, k);
                let is_made = |name: &String| (1..*order).any(|k| made(k) == *name);
                let mut columns = features.to_vec();
                columns.retain(|name| !is_made(name));
                columns.extend([of.clone(), by.clone()]);
                let units = Units::new(&given, &distinct(columns))?;
                (1..=*order).fold(units, |units, k| units.with_rate(made(k), of, by, k))
            }
            other => {
                let columns = [features, &[other.observed()]].concat();
                Units::new(&given, &columns)?
            }
        };
        Ok(Some(Homogeneous {
            units,
            left_sides: vec![left.clone()],
        }))
    }

    /// The units for the laws of motion; none if nobody gave any.
    pub(super) fn units_of_motion(
        &self,
        trajectories: &Trajectories,
        (rows, order): (RowScheme, Order),
    ) -> Result<Option<Homogeneous>> {
        if self.request.units.is_empty() {
            return Ok(None);
        }
        let given = Units::parse(&self.request.units)?;
        let time = trajectories.time().to_string();
        let mut columns = trajectories.features().to_vec();
        if rows != RowScheme::Map {
            columns.push(time.clone());
        }
        let mut units = Units::new(&given, &distinct(columns))?.with_time(&time);
        let states = trajectories.states();
        let moving = match order {
            Order::First => states.to_vec(),
            Order::Second => {
                let names = order.features(trajectories)?;
                let velocities = names[states.len()..2 * states.len()].to_vec();
                for (state, velocity) in states.iter().zip(&velocities) {
                    units = units.with_rate(velocity.clone(), state, &time, 1);
                }
                velocities
            }
        };
        Ok(Some(Homogeneous {
            units,
            left_sides: moving.iter().map(|state| rows.left_side(state)).collect(),
        }))
    }

    /// Which terms each law must not have, by their places; nothing without units.
    pub(super) fn excluded_by_units(
        dictionary: &Dictionary,
        homogeneous: Option<&Homogeneous>,
    ) -> Vec<Support> {
        let Some(Homogeneous { units, left_sides }) = homogeneous else {
            return Vec::new();
        };
        let wrong = |left: &LeftSide| -> Support {
            let terms = dictionary.terms().iter().enumerate();
            let wrong = terms.filter(|(_, term)| !units.admits(term, left));
            wrong.map(|(place, _)| place).collect()
        };
        left_sides.iter().map(wrong).collect()
    }

    /// The dictionary, if no term that somebody asked for has a wrong dimension.
    pub(super) fn checked_by_units(
        &self,
        dictionary: Dictionary,
        homogeneous: Option<&Homogeneous>,
    ) -> Result<Dictionary> {
        let Some(homogeneous) = homogeneous else {
            return Ok(dictionary);
        };
        let is_forced = self.request.constant == Some(Constant::Forced);
        let constant = is_forced.then(Term::constant);
        for term in dictionary.terms().iter().chain(&constant) {
            homogeneous.check(term)?;
        }
        for left in &homogeneous.left_sides {
            let is_right = |term: &Term| homogeneous.units.admits(term, left);
            if !dictionary.terms().iter().any(is_right) && !self.goes_beyond() {
                return Err(TermsError::NothingOfDimension {
                    left: left.to_string(),
                    wanted: homogeneous.units.wanted(left),
                }
                .into());
            }
        }
        Ok(dictionary)
    }

    /// Refuses families that no value of their parameters gives the right dimension.
    pub(super) fn check_families(&self, families: &[Family], problem: &Problem) -> Result<()> {
        let features = problem.dictionary().features();
        let Some(homogeneous) = self.units_of(features, problem.left_side())? else {
            return Ok(());
        };
        let mut formulas = families.iter().flat_map(Family::formulas);
        formulas.try_for_each(|formula| homogeneous.check(formula))
    }
}

/// The names without repetitions.
fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut seen = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    names
}
