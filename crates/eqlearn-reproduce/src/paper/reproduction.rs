//! One of the paper's experiments, as the runner runs it.

use std::sync::OnceLock;

use super::attractor::Attractor;
use super::learner::Prepared;
use super::{Contender, Outcome, PaperExperiment, Plan, Scenario, Score};
use crate::runner::{Experiment, GoOn, Timed, timed};

/// One of the paper's experiments, as far as a plan goes.
#[derive(Debug)]
pub struct Reproduction<'a> {
    plan: &'a Plan,
    experiment: PaperExperiment,
    /// Made when the first answer is to be scored: a finished run needs none.
    attractor: OnceLock<Option<Attractor>>,
}

impl<'a> Reproduction<'a> {
    /// An experiment of a plan.
    pub fn new(plan: &'a Plan, experiment: PaperExperiment) -> Self {
        Self {
            plan,
            experiment,
            attractor: OnceLock::new(),
        }
    }

    fn attractor(&self) -> Option<&Attractor> {
        let Plan { seed, size, .. } = self.plan;
        let make = || Attractor::new(self.experiment, *seed, size.forecasts);
        self.attractor.get_or_init(make).as_ref()
    }
}

impl Experiment for Reproduction<'_> {
    type Scenario = Scenario;
    type Method = Contender;
    type Data = Prepared;
    type Outcome = Outcome;

    fn name(&self) -> &str {
        self.experiment.name()
    }

    fn scenarios(&self) -> Vec<Scenario> {
        self.plan.scenarios(self.experiment)
    }

    fn methods(&self) -> Vec<(&'static str, Contender)> {
        let contenders = self.plan.contenders(self.experiment).into_iter();
        contenders.map(|c| (c.name(), c)).collect()
    }

    fn data(&self, scenario: &Scenario) -> Prepared {
        Prepared::new(scenario.data()).expect("the data of a scenario can be reduced")
    }

    fn run(&self, prepared: &Prepared, method: &Contender, go_on: &GoOn<'_>) -> Timed<Outcome> {
        let data = prepared.data();
        timed(|| prepared.learn(*method, go_on)).map(|learned| match learned {
            Ok(equations) => Outcome {
                score: Score::new(data, &equations, self.attractor(), go_on)
                    .expect("learned terms can be read back"),
                equations,
                trouble: None,
            },
            Err(error) => Outcome {
                equations: prepared.no_equations(),
                score: Score::of_failure(data, self.attractor()),
                trouble: Some(error.to_string()),
            },
        })
    }

    fn weight(&self, scenario: &Scenario) -> f64 {
        scenario.weight()
    }
}
