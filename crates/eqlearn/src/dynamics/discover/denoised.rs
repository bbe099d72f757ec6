//! Much noise: the terms and coefficients of all equations together, and the states without noise.
//!
//! Each equation by itself is learned from rows whose noise is that of all states at once. Where
//! there is much of it, what the rows of one equation cannot tell is in the others: see
//! [`denoise`](crate::dynamics::denoise). It begins at the answers of the weak form, and takes
//! their place. The systems that were fitted on the way have the evidence of the whole record, from
//! which each equation gets its probability.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Discovery;
use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::denoise::{Choice, Fitted, Guess, Laws, Problem, Reached, Visited, search};
use crate::dynamics::resolution::{MUCH_NOISE, Resolution};
use crate::dynamics::rows::jumps::{Jump, jumps};
use crate::judge::criterion::Criterion;
use crate::learn::{Polished, Study};
use crate::reduce::support::Support;
use crate::terms::vocabulary::Vocabulary;

/// States times samples at most, unless it was asked for: with more, rows have power enough.
const LONGEST: usize = 100_000;
/// A fit that leaves this many times the noise that differences show does not follow the record.
const LOST: f64 = 1.5;

/// Steps in units of the time scale at most: with longer ones the integral of the slope over a step
/// is not known from four samples as well as equations are to hold.
const LONGEST_STEP: f64 = 0.5;

/// How a reason begins that states and coefficients were not fitted together.
pub(super) const NOT_FITTED: &str = "states and coefficients were not fitted together";

/// Whether states and coefficients of the whole system are fitted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Denoise {
    /// Where there is much noise.
    #[default]
    Auto,
    /// Wherever it is possible.
    On,
    /// Never.
    Off,
}

impl Denoise {
    /// Whether nothing was said about it.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serialisation passes a reference"
    )]
    pub(super) fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }
}

/// How states and coefficients were fitted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Denoised {
    /// How many systems were fitted to the record.
    pub fits: usize,
    /// The states whose terms are not those of their own rows.
    pub changed: Vec<String>,
    /// How closely the states without noise follow the record.
    pub states: Vec<CleanedState>,
}

/// What the values of a state without noise leave of its record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CleanedState {
    /// The state, as it was recorded.
    pub state: String,
    /// The noise that was fitted.
    pub noise: f64,
    /// The mean square of what is left, in units of the noise by which neighbouring samples of it
    /// differ (von Neumann's ratio): about 1 where it is white, more where the equations do not
    /// follow the record, or where the noise of neighbouring samples is correlated.
    pub chi2_per_sample: f64,
}

/// The discovery by the whole record, or the same one where it does not apply or does not follow
/// the record.
pub(super) fn denoised(
    discovery: Discovery,
    trajectories: &Trajectories,
    threads: usize,
) -> Result<Discovery, Box<Discovery>> {
    let Some(share) = asked(&discovery, trajectories) else {
        return Err(Box::new(discovery));
    };
    let not_fitted = |mut discovery: Discovery, why: &str| {
        let said = format!("{NOT_FITTED}: {why}");
        discovery.choice.why.push(said);
        Err(Box::new(discovery))
    };
    if let Some(why) = hindrance(&discovery, trajectories) {
        return not_fitted(discovery, why);
    }
    let studies = &discovery.studies;
    let dictionary = studies[0].problem().dictionary();
    let choice = Choice {
        allowed: studies.iter().map(allowed).collect(),
        forced: studies.iter().map(forced).collect(),
        most: studies.iter().map(most).collect(),
    };
    let scale = discovery.choice.time_scale;
    let record = unsmoothed(&discovery, trajectories);
    let problem = Problem::new(&record, dictionary, scale, choice);
    let first = |study: &Study| -> (Support, Vec<f64>) {
        let answer = study
            .answer()
            .map_or(study.ranking().baseline(), |a| &a.fit);
        (answer.support().clone(), answer.coefficients().to_vec())
    };
    let defined = (0..problem.n_defined()).map(|_| (Support::empty(), Vec::new()));
    let all = defined.chain(studies.iter().map(first));
    let (laws, coefficients): (Laws, Vec<_>) = all.unzip();
    let guess = Guess {
        laws,
        coefficients,
        noise: discovery.choice.noise.clone(),
    };
    match search(&problem, &guess, threads) {
        Some(found) if follows(&found.best, trajectories) => {
            Ok(told(discovery, trajectories, &found, share))
        }
        _ => not_fitted(discovery, "no system that was tried follows the record"),
    }
}

