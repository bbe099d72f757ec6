//! Reading a term from text.
//!
//! The grammar is that of a pocket calculator with the conventions of mathematics: `-x^2` is −(x²),
//! `^` (or `**`) groups to the right, every product is written with `*`.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = unary (("*" | "/") unary)*
//! unary   = ("-" | "+") unary | power
//! power   = atom ("^" unary)?
//! atom    = number | feature | "pi" | "?" name | function "(" sum ")" | "(" sum ")"
//! ```
//!
//! A name is a feature if there is one of that name, even if it is also a function or `pi`; names
//! that are not words of letters, digits, `_` and `.` stand in backquotes. A sum in parentheses
//! with a word that begins with `_` right behind it is a name too, that of a derivative such as
//! `(u^2)_xx`, if there is a feature with that name. `?name` is an inner parameter, a number that
//! is not known yet; only the formulas of a family have them.

use super::node::{self, Feature, Function, Node};
use super::render;
use crate::error::{Error, Result, nearest};
use crate::terms::{TermProblem, TermsError};

/// How deep formulas may be nested, as written and as trees.
const MAX_DEPTH: usize = 200;

/// The formula that the text means, without inner parameters.
pub(super) fn parse(text: &str, features: &[String]) -> Result<Node> {
    read(text, features, None)
}

/// The formula that the text means; its inner parameters stand behind the features as if they were
/// more of them. Names that are not among `parameters` yet are added.
pub(super) fn parse_family(
    text: &str,
    features: &[String],
    parameters: &mut Vec<String>,
) -> Result<Node> {
    read(text, features, Some(parameters))
}

fn read(text: &str, features: &[String], parameters: Option<&mut Vec<String>>) -> Result<Node> {
    let mut parser = Parse {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        text,
        features,
        parameters,
    };
    if parser.tokens.is_empty() {
        return Err(error(text, 0, TermProblem::Empty));
    }
    let node = parser.sum()?;
    match parser.peek() {
        None => {}
        Some(Token::Symbol(")")) => return Err(parser.error_here(TermProblem::NeverOpened)),
        Some(token) => {
            let found = token.to_string();
            return Err(parser.error_here(TermProblem::MissingOperator { found }));
        }
    }
    // A tree level prints as at most two levels of text, so what is printed can be read again.
    if node.depth() > MAX_DEPTH / 2 {
        return Err(error(
            text,
            0,
            TermProblem::TooDeep {
                limit: MAX_DEPTH / 2,
            },
        ));
    }
    if !node.is_finite() {
        return Err(error(text, 0, TermProblem::ConstantNotFinite));
    }
    // Its text would be read as that feature.
    if features.iter().any(|name| name == "pi") && render::shows_pi(&node) {
        return Err(error(text, 0, TermProblem::PiIsFeature));
    }
    Ok(node)
}

/// The texts between the commas that are neither in parentheses nor in backquotes.
pub(super) fn split(list: &str) -> Vec<&str> {
    if list.trim().is_empty() {
        return Vec::new();
    }
    let (mut depth, mut quoted) = (0_usize, false);
    list.split(|c: char| {
        match c {
            '`' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !quoted
    })
    .map(str::trim)
    .collect()
}

/// Whether the name can stand in a term without backquotes.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && word(name) == name.len()
}

/// What is differentiated and by what, of a name such as `(u^2)_xx`.
pub(crate) fn derivative_of_parentheses(name: &str) -> Option<(&str, &str)> {
    let (inside, by) = name.strip_prefix('(')?.rsplit_once(")_")?;
    let is_word = !by.is_empty() && word(by) == by.len();
    (is_word && is_balanced(inside) && !inside.contains('`')).then_some((inside, by))
}

/// Whether every parenthesis is closed after it was opened.
fn is_balanced(text: &str) -> bool {
    let step = |depth: usize, c: char| match c {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    };
    !text.is_empty() && text.chars().try_fold(0, step) == Some(0)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Name { name: String, quoted: bool },
    Parameter(String),
    Symbol(&'static str),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Name { name, .. } => write!(f, "{name:?}"),
            Self::Parameter(name) => write!(f, "\"?{name}\""),
            Self::Symbol(symbol) => write!(f, "{symbol:?}"),
        }
    }
}

/// The tokens of the text, each with its column.
fn tokens(text: &str) -> Result<Vec<(Token, usize)>> {
    let mut rest = text;
    let mut tokens = Vec::new();
    loop {
        rest = rest.trim_start();
        let column = text[..text.len() - rest.len()].chars().count();
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        let Some((token, len)) = token(rest) else {
            let problem = match first {
                '`' => TermProblem::NeverQuoted,
                found => TermProblem::UnknownCharacter { found },
            };
            return Err(error(text, column, problem));
        };
        tokens.push((token, column));
        rest = &rest[len..];
    }
}

/// The spellings of the symbols, longer ones first, and what they mean.
const SYMBOLS: [(&str, &str); 9] = [
    ("**", "^"),
    ("^", "^"),
    ("*", "*"),
    ("/", "/"),
    ("+", "+"),
    ("-", "-"),
    ("−", "-"),
    ("(", "("),
    (")", ")"),
];

