//! Laws that are fractions of two sums: how often they are found at several noise levels.

use std::fmt;
use std::fmt::Write as _;

use eqlearn::Dictionary;
use eqlearn::beyond::fraction::{Form, Fraction, FractionSettings, Rows, fractions};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{normal, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::{Report, Request};

/// Noise, in units of the standard deviation of the target.
const NOISE: [f64; 3] = [0.0, 1e-3, 1e-2];

const ROWS: usize = 1000;

/// The only method: all monomials up to degree 3 above and below.
const DEGREE_3: &str = "degree 3 over degree 3";

/// A law with its terms above and below, and the ranges of its features.
struct Known {
    name: &'static str,
    features: &'static [(&'static str, f64, f64)],
    law: fn(&[f64]) -> f64,
    above: &'static [&'static str],
    below: &'static [&'static str],
}

const LAWS: [Known; 10] = [
    Known {
        name: "(u + v)/(1 + u v/c²)",
        features: &[("u", 0.1, 0.9), ("v", 0.1, 0.9), ("c", 1.0, 2.0)],
        law: |x| (x[0] + x[1]) / (1.0 + x[0] * x[1] / (x[2] * x[2])),
        above: &["u*c^2", "v*c^2"],
        below: &["u*v", "c^2"],
    },
    Known {
        name: "(m1 r1 + m2 r2)/(m1 + m2)",
        features: &[
            ("m1", 1.0, 5.0),
            ("r1", 1.0, 5.0),
            ("m2", 1.0, 5.0),
            ("r2", 1.0, 5.0),
        ],
        law: |x| (x[0] * x[1] + x[2] * x[3]) / (x[0] + x[2]),
        above: &["m1*r1", "m2*r2"],
        below: &["m1", "m2"],
    },
    Known {
        name: "1 + n a/(1 − n a/3)",
        features: &[("n", 0.1, 1.0), ("a", 0.1, 1.0)],
        law: |x| 1.0 + x[0] * x[1] / (1.0 - x[0] * x[1] / 3.0),
        above: &["1", "n*a"],
        below: &["1", "n*a"],
    },
    Known {
        name: "v s/(k + s)",
        features: &[("v", 1.0, 5.0), ("s", 0.1, 5.0), ("k", 0.5, 3.0)],
        law: |x| x[0] * x[1] / (x[2] + x[1]),
        above: &["v*s"],
        below: &["s", "k"],
    },
    Known {
        name: "s²/(k² + s²)",
        features: &[("s", 0.1, 5.0), ("k", 0.5, 3.0)],
        law: |x| x[0] * x[0] / (x[1] * x[1] + x[0] * x[0]),
        above: &["s^2"],
        below: &["s^2", "k^2"],
    },
    Known {
        name: "p V/(g − 1)",
        features: &[("p", 1.0, 5.0), ("V", 1.0, 5.0), ("g", 1.2, 3.0)],
        law: |x| x[0] * x[1] / (x[2] - 1.0),
        above: &["p*V"],
        below: &["1", "g"],
    },
    Known {
        name: "w/(1 − v/c)",
        features: &[("w", 1.0, 5.0), ("v", 1.0, 2.0), ("c", 3.0, 10.0)],
        law: |x| x[0] / (1.0 - x[1] / x[2]),
        above: &["w*c"],
        below: &["v", "c"],
    },
    Known {
        name: "a b/(b + n a), lenses",
        features: &[("a", 1.0, 5.0), ("b", 1.0, 5.0), ("n", 1.0, 5.0)],
        law: |x| 1.0 / (1.0 / x[0] + x[2] / x[1]),
        above: &["a*b"],
        below: &["b", "a*n"],
    },
    Known {
        name: "q E/(m (w0² − w²))",
        features: &[
            ("qE", 1.0, 3.0),
            ("m", 1.0, 3.0),
            ("w0", 3.0, 5.0),
            ("w", 1.0, 2.0),
        ],
        law: |x| x[0] / (x[1] * (x[2] * x[2] - x[3] * x[3])),
        above: &["qE"],
        below: &["m*w0^2", "m*w^2"],
    },
    Known {
        name: "2.1 s/(0.7 + s + 0.3 s²)",
        features: &[("s", 0.1, 5.0)],
        law: |x| 2.1 * x[0] / (0.7 + x[0] + 0.3 * x[0] * x[0]),
        above: &["s"],
        below: &["1", "s", "s^2"],
    },
];

/// One table of a law at a noise level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    law: usize,
    noise: f64,
    seed: u64,
    number: u32,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, noise) = (LAWS[self.law].name, self.noise);
        write!(
            f,
            "number {} of {name}, noise {noise}, seed {}",
            self.number, self.seed
        )
    }
}

#[derive(Debug)]
pub(crate) struct Fractions {
    seed: u64,
    sets: u32,
}