/// The record, with velocities if these are states: positions are as they were recorded.
fn unsmoothed<'a>(discovery: &Discovery, trajectories: &'a Trajectories) -> Cow<'a, Trajectories> {
    let Some(both) = &discovery.with_velocities else {
        return Cow::Borrowed(trajectories);
    };
    let n = trajectories.states().len();
    let pieces = trajectories.pieces().iter().zip(both.pieces());
    let states = pieces.map(|(recorded, smoothed)| {
        let (positions, velocities) = (&recorded.columns()[..n], &smoothed.columns()[n..2 * n]);
        [positions, velocities].concat()
    });
    Cow::Owned(both.with_states(states.collect()))
}

/// The noise as a share of the spread, the largest of all states, if the whole record is wanted.
fn asked(discovery: &Discovery, trajectories: &Trajectories) -> Option<f64> {
    let noise = discovery.choice.noise.iter().enumerate();
    let shares = noise.map(|(state, sigma)| sigma / trajectories.spread(state));
    let share = shares.fold(0.0_f64, f64::max);
    let n_values = trajectories.n_points() * trajectories.states().len();
    let wanted = match discovery.settings.denoise {
        Denoise::Auto => share > MUCH_NOISE && n_values <= LONGEST,
        Denoise::On => true,
        Denoise::Off => false,
    };
    wanted.then_some(share)
}

/// Why the whole record cannot be asked; none if it can.
fn hindrance(discovery: &Discovery, trajectories: &Trajectories) -> Option<&'static str> {
    let dictionary = discovery.studies[0].problem().dictionary();
    let is_plain = |study: &Study| {
        let own = study.problem().dictionary();
        study.vocabulary() == Vocabulary::Monomials && own.terms() == dictionary.terms()
    };
    let all_plain = !dictionary.is_empty()
        && discovery.forms.iter().all(Option::is_none)
        && discovery.studies.iter().all(is_plain);
    // Nobody knows when between two samples an input jumped; the rows of the weak form say so.
    let n_states = trajectories.states().len();
    let of_input = |jump: &Jump| jump.feature >= n_states;
    let jumping = |piece: &Piece| jumps(piece).iter().any(of_input);
    if !all_plain {
        Some("an equation is no sum of terms of the dictionary")
    } else if discovery.settings.learn.criterion != Criterion::Residual {
        Some("another criterion was asked for")
    } else if trajectories.step() > LONGEST_STEP * discovery.choice.time_scale {
        Some("the steps are too long")
    } else if trajectories.pieces().iter().any(jumping) {
        Some("an input jumps between samples")
    } else {
        None
    }
}

fn allowed(study: &Study) -> Support {
    let all: Support = (0..study.reduction().n_terms()).collect();
    all.minus(&study.settings().space.excluded)
}

fn forced(study: &Study) -> Support {
    let space = &study.settings().space;
    space.centre.union(&space.required)
}

fn most(study: &Study) -> usize {
    let space = &study.settings().space;
    space.max_terms.saturating_sub(space.required.len())
}

/// Whether the states follow the record as closely as its noise allows.
fn follows(best: &Fitted, trajectories: &Trajectories) -> bool {
    let noise = Resolution::new(trajectories).sigma;
    let both = best.scales.noise.iter().zip(&noise);
    best.settled && both.into_iter().all(|(left, noise)| *left <= LOST * noise)
}

