//! Whether probabilities can be trusted: of the models reported with probability 0.9, nine out of
//! ten should be right.

use std::fmt::Write as _;

use eqlearn::judge::criterion::{Criterion, SizePrior};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use eqlearn_reproduce::show::figure::{Curves, Figure, Panel, Series};
use serde::{Deserialize, Serialize};

use crate::criteria::Listed;
use crate::sets::{Kind, Set, Weights};
use crate::{Report, Request};

/// Bins of the reported probability.
const EDGES: [f64; 8] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0];

/// Rows, and the signal in units of the noise: from hopeless to clear.
const NOISE_LEVELS: [(usize, f64); 8] = [
    (95, 0.1),
    (95, 0.2),
    (95, 0.5),
    (95, 2.0),
    (300, 0.05),
    (300, 0.1),
    (300, 0.3),
    (300, 1.0),
];

/// The same where all terms can be seen.
const CLEAR: [(usize, f64); 5] = [(65, 1.0), (95, 0.5), (95, 0.8), (200, 0.5), (500, 0.3)];

/// Added to the seed of the polynomials, so that they are not those of the other experiments.
const OTHER_SEED: u64 = 1000;

#[derive(Debug)]
pub(crate) struct Calibration {
    seed: u64,
    sets: u32,
}

/// The probability of the best model, and whether it is the truth.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    probability: f64,
    right: bool,
}

impl Calibration {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { seed, sets, .. } = *request;
        Self { seed, sets }
    }
}

/// Data sets that make one curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Population {
    Random(Weights),
    Clear,
}

impl Population {
    const ALL: [Self; 3] = [
        Self::Random(Weights::Paper),
        Self::Random(Weights::Normal),
        Self::Clear,
    ];

    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Random { weights, .. } => Self::Random(weights),
            _ => Self::Clear,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Random(Weights::Paper) => {
                "one to six terms, weights as in the paper's polynomials"
            }
            Self::Random(Weights::Normal) => {
                "one to six terms, normal weights: some too small to be seen"
            }
            Self::Clear => "three clear terms, and the paper's polynomials",
        }
    }

    fn sets(self, seed: u64, count: u32) -> Vec<Set> {
        match self {
            Self::Random(weights) => {
                let kinds = NOISE_LEVELS.map(|(n_obs, signal)| Kind::Random {
                    n_obs,
                    weights,
                    signal,
                });
                Set::all(kinds, seed, count)
            }
            Self::Clear => {
                let kinds = CLEAR.map(|(n_obs, signal)| Kind::Gaussian {
                    n_obs,
                    correlation: 0.5,
                    signal,
                });
                let polynomials = [2, 3, 4].map(|n_terms| Kind::Polynomial { n_terms });
                let other = seed.wrapping_add(OTHER_SEED);
                let mut all = Set::all(kinds, seed, count);
                all.extend(Set::all(polynomials, other, count));
                all
            }
        }
    }
}

impl Experiment for Calibration {
    type Scenario = Set;
    type Method = ();
    type Data = Listed;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "calibration"
    }

    fn scenarios(&self) -> Vec<Set> {
        let of = |population: Population| population.sets(self.seed, self.sets);
        Population::ALL.into_iter().flat_map(of).collect()
    }

    fn methods(&self) -> Vec<(&'static str, ())> {
        vec![("residual", ())]
    }

    fn data(&self, set: &Set) -> Listed {
        Listed::new(set)
    }

    fn run(&self, listed: &Listed, (): &(), _: &GoOn<'_>) -> Timed<Outcome> {
        let ranking = || listed.ranking(Criterion::Residual, SizePrior::UniformModels);
        timed(ranking).map(|ranking| {
            let best = ranking.best();
            Outcome {
                probability: best.probability,
                right: *best.fit.support() == listed.truth(),
            }
        })
    }
}

/// Models whose reported probability is in one range.
struct Bin {
    from: f64,
    to: f64,
    count: f64,
    mean: f64,
    right: f64,
    /// One standard error of `right`.
    spread: f64,
}

fn bins(lines: &[LineOf<Calibration>], population: Population) -> Vec<Bin> {
    let own = lines
        .iter()
        .filter(|line| Population::of(line.scenario.kind) == population);
    let own: Vec<&Outcome> = own.map(|line| &line.outcome).collect();
    let bin = |pair: &[f64]| {
        let is_inside = |o: &&&Outcome| o.probability > pair[0] && o.probability <= pair[1];
        let inside: Vec<&&Outcome> = own.iter().filter(is_inside).collect();
        let count = inside.len() as f64;
        let right = inside.iter().filter(|o| o.right).count() as f64 / count;
        (!inside.is_empty()).then(|| Bin {
            from: pair[0],
            to: pair[1],
            count,
            mean: inside.iter().map(|o| o.probability).sum::<f64>() / count,
            right,
            spread: (right * (1.0 - right) / count).sqrt(),
        })
    };
    EDGES.windows(2).filter_map(bin).collect()
}

impl Report for Calibration {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "reported probability against how often it was right, seed {}\n",
            self.seed
        );
        for population in Population::ALL {
            let bins = bins(lines, population);
            let models: f64 = bins.iter().map(|bin| bin.count).sum();
            let _ = writeln!(
                text,
                "\n{models} models: {}\n{:>14} {:>8} {:>16} {:>12} {:>16}",
                population.title(),
                "reported",
                "models",
                "mean reported",
                "right",
                "± one s.e."
            );
            for bin in bins {
                let _ = writeln!(
                    text,
                    "{:>6.2} – {:<5.2} {:>8} {:>16.3} {:>12.3} {:>16.3}",
                    bin.from, bin.to, bin.count, bin.mean, bin.right, bin.spread
                );
            }
        }
        text
    }

    /// Reported against observed: one curve per population, and the diagonal to compare with.
    fn figure(&self, lines: &[LineOf<Self>]) -> Option<Figure> {
        let series = |population: Population| {
            let bins = bins(lines, population);
            Series {
                label: population.title().to_string(),
                points: bins.iter().map(|bin| (bin.mean, bin.right)).collect(),
                errors: bins.iter().map(|bin| bin.spread).collect(),
            }
        };
        let diagonal = Series {
            label: "as often right as reported".to_string(),
            points: vec![(0.0, 0.0), (1.0, 1.0)],
            errors: Vec::new(),
        };
        let curves = Curves {
            title: String::new(),
            x_label: "probability reported".to_string(),
            x_range: (0.0, 1.0),
            x_step: 0.2,
            y_label: "share of answers that were right".to_string(),
            log_y: false,
            series: Population::ALL
                .into_iter()
                .map(series)
                .chain([diagonal])
                .collect(),
            mark: None,
            above_map: false,
        };
        Some(Figure {
            name: "calibration".to_string(),
            caption: "Reported probability against the share of right answers. Bars: one standard \
                      error."
                .to_string(),
            columns: 1,
            width: 900.0,
            heights: vec![440.0],
            panels: vec![Panel::Curves(curves)],
            legend: Vec::new(),
        })
    }
}
