//! Data with a known equation. Every set comes from its own random stream, keyed by what it is, so that
//! it does not depend on which others were made before it.

use eqlearn::{Dictionary, Problem, Support, Table, Term};
use rand::rngs::ChaCha8Rng;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// A problem, its data, and the support that made them.
#[derive(Debug, Clone)]
pub struct Planted {
    /// What is asked.
    pub problem: Problem,
    /// The data.
    pub table: Table,
    /// The terms that the target was made of, by index in the problem's dictionary.
    pub truth: Support,
}

/// A random stream of its own for every experiment, size and number.
pub fn stream(seed: u64, experiment: u32, variant: u32, number: u32) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&experiment.to_le_bytes());
    key[12..16].copy_from_slice(&variant.to_le_bytes());
    key[16..20].copy_from_slice(&number.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// One draw from the standard normal distribution.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A random polynomial of the paper with 2, 3 or 4 terms.
///
/// The truth has terms with powers up to 2 and degree up to 4 and coefficients `±U[1, 4]`; the features are normal
/// around means from `U[−20, 20]`, as wide as leaves neighbours' 2.5 % quantiles touching; the noise is 0.01. The dictionary
/// has all 72 monomials with powers up to 4 and degree up to 6.
pub fn polynomial(seed: u64, n_terms: usize, number: u32) -> Planted {
    let n_obs = match n_terms {
        2 => 20,
        3 => 65,
        _ => 95,
    };
    let mut rng = stream(
        seed,
        1,
        u32::try_from(n_terms).expect("a few terms"),
        number,
    );
    let features = ["x1", "x2", "x3"].map(String::from);
    let columns = polynomial_features(&mut rng, n_obs);
    let dictionary = Dictionary::monomials(&features, 4, 6, true).expect("the paper's dictionary");
    let simple: Vec<usize> = Dictionary::monomials(&features, 2, 4, false)
        .expect("the paper's truths")
        .terms()
        .iter()
        .map(|term: &Term| dictionary.position(term).expect("a part of the dictionary"))
        .collect();
    let truth: Support = sample(&mut rng, simple.len(), n_terms)
        .into_iter()
        .map(|i| simple[i])
        .collect();
    let coefficients: Vec<f64> = (0..n_terms)
        .map(|_| rng.random_range(1.0..4.0) * if rng.random::<bool>() { 1.0 } else { -1.0 })
        .collect();
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let mut terms = vec![0.0; n_obs * dictionary.len()];
    dictionary
        .evaluate(&slices, &mut terms)
        .expect("monomials of moderate numbers are finite");
    let target = (0..n_obs)
        .map(|row| {
            let clean: f64 = truth
                .indices()
                .iter()
                .zip(&coefficients)
                .map(|(t, c)| c * terms[t * n_obs + row])
                .sum();
            clean + 0.01 * normal(&mut rng)
        })
        .collect();
    let names = features
        .into_iter()
        .zip(columns)
        .chain([("y".to_string(), target)]);
    Planted {
        problem: Problem::new("y", dictionary).expect("the target is no feature"),
        table: Table::new(names.collect()).expect("finite columns of equal length"),
        truth,
    }
}

fn polynomial_features(rng: &mut ChaCha8Rng, n_obs: usize) -> Vec<Vec<f64>> {
    // The 97.5 % quantile of the standard normal distribution.
    const Z: f64 = 1.959_964;
    let mut means: [f64; 3] = std::array::from_fn(|_| rng.random_range(-20.0..20.0));
    means.sort_by(f64::total_cmp);
    let (gap1, gap2) = (means[1] - means[0], means[2] - means[1]);
    let middle = gap1.min(gap2) / (2.0 * Z);
    let widths = [gap1 / Z - middle, middle, gap2 / Z - middle];
    means
        .into_iter()
        .zip(widths)
        .map(|(mean, width)| (0..n_obs).map(|_| mean + width * normal(rng)).collect())
        .collect()
}

/// The names of the 71 candidates in problems without structure.
fn plain_names() -> Vec<String> {
    (1..72).map(|i| format!("x{i}")).collect()
}

/// Three terms among 71 correlated normal columns, with coefficients of `±signal × U[1, 2]` and unit noise.
///
/// `correlation` is that of neighbouring columns; it fades geometrically with distance.
pub fn planted_gaussian(
    seed: u64,
    n_obs: usize,
    correlation: f64,
    signal: f64,
    number: u32,
) -> Planted {
    let variant = n_obs as u64 ^ correlation.to_bits() ^ signal.to_bits().rotate_left(17);
    let mut rng = stream(seed ^ variant, 2, 0, number);
    let truth = sample(&mut rng, 71, 3).into_iter().map(|i| i + 1).collect();
    let coefficients: Vec<f64> = (0..3)
        .map(|_| {
            signal * rng.random_range(1.0..2.0) * if rng.random::<bool>() { 1.0 } else { -1.0 }
        })
        .collect();
    gaussian_terms(&mut rng, n_obs, correlation, truth, &coefficients)
}

/// How coefficients are drawn, in units of a signal strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// `±U[1, 4]`, as the paper's polynomials.
    Paper,
    /// Normal: some are too small to be seen at any noise.
    Normal,
}

