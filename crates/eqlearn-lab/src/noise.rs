//! Pure noise: how often the default method claims a law where there is none.

use std::fmt::Write as _;

use eqlearn::{Method, Settings};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::{Constant, chosen, fit_without_flags, settings};
use crate::sets::{Kind, Made, Set};
use crate::{Report, Request};

/// The numbers of rows.
const ROWS: [usize; 4] = [20, 65, 95, 500];

/// The methods: names of columns.
const FREE: &str = "constant free";
const FORCED: &str = "constant forced";
const WITHOUT_FLAGS: &str = "fit without flags";

/// How an answer is found.
pub(crate) enum Contender {
    /// By the plain search with these settings.
    Search(Box<Settings>),
    /// As `eqlearn fit` does without any flag: richer vocabularies and weights are at hand.
    WithoutFlags,
}

#[derive(Debug)]
pub(crate) struct Noise {
    seed: u64,
    sets: u32,
}

/// Whether there was an equation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    claims: bool,
}

impl Noise {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

impl Experiment for Noise {
    type Scenario = Set;
    type Method = Contender;
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "noise"
    }

    fn scenarios(&self) -> Vec<Set> {
        let kinds = ROWS.map(|n_obs| Kind::Noise { n_obs });
        Set::all(kinds, self.seed, self.sets)
    }

    fn methods(&self) -> Vec<(&'static str, Contender)> {
        let by = |constant| Contender::Search(Box::new(settings(Method::Best, constant)));
        vec![
            (FREE, by(Constant::Free)),
            (FORCED, by(Constant::Forced)),
            (WITHOUT_FLAGS, Contender::WithoutFlags),
        ]
    }

    fn data(&self, set: &Set) -> Made {
        set.make()
    }

    fn run(&self, made: &Made, contender: &Contender, _: &GoOn<'_>) -> Timed<Outcome> {
        let claims = timed(|| match contender {
            Contender::Search(settings) => !chosen(made, settings).is_empty(),
            Contender::WithoutFlags => fit_without_flags(&made.planted.table, "y").model.is_some(),
        });
        claims.map(|claims| Outcome { claims })
    }
}

impl Report for Noise {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let Self { seed, sets } = self;
        let mut text = format!(
            "claims of an equation on pure noise, in % of {sets} data sets, p = 72, seed {seed}\n\n\
             {:<10} {FREE:>16} {FORCED:>18} {WITHOUT_FLAGS:>20}\n",
            "rows"
        );
        for n_obs in ROWS {
            let share = |method: &str| {
                let own = lines
                    .iter()
                    .filter(|l| l.scenario.kind == Kind::Noise { n_obs } && l.method == method);
                100.0 * own.filter(|l| l.outcome.claims).count() as f64 / f64::from(*sets)
            };
            let _ = writeln!(
                text,
                "{n_obs:<10} {:>16.1} {:>18.1} {:>20.1}",
                share(FREE),
                share(FORCED),
                share(WITHOUT_FLAGS)
            );
        }
        text
    }
}
