//! What it costs to fit states and coefficients together, beside learning each equation by itself.
//!
//! The same records of Lorenz's system, a thousand samples of three states, in turns on one thread.
//! Of each time the least of some tries counts, since others use the machine too.

use std::fmt::Write as _;

use eqlearn::{Denoise, Discover};
use eqlearn_reproduce::Result;
use eqlearn_reproduce::runner::timed;

use super::bench::{Bench, Grid};
use super::{median, share};
use crate::learner::discovery;
use crate::{Reported, Request, Show};

/// The place of the duration of ten time units.
const TEN: u32 = 2;
/// Records of each level of noise at most, and tries of each.
const RECORDS: u32 = 8;
const TRIES: usize = 3;

/// Measures, and prints a table.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it stands in the list of all experiments"
)]
pub(crate) fn cost(request: &Request, _: &mut Show<'_>) -> Result<Reported> {
    let bench = &Grid::OdrBindy.benches()[0];
    let n_records = request.sets.min(RECORDS);
    let mut table = format!(
        "Lorenz's system, 1000 samples, ten terms, {n_records} records a level, seed {}: the\n\
         median of the seconds for each equation by itself and for all together (the first\n\
         included), and of their ratio; systems that are right in %\n\n\
         {:>6} {:>10} {:>9} {:>6} {:>6}\n",
        request.seed, "noise", "separately", "together", "ratio", "right"
    );
    for (level, noise) in (0..).zip(bench.noise.shares()) {
        let mut seconds: Vec<(f64, f64)> = Vec::new();
        let mut outcomes = Vec::new();
        for number in 0..n_records {
            let record = bench.recorded((TEN, level), request.seed, number);
            let learned = |denoise| {
                let settings = Discover {
                    denoise,
                    ..Discover::default()
                };
                let dictionary = bench.known.dictionary(bench.degree, bench.degree);
                timed(|| discovery(&record, &dictionary, &settings))
            };
            let mut least = (f64::INFINITY, f64::INFINITY);
            for _ in 0..TRIES {
                let (apart, together) = (learned(Denoise::Off), learned(Denoise::On));
                least = (least.0.min(apart.seconds), least.1.min(together.seconds));
            }
            seconds.push(least);
            outcomes.push(Bench::judge(bench, &learned(Denoise::On).value));
        }
        let _ = writeln!(
            table,
            "{:>6} {:>10.3} {:>9.3} {:>6.1} {:>6.0}",
            100.0 * noise,
            median(seconds.iter().map(|s| s.0)),
            median(seconds.iter().map(|s| s.1)),
            median(seconds.iter().map(|s| s.1 / s.0)),
            share(&outcomes.iter().collect::<Vec<_>>()),
        );
    }
    Ok(Reported {
        table,
        figure: None,
    })
}
