//! Laws inside and outside the default dictionary, and shapes of noise.

use std::f64::consts::PI;
use std::fmt;

use eqlearn_reproduce::known::normal;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::systems::standard_deviation;

/// How noise is distributed over the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// Normal and even.
    Normal,
    /// Student's t with four degrees of freedom.
    HeavyTailed,
    /// Normal, in proportion to the size of the first feature.
    Uneven,
    /// Normal, in proportion to the value, which runs over two decades.
    Relative,
    /// Normal, but one row in twenty has ten times the noise.
    Outliers,
}

impl Shape {
    pub(crate) const ALL: [Self; 5] = [
        Self::Normal,
        Self::HeavyTailed,
        Self::Uneven,
        Self::Relative,
        Self::Outliers,
    ];

    /// The size of one row's noise in units of the noise level.
    fn deviation(self, first: f64, value: f64) -> f64 {
        match self {
            Self::Uneven => first.abs(),
            Self::Relative => value.abs(),
            _ => 1.0,
        }
    }

    /// Noise of unit size.
    fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        let z = normal(rng);
        match self {
            Self::HeavyTailed => {
                let squares: f64 = (0..4).map(|_| normal(rng).powi(2)).sum();
                z / (squares / 4.0).sqrt()
            }
            Self::Outliers if rng.random_range(0..20) == 0 => 10.0 * z,
            _ => z,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normal => "normal",
            Self::HeavyTailed => "heavy-tailed (t4)",
            Self::Uneven => "uneven (as the feature)",
            Self::Relative => "relative (as the value)",
            Self::Outliers => "with outliers",
        })
    }
}

/// Rows of a law: its features, its target with noise, and the same without.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) features: Vec<Vec<f64>>,
    pub(crate) noisy: Vec<f64>,
    pub(crate) clean: Vec<f64>,
    /// The noise level, in units of the shape.
    pub(crate) sigma: f64,
    /// The standard deviation of each row's noise.
    pub(crate) deviations: Vec<f64>,
    /// The terms of a polynomial, as text.
    pub(crate) terms: Vec<String>,
}

/// A polynomial of two to four terms of degree up to two in one to three features.
///
/// Features are uniform from −2 to 2; for relative noise their logarithms are, from 1 to 10, and
/// all coefficients are positive, so that the target runs over decades. The noise is 1 to 10 %.
pub(crate) fn quadratic(rng: &mut ChaCha8Rng, shape: Shape, n_obs: usize) -> Rows {
    let n_features = rng.random_range(1..=3_usize);
    let wide = shape == Shape::Relative;
    let draw = |rng: &mut ChaCha8Rng| {
        if wide {
            10_f64.powf(rng.random_range(0.0..1.0))
        } else {
            rng.random_range(-2.0..2.0)
        }
    };
    let features: Vec<Vec<f64>> = (0..n_features)
        .map(|_| (0..n_obs).map(|_| draw(rng)).collect())
        .collect();
    let n_terms: usize = rng.random_range(2..=4);
    let mut clean = vec![0.0; n_obs];
    let mut terms: Vec<String> = Vec::new();
    while terms.len() < n_terms.min(n_features + 1) {
        let (a, b) = (
            rng.random_range(0..=n_features),
            rng.random_range(0..=n_features),
        );
        let text = product(a.min(b), a.max(b), n_features);
        if terms.contains(&text) {
            continue;
        }
        terms.push(text);
        let negative = !wide && rng.random::<bool>();
        let size: f64 = rng.random_range(1.0..4.0);
        let coefficient = if negative { -size } else { size };
        let factor = |place: usize, row: usize| features.get(place).map_or(1.0, |x| x[row]);
        for (row, sum) in clean.iter_mut().enumerate() {
            *sum += coefficient * factor(a, row) * factor(b, row);
        }
    }
    let level = 10_f64.powf(rng.random_range(-2.0..-1.0));
    let sigma = if wide {
        level
    } else {
        level * standard_deviation(&clean).max(0.1)
    };
    let deviation = |(row, y): (usize, &f64)| sigma * shape.deviation(features[0][row], *y);
    let deviations: Vec<f64> = clean.iter().enumerate().map(deviation).collect();
    let noisy = clean.iter().zip(&deviations);
    let noisy = noisy
        .map(|(y, deviation)| y + deviation * shape.draw(rng))
        .collect();
    Rows {
        features,
        noisy,
        clean,
        sigma,
        deviations,
        terms,
    }
}

/// The product of two features by place, of which one beyond the last is 1.
fn product(a: usize, b: usize, n_features: usize) -> String {
    match (a < n_features, b < n_features) {
        (true, true) if a == b => format!("x{}^2", a + 1),
        (true, true) => format!("x{}*x{}", a + 1, b + 1),
        (true, false) => format!("x{}", a + 1),
        _ => "1".into(),
    }
}

