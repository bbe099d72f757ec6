//! From a reduction to one equation, with its probability.
//!
//! A method proposes supports; a ranking fits, scores and weighs them; the best is the answer,
//! unless the method has a choice of its own or nothing beats the empty equation.

mod error;
pub mod grouped;
mod jointly;
pub mod model;
mod settings;
mod study;

pub use error::LearnError;
pub use jointly::learn_jointly;
pub use settings::Settings;
pub(crate) use study::Polished;
pub use study::{Own, Study};

pub use crate::methods::Method;

use crate::error::Result;
use crate::observe::Observer;
use crate::reduce::{Data, Reduction};
use crate::search::{Found, Run, SearchPart, Shard};
use crate::terms::problem::Problem;

/// Learns one equation.
///
/// ```
/// use eqlearn::*;
///
/// // y = 2 x² − 3 z, with a little noise.
/// let x: Vec<f64> = (0..30).map(|i| (f64::from(i) * 0.7).sin() * 3.0).collect();
/// let z: Vec<f64> = (0..30).map(|i| (f64::from(i) * 1.3).cos() * 2.0).collect();
/// let noise = |i: usize| 0.01 * (i as f64 * 7.9).sin();
/// let law = |i: usize| 2.0 * x[i] * x[i] - 3.0 * z[i] + noise(i);
/// let y = (0..30).map(law).collect();
/// let table = Table::new(vec![("x".into(), x), ("z".into(), z), ("y".into(), y)])?;
///
/// let problem = Problem::new("y", Dictionary::monomials(["x", "z"], 3, 3, true)?)?;
/// let reduction = reduce_table(&problem, &table)?;
/// let (settings, run) = (Settings::default(), search::Run::default());
/// let study = learn(&problem, &reduction, &settings, &run, &mut ())?;
/// let model = study.model().expect("there is a law");
/// assert_eq!(model.term_texts(), ["z", "x^2"]);
/// # Ok::<(), Error>(())
/// ```
///
/// A method that has a knob chooses it by cross-validation where the data come as
/// [`Parts`](crate::Parts).
pub fn learn<'a>(
    problem: &Problem,
    data: impl Into<Data<'a>>,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Study> {
    let data = data.into();
    let settings = settings.without_copies(problem, data.whole);
    let task = settings.task(problem, data, run);
    let proposal = settings.method.seam().propose(&task, observer)?;
    let found = proposal.how.found();
    let is_empty = |found: &Found| found.sizes.iter().all(|size| size.best.is_empty());
    if proposal.how.proven() == Some(false) && found.is_some_and(is_empty) {
        let n_terms = data.whole.n_terms();
        return Err(LearnError::NothingSearched { n_terms }.into());
    }
    Ok(Study::new(problem, data.whole, &settings, proposal))
}

/// Decides one share of the search that a method makes; [`learn`] takes all of them together where
/// its run has them ([`Merged`](crate::search::Merged)).
///
/// # Errors
/// A method that makes no search, or several of which each depends on the one before.
pub fn learn_shard(
    problem: &Problem,
    reduction: &Reduction,
    settings: &Settings,
    (shard, known): (Shard, &[(String, SearchPart)]),
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<SearchPart> {
    let settings = settings.without_copies(problem, reduction);
    let task = settings.task(problem, reduction.into(), run);
    let method = settings.method.seam();
    method.decide_shard(&task, shard, known, observer)
}
