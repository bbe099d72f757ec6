//! From a file to a law, with warnings: `cargo run --release -p eqlearn --example first_equation`.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

// ANCHOR: all
use eqlearn::search::Run;
use eqlearn::{Dictionary, Problem, ReadOptions, Settings, Source, caveats, learn, reduce};

/// The force on plates in a wind tunnel: density of the air, speed, edge of the plate.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/data/drag.csv");

pub(crate) fn main() -> eqlearn::Result<()> {
    // What is asked: the force, by products of three columns (powers up to 4, six in all) and the
    // constant.
    let dictionary = Dictionary::monomials(["rho", "v", "d"], 4, 6, true)?;
    let problem = Problem::new("force", dictionary)?;

    // Rows are reduced to one triangular matrix, in constant memory; no later step depends on their
    // number.
    let source = Source::open(FILE, &ReadOptions::default())?;
    let batches = source.batches(&problem.columns())?;
    let reduction = reduce(&problem, batches, 0, &mut ())?;

    // The exact search, and the choice among what it lists.
    let settings = Settings::default();
    let study = learn(&problem, &reduction, &settings, &Run::default(), &mut ())?;

    let answer = study.answer().expect("these data have a law");
    let model = study.model().expect("an answer has a model");
    println!("{model}, probability {:.3}", answer.probability);
    assert_eq!(model.term_texts(), ["v", "rho*v^2*d^2"]);
    for warning in caveats(&study) {
        println!("{}: {}", warning.code, warning.message);
    }
    Ok(())
}
// ANCHOR_END: all
