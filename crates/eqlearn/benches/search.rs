//! The exact search against named contenders in the same run: `cargo bench --bench search`.
//!
//! Contenders: a QR of every subset (timed on some, multiplied up), and plain enumeration without bounds. Times are the least of
//! several runs on one thread, by the clock on the wall: on a busy machine only the ratios mean anything.
#![expect(clippy::print_stdout, reason = "a bench is read")]

#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::time::Instant;

use eqlearn::Triangle;
use eqlearn::search::{Run, Search, search};
use fixture::{Columns, gaussian, lorenz, polynomial, triangle};

fn main() {
    println!(
        "{:<28}{:>10}{:>12}{:>14}{:>12}",
        "job", "seconds", "subsets", "QR of each", "ratio"
    );
    // In 5, 6, 8 and 9 other terms can stand for the true ones, so that bounds close less.
    for seed in 1..=12 {
        job(
            &format!("polynomial {seed}, N = 95"),
            &polynomial(seed, 4, 95),
            5,
        );
    }
    for state in 0..3 {
        job(
            &format!("Lorenz x{}, N = 2000", state + 1),
            &lorenz(1, state, 2000),
            5,
        );
    }
    for seed in 1..=6 {
        job(
            &format!("polynomial {seed}, N = 65"),
            &polynomial(seed, 3, 65),
            3,
        );
    }
    for (p, n) in [(72, 300), (100, 300), (200, 1000), (500, 2000)] {
        job(
            &format!("Gaussian, p = {p}, 8 true"),
            &gaussian(1, p, 8, n),
            2,
        );
    }
    for (p, n) in [(72, 300), (100, 300)] {
        job(
            &format!("Gaussian, p = {p}, 2 true"),
            &gaussian(1, p, 2, n),
            2,
        );
    }
    enumeration();
    two_threads();
}

/// All sizes up to 8, 25 best each, on one thread.
fn job(name: &str, columns: &Columns, repeats: usize) {
    let triangle = triangle(columns);
    let settings = Search::default();
    let seconds = least(repeats, || time(&triangle, &settings, 1));
    let p = triangle.n_terms();
    let subsets: f64 = (1..=8).map(|m| choose(p, m)).sum();
    let each = naive(&triangle, 8) * subsets;
    println!(
        "{name:<28}{seconds:>10.4}{subsets:>12.2e}{each:>14.2e}{:>12.1e}",
        each / seconds
    );
}

/// Twenty rows and 72 terms: twenty terms explain everything, so bounds have nothing to close. Six terms cost what six cost beyond five.
fn enumeration() {
    let triangle = triangle(&gaussian(1, 72, 2, 20));
    let upto = |max_terms| {
        let settings = Search {
            max_terms,
            ..Search::default()
        };
        least(9, || time(&triangle, &settings, 1))
    };
    let settings = Search {
        max_terms: 6,
        ..Search::default()
    };
    let found =
        search(&triangle, &settings, &Run::default(), &mut ()).expect("the settings are sound");
    let looked_at = found.sizes[5].certificate.enumerated as f64;
    let nanoseconds = (upto(6) - upto(5)) * 1e9 / looked_at;
    let cycles = nanoseconds / nanoseconds_per_cycle();
    println!(
        "enumeration, p = 72, m = 6: {nanoseconds:.2} ns, {cycles:.2} cycles per subset on one thread; {:.1} % of the subsets looked at",
        100.0 * looked_at / choose(72, 6)
    );
    println!(
        "  limit: five multiply-adds per four subsets, two each cycle, 0.625 cycles: {:.1} times that",
        cycles / 0.625
    );
}

/// By a chain of multiplications and additions of whole numbers, which wait for each other: three cycles and one on every recent machine.
fn nanoseconds_per_cycle() -> f64 {
    let count = 10_000_000_u64;
    let seconds = least(9, || {
        let start = Instant::now();
        let mut x = std::hint::black_box(1_u64);
        let factor = std::hint::black_box(0x5851_F42D_4C95_7F2D_u64);
        for _ in 0..count {
            x = x.wrapping_mul(factor).wrapping_add(1);
        }
        std::hint::black_box(x);
        start.elapsed().as_secs_f64()
    });
    seconds * 1e9 / (4 * count) as f64
}

/// A hard job on one thread and on two.
fn two_threads() {
    let triangle = triangle(&polynomial(1, 2, 20));
    let settings = Search::default();
    let (one, two) = (time(&triangle, &settings, 1), time(&triangle, &settings, 2));
    println!(
        "polynomial 1, N = 20: {one:.2} s on one thread, {two:.2} s on two, {:.2} times",
        one / two
    );
}

fn time(triangle: &Triangle, settings: &Search, threads: usize) -> f64 {
    let run = Run {
        threads,
        ..Run::default()
    };
    let start = Instant::now();
    let found = search(triangle, settings, &run, &mut ()).expect("the settings are sound");
    assert!(found.sizes.iter().all(|list| list.exact));
    start.elapsed().as_secs_f64()
}

/// Seconds for the QR of one subset, over some of them.
fn naive(triangle: &Triangle, size: usize) -> f64 {
    let p = triangle.n_terms();
    let count = 200;
    let start = Instant::now();
    for shift in 0..count {
        let columns: Vec<usize> = (0..size).map(|i| (shift + i * 7) % p).chain([p]).collect();
        std::hint::black_box(triangle.select(&columns));
    }
    start.elapsed().as_secs_f64() / count as f64
}

fn least(repeats: usize, mut measure: impl FnMut() -> f64) -> f64 {
    (0..repeats)
        .map(|_| measure())
        .fold(f64::INFINITY, f64::min)
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}
