//! Recorded trajectories: states over time, perhaps with known inputs, in one or many pieces.
//!
//! A piece is a stretch of record without a gap. Times rise strictly within it; steps may be
//! unequal. Where a step is much longer than the others the record is cut there, because nothing is
//! known about what happened in between: differences and test functions never extend across a cut.
//!
//! Invariants: every piece has the same columns (states, then inputs, then time if it is a
//! feature), all numbers are finite, times rise strictly, no state is constant over the whole
//! record.

use crate::data::TrajectoryError;
use crate::error::Result;

/// A step this many times longer than the usual one is a gap.
///
/// Jitter or one or two lost samples do not make a gap; a longer one cannot be interpolated by
/// polynomials of degree five.
const GAP: f64 = 4.5;

/// With fewer points a derivative cannot be checked.
pub const MIN_POINTS: usize = 8;

/// A stretch of record without a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    name: String,
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl Piece {
    /// The record that it is from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The times, rising.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The columns of the features: states, then inputs, then time if it is one.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// The same piece with other values of its first columns.
    #[must_use]
    pub fn with_states(&self, states: Vec<Vec<f64>>) -> Self {
        let rest = self.columns[states.len()..].to_vec();
        Self {
            name: self.name.clone(),
            times: self.times.clone(),
            columns: states.into_iter().chain(rest).collect(),
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// From the first time to the last.
    pub fn duration(&self) -> f64 {
        self.times[self.len() - 1] - self.times[0]
    }
}

/// One record as it was read: times, and one column per state and per input.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What to call it in messages: a file, or a value of the column that separates trajectories.
    pub name: String,
    /// The times.
    pub times: Vec<f64>,
    /// One column per state.
    pub states: Vec<Vec<f64>>,
    /// One column per input.
    pub inputs: Vec<Vec<f64>>,
}

/// Whether time itself may appear in terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeFeature {
    /// The law does not change with time.
    #[default]
    No,
    /// The time column is a feature, under its own name.
    Yes,
}

/// Trajectories of one system, ready to be learned from.
///
/// ```
/// use eqlearn::data::trajectory::Trajectories;
///
/// let times: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.1).collect();
/// let x = times.iter().map(|t| (-t).exp()).collect();
/// let trajectories = Trajectories::of_run("t", times, &["x"], vec![x])?;
/// assert_eq!(trajectories.n_points(), 50);
/// assert!((trajectories.step() - 0.1).abs() < 1e-12);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectories {
    time: String,
    states: Vec<String>,
    /// How many of the states were measured: the first ones. The others are their velocities.
    n_measured: usize,
    features: Vec<String>,
    pieces: Vec<Piece>,
    step: f64,
    n_gaps: usize,
    n_short: usize,
}

impl Trajectories {
    /// One run of a system without inputs: its times, and one column per state.
    ///
    /// # Errors
    /// As [`Trajectories::new`].
    pub fn of_run(
        time: &str,
        times: Vec<f64>,
        states: &[impl AsRef<str>],
        columns: Vec<Vec<f64>>,
    ) -> Result<Self> {
        let record = Record {
            name: "run".into(),
            times,
            states: columns,
            inputs: Vec::new(),
        };
        Self::new(time, states, &[] as &[&str], TimeFeature::No, vec![record])
    }

