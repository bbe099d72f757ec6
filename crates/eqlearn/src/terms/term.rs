//! A basis function as data.
//!
//! A term is a formula over named features, such as `x1^2*x3` or `sin(x)`. It can be read, printed,
//! compared, differentiated and evaluated; whatever is learned is made of terms, hence can be saved
//! and shown. Formulas are brought into a canonical form when they are made, so `x*y`, `y*x` and
//! `(y)*x^1` are the same term.
//!
//! Invariant: printing a term and parsing the text over the same features gives the term back.

mod code;
mod derivative;
pub(crate) mod evaluate;
pub(crate) mod node;
pub(crate) mod parse;
mod render;
pub(crate) mod scaling;

use std::fmt;

use serde::{Serialize, Serializer};

pub use code::Language;
pub use render::{escape_xml, symbol};

use crate::error::Result;
use evaluate::{CHUNK, Program};
use node::{Feature, Function, Node, Number};

/// A basis function over named features, in canonical form.
///
/// It serialises as its text; reading it back needs the features, which a
/// [`Dictionary`](crate::Dictionary) keeps.
///
/// ```
/// use eqlearn::Term;
///
/// let features = ["x", "y"].map(String::from);
/// let term = Term::parse("y*sin(x) * y", &features)?;
/// assert_eq!(term.to_string(), "y^2*sin(x)");
/// assert_eq!(term, Term::parse("sin(x)*y**2", &features)?);
/// assert_eq!(term.derivative("x").to_string(), "y^2*cos(x)");
/// assert_eq!(term.latex(), r"y^2 \sin\left(x\right)");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    node: Node,
}

impl Term {
    /// Reads a term; the order of the features is the order of factors in print.
    ///
    /// # Errors
    /// [`TermsError::Syntax`](crate::terms::TermsError::Syntax) says what is wrong with the text,
    /// and where.
    pub fn parse(text: &str, features: &[String]) -> Result<Self> {
        Ok(Self {
            node: parse::parse(text, features)?,
        })
    }

    /// Reads a formula with inner parameters, which stand behind the features as if they were more
    /// of them; new names are added to `parameters`.
    pub(crate) fn parse_family(
        text: &str,
        features: &[String],
        parameters: &mut Vec<String>,
    ) -> Result<Self> {
        Ok(Self {
            node: parse::parse_family(text, features, parameters)?,
        })
    }

    pub(crate) fn from_node(node: Node) -> Self {
        Self { node }
    }

    /// The texts of several terms in one, separated by commas.
    ///
    /// ```
    /// assert_eq!(eqlearn::Term::split("sin(x), x*`a,b`"), ["sin(x)", "x*`a,b`"]);
    /// ```
    pub fn split(list: &str) -> Vec<&str> {
        parse::split(list)
    }

    /// The constant term, `1`.
    pub fn constant() -> Self {
        Self {
            node: Node::number(1.0),
        }
    }

