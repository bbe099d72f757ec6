//! Whether the data themselves could tell: the noisiest records of the Rabinovich–Fabrikant system,
//! asked with the true terms and the true noise.
//!
//! Where the answer of a record is not the law, the states and coefficients are fitted to the
//! record twice: with the terms of the answer, and with those of the law. Both fits are compared by
//! their likelihood at the noise that was added, which no method knows. The law has to be ahead by
//! what its additional coefficients would gain by chance (half the log of the number of values for
//! each), or nobody could tell from this record.

use std::fmt::Write as _;

use eqlearn::{Denoise, Dictionary, Discover, Discovery, Support, Term};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{Known, RABINOVICH};
use eqlearn_reproduce::paper::grid;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::dynamics::{Recorded, Scenario};
use crate::learner::discovery;
use crate::{Report, Request};

/// The noise of the records that are looked at.
const SIGMA: f64 = 0.01;

#[derive(Debug)]
pub(crate) struct Oracle {
    known: &'static Known,
    seed: u64,
}

impl Oracle {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            known: &RABINOVICH,
            seed: request.seed,
        }
    }

    /// The log likelihood of the record, at the noise that was added, with the best states and
    /// coefficients of some terms; and how many coefficients that takes. None if they cannot be
    /// fitted.
    fn likelihood(&self, recorded: &Recorded, laws: &[Support]) -> Option<Likelihood> {
        let dictionary = self.dictionary();
        let all: Support = (0..dictionary.len()).collect();
        let settings = Discover {
            denoise: Denoise::On,
            excluded: laws.iter().map(|law| all.minus(law)).collect(),
            ..Discover::default()
        };
        let record = recorded.trajectories();
        let found = discovery(record, &dictionary, &settings);
        let cleaned = found.cleaned()?;
        let mut squares = 0.0;
        for (noisy, clean) in record.pieces().iter().zip(cleaned.pieces()) {
            for (x, u) in noisy.columns().iter().zip(clean.columns()) {
                squares += x.iter().zip(u).map(|(x, u)| (x - u).powi(2)).sum::<f64>();
            }
        }
        Some(Likelihood {
            log: -0.5 * squares / SIGMA.powi(2),
            n_terms: chosen(&found, &dictionary).iter().map(Support::len).sum(),
        })
    }

    fn dictionary(&self) -> Dictionary {
        self.known.dictionary(4, 6)
    }

    fn truth(&self, dictionary: &Dictionary) -> Vec<Support> {
        let features = dictionary.features();
        let place = |text: &&str| {
            let term = Term::parse(text, features).expect("a term of the law");
            let mut all = dictionary.terms().iter();
            all.position(|own| *own == term)
                .expect("it is in the dictionary")
        };
        let law = |terms: &&[&str]| terms.iter().map(place).collect();
        self.known.truth.iter().map(law).collect()
    }
}

/// How well terms follow a record.
struct Likelihood {
    log: f64,
    n_terms: usize,
}

/// The terms of each equation, by their places.
fn chosen(found: &Discovery, dictionary: &Dictionary) -> Vec<Support> {
    let states = 0..found.studies().len();
    let law = |state: usize| -> Support {
        let model = found.model(state);
        let own = model
            .as_ref()
            .map_or(Vec::new(), eqlearn::Model::term_texts);
        let all = dictionary.terms().iter().enumerate();
        all.filter(|(_, term)| own.contains(&term.to_string()))
            .map(|(place, _)| place)
            .collect()
    };
    states.map(law).collect()
}

/// What was found, and what the oracle says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    texts: Vec<String>,
    right: bool,
    /// Whether states and coefficients were fitted together without being asked for.
    together: bool,
    /// By how much the law is ahead of the answer in log likelihood, and how many coefficients more
    /// it has; none where the answer is the law, or where one of both cannot be fitted.
    ahead: Option<f64>,
    more: Option<i64>,
    /// Whether the record can tell: the law is ahead by more than its coefficients gain by chance.
    tells: Option<bool>,
}

impl Experiment for Oracle {
    type Scenario = Scenario;
    type Method = ();
    type Data = (Recorded, usize);
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "oracle"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let scenario = |(number, (n_obs, step, sigma))| Scenario {
            system: self.known.name.to_string(),
            number,
            n_obs,
            step,
            sigma,
            seed: self.seed,
            rows: "auto".to_string(),
        };
        let all = (0..).zip(grid(self.known)).map(scenario);
        // The numbers are those of the whole grid, so that records are the same.
        all.filter(|scenario| scenario.sigma >= SIGMA).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("best", ())]
    }

    fn data(&self, scenario: &Scenario) -> (Recorded, usize) {
        let recorded = Recorded::new(self.known, scenario, |_| scenario.sigma);
        (recorded, scenario.n_obs)
    }

    fn run(&self, (recorded, n_obs): &Self::Data, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let dictionary = self.dictionary();
        let record = recorded.trajectories();
        let found = timed(|| discovery(record, &dictionary, &Discover::default()));
        found.map(|found| {
            let (own, truth) = (chosen(&found, &dictionary), self.truth(&dictionary));
            let right = own == truth;
            let both = || {
                let law = self.likelihood(recorded, &truth)?;
                Some((law, self.likelihood(recorded, &own)?))
            };
            let both = if right { None } else { both() };
            let n_values = (n_obs * self.known.states.len()) as f64;
            let compared = both.map(|(law, answer)| {
                let more = law.n_terms.cast_signed() as i64 - answer.n_terms.cast_signed() as i64;
                let ahead = law.log - answer.log;
                (ahead, more, ahead > 0.5 * more as f64 * n_values.ln())
            });
            let text = |state| found.model(state).map_or(String::new(), |m| m.to_string());
            Outcome {
                texts: (0..own.len()).map(text).collect(),
                right,
                together: found.cleaned().is_some(),
                ahead: compared.map(|c| c.0),
                more: compared.map(|c| c.1),
                tells: compared.map(|c| c.2),
            }
        })
    }

    fn weight(&self, scenario: &Scenario) -> f64 {
        1.0 + scenario.n_obs as f64 / 2000.0
    }
}

impl Report for Oracle {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "records with noise of {SIGMA}: whether the answer is the law, whether all equations\n\
             were fitted together, and where it is not the law, by how many nats the law is ahead\n\
             at the true noise, with how many coefficients more, and whether the record can tell\n\
             \n\
             {:>6} {:>6} {:>6} {:>9} {:>9} {:>5} {:>6}\n",
            "N", "Δt", "right", "together", "ahead", "more", "tells"
        );
        let yes = |said: bool| if said { "yes" } else { "no" };
        let (mut right, mut hidden) = (0, 0);
        for line in lines {
            let (at, own) = (&line.scenario, &line.outcome);
            right += usize::from(own.right);
            hidden += usize::from(own.tells == Some(false));
            let _ = writeln!(
                text,
                "{:>6} {:>6} {:>6} {:>9} {:>9} {:>5} {:>6}",
                at.n_obs,
                at.step,
                yes(own.right),
                yes(own.together),
                own.ahead
                    .map_or(String::new(), |ahead| format!("{ahead:.1}")),
                own.more.map_or(String::new(), |more| more.to_string()),
                own.tells.map_or("", yes)
            );
            if !own.right {
                let _ = writeln!(text, "       {}", own.texts.join("; "));
            }
        }
        let _ = writeln!(
            text,
            "\n{right} of {} right; in {hidden} of the others nobody could tell",
            lines.len()
        );
        text
    }
}
