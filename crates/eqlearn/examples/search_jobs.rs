//! Jobs on which the search is compared with other engines; `bench/peers/run` drives it.
//!
//! ```text
//! search_jobs export FOLDER        every job as a CSV file, the target last
//! search_jobs run JOB              seconds of CPU from columns to lists, and the best support
//!                                  of each size, one line each: size, residual, terms
//! ```
#![expect(clippy::print_stdout, reason = "its output is read by a script")]

#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use eqlearn::search::{Run, Search, search};
use fixture::{Columns, gaussian, lorenz, polynomial, triangle};
use rustix::time::{ClockId, clock_gettime};

/// Name, largest size, supports kept per size, and the columns.
type Job = (&'static str, usize, usize, fn() -> Columns);

const JOBS: [Job; 9] = [
    ("tiny-p20", 4, 1, || gaussian(1, 20, 3, 100)),
    ("polynomial1-n95", 8, 25, || polynomial(1, 4, 95)),
    ("polynomial2-n95", 8, 25, || polynomial(2, 4, 95)),
    ("polynomial5-n95", 8, 25, || polynomial(5, 4, 95)),
    ("lorenz1-n2000", 8, 25, || lorenz(1, 0, 2000)),
    ("gauss8-p72", 8, 25, || gaussian(1, 72, 8, 300)),
    ("gauss8-p100", 8, 25, || gaussian(1, 100, 8, 300)),
    ("gauss2-p72", 8, 25, || gaussian(1, 72, 2, 300)),
    ("polynomial1-n65", 8, 25, || polynomial(1, 3, 65)),
];

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["export", folder] => export(Path::new(folder)),
        ["run", name] => run(name),
        _ => Err("usage: search_jobs export FOLDER | run JOB".into()),
    }
}

fn export(folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    for (name, max_terms, keep, make) in JOBS {
        let columns = make();
        let p = columns.len() - 1;
        let mut text: String = (0..p).fold(String::new(), |head, j| head + &format!("x{j},"));
        text.push_str("y\n");
        for row in 0..columns[p].len() {
            for (j, column) in columns.iter().enumerate() {
                let end = if j == p { '\n' } else { ',' };
                write!(text, "{:e}{end}", column[row])?;
            }
        }
        std::fs::write(folder.join(format!("{name}.csv")), text)?;
        println!("{name} {max_terms} {keep}");
    }
    Ok(())
}

fn run(name: &str) -> Result<(), Box<dyn Error>> {
    let job = JOBS.iter().find(|job| job.0 == name);
    let &(_, max_terms, keep, make) = job.ok_or("no such job")?;
    let settings = Search {
        max_terms,
        keep,
        ..Search::default()
    };
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let columns = make();
    let start = cpu_seconds()?;
    let found = search(&triangle(&columns), &settings, &run, &mut ())?;
    println!("seconds {}", cpu_seconds()? - start);
    for list in found.sizes {
        let best = &list.best[0];
        let terms: Vec<String> = best
            .support
            .indices()
            .iter()
            .map(usize::to_string)
            .collect();
        println!("{} {:e} {}", list.size, best.one_minus_r2, terms.join(" "));
    }
    Ok(())
}

/// Of all threads of this process.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    Ok(Duration::try_from(clock_gettime(ClockId::ProcessCPUTime))?.as_secs_f64())
}
