//! A record, and the learned system followed along it.

use eqlearn::data::trajectory::Piece;
use eqlearn::dynamics::forecast::{Restart, restarts};
use eqlearn::dynamics::start::Scales;
use eqlearn::{System, Trajectories};
use serde::Serialize;

use crate::sample::{ROUGH, short};
use crate::symbols::Symbols;

/// Runs at most.
const RUNS: usize = 200;
/// Points that are drawn of one run: at most, and at least.
const POINTS: (usize, usize) = (1500, 60);
/// Points of all states of all runs at most: a page stays below 2 MB.
const ALL_POINTS: usize = 50_000;
/// Points per time scale at least: fewer would make polygons of curves.
const PER_SCALE: f64 = 4.0;

/// Every run of a record, and the system started along each from measured states.
#[derive(Debug, Clone, Serialize)]
pub struct Motion {
    /// The name of the time.
    pub time: String,
    /// The states, as charts name them.
    pub states: Vec<String>,
    /// What errors and times are measured by.
    #[serde(skip)]
    pub scales: Scales,
    /// The runs: stretches of record without a gap.
    pub runs: Vec<Run>,
    /// How many runs there are in all.
    pub of: usize,
    /// How many gaps the record has.
    #[serde(skip)]
    pub n_gaps: usize,
    /// How many segments of it are too short to be used.
    #[serde(skip)]
    pub n_short: usize,
}

/// A stretch of record, as far as it is drawn.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// What to call it.
    pub name: String,
    /// When samples were taken.
    pub times: Vec<f64>,
    /// For each state its samples.
    pub recorded: Vec<Vec<f64>>,
    /// For each recorded state its samples without noise, at the same times; empty where these are
    /// not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cleaned: Vec<Vec<f64>>,
    /// The system from measured states on, one after the other, as far as it is drawn; none without
    /// a system.
    pub followed: Vec<Followed>,
    /// All starts, those that are not drawn too.
    #[serde(skip)]
    pub starts: Vec<Start>,
    /// What of the run is drawn, in words.
    pub shown: String,
}

/// The system from a measured state until it is lost.
#[derive(Debug, Clone, Serialize)]
pub struct Followed {
    /// The times, from the start on.
    pub times: Vec<f64>,
    /// For each state its simulated values.
    pub states: Vec<Vec<f64>>,
}

/// A measured state that the system starts from.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// When it was measured.
    pub time: f64,
    /// How long the system is valid from there on.
    pub horizon: f64,
    /// Whether it is still valid where the run ends.
    pub reaches_end: bool,
}

impl Motion {
    /// All runs of a record, and the system along each if there is one. `cleaned` is the record
    /// without its noise, if that is known.
    pub fn new(
        record: &Trajectories,
        cleaned: Option<&Trajectories>,
        system: Option<&System>,
        scales: Scales,
        symbols: &Symbols,
    ) -> Self {
        let n_states = record.states().len();
        let n_runs = record.pieces().len().min(RUNS);
        let n_cleaned = cleaned.map_or(0, |cleaned| cleaned.states().len());
        // A state is drawn twice, as recorded and as simulated; without noise, once more.
        let n_drawn = n_states + n_cleaned.div_ceil(2);
        let points = (ALL_POINTS / (n_runs * n_drawn).max(1)).clamp(POINTS.1, POINTS.0);
        let run = |(place, piece): (usize, &Piece)| {
            let drawn = Drawn::new(piece, points, record.step(), scales.time_scale);
            let followed = system.map_or(Vec::new(), |s| restarts(s, piece, &scales));
            let cleaned = cleaned.and_then(|all| all.pieces().get(place));
            Run {
                cleaned: cleaned.map_or(Vec::new(), |own| drawn.columns(own, n_cleaned)),
                ..drawn.run(place, piece, n_states, &followed)
            }
        };
        let runs: Vec<Run> = record
            .pieces()
            .iter()
            .take(RUNS)
            .enumerate()
            .map(run)
            .collect();
        Self {
            time: symbols.plain(record.time()),
            states: record
                .states()
                .iter()
                .map(|name| symbols.plain(name))
                .collect(),
            scales,
            runs,
            of: record.pieces().len(),
            n_gaps: record.n_gaps(),
            n_short: record.n_short(),
        }
    }

    /// Whether there are states without noise.
    pub(crate) fn has_cleaned(&self) -> bool {
        self.runs.iter().any(|run| !run.cleaned.is_empty())
    }
}

/// Which samples of a run are drawn: every so many of the first so many.
struct Drawn {
    every: usize,
    end: usize,
}

