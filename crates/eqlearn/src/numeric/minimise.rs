//! The smallest value of a function of one number.

/// Where a function with one minimum is smallest, by golden sections.
///
/// Each round evaluates the function once and shrinks the interval by 0.618; the answer is its
/// middle.
pub(crate) fn golden(
    (mut low, mut high): (f64, f64),
    rounds: usize,
    score: impl Fn(f64) -> f64,
) -> f64 {
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (score(a), score(b));
    for _ in 0..rounds {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = score(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = score(b);
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::golden;

    #[test]
    fn the_minimum_is_found_wherever_it_is() {
        for place in [-9.9, -1.0, 0.3, 7.5] {
            let found = golden((-10.0, 10.0), 40, |x| (x - place).powi(2));
            assert!((found - place).abs() < 1e-6, "{place}: {found}");
        }
    }
}
