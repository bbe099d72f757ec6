//! Much noise, or a short record: the terms and coefficients of all equations together, and the
//! states without noise.
//!
//! Each equation by itself is learned from rows whose noise is that of all states at once. Where
//! there is much of it, or little record, what the rows of one equation cannot tell is in the
//! others: see
//! [`denoise`](crate::dynamics::denoise). It begins at the answers of the weak form, and takes
//! their place. The systems that were fitted on the way have the evidence of the whole record, from
//! which each equation gets its probability.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Discovery;
use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::denoise::{
    Choice, Fitted, Guess, Laws, Problem, Reached, Visited, search, undecided,
};
use crate::dynamics::resolution::{MUCH_NOISE, Resolution};
use crate::dynamics::rows::jumps::{Jump, jumps};
use crate::judge::criterion::Criterion;
use crate::judge::misfit::WARNED;
use crate::learn::{Polished, Study};
use crate::reduce::support::Support;
use crate::terms::vocabulary::Vocabulary;

/// States times samples at most, unless it was asked for: with more, rows have power enough.
const LONGEST: usize = 100_000;
/// The same where the rows leave terms open although there is little noise: a short record.
const SHORT: usize = 10_000;
/// Rows leave terms open if their answer is less probable than this.
const SURE: f64 = 0.95;
/// With noise below this share of a state's spread what rows leave open are errors of integrals.
const CLEAN: f64 = 1e-4;
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
    /// Where there is much noise, or a short record whose rows leave terms open.
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

/// Why states and coefficients of the whole system are fitted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// There is much noise.
    #[default]
    MuchNoise,
    /// The rows of each equation by itself leave terms open.
    OpenTerms,
    /// Somebody asked for it.
    Asked,
}

/// How states and coefficients were fitted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Denoised {
    /// Why.
    #[serde(default)]
    pub because: Because,
    /// How many systems were fitted to the record.
    pub fits: usize,
    /// How many samples of each state there are.
    #[serde(default)]
    pub samples: usize,
    /// The states whose terms are not those of their own rows.
    pub changed: Vec<String>,
    /// How closely the states without noise follow the record.
    pub states: Vec<CleanedState>,
    /// Terms that the record does not decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<UndecidedTerm>,
}

/// A term that the record does not decide, because there is too much noise or too little record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UndecidedTerm {
    /// Whose equation.
    pub state: String,
    /// The term.
    pub term: String,
    /// How probable it is that it is in the equation.
    pub probability: f64,
    /// A record about this many times as long would decide, or noise that is smaller by the square
    /// root of it; null if not even one a thousand times as long would.
    pub longer: Option<f64>,
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
    let Some(because) = because(&discovery, trajectories) else {
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
            Ok(told(discovery, trajectories, &found, because))
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

/// Why the whole record is asked, if it is.
fn because(discovery: &Discovery, trajectories: &Trajectories) -> Option<Because> {
    let n_values = trajectories.n_points() * trajectories.states().len();
    match discovery.settings.denoise {
        Denoise::On => Some(Because::Asked),
        Denoise::Off => None,
        Denoise::Auto if largest(&shares(discovery, trajectories)) > MUCH_NOISE => {
            (n_values <= LONGEST).then_some(Because::MuchNoise)
        }
        Denoise::Auto => (n_values <= SHORT && leaves_terms_open(discovery, trajectories))
            .then_some(Because::OpenTerms),
    }
}

/// The noise of each state as a share of its spread.
fn shares(discovery: &Discovery, trajectories: &Trajectories) -> Vec<f64> {
    let noise = discovery.choice.noise.iter().enumerate();
    noise
        .map(|(state, sigma)| sigma / trajectories.spread(state))
        .collect()
}

fn largest(shares: &[f64]) -> f64 {
    shares.iter().copied().fold(0.0, f64::max)
}

/// Whether the rows of some state are not sure of its equation because of their noise.
fn leaves_terms_open(discovery: &Discovery, trajectories: &Trajectories) -> bool {
    let is_outside = |study: &Study| {
        let misfit = study.misfit();
        misfit.is_some_and(|misfit| misfit.log_bayes_factor > WARNED)
    };
    let is_open = |(study, share): (&Study, &f64)| {
        let is_sure = study.answer().is_some_and(|a| a.probability >= SURE);
        !is_sure && *share > CLEAN
    };
    let (studies, shares) = (&discovery.studies, shares(discovery, trajectories));
    let some_open = studies.iter().zip(&shares).any(is_open);
    some_open && !studies.iter().any(is_outside)
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
    because: Because,
) -> Discovery {
    let share = 100.0 * largest(&shares(&discovery, trajectories));
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
    let reason = match because {
        Because::MuchNoise => format!("the noise is {share:.0} % of the spread"),
        Because::OpenTerms => "the rows of single equations leave terms open".to_string(),
        Because::Asked => "it was asked for".to_string(),
    };
    choice.why.push(format!(
        "{reason}, so the states and the coefficients of all equations were fitted to the record \
         together; {} systems were compared",
        found.reached.len()
    ));
    let terms = studies[0].problem().dictionary().terms();
    let named = undecided(found).into_iter().map(|one| UndecidedTerm {
        state: discovery.states[one.state - n_defined].clone(),
        term: terms[one.term].to_string(),
        probability: one.probability,
        longer: one.longer,
    });
    choice.denoised = Some(Denoised {
        because,
        fits: found.fits,
        samples: trajectories.n_points(),
        changed,
        states,
        undecided: named.collect(),
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
