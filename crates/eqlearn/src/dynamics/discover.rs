//! From trajectories to differential equations.
//!
//! Every state's equation is learned from rows (see [`RowScheme`]) by the same exact search as an
//! equation of a table. With the weak form, the search and the noise model are updated in turn
//! until the terms no longer change:
//!
//! 1. rows from test functions, whitened with the covariance of their errors; a search; a first
//!    system;
//! 2. with that system's Jacobian, the covariance is that of errors in variables, and the residuals
//!    give the noise level and the most probable noise of each sample; terms are then evaluated at
//!    the denoised samples, so that they no longer correlate with the noise;
//! 3. another search; done when it finds the same terms as the one before.
//!
//! This is orthogonal distance regression, with a search over supports in place of a refit. For the
//! response, `y = −∫φ' x − ∫φ J ε` with the estimated noise `ε` and the current derivative `J`, the
//! error of the true equation does not depend on `ε` to first order. So a wrong estimate of the
//! noise costs precision and causes no bias.
//!
//! Where steps are long compared to the time scale, values between samples follow the flow of the
//! current system ([`interpolate`](crate::dynamics::rows::interpolate)). Until the terms have
//! settled, residuals are interpolation errors rather than noise. They are a smooth function of the
//! state, and more rows carry no more information about it. Until then, models are compared as if
//! there were only as many observations as terms.
//!
//! Invariant: the same input gives the same answer, whatever the number of threads.

mod beyond;
mod choose;
mod estimate;
mod misfit;
mod rows;
mod second_opinion;

use std::borrow::Cow;
use std::f64::consts::TAU;

use serde::{Deserialize, Serialize, Serializer};

use crate::beyond::parameters::Form;
use crate::beyond::{Caution, Trial};
use crate::data::trajectory::Trajectories;
use crate::dynamics::resolution::Resolution;
use crate::dynamics::rows::difference::{RowScheme, rows as difference_rows};
use crate::dynamics::rows::interpolate::Nodes;
use crate::dynamics::rows::second_order::{Motion, Order};
use crate::dynamics::rows::weak::{Bumps, EXPONENT};
use crate::dynamics::system::System;
use crate::error::Result;
use crate::learn::model::Model;
use crate::learn::{Method, Settings, Study, learn};
use crate::numeric::parallel;
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::problem::Problem;
use crate::terms::vocabulary::Vocabulary;
use choose::{cautious, weighed_as_chosen};
use estimate::Estimate;
use misfit::Judge;
use rows::{Between, Chosen, LEAST_SAMPLES, Record};
pub use second_opinion::Opinion;
use second_opinion::second_opinion;

/// Steps per time scale below which sums over samples are no good approximation of integrals.
const COARSE: f64 = 1.7;
/// Residuals of accelerations this many times larger than the noise are smoothing error, not noise.
const BLURRED: f64 = 2.0;
/// Searches at most.
const SEARCHES: usize = 8;
/// Updates of noise and covariance between searches.
const UPDATES: usize = 2;

/// What to learn from trajectories, and how.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discover {
    /// How trajectories become rows.
    pub rows: RowScheme,
    /// Whether velocities or accelerations are learned.
    pub order: Order,
    /// How rows become equations.
    pub learn: Settings,
    /// The richest vocabulary; none to look for fractions only while a law seems to be outside the
    /// dictionary.
    pub vocabulary: Option<Vocabulary>,
    /// Families of terms with inner parameters, which may be in the laws besides the dictionary.
    #[serde(skip_deserializing, serialize_with = "formulas")]
    pub families: Vec<Family>,
    /// The terms that are in no equation of a state, one list per state; none if there is no list.
    pub excluded: Vec<Support>,
}

/// The formulas of families as they were given.
fn formulas<S: Serializer>(families: &[Family], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(families.iter().flat_map(Family::texts))
}

impl Discover {
    /// These settings for the equation of one state.
    fn of_state(&self, learn: &Settings, state: usize) -> Settings {
        let mut own = learn.clone();
        if let Some(excluded) = self.excluded.get(state) {
            let space = &mut own.space;
            let without = |terms: &Support| {
                let terms = terms.indices().iter().copied();
                terms.filter(|&term| !excluded.contains(term)).collect()
            };
            space.centre = without(&space.centre);
            space.required = without(&space.required);
            space.excluded = space.excluded.union(excluded);
        }
        own
    }
}

