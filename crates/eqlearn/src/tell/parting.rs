//! How long a system follows a record, and when a chaotic one parts from it, in words.

use crate::dynamics::forecast::VALID;
use crate::dynamics::lyapunov::Exponent;
use crate::learn::model::with_error;

/// How long a system followed a record from several starts: for each the time, and whether it was
/// still valid where the record ended. `time` is the name of the time.
///
/// ```
/// use eqlearn::tell::parting::horizons;
///
/// let said = horizons(&[(3.41, false), (0.5, false), (2.2, false), (1.0, true)], "t");
/// assert_eq!(
///     said,
///     "Of 4 starts along the record 3 are lost before its end, after 0.50 to 3.4 of t \
///      (median 2.2)."
/// );
/// assert_eq!(horizons(&[(20.0, true)], "t"), "From the first sample it follows to the end.");
/// assert_eq!(
///     horizons(&[(9.0, false)], "t"),
///     "From the first sample it follows for 9.0 of t, and is lost before the end."
/// );
/// ```
pub fn horizons(starts: &[(f64, bool)], time: &str) -> String {
    // A start that is valid at the end of the record could have been followed for longer.
    let lost = starts.iter().filter(|(_, reaches_end)| !reaches_end);
    let mut lost: Vec<f64> = lost.map(|(horizon, _)| *horizon).collect();
    lost.sort_by(f64::total_cmp);
    match lost.as_slice() {
        [] if starts.len() > 1 => {
            "From the first sample of every run it follows to the end.".into()
        }
        [] => "From the first sample it follows to the end.".into(),
        [least, .., most] => format!(
            "Of {} starts along the record {} are lost before its end, after {} to {} of {time} \
             (median {}).",
            starts.len(),
            lost.len(),
            two_digits(*least),
            two_digits(*most),
            two_digits(lost[lost.len() / 2])
        ),
        [one] if starts.len() == 1 => format!(
            "From the first sample it follows for {} of {time}, and is lost before the end.",
            two_digits(*one)
        ),
        [one] => format!(
            "Of {} starts along the record one is lost before its end, after {} of {time}.",
            starts.len(),
            two_digits(*one)
        ),
    }
}

/// One sentence: how fast errors grow, and when a forecast from a measured state is lost whatever
/// the model is. `noise` and `spreads` are those of each state.
///
/// ```
/// use eqlearn::dynamics::lyapunov::Exponent;
/// use eqlearn::tell::parting::chaos;
///
/// let lorenz = Exponent { value: 0.91, std_error: 0.03 };
/// assert_eq!(
///     chaos(&lorenz, &[0.1, 0.1], &[7.9, 8.9], "t"),
///     "The learned system is chaotic: small errors grow e-fold in 1.1 of t (Lyapunov exponent \
///      0.91(3)), so any model parts from the record, and one that starts from a measured state \
///      about 3.5 later."
/// );
/// ```
pub fn chaos(exponent: &Exponent, noise: &[f64], spreads: &[f64], time: &str) -> String {
    // The error of the start, with all states in units of their spread.
    let shares = noise
        .iter()
        .zip(spreads)
        .map(|(noise, spread)| noise / spread);
    let start = shares.map(|share| share * share).sum::<f64>().sqrt();
    let when = if start > 0.0 && start < VALID {
        let after = two_digits((VALID / start).ln() * exponent.time());
        format!(", and one that starts from a measured state about {after} later")
    } else {
        " after a few times that".into()
    };
    format!(
        "The learned system is chaotic: small errors grow e-fold in {} of {time} (Lyapunov \
         exponent {}), so any model parts from the record{when}.",
        two_digits(exponent.time()),
        with_error(exponent.value, Some(exponent.std_error))
    )
}

/// A number with two significant digits.
fn two_digits(value: f64) -> String {
    let decimals = 1.0 - value.abs().log10().floor();
    let decimals = (0..20).find(|&d| d as f64 >= decimals).unwrap_or(0);
    format!("{value:.decimals$}")
}
