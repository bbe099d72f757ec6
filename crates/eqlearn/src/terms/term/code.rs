//! Printing a term as an expression of a programming language.

use super::node::{Node, Number};

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
            let base = base_code(base, language, feature);
            match &**exponent {
                Node::Number(n) if *n == Number::HALF => call("sqrt", language, &base),
                Node::Number(n) => match n.integer().and_then(|n| i32::try_from(n).ok()) {
                    Some(whole) => whole_power(&base, whole, language),
                    None => power(&base, &language.number(n.value()), language),
                },
                exponent => power(&base, &inner(exponent), language),
            }
        }
        Node::Function(function, argument) => call(function.name(), language, &inner(argument)),
    }
}

/// The base of a power. Rust must know the type of a number before it can raise it.
fn base_code(base: &Node, language: Language, feature: &dyn Fn(usize) -> String) -> String {
    match base {
        Node::Number(number) if language == Language::Rust => {
            format!("{}_f64", language.number(number.value()))
        }
        base => code(base, language, feature),
    }
}

fn whole_power(base: &str, exponent: i32, language: Language) -> String {
    match language {
        Language::Python if exponent > 0 => format!("({base})**({exponent})"),
        Language::Python => power(base, &language.number(f64::from(exponent)), language),
        Language::Julia => format!("({base})^({exponent})"),
        Language::Rust => format!("({base}).powi({exponent})"),
    }
}

fn power(base: &str, exponent: &str, language: Language) -> String {
    match language {
        // For plain numbers `**` gives complex ones, or raises, where NumPy has nan and inf.
        Language::Python => format!("np.power({base}, {exponent})"),
        Language::Julia => format!("({base})^({exponent})"),
        Language::Rust => format!("({base}).powf({exponent})"),
    }
}

/// A function by its name in terms.
fn call(name: &str, language: Language, argument: &str) -> String {
    match (language, name) {
        (Language::Python, "asin" | "acos" | "atan") => format!("np.arc{}({argument})", &name[1..]),
        (Language::Python, _) => format!("np.{name}({argument})"),
        (Language::Julia, _) => format!("{name}({argument})"),
        (Language::Rust, "log") => format!("({argument}).ln()"),
        // The sign of 0 is 0, but `signum` gives 1 or -1 there.
        (Language::Rust, "sign") => {
            format!("(|v: f64| if v == 0.0 {{ 0.0 }} else {{ v.signum() }})({argument})")
        }
        (Language::Rust, _) => format!("({argument}).{name}()"),
    }
}
