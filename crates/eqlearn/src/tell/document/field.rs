//! The result document of a field: one entry of `equations` per quantity, and how rows were made.

use serde::{Deserialize, Serialize};

use super::system::StateLists;
use super::{Document, Equation, Kind, RegressionReport, SCHEMA};
use crate::fields::discover::{FieldChoice, FieldDiscovery};
use crate::fields::follow::{FollowedField, NotFollowed};
use crate::learn::Study;
use crate::tell::caveats::caveats;
use crate::tell::warning::{Code, Warning};

/// How the equations of a field were learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldReport {
    /// The axes, time first.
    pub axes: Vec<String>,
    /// The quantities.
    pub quantities: Vec<String>,
    /// What was chosen on the way.
    #[serde(flatten)]
    pub choice: FieldChoice,
    /// How the equations follow the first record; null if there is no system of them.
    pub forecast: Option<FieldForecast>,
    /// The exact lists of each quantity, for the comprehensive methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<StateLists>,
}

/// How the learned equations follow a record from its first time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldForecast {
    /// The last time that the simulation reached.
    pub until: Option<f64>,
    /// Whether that is the end of the record.
    pub reaches_end: bool,
    /// For each quantity the root mean square error at that time, in units of the standard
    /// deviation of its measured values, whose noise is in it.
    pub error: Vec<f64>,
    /// Why nothing was simulated; null if it was.
    pub why_not: Option<NotFollowed>,
}

impl From<&Result<FollowedField, NotFollowed>> for FieldForecast {
    fn from(followed: &Result<FollowedField, NotFollowed>) -> Self {
        match followed {
            Ok(followed) => Self {
                until: Some(followed.until()),
                reaches_end: followed.reaches_end(),
                error: followed
                    .errors
                    .iter()
                    .filter_map(|errors| errors.last().copied())
                    .collect(),
                why_not: None,
            },
            Err(why) => Self {
                until: None,
                reaches_end: false,
                error: Vec::new(),
                why_not: Some(why.clone()),
            },
        }
    }
}

impl Document {
    /// The document of a field. `followed` is what a simulation of its equations came to.
    pub fn field(
        discovery: &FieldDiscovery,
        followed: Option<&Result<FollowedField, NotFollowed>>,
    ) -> Self {
        let studies = discovery.studies();
        let names = discovery.names();
        let told = |(place, study): (usize, &Study)| {
            let model = discovery.model(place)?;
            Equation::told_by(study, &model)
        };
        let mut warnings = Vec::new();
        for (place, study) in studies.iter().enumerate() {
            let left = study.problem().left_side().target();
            let own = about_equation(discovery.choice(), place);
            let all = caveats(study).into_iter().chain(own);
            warnings.extend(all.map(|warning| match warning.code {
                // It names the left side.
                Code::NoEquation => warning,
                _ => Warning {
                    message: format!("{left}: {}", warning.message),
                    ..warning
                },
            }));
        }
        let named = names.quantities().iter().zip(studies);
        let lists = named.filter_map(|(quantity, study)| StateLists::new(quantity, study));
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
            groups: None,
            discovery: Some(super::Discovered::Field(Box::new(FieldReport {
                axes: names.axes().to_vec(),
                quantities: names.quantities().to_vec(),
                choice: discovery.choice().clone(),
                forecast: followed.map(FieldForecast::from),
                lists: lists.collect(),
            }))),
        }
    }
}

/// What a careful reader should know of one equation besides its search.
fn about_equation(choice: &FieldChoice, quantity: usize) -> Vec<Warning> {
    let Some(found) = choice.equations.get(quantity) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if !found.settled {
        let message = "the terms still changed in the last search: the errors of the rows are not \
                       known well enough, so measure more points or ask for fewer terms";
        warnings.push(Warning::new(Code::NotSettled, message));
    }
    if found.hidden {
        let message = "so much of the terms is noise that their coefficients cannot be told apart: \
                       measure more points, or ask for lower derivatives";
        warnings.push(Warning::new(Code::HiddenTerms, message));
    }
    warnings
}
