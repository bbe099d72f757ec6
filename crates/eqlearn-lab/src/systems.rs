//! Dynamical systems whose equations are known, and how to follow them.

use eqlearn::Dictionary;

/// A system with known equations.
#[derive(Debug, Clone)]
pub struct Known {
    /// What it is called.
    pub name: &'static str,
    /// The names of its states.
    pub states: &'static [&'static str],
    /// The names of its known inputs.
    pub inputs: &'static [&'static str],
    /// The true terms of each equation.
    pub truth: &'static [&'static [&'static str]],
    /// Where trajectories start.
    pub start: &'static [f64],
    /// Terms besides monomials.
    pub terms: &'static [&'static str],
    /// The right-hand side.
    pub slope: fn(f64, &[f64], &mut [f64]),
    /// The inputs at a time.
    pub input: fn(f64) -> f64,
    /// A time step that resolves it.
    pub step: f64,
}

const NONE: Known = Known {
    name: "",
    states: &[],
    inputs: &[],
    truth: &[],
    start: &[],
    terms: &[],
    slope: |_, _, _| {},
    input: |_| 0.0,
    step: 0.01,
};

/// Lorenz's system with its usual parameters.
pub const LORENZ: Known = Known {
    name: "lorenz",
    states: &["x", "y", "z"],
    truth: &[&["x", "y"], &["x", "y", "x*z"], &["z", "x*y"]],
    start: &[-8.0, 8.0, 27.0],
    slope: |_, x, d| {
        d[0] = 10.0 * (x[1] - x[0]);
        d[1] = x[0] * (28.0 - x[2]) - x[1];
        d[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
    },
    ..NONE
};

/// The system of Rabinovich and Fabrikant with the paper's parameters and start, which spirals into a fixed point.
pub const RABINOVICH: Known = Known {
    name: "rabinovich",
    states: &["x", "y", "z"],
    truth: &[
        &["x", "y", "y*z", "x^2*y"],
        &["x", "y", "x*z", "x^3"],
        &["z", "x*y*z"],
    ],
    start: &[-1.5, 0.0, 1.0],
    slope: |_, x, d| {
        d[0] = x[1] * (x[2] - 1.0 + x[0] * x[0]) + 0.1 * x[0];
        d[1] = x[0] * (3.0 * x[2] + 1.0 - x[0] * x[0]) + 0.1 * x[1];
        d[2] = -2.0 * x[2] * (0.14 + x[0] * x[1]);
    },
    ..NONE
};

/// The same system from a start on its attractor.
pub const RABINOVICH_ATTRACTOR: Known = Known {
    name: "rabinovich-attractor",
    start: &[-1.0, 0.0, 0.5],
    ..RABINOVICH
};

/// Eight more systems, of as many kinds.
pub const OTHERS: [Known; 8] = [
    Known {
        name: "van der Pol",
        states: &["x", "y"],
        truth: &[&["y"], &["x", "y", "x^2*y"]],
        start: &[2.0, 0.0],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = 2.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
        },
        step: 0.02,
        ..NONE
    },
    Known {
        name: "Lotka–Volterra",
        states: &["x", "y"],
        truth: &[&["x", "x*y"], &["y", "x*y"]],
        start: &[1.8, 1.3],
        slope: |_, x, d| {
            d[0] = x[0] * (2.0 / 3.0 - 4.0 / 3.0 * x[1]);
            d[1] = x[1] * (x[0] - 1.0);
        },
        step: 0.02,
        ..NONE
    },
    Known {
        name: "Rössler",
        states: &["x", "y", "z"],
        truth: &[&["y", "z"], &["x", "y"], &["1", "z", "x*z"]],
        start: &[1.0, 1.0, 0.0],
        slope: |_, x, d| {
            d[0] = -x[1] - x[2];
            d[1] = x[0] + 0.2 * x[1];
            d[2] = 0.2 + x[2] * (x[0] - 5.7);
        },
        step: 0.05,
        ..NONE
    },
    Known {
        name: "Duffing, forced",
        states: &["x", "v"],
        inputs: &["u"],
        truth: &[&["v"], &["x", "v", "u", "x^3"]],
        start: &[1.0, 0.0],
        slope: |t, x, d| {
            d[0] = x[1];
            d[1] = x[0] - x[0].powi(3) - 0.3 * x[1] + 0.5 * (1.2 * t).cos();
        },
        input: |t| (1.2 * t).cos(),
        step: 0.02,
        ..NONE
    },
    Known {
        name: "Hopf normal form",
        states: &["x", "y"],
        truth: &[&["x", "y", "x^3", "x*y^2"], &["x", "y", "x^2*y", "y^3"]],
        start: &[2.0, 0.0],
        slope: |_, x, d| {
            let r2 = x[0] * x[0] + x[1] * x[1];
            d[0] = 0.25 * x[0] - x[1] - x[0] * r2;
            d[1] = x[0] + 0.25 * x[1] - x[1] * r2;
        },
        step: 0.01,
        ..NONE
    },
    Known {
        name: "damped pendulum",
        states: &["a", "w"],
        truth: &[&["w"], &["w", "sin(a)"]],
        start: &[2.8, 0.0],
        terms: &["sin(a)", "cos(a)"],
        slope: |_, x, d| {
            d[0] = x[1];
            d[1] = -4.0 * x[0].sin() - 0.1 * x[1];
        },
        step: 0.02,
        ..NONE
    },
    Known {
        name: "SIR",
        states: &["s", "i"],
        truth: &[&["s*i"], &["i", "s*i"]],
        start: &[0.99, 0.01],
        slope: |_, x, d| {
            d[0] = -1.5 * x[0] * x[1];
            d[1] = 1.5 * x[0] * x[1] - 0.3 * x[1];
        },
        step: 0.02,
        ..NONE
    },
    Known {
        name: "Rössler, hyperchaotic",
        states: &["x", "y", "z", "w"],
        truth: &[&["y", "z"], &["x", "y", "w"], &["1", "x*z"], &["z", "w"]],
        start: &[-10.0, -6.0, 0.0, 10.0],
        slope: |_, x, d| {
            d[0] = -x[1] - x[2];
            d[1] = x[0] + 0.25 * x[1] + x[3];
            d[2] = 3.0 + x[0] * x[2];
            d[3] = -0.5 * x[2] + 0.05 * x[3];
        },
        step: 0.02,
        ..NONE
    },
];

