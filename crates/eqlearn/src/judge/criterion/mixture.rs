//! Mixtures of g-priors: one integral over `g`, in log space.
//!
//! Given `g`, the Bayes factor against the empty model is `(1 + g)^((n−m)/2) (1 + ρ g)^(−n/2)`. A
//! mixture weighs it with a prior on `g`. In `t = ln g` the integrand is smooth and falls off on
//! both sides, where the trapezoidal rule converges faster than any power of its step.

use std::f64::consts::PI;

use crate::numeric::minimise::golden;

/// No data put the peak of `ln g` outside of these.
const EVERY_G: (f64, f64) = (-200.0, 200.0);

/// Golden sections until the maximum is known to 1e-6.
const ROUNDS: usize = 42;

/// The log Bayes factor under the hyper-g prior `(a − 2)/2 · (1 + g)^(−a/2)`.
pub(super) fn hyper_g(n: f64, m: f64, rho: f64, a: f64) -> f64 {
    if m <= 0.0 {
        return 0.0;
    }
    let log_norm = ((a - 2.0) / 2.0).ln();
    log_integral(|t| log_norm + t + log_factor(t, n, m, rho) - 0.5 * a * log_one_plus_exp(t))
}

/// The log Bayes factor under the Zellner–Siow prior: `g` inverse gamma with shape ½ and rate
/// `N/2`.
pub(super) fn zellner_siow(n: f64, m: f64, rho: f64, n_obs: f64) -> f64 {
    if m <= 0.0 {
        return 0.0;
    }
    let log_norm = 0.5 * (0.5 * n_obs / PI).ln();
    log_integral(|t| log_norm - 0.5 * t - 0.5 * n_obs * (-t).exp() + log_factor(t, n, m, rho))
}

fn log_factor(t: f64, n: f64, m: f64, rho: f64) -> f64 {
    0.5 * (n - m) * log_one_plus_exp(t) - 0.5 * n * log_one_plus_exp(t + rho.ln())
}

/// `ln(1 + eᵗ)` without overflow.
fn log_one_plus_exp(t: f64) -> f64 {
    if t > 0.0 {
        t + (-t).exp().ln_1p()
    } else {
        t.exp().ln_1p()
    }
}

/// `ln ∫ exp(h(t)) dt` for a smooth `h` with one maximum that falls at least linearly on both
/// sides.
fn log_integral(h: impl Fn(f64) -> f64) -> f64 {
    let mode = golden(EVERY_G, ROUNDS, |t| -h(t));
    let top = h(mode);
    // The peak's width from its curvature; singularities of the integrand lie at distance π from
    // the real line.
    let probe = 1e-3;
    let curvature = (2.0 * top - h(mode - probe) - h(mode + probe)) / (probe * probe);
    let step = if curvature > 0.0 {
        (0.3 / curvature.sqrt()).min(0.2)
    } else {
        0.2
    };
    let mut sum = 1.0;
    for direction in [-step, step] {
        let mut t = mode + direction;
        loop {
            let term = (h(t) - top).exp();
            sum += term;
            if term < 1e-18 {
                break;
            }
            t += direction;
        }
    }
    top + (sum * step).ln()
}