    /// Cuts records at their gaps and checks them.
    ///
    /// # Errors
    /// Times that do not rise, named with record and row; records too short to learn from; a state
    /// that never varies.
    pub fn new(
        time: &str,
        states: &[impl AsRef<str>],
        inputs: &[impl AsRef<str>],
        time_feature: TimeFeature,
        records: Vec<Record>,
    ) -> Result<Self> {
        let names = |names: &[String]| names.to_vec();
        let states: Vec<String> = states.iter().map(|s| s.as_ref().to_string()).collect();
        let inputs: Vec<String> = inputs.iter().map(|s| s.as_ref().to_string()).collect();
        let mut features = [names(&states), names(&inputs)].concat();
        if time_feature == TimeFeature::Yes {
            features.push(time.to_string());
        }
        for record in &records {
            check_times(record)?;
        }
        let step = median_step(&records);
        let n_records = records.len();
        let mut pieces = Vec::new();
        for record in records {
            pieces.extend(cut(record, GAP * step, time_feature));
        }
        let n_gaps = pieces.len() - n_records;
        let longest = pieces.iter().map(Piece::len).max().unwrap_or(0);
        let before = pieces.len();
        pieces.retain(|piece| piece.len() >= MIN_POINTS);
        let trajectories = Self {
            time: time.to_string(),
            n_measured: states.len(),
            states,
            features,
            n_short: before - pieces.len(),
            pieces,
            step,
            n_gaps,
        };
        if trajectories.pieces.is_empty() {
            return Err(TrajectoryError::TooShort {
                n_points: longest,
                least: MIN_POINTS,
            }
            .into());
        }
        trajectories.check_states()?;
        Ok(trajectories)
    }

    fn check_states(&self) -> Result<()> {
        for (state, name) in self.states.iter().enumerate() {
            let mut values = self.pieces.iter().flat_map(|piece| &piece.columns[state]);
            let first = *values.next().expect("a piece has points");
            if values.all(|value| value.to_bits() == first.to_bits()) {
                return Err(TrajectoryError::ConstantState {
                    name: name.clone(),
                    value: first,
                }
                .into());
            }
        }
        Ok(())
    }

    /// The name of the time column.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// The names of the states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// How many of the states were measured: the first ones. Velocities that were made of them are
    /// no measurements.
    pub fn n_measured(&self) -> usize {
        self.n_measured
    }

    /// The same trajectories with twice as many states: the given states of each piece replace its
    /// own, and their velocities follow, with names that start with a `d`.
    ///
    /// # Errors
    /// A velocity whose name is taken.
    pub(crate) fn with_velocities(
        &self,
        motion: impl Fn(&Piece) -> (Vec<Vec<f64>>, Vec<Vec<f64>>),
    ) -> Result<Self> {
        let n_states = self.states.len();
        let both = |piece: &Piece| {
            let (states, velocities) = motion(piece);
            let others = piece.columns[n_states..].to_vec();
            Piece {
                name: piece.name.clone(),
                times: piece.times.clone(),
                columns: [states, velocities, others].concat(),
            }
        };
        let velocities = velocities(&self.states);
        Ok(Self {
            features: with_velocities(self)?,
            states: [self.states.clone(), velocities].concat(),
            pieces: self.pieces.iter().map(both).collect(),
            ..self.clone()
        })
    }

    /// The same trajectories with other values of the states, for each piece.
    #[must_use]
    pub(crate) fn with_states(&self, states: Vec<Vec<Vec<f64>>>) -> Self {
        let both = self.pieces.iter().zip(states);
        Self {
            pieces: both.map(|(piece, own)| piece.with_states(own)).collect(),
            ..self.clone()
        }
    }

    /// The names of all features that terms may use: states, then inputs, then time if asked for.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The stretches without gaps.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The usual time step: the median.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// How many points there are in all.
    pub fn n_points(&self) -> usize {
        self.pieces.iter().map(Piece::len).sum()
    }

    /// How long all pieces are together.
    pub fn duration(&self) -> f64 {
        self.pieces.iter().map(Piece::duration).sum()
    }

