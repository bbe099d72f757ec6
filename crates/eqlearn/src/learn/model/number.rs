//! Numbers for people: as many digits as the standard error supports.

/// A number with its standard error in parentheses, in units of the last digit: `3.00(2)`,
/// `1.234(15)e-7`.
///
/// The error is shown with one digit, or two if the first is a 1. Without an error (or with one
/// that is zero or beyond the digits of a double) six significant digits are shown.
///
/// ```
/// use eqlearn::with_error;
///
/// assert_eq!(with_error(2.000_123, Some(0.000_31)), "2.0001(3)");
/// assert_eq!(with_error(-1234.5, Some(14.2)), "-1234(14)");
/// assert_eq!(with_error(0.1, None), "0.1");
/// ```
pub fn with_error(value: f64, error: Option<f64>) -> String {
    let error = error.filter(|e| e.is_finite() && *e > value.abs() * f64::EPSILON);
    let Some(error) = error else {
        return plain(value);
    };
    // Digits of the error: one, or two after a leading 1, counted after rounding to two.
    let rounded: f64 = format!("{error:.1e}")
        .parse()
        .expect("a formatted number parses");
    let leading = format!("{rounded:.1e}");
    let last = decimal_exponent(rounded) - i32::from(leading.starts_with('1'));
    let scale = decimal_exponent(value).max(last);
    if last < SMALLEST_EXPONENT {
        return plain(value);
    }
    if (-4..7).contains(&scale) && last <= 0 {
        let decimals = last.unsigned_abs() as usize;
        return format!("{value:.decimals$}({})", in_units(rounded, last));
    }
    // A common power of ten, so that value and error keep their shared last digit.
    let digits = usize::try_from(scale - last).unwrap_or(0);
    let mantissa = value / 10_f64.powi(scale);
    format!("{mantissa:.digits$}({})e{scale}", in_units(rounded, last))
}

/// The value with the digits that [`with_error`] shows.
pub(super) fn rounded(value: f64, error: Option<f64>) -> f64 {
    let text = with_error(value, error);
    let is_error = |c: char| c == '(' || c == ')';
    // Every other piece is in parentheses.
    let shown: String = text.split(is_error).step_by(2).collect();
    shown.parse().unwrap_or(value)
}

/// Below this power of ten there is no number to divide by.
const SMALLEST_EXPONENT: i32 = -307;

/// Six significant digits without trailing zeros.
fn plain(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let rounded: f64 = format!("{value:.5e}")
        .parse()
        .expect("a formatted number parses");
    if rounded.abs() > 0.0 && !(-4..7).contains(&decimal_exponent(rounded)) {
        format!("{rounded:e}")
    } else {
        format!("{rounded}")
    }
}

/// The error in units of `10^last`.
fn in_units(error: f64, last: i32) -> String {
    format!("{:.0}", error / 10_f64.powi(last))
}

fn decimal_exponent(value: f64) -> i32 {
    if value.abs() > 0.0 {
        let text = format!("{value:e}");
        let (_, exponent) = text
            .split_once('e')
            .expect("scientific notation has an exponent");
        exponent.parse().expect("an exponent is an integer")
    } else {
        i32::MIN / 2
    }
}

/// The same number with its power of ten typeset.
pub(super) fn to_latex(number: String) -> String {
    match number.split_once('e') {
        Some((mantissa, exponent)) => format!(r"{mantissa} \cdot 10^{{{exponent}}}"),
        None => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_decides_the_digits() {
        let cases = [
            (3.0, Some(0.02), "3.00(2)"),
            (3.0, Some(0.015), "3.000(15)"),
            (3.0, Some(0.0996), "3.00(10)"),
            (0.3, Some(0.5), "0.3(5)"),
            (0.0, Some(0.5), "0.0(5)"),
            (1234.5, Some(3000.0), "1(3)e3"),
            (1.234e-7, Some(1.5e-9), "1.234(15)e-7"),
            (6.022e23, Some(1e20), "6.0220(10)e23"),
            (123.456, Some(0.0), "123.456"),
            (-2.5, None, "-2.5"),
            (1.0 / 3.0, None, "0.333333"),
            (1e-9, None, "1e-9"),
            (0.0, None, "0"),
            (f64::INFINITY, None, "inf"),
            (f64::INFINITY, Some(1.0), "inf"),
            (5e-324, Some(2e-323), "5e-324"),
        ];
        for (value, error, expected) in cases {
            assert_eq!(with_error(value, error), expected, "{value} ± {error:?}");
        }
    }
}
