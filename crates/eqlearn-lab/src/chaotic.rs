//! Many chaotic systems: how often the whole system is right, at six levels of noise.
//!
//! The systems are those of W. Gilpin's collection `dysts` with three or four states whose
//! equations are polynomials of degree four at most, none with more than eight terms;
//! `data/chaotic.txt` has their equations, a period, and a state on or near the attractor. The
//! protocol is that of Kaptanoglu et al., *Benchmarking sparse system identification with
//! low-dimensional chaos* (2023): five records of ten periods with 100 samples
//! each, and a dictionary of all monomials up to degree four (35 or 70 terms). Noise is normal and
//! independent, with the same standard deviation for all states: a share of their root mean square
//! over all records. The solutions are our own, from starts that are drawn along one long solution.
//!
//! Each equation is learned by itself, or the whole system as without any flag. A system counts as
//! found if every equation has exactly the true terms.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use eqlearn::data::trajectory::{Record, TimeFeature, Trajectories};
use eqlearn::dynamics::simulate::{End, Simulate, simulate};
use eqlearn::{Denoise, Dictionary, Discover, Discovery, LeftSide, Model, System};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{normal, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::learner::discovery;
use crate::{Report, Request};

/// For each system a line with its name, a period and a state, then its equations.
const LIST: &str = include_str!("../data/chaotic.txt");
/// Noise in units of the root mean square of all states.
const NOISE: [f64; NOISE_LEVELS as usize] = [0.0, 0.001, 0.01, 0.025, 0.05, 0.1];
/// How many these are.
const NOISE_LEVELS: u32 = 6;
/// Records of each system.
const RECORDS: usize = 5;
/// Samples of each record.
const N_OBS: usize = 1000;
/// Samples in a period.
const PER_PERIOD: f64 = 100.0;
/// Periods until the first record, and from one record's earliest start to the next one's.
const AGE: f64 = 20.0;
/// Starts are drawn from so many periods.
const SPAN: f64 = 9.0;
/// The degree of the dictionary.
const DEGREE: u32 = 4;
/// The key of the random numbers of this list; other lists have others.
const STREAM: u32 = 40;
/// The names of states, in order.
const STATES: [&str; 4] = ["x", "y", "z", "w"];

/// A system as it stands in the list.
#[derive(Debug, Clone, PartialEq)]
struct Chaotic {
    name: &'static str,
    period: f64,
    start: Vec<f64>,
    /// The terms of each equation with their coefficients.
    equations: Vec<Vec<(&'static str, f64)>>,
}

impl Chaotic {
    /// All systems of the list.
    fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in LIST.lines() {
            if let Some(equation) = line.strip_prefix("  ") {
                let last = all.last_mut().expect("a name comes first");
                last.equations
                    .push(equation.split(' ').map(summand).collect());
                continue;
            }
            let mut words = line.split(' ');
            let name = words.next().expect("a line has a word");
            let mut numbers = words.map(|word| word.parse().expect("a number"));
            all.push(Self {
                name,
                period: numbers.next().expect("a period"),
                start: numbers.collect(),
                equations: Vec::new(),
            });
        }
        all
    }

    fn states(&self) -> &'static [&'static str] {
        &STATES[..self.equations.len()]
    }

    fn system(&self) -> System {
        let model = |(state, terms): (&&str, &Vec<(&str, f64)>)| {
            let names = terms.iter().map(|term| term.0);
            let dictionary = Dictionary::parse(self.states().iter().copied(), names);
            let left = LeftSide::Flow {
                state: (*state).to_string(),
            };
            let coefficients: Vec<f64> = terms.iter().map(|term| term.1).collect();
            Model::given(left, dictionary.expect("good terms"), &coefficients)
        };
        let models = self.states().iter().zip(&self.equations).map(model);
        let models = models.collect::<Result<Vec<Model>, _>>();
        System::from_models(models.expect("a coefficient a term")).expect("one equation a state")
    }

    fn dictionary(&self) -> Dictionary {
        let states = self.states().iter().copied();
        Dictionary::monomials(states, DEGREE, DEGREE, true).expect("good names")
    }

    /// Its records without noise: times from zero, and the states of each.
    fn solution(&self, seed: u64, place: u32) -> (Vec<f64>, Vec<Vec<Vec<f64>>>) {
        let mut rng = stream(seed, STREAM, place, 0);
        let step = self.period / PER_PERIOD;
        let times: Vec<f64> = (0..N_OBS).map(|i| step * i as f64).collect();
        let mut all = vec![0.0];
        for record in 0..RECORDS {
            let first = AGE * (record + 1) as f64 + SPAN * rng.random_range(0.0..1.0);
            all.extend(times.iter().map(|t| first * self.period + t));
        }
        let settings = Simulate {
            tolerance: 1e-12,
            ..Simulate::default()
        };
        let made = simulate(&self.system(), &self.start, &all, &settings);
        let made = made.expect("a start for each state");
        assert_eq!(
            made.end,
            End::Reached,
            "{} stays on its attractor",
            self.name
        );
        let record = |record: usize| -> Vec<Vec<f64>> {
            let states = made.states.iter();
            states
                .map(|x| x[1 + record * N_OBS..][..N_OBS].to_vec())
                .collect()
        };
        (times, (0..RECORDS).map(record).collect())
    }

    /// Its records at a level of noise.
    fn recorded(&self, seed: u64, place: u32, level: u32) -> Trajectories {
        let (times, mut records) = self.solution(seed, place);
        let mut rng = stream(seed, STREAM, place, 1 + level);
        let (mut squares, mut count) = (0.0_f64, 0.0_f64);
        for value in records.iter().flatten().flatten() {
            squares += value * value;
            count += 1.0;
        }
        let sigma = NOISE[level as usize] * (squares / count).sqrt();
        for value in records.iter_mut().flatten().flatten() {
            *value += sigma * normal(&mut rng);
        }
        let record = |(number, states): (usize, Vec<Vec<f64>>)| Record {
            name: format!("run {number}"),
            times: times.clone(),
            states,
            inputs: Vec::new(),
        };
        let records = records.into_iter().enumerate().map(record).collect();
        Trajectories::new("t", self.states(), &[] as &[&str], TimeFeature::No, records)
            .expect("made data are good")
    }

    /// What a discovery came to.
    fn judge(&self, found: &Discovery) -> Outcome {
        let terms = |model: Option<Model>| model.map_or_else(Vec::new, |model| model.term_texts());
        let found_terms: Vec<Vec<String>> = (0..self.equations.len())
            .map(|state| terms(found.model(state)))
            .collect();
        let is_right = |(own, truth): (&Vec<String>, &Vec<(&str, f64)>)| {
            own.len() == truth.len() && truth.iter().all(|term| own.iter().any(|t| t == term.0))
        };
        let both = found_terms.iter().zip(&self.equations);
        let right = both.map(is_right).collect();
        let probability = |study: &eqlearn::Study| study.answer().map_or(0.0, |a| a.probability);
        Outcome {
            terms: found_terms,
            right,
            probabilities: found.studies().iter().map(probability).collect(),
            began_again: found
                .choice()
                .why
                .iter()
                .any(|why| why.contains("began again")),
        }
    }
}

