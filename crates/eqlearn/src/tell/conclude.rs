//! From a discovery to its results: the system, refined if asked, its forecast, and the document.

use crate::data::trajectory::Trajectories;
use crate::dynamics::discover::Discovery;
use crate::dynamics::forecast::forecast;
use crate::dynamics::refine::refine;
use crate::dynamics::system::System;
use crate::error::Result;
use crate::tell::document::Document;

/// Where the coefficients of a discovered system come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coefficients {
    /// From the rows that the terms were found with.
    OfRows,
    /// From the trajectories themselves, by multiple shooting.
    OfMotion,
}

/// The results of a discovery.
#[derive(Debug, Clone)]
pub struct Conclusion {
    /// The system; none unless every state has an equation.
    pub system: Option<System>,
    /// The result document.
    pub document: Document,
}

/// Concludes a discovery from the record that it was made from.
///
/// # Errors
/// Those of [`refine`].
pub fn conclude(
    discovery: &Discovery,
    record: &Trajectories,
    coefficients: Coefficients,
) -> Result<Conclusion> {
    let choice = discovery.choice();
    let learned = discovery.system();
    let refined = match &learned {
        Some(system) if coefficients == Coefficients::OfMotion => {
            let (forms, scale) = (discovery.forms(), choice.time_scale);
            Some(refine(system, forms, record, &choice.noise, scale)?)
        }
        _ => None,
    };
    let system = refined.as_ref().map(|r| r.system.clone()).or(learned);
    let followed = discovery.followed(record);
    let opinion = system
        .as_ref()
        .and_then(|system| forecast(system, followed, &choice.noise, choice.time_scale));
    let document = Document::system(discovery, opinion, refined.as_ref());
    Ok(Conclusion { system, document })
}
