//! Are probabilities honest? Of the models reported with probability 0.9, nine out of ten should be right.

use std::fmt::Write as _;

use eqlearn::criterion::{Criterion, SizePrior};
use eqlearn::reduce_table;
use rayon::prelude::*;

use crate::criteria::{lists, ranked};
use crate::data::{Planted, Weights, planted_at_random, planted_gaussian, polynomial};

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

/// Makes the n-th set of a kind.
type Make = Box<dyn Fn(u32) -> Planted + Sync>;

/// Runs the default criterion over planted models at several noise levels.
pub fn run(seed: u64, sets: u32) -> String {
    let mut text = format!("reported probability against how often it was right, seed {seed}\n");
    for (weights, title) in [
        (
            Weights::Paper,
            "one to six terms, weights as in the paper's polynomials",
        ),
        (
            Weights::Normal,
            "one to six terms, normal weights: some too small to be seen",
        ),
    ] {
        let makers = NOISE_LEVELS.map(|(n_obs, signal)| -> Make {
            Box::new(move |number| planted_at_random(seed, n_obs, weights, signal, number))
        });
        write_table(&mut text, title, &reported(&makers, sets));
    }
    let clear = [(65, 1.0), (95, 0.5), (95, 0.8), (200, 0.5), (500, 0.3)];
    let clear = clear.map(|(n_obs, signal)| -> Make {
        Box::new(move |number| planted_gaussian(seed, n_obs, 0.5, signal, number))
    });
    let polynomials = [2, 3, 4].map(|n_terms| -> Make {
        Box::new(move |number| polynomial(seed.wrapping_add(1000), n_terms, number))
    });
    let clear: Vec<Make> = clear.into_iter().chain(polynomials).collect();
    write_table(
        &mut text,
        "three clear terms, and the paper's polynomials",
        &reported(&clear, sets),
    );
    text
}

/// The probability of each answer, and whether it was right.
fn reported(makers: &[Make], sets: u32) -> Vec<(f64, bool)> {
    let one = |(make, number): (&Make, u32)| {
        let planted = make(number);
        let reduction =
            reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
        let ranking = ranked(
            &reduction,
            &lists(&reduction),
            Criterion::Residual,
            SizePrior::UniformModels,
        );
        let best = ranking.best();
        let truth = planted.truth.with(0);
        (best.probability, *best.fit.support() == truth)
    };
    let all = makers
        .iter()
        .flat_map(|make| (0..sets).map(move |n| (make, n)));
    all.collect::<Vec<_>>().into_par_iter().map(one).collect()
}

fn write_table(text: &mut String, title: &str, reported: &[(f64, bool)]) {
    let _ = writeln!(
        text,
        "\n{} models: {title}\n{:>14} {:>8} {:>16} {:>12} {:>16}",
        reported.len(),
        "reported",
        "models",
        "mean reported",
        "right",
        "± one s.e."
    );
    for pair in EDGES.windows(2) {
        let inside: Vec<&(f64, bool)> = reported
            .iter()
            .filter(|(p, _)| *p > pair[0] && *p <= pair[1])
            .collect();
        let count = inside.len() as f64;
        if inside.is_empty() {
            continue;
        }
        let mean = inside.iter().map(|(p, _)| p).sum::<f64>() / count;
        let right = inside.iter().filter(|(_, right)| *right).count() as f64 / count;
        let spread = (right * (1.0 - right) / count).sqrt();
        let _ = writeln!(
            text,
            "{:>6.2} – {:<5.2} {count:>8} {mean:>16.3} {right:>12.3} {spread:>16.3}",
            pair[0], pair[1]
        );
    }
}
