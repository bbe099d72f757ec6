//! Printing a term as an expression of a programming language.

use super::node::{Function, Node};

/// A programming language that formulas can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python with `NumPy` as `np`.
    Python,
    /// Julia.
    Julia,
    /// Rust, on `f64`.
    Rust,
}

impl Language {
    /// A number as a literal.
    pub fn number(self, value: f64) -> String {
        // The debug form always has a point or an exponent, which Rust needs and the others accept.
        format!("{value:?}")
    }
}

/// The formula, in parentheses wherever they could matter; `feature` names the variables.
pub(super) fn code(node: &Node, language: Language, feature: &dyn Fn(usize) -> String) -> String {
    let inner = |node: &Node| code(node, language, feature);
    match node {
        Node::Number(number) if number.value() < 0.0 => {
            format!("({})", language.number(number.value()))
        }
        Node::Number(number) => language.number(number.value()),
        Node::Feature(f) => feature(f.column),
        Node::Sum(operands) => {
            let operands: Vec<String> = operands.iter().map(inner).collect();
            format!("({})", operands.join(" + "))
        }
        Node::Product(factors) => {
            let factors: Vec<String> = factors.iter().map(inner).collect();
            factors.join("*")
        }
        Node::Power(base, exponent) => {
            let base = format!("({})", inner(base));
            match (&**exponent, language) {
                (Node::Number(n), Language::Rust) => match n.integer() {
                    Some(n) => format!("{base}.powi({n})"),
                    None => format!("{base}.powf({})", language.number(n.value())),
                },
                (exponent, Language::Rust) => format!("{base}.powf({})", inner(exponent)),
                (Node::Number(n), _) if n.integer().is_some() => {
                    let n = n.integer().unwrap_or_default();
                    format!("{base}{}({n})", operator(language))
                }
                (exponent, _) => format!("{base}{}({})", operator(language), inner(exponent)),
            }
        }
        Node::Function(function, argument) => call(*function, language, &inner(argument)),
    }
}

fn operator(language: Language) -> &'static str {
    if language == Language::Python {
        "**"
    } else {
        "^"
    }
}

fn call(function: Function, language: Language, argument: &str) -> String {
    let name = function.name();
    match language {
        Language::Python => {
            let name = match name {
                "asin" => "arcsin",
                "acos" => "arccos",
                "atan" => "arctan",
                name => name,
            };
            format!("np.{name}({argument})")
        }
        Language::Julia => format!("{name}({argument})"),
        Language::Rust => {
            let name = match name {
                "log" => "ln",
                "sign" => "signum",
                name => name,
            };
            format!("({argument}).{name}()")
        }
    }
}
