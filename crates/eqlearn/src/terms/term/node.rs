//! The tree behind a term, and the algebra that keeps it in canonical form.
//!
//! Nodes are made by [`sum`], [`product`], [`power`] and [`apply`] only, and these normalise:
//! numbers are folded, sums and products flattened and sorted, equal operands merged, signs pulled
//! out. Two formulas that differ in spelling thus become equal trees. The algebra is modest:
//! products of sums are not expanded, and identities between functions are left alone.
//!
//! Invariants: a product has at most one number, which comes first and is neither 0 nor 1; a sum
//! has at most one number, which comes last; no sum is inside a sum, no product inside a product; a
//! number never multiplies a lone sum but goes into it; √u is u^0.5; an exponent near a fraction of
//! small whole numbers is that fraction.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A formula in canonical form. The order of the variants is the order of operands in print.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Node {
    Number(Number),
    Feature(Feature),
    Power(Box<Node>, Box<Node>),
    Product(Vec<Node>),
    Function(Function, Box<Node>),
    Sum(Vec<Node>),
}

/// A feature: its place among the features, which orders factors, and its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Feature {
    pub(crate) column: usize,
    pub(crate) name: Arc<str>,
}

/// A number with a total order; there is only one zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number(f64);

impl Number {
    pub(crate) const ONE: Self = Self(1.0);
    pub(crate) const MINUS_ONE: Self = Self(-1.0);
    pub(crate) const HALF: Self = Self(0.5);

    pub(crate) fn new(value: f64) -> Self {
        Self(value + 0.0)
    }

    pub(crate) fn value(self) -> f64 {
        self.0
    }

    /// The value if it is an integer that `f64` represents exactly, with its neighbours.
    pub(crate) fn integer(self) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within ±2^53")]
        (self.0.fract() == 0.0 && self.0.abs() < 9.0e15).then_some(self.0 as i64)
    }

    /// The fraction of small whole numbers that it is, but for the rounding of a few sums and
    /// products; in lowest terms, with the sign above the line.
    pub(crate) fn fraction(self) -> Option<(f64, f64)> {
        let near = |below: f64| {
            let exact = self.0 * below;
            let above = exact.round();
            let close = (exact - above).abs() <= ROUNDING * exact.abs().max(1.0);
            (close && above.abs() < LARGEST_ABOVE).then_some((above, below))
        };
        (1..=LARGEST_BELOW).map(f64::from).find_map(near)
    }

    /// The same as an exponent: powers are equal if their exponents differ by rounding only.
    fn as_exponent(self) -> Self {
        let simple = self.fraction().map(|(above, below)| above / below);
        simple.map_or(self, Self::new)
    }
}

/// The largest whole numbers above and below the line of an exponent that is told as a fraction.
const LARGEST_ABOVE: f64 = 1000.0;
const LARGEST_BELOW: u32 = 12;
/// Rounding errors of a fraction that was multiplied out, relative to the numerator.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// The functions of one argument. The square root is not among them: it is a power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Log10,
    Log2,
    Cbrt,
    Abs,
    Sign,
}

/// What a function does with a minus sign in front of its argument.
enum Parity {
    Odd,
    Even,
    Neither,
}

impl Function {
    pub(crate) const ALL: [Self; 16] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Exp,
        Self::Log,
        Self::Log10,
        Self::Log2,
        Self::Cbrt,
        Self::Abs,
        Self::Sign,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Log10 => "log10",
            Self::Log2 => "log2",
            Self::Cbrt => "cbrt",
            Self::Abs => "abs",
            Self::Sign => "sign",
        }
    }

    pub(crate) fn evaluate(self, x: f64) -> f64 {
        match self {
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Log2 => x.log2(),
            Self::Cbrt => x.cbrt(),
            Self::Abs => x.abs(),
            Self::Sign if x == 0.0 => 0.0,
            Self::Sign => x.signum(),
        }
    }

    fn parity(self) -> Parity {
        match self {
            Self::Sin | Self::Tan | Self::Asin | Self::Atan | Self::Sinh | Self::Tanh => {
                Parity::Odd
            }
            Self::Cbrt | Self::Sign => Parity::Odd,
            Self::Cos | Self::Cosh | Self::Abs => Parity::Even,
            Self::Acos | Self::Exp | Self::Log | Self::Log10 | Self::Log2 => Parity::Neither,
        }
    }
}

impl Node {
    pub(crate) fn number(value: f64) -> Self {
        Self::Number(Number::new(value))
    }

    pub(crate) fn is_number(&self, value: f64) -> bool {
        *self == Self::number(value)
    }

