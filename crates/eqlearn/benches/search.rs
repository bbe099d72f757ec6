//! The exact search against named contenders in the same run:
//! `cargo bench --bench search [-- WORD]`, with a word for the jobs that have it in their name. One
//! job of some minutes runs only if it is named, "p = 500, 2": size by size, until it takes too
//! long.
//!
//! Contenders: a QR of every subset (timed on some, multiplied up), and plain enumeration without
//! bounds. Times are CPU seconds, the median of several runs; on a busy machine only the ratios
//! mean anything.
#![expect(clippy::print_stdout, reason = "a bench is read")]

#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::time::{Duration, Instant};

use eqlearn::Triangle;
use eqlearn::search::{Found, Run, Search, search};
use fixture::{Columns, gaussian, lorenz, polynomial, triangle};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    println!(
        "{:<28}{:>10}{:>12}{:>14}{:>12}",
        "job, sizes 1 to 8, 25 kept", "CPU s", "enumerated", "QR of each", "ratio"
    );
    for (name, columns, repeats) in jobs() {
        if name == LONG && name.contains(&wanted) && !wanted.is_empty() {
            size_by_size(&name, &columns());
        } else if name != LONG && name.contains(&wanted) {
            job(&name, &columns(), repeats);
        }
    }
    if "enumeration".contains(&wanted) {
        enumeration();
    }
    if "threads".contains(&wanted) {
        two_threads();
    }
}

/// Sizes 3 to 8 are all noise here, among 6e16 subsets.
const LONG: &str = "Gaussian, p = 500, 2 true";

type Make = Box<dyn Fn() -> Columns>;

fn jobs() -> Vec<(String, Make, usize)> {
    let mut jobs: Vec<(String, Make, usize)> = Vec::new();
    let mut add = |name: String, repeats, make: Make| jobs.push((name, make, repeats));
    // In 5, 6, 8 and 9 other terms can replace the true ones, so that bounds exclude less.
    for seed in 1..=12 {
        let name = format!("polynomial {seed}, N = 95");
        add(name, 5, Box::new(move || polynomial(seed, 4, 95)));
    }
    for state in 0..3 {
        let name = format!("Lorenz x{}, N = 2000", state + 1);
        add(name, 5, Box::new(move || lorenz(1, state, 2000)));
    }
    for seed in 1..=6 {
        let name = format!("polynomial {seed}, N = 65");
        add(name, 3, Box::new(move || polynomial(seed, 3, 65)));
    }
    for true_terms in [8, 2] {
        for (p, n) in [(72, 300), (100, 300), (200, 1000), (500, 2000)] {
            let name = format!("Gaussian, p = {p}, {true_terms} true");
            let make = move || gaussian(1, p, true_terms, n);
            let repeats = if name == LONG { 1 } else { 3 };
            add(name, repeats, Box::new(make));
        }
    }
    jobs
}

/// All sizes up to 8, 25 best each, on one thread.
fn job(name: &str, columns: &Columns, repeats: usize) {
    let triangle = triangle(columns);
    let settings = Search::default();
    let mut looked_at = 0;
    let seconds = median(repeats, || {
        let (seconds, _, found) = time(&triangle, &settings, 1);
        let enumerated = found.sizes.iter().map(|size| size.certificate.enumerated);
        looked_at = enumerated.sum();
        seconds
    });
    let p = triangle.n_terms();
    let subsets: f64 = (1..=8).map(|m| choose(p, m)).sum();
    let each = naive(&triangle, 8) * subsets;
    println!(
        "{name:<28}{seconds:>10.4}{:>12.2e}{each:>14.2e}{:>12.1e}",
        looked_at as f64,
        each / seconds
    );
}

/// How the cost grows with the largest size, as long as it is below this many seconds.
const PATIENCE: f64 = 100.0;

