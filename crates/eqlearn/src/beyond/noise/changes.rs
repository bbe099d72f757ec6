//! Rows that follow each other like a random walk: what a law explains of the changes from row to
//! row.
//!
//! Walks that know nothing of each other look as if they did: their values say the same many times
//! over. Their changes are independent, so a law of walks has to explain those. (Granger and
//! Newbold, Spurious regressions in econometrics, 1974.)

use super::{Turns, View};
use crate::beyond::Learned;
use crate::beyond::judge::{evaluated, linearised};
use crate::judge::criterion::Sample;
use crate::judge::noise::{Dependence, dependence};
use crate::judge::ranking::Ranked;
use crate::learn::Study;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::terms::term::Term;

impl Turns<'_> {
    /// Whether rows follow each other. Where features wander, a missing term looks the same as a
    /// random walk, so this is said beside a misfit too.
    pub(super) fn dependence(&self, view: &View, learned: &Learned) -> Option<Dependence> {
        let model = learned.study.model()?;
        let (residuals, ..) = linearised(&self.rows, &model);
        let in_units = |column: &[f64]| -> Vec<f64> {
            let scaled = |(row, value): (usize, &f64)| value * view.weight(row).sqrt();
            view.pick(&column.iter().enumerate().map(scaled).collect::<Vec<f64>>())
        };
        let columns: Vec<Vec<f64>> = self.rows.features.iter().map(|x| view.pick(x)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        dependence(
            &columns,
            &in_units(&self.rows.target),
            &in_units(&residuals),
        )
    }

    /// What was learned from rows that follow each other: equations are weighed by what they
    /// explain of the changes from row to row, which do not. If another equation of the list is
    /// best then, or none, it is the answer.
    pub(super) fn weighed_by_changes(&self, view: &View, learned: Learned) -> Learned {
        let study = match self.scores_by_changes(view, &learned.study) {
            Some(scores) => {
                let study = learned.study.rescored(&scores);
                if study.place() == Some(0) {
                    study
                } else {
                    study.choosing(Some(0))
                }
            }
            None => match self.score_of_changes(view, &learned.study) {
                Some(score) if score <= 0.0 => learned.study.refuted(score),
                _ => learned.study,
            },
        };
        Learned { study, ..learned }
    }

    /// The score of an answer that is from no list, such as a fraction, for the changes; that of no
    /// law is zero.
    fn score_of_changes(&self, view: &View, study: &Study) -> Option<f64> {
        let model = study.model()?;
        let (residuals, tangents, size) = linearised(&self.rows, &model);
        let squares = |column: &[f64]| -> f64 {
            let own = view.pick(column);
            own.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum()
        };
        let share = squares(&residuals) / squares(&self.rows.target);
        let sample = Sample {
            n_obs: self.rows.len() - 1,
            always_in: 0,
            n_candidates: study.yardstick().n_candidates.max(tangents.len()),
        };
        let size = size + model.parameters().len();
        let criterion = &study.yardstick().criterion;
        criterion.score_of_residual(&sample, size, share)
    }

    fn scores_by_changes(&self, view: &View, study: &Study) -> Option<Vec<f64>> {
        let terms = study.problem().dictionary().terms();
        let transform = study.problem().left_side().transform();
        let apply = |y: &f64| transform.map_or(*y, |t| t.apply(*y));
        let target: Vec<f64> = self.rows.target.iter().map(apply).collect();
        // A constant explains no change.
        let varies = (0..terms.len()).filter(|&place| !terms[place].is_constant());
        let varies: Vec<usize> = varies.collect();
        let chosen: Vec<Term> = varies.iter().map(|&place| terms[place].clone()).collect();
        let mut columns = evaluated(&self.rows, &chosen);
        columns.push(target);
        let change = |column: &Vec<f64>| -> Vec<f64> {
            let own = view.pick(column);
            own.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        let changes: Vec<Vec<f64>> = columns.iter().map(change).collect();
        let slices: Vec<&[f64]> = changes.iter().map(Vec::as_slice).collect();
        let reduction = Reduction::from_columns(&slices);
        let sample = Sample {
            n_obs: reduction.n_obs(),
            always_in: 0,
            n_candidates: study.yardstick().n_candidates,
        };
        let nothing = reduction.fit(&Support::empty());
        let size_and_share = |model: &Ranked| {
            let support = model.fit.support();
            let own = (0..varies.len()).filter(|&place| support.contains(varies[place]));
            let own: Support = own.collect();
            (own.len(), reduction.fit(&own).share_of(&nothing))
        };
        study.scores_on(&sample, &size_and_share)
    }
}
