//! Whether the noise grows with the predicted value or with a feature, and how.
//!
//! A few shapes of the standard deviation are compared with an even one,
//!
//! ```text
//! sd ∝ (v² + c²)^(γ/2)     v the prediction or a feature, c a floor
//! sd ∝ exp(γ z)            z a feature in units of its standard deviation
//! ```
//!
//! by their likelihoods for residuals with Student's t distribution: heavy tails then count for
//! little, and normal noise loses next to nothing. The threshold on the log likelihood ratio keeps
//! false alarms on even noise, normal or with four degrees of freedom, below one in a hundred from
//! 20 rows on; where one row in twenty has ten times the noise, a few in a hundred are called
//! uneven. The lab's experiment `uneven` counts.
//!
//! The shape speaks of predictions, never of the observed target: weights that follow the noise of
//! a row pull the law towards the rows that happen to be small.
//!
//! Carroll and Ruppert, Transformation and Weighting in Regression, chapters 2 and 3; Lange, Little
//! and Taylor, JASA 84, 881 (1989), for the t distribution.

use serde::{Deserialize, Serialize};

use super::typical_size;

/// The most rows that are looked at.
const MOST_ROWS: usize = 2000;

/// The fewest rows that can show a shape.
const FEWEST_ROWS: usize = 20;

/// The degrees of freedom of the t distribution.
const FREEDOM: f64 = 4.0;

/// Steps until its scale has settled.
const STEPS: usize = 12;

/// The floors, in units of the largest size of the variable.
const FLOORS: [f64; 7] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// The powers: counts have 0.5, relative errors 1.
const POWERS: [f64; 4] = [0.5, 1.0, 2.0, -1.0];

/// The largest floor of errors that are known to be relative, in the same units.
const RELATIVE_FLOOR: f64 = 0.1;

/// The growth rates along a feature.
const RATES: [f64; 6] = [-1.0, -0.6, -0.3, 0.3, 0.6, 1.0];

/// The log likelihood ratio beyond which noise is called uneven: that of one variable, and what is
/// added for the number of variables and for small samples.
const ALARM: f64 = 5.5;
const ALARM_FOR_FEW: f64 = 30.0;

/// How much better a feature must be than the prediction, which needs no choice.
const ADVANTAGE: f64 = 1.0;

/// What is known of a fit row by row.
#[derive(Debug, Clone, Copy)]
pub struct NoiseRows<'a> {
    /// The law's value.
    pub predicted: &'a [f64],
    /// The features with their names.
    pub features: &'a [(&'a str, &'a [f64])],
    /// What the law leaves of the target.
    pub residuals: &'a [f64],
    /// The leverage of each row: how much its own noise pulls the law to it.
    pub leverages: &'a [f64],
}

/// What the noise grows with.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Variable {
    /// The law's own value.
    Prediction,
    /// A feature, by name.
    Feature(String),
}

/// How the standard deviation of the noise follows a variable.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Uneven {
    /// What it follows.
    pub variable: Variable,
    /// How.
    shape: Shape,
    /// The log likelihood ratio to even noise.
    pub log_ratio: f64,
    /// The largest standard deviation of a row over the smallest.
    pub factor: f64,
    /// Whether it grows with the size of the variable.
    pub grows: bool,
}

/// The standard deviation as a function of a variable, up to a factor.
#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Shape {
    Power { power: f64, floor: f64 },
    Exponential { rate: f64, centre: f64 },
}

impl Shape {
    fn log_deviation(self, value: f64) -> f64 {
        match self {
            Self::Power { power, floor } => power * value.hypot(floor).ln(),
            Self::Exponential { rate, centre } => rate * (value - centre),
        }
    }
}

impl Uneven {
    /// The weights of rows with these values of the variable, as precisions: the inverse of the
    /// variance, with mean 1.
    pub fn weights(&self, values: &[f64]) -> Vec<f64> {
        let logs: Vec<f64> = values
            .iter()
            .map(|v| -2.0 * self.shape.log_deviation(*v))
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raw: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let mean = raw.iter().sum::<f64>() / raw.len().max(1) as f64;
        raw.iter().map(|weight| weight / mean).collect()
    }

    /// Whether it is the same shape along the same variable as another: weights have settled.
    pub fn same_shape(&self, other: &Self) -> bool {
        self.variable == other.variable && self.shape == other.shape
    }

    /// Whether errors are in proportion to the value, as far as can be told.
    pub fn is_relative(&self) -> bool {
        matches!(self.shape, Shape::Power { power, .. } if (power - 1.0).abs() < 0.1)
            && self.variable == Variable::Prediction
    }

