//! How long the comprehensive search takes by model size, on the paper's random polynomials.
//!
//! Everything is measured on one thread while nothing else runs, so this does not go through the
//! runner, and its file differs from run to run.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use eqlearn::search::{Run, Search, search};
use eqlearn::{Reduction, Support, reduce_table};
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

use crate::known::{polynomial, stream};
use crate::runner::{json_line, open_after_last_line, read_if_there};
use crate::{Result, Trouble};

/// Supports that are fitted one by one, to time a single fit.
const SINGLE_FITS: u32 = 500;

/// How much is measured.
///
/// | field | full | quick | meaning |
/// |---|---|---|---|
/// | `polynomials` | 10 | 2 | of each number of terms |
/// | `largest` | 8 | 6 | the largest models |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Polynomials of each number of terms.
    pub polynomials: u32,
    /// The largest models.
    pub largest: usize,
}

impl Effort {
    /// Up to the paper's largest models.
    pub const FULL: Self = Self {
        polynomials: 10,
        largest: 8,
    };
    /// A first look.
    pub const QUICK: Self = Self {
        polynomials: 2,
        largest: 6,
    };
}

/// One search of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The seed.
    pub seed: u64,
    /// The number of terms of the polynomial.
    pub n_terms: usize,
    /// Which one.
    pub number: u32,
    /// The number of rows.
    pub n_obs: usize,
    /// The size of the models.
    pub size: usize,
    /// How many there are.
    pub subsets: u128,
    /// How many were looked at one by one; bounds excluded the others.
    pub enumerated: u128,
    /// Seconds for the proven list of the 25 best.
    pub seconds: f64,
    /// Seconds for one least-squares fit of a model of this size, from the same triangle.
    pub seconds_of_one_fit: f64,
}

/// Where the measurements are.
fn path(out: &Path) -> PathBuf {
    out.join("runtime.jsonl")
}

/// Measures what is missing. `Break`: it was stopped before the end.
///
/// # Errors
/// Files that cannot be read or written.
pub fn run(
    seed: u64,
    effort: Effort,
    out: &Path,
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    std::fs::create_dir_all(out).map_err(Trouble::file("make", out))?;
    let path = path(out);
    let known = read(out)?;
    let mut file = open_after_last_line(&path)?;
    let total = 3 * effort.polynomials;
    for (place, (n_terms, number)) in (2..=4)
        .flat_map(|n_terms| (0..effort.polynomials).map(move |number| (n_terms, number)))
        .enumerate()
    {
        if watch(place as f64 / f64::from(total)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let of_this = |m: &&Measured| (m.seed, m.n_terms, m.number) == (seed, n_terms, number);
        let largest = known.iter().filter(of_this).map(|m| m.size).max();
        for measured in measure(seed, n_terms, number, largest.unwrap_or(0), effort.largest) {
            file.write_all(json_line(&measured).as_bytes())
                .map_err(Trouble::file("write", &path))?;
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// All measurements; none if there was no run. A line that was cut off is left out.
///
/// # Errors
/// A file that cannot be read.
pub fn read(out: &Path) -> Result<Vec<Measured>> {
    let text = read_if_there(&path(out))?;
    let parsed = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(parsed.collect())
}

fn measure(
    seed: u64,
    n_terms: usize,
    number: u32,
    done: usize,
    largest: usize,
) -> impl Iterator<Item = Measured> {
    let planted = polynomial(seed, n_terms, number);
    let reduction = reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
    (done + 1..=largest).map(move |size| {
        let space = Search {
            min_terms: size,
            max_terms: size,
            centre: Support::from_iter([0]),
            ..Search::default()
        };
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let started = Instant::now();
        let found = search(&reduction.triangle(), &space, &run, &mut ())
            .expect("planted data can be searched");
        let seconds = started.elapsed().as_secs_f64();
        let list = &found.sizes[0];
        Measured {
            seed,
            n_terms,
            number,
            n_obs: planted.table.n_rows(),
            size,
            subsets: list.subsets,
            enumerated: list.certificate.enumerated,
            seconds,
            seconds_of_one_fit: time_of_one_fit(&reduction, size),
        }
    })
}

fn time_of_one_fit(reduction: &Reduction, size: usize) -> f64 {
    let mut rng = stream(0, 30, 0, 0);
    let draw = |_| {
        let chosen = sample(&mut rng, reduction.n_terms() - 1, size);
        chosen.into_iter().map(|i| i + 1).chain([0]).collect()
    };
    let supports: Vec<Support> = (0..SINGLE_FITS).map(draw).collect();
    let started = Instant::now();
    let total: f64 = supports
        .iter()
        .map(|support| reduction.fit(support).rss())
        .sum();
    let seconds = started.elapsed().as_secs_f64() / f64::from(SINGLE_FITS);
    // The sum keeps the fits from being optimised away.
    if total.is_nan() { f64::NAN } else { seconds }
}
