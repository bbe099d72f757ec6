//! The result document of a discovered system: one entry of `equations` per state, and how rows were made.

use serde::{Deserialize, Serialize};

use super::{Document, Kind};
use crate::dynamics::discover::{Choice, Discover, Discovery};
use crate::dynamics::forecast::Forecast;
use crate::dynamics::refine::Refined;
use crate::tell::warning::Warning;

/// How a system was learned, and how well it foretells its own record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscoveryReport {
    /// What was chosen on the way.
    #[serde(flatten)]
    pub choice: Choice,
    /// The second opinion; null if some state has no equation or there are inputs.
    pub forecast: Option<Forecast>,
    /// How coefficients were refined; null if they were not.
    pub refined: Option<RefinedReport>,
}

/// How coefficients were fitted to the motion itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RefinedReport {
    /// The root mean square distance from the samples in units of the noise, before.
    pub distance_before: f64,
    /// The same, after.
    pub distance_after: f64,
    /// How many windows the system was followed through.
    pub windows: usize,
    /// How many steps it took.
    pub steps: usize,
}

impl Document {
    /// The document of a system.
    pub fn system(
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
        for (e, (state, document)) in discovery.learned.iter().zip(&mut documents).enumerate() {
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
                if discovery.choice.is_whitened() {
                    equation.sigma = Some(discovery.choice.noise[e]);
                }
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
                refined: None,
            }),
            ..documents.swap_remove(0)
        }
    }

    /// Takes over the coefficients of a refined system, which has the same terms.
    pub fn refine(&mut self, refined: &Refined) {
        let both = refined
            .system
            .states()
            .iter()
            .zip(refined.system.equations());
        for (state, model) in both {
            let own = self.equations.iter_mut().filter(|e| e.target == *state);
            for equation in own {
                equation.text = model.to_string();
                equation.latex = model.latex();
                for (i, entry) in equation.terms.iter_mut().enumerate() {
                    entry.coefficient = model.coefficients()[i];
                    entry.std_error = model.std_errors().map(|errors| errors[i]);
                }
            }
        }
        if let Some(discovery) = &mut self.discovery {
            discovery.refined = Some(RefinedReport {
                distance_before: refined.distance.0,
                distance_after: refined.distance.1,
                windows: refined.windows,
                steps: refined.steps,
            });
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