    /// A sentence for people.
    pub fn sentence(&self) -> String {
        let variable = match &self.variable {
            Variable::Prediction => "the predicted value".to_string(),
            Variable::Feature(name) => name.clone(),
        };
        let how = match (self.is_relative(), self.grows) {
            (true, _) => "grows in proportion to",
            (_, true) => "grows with",
            (_, false) => "shrinks with",
        };
        format!(
            "the noise {how} {variable}: it is {:.1} times as large on some rows as on others",
            self.factor
        )
    }
}

/// The noise in proportion to the predicted value, with the likeliest floor. None if there is no
/// noise, or if the law says zero everywhere.
pub fn relative(rows: &NoiseRows<'_>) -> Option<Uneven> {
    let chosen = along_prediction(rows.predicted);
    let values: Vec<f64> = chosen.iter().map(|&row| rows.predicted[row]).collect();
    let scaled = scaled(rows, &chosen)?;
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let floors = FLOORS.iter().filter(|floor| **floor <= RELATIVE_FLOOR);
    let shapes = floors.map(|floor| Shape::Power {
        power: 1.0,
        floor: floor * largest,
    });
    let even = log_likelihood(&scaled, &vec![0.0; scaled.len()]);
    let (shape, likelihood) = likeliest(shapes, &values, &scaled).filter(|_| largest > 0.0)?;
    Some(told(
        Variable::Prediction,
        shape,
        likelihood - even,
        &values,
    ))
}

/// The residuals of some rows in units of their typical size, as their noise would be: a residual
/// is smaller by the share that the row pulled to itself.
fn scaled(rows: &NoiseRows<'_>, chosen: &[usize]) -> Option<Vec<f64>> {
    let noise = |&row: &usize| rows.residuals[row] / (1.0 - rows.leverages[row]).max(0.01).sqrt();
    let noise: Vec<f64> = chosen.iter().map(noise).collect();
    let scale = typical_size(&noise)?;
    Some(noise.iter().map(|r| r / scale).collect())
}

/// Tests whether the noise is even. None if it is, or if there are too few rows to tell.
pub fn uneven(rows: &NoiseRows<'_>) -> Option<Uneven> {
    let chosen = along_prediction(rows.predicted);
    if chosen.len() < FEWEST_ROWS {
        return None;
    }
    let of = |column: &[f64]| chosen.iter().map(|&row| column[row]).collect::<Vec<f64>>();
    let scaled = scaled(rows, &chosen)?;
    let even = log_likelihood(&scaled, &vec![0.0; scaled.len()]);
    let own = (Variable::Prediction, of(rows.predicted));
    let features = rows.features.iter();
    let features = features.map(|(name, x)| (Variable::Feature((*name).to_string()), of(x)));
    let mut best: Option<Uneven> = None;
    let n_variables = 1 + rows.features.len();
    for (variable, values) in std::iter::once(own).chain(features) {
        let Some((shape, log_likelihood)) = best_shape(&variable, &values, &scaled) else {
            continue;
        };
        let log_ratio = log_likelihood - even;
        let is_first = best
            .as_ref()
            .is_none_or(|b| b.variable == Variable::Prediction);
        let needed = if is_first { ADVANTAGE } else { 0.0 };
        if best
            .as_ref()
            .is_none_or(|best| log_ratio > best.log_ratio + needed)
        {
            best = Some(told(variable, shape, log_ratio, &values));
        }
    }
    let alarm = ALARM + (n_variables as f64).ln() + ALARM_FOR_FEW / chosen.len() as f64;
    best.filter(|best| best.log_ratio > alarm)
}

fn told(variable: Variable, shape: Shape, log_ratio: f64, values: &[f64]) -> Uneven {
    let logs: Vec<f64> = values.iter().map(|v| shape.log_deviation(*v)).collect();
    let (least, most) = range(&logs);
    let grows = match shape {
        Shape::Power { power, .. } => power > 0.0,
        Shape::Exponential { rate, .. } => rate > 0.0,
    };
    Uneven {
        variable,
        shape,
        log_ratio,
        factor: (most - least).exp(),
        grows,
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold(start, |(a, b), &x| (a.min(x), b.max(x)))
}

/// At most [`MOST_ROWS`] rows, evenly along the prediction: the order of rows has no part in it.
fn along_prediction(predicted: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..predicted.len()).collect();
    order.sort_by(|&a, &b| predicted[a].total_cmp(&predicted[b]));
    let n = order.len();
    let count = n.min(MOST_ROWS);
    (0..count).map(|i| order[i * n / count]).collect()
}