impl Known {
    /// All monomials of states and inputs up to a power and a degree, and the system's own terms.
    pub fn dictionary(&self, max_power: u32, max_degree: u32) -> Dictionary {
        let features = self.states.iter().chain(self.inputs).copied();
        Dictionary::monomials(features, max_power, max_degree, true)
            .and_then(|dictionary| dictionary.and_parse(self.terms))
            .expect("the names and terms are good")
    }

    /// The true solution at `n` times that are `step` apart, by the classical Runge–Kutta method with steps of at most `longest`.
    pub fn solution(&self, n: usize, step: f64, longest: f64) -> Vec<Vec<f64>> {
        self.solution_from(self.start, n, step, longest)
    }

    /// The same from another start.
    pub fn solution_from(&self, start: &[f64], n: usize, step: f64, longest: f64) -> Vec<Vec<f64>> {
        let inner = (step / longest).ceil().max(1.0);
        let h = step / inner;
        let mut x = start.to_vec();
        let mut columns: Vec<Vec<f64>> = x.iter().map(|x| vec![*x]).collect();
        for i in 1..n {
            let mut k = 0.0;
            while k < inner {
                self.runge_kutta(step * (i - 1) as f64 + h * k, h, &mut x);
                k += 1.0;
            }
            for (column, x) in columns.iter_mut().zip(&x) {
                column.push(*x);
            }
        }
        columns
    }

    fn runge_kutta(&self, time: f64, h: f64, x: &mut [f64]) {
        let dims = x.len();
        let mut k = [[0.0; 4]; 4];
        let mut at = [0.0; 4];
        (self.slope)(time, x, &mut k[0][..dims]);
        for (stage, share) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            for d in 0..dims {
                at[d] = x[d] + share * h * k[stage - 1][d];
            }
            (self.slope)(time + share * h, &at[..dims], &mut k[stage][..dims]);
        }
        for d in 0..dims {
            x[d] += h / 6.0 * (k[0][d] + 2.0 * k[1][d] + 2.0 * k[2][d] + k[3][d]);
        }
    }
}
