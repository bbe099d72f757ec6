//! Equations as `MathML`, which browsers typeset themselves.
//!
//! Browsers do not break formulas into lines, so an equation is several of them: the left side, and
//! one per term. Lines break between them.

use eqlearn::tell::document::{Equation, GroupTerm, GroupsReport, TermEntry};
use eqlearn::{Term, with_error};

use crate::symbols::Symbols;

/// The whole equation of a result.
pub(crate) fn equation(equation: &Equation, symbols: &Symbols) -> String {
    let left = symbols.left(&equation.left_side);
    match (&equation.numerator, &equation.denominator) {
        (Some(over), Some(under)) => fraction(&left, over, under, symbols),
        _ => formula(&left, &equation.terms, symbols),
    }
}

/// One law for several experiments: a symbol for each coefficient that they have of their own.
pub(crate) fn grouped(equation: &Equation, groups: &GroupsReport, symbols: &Symbols) -> String {
    let column = symbols.of(&groups.column);
    let summand = |(i, term): (usize, &GroupTerm)| {
        let entry = TermEntry {
            term: term.term.clone(),
            coefficient: term.coefficients.first().copied().flatten().unwrap_or(0.0),
            std_error: term.std_errors.first().copied().flatten(),
            inclusion: None,
        };
        let Some(symbol) = &term.symbol else {
            return signed(i, &entry, &product(&entry, symbols));
        };
        let number: String = symbol.chars().filter(char::is_ascii_digit).collect();
        let coefficient = coefficient_symbol(&number, &column);
        let sign = if i > 0 {
            "<mo form=\"infix\">+</mo>"
        } else {
            ""
        };
        let factor = factor(&entry, symbols);
        match term.term.as_str() {
            "1" => format!("{sign}{coefficient}"),
            _ => format!("{sign}{coefficient}<mspace width=\"0.2em\"/>{factor}"),
        }
    };
    let summands: Vec<String> = groups.terms.iter().enumerate().map(summand).collect();
    pieces(&symbols.left(&equation.left_side), &summands)
}

/// A coefficient that each experiment has of its own.
pub(crate) fn coefficient_symbol(number: &str, column: &str) -> String {
    format!("<msub><mi>c</mi><mrow><mn>{number}</mn><mo>,</mo>{column}</mrow></msub>")
}

/// An equation that is one fraction.
pub(crate) fn fraction(
    left: &str,
    over: &[TermEntry],
    under: &[TermEntry],
    symbols: &Symbols,
) -> String {
    let row = |terms: &[TermEntry]| summands(terms, symbols).concat();
    let (over, under) = (row(over), row(under));
    let right = format!("<mfrac><mrow>{over}</mrow><mrow>{under}</mrow></mfrac>");
    pieces(left, &[right])
}

/// An equation that is a sum of terms.
pub(crate) fn formula(left: &str, terms: &[TermEntry], symbols: &Symbols) -> String {
    pieces(left, &summands(terms, symbols))
}

fn pieces(left: &str, right: &[String]) -> String {
    // The space between the pieces takes the place of that of the signs.
    let spaced = |piece: &String| match piece.strip_prefix("<mo form=\"infix\">") {
        Some(rest) => format!(" <math><mo form=\"infix\" lspace=\"0\">{rest}</math>"),
        None => format!(" <math>{piece}</math>"),
    };
    let right: String = right.iter().map(spaced).collect();
    let equals = "<mo form=\"infix\" rspace=\"0\">=</mo>";
    format!("<span class=\"formula\"><math>{left}{equals}</math>{right}</span>")
}

/// Each term with its sign and coefficient.
fn summands(terms: &[TermEntry], symbols: &Symbols) -> Vec<String> {
    if terms.is_empty() {
        return vec!["<mn>0</mn>".into()];
    }
    let summand = |(i, entry)| signed(i, entry, &product(entry, symbols));
    terms.iter().enumerate().map(summand).collect()
}

/// A summand behind its sign.
fn signed(place: usize, entry: &TermEntry, product: &str) -> String {
    let sign = match (place, entry.coefficient.is_sign_negative()) {
        (0, false) => "",
        (0, true) => "<mo form=\"prefix\">−</mo>",
        (_, false) => "<mo form=\"infix\">+</mo>",
        (_, true) => "<mo form=\"infix\">−</mo>",
    };
    format!("{sign}{product}")
}

/// A term, in brackets where it is a sum.
fn factor(entry: &TermEntry, symbols: &Symbols) -> String {
    let factor = symbols.term(&entry.term);
    let parsed = Term::parse(&entry.term, symbols.features());
    if parsed.is_ok_and(|term| term.needs_brackets()) {
        format!("<mrow><mo>(</mo>{factor}<mo>)</mo></mrow>")
    } else {
        factor
    }
}

fn product(entry: &TermEntry, symbols: &Symbols) -> String {
    let coefficient = number(&with_error(entry.coefficient.abs(), entry.std_error));
    if entry.term == "1" {
        return coefficient;
    }
    let factor = factor(entry, symbols);
    // The coefficient of a denominator that is 1 by choice says nothing.
    let is_exact = entry.std_error.is_none_or(|error| error <= 0.0);
    let is_one = is_exact && (entry.coefficient.abs() - 1.0).abs() <= 0.0;
    if is_one {
        return factor;
    }
    format!("{coefficient}<mspace width=\"0.2em\"/>{factor}")
}

/// A number with its error, with powers of ten written as such.
fn number(text: &str) -> String {
    match text.split_once('e') {
        None => format!("<mn>{text}</mn>"),
        Some((mantissa, exponent)) => format!(
            "<mn>{mantissa}</mn><mo>×</mo><msup><mn>10</mn><mn>{}</mn></msup>",
            exponent.replace('-', "−")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(term: &str, coefficient: f64) -> TermEntry {
        TermEntry {
            term: term.into(),
            coefficient,
            std_error: Some(0.01),
            inclusion: None,
        }
    }

    #[test]
    fn powers_of_ten_are_written_as_such() {
        assert_eq!(number("2.0(1)"), "<mn>2.0(1)</mn>");
        assert!(number("1.5e-7").contains("<msup><mn>10</mn><mn>−7</mn></msup>"));
    }

    #[test]
    fn lines_break_between_terms() {
        let symbols = Symbols::new(&["x".to_string()], [], &[]);
        let typeset = formula("<mi>y</mi>", &[entry("1", 2.0), entry("x", -3.0)], &symbols);
        assert_eq!(typeset.matches("<math>").count(), 3);
        assert_eq!(
            typeset,
            "<span class=\"formula\"><math><mi>y</mi><mo form=\"infix\" rspace=\"0\">=</mo></math> \
             <math><mn>2.000(10)</mn></math> <math><mo form=\"infix\" lspace=\"0\">−</mo>\
             <mn>3.000(10)</mn><mspace width=\"0.2em\"/><mrow><mi>x</mi></mrow></math></span>"
        );
    }
}