impl Drawn {
    fn new(piece: &Piece, points: usize, step: f64, time_scale: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number, and too large ones end at the largest"
        )]
        let coarsest = (time_scale / (PER_SCALE * step)).max(1.0) as usize;
        let every = piece.len().div_ceil(points).min(coarsest).max(1);
        Self {
            every,
            end: piece.len().min(every * points),
        }
    }

    /// The drawn values of a column.
    fn pick(&self, values: &[f64]) -> Vec<f64> {
        let some = values[..self.end].iter().copied().step_by(self.every);
        short(&some.collect::<Vec<f64>>(), ROUGH)
    }

    /// The drawn values of the first columns of a piece.
    fn columns(&self, piece: &Piece, n: usize) -> Vec<Vec<f64>> {
        let first = piece.columns()[..n].iter();
        first.map(|column| self.pick(column)).collect()
    }

    fn run(&self, place: usize, piece: &Piece, n_states: usize, all: &[Restart]) -> Run {
        let followed = all.iter().filter(|one| one.first < self.end);
        let start = |one: &Restart| Start {
            time: piece.times()[one.first],
            horizon: one.horizon,
            reaches_end: one.reaches_end,
        };
        Run {
            name: format!("{}: {}", place + 1, piece.name()),
            times: self.pick(piece.times()),
            recorded: self.columns(piece, n_states),
            cleaned: Vec::new(),
            followed: followed.map(|one| self.followed(piece, one)).collect(),
            starts: all.iter().map(start).collect(),
            shown: self.in_words(piece.len()),
        }
    }

    /// The drawn points of a simulation: its first, its last, and every so many between.
    fn followed(&self, piece: &Piece, one: &Restart) -> Followed {
        let n = one.states[0].len().min(self.end - one.first);
        let is_drawn = |i: &usize| i.is_multiple_of(self.every) || i + 1 == n;
        let pick = |values: &[f64]| -> Vec<f64> {
            let some = (0..n).filter(is_drawn).map(|i| values[i]);
            short(&some.collect::<Vec<f64>>(), ROUGH)
        };
        Followed {
            times: pick(&piece.times()[one.first..]),
            states: one.states.iter().map(|x| pick(x)).collect(),
        }
    }

    fn in_words(&self, n: usize) -> String {
        let part = if self.end < n {
            format!("the first {} of {n} samples", self.end)
        } else {
            format!("all {n} samples")
        };
        match self.every {
            1 => format!("Drawn: {part}."),
            every => format!("Drawn: one in {every} of {part}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of one run, and the same one without its noise.
    fn with_and_without_noise(n: u32) -> (Trajectories, Trajectories) {
        let times: Vec<f64> = (0..n).map(|i| 0.01 * f64::from(i)).collect();
        let made = |noise: f64| {
            let x = times
                .iter()
                .map(|t| t.sin() + noise * (977.0 * t * t).sin());
            let states = ["x".to_string()];
            Trajectories::of_run("t", times.clone(), &states, vec![x.collect()]).unwrap()
        };
        (made(0.1), made(0.0))
    }

    fn scales(record: &Trajectories) -> Scales {
        Scales::new(record, &[0.0], 1.0)
    }

    #[test]
    fn the_record_without_noise_is_drawn_at_the_times_of_the_record() {
        let symbols = Symbols::new(&[], [], &[]);
        let (record, cleaned) = with_and_without_noise(4000);
        let motion = Motion::new(&record, Some(&cleaned), None, scales(&record), &symbols);
        let run = &motion.runs[0];
        assert!(run.times.len() < 4000, "{}", run.shown);
        assert_eq!(run.cleaned.len(), 1);
        assert_eq!(run.cleaned[0].len(), run.recorded[0].len());
        for (t, x) in run.times.iter().zip(&run.cleaned[0]) {
            assert!((x - t.sin()).abs() < 1e-4, "{x} at {t}");
        }
    }

    #[test]
    fn pages_of_records_with_little_noise_carry_nothing_more() {
        let symbols = Symbols::new(&[], [], &[]);
        let (record, _) = with_and_without_noise(100);
        let motion = Motion::new(&record, None, None, scales(&record), &symbols);
        let numbers = serde_json::to_value(&motion).unwrap();
        assert!(numbers["runs"][0].get("cleaned").is_none(), "{numbers}");
        assert!(!motion.has_cleaned());
    }

    #[test]
    fn fast_motion_is_cut_rather_than_thinned() {
        let drawn = |every, end| Drawn { every, end };
        assert_eq!(drawn(1, 100).in_words(100), "Drawn: all 100 samples.");
        assert_eq!(
            drawn(2, 1200).in_words(90_000),
            "Drawn: one in 2 of the first 1200 of 90000 samples."
        );
    }
}
