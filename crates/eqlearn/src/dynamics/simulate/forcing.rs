//! What acts on a system from outside.

use crate::dynamics::DynamicsError;
use crate::dynamics::system::System;
use crate::error::Result;

/// Known inputs over time, and time itself if equations use it. Between its samples an input is a
/// straight line.
///
/// ```
/// use eqlearn::dynamics::simulate::Forcing;
///
/// let forcing = Forcing::new(vec![0.0, 1.0, 2.0])?.with_input("u", vec![0.0, 1.0, 1.0])?;
/// assert!(forcing.with_input("v", vec![7.0]).is_err());
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forcing {
    times: Vec<f64>,
    inputs: Vec<(String, Vec<f64>)>,
    time: Option<String>,
}

impl Forcing {
    /// Inputs that are known at these times; none yet.
    ///
    /// # Errors
    /// Times that do not rise.
    pub fn new(times: Vec<f64>) -> Result<Self> {
        if times.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err(DynamicsError::SimulationTimesDoNotRise.into());
        }
        Ok(Self {
            times,
            ..Self::default()
        })
    }

    /// Nothing but time, under the name that it has in the equations.
    pub fn of_time(name: &str) -> Self {
        Self::default().with_time(name)
    }

    /// The same, and time under the name that it has in the equations.
    #[must_use]
    pub fn with_time(mut self, name: &str) -> Self {
        self.time = Some(name.to_string());
        self
    }

    /// The same and an input, with a value at each time.
    ///
    /// # Errors
    /// More or fewer values than times.
    pub fn with_input(mut self, name: &str, values: Vec<f64>) -> Result<Self> {
        let (found, expected) = (values.len(), self.times.len());
        if found != expected {
            let input = name.to_string();
            return Err(DynamicsError::InputLength {
                input,
                found,
                expected,
            }
            .into());
        }
        self.inputs.push((name.to_string(), values));
        Ok(self)
    }

    /// What acts on the features of a system that are no states.
    pub(super) fn on(&self, system: &System, times: &[f64]) -> Result<Vec<(usize, Outside<'_>)>> {
        let others = system.others();
        let place = |name: &str| {
            let mut features = system.features().iter();
            features.position(|feature| feature == name)
        };
        let mut outside = Vec::new();
        for name in others {
            let place = place(name).expect("what equations use is a feature");
            let input = self.inputs.iter().find(|(known, _)| known == name);
            let acts = match input {
                Some((_, values)) => Outside::Input(&self.times, values),
                None if self.time.as_deref() == Some(name) => Outside::Time,
                None => {
                    let input = name.to_string();
                    return Err(DynamicsError::SimulationNeedsInput { input }.into());
                }
            };
            outside.push((place, acts));
        }
        let uses_inputs = outside
            .iter()
            .any(|(_, acts)| matches!(acts, Outside::Input(..)));
        if uses_inputs {
            self.check_range(times)?;
        }
        Ok(outside)
    }

    /// Inputs are not guessed beyond what is known.
    fn check_range(&self, times: &[f64]) -> Result<()> {
        let (from, to) = (self.times[0], self.times[self.times.len() - 1]);
        let (first, last) = (times[0], times[times.len() - 1]);
        // Times that were computed may differ in their last digits.
        let room = 1e-9 * (to - from).abs();
        if first < from - room || last > to + room {
            return Err(DynamicsError::InputsTooShort {
                from,
                to,
                first,
                last,
            }
            .into());
        }
        Ok(())
    }
}

/// How a feature that is no state depends on time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outside<'a> {
    /// It is time.
    Time,
    /// An input: times and values.
    Input(&'a [f64], &'a [f64]),
}

impl Outside<'_> {
    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Time => time,
            Self::Input(times, values) => {
                let after = times.partition_point(|t| *t <= time);
                if after == 0 || times.len() == 1 {
                    return values[0];
                }
                let after = after.min(times.len() - 1);
                let (left, right) = (times[after - 1], times[after]);
                let share = ((time - left) / (right - left)).clamp(0.0, 1.0);
                values[after - 1] + share * (values[after] - values[after - 1])
            }
        }
    }

    /// The time until the next sample.
    pub(super) fn reach(&self, time: f64) -> f64 {
        match self {
            Self::Input(times, _) => until_next(times, time),
            Self::Time => f64::INFINITY,
        }
    }
}

/// How long it is from a time to the next of some others.
pub(super) fn until_next(times: &[f64], time: f64) -> f64 {
    let after = times.partition_point(|t| *t <= time);
    // What is left of a step because of rounding is no step of its own.
    let ahead = times[after..].iter().map(|next| next - time);
    let mut ahead = ahead.filter(|ahead| *ahead > 1e-12 * time.abs().max(1e-12));
    ahead.next().unwrap_or(f64::INFINITY)
}
