//! The weak form: searches and updates of the noise in turns, until the terms no longer change.
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
//! there were hardly more observations than terms.

use std::borrow::Cow;
use std::f64::consts::TAU;
use std::sync::atomic::AtomicU64;

use super::choose::cautious;
use super::estimate::Estimate;
use super::rows::{self, Between, Chosen, LEAST_SAMPLES, Record};
use super::{Choice, Discover, SEARCHES};
use crate::data::trajectory::Trajectories;
use crate::dynamics::resolution::{MUCH_NOISE, Resolution};
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::rows::weak::{Bumps, EXPONENT};
use crate::error::Result;
use crate::learn::{Method, Settings, Study, learn};
use crate::numeric::parallel;
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::problem::Problem;

/// Values of terms that are computed and integrated at most, in looking for laws beyond a
/// dictionary: tens of seconds. Once they are, each law is still found once, from its best start.
const MOST_WORK: u64 = 3_000_000_000;
/// Searches with narrower settings at most.
const NARROW_SEARCHES: usize = 3;
/// Steps per time scale below which sums over samples are no good approximation of integrals.
const COARSE: f64 = 1.7;
/// Updates of noise and covariance between searches.
const UPDATES: usize = 2;
/// The smallest estimate of the noise, as a fraction of that from differences: a better fit has too
/// many terms for its rows.
const SMALLEST_NOISE: f64 = 1e-4;
/// The noise may exceed what differences of samples show by this many times one over the root of
/// their number: they are off by that much by chance.
const EXCEEDS: f64 = 2.0;
/// The first search does not account for noise in the terms, so the residual keeps falling a little
/// with every size. A costly size is searched only if the residual still falls by this fraction.
const FIRST_DROP: f64 = 0.5;

/// What searches are made in turns.
pub(super) struct Turns<'a> {
    pub(super) problems: &'a [Problem],
    pub(super) settings: &'a Discover,
}

/// Where turns ended.
pub(super) struct Settled {
    pub(super) studies: Vec<Study>,
    pub(super) searches: usize,
    /// Whether the last search found the terms of the one before.
    pub(super) agreed: bool,
}

/// The weak form: searches, and updates of the noise between them.
pub(super) struct Weak<'a> {
    pub(super) trajectories: &'a Trajectories,
    pub(super) dictionary: Cow<'a, Dictionary>,
    /// How many terms with inner parameters there are besides.
    pub(super) n_formulas: usize,
    pub(super) resolution: Resolution,
    /// The noise level as estimated from differences.
    pub(super) shown_noise: Vec<f64>,
    /// Whether somebody gave the width of the test functions.
    pub(super) given_width: bool,
    pub(super) bumps: Bumps,
    /// Test functions as wide as for a record with noise: what they cannot tell from noise may be
    /// smooth errors of whatever made a record without any.
    usual_bumps: Bumps,
    pub(super) between: Between,
    pub(super) records: Vec<Record>,
    pub(super) threads: usize,
    /// Values of terms that were computed in looking beyond the dictionary. It is counted in the
    /// order of the work, so that the same input ends at the same place.
    pub(super) work: AtomicU64,
    /// How much of it there may be.
    pub(super) most_work: u64,
}

impl<'a> Weak<'a> {
    pub(super) fn new(
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
        let mut weak = Self {
            trajectories,
            dictionary: Cow::Borrowed(dictionary),
            n_formulas: 0,
            shown_noise: resolution.sigma.clone(),
            resolution,
            given_width,
            bumps,
            usual_bumps: bumps,
            between,
            records: pieces.map(|piece| Record::new(piece, n_states)).collect(),
            threads,
            work: AtomicU64::new(0),
            most_work: MOST_WORK,
        };
        let is_clean = (0..n_states).all(|state| weak.noise_is_below_integrals(state));
        if is_clean && !given_width && between == Between::Nothing {
            weak.bumps = weak.bumps.widened_for_clean(trajectories, dictionary.len());
        }
        weak
    }