/// What was learned, and how.
#[derive(Debug, Clone)]
pub struct Discovery {
    settings: Discover,
    /// The states whose equations are learned: those recorded, or their velocities.
    states: Vec<String>,
    /// Equations that hold by definition: the derivative of a state is its velocity.
    definitions: Vec<Model>,
    /// The record with velocities, if those were states.
    with_velocities: Option<Trajectories>,
    /// One study per state.
    studies: Vec<Study>,
    choice: Choice,
    /// For each state the vocabularies that were tried; none where the dictionary was enough.
    tried: Vec<Vec<Trial>>,
    /// For each state what to know about the inner parameters of its law.
    cautions: Vec<Vec<Caution>>,
    /// For each state how the terms of its law depend on inner parameters; none without such.
    forms: Vec<Option<Form>>,
}

/// What was chosen on the way, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The kind of rows.
    #[serde(with = "by_name")]
    pub rows: RowScheme,
    /// The half width of the test functions, for the weak form.
    pub half_width: Option<f64>,
    /// The noise level of each state.
    pub noise: Vec<f64>,
    /// The shortest time scale of the motion.
    pub time_scale: f64,
    /// The usual time step.
    pub step: f64,
    /// How many searches it took.
    pub searches: usize,
    /// Whether the last two searches agree on the terms.
    pub settled: bool,
    /// What simulations said about models that are nearly as probable; none if there were none.
    pub second_opinion: Option<Opinion>,
    /// The reasons, in words.
    pub why: Vec<String>,
}

impl Choice {
    /// Whether simulations chose the equation of a state, against what its rows favour.
    pub fn is_chosen_by_simulation(&self, state: &str) -> bool {
        let opinion = self.second_opinion.as_ref();
        opinion.is_some_and(|opinion| opinion.changed.iter().any(|known| known == state))
    }
}

