//! A record and the simulation of the learned system beside it.

use eqlearn::{Simulate, System, Trajectories, simulate};

/// Samples at most.
const SAMPLES: usize = 1200;
/// Points that are drawn at most.
const POINTS: usize = 600;

/// The start of a record, and the system started from its first sample.
#[derive(Debug, Clone)]
pub struct Motion {
    /// The name of the time.
    pub time: String,
    /// The states.
    pub states: Vec<String>,
    /// When samples were taken.
    pub times: Vec<f64>,
    /// For each state its samples.
    pub recorded: Vec<Vec<f64>>,
    /// For each state its simulated values, as far as the simulation went.
    pub simulated: Vec<Vec<f64>>,
    /// How many gaps the record has.
    pub n_gaps: usize,
    /// How many segments of it are too short to be used.
    pub n_short: usize,
    /// When a state was first off by more than 40 % of its standard deviation; none if never.
    pub lost: Option<f64>,
}

impl Motion {
    /// The first segment of the record and the simulation beside it. Without a system, or with
    /// inputs, the record alone.
    pub fn new(trajectories: &Trajectories, system: Option<&System>) -> Option<Self> {
        let piece = trajectories.pieces().first()?;
        let n = piece.len().min(SAMPLES);
        let every = n.div_ceil(POINTS).max(1);
        let pick =
            |values: &[f64]| -> Vec<f64> { values[..n].iter().copied().step_by(every).collect() };
        let times = pick(piece.times());
        let n_states = trajectories.states().len();
        let recorded: Vec<Vec<f64>> = piece.columns()[..n_states]
            .iter()
            .map(|x| pick(x))
            .collect();
        let start: Vec<f64> = recorded.iter().map(|state| state[0]).collect();
        let run = system
            .filter(|system| system.others().is_empty())
            .and_then(|system| simulate(system, &start, &times, &Simulate::default()).ok());
        let simulated = run.map_or_else(|| vec![Vec::new(); n_states], |run| run.states);
        let followed = simulated.first().map_or(0, Vec::len);
        let off = |i: usize| {
            (0..n_states)
                .any(|d| (simulated[d][i] - recorded[d][i]).abs() > 0.4 * trajectories.spread(d))
        };
        let lost = (0..followed).find(|&i| off(i)).map(|i| times[i]);
        Some(Self {
            time: trajectories.time().to_string(),
            states: trajectories.states().to_vec(),
            times,
            recorded,
            simulated,
            n_gaps: trajectories.n_gaps(),
            n_short: trajectories.n_short(),
            lost,
        })
    }
}
