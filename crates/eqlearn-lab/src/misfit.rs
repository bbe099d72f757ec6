//! Whether the misfit tells laws inside the dictionary from laws outside it.
//!
//! Each table is learned as `eqlearn fit` does it. Inside, without any flag, a misfit of the answer
//! is a false alarm. Outside, with `--vocabulary monomials`, it is what should be said.

use std::fmt;
use std::fmt::Write as _;

use eqlearn::{Problem, Study, Support, Table, reduce_table};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::known::{polynomial, stream};
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::learner::fitted;
use crate::said::{Count, SAID, Said, VISIBLE};
use crate::shapes::{Law, Rows, Shape, quadratic};
use crate::{Report, Request};

/// The numbers of rows of laws inside.
const ROWS_INSIDE: [usize; 5] = [20, 50, 150, 500, 2000];

/// The numbers of rows and the noise, in units of the target's spread, of laws outside.
const ROWS_OUTSIDE: [usize; 3] = [150, 400, 1000];
const NOISE_OUTSIDE: [f64; 3] = [0.0, 0.001, 0.01];

/// The share of a law without noise that is left, but for rounding errors, by terms that hold it.
const SAME: f64 = 1e-20;

#[derive(Debug)]
pub(crate) struct Misfits {
    seed: u64,
    /// Tables of each kind.
    sets: u32,
}

impl Misfits {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self {
            seed,
            sets: sets.div_ceil(5),
        }
    }
}

/// A kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// One of the paper's polynomials.
    Polynomial { n_terms: usize },
    /// A polynomial of low degree with noise of some shape.
    Inside { shape: Shape, n_obs: usize },
    /// A law that no polynomial is.
    Outside { law: Law },
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scenario {
    kind: Kind,
    seed: u64,
    number: u32,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, seed, number } = self;
        match kind {
            Kind::Polynomial { n_terms } => write!(f, "polynomial of {n_terms} terms")?,
            Kind::Inside { shape, n_obs } => write!(f, "inside, {shape}, {n_obs} rows")?,
            Kind::Outside { law } => write!(f, "outside, {law}")?,
        }
        write!(f, ", number {number}, seed {seed}")
    }
}

/// A table with the target as it would be without noise.
#[derive(Debug)]
pub(crate) struct Made {
    table: Table,
    /// The same without noise, and the noise level; none for the paper's polynomials.
    clean: Option<(Table, f64)>,
    /// The vocabulary to learn with; none for that of a fit without flags.
    vocabulary: Option<&'static str>,
}

/// What was said.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    log_bayes_factor: Option<f64>,
    /// The error of the imitation as a sum of squares in units of the noise; none without noise.
    imitation: Option<f64>,
    /// Whether all terms of the law are in the answer, where that is known.
    holds_law: Option<bool>,
}

impl Scenario {
    fn make(&self) -> Made {
        let Self { kind, seed, number } = *self;
        match kind {
            Kind::Polynomial { n_terms } => {
                let planted = polynomial(seed, n_terms, number);
                Made {
                    table: planted.table,
                    clean: None,
                    vocabulary: None,
                }
            }
            Kind::Inside { shape, n_obs } => {
                let variant = u32::try_from(n_obs).expect("a moderate number");
                let mut rng = stream(seed, 20 + shape as u32, variant, number);
                made(quadratic(&mut rng, shape, n_obs), None)
            }
            Kind::Outside { law } => {
                let mut rng = stream(seed, 40, law as u32, number);
                let turn = number as usize;
                let n_obs = ROWS_OUTSIDE[turn % ROWS_OUTSIDE.len()];
                let level = NOISE_OUTSIDE[turn / ROWS_OUTSIDE.len() % NOISE_OUTSIDE.len()];
                made(law.rows(&mut rng, n_obs, level), Some("monomials"))
            }
        }
    }
}

fn made(rows: Rows, vocabulary: Option<&'static str>) -> Made {
    let Rows {
        features,
        noisy,
        clean,
        sigma,
        ..
    } = rows;
    let names: Vec<String> = (1..=features.len()).map(|i| format!("x{i}")).collect();
    let table = |target: Vec<f64>| {
        let named = names.iter().cloned().zip(features.iter().cloned());
        let all = named.chain([("y".to_string(), target)]).collect();
        Table::new(all).expect("finite columns of equal length")
    };
    Made {
        table: table(noisy),
        clean: Some((table(clean), sigma)),
        vocabulary,
    }
}

impl Made {
    fn judge(&self) -> Outcome {
        let learned = fitted(&self.table, "y", self.vocabulary);
        let study = &learned.study;
        let judged = study.misfit();
        let (mut imitation, mut holds_law) = (None, None);
        if let Some((table, sigma)) = &self.clean {
            let (rss, share) = left_of(study, table).unwrap_or((f64::INFINITY, 1.0));
            holds_law = Some(share < SAME);
            imitation = (*sigma > 0.0).then(|| rss / sigma.powi(2));
        }
        Outcome {
            log_bayes_factor: judged.map(|judged| judged.log_bayes_factor),
            imitation,
            holds_law,
        }
    }
}

