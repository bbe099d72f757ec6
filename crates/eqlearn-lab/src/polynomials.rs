//! The paper's random polynomials: how often each method finds exactly the true terms.

use std::fmt::Write as _;

use eqlearn::search::Search;
use eqlearn::{Method, Settings, Support};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::{Constant, best_supports, chosen, fit_without_flags, settings};
use crate::sets::{Kind, Made, Set};
use crate::{Report, Request};

/// The numbers of true terms.
const SIZES: [usize; 3] = [2, 3, 4];

/// What no choice among the best models of each size can exceed.
const CEILING: &str = "ceiling: the truth is best of its size";

#[derive(Debug)]
pub(crate) struct Polynomials {
    seed: u64,
    sets: u32,
}

/// How an answer is found.
pub(crate) enum Contender {
    /// By a method of the library.
    Method(Box<Settings>),
    /// As `eqlearn fit` does without any flag: richer vocabularies and weights are at hand.
    WithoutFlags,
    /// By the best model of the true size.
    Ceiling,
}

/// How many terms are missing or wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    wrong: usize,
}

impl Polynomials {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

impl Experiment for Polynomials {
    type Scenario = Set;
    type Method = Contender;
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "polynomials"
    }

    fn scenarios(&self) -> Vec<Set> {
        let kinds = SIZES.map(|n_terms| Kind::Polynomial { n_terms });
        Set::all(kinds, self.seed, self.sets)
    }

    fn methods(&self) -> Vec<(&'static str, Contender)> {
        use Constant::{Forced, Free};
        let by = |method: Method, constant| Contender::Method(Box::new(settings(method, constant)));
        vec![
            ("cs-r2", by(Method::CsR2, Forced)),
            ("cs-evidence", by(Method::CsEvidence, Forced)),
            ("bsr", by(Method::Bsr, Forced)),
            ("best", by(Method::Best, Forced)),
            ("best, constant free", by(Method::Best, Free)),
            ("fit without flags", Contender::WithoutFlags),
            (CEILING, Contender::Ceiling),
        ]
    }

    fn data(&self, set: &Set) -> Made {
        set.make()
    }

    fn run(&self, made: &Made, contender: &Contender, _: &GoOn<'_>) -> Timed<Outcome> {
        let truth = &made.planted.truth;
        let wrong = timed(|| match contender {
            Contender::Method(settings) => differences(&chosen(made, settings), truth),
            Contender::WithoutFlags => {
                fit_without_flags(&made.planted.table, "y").differences(&made.planted)
            }
            Contender::Ceiling => differences(&best_of_size(made, truth.len()), truth),
        });
        wrong.map(|wrong| Outcome { wrong })
    }
}

fn best_of_size(made: &Made, size: usize) -> Support {
    let space = Search {
        min_terms: size,
        max_terms: size,
        keep: 1,
        ..Search::default()
    };
    best_supports(&made.reduction, space).swap_remove(0)
}

/// How many terms two supports do not share.
fn differences(a: &Support, b: &Support) -> usize {
    let not_in = |a: &Support, b: &Support| a.indices().iter().filter(|&&t| !b.contains(t)).count();
    not_in(a, b) + not_in(b, a)
}

impl Report for Polynomials {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let Self { seed, sets } = self;
        let mut text = format!(
            "exact recovery in % of {sets} random polynomials (and terms wrong on average), \
             seed {seed}\n\n{:<40} {:>14} {:>14} {:>14}\n",
            "method", "2 terms, N=20", "3 terms, N=65", "4 terms, N=95"
        );
        for (method, _) in self.methods() {
            let _ = write!(text, "{method:<40}");
            for n_terms in SIZES {
                let kind = Kind::Polynomial { n_terms };
                let own = lines
                    .iter()
                    .filter(|l| l.scenario.kind == kind && l.method == method);
                let wrong: Vec<usize> = own.map(|l| l.outcome.wrong).collect();
                let exact = wrong.iter().filter(|wrong| **wrong == 0).count();
                let share = 100.0 * exact as f64 / f64::from(*sets);
                let mean = wrong.iter().sum::<usize>() as f64 / f64::from(*sets);
                let mean = match method {
                    CEILING => String::new(),
                    _ => format!("({mean:.2})"),
                };
                let _ = write!(text, " {share:>7.0} {mean:>6}");
            }
            text.push('\n');
        }
        text
    }
}
