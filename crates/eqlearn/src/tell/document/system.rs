//! The result document of a discovered system: one entry of `equations` per state, and how rows
//! were made.

use serde::{Deserialize, Serialize};

use super::{Document, Equation, Kind, RegressionReport, SCHEMA};
use crate::dynamics::discover::{Choice, Discovery};
use crate::dynamics::forecast::Forecast;
use crate::dynamics::refine::Refined;
use crate::learn::Study;
use crate::tell::caveats::caveats;
use crate::tell::warning::{Code, Warning};

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
    /// How many steps it took.
    pub steps: usize,
}

impl From<&Refined> for RefinedReport {
    fn from(refined: &Refined) -> Self {
        Self {
            distance_before: refined.distance.0,
            distance_after: refined.distance.1,
            windows: refined.windows,
            steps: refined.steps,
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
        for (state, study) in discovery.states().iter().zip(studies) {
            if study.answer().is_none() {
                let message =
                    format!("nothing in the dictionary explains {state} better than chance");
                warnings.push(Warning::new(Code::NoEquation, message));
            }
            warnings.extend(caveats(study).into_iter().map(|warning| Warning {
                message: format!("{state}: {}", warning.message),
                ..warning
            }));
        }
        warnings.extend(about_the_whole(discovery.choice(), forecast.as_ref()));
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
            vocabularies: Vec::new(),
            warnings,
            discovery: Some(DiscoveryReport {
                choice: discovery.choice().clone(),
                forecast,
                refined: refined.map(RefinedReport::from),
            }),
        }
    }
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
            "the simulation of the system failed in {} of {} windows of the record",
            forecast.failures, forecast.windows
        );
        warnings.push(Warning::new(Code::NotSolvable, message));
    }
    warnings
}