    /// The node as a number times the rest.
    pub(crate) fn split_coefficient(&self) -> (f64, Self) {
        match self {
            Self::Number(number) => (number.value(), Self::number(1.0)),
            Self::Product(factors) => match factors.split_first() {
                Some((Self::Number(number), [rest])) => (number.value(), rest.clone()),
                Some((Self::Number(number), rest)) => {
                    (number.value(), Self::Product(rest.to_vec()))
                }
                _ => (1.0, self.clone()),
            },
            _ => (1.0, self.clone()),
        }
    }

    /// The number that, divided out, makes the first operand of the node free of a number.
    pub(crate) fn leading_coefficient(&self) -> f64 {
        match self {
            Self::Number(number) => number.value(),
            Self::Product(operands) | Self::Sum(operands) => match operands.first() {
                Some(first @ (Self::Number(_) | Self::Product(_))) => first.leading_coefficient(),
                _ => 1.0,
            },
            _ => 1.0,
        }
    }

    /// The node as base and numeric exponent.
    pub(crate) fn split_power(&self) -> (&Self, Number) {
        match self {
            Self::Power(base, exponent) => match **exponent {
                Self::Number(number) => (base, number),
                _ => (self, Number::ONE),
            },
            _ => (self, Number::ONE),
        }
    }

    /// The operands directly below this node.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Number(_) | Self::Feature(_) => Vec::new(),
            Self::Power(base, exponent) => vec![base, exponent],
            Self::Product(operands) | Self::Sum(operands) => operands.iter().collect(),
            Self::Function(_, argument) => vec![argument],
        }
    }

    /// The number of nodes on the longest way down.
    pub(crate) fn depth(&self) -> usize {
        1 + self
            .children()
            .into_iter()
            .map(Self::depth)
            .max()
            .unwrap_or(0)
    }

    /// Whether every number in the formula is finite.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Number(number) => number.value().is_finite(),
            _ => self.children().into_iter().all(Self::is_finite),
        }
    }

    fn is_negative_sum(&self) -> bool {
        matches!(self, Self::Sum(_)) && self.leading_coefficient() < 0.0
    }
}

/// The sum of the operands.
pub(crate) fn sum(operands: impl IntoIterator<Item = Node>) -> Node {
    let mut constant = 0.0;
    let mut merged: BTreeMap<Node, f64> = BTreeMap::new();
    let mut add = |operand: Node| {
        if let Node::Number(number) = operand {
            constant += number.value();
            return;
        }
        let (coefficient, rest) = operand.split_coefficient();
        *merged.entry(rest).or_insert(0.0) += coefficient;
    };
    for operand in operands {
        match operand {
            Node::Sum(inner) => inner.into_iter().for_each(&mut add),
            _ => add(operand),
        }
    }
    let mut operands: Vec<Node> = merged
        .into_iter()
        .filter(|(_, coefficient)| *coefficient != 0.0)
        .map(|(rest, coefficient)| product([Node::number(coefficient), rest]))
        .collect();
    if constant != 0.0 || operands.is_empty() {
        operands.push(Node::number(constant));
    }
    only_or(operands, Node::Sum)
}

/// The product of the factors.
pub(crate) fn product(factors: impl IntoIterator<Item = Node>) -> Node {
    let mut coefficient = 1.0;
    let mut merged: BTreeMap<Node, f64> = BTreeMap::new();
    let mut multiply = |factor: Node| {
        if let Node::Number(number) = factor {
            coefficient *= number.value();
            return;
        }
        let (base, exponent) = factor.split_power();
        let base = match exponent.integer() {
            Some(n) if base.is_negative_sum() => {
                coefficient *= if n % 2 == 0 { 1.0 } else { -1.0 };
                negated_sum(base)
            }
            _ => base.clone(),
        };
        *merged.entry(base).or_insert(0.0) += exponent.value();
    };
    for factor in factors {
        match factor {
            Node::Product(inner) => inner.into_iter().for_each(&mut multiply),
            _ => multiply(factor),
        }
    }
    if coefficient == 0.0 {
        return Node::number(0.0);
    }
    // Merging exponents can remove a power, as in √(2x)·√(2x) = 2x: then there is more to merge.
    let mut dissolved = false;
    let mut factors: Vec<Node> = Vec::with_capacity(merged.len() + 1);
    for (base, exponent) in merged {
        let factor = power(base.clone(), Node::number(exponent));
        if factor.is_number(1.0) {
            continue;
        }
        dissolved |= *factor.split_power().0 != base || matches!(factor, Node::Product(_));
        factors.push(factor);
    }
    let coefficient = Node::number(coefficient);
    if dissolved {
        return product(factors.into_iter().chain([coefficient]));
    }
    if coefficient.is_number(1.0) && !factors.is_empty() {
        return only_or(factors, Node::Product);
    }
    if let [Node::Sum(operands)] = factors.as_slice() {
        let scaled = |operand: &Node| product([coefficient.clone(), operand.clone()]);
        return sum(operands.iter().map(scaled));
    }
    factors.insert(0, coefficient);
    only_or(factors, Node::Product)
}