/// As [`planted_gaussian`], but one to six terms, half correlated, with weights of some kind.
pub fn planted_at_random(
    seed: u64,
    n_obs: usize,
    weights: Weights,
    signal: f64,
    number: u32,
) -> Planted {
    let variant = n_obs as u64 ^ signal.to_bits().rotate_left(17);
    let mut rng = stream(seed ^ variant, 4 + weights as u32, 0, number);
    let size = rng.random_range(1..=6);
    let truth = sample(&mut rng, 71, size)
        .into_iter()
        .map(|i| i + 1)
        .collect();
    let mut weight = || match weights {
        Weights::Paper => {
            rng.random_range(1.0..4.0) * if rng.random::<bool>() { 1.0 } else { -1.0 }
        }
        Weights::Normal => normal(&mut rng),
    };
    let coefficients: Vec<f64> = (0..size).map(|_| signal * weight()).collect();
    gaussian_terms(&mut rng, n_obs, 0.5, truth, &coefficients)
}

fn gaussian_terms(
    rng: &mut ChaCha8Rng,
    n_obs: usize,
    correlation: f64,
    truth: Support,
    coefficients: &[f64],
) -> Planted {
    let rows: Vec<Vec<f64>> = (0..n_obs)
        .map(|_| {
            let mut last = normal(rng);
            let fresh = (1.0 - correlation * correlation).sqrt();
            (0..71)
                .map(|_| {
                    last = correlation * last + fresh * normal(rng);
                    last
                })
                .collect()
        })
        .collect();
    let target = rows
        .iter()
        .map(|row| {
            let clean: f64 = truth
                .indices()
                .iter()
                .zip(coefficients)
                .map(|(t, c)| c * row[t - 1])
                .sum();
            clean + normal(rng)
        })
        .collect();
    plain(&rows, target, truth)
}

/// A target of nothing but noise, over the paper's dictionary of 72 monomials of three normal features.
pub fn noise(seed: u64, n_obs: usize, number: u32) -> Planted {
    let mut rng = stream(
        seed,
        3,
        u32::try_from(n_obs).expect("a moderate number of rows"),
        number,
    );
    let features = ["x1", "x2", "x3"].map(String::from);
    let columns: Vec<Vec<f64>> = (0..3)
        .map(|_| (0..n_obs).map(|_| normal(&mut rng)).collect())
        .collect();
    let target = (0..n_obs).map(|_| normal(&mut rng)).collect();
    let dictionary = Dictionary::monomials(&features, 4, 6, true).expect("the paper's dictionary");
    let named = features
        .into_iter()
        .zip(columns)
        .chain([("y".to_string(), target)]);
    Planted {
        problem: Problem::new("y", dictionary).expect("the target is no feature"),
        table: Table::new(named.collect()).expect("finite columns of equal length"),
        truth: Support::empty(),
    }
}

fn plain(rows: &[Vec<f64>], target: Vec<f64>, truth: Support) -> Planted {
    let names = plain_names();
    let column = |j: usize| rows.iter().map(|row| row[j]).collect();
    let named = names
        .iter()
        .cloned()
        .enumerate()
        .map(|(j, name)| (name, column(j)))
        .chain([("y".to_string(), target)]);
    Planted {
        problem: Problem::new(
            "y",
            Dictionary::monomials(&names, 1, 1, true).expect("72 terms"),
        )
        .expect("y is no feature"),
        table: Table::new(named.collect()).expect("finite columns of equal length"),
        truth,
    }
}
