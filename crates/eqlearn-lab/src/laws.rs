//! One hundred textbook laws, without any flag: how many are found, and what is said of the rest.

mod list;
mod verdict;

use std::fmt::{self, Write as _};

use eqlearn::Table;
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

pub use list::{Class, Law, Rows, TARGET};

use crate::learner::fit_without_flags;
use crate::systems::standard_deviation;
use crate::{Report, Request};
use verdict::{Truth, Verdict};

/// Noise in units of the target's standard deviation.
pub const NOISE: [f64; 3] = [0.0, 0.001, 0.01];

/// Rows to learn from, and fresh rows to judge by.
const N_ROWS: usize = 1000;

#[derive(Debug)]
pub(crate) struct Laws {
    seed: u64,
    laws: Vec<Law>,
}

impl Laws {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            seed: request.seed,
            laws: Law::all(),
        }
    }
}

/// One law at one noise level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    key: u32,
    law: String,
    class: String,
    /// The place of its noise in [`NOISE`].
    level: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            law,
            level,
            seed,
            ..
        } = self;
        write!(f, "law {key}, {law}, noise {level}, seed {seed}")
    }
}

/// The rows of a law.
#[derive(Debug)]
pub struct Made {
    /// The law.
    pub law: Law,
    /// Noisy rows to learn from.
    pub given: Table,
    /// Fresh rows from wider ranges, without noise.
    pub fresh: Table,
    /// The standard deviation of the noise.
    pub sigma: f64,
    /// The law on the given rows, without noise.
    clean: Vec<f64>,
}

impl Made {
    /// The rows of a law at one of the noise levels.
    pub fn new(law: &Law, seed: u64, level: u32) -> Self {
        let columns = law.columns(seed, Rows::Given, N_ROWS);
        let clean = law.values(&columns);
        let sigma = NOISE[level as usize] * standard_deviation(&clean);
        let noise = law.noise(seed, level, N_ROWS);
        let noisy = clean.iter().zip(noise).map(|(y, e)| y + sigma * e);
        let fresh = law.columns(seed, Rows::Wider, N_ROWS);
        let truth = law.values(&fresh);
        Self {
            given: law.table(columns, noisy.collect()),
            fresh: law.table(fresh, truth),
            law: law.clone(),
            sigma,
            clean,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    verdict: Verdict,
    /// Whether the answer itself says that it may not be the law, right or wrong.
    says_outside: bool,
    text: String,
    n_terms: usize,
    /// The error on fresh rows relative to the law; none if it cannot be evaluated there.
    error: Option<f64>,
    probability: Option<f64>,
    misfit: Option<f64>,
}

impl Experiment for Laws {
    type Scenario = Scenario;
    type Method = ();
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "laws"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let levels = self.laws.iter().flat_map(|law| {
            let levels = (0..).take(NOISE.len());
            levels.map(move |level| (law, level))
        });
        let scenario = |(law, level): (&Law, u32)| Scenario {
            key: law.key,
            law: law.name.clone(),
            class: law.class.name().to_string(),
            level,
            seed: self.seed,
        };
        levels.map(scenario).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("no flags", ())]
    }

    fn data(&self, scenario: &Scenario) -> Made {
        let law = self.laws.iter().find(|law| law.key == scenario.key);
        let law = law.expect("a law of the list");
        Made::new(law, scenario.seed, scenario.level)
    }

    fn run(&self, made: &Made, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        timed(|| fit_without_flags(&made.given, TARGET)).map(|found| {
            let truth = Truth::new(made);
            let error = truth.error(found.model.as_ref());
            Outcome {
                verdict: truth.verdict(&found),
                says_outside: found.says_outside(),
                error: Some(error).filter(|error| error.is_finite()),
                n_terms: found.n_terms,
                probability: found.probability,
                misfit: found.misfit,
                text: found.text,
            }
        })
    }
}

