//! Accelerations: equations of second order, from states and velocities.

use super::choose::cautious;
use super::estimate::Estimate;
use super::{Choice, Discover, Discovery, Judged, SEARCHES, misfit, problems, studies};
use crate::data::trajectory::Trajectories;
use crate::dynamics::resolution::Resolution;
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::rows::interpolate::Nodes;
use crate::dynamics::rows::second_order::Motion;
use crate::error::Result;
use crate::learn::Study;
use crate::observe::Observer;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;

/// Residuals of accelerations this many times larger than the noise are smoothing error, not noise.
const BLURRED: f64 = 2.0;

/// Learns the acceleration of each state from states and velocities.
pub(super) fn accelerations<'a>(
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
    let choice = Choice {
        rows: RowScheme::Weak { half_width },
        half_width,
        noise: resolution.sigma.clone(),
        chi2_per_row: Vec::new(),
        time_scale: resolution.time_scale,
        step: trajectories.step(),
        searches,
        settled,
        second_opinion: None,
        denoised: None,
        why: motion.why(),
    };
    let discovery = Discovery {
        definitions: motion.definitions()?,
        with_velocities: Some(motion.record.clone()),
        ..Discovery::new(settings, &states, studies, choice)
    };
    let judge = misfit::Accelerations {
        motion,
        dictionary,
        sigma: resolution.sigma,
        estimate,
    };
    Ok((discovery, Some(Box::new(judge))))
}