/// A law that is no polynomial of its features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Law {
    Gas,
    Decay,
    Saturation,
    Power,
    Coulomb,
    Pendulum,
    Sine,
    Resonance,
    Arrhenius,
    Lens,
    Logarithm,
    Planck,
    Bell,
    Distance,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gas => "n T / V",
            Self::Decay => "exp(-k t)",
            Self::Saturation => "s / (k + s)",
            Self::Power => "x^p",
            Self::Coulomb => "q Q / r^2",
            Self::Pendulum => "sqrt(l / g)",
            Self::Sine => "sin(w t)",
            Self::Resonance => "resonance",
            Self::Arrhenius => "exp(-E / T)",
            Self::Lens => "a b / (a + b)",
            Self::Logarithm => "ln x",
            Self::Planck => "x^3 / (exp(x) - 1)",
            Self::Bell => "exp(-x^2)",
            Self::Distance => "sqrt(x^2 + z^2)",
        })
    }
}

impl Law {
    pub(crate) const ALL: [Self; 14] = [
        Self::Gas,
        Self::Decay,
        Self::Saturation,
        Self::Power,
        Self::Coulomb,
        Self::Pendulum,
        Self::Sine,
        Self::Resonance,
        Self::Arrhenius,
        Self::Lens,
        Self::Logarithm,
        Self::Planck,
        Self::Bell,
        Self::Distance,
    ];

    /// Features in a random range, with normal noise in units of the target's spread.
    pub(crate) fn rows(self, rng: &mut ChaCha8Rng, n_obs: usize, level: f64) -> Rows {
        let ranges = self.ranges(rng);
        let mut column = |(from, to): &(f64, f64)| -> Vec<f64> {
            (0..n_obs).map(|_| rng.random_range(*from..*to)).collect()
        };
        let features: Vec<Vec<f64>> = ranges.iter().map(&mut column).collect();
        let constant = match self {
            Self::Power => [0.5, 1.5, -0.5, 2.0 / 3.0][rng.random_range(0..4_usize)],
            Self::Resonance => rng.random_range(0.1..0.5),
            _ => 1.0,
        };
        let value = |row: usize| {
            let x: Vec<f64> = features.iter().map(|column| column[row]).collect();
            self.value(&x, constant)
        };
        let clean: Vec<f64> = (0..n_obs).map(value).collect();
        let sigma = level * standard_deviation(&clean);
        let noisy = clean.iter().map(|y| y + sigma * normal(rng)).collect();
        Rows {
            features,
            noisy,
            clean,
            sigma,
            deviations: vec![sigma; n_obs],
            terms: Vec::new(),
        }
    }

    fn ranges(self, rng: &mut ChaCha8Rng) -> Vec<(f64, f64)> {
        let mut over = |least: f64, most: f64| {
            let from = 10_f64.powf(rng.random_range(-1.0..1.0));
            (from, from * rng.random_range(least..most))
        };
        match self {
            Self::Gas | Self::Coulomb => vec![over(3.0, 10.0), over(2.0, 5.0), over(5.0, 20.0)],
            Self::Power | Self::Logarithm => vec![over(50.0, 500.0)],
            Self::Pendulum => vec![over(20.0, 100.0), over(2.0, 6.0)],
            Self::Lens => vec![over(10.0, 30.0); 2],
            Self::Decay => vec![(0.0, rng.random_range(6.0..12.0))],
            Self::Saturation => vec![(0.0, rng.random_range(10.0..50.0))],
            Self::Sine => vec![(0.0, rng.random_range(7.0..20.0))],
            Self::Resonance => vec![(0.1, rng.random_range(2.0..4.0))],
            Self::Arrhenius => vec![(0.05, rng.random_range(0.8..2.0))],
            Self::Planck => vec![(0.1, rng.random_range(8.0..15.0))],
            Self::Bell => vec![(-4.0, rng.random_range(2.0..4.0))],
            Self::Distance => {
                let half = rng.random_range(1.0..4.0);
                vec![(-half, half), (-1.0, 1.0)]
            }
        }
    }

    fn value(self, x: &[f64], constant: f64) -> f64 {
        match self {
            Self::Gas => x[0] * x[1] / x[2],
            Self::Decay => (-x[0]).exp(),
            Self::Saturation => x[0] / (1.0 + x[0]),
            Self::Power => x[0].powf(constant),
            Self::Coulomb => x[0] * x[1] / (x[2] * x[2]),
            Self::Pendulum => 2.0 * PI * (x[0] / x[1]).sqrt(),
            Self::Sine => x[0].sin(),
            Self::Resonance => {
                let w = x[0];
                1.0 / ((1.0 - w * w).powi(2) + (constant * w).powi(2)).sqrt()
            }
            Self::Arrhenius => (-1.0 / x[0]).exp(),
            Self::Lens => x[0] * x[1] / (x[0] + x[1]),
            Self::Logarithm => x[0].ln(),
            Self::Planck => x[0].powi(3) / (x[0].exp() - 1.0),
            Self::Bell => (-0.5 * x[0] * x[0]).exp(),
            Self::Distance => x[0].hypot(x[1]),
        }
    }
}
