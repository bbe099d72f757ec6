//! The result document of a discovered system: one entry of `equations` per state, and how rows were made.

use serde::{Deserialize, Serialize};

use super::{Document, Kind};
use crate::discover::{Choice, Discover, Discovery};
use crate::forecast::Forecast;
use crate::warning::Warning;

/// How a system was learned, and how well it foretells its own record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscoveryReport {
    /// What was chosen on the way.
    #[serde(flatten)]
    pub choice: Choice,
    /// The second opinion; null if some state has no equation or there are inputs.
    pub forecast: Option<Forecast>,
}

impl Document {
    /// The document of a system.
    pub fn system(
        states: &[String],
        discovery: &Discovery,
        forecast: Option<Forecast>,
        settings: &Discover,
        seconds: f64,
    ) -> Self {
        let parts = discovery
            .problems
            .iter()
            .zip(&discovery.reductions)
            .zip(&discovery.studies);
        let mut documents: Vec<Self> = parts
            .map(|((problem, rows), study)| {
                Self::new(problem, rows, &settings.learn, study, seconds)
            })
            .collect();
        let mut equations = Vec::new();
        let mut warnings = Vec::new();
        for (e, (state, document)) in states.iter().zip(&mut documents).enumerate() {
            if document.equations.is_empty() {
                warnings.push(Warning {
                    code: "no-equation".into(),
                    message: format!(
                        "nothing in the dictionary explains {state} better than chance"
                    ),
                });
            }
            for mut equation in document.equations.drain(..) {
                equation.target.clone_from(state);
                // Whitened rows have unit noise; what a reader wants is that of the state.
                equation.sigma = Some(discovery.choice.noise[e]);
                equations.push(equation);
            }
            warnings.extend(document.warnings.drain(..).map(|warning| Warning {
                message: format!("{state}: {}", warning.message),
                ..warning
            }));
        }
        warnings.extend(about_the_whole(&discovery.choice, forecast.as_ref()));
        Self {
            kind: Kind::System,
            equations,
            search: None,
            votes: None,
            warnings,
            discovery: Some(DiscoveryReport {
                choice: discovery.choice.clone(),
                forecast,
            }),
            ..documents.swap_remove(0)
        }
    }
}

fn about_the_whole(choice: &Choice, forecast: Option<&Forecast>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if !choice.settled {
        warnings.push(Warning {
            code: "not-settled".into(),
            message: "the terms still changed with the last search: errors of the rows are not under control, \
                      so take a shorter time step or fewer terms"
                .into(),
        });
    }
    if let Some(forecast) = forecast.filter(|forecast| forecast.failures > 0) {
        warnings.push(Warning {
            code: "not-solvable".into(),
            message: format!(
                "started from the record, the system could not be followed in {} of {} windows",
                forecast.failures, forecast.windows
            ),
        });
    }
    warnings
}
