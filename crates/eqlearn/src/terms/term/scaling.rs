//! How a term changes when its features change by a factor.

use std::collections::BTreeMap;

use super::Term;
use super::node::{Node, Number};

/// Powers of features by their places, without those that are zero.
pub(crate) type Exponents = BTreeMap<usize, f64>;

/// A term as a product of powers of features and of functions of such products.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scaling {
    /// The powers outside of functions.
    pub(crate) powers: Exponents,
    /// The powers in the argument of each function.
    pub(crate) arguments: Vec<Exponents>,
}

impl Term {
    /// What the term is a product of; none if it has a sum in it.
    pub(crate) fn scaling(&self) -> Option<Scaling> {
        let mut scaling = Scaling::default();
        collect(&self.node, 1.0, &mut scaling)?;
        scaling.powers.retain(|_, power| power.abs() > 1e-12);
        Some(scaling)
    }
}

fn collect(node: &Node, power: f64, into: &mut Scaling) -> Option<()> {
    match node {
        Node::Number(_) => {}
        Node::Feature(feature) => *into.powers.entry(feature.column).or_default() += power,
        Node::Power(base, exponent) => {
            let Node::Number(exponent) = **exponent else {
                return None;
            };
            collect(base, power * Number::value(exponent), into)?;
        }
        Node::Product(factors) => {
            for factor in factors {
                collect(factor, power, into)?;
            }
        }
        Node::Function(_, argument) => {
            let mut inside = Scaling::default();
            collect(argument, 1.0, &mut inside)?;
            into.arguments.push(inside.powers);
            into.arguments.extend(inside.arguments);
        }
        Node::Sum(_) => return None,
    }
    Some(())
}
