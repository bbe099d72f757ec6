//! The paper's random polynomials: how often each method finds exactly the true terms.

use std::fmt::Write as _;

use eqlearn::search::{Run, Search};
use eqlearn::{Method, Reduction, Settings, Support, learn, reduce_table};
use rayon::prelude::*;

use crate::data::{Planted, polynomial};

/// The methods of the table; the paper's with its pruning of terms.
const METHODS: [(&str, Method); 4] = [
    ("cs-r2", Method::CsR2),
    ("cs-evidence", Method::CsEvidence),
    ("bsr", Method::Bsr),
    ("best", Method::Best),
];

/// The settings of a method with the constant always in, as in the paper, or as one more candidate.
pub fn settings(method: Method, constant_is_free: bool) -> Settings {
    let mut settings = Settings {
        method,
        ..Settings::default()
    };
    settings.space = Search {
        centre: if constant_is_free {
            Support::empty()
        } else {
            Support::from_iter([0])
        },
        ..Search::default()
    };
    settings
}

/// What a method answers on one data set: the terms without the constant that is always in.
pub fn answer(planted: &Planted, reduction: &Reduction, settings: &Settings) -> Support {
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let study = learn(&planted.problem, reduction, settings, &run, &mut ())
        .expect("planted data can be searched");
    let centre = &settings.space.centre;
    let terms = study
        .answer()
        .map(|ranked| ranked.fit.support().indices().to_vec())
        .unwrap_or_default();
    terms
        .into_iter()
        .filter(|&term| !centre.contains(term))
        .collect()
}

/// How many terms two supports do not share.
pub fn differences(a: &Support, b: &Support) -> usize {
    a.indices().iter().filter(|&&t| !b.contains(t)).count()
        + b.indices().iter().filter(|&&t| !a.contains(t)).count()
}

/// Runs all methods on `sets` polynomials of each size.
pub fn run(seed: u64, sets: u32) -> String {
    let mut text = format!(
        "exact recovery in % of {sets} random polynomials (and terms wrong on average), seed {seed}\n\n"
    );
    let _ = writeln!(
        text,
        "{:<40} {:>14} {:>14} {:>14}",
        "method", "2 terms, N=20", "3 terms, N=65", "4 terms, N=95"
    );
    let rows: Vec<(String, Settings)> = METHODS
        .iter()
        .map(|(name, method)| (name.to_string(), settings(method.clone(), false)))
        .chain([(
            "best, constant free".to_string(),
            settings(Method::Best, true),
        )])
        .collect();
    let results: Vec<Vec<(usize, f64, bool)>> = (2..=4)
        .map(|n_terms| {
            let one = |number: u32| {
                let planted = polynomial(seed, n_terms, number);
                let reduction =
                    reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
                let wrong = rows.iter().map(|(_, settings)| {
                    differences(&answer(&planted, &reduction, settings), &planted.truth)
                });
                let mut wrong: Vec<usize> = wrong.collect();
                wrong.push(usize::from(!truth_is_best_of_its_size(
                    &planted, &reduction,
                )));
                wrong
            };
            let all: Vec<Vec<usize>> = (0..sets).into_par_iter().map(one).collect();
            (0..=rows.len())
                .map(|row| {
                    let exact = all.iter().filter(|wrong| wrong[row] == 0).count();
                    let mean =
                        all.iter().map(|wrong| wrong[row]).sum::<usize>() as f64 / f64::from(sets);
                    (exact, mean, row < rows.len())
                })
                .collect()
        })
        .collect();
    let names = rows
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(["ceiling: the truth is best of its size"]);
    for (row, name) in names.enumerate() {
        let _ = write!(text, "{name:<40}");
        for column in &results {
            let (exact, mean, with_mean) = column[row];
            let share = 100.0 * exact as f64 / f64::from(sets);
            let mean = if with_mean {
                format!("({mean:.2})")
            } else {
                String::new()
            };
            let _ = write!(text, " {share:>7.0} {mean:>6}");
        }
        text.push('\n');
    }
    text
}

fn truth_is_best_of_its_size(planted: &Planted, reduction: &Reduction) -> bool {
    let size = planted.truth.len();
    let space = Search {
        min_terms: size,
        max_terms: size,
        keep: 1,
        centre: Support::from_iter([0]),
        ..Search::default()
    };
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let found = eqlearn::search::search(&reduction.triangle(), &space, &run, &mut ())
        .expect("planted data can be searched");
    found.sizes[0].best[0].support == planted.truth
}
