//! Partial differential equations from grids with noise: how often exactly the true terms are
//! found, and how large the worst error of a coefficient is.
//!
//! Fields come from a spectral solver or a closed form. Noise is normal and independent, a share of
//! the root mean square of each quantity. Dictionaries have all derivatives up to the sixth of all
//! powers up to the sixth: 43 terms, or 190 of two quantities. A draw counts as found if the
//! equations of all quantities have exactly the true terms.

mod bench;
mod solver;

use std::fmt::{self, Write as _};

use eqlearn::data::field::{Field, Quantity};
use eqlearn::fields::dictionary::Derivatives;
use eqlearn::fields::names::Names;
use eqlearn::search::Run;
use eqlearn::{DiscoverField, FieldDiscovery, discover_field};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{normal, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::{Report, Request};
use bench::{BENCHES, Bench};

/// Noise as a share of the root mean square.
const LEVELS: [f64; 5] = [0.0, 0.01, 0.1, 0.5, 1.0];

/// The stream of random numbers that the noise is from.
const STREAM: u32 = 80;

#[derive(Debug)]
pub(crate) struct Fields {
    seed: u64,
    sets: u32,
}

impl Fields {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

/// One draw of the noise of one equation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    equation: String,
    /// The place of its noise.
    level: u32,
    number: u32,
    seed: u64,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            equation,
            level,
            number,
            seed,
        } = self;
        write!(f, "{equation}, noise {level}, set {number}, seed {seed}")
    }
}

/// A field with noise and its law.
pub(crate) struct Noisy {
    bench: &'static Bench,
    field: Field,
}

/// What was found of one field.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Whether all equations have exactly the true terms.
    exact: bool,
    /// The largest relative error of a coefficient, where they have.
    error: f64,
    /// How many intervals of 95 % hold the true coefficient, and how many there are, where they
    /// have.
    held: usize,
    intervals: usize,
    /// The terms that were found, where they are not the true ones.
    wrong: String,
}

impl Experiment for Fields {
    type Scenario = Scenario;
    type Method = ();
    type Data = Noisy;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "fields"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for bench in &BENCHES {
            for (level, noise) in (0_u32..).zip(LEVELS) {
                let draws = if noise > 0.0 { self.sets } else { 1 };
                all.extend((0..draws).map(|number| Scenario {
                    equation: bench.name.to_string(),
                    level,
                    number,
                    seed: self.seed,
                }));
            }
        }
        all
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("discover", ())]
    }

    fn data(&self, scenario: &Scenario) -> Noisy {
        let bench = BENCHES.iter().find(|bench| bench.name == scenario.equation);
        let bench = bench.expect("one of the equations");
        let clean = bench.data();
        let mut random = stream(scenario.seed, STREAM, scenario.level, scenario.number);
        let share = LEVELS[scenario.level as usize];
        let quantities = clean.quantities().iter().map(|quantity| {
            let n = quantity.values.len() as f64;
            let rms = (quantity.values.iter().map(|u| u * u).sum::<f64>() / n).sqrt();
            let noisy = |u: &f64| u + share * rms * normal(&mut random);
            Quantity {
                name: quantity.name.clone(),
                values: quantity.values.iter().map(noisy).collect(),
            }
        });
        let quantities = quantities.collect();
        let field = Field::new(clean.name(), clean.axes().to_vec(), quantities);
        Noisy {
            bench,
            field: field.expect("noise changes no grid"),
        }
    }

    fn run(&self, noisy: &Noisy, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let terms = Derivatives {
            max_order: noisy.bench.order,
            max_power: noisy.bench.power,
            ..Derivatives::default()
        };
        let names = Names::of(&noisy.field).expect("good names");
        let dictionary = terms.dictionary(&names).expect("a small dictionary");
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let field = std::slice::from_ref(&noisy.field);
        let settings = DiscoverField::default();
        timed(|| discover_field(field, &dictionary, &settings, &run, &mut ()))
            .map(|found| judge(noisy.bench, &found.expect("made data can be searched")))
    }
}

fn judge(bench: &Bench, found: &FieldDiscovery) -> Outcome {
    let mut outcome = Outcome {
        exact: true,
        error: 0.0,
        held: 0,
        intervals: 0,
        wrong: String::new(),
    };
    for (quantity, law) in bench.laws.iter().enumerate() {
        let Some(model) = found.model(quantity) else {
            outcome.exact = false;
            outcome.wrong.push_str("none; ");
            continue;
        };
        let texts = model.term_texts();
        let truth = |text: &String| law.iter().find(|(term, _)| term == text);
        if texts.len() != law.len() || !texts.iter().all(|text| truth(text).is_some()) {
            outcome.exact = false;
            let _ = write!(outcome.wrong, "{}; ", texts.join(", "));
            continue;
        }
        let errors = model.std_errors().unwrap_or_default();
        for ((text, w), error) in texts.iter().zip(model.coefficients()).zip(errors) {
            let truth = truth(text).expect("it was found").1;
            outcome.error = outcome.error.max((w / truth - 1.0).abs());
            outcome.held += usize::from((w - truth).abs() <= 1.96 * error);
            outcome.intervals += 1;
        }
    }
    outcome
}

impl Report for Fields {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "fields whose equations all have exactly the true terms, by noise in % of the root\n\
             mean square, {} draws a cell (one without noise), seed {}; the median and the\n\
             largest of the worst relative error of a coefficient where they have; WSINDy's error\n\
             where it was published; the 95 % intervals that hold the truth in %\n\n",
            self.sets, self.seed
        );
        let _ = writeln!(
            text,
            "{:<21} {:>5} {:>7} {:>8} {:>8} {:>8} {:>9}",
            "equation", "noise", "exact", "median", "largest", "WSINDy", "intervals"
        );
        for bench in &BENCHES {
            for (level, noise) in (0_u32..).zip(LEVELS) {
                let cell = lines.iter().filter(|line| {
                    line.scenario.equation == bench.name && line.scenario.level == level
                });
                let cell: Vec<&LineOf<Self>> = cell.collect();
                if !cell.is_empty() {
                    write_cell(&mut text, bench, noise, &cell);
                }
            }
        }
        text
    }
}

fn write_cell(text: &mut String, bench: &Bench, noise: f64, cell: &[&LineOf<Fields>]) {
    let outcomes: Vec<&Outcome> = cell.iter().map(|line| &line.outcome).collect();
    let exact: Vec<&&Outcome> = outcomes.iter().filter(|outcome| outcome.exact).collect();
    let mut errors: Vec<f64> = exact.iter().map(|outcome| outcome.error).collect();
    errors.sort_by(f64::total_cmp);
    let shown = |error: Option<&f64>| error.map_or("-".into(), |error| format!("{error:.1e}"));
    let published = bench
        .published
        .iter()
        .find(|(level, _)| (level - noise).abs() < 1e-9);
    let held: usize = exact.iter().map(|outcome| outcome.held).sum();
    let intervals: usize = exact.iter().map(|outcome| outcome.intervals).sum();
    let held = match intervals {
        0 => "-".into(),
        n if noise > 0.0 => format!("{:.0}", 100.0 * held as f64 / n as f64),
        _ => "-".into(),
    };
    let _ = writeln!(
        text,
        "{:<21} {:>5} {:>7} {:>8} {:>8} {:>8} {:>9}",
        bench.name,
        100.0 * noise,
        format!("{}/{}", exact.len(), cell.len()),
        shown(errors.get(errors.len() / 2)),
        shown(errors.last()),
        shown(published.map(|(_, error)| error)),
        held
    );
}
