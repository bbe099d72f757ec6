//! The tail of the F distribution, by the incomplete beta function.
//!
//! Press et al., Numerical Recipes, section 6.4: the continued fraction by the modified Lentz
//! method.

/// The probability that a variable of the F distribution exceeds `f`.
///
/// # Formula
/// ```text
/// I_x(d₂/2, d₁/2),   x = d₂ / (d₂ + d₁ f)
/// ```
pub(crate) fn f_tail(f: f64, d1: f64, d2: f64) -> f64 {
    if f.is_nan() || f <= 0.0 {
        return 1.0;
    }
    if f.is_infinite() {
        return 0.0;
    }
    incomplete_beta(
        0.5 * d2,
        0.5 * d1,
        d2 / (d2 + d1 * f),
        d1 * f / (d2 + d1 * f),
    )
}

/// `I_x(a, b)`, with `y = 1 − x` given to full precision.
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let log_front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * y.ln();
    let front = log_front.exp();
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        front * continued(a, b, x) / a
    } else {
        1.0 - front * continued(b, a, y) / b
    };
    value.clamp(0.0, 1.0)
}

/// The continued fraction of the incomplete beta function.
fn continued(a: f64, b: f64, x: f64) -> f64 {
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..MOST {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for step in [even, odd] {
            d = 1.0 / away(1.0 + step * d);
            c = away(1.0 + step / c);
            change = d * c;
            h *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    h
}

/// In place of zero in a denominator.
const TINY: f64 = 1e-300;

/// Steps of the continued fraction; some square root of the larger degree of freedom is needed.
const MOST: u32 = 100_000;

#[cfg(test)]
mod tests {
    use super::f_tail;

    #[test]
    fn tails_are_those_of_closed_forms() {
        for f in [1e-6_f64, 0.3, 1.0, 2.5, 40.0, 1e5] {
            for d in [1.0_f64, 3.0, 12.0, 200.0, 90_000.0] {
                // Two degrees of freedom above: a power.
                let known = (-0.5 * d * (2.0 * f / d).ln_1p()).exp();
                let own = f_tail(f, 2.0, d);
                let near = 1e-9 * known;
                assert!((own - known).abs() <= near, "{f} {d}: {own} {known}");
                // The inverse of a ratio has its degrees of freedom exchanged.
                let both = f_tail(f, d, 7.0) + f_tail(1.0 / f, 7.0, d);
                assert!((both - 1.0).abs() <= 1e-10, "{f} {d}: {both}");
                // As likely above 1 as below.
                assert!((f_tail(1.0, d, d) - 0.5).abs() <= 1e-9, "{d}");
            }
            // Student's t with two degrees of freedom, squared.
            let known = 2.0 / (2.0 + f + (f * (2.0 + f)).sqrt());
            let own = f_tail(f, 1.0, 2.0);
            assert!((own - known).abs() <= 1e-12 * known, "{f}: {own} {known}");
        }
        assert!((f_tail(0.0, 3.0, 4.0) - 1.0).abs() <= 0.0);
        assert!(f_tail(f64::INFINITY, 3.0, 4.0).abs() <= 0.0);
    }
}
