//! The criteria on the same exact lists: who recovers the truth, and who claims a law in noise.

use std::fmt::Write as _;

use eqlearn::judge::criterion::{Criterion, EvidencePrior, SizePrior};
use eqlearn::judge::ranking::{Ranking, Yardstick};
use eqlearn::search::Search;
use eqlearn::{Reduction, Support};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::best_supports;
use crate::sets::{Kind, Made, Set};
use crate::{Report, Request};

#[derive(Debug)]
pub(crate) struct Criteria {
    seed: u64,
    sets: u32,
}

/// A table with the best supports of every size.
#[derive(Debug)]
pub(crate) struct Listed {
    made: Made,
    supports: Vec<Support>,
}

/// How the first of a ranking compares with the truth.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    right: bool,
    /// Terms more than the truth has, or fewer.
    size_error: f64,
}

impl Criteria {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

/// The kinds of data: a column of the table each.
fn kinds() -> Vec<Kind> {
    let gaussian = |n_obs, correlation, signal| Kind::Gaussian {
        n_obs,
        correlation,
        signal,
    };
    let polynomials = [2, 3, 4].map(|n_terms| Kind::Polynomial { n_terms });
    let planted = [
        gaussian(65, 0.0, 3.0),
        gaussian(200, 0.0, 1.0),
        gaussian(200, 0.0, 3.0),
        gaussian(1000, 0.0, 0.5),
        gaussian(200, 0.9, 3.0),
    ];
    let noise = [20, 65, 95, 500].map(|n_obs| Kind::Noise { n_obs });
    let all = polynomials.into_iter().chain(planted).chain(noise);
    all.collect()
}

impl Listed {
    /// Exact lists of all sizes up to 8 (5 for the smallest samples), the constant always in.
    pub(crate) fn new(set: &Set) -> Self {
        let made = set.make();
        // With so few rows bounds exclude little, and sizes beyond 5 take seconds each.
        let max_terms = if made.reduction.n_obs() < 40 { 5 } else { 8 };
        let space = Search {
            max_terms,
            ..Search::default()
        };
        let supports = best_supports(&made.reduction, space);
        Self { made, supports }
    }

    /// The ranking of the lists by a criterion.
    pub(crate) fn ranking(&self, criterion: Criterion, size_prior: SizePrior) -> Ranking {
        let reduction: &Reduction = &self.made.reduction;
        let yardstick = Yardstick {
            criterion,
            size_prior,
            n_candidates: reduction.n_terms() - 1,
        };
        let constant = Support::from_iter([0]);
        Ranking::new(reduction, &constant, &self.supports, &yardstick)
    }

    /// The true terms and the constant.
    pub(crate) fn truth(&self) -> Support {
        self.made.planted.truth.with(0)
    }
}

impl Experiment for Criteria {
    type Scenario = Set;
    type Method = (Criterion, SizePrior);
    type Data = Listed;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "criteria"
    }

    fn scenarios(&self) -> Vec<Set> {
        Set::all(kinds(), self.seed, self.sets)
    }

    /// The criteria, each with the prior over sizes that goes with it.
    fn methods(&self) -> Vec<(&'static str, (Criterion, SizePrior))> {
        use Criterion::{
            AdjustedRSquared, Aic, Aicc, Bic, Ebic, HyperG, Residual, UnitInformation, ZellnerSiow,
        };
        use SizePrior::{UniformModels, UniformSizes};
        let evidence = Criterion::Evidence(EvidencePrior::default());
        let hyper_g = HyperG { a: 3.0 };
        vec![
            ("adjusted R²", (AdjustedRSquared, UniformModels)),
            ("AIC", (Aic, UniformModels)),
            ("AICc", (Aicc, UniformModels)),
            ("AICc, sizes alike", (Aicc, UniformSizes)),
            ("BIC", (Bic, UniformModels)),
            ("EBIC(0.5)", (Ebic { gamma: 0.5 }, UniformModels)),
            ("EBIC(1)", (Ebic { gamma: 1.0 }, UniformModels)),
            ("paper's evidence", (evidence, UniformModels)),
            ("paper's evidence, sizes alike", (evidence, UniformSizes)),
            (
                "unit information, sizes alike",
                (UnitInformation, UniformSizes),
            ),
            ("hyper-g(3), sizes alike", (hyper_g, UniformSizes)),
            ("Zellner–Siow, sizes alike", (ZellnerSiow, UniformSizes)),
            ("residual (hg)", (Residual, UniformModels)),
        ]
    }

    fn data(&self, set: &Set) -> Listed {
        Listed::new(set)
    }

    fn run(
        &self,
        listed: &Listed,
        (criterion, prior): &(Criterion, SizePrior),
        _: &GoOn<'_>,
    ) -> Timed<Outcome> {
        timed(|| listed.ranking(*criterion, *prior)).map(|ranking| {
            let (best, truth) = (ranking.best().fit.support(), listed.truth());
            Outcome {
                right: *best == truth,
                size_error: best.len() as f64 - truth.len() as f64,
            }
        })
    }
}

impl Report for Criteria {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let Self { seed, sets } = self;
        let mut text = format!(
            "exact lists of p = 72, sizes 1 to 8 (to 5 where N = 20), chosen by each criterion; \
             {sets} sets of each kind, seed {seed}\n\
             planted: exact recovery in % / mean size error; noise: claims of an equation in %\n\
             poly: the paper's polynomials; N s: N rows, correlated normal terms (ρ = 0 if not \
             given), coefficients s × noise\n\n{:<30}",
            "criterion"
        );
        for kind in kinds() {
            let _ = write!(text, " {:>12}", kind.to_string());
        }
        for (method, _) in self.methods() {
            let _ = write!(text, "\n{method:<30}");
            for kind in kinds() {
                let own = lines
                    .iter()
                    .filter(|l| l.scenario.kind == kind && l.method == method);
                let own: Vec<&Outcome> = own.map(|l| &l.outcome).collect();
                let right = own.iter().filter(|o| o.right).count() as f64;
                let right = 100.0 * right / f64::from(*sets);
                let size_error = own.iter().map(|o| o.size_error).sum::<f64>() / f64::from(*sets);
                let _ = match kind {
                    Kind::Noise { .. } => write!(text, " {:>12.1}", 100.0 - right),
                    _ => write!(text, " {right:>5.0} /{size_error:>+5.2}"),
                };
            }
        }
        text
    }
}
