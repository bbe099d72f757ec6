//! Terms as total derivatives: `u*u_x = ½ ∂_x(u²)`.
//!
//! In the weak form a derivative is moved from measured values on to a test function, which needs
//! the term to be a sum of total derivatives `c ∂^α f(u, v, …)`. A term that is written as a
//! product of derivatives is a differential polynomial. Each of its summands has a degree in every
//! quantity and a number of derivatives along every axis, and of these only `∂^α` of the one
//! monomial of that degree is a total derivative: the term has a weak form exactly if it is a
//! multiple of what the product rule makes of it.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::names::Names;
use crate::terms::term::Term;
use crate::terms::term::node::{Node, product};

/// A function of the quantities.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Function {
    /// A product of powers, one power for each quantity.
    Powers(Vec<u32>),
    /// Anything else, over the quantities as features.
    Other(Term),
}

/// A number times a total derivative of a function of the quantities.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) coefficient: f64,
    /// How often it is differentiated along each axis, time first.
    pub(crate) orders: Vec<u32>,
    pub(crate) function: Function,
}

impl Function {
    /// The function as a term over the quantities.
    pub(crate) fn term(&self, names: &Names) -> Term {
        match self {
            Self::Powers(powers) => {
                let named = names.quantities().iter().zip(powers).enumerate();
                let used = named.filter(|(_, (_, power))| **power > 0);
                Term::monomial(used.map(|(place, (name, &power))| (place, name.as_str(), power)))
            }
            Self::Other(term) => term.clone(),
        }
    }

    /// The function that a term without derivatives is.
    pub(crate) fn of(term: &Term, names: &Names) -> Result<Self> {
        let n_quantities = names.quantities().len();
        // Over the quantities alone: their places among the features of a dictionary may differ.
        let term = Term::parse(&term.to_string(), names.quantities())?;
        Ok(match term.powers() {
            Some(powers) => {
                let mut all = vec![0; n_quantities];
                for (place, power) in powers {
                    all[place] = power;
                }
                Self::Powers(all)
            }
            None => Self::Other(term),
        })
    }
}

/// A product of derivatives of quantities: the power of each, by quantity and orders.
type Monomial = BTreeMap<(usize, Vec<u32>), u32>;
/// A sum of them with their coefficients.
type Polynomial = BTreeMap<Monomial, f64>;
/// The degree of a product in each quantity, and its derivatives along each axis.
type Kind = (Vec<u32>, Vec<u32>);

/// The total derivatives that a term is the sum of.
///
/// # Errors
/// A feature that is no quantity and no derivative; a term that is no such sum.
pub(crate) fn weak_form(term: &Term, names: &Names) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut open: BTreeMap<Kind, Polynomial> = BTreeMap::new();
    let whole = term.node();
    let operands = match whole {
        Node::Sum(operands) => operands.as_slice(),
        one => std::slice::from_ref(one),
    };
    for operand in operands {
        let (coefficient, rest) = operand.split_coefficient();
        if let Some((orders, function)) = single(&rest, names)? {
            parts.push(Part {
                coefficient,
                orders,
                function,
            });
            continue;
        }
        let monomial = monomial(&rest, names)?.ok_or_else(|| refused(term, names, None))?;
        let summands = open.entry(kind(&monomial, names)).or_default();
        *summands.entry(monomial).or_insert(0.0) += coefficient;
    }
    for ((degrees, orders), polynomial) in open {
        let total = total_derivative(&degrees, &orders);
        let Some(coefficient) = ratio(&polynomial, &total) else {
            return Err(refused(term, names, Some((&degrees, &orders))).into());
        };
        parts.push(Part {
            coefficient,
            orders,
            function: Function::Powers(degrees),
        });
    }
    Ok(parts)
}

fn refused(term: &Term, names: &Names, kind: Option<(&[u32], &[u32])>) -> FieldsError {
    let remedy = kind.map(|(degrees, orders)| {
        let function = Function::Powers(degrees.to_vec()).term(names).to_string();
        names.feature(&function, orders)
    });
    FieldsError::NoTotalDerivative {
        term: term.to_string(),
        quantities: names.quantities().to_vec(),
        remedy,
    }
}

/// The orders along each axis and the function, if there is only one derivative, of the whole.
fn single(node: &Node, names: &Names) -> Result<Option<(Vec<u32>, Function)>> {
    if let Node::Feature(feature) = node {
        let read = derivative(&feature.name, names)?;
        let of = Term::parse(read.0, names.quantities())?;
        return Ok(Some((read.1, Function::of(&of, names)?)));
    }
    if is_differentiated(node, names)? {
        return Ok(None);
    }
    let orders = vec![0; names.axes().len()];
    let function = Function::of(&Term::from_node(node.clone()), names)?;
    Ok(Some((orders, function)))
}

