//! Noise that is not even: whether laws are found, and probabilities and error bars hold, with even
//! weights (`--noise even`), as `fit` does without any flag, and with ideal weights.

use std::fmt;
use std::fmt::Write as _;

use eqlearn::{Dictionary, Learned, Model, Problem, Request as Words, Table, reduce_table};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{normal, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::fit;
use crate::shapes::{Rows, Shape, quadratic};
use crate::{Report, Request};

/// The numbers of rows.
const ROWS: [usize; 3] = [50, 150, 500];

/// The column of weights.
const WEIGHTS: &str = "weight";

/// Half the width of an interval that holds 95 % of a normal distribution.
const Z95: f64 = 1.959_964;

#[derive(Debug)]
pub(crate) struct Unevens {
    seed: u64,
    sets: u32,
}

impl Unevens {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

/// What the target is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Target {
    /// A law with noise of some shape.
    Law(Shape),
    /// Noise alone, even or in proportion to a feature.
    EvenNoise,
    UnevenNoise,
}

impl Target {
    const ALL: [Self; 6] = [
        Self::Law(Shape::Normal),
        Self::Law(Shape::HeavyTailed),
        Self::Law(Shape::Uneven),
        Self::Law(Shape::Relative),
        Self::EvenNoise,
        Self::UnevenNoise,
    ];
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Law(shape) => write!(f, "law, {shape}"),
            Self::EvenNoise => f.write_str("noise alone, even"),
            Self::UnevenNoise => f.write_str("noise alone, uneven"),
        }
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    target: Target,
    n_obs: usize,
    seed: u64,
    number: u32,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            target,
            n_obs,
            seed,
            number,
        } = self;
        write!(f, "{target}, {n_obs} rows, number {number}, seed {seed}")
    }
}

/// How rows are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighing {
    /// All rows alike, in the plain dictionary.
    Even,
    /// As `fit` does without any flag.
    WithoutFlags,
    /// By the true noise of each row, in the plain dictionary.
    Ideal,
}

/// What was learned.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The probability of the answer, which may be that there is no equation.
    pub(crate) probability: f64,
    /// Whether the answer is right.
    pub(crate) right: bool,
    pub(crate) claims: bool,
    said_uneven: bool,
    /// Intervals of coefficients, where the law is right, and how many hold the true one.
    pub(crate) intervals: u32,
    pub(crate) covered: u32,
}

/// A table, and the law behind it.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) table: Table,
    deviations: Vec<f64>,
    terms: Vec<String>,
    /// The law with its true coefficients, from the target without noise.
    law: Option<Model>,
}

impl Scenario {
    fn make(&self) -> Made {
        let variant = u32::try_from(self.n_obs).expect("a moderate number");
        let place = Target::ALL.iter().position(|target| *target == self.target);
        let kind = 60 + u32::try_from(place.unwrap_or_default()).expect("a few");
        let mut rng = stream(self.seed, kind, variant, self.number);
        let rows = match self.target {
            Target::Law(shape) => quadratic(&mut rng, shape, self.n_obs),
            Target::EvenNoise | Target::UnevenNoise => {
                let mut column = || (0..self.n_obs).map(|_| normal(&mut rng)).collect();
                let features: Vec<Vec<f64>> = (0..3).map(|_| column()).collect();
                let even = self.target == Target::EvenNoise;
                let size = |x: &f64| if even { 1.0 } else { x.abs() };
                let deviations: Vec<f64> = features[0].iter().map(size).collect();
                let noise: Vec<f64> = column();
                Rows {
                    noisy: noise.iter().zip(&deviations).map(|(z, s)| z * s).collect(),
                    clean: vec![0.0; self.n_obs],
                    features,
                    sigma: 1.0,
                    deviations,
                    terms: Vec::new(),
                }
            }
        };
        made(rows)
    }
}

/// The table of these rows.
pub(crate) fn made(rows: Rows) -> Made {
    let names: Vec<String> = (1..=rows.features.len()).map(|i| format!("x{i}")).collect();
    let table = |target: &[f64]| {
        let named = names.iter().cloned().zip(rows.features.iter().cloned());
        let all = named.chain([("y".to_string(), target.to_vec())]).collect();
        Table::new(all).expect("finite columns of equal length")
    };
    let dictionary = Dictionary::monomials(&names, 4, 6, true).expect("the default dictionary");
    let of_law = |term: &usize| rows.terms.contains(&dictionary.terms()[*term].to_string());
    let support = (0..dictionary.len()).filter(of_law).collect();
    let problem = Problem::new("y", dictionary).expect("the target is no feature");
    let law = (!rows.terms.is_empty()).then(|| {
        let reduction = reduce_table(&problem, &table(&rows.clean)).expect("planted data reduce");
        Model::new(&problem, &reduction.fit(&support))
    });
    Made {
        table: table(&rows.noisy),
        deviations: rows.deviations,
        terms: rows.terms,
        law,
    }
}

