//! What a record tells about the next step, before anything is learned from it.

use super::{Checked, Spelling};
use crate::data::trajectory::{Piece, Trajectories};

/// Mean squares of the change from sample to sample, in units of twice the variance: 1 for samples
/// that do not depend on each other. A wave with six samples per period has 0.5.
const HARDLY_DEPENDENT: f64 = 0.6;

/// A state that moves back by this share of its range has turned around; noise moves it by less.
const TURNED: f64 = 0.5;

/// An angle wraps by a full turn, and so much may be between the samples before and after.
const NEARLY_A_TURN: f64 = 0.15;

impl Checked {
    /// Hints on a record whose next step is known.
    pub fn hints(&self, trajectories: &Trajectories, spelling: Spelling) -> Vec<String> {
        let mut hints = Vec::new();
        let discrete = self.request.discrete == Some(true);
        for (place, state) in trajectories.states().iter().enumerate() {
            let column = |piece: &Piece| piece.columns()[place].clone();
            let columns: Vec<Vec<f64>> = trajectories.pieces().iter().map(column).collect();
            if self.request.time.is_none() && columns.iter().all(|column| is_clock(column)) {
                hints.push(format!(
                    "{state} rises by equal steps, as a clock does: {} if it is the time",
                    (spelling.with)("time", state)
                ));
            } else if let Some((turn, unit)) = wrapped(&columns) {
                hints.push(format!(
                    "{state} jumps by about {turn}: an angle in {unit} that starts again after a \
                     turn? Let it run on, or use its sine and cosine as states"
                ));
            } else if !discrete && columns.iter().any(|column| is_undersampled(column)) {
                hints.push(format!(
                    "{state} changes from sample to sample by as much as it does at all: with \
                     fewer than six samples per period its motion cannot be followed"
                ));
            }
        }
        // A jump or a wave of few samples is no motion that turns around.
        let turning = hints.is_empty() && !discrete && self.is_alone(trajectories);
        if turning && turns(trajectories) {
            let state = &trajectories.states()[0];
            hints.push(format!(
                "{state} turns around, which no law {state}' = f({state}) allows: {} learns its \
                 acceleration",
                (spelling.with)("order", "2")
            ));
        }
        hints
    }

    /// Whether one state is all that terms may use, in a law of first order.
    fn is_alone(&self, trajectories: &Trajectories) -> bool {
        let first_order = self.request.order.unwrap_or(1) == 1;
        first_order && trajectories.features().len() == 1
    }
}

/// Whether a column counts time: each step is the same, up to the digits that were written.
fn is_clock(column: &[f64]) -> bool {
    let steps = || column.windows(2).map(|pair| pair[1] - pair[0]);
    let (least, most) = steps().fold((f64::INFINITY, 0.0_f64), |(least, most), step| {
        (least.min(step), most.max(step))
    });
    least > 0.0 && most - least <= 1e-6 * most
}

/// The size of a full turn and its unit, if a column jumps by that much and goes on.
fn wrapped(columns: &[Vec<f64>]) -> Option<(&'static str, &'static str)> {
    let turns = [
        (std::f64::consts::TAU, "6.28", "radians"),
        (360.0, "360", "degrees"),
    ];
    let steps = || {
        let pairs = columns.iter().flat_map(|column| column.windows(2));
        pairs.map(|pair| (pair[1] - pair[0]).abs())
    };
    let found = turns.into_iter().find(|(turn, _, _)| {
        let is_jump = |step: &f64| (step - turn).abs() < NEARLY_A_TURN * turn;
        let jumps = steps().filter(is_jump).count();
        // All other steps are short.
        let short = steps().filter(|step| *step < NEARLY_A_TURN * turn).count();
        jumps > 0 && jumps + short == steps().count()
    });
    found.map(|(_, written, unit)| (written, unit))
}

