//! The result document of a discovered system: one entry of `equations` per state, and how rows
//! were made.

use serde::{Deserialize, Serialize};

use super::{
    Discovered, Document, Equation, Kind, RegressionReport, SCHEMA, SizeReport, caution, reports,
};
use crate::dynamics::discover::{Choice, Discovery, UndecidedTerm};
use crate::dynamics::forecast::Forecast;
use crate::dynamics::refine::Refined;
use crate::error::counted;
use crate::judge::misfit::WARNED;
use crate::learn::Study;
use crate::search::EndedEarly;
use crate::tell::caveats::caveats;
use crate::tell::verdict::probability;
use crate::tell::warning::{Code, Warning};

/// A mean square of residuals beyond this is more than noise, up to what many rows may be off by
/// chance: the noise itself is known to a few per cent, and so are the errors of rows.
const LARGE: f64 = 1.25;
/// Standard deviations of a mean square that are put down to chance: there are many equations.
const BY_CHANCE: f64 = 4.0;

/// How a system was learned, and how well it predicts its own record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscoveryReport {
    /// What was chosen on the way.
    #[serde(flatten)]
    pub choice: Choice,
    /// The forecast; null if some state has no equation or there are inputs.
    pub forecast: Option<Forecast>,
    /// How coefficients were refined; null if they were not.
    pub refined: Option<RefinedReport>,
    /// The exact lists of each state, for the comprehensive methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<StateLists>,
}

/// The exact lists of one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateLists {
    /// The state.
    pub state: String,
    /// One list per size.
    pub sizes: Vec<SizeReport>,
    /// Why larger sizes were not searched; null if all were.
    pub ended_early: Option<EndedEarly>,
}

impl StateLists {
    pub(super) fn new(state: &str, study: &Study) -> Option<Self> {
        let found = study.found()?;
        Some(Self {
            state: state.to_string(),
            sizes: SizeReport::of_lists(study, found),
            ended_early: found.ended_early,
        })
    }
}

/// How coefficients were fitted to the trajectories themselves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RefinedReport {
    /// The root mean square residual in units of the noise, before.
    pub distance_before: f64,
    /// The same, after.
    pub distance_after: f64,
    /// How many windows the system was simulated over.
    pub windows: usize,
    /// How long the longest window is.
    #[serde(default)]
    pub duration: f64,
    /// How many steps it took.
    pub steps: usize,
    /// Whether the coefficients stay as they were, because refined ones do not explain the record
    /// significantly better.
    #[serde(default)]
    pub kept: bool,
}

impl From<&Refined> for RefinedReport {
    fn from(refined: &Refined) -> Self {
        Self {
            distance_before: refined.distance.0,
            distance_after: refined.distance.1,
            windows: refined.windows,
            duration: refined.duration,
            steps: refined.steps,
            kept: !refined.improved,
        }
    }
}

impl Document {
    /// The document of a system: its forecast, and its coefficients as refined, where they were.
    pub fn system(
        discovery: &Discovery,
        forecast: Option<Forecast>,
        refined: Option<&Refined>,
    ) -> Self {
        let studies = discovery.studies();
        let told = |(place, study): (usize, &Study)| {
            let refined = refined.and_then(|r| r.system.equation(&discovery.states()[place]));
            let model = refined.cloned().or_else(|| discovery.model(place))?;
            Equation::told_by(study, &model)
        };
        let mut warnings = Vec::new();
        let mut vocabularies = Vec::new();
        for (place, (state, study)) in discovery.states().iter().zip(studies).enumerate() {
            let tried = discovery.tried().get(place);
            vocabularies.extend(tried.map_or(Vec::new(), |tried| reports(tried, Some(state))));
            let told = |warning: Warning| match warning.code {
                // It names the state.
                Code::NoEquation => warning,
                _ => Warning {
                    message: format!("{state}: {}", warning.message),
                    ..warning
                },
            };
            let cautions = discovery.cautions(place).iter().map(caution);
            let by_simulation = discovery.choice().is_chosen_by_simulation(state);
            let hidden = hidden(discovery.choice(), state);
            let is_said =
                |warning: &Warning| hidden.is_some() && warning.code == Code::UncertainTerms;
            let own = caveats(study).into_iter().filter(|w| !is_said(w));
            let own = own.map(|warning| {
                if by_simulation {
                    chosen_by_simulation(warning)
                } else {
                    warning
                }
            });
            let excess = excess(discovery.choice(), place, study);
            let own = own.chain(cautions).chain(hidden.clone()).chain(excess);
            let own: Vec<Warning> = own.collect();
            warnings.extend(own.into_iter().map(told));
        }
        warnings.extend(about_the_whole(discovery.choice(), forecast.as_ref()));
        let named = discovery.states().iter().zip(studies);
        let lists = named.filter_map(|(state, study)| StateLists::new(state, study));
        let first = &studies[0];
        Self {
            schema: SCHEMA.to_string(),
            kind: Kind::System,
            method: first.settings().method.name().to_string(),
            n_obs: first.reduction().n_obs(),
            n_terms: first.reduction().n_terms(),
            equations: studies.iter().enumerate().filter_map(told).collect(),
            search: None,
            regression: RegressionReport::new(first),
            votes: None,
            vocabularies,
            warnings,
            groups: None,
            discovery: Some(Discovered::Motion(Box::new(DiscoveryReport {
                choice: discovery.choice().clone(),
                forecast,
                refined: refined.map(RefinedReport::from),
                lists: lists.collect(),
            }))),
        }
    }
}