    /// The standard deviation of a state over all pieces.
    pub fn spread(&self, state: usize) -> f64 {
        let values = || self.pieces.iter().flat_map(|piece| &piece.columns[state]);
        let n = self.n_points() as f64;
        let mean = values().sum::<f64>() / n;
        (values().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
    }

    /// How many gaps the records were cut at.
    pub fn n_gaps(&self) -> usize {
        self.n_gaps
    }

    /// How many stretches were too short to use.
    pub fn n_short(&self) -> usize {
        self.n_short
    }

    /// Whether all steps are the same up to rounding, so that sums over samples are accurate
    /// integrals of smooth functions.
    pub fn is_uniform(&self) -> bool {
        // Times written with six digits count as uniform; relevant jitter is larger.
        let tolerance = 1e-4 * self.step;
        self.pieces.iter().all(|piece| {
            let steps = piece.times.windows(2).map(|pair| pair[1] - pair[0]);
            steps
                .into_iter()
                .all(|step| (step - self.step).abs() <= tolerance)
        })
    }
}

/// What the velocities of states are called.
pub(crate) fn velocities(states: &[String]) -> Vec<String> {
    states.iter().map(|state| format!("d{state}")).collect()
}

/// The names of states, velocities, and whatever else terms may use.
pub(crate) fn with_velocities(trajectories: &Trajectories) -> Result<Vec<String>> {
    let velocities = velocities(&trajectories.states);
    let taken = velocities
        .iter()
        .find(|v| trajectories.features.contains(v));
    if let Some(name) = taken {
        return Err(TrajectoryError::VelocityNameTaken { name: name.clone() }.into());
    }
    let (states, others) = trajectories.features.split_at(trajectories.states.len());
    Ok([states, &velocities, others].concat())
}

fn check_times(record: &Record) -> Result<()> {
    let falls = record.times.windows(2).position(|pair| pair[1] <= pair[0]);
    match falls {
        None => Ok(()),
        Some(place) => {
            let (before, value) = (record.times[place], record.times[place + 1]);
            Err(TrajectoryError::TimesDoNotRise {
                record: record.name.clone(),
                row: place as u64 + 2,
                before,
                value,
            }
            .into())
        }
    }
}

fn median_step(records: &[Record]) -> f64 {
    let steps = |record: &Record| -> Vec<f64> {
        record
            .times
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect()
    };
    let mut steps: Vec<f64> = records.iter().flat_map(steps).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(1.0)
}

fn cut(record: Record, longest_step: f64, time_feature: TimeFeature) -> Vec<Piece> {
    let mut columns: Vec<Vec<f64>> = record.states.into_iter().chain(record.inputs).collect();
    if time_feature == TimeFeature::Yes {
        columns.push(record.times.clone());
    }
    let mut ends: Vec<usize> = (1..record.times.len())
        .filter(|&i| record.times[i] - record.times[i - 1] > longest_step)
        .collect();
    ends.push(record.times.len());
    let mut start = 0;
    let mut pieces = Vec::with_capacity(ends.len());
    for end in ends {
        pieces.push(Piece {
            name: record.name.clone(),
            times: record.times[start..end].to_vec(),
            columns: columns.iter().map(|c| c[start..end].to_vec()).collect(),
        });
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(times: Vec<f64>) -> Result<Trajectories> {
        let x = times.iter().map(|t| t.sin()).collect();
        Trajectories::of_run("t", times, &["x"], vec![x])
    }

    #[test]
    fn a_gap_cuts_and_jitter_does_not() {
        let times: Vec<f64> = (0..40)
            .map(|i| f64::from(i) * 0.1 + 0.01 * f64::from(i % 3) + if i < 20 { 0.0 } else { 5.0 })
            .collect();
        let made = made(times).unwrap();
        assert_eq!(
            (made.pieces().len(), made.n_gaps(), made.n_short()),
            (2, 1, 0)
        );
        assert!(!made.is_uniform());
    }

    #[test]
    fn times_must_rise() {
        let mut times: Vec<f64> = (0..20).map(f64::from).collect();
        times[7] = times[6];
        let said = made(times).unwrap_err().to_string();
        assert!(said.contains("row 8") && said.contains("run"), "{said}");
    }

    #[test]
    fn three_points_are_too_few() {
        let said = made(vec![0.0, 1.0, 2.0]).unwrap_err().to_string();
        assert!(said.contains('3'), "{said}");
    }
}