    /// The product of powers of features, given by the place, the name and the power of each.
    pub(crate) fn monomial<'a>(powers: impl IntoIterator<Item = (usize, &'a str, u32)>) -> Self {
        let powers = powers.into_iter();
        Self::power_product(powers.map(|(column, name, power)| (column, name, power.into())))
    }

    /// The product of real powers of features, given by the place, the name and the power of each.
    pub(crate) fn power_product<'a>(
        powers: impl IntoIterator<Item = (usize, &'a str, f64)>,
    ) -> Self {
        let factors = powers.into_iter().map(|(column, name, power)| {
            let feature = Node::Feature(Feature {
                column,
                name: name.into(),
            });
            node::power(feature, Node::number(power))
        });
        Self {
            node: node::product(factors),
        }
    }

    /// The product of two terms over the same features.
    pub(crate) fn times(&self, other: &Self) -> Self {
        Self {
            node: node::product([self.node.clone(), other.node.clone()]),
        }
    }

    /// One over the term.
    pub(crate) fn reciprocal(&self) -> Self {
        Self {
            node: node::power(self.node.clone(), Node::number(-1.0)),
        }
    }

    /// The sum of terms over the same features, each times a number.
    pub(crate) fn sum<'a>(terms: impl IntoIterator<Item = (&'a Self, f64)>) -> Self {
        let scaled = terms.into_iter().map(|(term, c)| term.scaled(c).node);
        Self {
            node: node::sum(scaled),
        }
    }

    /// What the term divides by: a solution cannot pass where one of them is zero.
    pub(crate) fn divisors(&self) -> Vec<Self> {
        let mut divisors = Vec::new();
        collect_divisors(&self.node, &mut divisors);
        divisors.into_iter().map(Self::from_node).collect()
    }

    /// The difference of two terms over the same features.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self {
            node: node::sum([self.node.clone(), node::negate(other.node.clone())]),
        }
    }

    /// A function of a term.
    pub(crate) fn inside(&self, function: Function) -> Self {
        Self {
            node: node::apply(function, self.node.clone()),
        }
    }

    /// The term times a number.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self {
            node: node::product([Node::number(factor), self.node.clone()]),
        }
    }

    /// The term with other terms in place of all its features, by their places.
    pub(crate) fn told(&self, meanings: &[&Self]) -> Self {
        let meaning = |feature: &Feature| Some(meanings[feature.column].node.clone());
        Self::from_node(node::with_features(&self.node, &meaning))
    }

    /// Whether the term has the same value everywhere.
    pub fn is_constant(&self) -> bool {
        matches!(self.node, Node::Number(_))
    }

    /// Whether the term is the constant 1.
    pub fn is_one(&self) -> bool {
        self.node.is_number(1.0)
    }

    /// Whether it needs brackets behind a coefficient: a sum, or a term with a sign of its own.
    pub fn needs_brackets(&self) -> bool {
        matches!(self.node, Node::Sum(_)) || self.to_string().starts_with('-')
    }

    /// Whether the term is zero everywhere.
    pub fn is_zero(&self) -> bool {
        self.node.is_number(0.0)
    }

    /// Whether one of the two terms is a number times the other.
    pub fn is_proportional_to(&self, other: &Self) -> bool {
        self.monic() == other.monic()
    }

    /// The functions that terms may have, by the names that users write.
    pub fn functions() -> impl Iterator<Item = &'static str> {
        let own = Function::ALL.iter().map(|function| function.name());
        own.chain(["sqrt"])
    }

    /// The features in the term: the place of each among the features, and its name, in order.
    pub fn features(&self) -> Vec<(usize, &str)> {
        let mut features = Vec::new();
        collect_features(&self.node, &mut features);
        features.sort_unstable();
        features.dedup();
        features
    }

    /// The derivative with respect to a feature; zero if the term does not depend on it.
    #[must_use]
    pub fn derivative(&self, feature: &str) -> Self {
        Self {
            node: derivative::derivative(&self.node, feature),
        }
    }

    /// The values of the term on every row; `features` are the columns in the order of the
    /// features.
    ///
    /// A value that does not exist, such as the logarithm of a negative number, is NaN or infinite.
    ///
    /// # Panics
    /// If there are fewer columns than features in use, or their lengths differ from that of `out`.
    pub fn evaluate(&self, features: &[&[f64]], out: &mut [f64]) {
        let program = Program::new(&self.node);
        let mut stack = vec![0.0; program.stack_len()];
        for (i, out) in out.chunks_mut(CHUNK).enumerate() {
            program.run(features, i * CHUNK, &mut stack, out);
        }
    }

    /// The term in LaTeX, for use in math mode.
    pub fn latex(&self) -> String {
        render::latex(&self.node)
    }

    /// The term in presentation `MathML`: one element, to stand inside `<math>`. `symbols` writes
    /// the name of a feature; [`symbol`] is the usual way.
    pub fn mathml(&self, symbols: &dyn Fn(&str) -> String) -> String {
        render::mathml(&self.node, symbols)
    }

    /// The term as an expression of a programming language; `feature` names the variable at each
    /// place.
    pub fn code(&self, language: Language, feature: &dyn Fn(usize) -> String) -> String {
        code::code(&self.node, language, feature)
    }

    /// The term with each of its numbers replaced.
    pub(crate) fn with_numbers(&self, number: &dyn Fn(f64) -> f64) -> Self {
        Self::from_node(node::with_numbers(&self.node, number))
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// The multiple of the term that all terms proportional to it share.
    pub(crate) fn monic(&self) -> Self {
        let coefficient = self.node.leading_coefficient();
        let node = match &self.node {
            _ if coefficient == 0.0 => self.node.clone(),
            Node::Sum(operands) => node::sum(operands.iter().map(|operand| {
                let (c, rest) = operand.split_coefficient();
                node::product([Node::number(c / coefficient), rest])
            })),
            other => other.split_coefficient().1,
        };
        Self { node }
    }

    /// Place, name and power of each feature, if the term is a product of powers of features.
    pub(crate) fn real_powers(&self) -> Option<Vec<(usize, &str, f64)>> {
        let factors = match &self.node {
            Node::Product(factors) => factors.as_slice(),
            node if node.is_number(1.0) => &[],
            node => std::slice::from_ref(node),
        };
        factors.iter().map(feature_and_power).collect()
    }

    /// How many features, numbers and functions it is written with, whole powers multiplied out;
    /// none in a constant.
    pub(crate) fn length(&self) -> usize {
        if self.is_constant() {
            0
        } else {
            length(&self.node)
        }
    }

    /// Whether a function other than a power is in it.
    pub(crate) fn has_function(&self) -> bool {
        has_function(&self.node)
    }

    /// The numbers that are exponents of single features, outside of functions.
    pub(crate) fn feature_powers(&self) -> Vec<f64> {
        let factors = match &self.node {
            Node::Product(factors) => factors.as_slice(),
            node => std::slice::from_ref(node),
        };
        let powers = factors.iter().map(Node::split_power);
        let of_features = powers.filter(|(base, _)| matches!(base, Node::Feature(_)));
        of_features.map(|(_, power)| power.value()).collect()
    }

    /// The powers of the features, by place, if the term is a plain product of whole powers.
    pub(crate) fn powers(&self) -> Option<Vec<(usize, u32)>> {
        let factors = match &self.node {
            Node::Product(factors) => factors.as_slice(),
            node if node.is_number(1.0) => &[],
            node => std::slice::from_ref(node),
        };
        factors.iter().map(feature_power).collect()
    }
}