/// The token that the text starts with, and its length in bytes.
fn token(text: &str) -> Option<(Token, usize)> {
    if let Some((name, len)) = quoted(text) {
        return Some((Token::Name { name, quoted: true }, len));
    }
    if let Some(behind) = text.strip_prefix('?') {
        let name = &behind[..word(behind)];
        let token = Token::Parameter(name.to_owned());
        return (!name.is_empty()).then_some((token, 1 + name.len()));
    }
    let (number, word) = (number(text), word(text));
    if number > 0 {
        let value = text[..number].parse().ok()?;
        return Some((Token::Number(value), number));
    }
    if word > 0 {
        let name = text[..word].to_owned();
        let quoted = false;
        return Some((Token::Name { name, quoted }, word));
    }
    let (spelling, symbol) = SYMBOLS.iter().find(|(s, _)| text.starts_with(s))?;
    Some((Token::Symbol(symbol), spelling.len()))
}

/// How many bytes of the text are a number: `2`, `2.`, `.5`, `2.5e-3`.
fn number(text: &str) -> usize {
    let digits = |from: usize| -> usize {
        let rest = text.as_bytes()[from..].iter();
        rest.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let is_one_of = |place: usize, wanted: &[u8]| {
        let byte = text.as_bytes().get(place);
        usize::from(byte.is_some_and(|byte| wanted.contains(byte)))
    };
    let whole = digits(0);
    let point = is_one_of(whole, b".");
    let fraction = if point > 0 { digits(whole + 1) } else { 0 };
    if whole + fraction == 0 {
        return 0;
    }
    let mantissa = whole + point + fraction;
    let letter = is_one_of(mantissa, b"eE");
    let sign = is_one_of(mantissa + letter, b"+-");
    // Without digits the letter begins a name.
    match letter * digits(mantissa + letter + sign) {
        0 => mantissa,
        exponent => mantissa + letter + sign + exponent,
    }
}

/// How many bytes of the text are a word of letters, digits, `_` and `.`.
fn word(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return 0;
    }
    let is_outside = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    text.find(is_outside).unwrap_or(text.len())
}

/// The name in the backquotes that the text starts with, and their length; two within stand for
/// one.
fn quoted(text: &str) -> Option<(String, usize)> {
    let inside = text.strip_prefix('`')?;
    let mut name = String::new();
    let mut rest = inside;
    loop {
        let (piece, behind) = rest.split_once('`')?;
        name.push_str(piece);
        let Some(more) = behind.strip_prefix('`') else {
            let len = text.len() - behind.len();
            return (!name.is_empty()).then_some((name, len));
        };
        name.push('`');
        rest = more;
    }
}

fn error(text: &str, column: usize, problem: TermProblem) -> Error {
    TermsError::Syntax {
        text: text.to_owned(),
        column,
        problem,
    }
    .into()
}

struct Parse<'a> {
    tokens: Vec<(Token, usize)>,
    next: usize,
    depth: usize,
    text: &'a str,
    features: &'a [String],
    parameters: Option<&'a mut Vec<String>>,
}

