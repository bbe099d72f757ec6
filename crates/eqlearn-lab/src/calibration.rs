//! Are probabilities honest? Of the models reported with probability 0.9, nine out of ten should be right.

use std::fmt::Write as _;

use eqlearn::criterion::{Criterion, SizePrior};
use eqlearn::reduce_table;
use rayon::prelude::*;

use crate::criteria::{lists, ranked};
use crate::data::{Planted, planted_gaussian, polynomial};

/// Bins of the reported probability.
const EDGES: [f64; 8] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0];

/// Runs the default criterion over planted models at several noise levels.
pub fn run(seed: u64, sets: u32) -> String {
    let mut makers: Vec<Box<dyn Fn(u32) -> Planted + Sync>> = Vec::new();
    for (n_obs, signal) in [
        (65, 1.0),
        (95, 0.5),
        (95, 0.8),
        (200, 0.3),
        (200, 0.5),
        (500, 0.2),
        (500, 0.3),
    ] {
        makers.push(Box::new(move |number| {
            planted_gaussian(seed, n_obs, 0.5, signal, number)
        }));
    }
    for n_terms in 2..=4 {
        makers.push(Box::new(move |number| {
            polynomial(seed.wrapping_add(1000), n_terms, number)
        }));
    }
    let mut reported: Vec<(f64, bool)> = Vec::new();
    for make in &makers {
        let one = |number: u32| {
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
            (
                best.probability,
                *best.fit.support() == planted.truth.with(0),
            )
        };
        reported.par_extend((0..sets).into_par_iter().map(one));
    }
    let mut text = format!(
        "{} planted models, seed {seed}: reported probability against how often it was right\n\n",
        reported.len()
    );
    let _ = writeln!(
        text,
        "{:>14} {:>8} {:>16} {:>12} {:>16}",
        "reported", "models", "mean reported", "right", "± one s.e."
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
    text
}