/// The base raised to the exponent; u^0 is 1 everywhere.
pub(crate) fn power(base: Node, exponent: Node) -> Node {
    if base.is_number(1.0) {
        return base;
    }
    let Node::Number(n) = exponent else {
        return Node::Power(Box::new(base), Box::new(exponent));
    };
    let n = n.as_exponent();
    if n.value() == 0.0 {
        return Node::number(1.0);
    }
    if n == Number::ONE {
        return base;
    }
    match (&base, n.integer()) {
        (Node::Number(number), _) if n == Number::MINUS_ONE => Node::number(1.0 / number.value()),
        (Node::Number(number), _) => Node::number(number.value().powf(n.value())),
        (Node::Product(factors), Some(_)) => product(
            factors
                .iter()
                .map(|factor| power(factor.clone(), Node::Number(n))),
        ),
        (Node::Sum(_), Some(whole)) if base.is_negative_sum() => {
            let positive = Node::Power(Box::new(negated_sum(&base)), Box::new(Node::Number(n)));
            product([
                Node::number(if whole % 2 == 0 { 1.0 } else { -1.0 }),
                positive,
            ])
        }
        (Node::Power(inner, m), whole) => match **m {
            // (u^m)^n is u^(m·n) unless u^m loses the sign of u: √(x²) is not x.
            Node::Number(m) if whole.is_some() || m.integer().is_none() => {
                power((**inner).clone(), Node::number(m.value() * n.value()))
            }
            _ => Node::Power(Box::new(base), Box::new(Node::Number(n))),
        },
        _ => Node::Power(Box::new(base), Box::new(Node::Number(n))),
    }
}

/// The function of the argument.
pub(crate) fn apply(function: Function, argument: Node) -> Node {
    if let Node::Number(number) = argument {
        return Node::number(function.evaluate(number.value()));
    }
    let plain = |argument| Node::Function(function, Box::new(argument));
    if argument.leading_coefficient() >= 0.0 {
        return plain(argument);
    }
    match function.parity() {
        Parity::Odd => negate(plain(negate(argument))),
        Parity::Even => plain(negate(argument)),
        Parity::Neither => plain(argument),
    }
}

/// The square root of the argument.
pub(crate) fn sqrt(argument: Node) -> Node {
    power(argument, Node::Number(Number::HALF))
}

pub(crate) fn negate(node: Node) -> Node {
    product([Node::Number(Number::MINUS_ONE), node])
}

fn negated_sum(node: &Node) -> Node {
    sum(node
        .children()
        .into_iter()
        .map(|operand| negate(operand.clone())))
}

/// The only operand itself, or the node of several.
fn only_or(mut operands: Vec<Node>, node: impl FnOnce(Vec<Node>) -> Node) -> Node {
    match operands.len() {
        1 => operands.remove(0),
        _ => node(operands),
    }
}

/// The formula with other formulas in place of some features, in canonical form.
pub(crate) fn with_features(formula: &Node, meaning: &dyn Fn(&Feature) -> Option<Node>) -> Node {
    let inner = |node: &Node| with_features(node, meaning);
    match formula {
        Node::Feature(feature) => meaning(feature).unwrap_or_else(|| formula.clone()),
        Node::Number(_) => formula.clone(),
        Node::Power(base, exponent) => power(inner(base), inner(exponent)),
        Node::Product(factors) => product(factors.iter().map(inner)),
        Node::Function(function, argument) => apply(*function, inner(argument)),
        Node::Sum(operands) => sum(operands.iter().map(inner)),
    }
}

/// The formula with each of its numbers replaced, in canonical form.
pub(crate) fn with_numbers(formula: &Node, number: &dyn Fn(f64) -> f64) -> Node {
    let inner = |node: &Node| with_numbers(node, number);
    match formula {
        Node::Number(value) => Node::number(number(value.value())),
        Node::Feature(_) => formula.clone(),
        Node::Power(base, exponent) => power(inner(base), inner(exponent)),
        Node::Product(factors) => product(factors.iter().map(inner)),
        Node::Function(function, argument) => apply(*function, inner(argument)),
        Node::Sum(operands) => sum(operands.iter().map(inner)),
    }
}
