//! The one way to compare numbers.

/// How many significant digits agree; for an expected zero, digits of the absolute error.
pub(crate) fn digits(actual: f64, expected: f64) -> f64 {
    let scale = if expected.abs() > 0.0 {
        expected.abs()
    } else {
        1.0
    };
    let error = (actual - expected).abs() / scale;
    if error > 0.0 { -error.log10() } else { 17.0 }
}

/// Asserts that two numbers agree to this many significant digits.
#[track_caller]
pub(crate) fn assert_close(actual: f64, expected: f64, wanted: f64, what: &str) {
    let found = digits(actual, expected);
    assert!(
        found >= wanted,
        "{what}: {actual:e} and {expected:e} agree to {found:.1} digits, not {wanted}"
    );
}