impl Parse<'_> {
    fn sum(&mut self) -> Result<Node> {
        let start = self.column();
        let mut operands = vec![self.product()?];
        while let Some(sign) = self.take_one_of(["+", "-"]) {
            let operand = self.product()?;
            operands.push(if sign == "-" {
                node::negate(operand)
            } else {
                operand
            });
        }
        self.finite(node::sum(operands), start)
    }

    fn product(&mut self) -> Result<Node> {
        let start = self.column();
        let mut factors = vec![self.unary()?];
        while let Some(operator) = self.take_one_of(["*", "/"]) {
            let start = self.column();
            let factor = self.unary()?;
            factors.push(match operator {
                "/" => self.finite(node::power(factor, Node::number(-1.0)), start)?,
                _ => factor,
            });
        }
        self.finite(node::product(factors), start)
    }

    fn unary(&mut self) -> Result<Node> {
        if self.depth == MAX_DEPTH {
            return Err(self.error_here(TermProblem::TooDeep { limit: MAX_DEPTH }));
        }
        self.depth += 1;
        let node = match self.take_one_of(["-", "+"]) {
            Some("-") => node::negate(self.unary()?),
            Some(_) => self.unary()?,
            None => self.power()?,
        };
        self.depth -= 1;
        Ok(node)
    }

    fn power(&mut self) -> Result<Node> {
        let start = self.column();
        let base = self.atom()?;
        if self.take_one_of(["^"]).is_none() {
            return Ok(base);
        }
        let exponent = self.unary()?;
        self.finite(node::power(base, exponent), start)
    }

    fn atom(&mut self) -> Result<Node> {
        let start = self.column();
        match self.peek().cloned() {
            Some(Token::Number(value)) => {
                self.next += 1;
                self.finite(Node::number(value), start)
            }
            Some(Token::Symbol("(")) => {
                let inside = self.parenthesis()?;
                self.differentiated(inside, start)
            }
            Some(Token::Name { name, quoted }) => {
                self.next += 1;
                let called = self.peek() == Some(&Token::Symbol("("));
                if called && !quoted {
                    self.call(&name, start)
                } else {
                    self.name(name, quoted, start)
                }
            }
            Some(Token::Parameter(name)) => self.parameter(name),
            Some(token) => Err(self.error_here(TermProblem::MissingOperand {
                found: token.to_string(),
            })),
            None => {
                let found = "the end".to_owned();
                Err(self.error_here(TermProblem::MissingOperand { found }))
            }
        }
    }

    fn parenthesis(&mut self) -> Result<Node> {
        let opened = self.column();
        self.next += 1;
        let node = self.sum()?;
        match self.peek() {
            Some(Token::Symbol(")")) => {
                self.next += 1;
                Ok(node)
            }
            None => Err(error(self.text, opened, TermProblem::NeverClosed)),
            Some(token) => {
                let found = token.to_string();
                Err(self.error_here(TermProblem::MissingOperator { found }))
            }
        }
    }

    /// The feature that is the derivative of what stands in parentheses, if a word such as `_xx`
    /// follows them.
    fn differentiated(&mut self, inside: Node, start: usize) -> Result<Node> {
        match self.peek() {
            Some(Token::Name { name, quoted }) if !quoted && name.starts_with('_') => {
                let name = format!("({}){name}", render::text(&inside));
                self.next += 1;
                self.name(name, true, start)
            }
            _ => Ok(inside),
        }
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Node> {
        let function = match name {
            "sqrt" => None,
            "ln" => Some(Function::Log),
            _ => match Function::ALL
                .into_iter()
                .find(|function| function.name() == name)
            {
                Some(function) => Some(function),
                None => return Err(self.unknown_function(name, start)),
            },
        };
        let argument = self.parenthesis()?;
        let node = match function {
            Some(function) => node::apply(function, argument),
            None => node::sqrt(argument),
        };
        self.finite(node, start)
    }

    fn name(&mut self, name: String, quoted: bool, start: usize) -> Result<Node> {
        if let Some(column) = self.features.iter().position(|feature| *feature == name) {
            return Ok(Node::Feature(Feature {
                column,
                name: name.into(),
            }));
        }
        if name == "pi" && !quoted {
            return Ok(Node::number(std::f64::consts::PI));
        }
        let problem = if functions().contains(&name) && !quoted {
            TermProblem::MissingArgument { name }
        } else {
            TermProblem::UnknownFeature {
                nearest: nearest(&name, self.features).map(str::to_owned),
                name,
                known: self.features.to_vec(),
            }
        };
        Err(error(self.text, start, problem))
    }

    fn parameter(&mut self, name: String) -> Result<Node> {
        let spelling = format!("?{name}");
        if self.features.contains(&spelling) {
            return Err(self.error_here(TermProblem::ParameterIsFeature { name }));
        }
        let Some(parameters) = &mut self.parameters else {
            return Err(self.error_here(TermProblem::ParameterUnknown { name }));
        };
        let known = parameters.iter().position(|known| *known == name);
        let place = known.unwrap_or_else(|| {
            parameters.push(name);
            parameters.len() - 1
        });
        self.next += 1;
        Ok(Node::Feature(Feature {
            column: self.features.len() + place,
            name: spelling.into(),
        }))
    }

    fn unknown_function(&self, name: &str, start: usize) -> Error {
        if self.features.iter().any(|feature| feature == name) {
            let found = "\"(\"".to_owned();
            return self.error_here(TermProblem::MissingOperator { found });
        }
        let known = functions();
        let problem = TermProblem::UnknownFunction {
            name: name.to_owned(),
            nearest: nearest(name, &known).map(str::to_owned),
            known,
        };
        error(self.text, start, problem)
    }

    /// The node, unless it has just become infinite or undefined.
    fn finite(&self, node: Node, start: usize) -> Result<Node> {
        if node.leading_coefficient().is_finite() {
            Ok(node)
        } else {
            Err(error(self.text, start, TermProblem::ConstantNotFinite))
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn take_one_of<const N: usize>(&mut self, symbols: [&'static str; N]) -> Option<&'static str> {
        let Some(Token::Symbol(symbol)) = self.peek() else {
            return None;
        };
        let symbol = symbols.into_iter().find(|known| known == symbol)?;
        self.next += 1;
        Some(symbol)
    }

    /// The column of the next token, or just after the last one.
    fn column(&self) -> usize {
        match self.tokens.get(self.next) {
            Some((_, column)) => *column,
            None => self.text.trim_end().chars().count(),
        }
    }

    fn error_here(&self, problem: TermProblem) -> Error {
        error(self.text, self.column(), problem)
    }
}

/// The names of all functions, as a user may write them.
fn functions() -> Vec<String> {
    let names = Function::ALL.into_iter().map(Function::name);
    names.chain(["sqrt", "ln"]).map(str::to_owned).collect()
}
