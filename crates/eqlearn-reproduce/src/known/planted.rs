//! Tables with a planted equation.

use eqlearn::{Dictionary, Problem, Support, Table, Term};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::index::sample;

use super::{normal, stream};

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

/// A random polynomial of the paper with 2, 3 or 4 terms.
///
/// The true terms have powers up to 2 and degree up to 4, with coefficients from `±U[1, 4]`. The
/// features are normal around means from `U[−20, 20]`; their widths are such that the 2.5 %
/// quantiles of neighbours touch. The noise is 0.01. The dictionary has all 72 monomials with
/// powers up to 4 and degree up to 6.
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
