//! When a forecast of a chaotic system parts from the record, in words.

use crate::dynamics::forecast::VALID;
use crate::dynamics::lyapunov::Exponent;
use crate::learn::model::with_error;

/// One sentence: how fast errors grow, and when a forecast from a measured state is lost whatever
/// the model is. `noise` and `spreads` are those of each state, `time` is the name of the time.
///
/// ```
/// use eqlearn::dynamics::lyapunov::Exponent;
/// use eqlearn::tell::parting::in_words;
///
/// let lorenz = Exponent { value: 0.91, std_error: 0.03 };
/// let said = in_words(&lorenz, &[0.1, 0.1], &[7.9, 8.9], "t");
/// assert_eq!(
///     said,
///     "The learned system is chaotic: small errors grow e-fold in 1.1 of t (Lyapunov exponent \
///      0.91(3)), so any model parts from the record, and one that starts from a measured state \
///      about 3.8 later."
/// );
/// ```
pub fn in_words(exponent: &Exponent, noise: &[f64], spreads: &[f64], time: &str) -> String {
    let room = noise.iter().zip(spreads).filter(|(noise, _)| **noise > 0.0);
    let room = room.map(|(noise, spread)| (VALID * spread / noise).ln());
    let least = room.fold(f64::INFINITY, f64::min);
    let when = if least.is_finite() && least > 0.0 {
        let after = least * exponent.time();
        let after = format!("{after:.*}", digits(after));
        format!(", and one that starts from a measured state about {after} later")
    } else {
        " after a few times that".into()
    };
    format!(
        "The learned system is chaotic: small errors grow e-fold in {:.*} of {time} (Lyapunov \
         exponent {}), so any model parts from the record{when}.",
        digits(exponent.time()),
        exponent.time(),
        with_error(exponent.value, Some(exponent.std_error))
    )
}

/// Decimals for two significant digits.
fn digits(value: f64) -> usize {
    let decimals = 1.0 - value.abs().log10().floor();
    (0..20).find(|&d| d as f64 >= decimals).unwrap_or(0)
}