/// A kind of rows by the name that users type.
mod by_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use crate::dynamics::rows::difference::RowScheme;

    pub(super) fn serialize<S: Serializer>(rows: &RowScheme, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(rows)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RowScheme, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl Choice {
    /// Whether rows are whitened, so that residuals have unit variance whatever the noise level.
    pub fn is_whitened(&self) -> bool {
        matches!(self.rows, RowScheme::Weak { .. })
    }
}

impl Discovery {
    /// What was asked.
    pub fn settings(&self) -> &Discover {
        &self.settings
    }

    /// The states whose equations are learned: those recorded, or their velocities.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// One study per state.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// What was chosen on the way.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// For each state the vocabularies that were tried, in order; none where only the dictionary
    /// itself was.
    pub fn tried(&self) -> &[Vec<Trial>] {
        &self.tried
    }

    /// What to know about the inner parameters of a state's law.
    pub fn cautions(&self, state: usize) -> &[Caution] {
        self.cautions.get(state).map_or(&[], Vec::as_slice)
    }

    /// For each state how the terms of its law depend on inner parameters, where it has such.
    pub fn forms(&self) -> &[Option<Form>] {
        &self.forms
    }

    /// The record to compare simulations with: with velocities among the states if the system has
    /// them.
    pub fn followed<'a>(&'a self, record: &'a Trajectories) -> &'a Trajectories {
        self.with_velocities.as_ref().unwrap_or(record)
    }

    /// The learned equation of a state; none if it has none.
    pub fn model(&self, state: usize) -> Option<Model> {
        let model = self.studies[state].model()?;
        Some(if self.choice.is_whitened() {
            // Whitened rows have unit noise; the model reports the noise level of the state.
            model.with_sigma(self.choice.noise[state])
        } else {
            model
        })
    }

    /// The learned system; none unless every state has an equation.
    pub fn system(&self) -> Option<System> {
        let learned = (0..self.studies.len()).map(|state| self.model(state));
        let learned: Vec<Model> = learned.collect::<Option<_>>()?;
        System::from_models([self.definitions.clone(), learned].concat())
    }

    /// The same with each answer judged, where there are rows to judge by.
    fn judged(mut self, judge: Option<&(dyn Judge + '_)>, threads: usize) -> Self {
        let Some(judge) = judge else {
            return self;
        };
        let one = |state: usize| judge.misfit(state, &self.studies[state]);
        let misfits = parallel::map(threads, self.studies.len(), one);
        let both = self.studies.into_iter().zip(misfits);
        self.studies = both
            .map(|(study, misfit)| {
                let vocabulary = study.vocabulary();
                study.judged(vocabulary, misfit)
            })
            .collect();
        self
    }

    /// The same with another answer of one state, by its place in the ranking.
    fn choosing(&self, state: usize, place: usize) -> Self {
        let mut other = self.clone();
        other.studies[state] = self.studies[state].clone().choosing(Some(place));
        other
    }
}

/// Learns one equation per state.
///
/// # Errors
/// A term that is not finite on the record; settings without meaning;
/// [`Error::Stopped`](crate::Error::Stopped) if the observer says so.
pub fn discover(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    settings: &Discover,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Discovery> {
    let (discovery, judge) = first_opinion(trajectories, dictionary, settings, run, observer)?;
    let discovery = final_opinion(trajectories, discovery);
    Ok(discovery.judged(judge.as_deref(), run.threads))
}

/// What simulations say of close calls.
fn final_opinion(trajectories: &Trajectories, discovery: Discovery) -> Discovery {
    let settings = &discovery.settings;
    // Differences are biased, and other methods have rules of their own: their choice stands.
    let ours = matches!(settings.learn.method, Method::Best)
        && matches!(settings.rows, RowScheme::Auto | RowScheme::Weak { .. });
    if !ours {
        return discovery;
    }
    let record = discovery.followed(trajectories).clone();
    let discovery = second_opinion(discovery, &record);
    let studies = discovery.studies.into_iter().map(weighed_as_chosen);
    Discovery {
        studies: studies.collect(),
        ..discovery
    }
}

/// A discovery, and rows by which its answers can be judged, if there are such.
type Judged<'a> = (Discovery, Option<Box<dyn Judge + 'a>>);

fn first_opinion<'a>(
    trajectories: &'a Trajectories,
    dictionary: &'a Dictionary,
    settings: &Discover,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Judged<'a>> {
    if settings.order == Order::Second {
        return accelerations(trajectories, dictionary, settings, run, observer);
    }
    let states = trajectories.states();
    let problems = problems(states, dictionary, settings.rows)?;
    let resolution = Resolution::new(trajectories);
    let half_width = match settings.rows {
        RowScheme::Weak { half_width } => half_width,
        _ => None,
    };
    if let RowScheme::Auto | RowScheme::Weak { .. } = settings.rows {
        let mut weak = Weak::new(
            trajectories,
            dictionary,
            resolution,
            half_width,
            run.threads,
        );
        let plain = if dictionary.is_empty() && !settings.families.is_empty() {
            weak.without_terms(&problems, settings)?
        } else {
            weak.learn(&problems, settings, run, observer)?
        };
        let plain = plain.judged(Some(&weak), run.threads);
        let discovery = beyond::beyond(&mut weak, plain, &problems, run, observer)?;
        return Ok((discovery, Some(Box::new(weak))));
    }
    let reductions = difference_rows(trajectories, dictionary, settings.rows)?;
    let discovery = Discovery {
        settings: settings.clone(),
        states: states.to_vec(),
        definitions: Vec::new(),
        with_velocities: None,
        studies: studies(&problems, &reductions, settings, run, observer)?,
        tried: Vec::new(),
        cautions: Vec::new(),
        forms: Vec::new(),
        choice: Choice {
            rows: settings.rows,
            half_width: None,
            noise: resolution.sigma,
            time_scale: resolution.time_scale,
            step: trajectories.step(),
            searches: 1,
            settled: true,
            second_opinion: None,
            why: vec![settings.rows.error().to_string()],
        },
    };
    // Differences have errors that depend on each other, and a bias that is smooth.
    let steps = misfit::Steps {
        trajectories,
        dictionary,
    };
    let is_map = matches!(settings.rows, RowScheme::Map);
    Ok((
        discovery,
        is_map.then(|| Box::new(steps) as Box<dyn Judge + '_>),
    ))
}

/// One problem per state: its derivative from the dictionary.
fn problems(states: &[String], dictionary: &Dictionary, rows: RowScheme) -> Result<Vec<Problem>> {
    let problem = |state: &String| Problem::new(rows.left_side(state), dictionary.clone());
    states.iter().map(problem).collect()
}

fn studies(
    problems: &[Problem],
    reductions: &[Reduction],
    settings: &Discover,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Study>> {
    let both = problems.iter().zip(reductions).enumerate();
    both.map(|(state, (problem, rows))| {
        let own = settings.of_state(&settings.learn, state);
        learn(problem, rows, &own, run, observer)
    })
    .collect()
}

/// Learns the acceleration of each state from states and velocities.
fn accelerations<'a>(
    trajectories: &'a Trajectories,
    dictionary: &'a Dictionary,
    settings: &Discover,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Judged<'a>> {
    let resolution = Resolution::new(trajectories);
    let motion = Motion::new(trajectories, dictionary.len(), settings.rows, &resolution)?;
    let n_states = trajectories.states().len();
    let states = motion.record.states()[n_states..].to_vec();
    let problems = problems(&states, dictionary, settings.rows)?;
    let mut estimate: Option<Estimate> = None;
    let mut searches = 0;
    let (studies, settled) = loop {
        searches += 1;
        let slope = |state: usize, feature: usize, nodes: &Nodes| {
            estimate.as_ref()?.jacobian(state, feature, nodes)
        };
        let reductions = motion.rows(dictionary, &resolution.sigma, &slope)?;
        let studies = studies(&problems, &reductions, settings, run, observer)?;
        let unless_blurred = |study: Study| {
            // Rows are whitened: noise gives residuals with a standard deviation of one.
            let left = study.answer().and_then(|answer| answer.fit.sigma());
            if left.is_some_and(|left| left > BLURRED) {
                cautious(study)
            } else {
                study
            }
        };
        let studies: Vec<Study> = studies.into_iter().map(unless_blurred).collect();
        let next = Estimate::new(dictionary, &studies);
        let settled = estimate.as_ref().is_some_and(|e| e.has_terms_of(&next));
        if settled || searches == SEARCHES {
            break (studies, settled);
        }
        estimate = Some(next);
    };
    let half_width = Some(motion.bumps.half_width);
    let discovery = Discovery {
        settings: settings.clone(),
        studies,
        tried: Vec::new(),
        cautions: Vec::new(),
        forms: Vec::new(),
        definitions: motion.definitions()?,
        choice: Choice {
            rows: RowScheme::Weak { half_width },
            half_width,
            noise: resolution.sigma.clone(),
            time_scale: resolution.time_scale,
            step: trajectories.step(),
            searches,
            settled,
            second_opinion: None,
            why: motion.why(),
        },
        states,
        with_velocities: Some(motion.record.clone()),
    };
    let judge = misfit::Accelerations {
        motion,
        dictionary,
        sigma: resolution.sigma,
        estimate,
    };
    Ok((discovery, Some(Box::new(judge))))
}

/// The weak form: searches, and updates of the noise between them.
struct Weak<'a> {
    trajectories: &'a Trajectories,
    dictionary: Cow<'a, Dictionary>,
    /// How many terms with inner parameters there are besides.
    n_formulas: usize,
    resolution: Resolution,
    /// The noise level as estimated from differences: an upper bound.
    most_noise: Vec<f64>,
    /// Whether somebody gave the width of the test functions.
    given_width: bool,
    bumps: Bumps,
    between: Between,
    records: Vec<Record>,
    threads: usize,
}

impl<'a> Weak<'a> {
    fn new(
        trajectories: &'a Trajectories,
        dictionary: &'a Dictionary,
        resolution: Resolution,
        half_width: Option<f64>,
        threads: usize,
    ) -> Self {
        let step = trajectories.step();
        let between = if resolution.time_scale < COARSE * step {
            Between::Flow
        } else if trajectories.is_uniform() {
            Between::Nothing
        } else {
            Between::Polynomial
        };
        let least = between.least_steps();
        let scale = resolution.time_scale;
        let chosen = || {
            Bumps::for_record(trajectories, scale, dictionary.len(), least)
                .narrowed_for_rows(trajectories)
        };
        let given = |half_width| Bumps::of_half_width(half_width, trajectories);
        let given_width = half_width.is_some();
        let bumps = half_width.map_or_else(chosen, given);
        let n_states = trajectories.states().len();
        let pieces = trajectories.pieces().iter();
        Self {
            trajectories,
            dictionary: Cow::Borrowed(dictionary),
            n_formulas: 0,
            most_noise: resolution.sigma.clone(),
            resolution,
            given_width,
            bumps,
            between,
            records: pieces.map(|piece| Record::new(piece, n_states)).collect(),
            threads,
        }
    }

    fn learn(
        &mut self,
        problems: &[Problem],
        settings: &Discover,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Discovery> {
        let mut estimate: Option<Estimate> = None;
        let mut unsettled = self.between == Between::Flow;
        let mut searches = 0;
        let first = first_search(&settings.learn);
        loop {
            searches += 1;
            let reductions = self.rows(estimate.as_ref())?;
            let mut studies = Vec::with_capacity(problems.len());
            let learning = if searches == 1 {
                &first
            } else {
                &settings.learn
            };
            for (problem, reduction) in problems.iter().zip(&reductions) {
                let state = studies.len();
                let own = settings.of_state(learning, state);
                let study = learn(problem, reduction, &own, run, observer)?;
                studies.push(if unsettled || self.noise_is_below_integrals(state) {
                    cautious(study)
                } else {
                    study
                });
            }
            let next = Estimate::new(&self.dictionary, &studies);
            let settled = estimate
                .as_ref()
                .is_some_and(|before| before.has_terms_of(&next));
            if (settled && !unsettled) || searches == SEARCHES {
                return Ok(Discovery {
                    settings: settings.clone(),
                    states: self.trajectories.states().to_vec(),
                    definitions: Vec::new(),
                    with_velocities: None,
                    choice: self.choice(searches, settled),
                    studies,
                    tried: Vec::new(),
                    cautions: Vec::new(),
                    forms: Vec::new(),
                });
            }
            unsettled &= !settled && searches + 2 < SEARCHES;
            estimate = Some(self.update(next)?);
        }
    }

    /// Whether the noise of a state is smaller than the quadrature error of sums over samples.
    fn noise_is_below_integrals(&self, state: usize) -> bool {
        self.resolution.sigma[state] < self.error_of_integrals(&self.bumps, state)
    }

    /// The noise of a state that would have the same effect as the quadrature error.
    ///
    /// The derivative of a test function of half width `m` samples and power `q` is not smooth at
    /// its ends: its derivative of order `q − 1` jumps. The relative quadrature error is therefore
    /// about `q! 2^q / (2πm)^q`. Noise of the samples with the same effect is `√m` times larger.
    fn error_of_integrals(&self, bumps: &Bumps, state: usize) -> f64 {
        let m = match self.between {
            Between::Nothing => bumps.half_width / self.trajectories.step(),
            // Four nodes per step, but only polynomials of degree seven between samples.
            Between::Polynomial | Between::Flow => LEAST_SAMPLES,
        };
        let factorial: f64 = (1..=EXPONENT).map(f64::from).product();
        let kink = factorial * 2.0_f64.powi(EXPONENT) / (TAU * m).powi(EXPONENT);
        let change = self.trajectories.spread(state);
        // The rounding error of sums of a few thousand numbers.
        let rounding = 1e-12;
        (kink * m.sqrt()).max(rounding) * change
    }

    /// The whitened rows of all states and terms.
    fn rows(&mut self, estimate: Option<&Estimate>) -> Result<Vec<Reduction>> {
        let dictionary = self.dictionary.clone();
        let terms = Chosen::all(&dictionary);
        self.integrate(&terms, estimate)?;
        let all: Support = (0..self.dictionary.len()).collect();
        let n_states = self.trajectories.states().len();
        let sigma = &self.resolution.sigma;
        let reduction = |state: usize| {
            let columns = rows::whitened(&self.records, state, &all, sigma);
            Reduction::from_columns(&slices(&columns))
        };
        Ok(parallel::map(self.threads, n_states, reduction))
    }

    fn integrate(&mut self, terms: &Chosen<'_>, estimate: Option<&Estimate>) -> Result<()> {
        let (bumps, between, threads) = (&self.bumps, self.between, self.threads);
        self.records
            .iter_mut()
            .try_for_each(|record| record.integrate(terms, bumps, between, estimate, threads))
    }

    /// Updates noise, covariance and coefficients in turn; the terms stay the same.
    fn update(&mut self, mut estimate: Estimate) -> Result<Estimate> {
        let dictionary = self.dictionary.clone();
        let terms = Chosen::only(&dictionary, &estimate.all_terms());
        for _ in 0..UPDATES {
            let has_all = estimate.has_all_equations();
            for record in self.records.iter_mut().filter(|_| has_all) {
                record.clean(&estimate, &self.resolution.sigma);
            }
            self.integrate(&terms, Some(&estimate))?;
            let before = self.resolution.sigma.clone();
            let fit = |state: usize| {
                let support = estimate.support(state);
                let columns = rows::whitened(&self.records, state, support, &before);
                let rows = Reduction::from_columns_in_double(&slices(&columns));
                rows.fit(&(0..support.len()).collect())
            };
            let known = (0..before.len()).filter(|&state| !estimate.support(state).is_empty());
            let known: Vec<usize> = known.collect();
            let fits = parallel::map(self.threads, known.len(), |place| fit(known[place]));
            for (state, fit) in known.into_iter().zip(fits) {
                let sigma = before[state];
                if let Some(scale) = fit.sigma() {
                    let most = self.most_noise[state];
                    self.resolution.sigma[state] =
                        (sigma * scale).clamp(SMALLEST_NOISE * most, most);
                }
                estimate.set(state, &fit);
            }
        }
        Ok(estimate)
    }

    fn choice(&self, searches: usize, settled: bool) -> Choice {
        let step = self.trajectories.step();
        let (scale, width) = (self.resolution.time_scale, self.bumps.half_width);
        let mut why = vec![format!(
            "the shortest time scale of the motion is {scale:.3}, {:.1} time steps",
            scale / step
        )];
        why.push(match self.between {
            Between::Nothing => {
                "steps are short and equal, so integrals are sums over samples".into()
            }
            Between::Polynomial => {
                "steps are unequal, so integrals use polynomials through the samples".into()
            }
            Between::Flow => {
                "steps are long, so integrals use the flow of the learned system between samples"
                    .to_string()
            }
        });
        let least = self.between.least_steps();
        let because = if self.given_width {
            "as given".to_string()
        } else if width < (1.0 - 1e-9) * least * step {
            "narrow, so that a short record has some rows".to_string()
        } else if width <= (1.0 + 1e-9) * least * step {
            "as narrow as integrals over samples allow".to_string()
        } else {
            "as wide as the motion and the number of rows allow".to_string()
        };
        why.push(format!(
            "test functions of half width {width:.4}, {:.1} time steps: {because}",
            width / step
        ));
        let half_width = Some(width);
        Choice {
            rows: RowScheme::Weak { half_width },
            half_width,
            noise: self.resolution.sigma.clone(),
            time_scale: scale,
            step,
            searches,
            settled,
            second_opinion: None,
            why,
        }
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// The first search does not account for noise in the terms, so the residual keeps falling a little
/// with every size. A costly size is searched only if the residual still falls by this fraction.
const FIRST_DROP: f64 = 0.5;

/// The settings of the first search. It is never the last, so the best model of each size is
/// enough.
fn first_search(settings: &Settings) -> Settings {
    let mut first = settings.clone();
    // Other methods need their whole lists to choose.
    if matches!(settings.method, Method::Best) {
        first.space.keep = 1;
        first.patience.least_drop = FIRST_DROP;
    }
    first
}

/// The smallest estimate of the noise, as a fraction of that from differences: a better fit has too
/// many terms for its rows.
const SMALLEST_NOISE: f64 = 1e-4;
