//! Several targets over the same terms and rows.
//!
//! `PySINDy` passes all targets to a method at once, and some of its methods make use of it: STLSQ
//! and SR3 iterate until all targets have converged, FROLS may choose one size for all, MIOSR
//! shares its terms among them. For the other methods, and where a knob is chosen by
//! cross-validation, each target is a problem of its own.

use super::{Settings, Study, learn};
use crate::error::Result;
use crate::methods::Task;
use crate::observe::Observer;
use crate::reduce::{Data, ReduceError};
use crate::search::Run;
use crate::terms::problem::Problem;

/// Learns one equation per target; the problems differ in their targets only, and the data in that
/// column.
///
/// ```
/// use eqlearn::{Dictionary, Problem, Settings, Table, learn_jointly, reduce_table};
///
/// let x: Vec<f64> = (0..20).map(|i| f64::from(i) * 0.3 - 2.0).collect();
/// let y = x.iter().map(|x| 2.0 * x).collect();
/// let z = x.iter().map(|x| 1.0 - x).collect();
/// let table = Table::new(vec![("x".into(), x), ("y".into(), y), ("z".into(), z)])?;
/// let dictionary = Dictionary::monomials(["x"], 2, 2, true)?;
/// let problems = [Problem::new("y", dictionary.clone())?, Problem::new("z", dictionary)?];
/// let rows = problems.iter().map(|p| reduce_table(p, &table)).collect::<Result<Vec<_>, _>>()?;
/// let data: Vec<_> = rows.iter().map(Into::into).collect();
/// let settings = Settings { method: "stlsq".parse()?, ..Settings::default() };
/// let studies = learn_jointly(&problems, &data, &settings, &Default::default(), &mut ())?;
/// assert_eq!(studies[1].model().expect("a law").term_texts(), ["1", "x"]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// As [`learn`]; no target at all; rows that differ from target to target.
pub fn learn_jointly(
    problems: &[Problem],
    data: &[Data<'_>],
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Study>> {
    if data.is_empty() {
        return Err(ReduceError::NoTargets.into());
    }
    let first = problems.first().ok_or(ReduceError::NoTargets)?;
    let settings = &settings.without_copies(first, data[0].whole);
    let tuned = settings.tune && data.iter().any(|data| !data.folds.is_empty());
    let both = problems.iter().zip(data);
    let proposals = if tuned || data.len() == 1 {
        None
    } else {
        let task = |(problem, &data)| settings.task(problem, data, run);
        let tasks: Vec<Task<'_>> = both.clone().map(task).collect();
        settings.method.seam().propose_together(&tasks, observer)?
    };
    let Some(proposals) = proposals else {
        return both
            .map(|(problem, &data)| learn(problem, data, settings, run, observer))
            .collect();
    };
    let studies = both
        .zip(proposals)
        .map(|((problem, data), proposal)| Study::new(problem, data.whole, settings, proposal));
    Ok(studies.collect())
}
