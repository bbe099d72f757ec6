//! From a record in time to a system that can be simulated:
//! `cargo run --release -p eqlearn --example trajectories`.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

// ANCHOR: all
use eqlearn::data::trajectory::Trajectories;
use eqlearn::dynamics::simulate::End;
use eqlearn::search::Run;
use eqlearn::terms::term::Language;
use eqlearn::{Dictionary, Discover, Simulate, discover, simulate};

pub(crate) fn main() -> eqlearn::Result<()> {
    // A damped oscillation, x = e^(−t/10) cos t, and its velocity, sampled every twentieth of a
    // second, with a little noise.
    let times: Vec<f64> = (0..600).map(|i| 0.05 * f64::from(i)).collect();
    // Digits far behind the point stand for noise.
    let noise = |t: f64| 1e-3 * (1e6 * (12.9 * t).sin()).fract();
    let x = |t: f64| (-t / 10.0).exp() * t.cos();
    let v = |t: f64| (-t / 10.0).exp() * (-t.sin() - t.cos() / 10.0);
    let columns = vec![
        times.iter().map(|&t| x(t) + noise(t)).collect(),
        times.iter().map(|&t| v(t) + noise(t + 0.3)).collect(),
    ];
    let trajectories = Trajectories::of_run("t", times, &["x", "v"], columns)?;

    // Terms up to degree 3; how rows are made follows from the record.
    let dictionary = Dictionary::monomials(["x", "v"], 3, 3, true)?;
    let settings = Discover::default();
    let run = Run::default();
    let found = discover(&trajectories, &dictionary, &settings, &run, &mut ())?;
    let system = found.system().expect("every state has an equation");
    println!("{system}");
    assert_eq!(system.equations()[0].term_texts(), ["v"]);
    assert_eq!(system.equations()[1].term_texts(), ["x", "v"]);

    // Simulate it; a blow-up would be a result, not an error.
    let times: Vec<f64> = (0..=10).map(f64::from).collect();
    let future = simulate(&system, &[1.0, -0.1], &times, &Simulate::default())?;
    assert_eq!(future.end, End::Reached);
    println!("{}", system.code(Language::Python));
    Ok(())
}
// ANCHOR_END: all
