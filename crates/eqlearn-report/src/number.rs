//! Numbers for readers: the digits that mean something, in one notation, all digits on demand.
//!
//! Powers of ten are written as such (`1.21(4)×10⁶`), and only where a number has more than seven
//! digits before the point or three zeros after it.

use eqlearn::terms::term::escape_xml as escape;

/// A number as text (`-1.21(4)e6`) as a page shows it (`−1.21(4)×10⁶`).
pub(crate) fn typeset(text: &str) -> String {
    let minus = |text: &str| text.replace('-', "−");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            format!(
                "{}×10{}",
                minus(mantissa),
                exponent.chars().map(raised).collect::<String>()
            )
        }
        None => minus(text),
    }
}

fn raised(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    }
}

/// A number with so many significant digits.
pub(crate) fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let Some((_, exponent)) = text.split_once('e') else {
        return text;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..7).contains(&exponent) && value.abs() > 0.0 {
        return typeset(&text);
    }
    // Digits before the point need no decimals.
    let before = exponent + 1;
    let decimals = match usize::try_from(before) {
        Ok(before) => digits.saturating_sub(before),
        Err(_) => digits + before.unsigned_abs() as usize,
    };
    let short: f64 = text.parse().unwrap_or(value);
    typeset(&format!("{short:.decimals$}"))
}

/// A number of `MathML` with more characters than this is told in four digits.
const LONGEST: usize = 8;

/// `MathML` with its long numbers in four digits: parameters stand in terms with all of theirs.
pub(crate) fn shortened(mathml: &str) -> String {
    let mut parts = mathml.split("<mn>");
    let mut short = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (number, rest) = part.split_once("</mn>").unwrap_or((part, ""));
        let value = number.parse::<f64>().ok();
        let long = value.filter(|_| number.len() > LONGEST);
        let told = long.map_or(number.to_string(), |value| rounded(value, 4));
        short.extend(["<mn>", &told, "</mn>", rest]);
    }
    short
}

/// What an equation explains, given what it does not: `99.95 %`, or `all but 3×10⁻⁹`.
pub(crate) fn explained(unexplained: f64) -> String {
    let percent = 100.0 * unexplained;
    if !percent.is_finite() {
        return "–".into();
    }
    if percent <= 0.0 {
        return "everything".into();
    }
    if percent < 1e-3 {
        return format!("all but {}", rounded(unexplained, 1));
    }
    // One digit of what is left, two after a leading 1: as many as anybody would compare.
    let text = format!("{percent:.1e}");
    let exponent = text.split_once('e').and_then(|(_, e)| e.parse().ok());
    let exponent: i32 = exponent.unwrap_or(0);
    let decimals = match exponent {
        1.. => 0,
        0 => 1,
        _ => exponent.unsigned_abs() as usize + usize::from(text.starts_with('1')),
    };
    format!("{:.decimals$} %", (100.0 - percent).max(0.0))
}

/// A probability with three digits, never as certain as a row of zeros or nines would look.
pub(crate) fn probability(share: f64) -> String {
    if share > 0.9995 {
        ">\u{a0}0.999".into()
    } else if share < 0.0005 {
        "<\u{a0}0.001".into()
    } else {
        format!("{share:.3}")
    }
}

/// All digits.
pub(crate) fn full(value: f64) -> String {
    typeset(&format!("{value:?}"))
}

/// A short text with all digits on demand.
pub(crate) fn on_demand(short: &str, full: &str) -> String {
    format!("<span title=\"{}\">{}</span>", escape(full), escape(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_written_as_such() {
        assert_eq!(typeset("1.21(4)e6"), "1.21(4)×10⁶");
        assert_eq!(typeset("-1.5e-7"), "−1.5×10⁻⁷");
        assert_eq!(rounded(0.1, 2), "0.10");
        assert_eq!(rounded(0.047_48, 2), "0.047");
        assert_eq!(rounded(1234.0, 2), "1200");
        assert_eq!(rounded(1.39e7, 2), "1.4×10⁷");
        assert_eq!(rounded(3.2e-9, 1), "3×10⁻⁹");
        assert_eq!(full(1.25e-30), "1.25×10⁻³⁰");
    }

    #[test]
    fn parameters_inside_terms_have_the_digits_that_people_read() {
        let rate = "<mi>exp</mi><mrow><mn>-0.1203505627455544</mn><mi>t</mi></mrow>";
        let short = "<mi>exp</mi><mrow><mn>−0.1204</mn><mi>t</mi></mrow>";
        assert_eq!(shortened(rate), short);
        let given = "<mn>5/3</mn><mi>x</mi><mn>12.5</mn>";
        assert_eq!(shortened(given), given);
        assert_eq!(shortened("<mi>x</mi>"), "<mi>x</mi>");
    }

    #[test]
    fn what_is_explained_has_the_digits_that_differ_from_100() {
        for (unexplained, expected) in [
            (4.6e-4, "99.95 %"),
            (1.556e-4, "99.984 %"),
            (0.024, "97.6 %"),
            (0.35, "65 %"),
            (1.2, "0 %"),
            (3.1e-9, "all but 3×10⁻⁹"),
            (0.0, "everything"),
        ] {
            assert_eq!(explained(unexplained), expected);
        }
    }

    #[test]
    fn no_probability_is_certain() {
        assert_eq!(probability(0.997_4), "0.997");
        assert_eq!(probability(1.0), ">\u{a0}0.999");
        assert_eq!(probability(0.0), "<\u{a0}0.001");
    }
}
