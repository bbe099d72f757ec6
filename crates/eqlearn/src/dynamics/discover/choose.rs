//! Which of the listed models to believe while residuals are not noise.

use crate::judge::criterion::Sample;
use crate::learn::{Settings, Study};
use crate::terms::dictionary::Dictionary;

/// Chooses again with no more observations than there are terms.
///
/// Errors of interpolation are a smooth function of the state. However many rows there are, they show that function at
/// more places, not with more certainty; as many rows as terms are all that can tell terms apart.
pub(super) fn choose_cautiously(study: &mut Study, dictionary: &Dictionary, settings: &Settings) {
    let ranking = &study.ranking;
    let always_in = ranking.baseline().support().len();
    let sample = Sample {
        n_obs: ranking.baseline().n_obs().min(dictionary.len()),
        always_in,
        n_candidates: study.yardstick.n_candidates,
    };
    let score = |place: usize| {
        let fit = &ranking.models()[place].fit;
        let size = fit.support().len() - always_in;
        settings
            .criterion
            .score_of_residual(&sample, size, fit.share_of(ranking.baseline()))
    };
    let scores: Option<Vec<f64>> = (0..ranking.models().len()).map(score).collect();
    let Some(scores) = scores else { return };
    let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    study.answer = best.filter(|&place| {
        let support = ranking.models()[place].fit.support();
        let terms = support.indices().iter();
        terms
            .into_iter()
            .any(|&term| !dictionary.terms()[term].is_constant())
    });
}