/// A term and its coefficient: `+2*x`, `-x`, `+0.2`.
fn summand(text: &'static str) -> (&'static str, f64) {
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(constant) = number(text) {
        return ("1", constant);
    }
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match text
        .split_once('*')
        .map(|(first, rest)| (number(first), rest))
    {
        Some((Some(coefficient), rest)) => (rest, coefficient),
        _ => (&text[1..], sign),
    }
}

#[derive(Debug)]
pub(crate) struct ManyChaotic {
    seed: u64,
    denoise: Denoise,
    systems: Vec<Chaotic>,
}

impl ManyChaotic {
    pub(crate) fn new(request: &Request, denoise: Denoise) -> Self {
        Self {
            seed: request.seed,
            denoise,
            systems: Chaotic::all(),
        }
    }
}

/// The records of one system with one level of noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    system: String,
    /// Its place in the list, a part of the key of its noise.
    place: u32,
    /// The place of the noise.
    level: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            level,
            seed,
            ..
        } = self;
        write!(f, "{system}, noise {level}, seed {seed}")
    }
}

/// Records and the system that made them.
pub(crate) struct Recorded {
    known: Chaotic,
    trajectories: Trajectories,
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The terms of each equation.
    terms: Vec<Vec<String>>,
    /// Which equations have exactly the true terms.
    right: Vec<bool>,
    /// How probable each is, as printed.
    probabilities: Vec<f64>,
    /// Whether the searches led elsewhere from another start.
    began_again: bool,
}