fn derivative<'a>(feature: &'a str, names: &Names) -> Result<(&'a str, Vec<u32>)> {
    let unknown = || FieldsError::UnknownFeature {
        feature: feature.to_string(),
        quantities: names.quantities().to_vec(),
    };
    let read = names.derivative(feature).ok_or_else(unknown)?;
    Ok((read.of, read.orders))
}

fn is_differentiated(node: &Node, names: &Names) -> Result<bool> {
    if let Node::Feature(feature) = node {
        return Ok(derivative(&feature.name, names)?.1.iter().any(|&n| n > 0));
    }
    for child in node.children() {
        if is_differentiated(child, names)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The product of powers of derivatives of quantities that a formula is, if it is one.
fn monomial(node: &Node, names: &Names) -> Result<Option<Monomial>> {
    let factors = match node {
        Node::Product(factors) => factors.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut monomial = Monomial::new();
    for factor in factors {
        let (base, exponent) = factor.split_power();
        let power = exponent.integer().and_then(|n| u32::try_from(n).ok());
        let (Node::Feature(feature), Some(power)) = (base, power) else {
            return Ok(None);
        };
        let (of, orders) = derivative(&feature.name, names)?;
        let Some(place) = names.place(of) else {
            return Ok(None);
        };
        *monomial.entry((place, orders)).or_insert(0) += power;
    }
    Ok(Some(monomial))
}

fn kind(monomial: &Monomial, names: &Names) -> Kind {
    let mut degrees = vec![0; names.quantities().len()];
    let mut along = vec![0; names.axes().len()];
    for ((quantity, orders), power) in monomial {
        degrees[*quantity] += power;
        for (sum, order) in along.iter_mut().zip(orders) {
            *sum += order * power;
        }
    }
    (degrees, along)
}

/// What the product rule makes of a derivative of a product of powers.
fn total_derivative(degrees: &[u32], orders: &[u32]) -> Polynomial {
    let plain = vec![0; orders.len()];
    let powers = degrees.iter().enumerate().filter(|(_, power)| **power > 0);
    let start: Monomial = powers
        .map(|(q, &power)| ((q, plain.clone()), power))
        .collect();
    let mut sum = Polynomial::from([(start, 1.0)]);
    let axes = orders.iter().enumerate();
    for axis in axes.flat_map(|(axis, &n)| std::iter::repeat_n(axis, n as usize)) {
        let mut next = Polynomial::new();
        for (monomial, coefficient) in &sum {
            for ((quantity, orders), &power) in monomial {
                let mut raised = monomial.clone();
                let key = (*quantity, orders.clone());
                if power == 1 {
                    raised.remove(&key);
                } else {
                    raised.insert(key, power - 1);
                }
                let mut higher = orders.clone();
                higher[axis] += 1;
                *raised.entry((*quantity, higher)).or_insert(0) += 1;
                *next.entry(raised).or_insert(0.0) += coefficient * f64::from(power);
            }
        }
        sum = next;
    }
    sum
}

/// The number that the second is multiplied by to be the first, if there is one.
fn ratio(a: &Polynomial, b: &Polynomial) -> Option<f64> {
    let (first, below) = b.first_key_value()?;
    let ratio = a.get(first)? / below;
    let same = |(monomial, value): (&Monomial, &f64)| {
        let other = a.get(monomial).copied().unwrap_or(0.0);
        (other - ratio * value).abs() <= ROUNDING * other.abs()
    };
    (a.len() == b.len() && b.iter().all(same)).then_some(ratio)
}

/// Rounding of a coefficient that a user multiplied out.
const ROUNDING: f64 = 1e-12;

/// A derivative as people write it.
pub(crate) struct Written {
    pub(crate) text: String,
    /// What is differentiated in it: `u` in `u*u_x`.
    pub(crate) of: String,
}

/// A derivative as people write it, `u*u_x` rather than `½ (u^2)_x`; none if it is zero.
pub(crate) fn written(part: &Part, names: &Names) -> Option<Written> {
    let total: u32 = part.orders.iter().sum();
    let mut function = part.function.clone();
    let mut factors = vec![Node::number(part.coefficient)];
    if let Function::Powers(powers) = &part.function {
        let used: Vec<usize> = (0..powers.len()).filter(|&q| powers[q] > 0).collect();
        match used.as_slice() {
            [] if total > 0 => return None,
            [one] if total == 1 && powers[*one] > 1 => {
                factors.push(Node::number(f64::from(powers[*one])));
                let lower = Function::Powers(lowered(powers, *one));
                factors.push(lower.term(names).node().clone());
                function = Function::Powers(unit(powers.len(), *one));
            }
            _ => {}
        }
    }
    let term = function.term(names);
    let of = term.to_string();
    let mut text = names.feature(&of, &part.orders);
    if total == 0 && term.needs_brackets() {
        text = format!("({text})");
    }
    let factor = Term::from_node(product(factors));
    if !factor.is_one() {
        text = format!("{factor}*{text}");
    }
    Some(Written { text, of })
}

fn unit(len: usize, place: usize) -> Vec<u32> {
    (0..len).map(|q| u32::from(q == place)).collect()
}

fn lowered(powers: &[u32], place: usize) -> Vec<u32> {
    let mut powers = powers.to_vec();
    powers[place] -= 1;
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::new(["u", "v"], ["t", "x", "y"]).unwrap()
    }

    fn parts(text: &str) -> Result<Vec<Part>> {
        let features = [
            "u",
            "v",
            "u_x",
            "v_x",
            "u_xx",
            "(u^2)_xx",
            "u_y",
            "u_xy",
            "(sin(u))_x",
        ];
        let term = Term::parse(text, &features.map(String::from))?;
        weak_form(&term, &names())
    }

    fn powers(coefficient: f64, orders: [u32; 3], powers: [u32; 2]) -> Part {
        Part {
            coefficient,
            orders: orders.to_vec(),
            function: Function::Powers(powers.to_vec()),
        }
    }

    #[test]
    fn products_that_are_total_derivatives_are_recognised() {
        for (text, expected) in [
            ("u", powers(1.0, [0, 0, 0], [1, 0])),
            ("1", powers(1.0, [0, 0, 0], [0, 0])),
            ("u^2*v", powers(1.0, [0, 0, 0], [2, 1])),
            ("u_xx", powers(1.0, [0, 2, 0], [1, 0])),
            ("u*u_x", powers(0.5, [0, 1, 0], [2, 0])),
            ("3*u^2*u_x", powers(1.0, [0, 1, 0], [3, 0])),
            ("(u^2)_xx", powers(1.0, [0, 2, 0], [2, 0])),
            ("u_x^2+u*u_xx", powers(0.5, [0, 2, 0], [2, 0])),
            ("u*v_x+v*u_x", powers(1.0, [0, 1, 0], [1, 1])),
            ("2*u*u_xy+2*u_x*u_y", powers(1.0, [0, 1, 1], [2, 0])),
        ] {
            assert_eq!(parts(text).unwrap(), [expected], "{text}");
        }
    }

    #[test]
    fn functions_that_are_no_powers_stay_whole() {
        let found = parts("u_x+sin(u)+(sin(u))_x").unwrap();
        let sine = |part: &&Part| matches!(part.function, Function::Other(_));
        assert_eq!((found.len(), found.iter().filter(sine).count()), (3, 2));
    }

    #[test]
    fn what_is_no_total_derivative_is_refused_with_what_is() {
        for (text, remedy) in [
            ("u_x^2", "(u^2)_xx has one"),
            ("u*u_xx", "(u^2)_xx has one"),
            ("v*u_x", "(u*v)_x has one"),
            ("sin(u)*u_x", "leave it out"),
            ("u_x^2+2*u*u_xx", "(u^2)_xx"),
        ] {
            let said = parts(text).unwrap_err().to_string();
            assert!(said.contains(remedy), "{text}: {said}");
        }
    }

    #[test]
    fn a_derivative_is_written_as_people_write_it() {
        let text = |part: Part| written(&part, &names()).map(|written| written.text);
        assert_eq!(text(powers(0.5, [0, 1, 0], [2, 0])).unwrap(), "u*u_x");
        assert_eq!(text(powers(1.0, [0, 1, 0], [3, 0])).unwrap(), "3*u^2*u_x");
        assert_eq!(text(powers(1.0, [0, 2, 0], [2, 0])).unwrap(), "(u^2)_xx");
        assert_eq!(text(powers(1.0, [0, 1, 0], [1, 1])).unwrap(), "(u*v)_x");
        assert_eq!(text(powers(2.0, [0, 0, 2], [1, 0])).unwrap(), "2*u_yy");
        assert_eq!(text(powers(1.0, [0, 1, 0], [0, 0])), None);
    }
}
