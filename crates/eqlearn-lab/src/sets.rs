//! Tables with a planted equation, of several kinds, and tables of noise.

use std::fmt;

use eqlearn::{Dictionary, Problem, Reduction, Support, Table, reduce_table};
use eqlearn_reproduce::known::{Planted, normal, polynomial, stream};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

/// A kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// The paper's random polynomials.
    Polynomial {
        /// The number of true terms.
        n_terms: usize,
    },
    /// Three terms among 71 normal columns, coefficients from `±signal × U[1, 2]`, unit noise.
    Gaussian {
        /// The number of rows.
        n_obs: usize,
        /// The correlation of neighbouring columns; it fades geometrically with distance.
        correlation: f64,
        /// The size of coefficients in units of the noise.
        signal: f64,
    },
    /// One to six terms among 71 normal columns whose neighbours have a correlation of 0.5.
    Random {
        /// The number of rows.
        n_obs: usize,
        /// How coefficients are drawn.
        weights: Weights,
        /// The size of coefficients in units of the noise.
        signal: f64,
    },
    /// A target of nothing but noise, over the paper's 72 monomials of three normal features.
    Noise {
        /// The number of rows.
        n_obs: usize,
    },
}

/// How coefficients are drawn, in units of a signal strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Weights {
    /// `±U[1, 4]`, as the paper's polynomials.
    Paper,
    /// Normal: some are too small to be seen at any noise.
    Normal,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Polynomial { n_terms } => write!(f, "poly {n_terms}"),
            Self::Gaussian {
                n_obs,
                correlation,
                signal,
            } => {
                write!(f, "N{n_obs} s{signal}")?;
                if *correlation > 0.0 {
                    let digits = correlation.to_string();
                    write!(f, " ρ{}", digits.trim_start_matches('0'))?;
                }
                Ok(())
            }
            Self::Random {
                n_obs,
                weights,
                signal,
            } => write!(f, "N{n_obs} s{signal} {weights:?}"),
            Self::Noise { n_obs } => write!(f, "noise {n_obs}"),
        }
    }
}

/// One table of a kind: a scenario of most experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Set {
    /// Its kind.
    pub(crate) kind: Kind,
    /// The seed of its random numbers.
    pub(crate) seed: u64,
    /// Which one.
    pub(crate) number: u32,
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, seed, number } = self;
        write!(f, "number {number} of {kind}, seed {seed}")
    }
}

/// A table and its reduction.
#[derive(Debug)]
pub(crate) struct Made {
    /// The table with its truth.
    pub(crate) planted: Planted,
    /// Its reduction.
    pub(crate) reduction: Reduction,
}

impl Set {
    /// The first `count` tables of each kind.
    pub(crate) fn all(kinds: impl IntoIterator<Item = Kind>, seed: u64, count: u32) -> Vec<Self> {
        let of_kind = |kind| (0..count).map(move |number| Self { kind, seed, number });
        kinds.into_iter().flat_map(of_kind).collect()
    }

    /// Makes the table.
    pub(crate) fn make(&self) -> Made {
        let planted = self.planted();
        let reduction = reduce_table(&planted.problem, &planted.table);
        Made {
            planted,
            reduction: reduction.expect("planted data reduce"),
        }
    }

    fn planted(&self) -> Planted {
        let Self { kind, seed, number } = *self;
        match kind {
            Kind::Polynomial { n_terms } => polynomial(seed, n_terms, number),
            Kind::Gaussian {
                n_obs,
                correlation,
                signal,
            } => {
                let variant =
                    n_obs as u64 ^ correlation.to_bits() ^ signal.to_bits().rotate_left(17);
                let mut rng = stream(seed ^ variant, 2, 0, number);
                let truth = sample(&mut rng, 71, 3).into_iter().map(|i| i + 1).collect();
                let coefficients: Vec<f64> = (0..3)
                    .map(|_| signal * rng.random_range(1.0..2.0) * sign(&mut rng))
                    .collect();
                gaussian(&mut rng, n_obs, correlation, truth, &coefficients)
            }
            Kind::Random {
                n_obs,
                weights,
                signal,
            } => {
                let variant = n_obs as u64 ^ signal.to_bits().rotate_left(17);
                let mut rng = stream(seed ^ variant, 4 + weights as u32, 0, number);
                let size = rng.random_range(1..=6);
                let truth = sample(&mut rng, 71, size).into_iter().map(|i| i + 1);
                let truth = truth.collect();
                let mut weight = || match weights {
                    Weights::Paper => rng.random_range(1.0..4.0) * sign(&mut rng),
                    Weights::Normal => normal(&mut rng),
                };
                let coefficients: Vec<f64> = (0..size).map(|_| signal * weight()).collect();
                gaussian(&mut rng, n_obs, 0.5, truth, &coefficients)
            }
            Kind::Noise { n_obs } => noise(seed, n_obs, number),
        }
    }
}

fn sign(rng: &mut ChaCha8Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

/// A target made of some of 71 normal columns, with unit noise.
fn gaussian(
    rng: &mut ChaCha8Rng,
    n_obs: usize,
    correlation: f64,
    truth: Support,
    coefficients: &[f64],
) -> Planted {
    let fresh = (1.0 - correlation * correlation).sqrt();
    let rows: Vec<Vec<f64>> = (0..n_obs)
        .map(|_| {
            let mut last = normal(rng);
            let mut next = || {
                last = correlation * last + fresh * normal(rng);
                last
            };
            (0..71).map(|_| next()).collect()
        })
        .collect();
    let target = rows
        .iter()
        .map(|row| {
            let terms = truth.indices().iter().zip(coefficients);
            let clean: f64 = terms.map(|(t, c)| c * row[t - 1]).sum();
            clean + normal(rng)
        })
        .collect();
    let names: Vec<String> = (1..72).map(|i| format!("x{i}")).collect();
    let column = |j: usize| rows.iter().map(|row| row[j]).collect();
    let columns = (0..71).map(column).collect();
    let dictionary = Dictionary::monomials(&names, 1, 1, true).expect("72 terms");
    planted(dictionary, names, columns, target, truth)
}

fn noise(seed: u64, n_obs: usize, number: u32) -> Planted {
    let variant = u32::try_from(n_obs).expect("a moderate number of rows");
    let mut rng = stream(seed, 3, variant, number);
    let mut column = || (0..n_obs).map(|_| normal(&mut rng)).collect::<Vec<f64>>();
    let columns = (0..3).map(|_| column()).collect();
    let target = column();
    let features = ["x1", "x2", "x3"].map(String::from);
    let dictionary = Dictionary::monomials(&features, 4, 6, true).expect("the paper's dictionary");
    planted(
        dictionary,
        features.to_vec(),
        columns,
        target,
        Support::empty(),
    )
}

fn planted(
    dictionary: Dictionary,
    features: Vec<String>,
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
    truth: Support,
) -> Planted {
    let named = features.into_iter().zip(columns);
    let all = named.chain([("y".to_string(), target)]).collect();
    Planted {
        problem: Problem::new("y", dictionary).expect("the target is no feature"),
        table: Table::new(all).expect("finite columns of equal length"),
        truth,
    }
}
