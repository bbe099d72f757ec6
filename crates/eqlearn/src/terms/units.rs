//! Units of columns: which terms have the dimension that a law needs.
//!
//! In a law all terms have the dimension of the left side. Coefficients are plain numbers, except
//! for the constants of nature that the user names: with `R=J/(mol*K)` a coefficient may carry `R`,
//! its inverse, its root and so on, and the value of `R` is part of the coefficient. So `n*T/V` is
//! a pressure up to `R`, and `n*V` is none.
//!
//! Only dimensions are compared: a length in millimetres and one in metres are both lengths, and
//! the coefficient converts. Arguments of functions have no dimension; neither have angles.

mod dimension;
mod parse;

use std::collections::{BTreeMap, BTreeSet};

pub use dimension::Dimension;

use super::TermsError;
use super::family::Family;
use super::left_side::LeftSide;
use super::term::Term;
use super::term::node::{Function, Node};
use crate::error::Result;

/// The powers that a constant may have in a coefficient.
const EXPONENTS: [f64; 13] = [
    0.0,
    1.0 / 3.0,
    -1.0 / 3.0,
    0.5,
    -0.5,
    2.0 / 3.0,
    -2.0 / 3.0,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.0,
    -2.0,
];

/// The most constants: of more, almost every dimension can be made.
const MOST_CONSTANTS: usize = 4;

/// The dimensions of columns, and those that coefficients may have.
///
/// ```
/// use eqlearn::Term;
/// use eqlearn::terms::units::Units;
///
/// let columns = ["n", "T", "V", "P"].map(String::from);
/// let given = Units::parse(["P=Pa, V=m^3, n=mol, T=K", "R=J/(mol*K)"])?;
/// let units = Units::new(&given, &columns)?;
/// let term = |text| Term::parse(text, &columns).unwrap();
/// assert!(units.admits(&term("n*T/V"), &"P".into()));
/// assert!(!units.admits(&term("n*T*V"), &"P".into()));
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units {
    columns: BTreeMap<String, Dimension>,
    time: Dimension,
    coefficients: BTreeSet<Dimension>,
}

