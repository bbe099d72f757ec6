//! Functions of a target: laws are often simple for `1/y`, `y²` or `log y` where they are not for
//! `y` itself.
//!
//! A law `g(y) = terms` is a law of `y`, because each of these functions has an inverse on the
//! values that it is used for. Noise that is even in `y` is `|g'(y)|` times as large in `g(y)`, so
//! rows are weighted by `1/g'(y)²`: the weighted residual of `g(y)` is then that of `y`, to first
//! order, and laws of different targets are compared on one scale.

use serde::{Deserialize, Serialize};

/// A function of the target.
///
/// ```
/// use eqlearn::terms::transform::Transform;
///
/// let lens = Transform::Reciprocal;
/// assert_eq!((lens.of("f").as_str(), lens.inverse(lens.apply(0.25))), ("1/f", 0.25));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// `1/y`.
    Reciprocal,
    /// `y²`, for values of one sign.
    Square,
    /// `1/y²`, for values of one sign.
    ReciprocalSquare,
    /// `√y`, for positive values.
    Root,
    /// The natural logarithm, for positive values.
    Log,
}

impl Transform {
    /// All of them, the plainest first.
    pub const ALL: [Self; 5] = [
        Self::Reciprocal,
        Self::Square,
        Self::Log,
        Self::ReciprocalSquare,
        Self::Root,
    ];

    /// Whether these values can be transformed and found again: of `1/y`, a target that changes
    /// its sign passes through a pole.
    pub fn is_defined_for(self, values: &[f64]) -> bool {
        match self {
            Self::Reciprocal => values.iter().all(|y| y.abs() > 0.0),
            _ => values.iter().all(|y| *y > 0.0),
        }
    }

    /// The function's value.
    pub fn apply(self, y: f64) -> f64 {
        match self {
            Self::Reciprocal => y.recip(),
            Self::Square => y * y,
            Self::ReciprocalSquare => (y * y).recip(),
            Self::Root => y.sqrt(),
            Self::Log => y.ln(),
        }
    }

    /// The value that was transformed; not finite, or NaN, if there is none.
    pub fn inverse(self, z: f64) -> f64 {
        match self {
            Self::Reciprocal => z.recip(),
            Self::Square => z.sqrt(),
            Self::ReciprocalSquare => z.sqrt().recip(),
            Self::Root if z < 0.0 => f64::NAN,
            Self::Root => z * z,
            Self::Log => z.exp(),
        }
    }

    /// The function's derivative.
    pub fn derivative(self, y: f64) -> f64 {
        match self {
            Self::Reciprocal => -(y * y).recip(),
            Self::Square => 2.0 * y,
            Self::ReciprocalSquare => -2.0 / (y * y * y),
            Self::Root => 0.5 / y.sqrt(),
            Self::Log => y.recip(),
        }
    }

    /// The power of `y`; none for the logarithm.
    pub fn power(self) -> Option<f64> {
        match self {
            Self::Reciprocal => Some(-1.0),
            Self::Square => Some(2.0),
            Self::ReciprocalSquare => Some(-2.0),
            Self::Root => Some(0.5),
            Self::Log => None,
        }
    }

    /// As text: `1/y`, `log(y)`.
    pub fn of(self, name: &str) -> String {
        match self {
            Self::Reciprocal => format!("1/{name}"),
            Self::Square => format!("{name}^2"),
            Self::ReciprocalSquare => format!("1/{name}^2"),
            Self::Root => format!("sqrt({name})"),
            Self::Log => format!("log({name})"),
        }
    }

    /// In LaTeX, given the LaTeX of the name.
    pub(crate) fn latex(self, name: &str) -> String {
        match self {
            Self::Reciprocal => format!(r"\frac{{1}}{{{name}}}"),
            Self::Square => format!("{name}^2"),
            Self::ReciprocalSquare => format!(r"\frac{{1}}{{{name}^2}}"),
            Self::Root => format!(r"\sqrt{{{name}}}"),
            Self::Log => format!(r"\ln {name}"),
        }
    }

    /// In `MathML`, given that of the name.
    pub fn mathml(self, name: &str) -> String {
        let squared = format!("<msup>{name}<mn>2</mn></msup>");
        match self {
            Self::Reciprocal => format!("<mfrac><mn>1</mn>{name}</mfrac>"),
            Self::Square => squared,
            Self::ReciprocalSquare => format!("<mfrac><mn>1</mn>{squared}</mfrac>"),
            Self::Root => format!("<msqrt>{name}</msqrt>"),
            Self::Log => format!("<mrow><mi>ln</mi><mo>&#x2061;</mo>{name}</mrow>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_and_the_derivative_is_the_slope() {
        for transform in Transform::ALL {
            for y in [0.3, 1.0, 7.5] {
                let back = transform.inverse(transform.apply(y));
                assert!((back - y).abs() < 1e-14, "{transform:?} of {y}");
                let h = 1e-6;
                let slope = (transform.apply(y + h) - transform.apply(y - h)) / (2.0 * h);
                let derivative = transform.derivative(y);
                assert!((slope / derivative - 1.0).abs() < 1e-7, "{transform:?}");
            }
        }
    }
}
