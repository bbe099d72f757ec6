//! Printing a term as text, LaTeX and MathML.
//!
//! One walk over the tree decides about signs, fractions, roots and parentheses; a [`Notation`]
//! says how each of these looks. The text is what [`parse`](super::parse) reads, and reading it
//! gives the same term back.

mod mathml;

use std::f64::consts::PI;

use super::node::{Feature, Function, Node, Number};
use super::parse::{derivative_of_parentheses, is_word, parse};
pub(super) use mathml::mathml;
pub use mathml::symbol;

pub(super) fn text(node: &Node) -> String {
    render(&Text, node).0
}

pub(super) fn latex(node: &Node) -> String {
    render(&Latex, node).0
}

/// The name of a feature as a term writes it.
pub(super) fn name(name: &str) -> String {
    if is_word(name) || derivative_of_parentheses(name).is_some() {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}

/// How tightly the outermost operation of a rendered formula binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

type Rendered = (String, Binding);

/// How formulas look.
trait Notation {
    fn feature(&self, feature: &Feature) -> String;
    /// A positive number.
    fn number(&self, value: f64) -> Rendered;
    /// The number π.
    fn pi(&self) -> String;
    /// Operands and whether each is subtracted.
    fn sum(&self, operands: &[(bool, String)]) -> String;
    fn product(&self, factors: &[String]) -> String;
    /// How tightly a numerator must bind to need no parentheses.
    const FRACTION: Binding;
    fn fraction(&self, numerator: &str, denominator: &[Rendered]) -> String;
    /// How tightly an exponent must bind to need no parentheses.
    const EXPONENT: Binding;
    fn power(&self, base: &str, exponent: &str) -> String;
    fn square_root(&self, radicand: &str) -> String;
    fn function(&self, function: Function, argument: &str) -> Rendered;
    fn parentheses(&self, inner: &str) -> String;

    fn at_least(&self, binding: Binding, rendered: Rendered) -> String {
        if rendered.1 < binding {
            self.parentheses(&rendered.0)
        } else {
            rendered.0
        }
    }
}

fn render<N: Notation>(notation: &N, node: &Node) -> Rendered {
    match node {
        Node::Feature(feature) => (notation.feature(feature), Binding::Atom),
        Node::Function(function, argument) => {
            notation.function(*function, &render(notation, argument).0)
        }
        Node::Sum(operands) => (render_sum(notation, operands), Binding::Sum),
        Node::Number(number) if number.value() < 0.0 => {
            let positive = render_number(notation, -number.value()).0;
            (notation.sum(&[(true, positive)]), Binding::Sum)
        }
        Node::Number(number) => render_number(notation, number.value()),
        Node::Product(_) | Node::Power(..) => {
            let (negative, product) = render_product(notation, node);
            if negative {
                (notation.sum(&[(true, product.0)]), Binding::Sum)
            } else {
                product
            }
        }
    }
}

fn render_sum<N: Notation>(notation: &N, operands: &[Node]) -> String {
    let mut rendered: Vec<(bool, String)> = operands
        .iter()
        .map(|operand| {
            let (negative, rendered) = render_product(notation, operand);
            (negative, notation.at_least(Binding::Product, rendered))
        })
        .collect();
    // 1-x reads better than -x+1.
    if let Some(positive) = rendered.iter().position(|(negative, _)| !negative) {
        rendered[..=positive].rotate_right(1);
    }
    notation.sum(&rendered)
}

/// The sign of a product, and the product without it.
fn render_product<N: Notation>(notation: &N, node: &Node) -> (bool, Rendered) {
    let (coefficient, rest) = node.split_coefficient();
    let size = coefficient.abs();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let factors = match &rest {
        Node::Product(factors) => factors.as_slice(),
        Node::Number(_) => return (coefficient < 0.0, render_number(notation, size)),
        _ => std::slice::from_ref(&rest),
    };
    add_number(notation, size, &mut above, &mut below);
    for factor in factors {
        let (base, exponent) = factor.split_power();
        if exponent.value() < 0.0 {
            let exponent = Number::new(-exponent.value());
            below.push(render_power(notation, base, exponent));
        } else {
            above.push(render_power(notation, base, exponent));
        }
    }
    (coefficient < 0.0, quotient(notation, above, &below))
}

fn quotient<N: Notation>(notation: &N, above: Vec<Rendered>, below: &[Rendered]) -> Rendered {
    if below.is_empty() {
        return multiplied(notation, above);
    }
    let numerator = multiplied(notation, above);
    let numerator = notation.at_least(N::FRACTION, numerator);
    (notation.fraction(&numerator, below), Binding::Product)
}

/// A positive number on its own.
fn render_number<N: Notation>(notation: &N, value: f64) -> Rendered {
    if pi_share(value).is_none() {
        return notation.number(value);
    }
    let (mut above, mut below) = (Vec::new(), Vec::new());
    add_number(notation, value, &mut above, &mut below);
    quotient(notation, above, &below)
}

/// Adds a positive number to the factors of a fraction: `2*pi` above, `3` below.
fn add_number<N: Notation>(
    notation: &N,
    value: f64,
    above: &mut Vec<Rendered>,
    below: &mut Vec<Rendered>,
) {
    let add = |to: &mut Vec<Rendered>, number: f64| {
        if Number::new(number) != Number::ONE {
            to.push(notation.number(number));
        }
    };
    if let Some((times, over)) = pi_share(value) {
        add(above, times);
        above.push((notation.pi(), Binding::Atom));
        add(below, over);
    } else if let Some(divisor) = divisor(value) {
        add(below, divisor);
    } else {
        add(above, value);
    }
}

/// The largest whole numbers by which π is multiplied and divided in print.
const MOST_PI: (f64, u32) = (64.0, 1000);

/// Whole numbers `p` and `q` such that `p*pi/q` reads back as exactly this number, as users write
/// `2*pi*year` or `2*pi*day/365`.
fn pi_share(value: f64) -> Option<(f64, f64)> {
    // Most numbers are short, and no short number is a multiple of π.
    if decimal(value).len() < 12 {
        return None;
    }
    (1..=MOST_PI.1).map(f64::from).find_map(|over| {
        let times = (value * over / PI).round();
        let read = times * PI * (1.0 / over);
        let same = Number::new(read) == Number::new(value);
        (same && (1.0..=MOST_PI.0).contains(&times)).then_some((times, over))
    })
}

/// Whether the text of a formula has π in it.
pub(super) fn shows_pi(node: &Node) -> bool {
    match node {
        Node::Number(number) => pi_share(number.value().abs()).is_some(),
        _ => node.children().into_iter().any(shows_pi),
    }
}

fn multiplied<N: Notation>(notation: &N, mut factors: Vec<Rendered>) -> Rendered {
    match factors.len() {
        0 => notation.number(1.0),
        1 => factors.remove(0),
        _ => {
            let closed = |factor| notation.at_least(Binding::Product, factor);
            let factors: Vec<String> = factors.into_iter().map(closed).collect();
            (notation.product(&factors), Binding::Product)
        }
    }
}

/// An exponent as a fraction, which parses back to the same number; none if it is short to write.
fn fraction(exponent: Number) -> Option<Node> {
    if decimal(exponent.value()).len() <= SHORT {
        return None;
    }
    let (above, below) = exponent.fraction()?;
    let over = Node::Power(Box::new(Node::number(below)), Box::new(Node::number(-1.0)));
    Some(if Number::new(above) == Number::ONE {
        over
    } else {
        Node::Product(vec![Node::number(above), over])
    })
}

fn render_power<N: Notation>(notation: &N, base: &Node, exponent: Number) -> Rendered {
    let general;
    let (base, exponent) = match (base, exponent) {
        (Node::Power(inner, general), _) if exponent == Number::ONE => (&**inner, &**general),
        _ if exponent == Number::ONE => return render(notation, base),
        _ if exponent == Number::HALF => {
            return (
                notation.square_root(&render(notation, base).0),
                Binding::Atom,
            );
        }
        _ => {
            general = fraction(exponent).unwrap_or(Node::Number(exponent));
            (base, &general)
        }
    };
    let base = notation.at_least(Binding::Atom, render(notation, base));
    let exponent = notation.at_least(N::EXPONENT, render(notation, exponent));
    (notation.power(&base, &exponent), Binding::Power)
}

/// A number of at most this many characters is written as it is.
const SHORT: usize = 8;

/// The integer `n` if the value is `1/n` and this is shorter to write.
fn divisor(value: f64) -> Option<f64> {
    let divisor = Number::new(1.0 / value);
    let exact = Number::new(1.0 / divisor.value()) == Number::new(value);
    let (short, written) = (divisor.integer().is_some() && exact, decimal(value));
    (short && written.len() > SHORT && divisor.value() > 1.0).then_some(divisor.value())
}

/// The shortest decimal that reads back as the same number.
fn decimal(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

struct Text;

impl Notation for Text {
    const FRACTION: Binding = Binding::Product;
    const EXPONENT: Binding = Binding::Atom;

    fn feature(&self, feature: &Feature) -> String {
        name(&feature.name)
    }

    fn number(&self, value: f64) -> Rendered {
        (decimal(value), Binding::Atom)
    }

    fn pi(&self) -> String {
        "pi".to_owned()
    }

    fn sum(&self, operands: &[(bool, String)]) -> String {
        signed(operands, "+", "-")
    }

    fn product(&self, factors: &[String]) -> String {
        factors.join("*")
    }

    fn fraction(&self, numerator: &str, denominator: &[Rendered]) -> String {
        denominator
            .iter()
            .fold(numerator.to_owned(), |quotient, divisor| {
                format!(
                    "{quotient}/{}",
                    self.at_least(Binding::Power, divisor.clone())
                )
            })
    }

    fn power(&self, base: &str, exponent: &str) -> String {
        format!("{base}^{exponent}")
    }

    fn square_root(&self, radicand: &str) -> String {
        format!("sqrt({radicand})")
    }

    fn function(&self, function: Function, argument: &str) -> Rendered {
        (format!("{}({argument})", function.name()), Binding::Atom)
    }

    fn parentheses(&self, inner: &str) -> String {
        format!("({inner})")
    }
}

struct Latex;

impl Notation for Latex {
    const FRACTION: Binding = Binding::Sum;
    const EXPONENT: Binding = Binding::Sum;

    fn feature(&self, feature: &Feature) -> String {
        if let Some((of, by)) = derivative(&feature.name) {
            return format!("{}_{{{by}}}", self.differentiated(of));
        }
        let (stem, index) = split_index(&feature.name);
        let mut letters = stem.chars();
        let symbol = match (letters.next(), letters.next()) {
            _ if greek(stem).is_some() => format!("\\{stem}"),
            (Some(letter), None) => escape_latex(&letter.to_string()),
            _ => format!("\\mathrm{{{}}}", escape_latex(stem)),
        };
        match index.len() {
            0 => symbol,
            1 => format!("{symbol}_{index}"),
            _ => format!("{symbol}_{{{index}}}"),
        }
    }

    fn number(&self, value: f64) -> Rendered {
        let decimal = decimal(value);
        match decimal.split_once('e') {
            Some((mantissa, exponent)) => (
                format!("{mantissa} \\times 10^{{{exponent}}}"),
                Binding::Product,
            ),
            None => (decimal, Binding::Atom),
        }
    }

    fn pi(&self) -> String {
        "\\pi".to_owned()
    }

    fn sum(&self, operands: &[(bool, String)]) -> String {
        signed(operands, " + ", " - ")
    }

    fn product(&self, factors: &[String]) -> String {
        factors.join(" ")
    }

    fn fraction(&self, numerator: &str, denominator: &[Rendered]) -> String {
        let denominator = multiplied(self, denominator.to_vec()).0;
        format!("\\frac{{{numerator}}}{{{denominator}}}")
    }

    fn power(&self, base: &str, exponent: &str) -> String {
        match exponent.len() {
            1 => format!("{base}^{exponent}"),
            _ => format!("{base}^{{{exponent}}}"),
        }
    }

    fn square_root(&self, radicand: &str) -> String {
        format!("\\sqrt{{{radicand}}}")
    }

    fn function(&self, function: Function, argument: &str) -> Rendered {
        let name = match function {
            Function::Abs => return (format!("\\left|{argument}\\right|"), Binding::Atom),
            Function::Cbrt => return (format!("\\sqrt[3]{{{argument}}}"), Binding::Atom),
            Function::Asin => "\\arcsin",
            Function::Acos => "\\arccos",
            Function::Atan => "\\arctan",
            Function::Log => "\\ln",
            Function::Log10 => "\\log_{10}",
            Function::Log2 => "\\log_{2}",
            Function::Sign => "\\operatorname{sign}",
            _ => &format!("\\{}", function.name()),
        };
        (
            format!("{name}{}", self.parentheses(argument)),
            Binding::Power,
        )
    }

    fn parentheses(&self, inner: &str) -> String {
        format!("\\left({inner}\\right)")
    }
}

impl Latex {
    /// A quantity, or a formula in parentheses, of which an index says by what it is
    /// differentiated.
    fn differentiated(&self, of: &str) -> String {
        let inside = of.strip_prefix('(').and_then(|of| of.strip_suffix(')'));
        let feature = Feature {
            column: 0,
            name: of.into(),
        };
        match inside.and_then(formula) {
            Some(inside) => self.parentheses(&render(self, &inside).0),
            None => self.feature(&feature),
        }
    }
}

/// What is differentiated, and by which directions, of a name such as `u_xx` or `(u^2)_xy`.
fn derivative(name: &str) -> Option<(&str, &str)> {
    if let Some((_, by)) = derivative_of_parentheses(name) {
        return Some((&name[..name.len() - by.len() - 1], by));
    }
    let (of, by) = name.split_once('_')?;
    let is_direction = |c: char| DIRECTIONS.contains(&c);
    (is_word(of) && !by.is_empty() && by.chars().all(is_direction)).then_some((of, by))
}

/// The letters by which a name says a derivative.
const DIRECTIONS: [char; 5] = ['t', 'x', 'y', 'z', 'r'];

/// The formula of a text in which every name is a feature.
fn formula(text: &str) -> Option<Node> {
    let is_outside = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    let words = text.split(is_outside);
    let is_name = |word: &&str| is_word(word);
    let mut names: Vec<String> = words.filter(is_name).map(str::to_owned).collect();
    names.dedup();
    parse(text, &names).ok()
}

fn signed(operands: &[(bool, String)], plus: &str, minus: &str) -> String {
    let mut text = String::new();
    for (i, (negative, operand)) in operands.iter().enumerate() {
        match (negative, i) {
            (true, 0) => text.push_str(minus.trim()),
            (true, _) => text.push_str(minus),
            (false, 0) => {}
            (false, _) => text.push_str(plus),
        }
        text.push_str(operand);
    }
    text
}

/// A name such as `x12` or `x_12` as stem and index.
fn split_index(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let index = &name[stem.len()..];
    let bare = stem.strip_suffix('_').unwrap_or(stem);
    if bare.is_empty() || index.is_empty() {
        (name, "")
    } else {
        (bare, index)
    }
}

fn greek(name: &str) -> Option<char> {
    #[rustfmt::skip]
    const LETTERS: [(&str, char); 33] = [
        ("alpha", 'α'), ("beta", 'β'), ("gamma", 'γ'), ("delta", 'δ'), ("epsilon", 'ε'),
        ("zeta", 'ζ'), ("eta", 'η'), ("theta", 'θ'), ("iota", 'ι'), ("kappa", 'κ'),
        ("lambda", 'λ'), ("mu", 'μ'), ("nu", 'ν'), ("xi", 'ξ'), ("pi", 'π'), ("rho", 'ρ'),
        ("sigma", 'σ'), ("tau", 'τ'), ("upsilon", 'υ'), ("phi", 'φ'), ("chi", 'χ'),
        ("psi", 'ψ'), ("omega", 'ω'), ("Gamma", 'Γ'), ("Delta", 'Δ'), ("Theta", 'Θ'),
        ("Lambda", 'Λ'), ("Xi", 'Ξ'), ("Pi", 'Π'), ("Sigma", 'Σ'), ("Phi", 'Φ'),
        ("Psi", 'Ψ'), ("Omega", 'Ω'),
    ];
    LETTERS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, letter)| *letter)
}

fn escape_latex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\backslash{}"),
            '^' => escaped.push_str("\\hat{}"),
            '~' => escaped.push_str("\\sim{}"),
            ' ' => escaped.push_str("\\ "),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Text as it may stand in a page: between tags, or as the value of an attribute in double quotes.
pub fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
