//! The derivative of a formula: sum, product and chain rule, in canonical form.

use std::f64::consts::{LN_2, LN_10};

use super::node::{Function, Node, apply, negate, power, product, sqrt, sum};

/// The partial derivative with respect to the feature of this name.
pub(super) fn derivative(node: &Node, feature: &str) -> Node {
    match node {
        Node::Number(_) => Node::number(0.0),
        Node::Feature(other) => Node::number(if &*other.name == feature { 1.0 } else { 0.0 }),
        Node::Sum(operands) => sum(operands.iter().map(|operand| derivative(operand, feature))),
        Node::Product(factors) => sum((0..factors.len()).map(|i| {
            let factor = |(j, factor): (usize, &Node)| {
                if i == j {
                    derivative(factor, feature)
                } else {
                    factor.clone()
                }
            };
            product(factors.iter().enumerate().map(factor))
        })),
        Node::Power(base, exponent) => power_rule(base, exponent, feature),
        Node::Function(function, u) => product([outer(*function, u), derivative(u, feature)]),
    }
}

fn power_rule(base: &Node, exponent: &Node, feature: &str) -> Node {
    let lower = power(base.clone(), sum([exponent.clone(), Node::number(-1.0)]));
    let by_base = product([exponent.clone(), lower, derivative(base, feature)]);
    if let Node::Number(_) = exponent {
        return by_base;
    }
    let by_exponent = product([
        power(base.clone(), exponent.clone()),
        apply(Function::Log, base.clone()),
        derivative(exponent, feature),
    ]);
    sum([by_base, by_exponent])
}

/// The derivative of the function, at u.
fn outer(function: Function, u: &Node) -> Node {
    let f = |function| apply(function, u.clone());
    let one_plus = |node| sum([Node::number(1.0), node]);
    let square = |node| power(node, Node::number(2.0));
    let reciprocal = |node| power(node, Node::number(-1.0));
    match function {
        Function::Sin => f(Function::Cos),
        Function::Cos => negate(f(Function::Sin)),
        Function::Tan => one_plus(square(f(Function::Tan))),
        Function::Asin => reciprocal(sqrt(one_plus(negate(square(u.clone()))))),
        Function::Acos => negate(outer(Function::Asin, u)),
        Function::Atan => reciprocal(one_plus(square(u.clone()))),
        Function::Sinh => f(Function::Cosh),
        Function::Cosh => f(Function::Sinh),
        Function::Tanh => one_plus(negate(square(f(Function::Tanh)))),
        Function::Exp => f(Function::Exp),
        Function::Log => reciprocal(u.clone()),
        Function::Log10 => product([Node::number(1.0 / LN_10), reciprocal(u.clone())]),
        Function::Log2 => product([Node::number(1.0 / LN_2), reciprocal(u.clone())]),
        Function::Cbrt => product([
            Node::number(1.0 / 3.0),
            power(f(Function::Cbrt), Node::number(-2.0)),
        ]),
        Function::Abs => f(Function::Sign),
        Function::Sign => Node::number(0.0),
    }
}
