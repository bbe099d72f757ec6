//! Pure noise: how often the default method claims a law where there is none.

use std::fmt::Write as _;

use eqlearn::{Method, Settings};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::{Constant, chosen, settings};
use crate::sets::{Kind, Made, Set};
use crate::{Report, Request};

/// The numbers of rows.
const ROWS: [usize; 4] = [20, 65, 95, 500];

/// The methods: names of columns.
const FREE: &str = "constant free";
const FORCED: &str = "constant forced";

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
    type Method = Settings;
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "noise"
    }

    fn scenarios(&self) -> Vec<Set> {
        let kinds = ROWS.map(|n_obs| Kind::Noise { n_obs });
        Set::all(kinds, self.seed, self.sets)
    }

    fn methods(&self) -> Vec<(&'static str, Settings)> {
        vec![
            (FREE, settings(Method::Best, Constant::Free)),
            (FORCED, settings(Method::Best, Constant::Forced)),
        ]
    }

    fn data(&self, set: &Set) -> Made {
        set.make()
    }

    fn run(&self, made: &Made, method: &Settings, _: &GoOn<'_>) -> Timed<Outcome> {
        timed(|| chosen(made, method)).map(|terms| Outcome {
            claims: !terms.is_empty(),
        })
    }
}

impl Report for Noise {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let Self { seed, sets } = self;
        let mut text = format!(
            "claims of an equation on pure noise, in % of {sets} data sets, p = 72, seed {seed}\n\n\
             {:<10} {FREE:>16} {FORCED:>18}\n",
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
                "{n_obs:<10} {:>16.1} {:>18.1}",
                share(FREE),
                share(FORCED)
            );
        }
        text
    }
}
