//! Formulas in presentation `MathML`, which browsers typeset.
//!
//! Names are written as the caller wants them; [`symbol`] is the usual way. Factors have a thin
//! space between them, or a dot where a name is a word: `hare*lynx` is no word `harelynx`.

use super::{Binding, Notation, Rendered, decimal, escape_xml, greek, multiplied, signed};
use super::{Feature, Function, Node, derivative, formula, split_index};

pub(in super::super) fn mathml(node: &Node, symbol: &dyn Fn(&str) -> String) -> String {
    let times = if has_word(node, symbol) {
        "<mo>⋅</mo>"
    } else {
        "<mo>&#x2062;</mo><mspace width=\"0.17em\"/>"
    };
    super::render(&MathMl { symbol, times }, node).0
}

/// A name as the symbol of a quantity in `MathML`: Greek letters, indices, words upright.
///
/// ```
/// use eqlearn::terms::term::symbol;
///
/// assert_eq!(symbol("x12"), "<msub><mi>x</mi><mn>12</mn></msub>");
/// assert_eq!(symbol("theta"), "<mi>θ</mi>");
/// assert_eq!(symbol("u_xx"), "<msub><mi>u</mi><mi>xx</mi></msub>");
/// assert_eq!(symbol("k_on"), "<msub><mi>k</mi><mtext>on</mtext></msub>");
/// ```
pub fn symbol(name: &str) -> String {
    if let Some((of, by)) = derivative(name) {
        return format!("<msub>{}<mi>{by}</mi></msub>", differentiated(of));
    }
    let (stem, index) = split_index(name);
    if !index.is_empty() {
        return format!("<msub>{}<mn>{index}</mn></msub>", stem_symbol(stem));
    }
    match name.split_once('_') {
        Some((stem, rest)) if is_letter(stem) && !rest.is_empty() && !rest.contains('_') => {
            let rest = escape_xml(rest);
            format!("<msub>{}<mtext>{rest}</mtext></msub>", stem_symbol(stem))
        }
        _ => stem_symbol(name),
    }
}

/// A quantity, or a formula in parentheses, of which an index says by what it is differentiated.
fn differentiated(of: &str) -> String {
    let inside = of.strip_prefix('(').and_then(|of| of.strip_suffix(')'));
    match inside.and_then(formula) {
        Some(inside) => format!(
            "<mrow><mo>(</mo>{}<mo>)</mo></mrow>",
            mathml(&inside, &symbol)
        ),
        None => symbol(of),
    }
}

fn stem_symbol(stem: &str) -> String {
    match greek(stem) {
        Some(letter) => format!("<mi>{letter}</mi>"),
        None => format!("<mi>{}</mi>", escape_xml(stem)),
    }
}

fn is_letter(stem: &str) -> bool {
    stem.chars().count() == 1 || greek(stem).is_some()
}

/// Whether some feature is written with several letters.
fn has_word(node: &Node, symbol: &dyn Fn(&str) -> String) -> bool {
    let is_word = |markup: &str| {
        let mut names = markup.split("<mi>").skip(1);
        names.any(|rest| {
            rest.find('<')
                .is_some_and(|end| rest[..end].chars().count() > 1)
        })
    };
    if let Node::Feature(feature) = node {
        return is_word(&symbol(&feature.name));
    }
    let mut inner = node.children().into_iter();
    inner.any(|child| has_word(child, symbol))
}

/// A fraction of two numbers as `1/3`: in an exponent one above the other is too small to read.
fn in_one_line(exponent: &str) -> String {
    let inner = exponent.strip_prefix("<mfrac><mn>");
    let inner = inner.and_then(|inner| inner.strip_suffix("</mn></mfrac>"));
    match inner.and_then(|inner| inner.split_once("</mn><mn>")) {
        Some((over, under)) => format!("<mn>{over}/{under}</mn>"),
        None => exponent.to_string(),
    }
}

struct MathMl<'a> {
    symbol: &'a dyn Fn(&str) -> String,
    /// What stands between factors.
    times: &'static str,
}

impl Notation for MathMl<'_> {
    const FRACTION: Binding = Binding::Sum;
    const EXPONENT: Binding = Binding::Sum;

    fn feature(&self, feature: &Feature) -> String {
        (self.symbol)(&feature.name)
    }

    fn number(&self, value: f64) -> Rendered {
        let decimal = decimal(value);
        let Some((mantissa, exponent)) = decimal.split_once('e') else {
            return (format!("<mn>{decimal}</mn>"), Binding::Atom);
        };
        let exponent = match exponent.strip_prefix('-') {
            Some(digits) => format!("<mrow><mo>-</mo><mn>{digits}</mn></mrow>"),
            None => format!("<mn>{exponent}</mn>"),
        };
        let ten = format!("<msup><mn>10</mn>{exponent}</msup>");
        (
            row(&format!("<mn>{mantissa}</mn><mo>&#xD7;</mo>{ten}")),
            Binding::Product,
        )
    }

    fn pi(&self) -> String {
        "<mi>π</mi>".to_owned()
    }

    fn sum(&self, operands: &[(bool, String)]) -> String {
        row(&signed(operands, "<mo>+</mo>", "<mo>-</mo>"))
    }

    fn product(&self, factors: &[String]) -> String {
        match factors {
            [factor] => factor.clone(),
            _ => row(&factors.join(self.times)),
        }
    }

    fn fraction(&self, numerator: &str, denominator: &[Rendered]) -> String {
        format!(
            "<mfrac>{numerator}{}</mfrac>",
            multiplied(self, denominator.to_vec()).0
        )
    }

    fn power(&self, base: &str, exponent: &str) -> String {
        let exponent = &in_one_line(exponent);
        // Index and exponent above each other.
        match base.strip_prefix("<msub>") {
            Some(inner) => {
                let inner = inner.strip_suffix("</msub>").unwrap_or(inner);
                format!("<msubsup>{inner}{exponent}</msubsup>")
            }
            None => format!("<msup>{base}{exponent}</msup>"),
        }
    }

    fn square_root(&self, radicand: &str) -> String {
        format!("<msqrt>{radicand}</msqrt>")
    }

    fn function(&self, function: Function, argument: &str) -> Rendered {
        let name = match function {
            Function::Abs => {
                return (
                    row(&format!("<mo>|</mo>{argument}<mo>|</mo>")),
                    Binding::Atom,
                );
            }
            Function::Cbrt => {
                return (
                    format!("<mroot>{argument}<mn>3</mn></mroot>"),
                    Binding::Atom,
                );
            }
            Function::Asin => "<mi>arcsin</mi>",
            Function::Acos => "<mi>arccos</mi>",
            Function::Atan => "<mi>arctan</mi>",
            Function::Log => "<mi>ln</mi>",
            Function::Log10 => "<msub><mi>log</mi><mn>10</mn></msub>",
            Function::Log2 => "<msub><mi>log</mi><mn>2</mn></msub>",
            _ => &format!("<mi>{}</mi>", function.name()),
        };
        let argument = self.parentheses(argument);
        (
            row(&format!("{name}<mo>&#x2061;</mo>{argument}")),
            Binding::Power,
        )
    }

    fn parentheses(&self, inner: &str) -> String {
        row(&format!("<mo>(</mo>{inner}<mo>)</mo>"))
    }
}

fn row(inner: &str) -> String {
    format!("<mrow>{inner}</mrow>")
}