/// What the terms of an answer leave of the target without noise, as a sum of squares and as a
/// share of that of the target; none if it is no sum of terms.
fn left_of(study: &Study, table: &Table) -> Option<(f64, f64)> {
    let model = study.model_or_empty();
    if model.left_side().transform().is_some() || model.denominator().is_some() {
        return None;
    }
    let dictionary = study.problem().dictionary();
    let problem = Problem::new("y", dictionary.clone()).expect("the target is no feature");
    let reduction = reduce_table(&problem, table).ok()?;
    let terms = 0..dictionary.len();
    let chosen = terms.filter(|&term| model.terms().contains(&dictionary.terms()[term]));
    let fit = reduction.fit(&chosen.collect());
    Some((fit.rss(), fit.share_of(&reduction.fit(&Support::empty()))))
}

impl Experiment for Misfits {
    type Scenario = Scenario;
    type Method = ();
    type Data = Made;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "misfit"
    }

    fn scenarios(&self) -> Vec<Scenario> {
        let (seed, sets) = (self.seed, self.sets);
        let of_kind = |kind| (0..sets).map(move |number| Scenario { kind, seed, number });
        kinds().into_iter().flat_map(of_kind).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("fit", ())]
    }

    fn data(&self, scenario: &Scenario) -> Made {
        scenario.make()
    }

    fn run(&self, made: &Made, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        timed(|| made.judge())
    }
}

fn kinds() -> Vec<Kind> {
    let polynomials = [2, 3, 4].map(|n_terms| Kind::Polynomial { n_terms });
    let of_shape = |shape| ROWS_INSIDE.map(|n_obs| Kind::Inside { shape, n_obs });
    let inside = Shape::ALL.into_iter().flat_map(of_shape);
    let outside = Law::ALL.into_iter().map(|law| Kind::Outside { law });
    polynomials
        .into_iter()
        .chain(inside)
        .chain(outside)
        .collect()
}

impl Outcome {
    fn said(&self) -> Said {
        Said {
            log_bayes_factor: self.log_bayes_factor,
            imitation: self.imitation,
        }
    }
}

impl Report for Misfits {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        format!(
            "misfit said (log Bayes factor above {SAID}) of laws learned by fit, seed {}\n\n{}\n{}",
            self.seed,
            inside_table(lines),
            outside_table(lines)
        )
    }
}

fn inside_table(lines: &[LineOf<Misfits>]) -> String {
    let mut text = format!(
        "inside: said by mistake\n{:<34} {:>7} {:>7} {:>18} {:>9} {:>9}\n",
        "law", "tables", "said", "of right answers", "unjudged", "largest"
    );
    let mut row = |name: &str, own: &dyn Fn(&Kind) -> bool| {
        let own = lines.iter().filter(|line| own(&line.scenario.kind));
        let own: Vec<&Outcome> = own.map(|line| &line.outcome).collect();
        let count = Count::of(own.iter().map(|outcome| outcome.said()));
        let by_mistake =
            |outcome: &&&Outcome| outcome.said().is_said() && outcome.holds_law != Some(false);
        let _ = writeln!(
            text,
            "{name:<34} {:>7} {:>7} {:>18} {:>9} {:>9}",
            count.equations,
            count.said,
            own.iter().filter(by_mistake).count(),
            count.unjudged,
            count.largest()
        );
    };
    row("the paper's polynomials", &|kind| {
        matches!(kind, Kind::Polynomial { .. })
    });
    for own in Shape::ALL {
        row(
            &format!("{own} noise"),
            &|kind| matches!(kind, Kind::Inside { shape, .. } if *shape == own),
        );
    }
    for own in ROWS_INSIDE {
        row(
            &format!("  of these with {own} rows"),
            &|kind| matches!(kind, Kind::Inside { n_obs, .. } if *n_obs == own),
        );
    }
    row("all", &|kind| !matches!(kind, Kind::Outside { .. }));
    text
}

fn outside_table(lines: &[LineOf<Misfits>]) -> String {
    let mut text = format!(
        "outside: detected; visible are laws that differ from their imitation by more than \
         {VISIBLE}\nin units of the noise, as a sum of squares\n\
         {:<22} {:>7} {:>7} {:>8} {:>13} {:>9}\n",
        "law", "tables", "said", "visible", "said of them", "smallest"
    );
    let mut row = |name: &str, own: &dyn Fn(&LineOf<Misfits>) -> bool| {
        let outside = |line: &&LineOf<Misfits>| matches!(line.scenario.kind, Kind::Outside { .. });
        let own = lines.iter().filter(outside).filter(|line| own(line));
        let count = Count::of(own.map(|line| line.outcome.said()));
        let _ = writeln!(
            text,
            "{name:<22} {:>7} {:>7} {:>8} {:>13} {:>9}",
            count.equations,
            count.said,
            count.visible,
            count.said_of_visible,
            count.smallest()
        );
    };
    for own in Law::ALL {
        row(
            &own.to_string(),
            &|line| matches!(line.scenario.kind, Kind::Outside { law } if law == own),
        );
    }
    for (place, level) in NOISE_OUTSIDE.into_iter().enumerate() {
        row(&format!("noise {} %", 100.0 * level), &|line| {
            line.scenario.number as usize / ROWS_OUTSIDE.len() % NOISE_OUTSIDE.len() == place
        });
    }
    row("all", &|_| true);
    text
}