impl Report for Laws {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "100 textbook laws, {N_ROWS} rows, no flags, seed {}: \
             recovered / said to be outside / false certainty\n\n{:<10} {:>5}",
            self.seed, "class", "laws"
        );
        for noise in NOISE {
            let _ = write!(text, " {:>14}", format!("noise {} %", 100.0 * noise));
        }
        text.push('\n');
        let classes = Class::ALL.map(|class| Some(class.name()));
        for class in classes.into_iter().chain([None]) {
            let is_in = |line: &&LineOf<Self>| class.is_none_or(|c| line.scenario.class == c);
            let own: Vec<&LineOf<Self>> = lines.iter().filter(is_in).collect();
            let n_laws = own.iter().filter(|line| line.scenario.level == 0).count();
            let _ = write!(text, "{:<10} {n_laws:>5}", class.unwrap_or("all"));
            for level in (0..).take(NOISE.len()) {
                let count = |verdict: Verdict| {
                    let at = own.iter().filter(|line| line.scenario.level == level);
                    at.filter(|line| line.outcome.verdict == verdict).count()
                };
                let cell = format!(
                    "{} / {} / {}",
                    count(Verdict::Recovered),
                    count(Verdict::SaidOutside),
                    count(Verdict::FalseCertainty)
                );
                let _ = write!(text, " {cell:>14}");
            }
            text.push('\n');
        }
        let is_doubted = |line: &&LineOf<Self>| {
            line.outcome.verdict == Verdict::Recovered && line.outcome.says_outside
        };
        let doubted = lines.iter().filter(is_doubted).count();
        let _ = writeln!(text, "\nrecovered, but said to be outside: {doubted}");
        self.list_claims(lines, &mut text);
        text
    }
}

impl Laws {
    /// Every false certainty in full: what was claimed in place of what.
    fn list_claims(&self, lines: &[LineOf<Self>], text: &mut String) {
        let is_claim = |line: &&LineOf<Self>| line.outcome.verdict == Verdict::FalseCertainty;
        for line in lines.iter().filter(is_claim) {
            let law = self.laws.iter().find(|law| law.key == line.scenario.key);
            let _ = writeln!(
                text,
                "\nnoise {} %: {} is {}\n    found {} (probability {:.3})",
                100.0 * NOISE[line.scenario.level as usize],
                line.scenario.law,
                law.map_or("", |law| &law.formula),
                line.outcome.text,
                line.outcome.probability.unwrap_or(0.0),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_at_all_noise_levels_and_noise_has_its_size() {
        let law = &Law::all()[41];
        let (quiet, noisy) = (Made::new(law, 1, 0), Made::new(law, 1, 2));
        assert_eq!(
            quiet.given.column("n").unwrap(),
            noisy.given.column("n").unwrap()
        );
        assert_eq!(quiet.given.column(TARGET).unwrap(), quiet.clean);
        let noisy_values = noisy.given.column(TARGET).unwrap();
        let off = noisy_values.iter().zip(&noisy.clean).map(|(a, b)| a - b);
        let spread = standard_deviation(&off.collect::<Vec<f64>>());
        assert!((spread / noisy.sigma - 1.0).abs() < 0.1);
    }

    #[test]
    fn a_law_of_the_dictionary_is_recovered_and_an_imitation_is_not() {
        let experiment = Laws {
            seed: 1,
            laws: Law::all(),
        };
        let verdict = |key: u32, level: u32| {
            let scenarios = experiment.scenarios().into_iter();
            let mut own = scenarios.filter(|s| s.key == key && s.level == level);
            let scenario = own.next().unwrap();
            let made = experiment.data(&scenario);
            let done = experiment.run(&made, &(), &|| std::ops::ControlFlow::Continue(()));
            done.value.verdict
        };
        assert_eq!(verdict(16, 1), Verdict::Recovered);
        assert_ne!(verdict(26, 1), Verdict::Recovered);
        // The Doppler shift nearly cancels on some fresh rows, and it is the law.
        assert_eq!(verdict(35, 1), Verdict::Recovered);
        // Two functions of one combination are no arcsine, however well they follow it.
        assert_eq!(verdict(31, 2), Verdict::SaidOutside);
    }
}
