//! The equations, their grids and their data without noise.

use std::f64::consts::{PI, TAU};

use eqlearn::data::field::{Axis, Boundary, Field, Quantity};
use rustfft::num_complex::Complex;

use super::solver::{Equation, solve};

/// Places, heights and widths of the spots where a population begins.
const SPOTS: [(f64, f64, f64); 6] = [
    (5.0, 0.5, 1.0),
    (14.0, 0.2, 2.0),
    (21.0, 0.9, 0.5),
    (33.0, 0.1, 3.0),
    (40.0, 0.7, 1.5),
    (52.0, 0.3, 0.7),
];

/// Terms with their coefficients.
pub(crate) type Law = &'static [(&'static str, f64)];

/// An equation with the grid that it is seen on.
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    /// The law of each quantity.
    pub(crate) laws: &'static [Law],
    /// The highest derivative and degree of its dictionary.
    pub(crate) order: u32,
    pub(crate) power: u32,
    /// What WSINDy is said to reach at each level of noise, where it was published.
    pub(crate) published: &'static [(f64, f64)],
    data: fn() -> Field,
}

impl Bench {
    pub(crate) fn data(&self) -> Field {
        (self.data)()
    }
}

/// All of them.
pub(crate) const BENCHES: [Bench; 10] = [
    Bench {
        name: "inviscid Burgers",
        laws: &[&[("u*u_x", -1.0)]],
        order: 6,
        power: 6,
        published: &[(0.0, 4e-5), (0.1, 0.002), (0.5, 0.011), (1.0, 0.025)],
        data: steepening,
    },
    Bench {
        name: "viscous Burgers",
        laws: &[&[("u*u_x", -1.0), ("u_xx", 0.1)]],
        order: 6,
        power: 6,
        published: &[],
        data: || {
            let equation = Equation {
                length: 16.0,
                n_points: 256,
                linear: |k| Complex::new(-0.1 * k * k, 0.0),
                other: Some((1, |u| -u * u * 0.5)),
            };
            real(
                &equation,
                &|x| (-(x - 6.0).powi(2)).exp(),
                (101, 0.1, 20),
                0,
            )
        },
    },
    Bench {
        name: "KdV",
        laws: &[&[("u*u_x", -6.0), ("u_xxx", -1.0)]],
        order: 6,
        power: 6,
        published: &[
            (0.0, 3e-7),
            (0.01, 7e-4),
            (0.1, 0.02),
            (0.5, 0.05),
            (1.0, 0.08),
        ],
        data: || {
            let equation = Equation {
                length: 40.0,
                n_points: 512,
                linear: |k| Complex::new(0.0, k.powi(3)),
                other: Some((1, |u| u * u * -3.0)),
            };
            let soliton =
                |speed: f64, x: f64| 0.5 * speed / (0.5 * speed.sqrt() * x).cosh().powi(2);
            let start = |x: f64| soliton(5.0, x - 10.0) + soliton(2.0, x - 18.0);
            real(&equation, &start, (401, 0.015, 20), 0)
        },
    },
    Bench {
        name: "Kuramoto-Sivashinsky",
        laws: &[&[("u*u_x", -1.0), ("u_xx", -1.0), ("u_xxxx", -1.0)]],
        order: 6,
        power: 6,
        published: &[
            (0.0, 8e-7),
            (0.01, 2e-4),
            (0.1, 0.004),
            (0.5, 0.1),
            (1.0, 0.3),
        ],
        data: || {
            let equation = Equation {
                length: 32.0 * PI,
                n_points: 256,
                linear: |k| Complex::new(k * k - k.powi(4), 0.0),
                other: Some((1, |u| -u * u * 0.5)),
            };
            let start = |x: f64| (x / 16.0).cos() * (1.0 + (x / 16.0).sin());
            real(&equation, &start, (301, 0.5, 10), 200)
        },
    },
    Bench {
        name: "heat",
        laws: &[&[("u_xx", 0.02)]],
        order: 6,
        power: 6,
        published: &[],
        data: || {
            let equation = Equation {
                length: TAU,
                n_points: 256,
                linear: |k| Complex::new(-0.02 * k * k, 0.0),
                other: None,
            };
            let wave = |k: i32, x: f64| (f64::from(k) * x + f64::from(k * k)).cos();
            real(
                &equation,
                &|x| (1..=8).map(|k| wave(k, x)).sum(),
                (256, 0.02, 1),
                0,
            )
        },
    },
    Bench {
        name: "transport",
        laws: &[&[("u_x", -1.0)]],
        order: 6,
        power: 6,
        published: &[],
        data: || {
            let equation = Equation {
                length: TAU,
                n_points: 256,
                linear: |k| Complex::new(0.0, -k),
                other: None,
            };
            let start = |x: f64| {
                let long = x.sin() + 0.6 * (2.0 * x).cos();
                long + 0.5 * (3.0 * x + 1.0).sin() + 0.3 * (5.0 * x).cos()
            };
            real(&equation, &start, (256, 0.02, 1), 0)
        },
    },
    Bench {
        name: "Allen-Cahn",
        laws: &[&[("u", 1.0), ("u^3", -1.0), ("u_xx", 0.05)]],
        order: 6,
        power: 6,
        published: &[],
        data: || {
            let equation = Equation {
                length: 20.0,
                n_points: 256,
                linear: |k| Complex::new(1.0 - 0.05 * k * k, 0.0),
                other: Some((0, |u| -u * u * u)),
            };
            let wave = |k: i32, x: f64| (TAU * f64::from(k) * x / 20.0 + f64::from(k * k)).cos();
            let start = |x: f64| (1..=10).map(|k| 0.25 * wave(k, x)).sum();
            real(&equation, &start, (256, 0.03, 10), 0)
        },
    },
    Bench {
        name: "Fisher-KPP",
        laws: &[&[("u", 1.0), ("u^2", -1.0), ("u_xx", 0.2)]],
        order: 6,
        power: 6,
        published: &[],
        data: || {
            let equation = Equation {
                length: 60.0,
                n_points: 512,
                linear: |k| Complex::new(1.0 - 0.2 * k * k, 0.0),
                other: Some((0, |u| -u * u)),
            };
            let spot = |x: f64, (at, height, width): (f64, f64, f64)| {
                height * (-width * (x - at).powi(2)).exp()
            };
            let start = |x: f64| SPOTS.iter().map(|s| spot(x, *s)).sum();
            real(&equation, &start, (256, 0.03, 10), 0)
        },
    },
    Bench {
        name: "Schrödinger",
        laws: &[
            &[("u^2*v", -1.0), ("v^3", -1.0), ("v_xx", -0.5)],
            &[("u^3", 1.0), ("u*v^2", 1.0), ("u_xx", 0.5)],
        ],
        order: 6,
        power: 6,
        published: &[
            (0.0, 9e-8),
            (0.01, 3e-4),
            (0.1, 0.009),
            (0.5, 0.2),
            (1.0, 0.6),
        ],
        data: schroedinger,
    },
    Bench {
        name: "2-D advection",
        laws: &[&[("u_x", -1.0), ("u_y", 0.5), ("u_xx", 0.05), ("u_yy", 0.05)]],
        order: 4,
        power: 3,
        published: &[],
        data: drifting,
    },
];