impl Experiment for ManyChaotic {
    type Scenario = Scenario;
    type Method = Denoise;
    type Data = Recorded;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        match self.denoise {
            Denoise::Off => "chaotic-separately",
            _ => "chaotic",
        }
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        // The cheap ones last.
        for level in (0..NOISE_LEVELS).rev() {
            all.extend((0..).zip(&self.systems).map(|(place, known)| Scenario {
                system: known.name.to_string(),
                place,
                level,
                seed: self.seed,
            }));
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, Denoise)> {
        vec![("best", self.denoise)]
    }

    fn data(&self, scenario: &Scenario) -> Recorded {
        let known = &self.systems[scenario.place as usize];
        Recorded {
            trajectories: known.recorded(scenario.seed, scenario.place, scenario.level),
            known: known.clone(),
        }
    }

    fn run(&self, recorded: &Recorded, method: &Denoise, _: &GoOn<'_>) -> Timed<Outcome> {
        let dictionary = recorded.known.dictionary();
        let settings = Discover {
            denoise: *method,
            ..Discover::default()
        };
        timed(|| discovery(&recorded.trajectories, &dictionary, &settings))
            .map(|found| recorded.known.judge(&found))
    }
}

impl Report for ManyChaotic {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "chaotic systems with exactly the true terms of {}, by noise in % of the root mean\n\
             square of all states; of those, systems that were found from another start, and\n\
             others that began again; equations of which more than .995 is said, and how many\n\
             of those are wrong; seed {}\n\n\
             {:>5} {:>6} {:>13} {:>7} {:>6} {:>6}\n",
            self.systems.len(),
            self.seed,
            "noise",
            "right",
            "other start",
            "others",
            "sure",
            "wrong"
        );
        let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (level, noise) in (0..).zip(NOISE) {
            let own = |line: &&LineOf<Self>| line.scenario.level == level;
            let own: Vec<&Outcome> = lines.iter().filter(own).map(|line| &line.outcome).collect();
            let (right, wrong): (Vec<&Outcome>, Vec<_>) =
                own.iter().partition(|outcome| outcome.is_right());
            let again = |of: &[&Outcome]| of.iter().filter(|outcome| outcome.began_again).count();
            let sure: Vec<bool> = own.iter().flat_map(|outcome| sure(outcome)).collect();
            let _ = writeln!(
                text,
                "{:>5} {:>6} {:>13} {:>7} {:>6} {:>6}",
                100.0 * noise,
                right.len(),
                again(&right),
                again(&wrong),
                sure.len(),
                sure.iter().filter(|right| !**right).count()
            );
            for line in lines.iter().filter(|line| line.scenario.level == level) {
                if !line.outcome.is_right() {
                    let levels = missed.entry(&line.scenario.system).or_default();
                    levels.push(format!("{}", 100.0 * noise));
                }
            }
        }
        text.push_str("\nmissed, with the noise at which\n");
        for (system, levels) in missed {
            let _ = writeln!(text, "{system:<24} {}", levels.join(", "));
        }
        text
    }
}