/// Whether neighbouring samples hardly depend on each other.
fn is_undersampled(column: &[f64]) -> bool {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let steps = column.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    let step = steps.sum::<f64>() / (n - 1.0);
    step > HARDLY_DEPENDENT * 2.0 * variance
}

/// Whether the first state moves forth and back.
fn turns(trajectories: &Trajectories) -> bool {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let columns = || {
        trajectories
            .pieces()
            .iter()
            .map(|piece| &piece.columns()[0])
    };
    for &x in columns().flatten() {
        (least, most) = (least.min(x), most.max(x));
    }
    let far = TURNED * (most - least);
    columns().any(|column| moved(column, 1.0) > far && moved(column, -1.0) > far)
}

/// How far a column moves in a direction, from any sample to a later one; single samples that stand
/// out do not count.
fn moved(column: &[f64], direction: f64) -> f64 {
    let middle = |window: &[f64]| {
        let mut sorted = [window[0], window[1], window[2]];
        sorted.sort_by(f64::total_cmp);
        sorted[1]
    };
    let (mut lowest, mut farthest) = (f64::INFINITY, 0.0_f64);
    for x in column.windows(3).map(middle) {
        lowest = lowest.min(direction * x);
        farthest = farthest.max(direction * x - lowest);
    }
    farthest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Command, Request};

    const FLAGS: Spelling = Spelling {
        word: |word| format!("--{word}"),
        with: |word, value| format!("--{word} {value}"),
    };

    fn said(request: Request, x: impl Fn(f64) -> f64) -> Vec<String> {
        let times: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.1).collect();
        let x = times.iter().map(|t| x(*t)).collect();
        let trajectories = Trajectories::of_run("t", times, &["x"], vec![x]).unwrap();
        let checked = request.check(Command::Discover).unwrap();
        checked.hints(&trajectories, FLAGS)
    }

    fn timed() -> Request {
        Request {
            time: Some("t".into()),
            ..Request::default()
        }
    }

    #[test]
    fn a_motion_that_turns_around_is_of_second_order() {
        let hints = said(timed(), |t| (2.0 * t).cos());
        assert!(
            hints[0].contains("--order 2 learns its acceleration"),
            "{hints:?}"
        );
        let second = Request {
            order: Some(2),
            ..timed()
        };
        assert!(said(second, |t| (2.0 * t).cos()).is_empty());
        // A decay with noise does not turn.
        let noise = |t: f64| 0.05 * (t * 977.0).sin();
        assert!(said(timed(), |t| (-t).exp() + noise(t)).is_empty());
    }

    #[test]
    fn a_clock_among_the_states_is_seen() {
        let stepped = Request {
            dt: Some(0.1),
            ..Request::default()
        };
        let hints = said(stepped.clone(), |t| 5.0 + t);
        assert_eq!(
            hints,
            ["x rises by equal steps, as a clock does: --time x if it is the time"]
        );
        assert!(said(timed(), |t| 5.0 + t).is_empty());
        assert!(said(stepped, |t| 5.0 - (-t).exp()).is_empty());
    }

    #[test]
    fn a_wave_with_too_few_samples_is_seen() {
        let hints = said(timed(), |t| (20.0 * t).cos());
        assert!(
            hints[0].contains("fewer than six samples per period"),
            "{hints:?}"
        );
        assert_eq!(hints.len(), 1, "it is not said to turn around: {hints:?}");
    }

    #[test]
    fn an_angle_that_wraps_is_seen() {
        use std::f64::consts::{PI, TAU};

        let hints = said(timed(), |t| (1.3 * t + PI).rem_euclid(TAU) - PI);
        assert!(
            hints[0].starts_with("x jumps by about 6.28: an angle in radians"),
            "{hints:?}"
        );
        let hints = said(timed(), |t| (50.0 * t).rem_euclid(360.0));
        assert!(hints[0].starts_with("x jumps by about 360"), "{hints:?}");
    }
}
