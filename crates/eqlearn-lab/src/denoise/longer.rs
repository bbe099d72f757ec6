//! Whether the record that an answer asks for decides the terms that it leaves undecided.
//!
//! Where a record leaves terms undecided, the answer says how many times as long a record would
//! decide, or by how much noise would have to be smaller. Both are done: the motion goes on for as
//! long as was asked for, and the same duration is recorded with as little noise. A term counts as
//! decided if the second answer no longer names it.

use std::fmt::Write as _;

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Discover, Discovery, UndecidedTerm};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use super::Scenario;
use super::bench::{Bench, Grid};
use crate::learner::discovery;
use crate::{Report, Request};

/// Records that would have to be longer are not made.
const LONGEST: f64 = 6.0;
/// The places of second records begin here: their noise is that of no cell.
const SECOND: u32 = 1_000_000;
/// Of Lorenz's records the shortest, with 15, 20 and 30 % of noise.
const CELLS: [(u32, u32); 3] = [(0, 3), (0, 4), (0, 5)];

#[derive(Debug)]
pub(crate) struct Longer {
    bench: &'static Bench,
    seed: u64,
    sets: u32,
}

impl Longer {
    pub(crate) fn new(request: &Request) -> Self {
        Self {
            bench: &Grid::OdrBindy.benches()[0],
            seed: request.seed,
            sets: request.sets,
        }
    }

    fn discovery(&self, record: &Trajectories) -> Discovery {
        let dictionary = self
            .bench
            .known
            .dictionary(self.bench.degree, self.bench.degree);
        discovery(record, &dictionary, &Discover::default())
    }

    /// The terms that a second record leaves undecided.
    fn again(&self, scenario: &Scenario, (longer, quieter): (f64, f64)) -> Vec<UndecidedTerm> {
        let Scenario {
            length,
            level,
            number,
            seed,
            ..
        } = *scenario;
        let sigma = self.bench.sigma((length, level), seed, number) / quieter;
        let duration = self.bench.durations[length as usize] * longer;
        let place = SECOND + 100 * number + 10 * level + length;
        let record = self
            .bench
            .recorded_for(duration, sigma, place, (seed, number));
        undecided(&self.discovery(&record))
    }
}

fn undecided(found: &Discovery) -> Vec<UndecidedTerm> {
    let denoised = found.choice().denoised.as_ref();
    denoised.map_or(Vec::new(), |denoised| denoised.undecided.clone())
}

/// One undecided term.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Named {
    /// How many times as long a record would decide, as the answer says.
    longer: f64,
    /// Whether a record as long decides, and one with as little noise.
    by_length: bool,
    by_noise: bool,
}

/// The undecided terms of one record for which a record of at most the longest length was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    terms: Vec<Named>,
    /// How many others there were.
    others: usize,
}

impl Experiment for Longer {
    type Scenario = Scenario;
    type Method = ();
    type Data = (Scenario, Trajectories);
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "longer"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let cell = |(length, level)| {
            (0..self.sets).map(move |number| Scenario {
                system: self.bench.known.name.to_string(),
                length,
                level,
                number,
                seed: self.seed,
            })
        };
        CELLS.into_iter().flat_map(cell).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("together", ())]
    }

    fn data(&self, scenario: &Scenario) -> Self::Data {
        let cell = (scenario.length, scenario.level);
        let record = self.bench.recorded(cell, scenario.seed, scenario.number);
        (scenario.clone(), record)
    }

    fn run(&self, (scenario, record): &Self::Data, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        timed(|| {
            let all = undecided(&self.discovery(record));
            let mut terms = Vec::new();
            for one in &all {
                let Some(longer) = one.longer.filter(|longer| *longer <= LONGEST) else {
                    continue;
                };
                let is_same =
                    |other: &UndecidedTerm| (&other.state, &other.term) == (&one.state, &one.term);
                let decides = |by| !self.again(scenario, by).iter().any(is_same);
                terms.push(Named {
                    longer,
                    by_length: decides((longer, 1.0)),
                    by_noise: decides((1.0, longer.sqrt())),
                });
            }
            Outcome {
                others: all.len() - terms.len(),
                terms,
            }
        })
    }
}

impl Report for Longer {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "terms of Lorenz's system with T = 4 that a record leaves undecided, {} draws a cell,\n\
             seed {}: how many, with a record of at most {LONGEST} times the length asked for;\n\
             the median length asked for; terms that such a record decides in %, and that noise\n\
             smaller by the root of it decides\n\n\
             {:>6} {:>6} {:>7} {:>7} {:>10} {:>9}\n",
            self.sets, self.seed, "noise", "terms", "others", "longer", "by length", "by noise"
        );
        for cell in CELLS {
            let own = lines
                .iter()
                .filter(|line| (line.scenario.length, line.scenario.level) == cell);
            let own: Vec<&Outcome> = own.map(|line| &line.outcome).collect();
            let terms: Vec<&Named> = own.iter().flat_map(|outcome| &outcome.terms).collect();
            let share = |is: &dyn Fn(&Named) -> bool| {
                let all = terms.iter().filter(|term| is(term)).count();
                100.0 * all as f64 / terms.len().max(1) as f64
            };
            let _ = writeln!(
                text,
                "{:>6} {:>6} {:>7} {:>7.1} {:>10.0} {:>9.0}",
                100.0 * self.bench.noise.shares()[cell.1 as usize],
                terms.len(),
                own.iter().map(|outcome| outcome.others).sum::<usize>(),
                super::median(terms.iter().map(|term| term.longer)),
                share(&|term| term.by_length),
                share(&|term| term.by_noise),
            );
        }
        text
    }
}
