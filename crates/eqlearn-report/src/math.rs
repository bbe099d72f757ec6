//! Equations as MathML, which browsers typeset themselves.

use eqlearn::tell::document::{Equation, TermEntry};
use eqlearn::terms::term::escape_xml as escape;
use eqlearn::{Term, with_error};

/// The whole equation.
pub(crate) fn equation(equation: &Equation, features: &[String]) -> String {
    let left = equation.left_side.mathml();
    let right = match (&equation.numerator, &equation.denominator) {
        (Some(over), Some(under)) => {
            let (over, under) = (sum(over, features), sum(under, features));
            format!("<mfrac><mrow>{over}</mrow><mrow>{under}</mrow></mfrac>")
        }
        _ => sum(&equation.terms, features),
    };
    format!("<math display=\"block\"><mrow>{left}<mo>=</mo>{right}</mrow></math>")
}

/// A sum of terms.
fn sum(terms: &[TermEntry], features: &[String]) -> String {
    let mut text = String::new();
    for (i, entry) in terms.iter().enumerate() {
        let sign = match (i, entry.coefficient.is_sign_negative()) {
            (0, false) => "",
            (0, true) => "<mo form=\"prefix\">−</mo>",
            (_, false) => "<mo>+</mo>",
            (_, true) => "<mo>−</mo>",
        };
        text.push_str(sign);
        text.push_str(&product(entry, features));
    }
    if terms.is_empty() {
        text.push_str("<mn>0</mn>");
    }
    text
}

fn product(entry: &TermEntry, features: &[String]) -> String {
    let coefficient = number(&with_error(entry.coefficient.abs(), entry.std_error));
    if entry.term == "1" {
        return coefficient;
    }
    let factor = term(&entry.term, features);
    let bracketed = Term::parse(&entry.term, features).is_ok_and(|term| term.needs_brackets());
    let factor = if bracketed {
        format!("<mrow><mo>(</mo>{factor}<mo>)</mo></mrow>")
    } else {
        factor
    };
    format!("{coefficient}<mspace width=\"0.2em\"/>{factor}")
}

/// A term, or its text if it cannot be read.
pub(crate) fn term(text: &str, features: &[String]) -> String {
    match Term::parse(text, features) {
        Ok(term) => format!("<mrow>{}</mrow>", term.mathml()),
        Err(_) => format!("<mtext>{}</mtext>", escape(text)),
    }
}

/// A number with its error, with powers of ten written as such.
pub(crate) fn number(text: &str) -> String {
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
    use super::number;

    #[test]
    fn powers_of_ten_are_written_as_such() {
        assert_eq!(number("2.0(1)"), "<mn>2.0(1)</mn>");
        assert!(number("1.5e-7").contains("<msup><mn>10</mn><mn>−7</mn></msup>"));
    }
}