/// A name, such as that of a target, as the LaTeX of a term writes it.
pub fn latex_name(name: &str) -> String {
    let feature = Feature {
        column: 0,
        name: name.into(),
    };
    render::latex(&Node::Feature(feature))
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&render::text(&self.node))
    }
}

impl Serialize for Term {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn collect_features<'a>(node: &'a Node, features: &mut Vec<(usize, &'a str)>) {
    if let Node::Feature(feature) = node {
        features.push((feature.column, &feature.name));
    }
    for child in node.children() {
        collect_features(child, features);
    }
}

fn has_function(node: &Node) -> bool {
    matches!(node, Node::Function(..)) || node.children().into_iter().any(has_function)
}

fn length(node: &Node) -> usize {
    match node {
        Node::Number(_) | Node::Feature(_) => 1,
        Node::Power(base, exponent) => {
            let whole = match exponent.as_ref() {
                Node::Number(number) => number.integer().and_then(|n| usize::try_from(n).ok()),
                _ => None,
            };
            whole.map_or_else(|| length(base) + length(exponent), |n| n * length(base))
        }
        Node::Function(_, argument) => 1 + length(argument),
        Node::Product(operands) | Node::Sum(operands) => operands.iter().map(length).sum(),
    }
}

fn feature_and_power(factor: &Node) -> Option<(usize, &str, f64)> {
    match factor.split_power() {
        (Node::Feature(feature), exponent) => {
            Some((feature.column, &*feature.name, exponent.value()))
        }
        _ => None,
    }
}

fn collect_divisors(node: &Node, divisors: &mut Vec<Node>) {
    let (base, exponent) = node.split_power();
    if exponent.value() < 0.0 && !divisors.contains(base) {
        divisors.push(base.clone());
    }
    for child in node.children() {
        collect_divisors(child, divisors);
    }
}

fn feature_power(factor: &Node) -> Option<(usize, u32)> {
    match factor.split_power() {
        (Node::Feature(feature), exponent) => {
            let power = Number::integer(exponent).and_then(|n| u32::try_from(n).ok())?;
            Some((feature.column, power))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
