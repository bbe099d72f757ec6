//! Other methods on the same rows, with folds to choose their knobs and an observer that may stop
//! them: `cargo run --release -p eqlearn --example other_methods`.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

// ANCHOR: all
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use eqlearn::observe::{Observer, Progress};
use eqlearn::search::{Run, Search};
use eqlearn::{
    Cut, Dictionary, Method, Parts, Problem, ReadOptions, Settings, Source, Support, learn,
};

/// Stopping distances of a car, with its speed and its load.
const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../book/src/data/braking.csv"
);

/// Lets anything run for so long.
struct Patience {
    until: Instant,
}

impl Observer for Patience {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        if Instant::now() < self.until {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

pub(crate) fn main() -> eqlearn::Result<()> {
    let dictionary = Dictionary::monomials(["speed", "load"], 3, 3, true)?;
    let problem = Problem::new("distance", dictionary)?;
    let source = Source::open(FILE, &ReadOptions::default())?;
    let batches = source.batches(&problem.columns())?;

    // Five folds of neighbouring rows, for the methods that have a knob; the others look at the
    // whole.
    let parts = Parts::reduce(&problem, batches, &Cut::default(), 0, &mut ())?;
    let constant: Support = [problem.dictionary().find("1")?].into_iter().collect();
    let mut patience = Patience {
        until: Instant::now() + Duration::from_mins(1),
    };
    for name in ["best", "cs-evidence", "lasso", "stlsq", "miosr"] {
        let method: Method = name.parse()?;
        // Methods that centre have the constant always in; for the others it is a term like any
        // other.
        let centre = if method.centres() {
            constant.clone()
        } else {
            Support::empty()
        };
        let settings = Settings {
            method,
            space: Search {
                centre,
                ..Search::default()
            },
            ..Settings::default()
        };
        let study = learn(&problem, &parts, &settings, &Run::default(), &mut patience)?;
        match study.model() {
            Some(model) => println!("{name:12} {model}"),
            None => println!("{name:12} no equation"),
        }
    }
    Ok(())
}
// ANCHOR_END: all