    /// Searches and updates in turns from some start, until the terms no longer change: from the
    /// best equations of all, or first with these narrower settings until they settle.
    pub(super) fn settle(
        &mut self,
        turns: &Turns<'_>,
        mut narrow: Option<&Settings>,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Settled> {
        let Turns { problems, settings } = turns;
        let mut estimate: Option<Estimate> = None;
        let mut unsettled = self.between == Between::Flow;
        let mut searches = 0;
        let first = first_search(&settings.learn);
        loop {
            searches += 1;
            let reductions = self.rows(estimate.as_ref())?;
            let mut studies: Vec<Study> = Vec::with_capacity(problems.len());
            let learning = match narrow {
                Some(narrow) => narrow,
                None if searches == 1 => &first,
                None => &settings.learn,
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
            let is_last = settled && !unsettled && narrow.is_none();
            if is_last || searches == SEARCHES {
                return Ok(Settled {
                    studies,
                    searches,
                    agreed: is_last,
                });
            }
            unsettled &= !settled && searches + 2 < SEARCHES;
            narrow = narrow.filter(|_| !settled && searches < NARROW_SEARCHES);
            estimate = Some(self.update(next)?);
        }
    }

    /// Whether the noise of a state is smaller than the quadrature error of sums over samples.
    pub(super) fn noise_is_below_integrals(&self, state: usize) -> bool {
        self.resolution.sigma[state] < self.error_of_integrals(&self.usual_bumps, state)
    }

    /// The noise of a state that would have the same effect as the quadrature error.
    ///
    /// The derivative of a test function of half width `m` samples and power `q` is not smooth at
    /// its ends: its derivative of order `q − 1` jumps. The relative quadrature error is therefore
    /// about `q! 2^q / (2πm)^q`. Noise of the samples with the same effect is `√m` times larger.
    pub(super) fn error_of_integrals(&self, bumps: &Bumps, state: usize) -> f64 {
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
    pub(super) fn rows(&mut self, estimate: Option<&Estimate>) -> Result<Vec<Reduction>> {
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

    pub(super) fn integrate(
        &mut self,
        terms: &Chosen<'_>,
        estimate: Option<&Estimate>,
    ) -> Result<()> {
        let (how, threads) = ((&self.bumps, self.between), self.threads);
        let noise = self.much_noise().map(<[f64]>::to_vec);
        let noise = noise.as_deref();
        self.records
            .iter_mut()
            .try_for_each(|record| record.integrate(terms, how, estimate, noise, threads))
    }

    /// The noise, if there is so much that its squares count.
    pub(super) fn much_noise(&self) -> Option<&[f64]> {
        let sigma = self.resolution.sigma.as_slice();
        let mut all = sigma.iter().enumerate();
        let is_much =
            all.any(|(state, sigma)| *sigma > MUCH_NOISE * self.trajectories.spread(state));
        is_much.then_some(sigma)
    }

    /// Updates noise, covariance and coefficients in turn; the terms stay the same.
    pub(super) fn update(&mut self, mut estimate: Estimate) -> Result<Estimate> {
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
                    let shown = self.shown_noise[state];
                    let chance = EXCEEDS / (self.trajectories.n_points() as f64).sqrt();
                    self.resolution.sigma[state] =
                        (sigma * scale).clamp(SMALLEST_NOISE * shown, (1.0 + chance) * shown);
                }
                estimate.set(state, &fit);
            }
        }
        Ok(estimate)
    }

    pub(super) fn choice(&self, searches: usize, settled: bool) -> Choice {
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
            chi2_per_row: Vec::new(),
            time_scale: scale,
            step,
            searches,
            settled,
            second_opinion: None,
            denoised: None,
            why,
        }
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// The settings of the first search. It is never the last, so the best model of each size is
/// enough.
pub(super) fn first_search(settings: &Settings) -> Settings {
    let mut first = settings.clone();
    // Other methods need their whole lists to choose.
    if matches!(settings.method, Method::Best) {
        first.space.keep = 1;
        first.patience.least_drop = FIRST_DROP;
    }
    first
}
