//! A choice among models that are nearly as probable: each is simulated over windows of the record.
//!
//! Where several equations of a state are nearly as probable as the answer (the finalists), each
//! replaces it in turn, and the whole system is simulated over short windows that start at many
//! samples of the record. The answer changes only if another equation has a significantly smaller
//! error. A simulation that fails in a window counts there as much as predicting the mean.

use serde::{Deserialize, Serialize};

use super::Discovery;
use crate::data::trajectory::Trajectories;
use crate::dynamics::system::System;
use crate::dynamics::windows::{TOLERANCE, Window, windows};
use crate::judge::ranking::Ranked;
use crate::learn::Study;
use crate::terms::vocabulary::Vocabulary;

/// A model less probable than this is no finalist.
const PROBABLE: f64 = 0.01;
/// Finalists per state at most, including the answer.
const FINALISTS: usize = 5;
/// Duration of a window in time scales: long enough for errors of the equation to add up, too short
/// for chaos to amplify noise.
const LENGTH: f64 = 2.0;
/// Windows at most.
const WINDOWS: usize = 100;
/// With fewer windows no difference is significant.
const FEWEST: usize = 8;
/// Squared errors below this are those of the simulation: some steps at its tolerance.
const FLOOR: f64 = 100.0 * TOLERANCE * TOLERANCE;
/// Another equation must be better by this many standard errors.
const SURE: f64 = 3.0;

/// What simulations said about the finalists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// How many equations were tried in place of an answer.
    pub finalists: usize,
    /// How many windows each was simulated over.
    pub windows: usize,
    /// The states whose answer changed.
    pub changed: Vec<String>,
}

/// Chooses among the finalists by simulation; the same discovery if there are none, or if the
/// system cannot be simulated on its own.
pub(super) fn second_opinion(discovery: Discovery, trajectories: &Trajectories) -> Discovery {
    let finalists: Vec<Vec<usize>> = discovery.studies.iter().map(others).collect();
    let n_finalists = finalists.iter().map(Vec::len).sum();
    let Some(system) = discovery.system() else {
        return discovery;
    };
    if n_finalists == 0 || !system.others().is_empty() {
        return discovery;
    }
    let length = LENGTH * discovery.choice.time_scale;
    let windows = windows(trajectories, length, WINDOWS);
    if windows.len() < FEWEST {
        return discovery;
    }
    let n_states = system.states().len();
    let spreads: Vec<f64> = (0..n_states).map(|d| trajectories.spread(d)).collect();
    let errors = |system: &System| errors(system, &windows, &spreads);
    let mut standing = errors(&system);
    let mut best = discovery;
    let mut changed = Vec::new();
    for (state, finalists) in finalists.into_iter().enumerate() {
        for place in finalists {
            let tried = best.choosing(state, place);
            let Some(system) = tried.system() else {
                continue;
            };
            let errors = errors(&system);
            if is_better(&errors, &standing) {
                standing = errors;
                changed.push(best.states[state].clone());
                best = tried;
            }
        }
    }
    changed.dedup();
    best.choice.second_opinion = Some(Opinion {
        finalists: n_finalists,
        windows: windows.len(),
        changed,
    });
    best
}

/// The places of a state's finalists in its ranking, without the answer's.
fn others(study: &Study) -> Vec<usize> {
    let Some(answer) = study.place() else {
        return Vec::new();
    };
    // The other laws beyond a dictionary have no numbers of their own to be simulated with.
    if study.vocabulary() > Vocabulary::Monomials {
        return Vec::new();
    }
    let ranking = study.ranking();
    let models = ranking.models().iter().enumerate().take(FINALISTS);
    let empty = ranking.baseline().support().len();
    let is_finalist = |(place, model): &(usize, &Ranked)| {
        *place != answer && model.probability >= PROBABLE && model.fit.support().len() > empty
    };
    models.filter(is_finalist).map(|(place, _)| place).collect()
}

/// The squared error in each window, relative to that of predicting the mean. What the simulation
/// adds by itself does not count, nor does by how much the mean would have been better.
fn errors(system: &System, windows: &[Window<'_>], spreads: &[f64]) -> Vec<f64> {
    let one = |window: &Window<'_>| {
        let run = window.follow(system);
        run.map_or(1.0, |run| counted(window.squared_error(&run, spreads)))
    };
    windows.iter().map(one).collect()
}

fn counted(squared_error: f64) -> f64 {
    squared_error.clamp(FLOOR, 1.0)
}

/// Whether the first errors are significantly smaller than the second.
fn is_better(tried: &[f64], standing: &[f64]) -> bool {
    let gains: Vec<f64> = standing.iter().zip(tried).map(|(s, t)| s - t).collect();
    let n = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / n;
    let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
    mean > SURE * (squares / (n - 1.0) / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::discover::{Discover, discover};
    use crate::reduce::support::Support;
    use crate::search::Run;
    use crate::terms::dictionary::Dictionary;

    #[test]
    fn an_answer_that_cannot_follow_the_record_gives_way() {
        // A damped oscillation, x' = y and y' = −x − 0.2 y, with a little noise of fixed shape.
        let times: Vec<f64> = (0..600).map(|i| f64::from(i) * 0.05).collect();
        let b = (1.0_f64 - 0.01).sqrt();
        let x = |t: f64| (-0.1 * t).exp() * ((b * t).cos() + 0.1 / b * (b * t).sin());
        let y = |t: f64| -(-0.1 * t).exp() / b * (b * t).sin();
        let noise = |i: usize, k: f64| 0.002 * (12.9898 * k * (i * i) as f64).sin();
        let column = |f: &dyn Fn(f64) -> f64, k: f64| {
            let values = times.iter().enumerate();
            values
                .map(|(i, t)| f(*t) + noise(i, k))
                .collect::<Vec<f64>>()
        };
        let columns = vec![column(&x, 1.0), column(&y, 1.7)];
        let trajectories = Trajectories::of_run("t", times.clone(), &["x", "y"], columns).unwrap();
        let dictionary = Dictionary::monomials(["x", "y"], 2, 2, true).unwrap();
        let settings = Discover::default();
        let run = Run::default();
        let found = discover(&trajectories, &dictionary, &settings, &run, &mut ()).unwrap();
        let study = &found.studies[1];
        let right = study.place().unwrap();
        let support = study.answer().unwrap().fit.support();
        // Pretend that the equation without damping had been chosen.
        let x_alone = Support::from_iter([support.indices()[0]]);
        let x_alone = study.ranking().place(&x_alone).unwrap();
        assert_ne!(x_alone, right);
        let settled = second_opinion(found.choosing(1, x_alone), &trajectories);
        assert_eq!(settled.choice.second_opinion.unwrap().changed, ["y"]);
        assert_eq!(settled.studies[1].place(), Some(right));
    }

    #[test]
    fn chance_does_not_change_an_answer() {
        let standing: Vec<f64> = (0..20).map(|i| 0.1 + 0.01 * f64::from(i % 3)).collect();
        let shuffled: Vec<f64> = standing.iter().rev().copied().collect();
        assert!(!is_better(&shuffled, &standing));
        let better: Vec<f64> = standing.iter().map(|e| e - 0.05).collect();
        assert!(is_better(&better, &standing));
    }

    #[test]
    fn errors_of_the_simulation_are_no_gain() {
        // Both follow a record without noise as well as steps of the simulation allow.
        let all = |error: f64| [counted(error), counted(1.01 * error), counted(0.99 * error)];
        assert!(!is_better(&all(1e-13), &all(1e-12)));
        assert!(is_better(&all(1e-9), &all(1e-8)));
    }
}