impl Outcome {
    fn is_right(&self) -> bool {
        self.right.iter().all(|right| *right)
    }
}

/// Whether each equation that is nearly sure is right.
fn sure(outcome: &Outcome) -> impl Iterator<Item = bool> {
    let both = outcome.right.iter().zip(&outcome.probabilities);
    both.filter(|(_, probability)| **probability > 0.995)
        .map(|(right, _)| *right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_reads_as_it_is_written() {
        let all = Chaotic::all();
        assert_eq!(all.len(), 79);
        assert_eq!(
            all[0].equations,
            [
                vec![("x", -10.0), ("y", 10.0)],
                vec![("x*z", -1.0), ("x", 28.0), ("y", -1.0)],
                vec![("x*y", 1.0), ("z", -2.667)],
            ]
        );
        assert_eq!(all[1].equations[0][3], ("1", 6.3756));
        for known in &all {
            assert_eq!(known.start.len(), known.equations.len(), "{}", known.name);
            let dictionary = known.dictionary();
            for (term, _) in known.equations.iter().flatten() {
                let is_there = dictionary.terms().iter().any(|t| t.to_string() == *term);
                assert!(is_there, "{term} of {}", known.name);
            }
        }
    }

    /// One step of the classical Runge–Kutta method.
    fn step(slope: &dyn Fn(&[f64]) -> Vec<f64>, at: &[f64], h: f64) -> Vec<f64> {
        let moved = |by: &[f64], h: f64| -> Vec<f64> {
            at.iter().zip(by).map(|(x, slope)| x + h * slope).collect()
        };
        let a = slope(at);
        let b = slope(&moved(&a, 0.5 * h));
        let c = slope(&moved(&b, 0.5 * h));
        let d = slope(&moved(&c, h));
        let mean = |i: usize| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
        at.iter()
            .enumerate()
            .map(|(i, x)| x + h * mean(i))
            .collect()
    }

    #[test]
    fn solutions_obey_their_equations_from_one_sample_to_the_next() {
        const STEPS: usize = 400;
        for (place, known) in (0..).zip(Chaotic::all()) {
            let (times, records) = known.solution(1, place);
            let evaluator = known.system().evaluator();
            let slope = |at: &[f64]| {
                let mut slope = vec![0.0; at.len()];
                evaluator.slope(at, &mut slope);
                slope
            };
            for record in &records {
                let mut at: Vec<f64> = record.iter().map(|x| x[500]).collect();
                for _ in 0..STEPS {
                    at = step(&slope, &at, times[1] / STEPS as f64);
                }
                for (x, at) in record.iter().zip(&at) {
                    let size = x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
                    let error = (x[501] - at).abs() / size;
                    assert!(error < 1e-5, "{}: {error}", known.name);
                }
            }
        }
    }

    #[test]
    fn other_starts_find_what_the_first_misses() {
        let request = Request {
            seed: 1,
            sets: 1,
            rows: eqlearn::RowScheme::Auto,
            method: eqlearn::Method::Best,
            out: None,
            threads: 1,
            system: None,
        };
        let experiment = ManyChaotic::new(&request, Denoise::Off);
        let of = |name: &str, level: u32| {
            let all = experiment.scenarios();
            let scenario = all.iter().find(|s| s.system == name && s.level == level);
            let recorded = experiment.data(scenario.unwrap());
            let go_on = || std::ops::ControlFlow::Continue(());
            experiment.run(&recorded, &Denoise::Off, &go_on).value
        };
        let noisy = of("KawczynskiStrizhak", 5);
        assert!(noisy.began_again && noisy.is_right(), "{:?}", noisy.terms);
        let clean = of("KawczynskiStrizhak", 0);
        assert!(!clean.began_again && clean.is_right(), "{:?}", clean.terms);
    }
}
