//! The time of one fit from rows in memory, for `bench/python`: what the Python package is measured
//! against.
//!
//! Usage: `fit_rows FILE N_FEATURES MAX_DEGREE`. The file holds numbers of eight bytes, row after
//! row, the target last in each row. For every line on standard input one fit is made and its
//! seconds are printed.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for one bench"
)]

use std::io::BufRead as _;
use std::time::Instant;

use eqlearn::data::table::Held;
use eqlearn::search::Run;
use eqlearn::{Dictionary, Problem, Settings, learn, reduce};

fn main() {
    let mut args = std::env::args().skip(1);
    let bytes = std::fs::read(args.next().unwrap()).unwrap();
    let n_features: usize = args.next().unwrap().parse().unwrap();
    let max_degree: u32 = args.next().unwrap().parse().unwrap();
    let numbers: Vec<f64> = bytes
        .chunks_exact(8)
        .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    drop(bytes);
    let width = n_features + 1;
    let n_rows = numbers.len() / width;
    let features: Vec<String> = (0..n_features).map(|i| format!("x{i}")).collect();
    for line in std::io::stdin().lock().lines() {
        line.unwrap();
        let started = Instant::now();
        let dictionary = Dictionary::monomials(&features, 4, max_degree, true).unwrap();
        let problem = Problem::new("y", dictionary).unwrap();
        let numbers = &numbers;
        let batches = Held::new(
            problem.columns(),
            n_rows,
            move |column, rows, out: &mut Vec<f64>| {
                out.extend(rows.map(|row| numbers[row * width + column]));
            },
        )
        .unwrap();
        let reduction = reduce(&problem, batches, 0, &mut ()).unwrap();
        let settings = Settings::default();
        let study = learn(&problem, &reduction, &settings, &Run::default(), &mut ()).unwrap();
        let model = study.model().unwrap();
        println!(
            "{} {}",
            started.elapsed().as_secs_f64(),
            model.terms().len()
        );
    }
}
