//! The learned equations, simulated along a measured field from its first time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::field::{Boundary, Field};
use crate::dynamics::simulate::{End, Simulate};
use crate::fields::simulate::{FieldSimulation, simulate_field};
use crate::fields::system::FieldSystem;
use crate::numeric::fourier::{Complex, Fourier};

/// How precisely a simulation follows its equations: errors of the law are larger.
const TOLERANCE: f64 = 1e-6;

/// Steps at most, so that a law that is wrong does not hold up its answer.
const STEPS: usize = 60_000;

/// A field that was simulated beside a measured one.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowedField {
    /// The simulation, at the times of the record as far as it went.
    pub simulation: FieldSimulation,
    /// For each quantity and each time that was reached, the root mean square of its difference
    /// from the measured values, in units of the standard deviation of all these. Their noise is
    /// in it.
    pub errors: Vec<Vec<f64>>,
}

/// Why a field was not simulated beside a measured one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotFollowed {
    /// The field is open, or not known to be periodic.
    Open {
        /// The axis.
        axis: String,
    },
    /// There are several directions of space.
    Directions,
    /// The equations are of second order in time.
    SecondOrder,
    /// Values at the first time are missing.
    Missing,
}

impl fmt::Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { axis } => write!(
                f,
                "it is not simulated, because it is not known to be periodic along {axis}"
            ),
            Self::Directions => {
                f.write_str("it is not simulated, because it has several directions of space")
            }
            Self::SecondOrder => {
                f.write_str("it is not simulated, because it is of second order in time")
            }
            Self::Missing => {
                f.write_str("it is not simulated, because values of its first time are missing")
            }
        }
    }
}

/// Simulates equations beside a measured field from its first time on. Waves of this start that
/// are not above its noise are left out.
///
/// # Errors
/// Why it cannot be simulated.
pub fn follow(
    system: &FieldSystem,
    record: &Field,
    noise: &[f64],
) -> Result<FollowedField, NotFollowed> {
    let [axis] = record.space() else {
        return Err(NotFollowed::Directions);
    };
    if system.order() != 1 {
        return Err(NotFollowed::SecondOrder);
    }
    if axis.boundary != Boundary::Periodic {
        let axis = axis.name.clone();
        return Err(NotFollowed::Open { axis });
    }
    let n = axis.values.len();
    let first = record.quantities().iter().zip(noise);
    let start = first.map(|(quantity, noise)| above_noise(&quantity.values[..n], *noise));
    let start: Vec<Vec<f64>> = start.collect();
    if start.iter().flatten().any(|value| !value.is_finite()) {
        return Err(NotFollowed::Missing);
    }
    let step = (axis.values[n - 1] - axis.values[0]) / (n as f64 - 1.0);
    let settings = Simulate {
        tolerance: TOLERANCE,
        max_steps: STEPS,
        ..Simulate::default()
    };
    let times = &record.time().values;
    let simulation = simulate_field(system, &start, step * n as f64, times, &settings)
        .expect("a periodic field in one direction with all values can be simulated");
    let both = record.quantities().iter().zip(&simulation.values);
    let errors = both.map(|(measured, simulated)| errors(&measured.values, simulated, n));
    Ok(FollowedField {
        errors: errors.collect(),
        simulation,
    })
}

impl FollowedField {
    /// The time until which the simulation went.
    pub fn until(&self) -> f64 {
        *self.simulation.times.last().expect("there is a start")
    }

    /// Whether that is the last time of the record.
    pub fn reaches_end(&self) -> bool {
        self.simulation.end == End::Reached
    }
}

/// A line without the waves that noise could be. Of noise alone, the squares of waves are
/// exponential about `n σ²`, so that one in `n` lines of `n` waves keeps one.
fn above_noise(line: &[f64], noise: f64) -> Vec<f64> {
    let n = line.len() as f64;
    let fourier = Fourier::new(line.len());
    let mut waves = fourier.forward(line);
    let least = 2.0 * n.ln() * n * noise * noise;
    // The mean is kept in any case.
    let others = waves.iter_mut().skip(1);
    for wave in others.filter(|wave| wave.norm_sqr() < least) {
        *wave = Complex::ZERO;
    }
    fourier.backward(&waves)
}

/// The error at each time that was reached.
fn errors(measured: &[f64], simulated: &[f64], n: usize) -> Vec<f64> {
    let known: Vec<f64> = measured.iter().copied().filter(|u| !u.is_nan()).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let squares = known.iter().map(|u| (u - mean).powi(2)).sum::<f64>();
    let spread = (squares / known.len() as f64).sqrt();
    let slices = measured.chunks(n).zip(simulated.chunks(n));
    let error = |(measured, simulated): (&[f64], &[f64])| {
        let pairs = measured.iter().zip(simulated);
        let squares = pairs.filter(|(u, _)| !u.is_nan());
        let (sum, count) = squares.fold((0.0, 0), |(sum, count), (u, v)| {
            (sum + (u - v).powi(2), count + 1)
        });
        (sum / f64::from(count.max(1))).sqrt() / spread
    };
    slices.map(error).collect()
}
