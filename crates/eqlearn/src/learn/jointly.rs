//! Several targets over the same terms and rows.
//!
//! `PySINDy` hands all targets to a method at once, and some of its methods make use of it: STLSQ and SR3 go on until all targets
//! have settled, FROLS may choose one size for all, MIOSR shares its terms among them. For the other methods, and where a
//! knob is chosen by cross-validation, each target is a problem of its own.

use super::regress::InPlay;
use super::{Method, Settings, Study, learn};
use crate::error::Result;
use crate::methods::{MiosrTarget, Proposal, Rounds, Task, frols, miosr, sr3, stlsq};
use crate::observe::Observer;
use crate::reduce::ReduceError;
use crate::reduce::{Data, Reduction};
use crate::search::Run;
use crate::terms::problem::Problem;

/// Learns one equation per target; the problems differ in their targets only, and the data in that column.
///
/// ```
/// use eqlearn::{Cut, Dictionary, Method, Parts, Problem, Settings, Table, learn_jointly, reduce_table};
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
/// assert_eq!(studies[1].model(&problems[1]).expect("a law").term_texts(), ["1", "x"]);
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
    let first = data.first().ok_or(ReduceError::NoTargets)?;
    let tuned = settings.tune && data.iter().any(|data| !data.folds.is_empty());
    let in_play = InPlay::new(first.whole.n_terms(), settings);
    let proposals = if tuned || data.len() == 1 {
        None
    } else {
        together(data, &in_play, settings, run, observer)?
    };
    let both = problems.iter().zip(data);
    let Some(proposals) = proposals else {
        return both
            .map(|(problem, &data)| learn(problem, data, settings, run, observer))
            .collect();
    };
    Ok(both
        .zip(proposals)
        .map(|((problem, data), proposal)| {
            Study::of_proposal(problem, data.whole, settings, in_play.back(proposal))
        })
        .collect())
}

/// What a method proposes for all targets at once; none if it knows no such thing.
fn together(
    data: &[Data<'_>],
    in_play: &InPlay,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<Vec<Proposal>>> {
    let always_in = &in_play.always_in;
    let rows: Vec<Reduction> = data.iter().map(|data| in_play.rows(data.whole)).collect();
    let projected: Vec<Reduction> = rows
        .iter()
        .map(|rows| rows.project_out(always_in))
        .collect();
    let n_free = projected[0].n_terms();
    let (coefficients, rounds, proven) = match &settings.method {
        Method::Stlsq(method) => {
            let solved = stlsq::solve_together(&projected, method)?;
            (solved.coefficients, Some(solved.rounds), None)
        }
        Method::Sr3(method) => {
            let solved = sr3::solve_together(&projected, method)?;
            (solved.coefficients, Some(solved.rounds), None)
        }
        Method::Frols(method) => {
            let paths = frols(&projected, method)?;
            let steps = paths.iter().map(|path| path.order.len());
            let rounds = Rounds {
                count: steps.max().unwrap_or(0),
                settled: true,
            };
            let coefficients = paths.into_iter().map(|path| path.coefficients).collect();
            (coefficients, Some(rounds), None)
        }
        Method::Miosr(method) => {
            let answer = miosr(&projected, method, run, observer)?;
            let dense = |target: &MiosrTarget| {
                let mut dense = vec![0.0; n_free];
                for (&term, &w) in target.support.indices().iter().zip(&target.coefficients) {
                    dense[term] = w;
                }
                dense
            };
            let coefficients = answer.targets.iter().map(dense).collect();
            (coefficients, None, Some(answer.proven))
        }
        _ => return Ok(None),
    };
    let name = settings.method.name();
    let proposal = |(reduction, coefficients): (&Reduction, Vec<f64>)| {
        let task = Task {
            reduction,
            folds: &[],
            always_in,
            threads: run.threads,
        };
        let only = Proposal::only(task.pick(name, &coefficients)?)?;
        Ok(Proposal {
            proven,
            rounds,
            ..only
        })
    };
    let all = rows.iter().zip(coefficients).map(proposal);
    all.collect::<Result<_>>().map(Some)
}
