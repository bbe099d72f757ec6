//! One exponential Runge–Kutta step of fourth order (Cox and Matthews), its numbers by contour
//! integrals (Kassam and Trefethen, SIAM J. Sci. Comput. 26, 2005), because their formulas cancel
//! where a rate times the step is small.

use super::waves::{State, Waves};
use crate::numeric::fourier::Complex;

/// Points of a contour.
const CONTOUR: u32 = 32;

/// The numbers of a step of one length.
///
/// With the rates `L` of the waves and the rest `N` of the equation, for the state `v`:
/// ```text
/// a = e^{hL/2} v + Q N(v)
/// b = e^{hL/2} v + Q N(a)
/// c = e^{hL/2} a + Q (2 N(b) − N(v))
/// v' = e^{hL} v + f₁ N(v) + 2 f₂ (N(a) + N(b)) + f₃ N(c)
/// ```
pub(super) struct Step {
    length: f64,
    whole: State,
    half: State,
    q: State,
    f: [State; 3],
}

impl Step {
    pub(super) fn new(rates: &State, length: f64) -> Self {
        let scaled: State = rates.iter().map(|rate| rate * length).collect();
        let mean = |f: &dyn Fn(Complex<f64>) -> Complex<f64>| -> State {
            let around = |z: &Complex<f64>| {
                let points = (0..CONTOUR).map(|j| {
                    let angle = std::f64::consts::TAU * (f64::from(j) + 0.5) / f64::from(CONTOUR);
                    f(z + Complex::from_polar(1.0, angle))
                });
                points.sum::<Complex<f64>>() * (length / f64::from(CONTOUR))
            };
            scaled.iter().map(around).collect()
        };
        let cubed = |z: Complex<f64>| z * z * z;
        Self {
            length,
            whole: scaled.iter().map(|z| z.exp()).collect(),
            half: scaled.iter().map(|z| (z / 2.0).exp()).collect(),
            q: mean(&|z| ((z / 2.0).exp() - 1.0) / z),
            f: [
                mean(&|z| (-4.0 - z + z.exp() * (4.0 - 3.0 * z + z * z)) / cubed(z)),
                mean(&|z| (2.0 + z + z.exp() * (z - 2.0)) / cubed(z)),
                mean(&|z| (-4.0 - 3.0 * z - z * z + z.exp() * (4.0 - z)) / cubed(z)),
            ],
        }
    }

    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The state one step later.
    pub(super) fn take(&self, waves: &Waves, v: &State) -> State {
        let n_v = waves.rest(v);
        let a = sum(&[(&self.half, v, 1.0), (&self.q, &n_v, 1.0)]);
        let n_a = waves.rest(&a);
        let b = sum(&[(&self.half, v, 1.0), (&self.q, &n_a, 1.0)]);
        let n_b = waves.rest(&b);
        let c = sum(&[
            (&self.half, &a, 1.0),
            (&self.q, &n_b, 2.0),
            (&self.q, &n_v, -1.0),
        ]);
        let n_c = waves.rest(&c);
        sum(&[
            (&self.whole, v, 1.0),
            (&self.f[0], &n_v, 1.0),
            (&self.f[1], &n_a, 2.0),
            (&self.f[1], &n_b, 2.0),
            (&self.f[2], &n_c, 1.0),
        ])
    }
}

/// The sum of products of factors with states.
fn sum(parts: &[(&State, &State, f64)]) -> State {
    let at = |i: usize| parts.iter().map(|(a, b, c)| a[i] * b[i] * *c).sum();
    (0..parts[0].0.len()).map(at).collect()
}