/// The most likely shape along a variable, with its log likelihood.
fn best_shape(variable: &Variable, values: &[f64], residuals: &[f64]) -> Option<(Shape, f64)> {
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let n = values.len() as f64;
    let centre = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / n).sqrt();
    if !(largest > 0.0 && largest.is_finite() && deviation > 1e-9 * largest) {
        return None;
    }
    let floors = FLOORS.map(|floor| floor * largest);
    let of_power = |power| floors.map(|floor| Shape::Power { power, floor });
    let powers = POWERS.into_iter().flat_map(of_power);
    let rates = RATES.into_iter().map(|rate| Shape::Exponential {
        rate: rate / deviation,
        centre,
    });
    let rates = rates.filter(|_| *variable != Variable::Prediction);
    likeliest(powers.chain(rates), values, residuals)
}

/// The most likely of some shapes, with its log likelihood; of equals, the first.
fn likeliest(
    shapes: impl Iterator<Item = Shape>,
    values: &[f64],
    residuals: &[f64],
) -> Option<(Shape, f64)> {
    let judged = shapes.map(|shape| {
        let logs: Vec<f64> = values.iter().map(|v| shape.log_deviation(*v)).collect();
        let mean = logs.iter().sum::<f64>() / values.len() as f64;
        let logs: Vec<f64> = logs.iter().map(|log| log - mean).collect();
        (shape, log_likelihood(residuals, &logs))
    });
    judged.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The log likelihood of residuals with these log standard deviations, up to a common factor that
/// is chosen best.
fn log_likelihood(residuals: &[f64], logs: &[f64]) -> f64 {
    // Notation: q = r²/sd² with the shape taken out, s² the common factor, ν the freedom.
    let squares = residuals.iter().zip(logs);
    let squares: Vec<f64> = squares.map(|(r, log)| r * r * (-2.0 * log).exp()).collect();
    let n = squares.len() as f64;
    let mut sorted = squares.clone();
    sorted.sort_by(f64::total_cmp);
    let mut s2 = (sorted[sorted.len() / 2] / 0.55).max(f64::MIN_POSITIVE);
    for _ in 0..STEPS {
        let weighted = squares
            .iter()
            .map(|q| (FREEDOM + 1.0) * q / (FREEDOM + q / s2));
        s2 = (weighted.sum::<f64>() / n).max(f64::MIN_POSITIVE);
    }
    let tails = squares
        .iter()
        .map(|q| (q / (FREEDOM * s2)).ln_1p())
        .sum::<f64>();
    -0.5 * (FREEDOM + 1.0) * tails - 0.5 * n * s2.ln() - logs.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nearly normal numbers.
    fn noise(count: u32) -> Vec<f64> {
        let unit =
            |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) - 0.5;
        let sum = |i: u32| (0..6).map(|k| unit(7 * i + 1 + k * 99_991)).sum::<f64>();
        (0..count).map(|i| sum(i) * 2_f64.sqrt()).collect()
    }

    fn judge(deviation: impl Fn(f64, f64) -> f64) -> Option<Uneven> {
        let x: Vec<f64> = (0..200)
            .map(|i| f64::from(i * 37 % 200) / 100.0 - 0.995)
            .collect();
        let predicted: Vec<f64> = (0..200)
            .map(|i| 10_f64.powf(f64::from(i) / 100.0))
            .collect();
        let noise = noise(200);
        let residuals: Vec<f64> = (0..200)
            .map(|i| deviation(x[i], predicted[i]) * noise[i])
            .collect();
        uneven(&NoiseRows {
            predicted: &predicted,
            features: &[("x", &x)],
            residuals: &residuals,
            leverages: &[0.01; 200],
        })
    }

    #[test]
    fn even_noise_is_even() {
        assert_eq!(judge(|_, _| 0.3), None);
    }

    #[test]
    fn relative_errors_are_named_and_weighed() {
        let found = judge(|_, value| 0.05 * value).expect("two decades");
        assert!(found.is_relative(), "{found:?}");
        assert!(
            found
                .sentence()
                .contains("in proportion to the predicted value")
        );
        let weights = found.weights(&[1.0, 10.0, 100.0]);
        assert!(
            (weights[0] / weights[1] / 100.0 - 1.0).abs() < 0.2,
            "{weights:?}"
        );
    }

    #[test]
    fn noise_that_grows_with_a_feature_names_it() {
        let found = judge(|x, _| x.abs()).expect("from nearly zero to one");
        assert_eq!(found.variable, Variable::Feature("x".into()));
        assert!(found.grows && found.factor > 5.0);
    }
}
