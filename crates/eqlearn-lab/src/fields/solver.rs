//! A spectral solver in one periodic direction: exponential time differencing of fourth order.
//!
//! `ψ_t = L ψ + ∂^d N(ψ)` for one complex or real field: `L` multiplies waves and is integrated
//! exactly, `N` acts on values. It shares no code with the library that learns from its output.
//!
//! Cox and Matthews, Exponential time differencing for stiff systems, 2002.

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

type C = Complex<f64>;

/// A function of the value at a point.
pub(crate) type Pointwise = fn(C) -> C;

/// An equation on a periodic line.
pub(crate) struct Equation {
    pub(crate) length: f64,
    pub(crate) n_points: usize,
    /// What a wave number is multiplied by.
    pub(crate) linear: fn(f64) -> C,
    /// A function of the values, and how often it is differentiated.
    pub(crate) other: Option<(u32, Pointwise)>,
}

/// The coefficients of one step, for each wave.
struct Step {
    whole: Vec<C>,
    half: Vec<C>,
    inner: Vec<C>,
    outer: [Vec<C>; 3],
}

struct Solver<'a> {
    equation: &'a Equation,
    waves: Vec<f64>,
    forward: Arc<dyn Fft<f64>>,
    backward: Arc<dyn Fft<f64>>,
}

/// The values at equal times from the first on, time after time; nothing is kept of the time
/// `before`.
pub(crate) fn solve(
    equation: &Equation,
    start: &dyn Fn(f64) -> C,
    (n_times, step, inner_steps): (usize, f64, usize),
    before: usize,
) -> Vec<C> {
    let n = equation.n_points;
    let mut planner = FftPlanner::new();
    let signed = |i: usize| {
        if 2 * i > n {
            i as f64 - n as f64
        } else {
            i as f64
        }
    };
    let solver = Solver {
        equation,
        waves: (0..n)
            .map(|i| std::f64::consts::TAU * signed(i) / equation.length)
            .collect(),
        forward: planner.plan_fft_forward(n),
        backward: planner.plan_fft_inverse(n),
    };
    let place = |i: usize| equation.length * i as f64 / n as f64;
    let mut series: Vec<C> = (0..n).map(|i| start(place(i))).collect();
    solver.forward.process(&mut series);
    let coefficients = solver.step(step / inner_steps as f64);
    let mut all = Vec::with_capacity(n * n_times);
    for time in 0..before + n_times {
        if time >= before {
            all.extend(solver.values(&series));
        }
        for _ in 0..inner_steps {
            series = solver.advance(&coefficients, &series);
        }
    }
    all
}

impl Solver<'_> {
    fn values(&self, series: &[C]) -> Vec<C> {
        let mut values = series.to_vec();
        self.backward.process(&mut values);
        values
            .iter()
            .map(|value| value / self.waves.len() as f64)
            .collect()
    }

    /// The series of the part that is not linear, without the waves that products would alias to.
    fn other(&self, series: &[C]) -> Vec<C> {
        let n = self.waves.len();
        let Some((order, function)) = self.equation.other else {
            return vec![C::default(); n];
        };
        let is_long = |i: usize| 3 * i.min(n - i) <= n;
        let long = |(i, value): (usize, &C)| if is_long(i) { *value } else { C::default() };
        let long: Vec<C> = series.iter().enumerate().map(long).collect();
        let mut values: Vec<C> = self.values(&long).into_iter().map(function).collect();
        self.forward.process(&mut values);
        for (i, value) in values.iter_mut().enumerate() {
            let slope = C::new(0.0, self.waves[i]).powu(order);
            *value = if is_long(i) {
                *value * slope
            } else {
                C::default()
            };
        }
        values
    }

    fn step(&self, step: f64) -> Step {
        let of = |f: &dyn Fn(C) -> C| -> Vec<C> {
            let at = |k: &f64| f((self.equation.linear)(*k) * step);
            self.waves.iter().map(at).collect()
        };
        // Means over a circle, because the differences cancel near zero.
        let mean = |f: &dyn Fn(C) -> C| {
            of(&|z| {
                let on_circle = |k: u32| {
                    let angle = std::f64::consts::TAU * (f64::from(k) + 0.5) / 32.0;
                    f(z + C::from_polar(1.0, angle))
                };
                (0..32).map(on_circle).sum::<C>() * (step / 32.0)
            })
        };
        let cube = |z: C| z * z * z;
        Step {
            whole: of(&|z| z.exp()),
            half: of(&|z| (z * 0.5).exp()),
            inner: mean(&|z| ((z * 0.5).exp() - 1.0) / z),
            outer: [
                mean(&|z| (-z - 4.0 + z.exp() * (z * z - z * 3.0 + 4.0)) / cube(z)),
                mean(&|z| (z + 2.0 + z.exp() * (z - 2.0)) / cube(z)),
                mean(&|z| (-z * z - z * 3.0 - 4.0 + z.exp() * (-z + 4.0)) / cube(z)),
            ],
        }
    }

    fn advance(&self, step: &Step, u: &[C]) -> Vec<C> {
        let each = |f: &dyn Fn(usize) -> C| -> Vec<C> { (0..u.len()).map(f).collect() };
        let first = self.other(u);
        let a = each(&|k| step.half[k] * u[k] + step.inner[k] * first[k]);
        let second = self.other(&a);
        let b = each(&|k| step.half[k] * u[k] + step.inner[k] * second[k]);
        let third = self.other(&b);
        let c = each(&|k| step.half[k] * a[k] + step.inner[k] * (third[k] * 2.0 - first[k]));
        let fourth = self.other(&c);
        let [x, y, z] = &step.outer;
        each(&|k| {
            let middle = y[k] * (second[k] + third[k]) * 2.0;
            step.whole[k] * u[k] + x[k] * first[k] + middle + z[k] * fourth[k]
        })
    }
}