/// The discovery with what was found.
fn told(
    discovery: Discovery,
    trajectories: &Trajectories,
    found: &Visited,
    share: f64,
) -> Discovery {
    let best = &found.best;
    // The first equations hold by definition.
    let n_defined = best.laws.len() - discovery.studies.len();
    let mut first = 0;
    let mut changed = Vec::new();
    let mut studies = Vec::with_capacity(discovery.studies.len());
    for (state, study) in (n_defined..).zip(discovery.studies) {
        let law = &best.laws[state];
        let own = first..first + law.len();
        first = own.end;
        if study.answer().is_none_or(|a| a.fit.support() != law) {
            changed.push(discovery.states[state - n_defined].clone());
        }
        let study = study.ranked_by(&scores(found, state), law);
        let rows = best.covariance[own.clone()].iter();
        let covariance = rows.map(|row| row[own.clone()].to_vec()).collect();
        studies.push(with_coefficients(
            study,
            &best.at.coefficients[state],
            covariance,
        ));
    }
    let states = best.at.states.iter();
    let recorded = |states: &Vec<Vec<f64>>| states[..best.scales.noise.len()].to_vec();
    let cleaned = trajectories.with_states(states.map(recorded).collect());
    let states = closeness(trajectories, &cleaned, &best.scales.noise);
    let mut choice = discovery.choice;
    choice.noise.clone_from(&best.scales.noise);
    choice.why.push(format!(
        "the noise is {:.0} % of the spread, so the states and the coefficients of all equations \
         were fitted to the record together; {} systems were compared",
        100.0 * share,
        found.reached.len()
    ));
    choice.denoised = Some(Denoised {
        fits: found.fits,
        changed,
        states,
    });
    Discovery {
        studies,
        cleaned: Some(cleaned),
        choice,
        ..discovery
    }
}

/// How closely each state without noise follows the record.
fn closeness(record: &Trajectories, cleaned: &Trajectories, noise: &[f64]) -> Vec<CleanedState> {
    let of_state = |state: usize| {
        let (mut squares, mut changes, mut n_changes) = (0.0, 0.0, 0);
        for (recorded, own) in record.pieces().iter().zip(cleaned.pieces()) {
            let both = recorded.columns()[state].iter().zip(&own.columns()[state]);
            let left: Vec<f64> = both.map(|(x, u)| x - u).collect();
            squares += left.iter().map(|r| r * r).sum::<f64>();
            changes += left.windows(2).map(|r| (r[1] - r[0]).powi(2)).sum::<f64>();
            n_changes += left.len() - 1;
        }
        let mean = squares / record.n_points() as f64;
        let white = changes / (2 * n_changes) as f64;
        CleanedState {
            state: record.states()[state].clone(),
            noise: noise[state],
            chi2_per_sample: mean / white.max(f64::MIN_POSITIVE),
        }
    };
    (0..noise.len()).map(of_state).collect()
}

/// The log evidence of each equation of a state: of all systems that have it.
fn scores(found: &Visited, state: usize) -> BTreeMap<Support, f64> {
    let top = found.best.evidence;
    let mut sums: BTreeMap<Support, f64> = BTreeMap::new();
    for (laws, Reached { evidence, .. }) in &found.reached {
        *sums.entry(laws[state].clone()).or_insert(0.0) += (evidence - top).exp();
    }
    let log = |(law, sum): (Support, f64)| (law, sum.max(f64::MIN_POSITIVE).ln());
    sums.into_iter().map(log).collect()
}

/// The study with these coefficients of its answer.
fn with_coefficients(study: Study, coefficients: &[f64], covariance: Vec<Vec<f64>>) -> Study {
    let (Some(answer), Some(model)) = (study.answer(), study.model()) else {
        return study;
    };
    let mut all = vec![0.0; study.reduction().n_terms()];
    for (&term, w) in answer.fit.support().indices().iter().zip(coefficients) {
        all[term] = *w;
    }
    let residual_norm = study.reduction().residual_norm_of(&all);
    let polished = Polished {
        model: model.refined(coefficients.to_vec(), Some(covariance)),
        residual_norm,
        share: (residual_norm / study.ranking().baseline().residual_norm()).powi(2),
    };
    study.polished_by(polished)
}