/// The table with a column of weights.
fn weighted(table: &Table, weights: &[f64]) -> Table {
    let column = |name: &String| table.column(name).expect("its own column").to_vec();
    let columns = table
        .names()
        .iter()
        .map(|name| (name.clone(), column(name)));
    let all = columns.chain([(WEIGHTS.to_string(), weights.to_vec())]);
    Table::new(all.collect()).expect("finite columns of equal length")
}

impl Made {
    /// What an answer is worth; nothing where there was no time for one.
    pub(crate) fn outcome(&self, learned: Option<&Learned>) -> Outcome {
        let Some(Learned { study, noise, .. }) = learned else {
            return Outcome::default();
        };
        let model = study.model_or_empty();
        let claims = study.answer().is_some();
        let mut own = model.term_texts();
        let mut truth = self.terms.clone();
        own.sort_unstable();
        truth.sort_unstable();
        let is_sum = model.denominator().is_none() && model.left_side().transform().is_none();
        let right = is_sum && own == truth;
        let (mut intervals, mut covered) = (0, 0);
        if let (true, Some(law), Some(errors)) = (right, &self.law, model.std_errors()) {
            let texts = law.term_texts();
            let place = |term: &String| texts.iter().position(|text| text == term);
            for (i, term) in model.term_texts().iter().enumerate() {
                let truth = law.coefficients()[place(term).expect("it has the same terms")];
                intervals += 1;
                covered += u32::from((model.coefficients()[i] - truth).abs() <= Z95 * errors[i]);
            }
        }
        Outcome {
            probability: study.ranking().best().probability,
            right,
            claims,
            said_uneven: noise.uneven.is_some(),
            intervals,
            covered,
        }
    }
}

impl Experiment for Unevens {
    type Scenario = Scenario;
    type Method = Weighing;
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "uneven"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for target in Target::ALL {
            for n_obs in ROWS {
                all.extend((0..self.sets).map(|number| Scenario {
                    target,
                    n_obs,
                    seed: self.seed,
                    number,
                }));
            }
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, Weighing)> {
        vec![
            ("even", Weighing::Even),
            ("no flags", Weighing::WithoutFlags),
            ("ideal", Weighing::Ideal),
        ]
    }

    fn data(&self, scenario: &Scenario) -> Made {
        scenario.make()
    }

    fn run(&self, made: &Made, weighing: &Weighing, _: &GoOn<'_>) -> Timed<Outcome> {
        let plain = Words {
            target: Some("y".into()),
            vocabulary: Some("monomials".into()),
            noise: Some("even".into()),
            ..Words::default()
        };
        let learn = || match weighing {
            Weighing::Even => fit(&made.table, &plain),
            Weighing::WithoutFlags => {
                let request = Words {
                    target: Some("y".into()),
                    ..Words::default()
                };
                fit(&made.table, &request)
            }
            Weighing::Ideal => {
                let sizes = made.deviations.iter().copied();
                let least = sizes.fold(f64::INFINITY, f64::min);
                let precision = |s: &f64| (least / s).powi(2);
                let weights: Vec<f64> = made.deviations.iter().map(precision).collect();
                let request = Words {
                    weights: Some(WEIGHTS.into()),
                    ..plain.clone()
                };
                fit(&weighted(&made.table, &weights), &request)
            }
        };
        timed(learn).map(|learned| made.outcome(learned.as_ref()))
    }
}

impl Report for Unevens {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "laws of degree two with noise that is not even: by even weights, by fit without \
             flags, by ideal weights;\n{} tables each, seed {}\n\n{:<30} {:>5} {:<8} {:>6} \
             {:>7} {:>7} {:>9} {:>9}\n",
            self.sets,
            self.seed,
            "target",
            "rows",
            "weights",
            "right",
            "stated",
            "claims",
            "coverage",
            "uneven"
        );
        for target in Target::ALL {
            for n_obs in ROWS {
                for (method, _) in self.methods() {
                    let own = lines.iter().filter(|line| {
                        let Scenario {
                            target: t,
                            n_obs: n,
                            ..
                        } = line.scenario;
                        t == target && n == n_obs && line.method == method
                    });
                    let own: Vec<&Outcome> = own.map(|line| &line.outcome).collect();
                    let n = own.len() as f64;
                    let share = |is: &dyn Fn(&Outcome) -> bool| {
                        own.iter().filter(|o| is(o)).count() as f64 / n
                    };
                    let stated = own.iter().map(|o| o.probability).sum::<f64>() / n;
                    let intervals: u32 = own.iter().map(|o| o.intervals).sum();
                    let covered: u32 = own.iter().map(|o| o.covered).sum();
                    let _ = writeln!(
                        text,
                        "{:<30} {n_obs:>5} {method:<8} {:>6.2} {stated:>7.2} {:>7.2} {:>9.3} \
                         {:>9.2}",
                        target.to_string(),
                        share(&|o| o.right),
                        share(&|o| o.claims),
                        f64::from(covered) / f64::from(intervals.max(1)),
                        share(&|o| o.said_uneven),
                    );
                }
            }
        }
        text
    }
}