impl Units {
    /// The names with their dimensions in texts such as `P=Pa, V=m^3`.
    ///
    /// # Errors
    /// A text that is no list of names and units, an unknown unit, a name that is there twice.
    pub fn parse(
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Vec<(String, Dimension)>> {
        let mut given: Vec<(String, Dimension)> = Vec::new();
        for text in texts {
            for entry in Term::split(text.as_ref()) {
                let (name, dimension) = parse::entry(entry)?;
                if given.iter().any(|(known, _)| *known == name) {
                    return Err(TermsError::UnitGivenTwice { name }.into());
                }
                given.push((name, dimension));
            }
        }
        Ok(given)
    }

    /// The dimensions of these columns; all other names are constants, which coefficients may
    /// carry.
    ///
    /// # Errors
    /// A column without a unit; too many constants.
    pub fn new(given: &[(String, Dimension)], columns: &[String]) -> Result<Self> {
        let of = |name: &String| given.iter().find(|(known, _)| known == name);
        let without: Vec<String> = columns
            .iter()
            .filter(|name| of(name).is_none())
            .cloned()
            .collect();
        if !without.is_empty() {
            return Err(TermsError::NoUnit { names: without }.into());
        }
        let constants = given.iter().filter(|(name, _)| !columns.contains(name));
        let constants: Vec<&(String, Dimension)> = constants.collect();
        if constants.len() > MOST_CONSTANTS {
            return Err(TermsError::TooManyConstants {
                names: constants.iter().map(|(name, _)| name.clone()).collect(),
                limit: MOST_CONSTANTS,
            }
            .into());
        }
        let mut coefficients = BTreeSet::from([Dimension::NONE]);
        for (_, constant) in constants {
            let all = coefficients.iter();
            let powers = EXPONENTS.map(|power| constant.power(power));
            let more = all.flat_map(|known| powers.map(|power| known.times(power)));
            coefficients = more.collect();
        }
        let columns = columns.iter().filter_map(of).cloned();
        Ok(Self {
            columns: columns.collect(),
            time: Dimension::NONE,
            coefficients,
        })
    }

    /// The same with a column as the time of rates; a column that has no unit is a count.
    #[must_use]
    pub fn with_time(self, name: &str) -> Self {
        let time = self.of_column(name).unwrap_or(Dimension::NONE);
        Self { time, ..self }
    }

    /// The same with one more column, such as a velocity, that is made from others.
    #[must_use]
    pub fn with_rate(mut self, name: String, of: &str, by: &str, order: usize) -> Self {
        if let (Some(of), Some(by)) = (self.of_column(of), self.of_column(by)) {
            self.columns.insert(name, of.over(by.power(order as f64)));
        }
        self
    }

    /// Whether a term times a coefficient can have the dimension of the left side.
    pub fn admits(&self, term: &Term, left: &LeftSide) -> bool {
        self.check(term, left).is_ok()
    }

    /// Whether members of a family can: an inner parameter may have any dimension.
    pub fn admits_family(&self, family: &Family, left: &LeftSide) -> bool {
        let mut formulas = family.formulas();
        formulas.all(|formula| self.admits(formula, left))
    }

    /// Says why a term cannot have the dimension of the left side.
    ///
    /// # Errors
    /// [`TermsError::WrongDimension`].
    pub fn check(&self, term: &Term, left: &LeftSide) -> Result<()> {
        let wrong = |problem: String| TermsError::WrongDimension {
            term: term.to_string(),
            problem,
        };
        let own = self.of_node(term.node()).map_err(wrong)?;
        let wanted = self.of_left_side(left).map_err(wrong)?;
        match own {
            Some(own) if !self.coefficients.contains(&wanted.over(own)) => {
                Err(wrong(format!("it is in {own}, and {left} is in {wanted}")).into())
            }
            _ => Ok(()),
        }
    }

    /// The dimensions that the terms below the line of a fraction may have, each with which terms
    /// may stand above and below; terms are those of a dictionary, by place.
    pub(crate) fn fractions(
        &self,
        terms: &[Term],
        common: &Term,
        left: &LeftSide,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        let of = |term: &Term| self.of_node(term.node()).ok().flatten();
        let (Some(common), Ok(wanted)) = (of(common), self.of_left_side(left)) else {
            return Vec::new();
        };
        let dimensions: Vec<Option<Dimension>> = terms.iter().map(of).collect();
        let alike = |wanted: Dimension| -> Vec<usize> {
            let fits = |d: &Dimension| self.coefficients.contains(&wanted.over(*d));
            let places = 0..terms.len();
            places
                .filter(|&place| dimensions[place].as_ref().is_some_and(fits))
                .collect()
        };
        let below: BTreeSet<Dimension> = dimensions.iter().flatten().copied().collect();
        let both = |unit: &Dimension| (alike(wanted.over(common).times(*unit)), alike(*unit));
        let mut kinds: Vec<(Vec<usize>, Vec<usize>)> = below.iter().map(both).collect();
        kinds.retain(|(above, below)| !above.is_empty() && below.len() > 1);
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// The dimension of what a law gives, in words.
    pub fn wanted(&self, left: &LeftSide) -> String {
        let found = self.of_left_side(left);
        found.map_or_else(|problem| problem, |dimension| dimension.to_string())
    }

    fn of_column(&self, name: &str) -> Option<Dimension> {
        self.columns.get(name).copied()
    }

    fn of_left_side(&self, left: &LeftSide) -> Result<Dimension, String> {
        let of = |name: &str| self.of_column(name).unwrap_or(Dimension::NONE);
        Ok(match left {
            LeftSide::Column { name } => of(name),
            LeftSide::Function {
                of: name,
                transform,
            } => match transform.power() {
                Some(power) => of(name).power(power),
                None if of(name) == Dimension::NONE => Dimension::NONE,
                None => return Err(format!("{left} is a logarithm of {}", of(name))),
            },
            LeftSide::Derivative {
                of: name,
                by,
                order,
            } => of(name).over(of(by).power(*order as f64)),
            LeftSide::Evolution {
                of: name,
                time,
                order,
            } => of(name).over(of(time).power(*order as f64)),
            LeftSide::Flow { state } => of(state).over(self.time),
            LeftSide::Next { state } => of(state),
        })
    }

    /// The dimension of a formula; none if an inner parameter decides it. The error says what is
    /// wrong inside.
    fn of_node(&self, node: &Node) -> Result<Option<Dimension>, String> {
        match node {
            Node::Number(_) => Ok(Some(Dimension::NONE)),
            Node::Feature(feature) => Ok(self.of_column(&feature.name)),
            Node::Power(base, exponent) => match **exponent {
                Node::Number(number) => {
                    let base = self.of_node(base)?;
                    Ok(base.map(|base| base.power(number.value())))
                }
                _ => self.of_general_power(base, exponent),
            },
            Node::Product(factors) => {
                factors
                    .iter()
                    .try_fold(Some(Dimension::NONE), |so_far, factor| {
                        let factor = self.of_node(factor)?;
                        Ok(so_far.zip(factor).map(|(a, b)| a.times(b)))
                    })
            }
            Node::Function(Function::Abs, argument) => self.of_node(argument),
            Node::Function(Function::Cbrt, argument) => {
                let argument = self.of_node(argument)?;
                Ok(argument.map(|argument| argument.power(1.0 / 3.0)))
            }
            Node::Function(Function::Sign, argument) => {
                self.of_node(argument)?;
                Ok(Some(Dimension::NONE))
            }
            Node::Function(function, argument) => match self.of_node(argument)? {
                Some(inside) if inside != Dimension::NONE => {
                    let name = function.name();
                    Err(format!("the argument of {name} is in {inside}"))
                }
                _ => Ok(Some(Dimension::NONE)),
            },
            Node::Sum(operands) => operands.iter().try_fold(None, |so_far, operand| {
                match (so_far, self.of_node(operand)?) {
                    (Some(a), Some(b)) if a != b => Err(format!("it adds {a} and {b}")),
                    (so_far, own) => Ok(so_far.or(own)),
                }
            }),
        }
    }

    /// The dimension of a power whose exponent is a formula.
    fn of_general_power(&self, base: &Node, exponent: &Node) -> Result<Option<Dimension>, String> {
        let base = self.of_node(base)?;
        match self.of_node(exponent)? {
            Some(own) if own != Dimension::NONE => Err(format!("an exponent is in {own}")),
            None => Ok(base.filter(|base| *base == Dimension::NONE)),
            Some(_) => match base {
                Some(base) if base != Dimension::NONE => {
                    Err(format!("{base} has an exponent that varies"))
                }
                base => Ok(base),
            },
        }
    }
}

#[cfg(test)]
mod tests;
