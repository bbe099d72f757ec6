//! Which of the listed models to choose while residuals are not noise.

use crate::judge::criterion::Sample;
use crate::judge::ranking::Ranked;
use crate::learn::Study;

/// Independent observations at least, where there are rows: equations of a small dictionary have
/// as many terms as it has, and no number of observations that is not larger can tell them from
/// chance.
const FEWEST: usize = 4;

/// How many rows count as independent while residuals are not noise.
///
/// Interpolation errors are a smooth function of the state. More rows sample that function more
/// densely, but do not average it out. So hardly more rows than terms count.
pub(super) fn n_independent(n_rows: usize, n_terms: usize) -> usize {
    n_rows.min(n_terms.max(FEWEST))
}

/// The same study, with an answer chosen as if there were hardly more observations than terms.
/// Methods with a rule or an evidence of their own keep their answer.
pub(super) fn cautious(study: Study) -> Study {
    let Some(scores) = cautious_scores(&study) else {
        return study;
    };
    let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    study.choosing(best)
}

/// The same study and answer, with the probabilities by which an answer is chosen with caution.
///
/// Such an answer need not be the best by the plain score, which takes smooth errors for so many
/// independent ones. Probabilities by that score would contradict the answer with odds that mean
/// nothing.
pub(super) fn weighed_as_chosen(study: Study) -> Study {
    if study.place().is_none_or(|place| place == 0) {
        return study;
    }
    match cautious_scores(&study) {
        Some(scores) => study.rescored(&scores),
        None => study,
    }
}

/// The score of each model as if there were hardly more observations than terms.
fn cautious_scores(study: &Study) -> Option<Vec<f64>> {
    let baseline = study.ranking().baseline();
    let always_in = baseline.support().len();
    let sample = Sample {
        n_obs: n_independent(baseline.n_obs(), study.reduction().n_terms()),
        always_in,
        n_candidates: study.yardstick().n_candidates,
    };
    let size_and_share = |model: &Ranked| {
        let size = model.fit.support().len() - always_in;
        (size, model.fit.share_of(baseline))
    };
    study.scores_on(&sample, &size_and_share)
}