fn size_by_size(name: &str, columns: &Columns) {
    let triangle = triangle(columns);
    for max_terms in 1..=8 {
        let settings = Search {
            max_terms,
            ..Search::default()
        };
        let (seconds, _, found) = time(&triangle, &settings, 1);
        let enumerated = found.sizes.iter().map(|size| size.certificate.enumerated);
        println!(
            "{:<28}{seconds:>10.3}{:>12.2e}",
            format!("{name}, sizes to {max_terms}"),
            enumerated.sum::<u128>() as f64
        );
        if seconds > PATIENCE {
            break;
        }
    }
}

/// Twenty rows and 72 terms: twenty terms explain everything, so bounds exclude nothing. The cost
/// of size six is that of all sizes up to six minus that up to five.
fn enumeration() {
    let triangle = triangle(&gaussian(1, 72, 2, 20));
    let upto = |max_terms| {
        let settings = Search {
            max_terms,
            ..Search::default()
        };
        median(9, || time(&triangle, &settings, 1).0)
    };
    let settings = Search {
        max_terms: 6,
        ..Search::default()
    };
    let (_, _, found) = time(&triangle, &settings, 1);
    let looked_at = found.sizes[5].certificate.enumerated as f64;
    let nanoseconds = (upto(6) - upto(5)) * 1e9 / looked_at;
    let cycles = nanoseconds / nanoseconds_per_cycle();
    println!(
        "enumeration, p = 72, m = 6: {nanoseconds:.2} ns, {cycles:.2} cycles per subset \
         on one thread; {:.1} % of the subsets enumerated",
        100.0 * looked_at / choose(72, 6)
    );
    println!(
        "  limit: three multiplications, two of them fused with an addition, for four subsets, \
         two each cycle, 0.375 cycles: {:.1} times that",
        cycles / 0.375
    );
}

/// From a chain of dependent integer multiplications and additions: three cycles and one on every
/// recent machine.
fn nanoseconds_per_cycle() -> f64 {
    let count = 10_000_000_u64;
    let seconds = median(9, || {
        let start = cpu_seconds();
        let mut x = std::hint::black_box(1_u64);
        let factor = std::hint::black_box(0x5851_F42D_4C95_7F2D_u64);
        for _ in 0..count {
            x = x.wrapping_mul(factor).wrapping_add(1);
        }
        std::hint::black_box(x);
        cpu_seconds() - start
    });
    seconds * 1e9 / (4 * count) as f64
}

/// Hard jobs on one thread and on two, in wall-clock time.
fn two_threads() {
    for seed in 1..=3 {
        let triangle = triangle(&polynomial(seed, 2, 20));
        let settings = Search::default();
        let (cpu, one, _) = time(&triangle, &settings, 1);
        let (_, two, _) = time(&triangle, &settings, 2);
        println!(
            "polynomial {seed}, N = 20: {one:.2} s on one thread ({cpu:.2} s CPU), \
             {two:.2} s on two threads, {:.2} times",
            one / two
        );
    }
}

/// CPU seconds of all threads, seconds on the wall, and what was found.
fn time(triangle: &Triangle, settings: &Search, threads: usize) -> (f64, f64, Found) {
    let run = Run {
        threads,
        ..Run::default()
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let found = search(triangle, settings, &run, &mut ()).expect("the settings are sound");
    let seconds = (cpu_seconds() - cpu, start.elapsed().as_secs_f64());
    assert!(found.sizes.iter().all(|list| list.exact));
    (seconds.0, seconds.1, found)
}

fn cpu_seconds() -> f64 {
    let now = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime));
    now.expect("CPU time is never negative").as_secs_f64()
}

/// Seconds for the QR of one subset, over some of them.
fn naive(triangle: &Triangle, size: usize) -> f64 {
    let p = triangle.n_terms();
    let count = 200;
    let start = cpu_seconds();
    for shift in 0..count {
        let columns: Vec<usize> = (0..size).map(|i| (shift + i * 7) % p).chain([p]).collect();
        std::hint::black_box(triangle.select(&columns));
    }
    (cpu_seconds() - start) / count as f64
}

fn median(repeats: usize, mut measure: impl FnMut() -> f64) -> f64 {
    let mut seconds: Vec<f64> = (0..repeats).map(|_| measure()).collect();
    seconds.sort_by(f64::total_cmp);
    seconds[repeats / 2]
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}
