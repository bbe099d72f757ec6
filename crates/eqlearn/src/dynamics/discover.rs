//! From trajectories to differential equations.
//!
//! Every state's equation is learned from rows (see [`RowScheme`]) by the same exact search as an
//! equation of a table: of test functions (`weak`, from several `starts`), of states and velocities
//! (`accelerations`), or
//! of differences. A law that seems to be outside the dictionary is looked for beyond it
//! (`beyond`), and each answer is judged (`misfit`). Where there is much noise, states and
//! coefficients of the whole system are fitted together (`denoised`); elsewhere simulations settle
//! close calls (`second_opinion`).
//!
//! Invariant: the same input gives the same answer, whatever the number of threads.

mod accelerations;
mod beyond;
mod choose;
mod denoised;
mod discovery;
mod estimate;
mod misfit;
mod rows;
mod second_opinion;
mod starts;
mod weak;

use serde::{Deserialize, Serialize, Serializer};

use crate::data::trajectory::Trajectories;
use crate::dynamics::resolution::{MUCH_NOISE, Resolution};
use crate::dynamics::rows::difference::{RowScheme, rows as difference_rows};
use crate::dynamics::rows::second_order::Order;
use crate::error::Result;
use crate::learn::{Method, Settings, Study, learn};
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::problem::Problem;
use crate::terms::vocabulary::Vocabulary;
use accelerations::accelerations;
use choose::{cautious, weighed_as_chosen};
use denoised::denoised;
pub use denoised::{Because, CleanedState, Denoise, Denoised, UndecidedTerm};
pub use discovery::{Choice, Discovery};
use misfit::Judge;
pub use second_opinion::Opinion;
use second_opinion::second_opinion;
use weak::Weak;

/// Searches at most.
const SEARCHES: usize = 8;

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
    /// Whether states and coefficients of the whole system are fitted together.
    #[serde(skip_serializing_if = "Denoise::is_auto")]
    pub denoise: Denoise,
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
    let (discovery, mut judge) = first_opinion(trajectories, dictionary, settings, run, observer)?;
    let discovery = final_opinion(trajectories, discovery, run.threads);
    if let (Some(judge), Some(cleaned)) = (&mut judge, discovery.cleaned()) {
        judge.with_states(&discovery, cleaned)?;
    }
    Ok(discovery.judged(judge.as_deref(), run.threads))
}

/// What the whole record says of the whole system, where there is much noise, or else, where there
/// is little, what simulations say of close calls.
fn final_opinion(trajectories: &Trajectories, discovery: Discovery, threads: usize) -> Discovery {
    let settings = &discovery.settings;
    // Differences are biased, and other methods have rules of their own: their choice stands.
    let ours = matches!(settings.learn.method, Method::Best)
        && matches!(settings.rows, RowScheme::Auto | RowScheme::Weak { .. });
    if !ours {
        return discovery;
    }
    let discovery = match denoised(discovery, trajectories, threads) {
        Ok(denoised) => return denoised,
        Err(discovery) => *discovery,
    };
    // An answer that is not the first of its list was chosen with caution.
    let studies = discovery.studies.iter();
    let with_caution = studies.map(|study| study.place().is_some_and(|place| place > 0));
    let with_caution: Vec<bool> = with_caution.collect();
    // Simulations that start from samples with much noise choose by chance.
    let noise = discovery.choice.noise.iter().enumerate();
    let mut shares = noise.map(|(state, sigma)| sigma / trajectories.spread(state));
    let discovery = if shares.any(|share| share > MUCH_NOISE) {
        discovery
    } else {
        let record = discovery.followed(trajectories).clone();
        second_opinion(discovery, &record)
    };
    let both = discovery.studies.into_iter().zip(with_caution);
    let weighed = both.map(|(study, with_caution)| {
        if with_caution {
            weighed_as_chosen(study)
        } else {
            study
        }
    });
    Discovery {
        studies: weighed.collect(),
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
    let choice = Choice {
        rows: settings.rows,
        half_width: None,
        noise: resolution.sigma,
        chi2_per_row: Vec::new(),
        time_scale: resolution.time_scale,
        step: trajectories.step(),
        searches: 1,
        settled: true,
        second_opinion: None,
        denoised: None,
        why: vec![settings.rows.error().to_string()],
    };
    let studies = studies(&problems, &reductions, settings, run, observer)?;
    let discovery = Discovery::new(settings, states, studies, choice);
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