/// What the rows say of an answer that simulations chose.
fn chosen_by_simulation(warning: Warning) -> Warning {
    match warning.code {
        Code::Ambiguous | Code::NotTheMostProbable => Warning {
            message: format!(
                "chosen by simulation, which follows the record best with it; by its rows \
                 alone, {}",
                warning.message
            ),
            ..warning
        },
        _ => warning,
    }
}

/// Which terms of a state's equation the record does not decide, and what record would.
fn hidden(choice: &Choice, state: &str) -> Option<Warning> {
    let all = &choice.denoised.as_ref()?.undecided;
    let own: Vec<&UndecidedTerm> = all.iter().filter(|term| term.state == state).collect();
    let named: Vec<String> = own
        .iter()
        .map(|term| format!("{} ({})", term.term, probability(term.probability)))
        .collect();
    let which = match named.as_slice() {
        [] => return None,
        [one] => format!("whether {one} is in the equation"),
        all => format!("which of {} are in the equation", all.join(", ")),
    };
    let longest = own
        .iter()
        .try_fold(1.0, |longest: f64, term| Some(longest.max(term.longer?)));
    let remedy = match longest {
        Some(longer) => format!(
            "a record about {longer:.1} times as long would decide, or {:.2} times the noise",
            longer.sqrt().recip()
        ),
        None => "no longer record of the same motion would decide, but other starts may".into(),
    };
    let message = format!("the record does not tell {which}: {remedy}");
    Some(Warning::new(Code::HiddenTerms, message))
}

/// An equation, or the states that follow it, leaves more of the record than noise explains. A
/// misfit says more, and where it is said this is not.
fn excess(choice: &Choice, place: usize, study: &Study) -> Option<Warning> {
    let misfit = study.misfit();
    if misfit.is_some_and(|misfit| misfit.log_bayes_factor > WARNED) {
        return None;
    }
    let (chi2, n, what) = if let Some(denoised) = &choice.denoised {
        let state = denoised.states.get(place)?;
        // Mean and differences are both estimates, which doubles the variance of their ratio
        // at most.
        (state.chi2_per_sample, denoised.samples / 2, "the record")
    } else {
        let chi2 = choice.chi2_per_row.get(place).copied().flatten()?;
        let free = study.reduction().n_obs() - study.answer()?.fit.support().len();
        (chi2, free, "its rows")
    };
    is_excess(chi2, n).then(|| {
        let message = format!(
            "what the equation leaves of {what} is {chi2:.1} times what the noise between \
             neighbouring samples explains (mean squares): a term is wrong or missing, or errors \
             of neighbouring samples depend on each other"
        );
        Warning::new(Code::ExcessResiduals, message)
    })
}

/// Whether a mean square of so many values, which noise makes one, is more than noise makes it.
fn is_excess(chi2: f64, n: usize) -> bool {
    chi2 > LARGE * (1.0 + BY_CHANCE * (2.0 / n as f64).sqrt())
}

fn about_the_whole(choice: &Choice, forecast: Option<&Forecast>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if !choice.settled {
        let message = "the terms still changed in the last search: the errors of the rows are \
                       not known well enough, so take a shorter time step or fewer terms";
        warnings.push(Warning::new(Code::NotSettled, message));
    }
    if let Some(forecast) = forecast.filter(|forecast| forecast.failures > 0) {
        let message = format!(
            "the simulation of the system failed in {} of {} of the record",
            forecast.failures,
            counted(forecast.windows, "window")
        );
        warnings.push(Warning::new(Code::NotSolvable, message));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_by_simulation_is_told_as_such() {
        let message = "an equation with x is somewhat more probable (odds 5.2 to 1)";
        let told = chosen_by_simulation(Warning::new(Code::Ambiguous, message));
        insta::assert_snapshot!(
            told.message,
            @"chosen by simulation, which follows the record best with it; by its rows alone, an \
             equation with x is somewhat more probable (odds 5.2 to 1)"
        );
        let other = Warning::new(Code::FewRows, "few");
        assert_eq!(chosen_by_simulation(other.clone()), other);
    }
}