fn axis(name: &str, n: usize, step: f64, boundary: Boundary) -> Axis {
    Axis {
        name: name.into(),
        unit: None,
        values: (0..n).map(|i| i as f64 * step).collect(),
        boundary,
    }
}

fn field(axes: Vec<Axis>, quantities: Vec<(&str, Vec<f64>)>) -> Field {
    let quantities = quantities.into_iter().map(|(name, values)| Quantity {
        name: name.into(),
        values,
    });
    Field::new("made", axes, quantities.collect()).expect("made data are good")
}

/// A real field on a periodic line.
fn real(
    equation: &Equation,
    start: &dyn Fn(f64) -> f64,
    times: (usize, f64, usize),
    before: usize,
) -> Field {
    let values = solve(equation, &|x| Complex::new(start(x), 0.0), times, before);
    let step = equation.length / equation.n_points as f64;
    let axes = vec![
        axis("t", times.0, times.1, Boundary::Open),
        axis("x", equation.n_points, step, Boundary::Periodic),
    ];
    field(
        axes,
        vec![("u", values.iter().map(|value| value.re).collect())],
    )
}

/// A wave that steepens, by its characteristics, before it breaks.
fn steepening() -> Field {
    let (t, x) = (
        axis("t", 256, 0.0025, Boundary::Open),
        axis("x", 256, TAU / 256.0, Boundary::Periodic),
    );
    let start = |s: f64| 0.8 * s.sin() + 0.3 * (2.0 * s + 1.0).sin();
    let slope = |s: f64| 0.8 * s.cos() + 0.6 * (2.0 * s + 1.0).cos();
    let at = |t: f64, x: f64| {
        let newton = |s: f64, _| s - (s + t * start(s) - x) / (1.0 + t * slope(s));
        start((0..60).fold(x, newton))
    };
    let row = |t: &f64| x.values.iter().map(|x| at(*t, *x)).collect::<Vec<f64>>();
    let u = t.values.iter().flat_map(row).collect();
    field(vec![t, x], vec![("u", u)])
}