/// Columns of a table.
#[derive(Debug)]
pub(crate) struct Made {
    law: usize,
    features: Vec<String>,
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
}

/// What came out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Whether the best law is the true one, or a form of it.
    is_right: bool,
    /// Whether the true law is listed at all.
    is_listed: bool,
    /// The log odds of the best law against the next.
    lead: f64,
    /// The best law.
    law: String,
}

impl Fractions {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

impl Experiment for Fractions {
    type Scenario = Scenario;
    type Method = ();
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "fractions"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let seed = self.seed;
        let of_law = |law: usize, noise: f64| {
            (0..self.sets).map(move |number| Scenario {
                law,
                noise,
                seed,
                number,
            })
        };
        let laws = 0..LAWS.len();
        let cells = laws.flat_map(|law| NOISE.map(|noise| (law, noise)));
        cells.flat_map(|(law, noise)| of_law(law, noise)).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![(DEGREE_3, ())]
    }

    fn data(&self, scenario: &Scenario) -> Made {
        let known = &LAWS[scenario.law];
        let law = u32::try_from(scenario.law).expect("few laws");
        let mut rng = stream(
            scenario.seed ^ scenario.noise.to_bits(),
            9,
            law,
            scenario.number,
        );
        let ranges = known.features.iter();
        let columns: Vec<Vec<f64>> = ranges
            .map(|&(_, low, high)| (0..ROWS).map(|_| rng.random_range(low..high)).collect())
            .collect();
        let row = |i: usize| columns.iter().map(|column| column[i]).collect::<Vec<f64>>();
        let exact: Vec<f64> = (0..ROWS).map(|i| (known.law)(&row(i))).collect();
        let mean = exact.iter().sum::<f64>() / ROWS as f64;
        let squares = exact.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
        let sd = scenario.noise * (squares / ROWS as f64).sqrt();
        Made {
            law: scenario.law,
            features: known.features.iter().map(|f| f.0.to_string()).collect(),
            target: exact.iter().map(|y| y + sd * normal(&mut rng)).collect(),
            columns,
        }
    }

    fn run(&self, made: &Made, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let terms = || Dictionary::monomials(made.features.clone(), 3, 3, true).expect("few terms");
        let settings = FractionSettings::new(terms(), terms());
        let columns: Vec<&[f64]> = made.columns.iter().map(Vec::as_slice).collect();
        let rows = Rows {
            features: &made.features,
            columns: &columns,
            target: &made.target,
            weights: None,
        };
        let found = timed(|| fractions(&rows, &settings, &mut ()).expect("all terms have values"));
        found.map(|found| outcome(&LAWS[made.law], &found, &settings))
    }
}

fn outcome(known: &Known, found: &[Fraction], settings: &FractionSettings) -> Outcome {
    let is_true = |form: &Form| texts(form, settings) == (owned(known.above), owned(known.below));
    let is_right = |law: &Fraction| is_true(&law.form) || law.equivalents.iter().any(&is_true);
    let law = found.first().map(|law| {
        let (above, below) = texts(&law.form, settings);
        format!("({})/({})", above.join(", "), below.join(", "))
    });
    Outcome {
        is_right: found.first().is_some_and(is_right),
        is_listed: found.iter().any(is_right),
        lead: match found {
            [first, second, ..] => first.score - second.score,
            _ => f64::MAX,
        },
        law: law.unwrap_or_default(),
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn texts(form: &Form, settings: &FractionSettings) -> (Vec<String>, Vec<String>) {
    let text = |dictionary: &Dictionary, terms: &[usize]| -> Vec<String> {
        terms
            .iter()
            .map(|&term| dictionary.terms()[term].to_string())
            .collect()
    };
    (
        text(&settings.numerator, &form.numerator),
        text(&settings.denominator, &form.denominator),
    )
}

impl Report for Fractions {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let Self { seed, sets } = self;
        let mut text = format!(
            "fractions found exactly, in % of {sets} tables of {ROWS} rows (listed at all), \
             {DEGREE_3}, seed {seed}\n\n{:<30}",
            "law"
        );
        for noise in NOISE {
            let _ = write!(text, " {:>14}", format!("noise {noise}"));
        }
        text.push('\n');
        for (law, known) in LAWS.iter().enumerate() {
            let _ = write!(text, "{:<30}", known.name);
            for noise in NOISE {
                let own = || {
                    let of_law = lines.iter().filter(|l| l.scenario.law == law);
                    of_law.filter(|l| l.scenario.noise.total_cmp(&noise).is_eq())
                };
                let share = |count: usize| 100.0 * count as f64 / f64::from(*sets);
                let right = share(own().filter(|l| l.outcome.is_right).count());
                let listed = share(own().filter(|l| l.outcome.is_listed).count());
                let _ = write!(text, " {right:>6.0} ({listed:>3.0}) ");
            }
            text.push('\n');
        }
        text
    }
}