/// A breather: `i ψ_t + ½ ψ_xx + |ψ|² ψ = 0`.
fn schroedinger() -> Field {
    let equation = Equation {
        length: 10.0,
        n_points: 256,
        linear: |k| Complex::new(0.0, -0.5 * k * k),
        other: Some((0, |psi| Complex::new(0.0, psi.norm_sqr()) * psi)),
    };
    let start = |x: f64| Complex::new(2.0 / (x - 5.0).cosh(), 0.0);
    let values = solve(&equation, &start, (251, PI / 250.0, 40), 0);
    let axes = vec![
        axis("t", 251, PI / 250.0, Boundary::Open),
        axis("x", 256, 10.0 / 256.0, Boundary::Periodic),
    ];
    let u = values.iter().map(|psi| psi.re).collect();
    let v = values.iter().map(|psi| psi.im).collect();
    field(axes, vec![("u", u), ("v", v)])
}

/// Waves in two directions that drift and decay.
fn drifting() -> Field {
    const WAVES: [(f64, f64, f64); 8] = [
        (1.0, 0.0, 0.3),
        (0.0, 1.0, 1.1),
        (1.0, 1.0, 2.0),
        (2.0, 1.0, 0.7),
        (1.0, 3.0, 1.9),
        (3.0, 2.0, 0.1),
        (4.0, 1.0, 2.6),
        (2.0, 4.0, 1.4),
    ];
    let (t, x, y) = (
        axis("t", 64, 0.04, Boundary::Open),
        axis("x", 64, TAU / 64.0, Boundary::Periodic),
        axis("y", 64, TAU / 64.0, Boundary::Periodic),
    );
    let at = |t: f64, x: f64, y: f64| -> f64 {
        let wave = |(k, l, phase): &(f64, f64, f64)| {
            let decay = (-0.05 * (k * k + l * l) * t).exp();
            decay * (k * (x - t) + l * (y + 0.5 * t) + phase).sin()
        };
        WAVES.iter().map(wave).sum()
    };
    let mut u = Vec::with_capacity(64 * 64 * 64);
    for t in &t.values {
        for x in &x.values {
            u.extend(y.values.iter().map(|y| at(*t, *x, *y)));
        }
    }
    field(vec![t, x, y], vec![("u", u)])
}
