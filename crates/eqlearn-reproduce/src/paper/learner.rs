//! Where the library is asked to learn: one method on one scenario.

use std::ops::ControlFlow;

use eqlearn::observe::{Observer, Progress};
use eqlearn::search::{Candidate, Run, Search, SizeList};
use eqlearn::{
    Cut, Discover, LeftSide, Method, Parts, Problem, RowScheme, Settings, Study, Support, Table,
    discover, learn, reduce_table,
};

use super::scenario::{Data, Trajectory};
use super::{Contender, Equation, Listed};
use crate::known::Planted;
use crate::runner::GoOn;

/// The data of a scenario, with the rows that most contenders share: reduced once, in five folds.
#[derive(Debug)]
pub struct Prepared {
    data: Data,
    /// One problem per target, with its reduced rows.
    problems: Vec<(Problem, Parts)>,
}

/// Passes a request to stop on to the library.
struct Asking<'a>(&'a GoOn<'a>);

impl Observer for Asking<'_> {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        (self.0)()
    }
}

impl Prepared {
    /// Reduces the rows of a table, or the forward differences of a trajectory.
    pub fn new(data: Data) -> eqlearn::Result<Self> {
        let (table, targets) = match &data {
            Data::Table(planted) => {
                let target = planted.problem.left_side().clone();
                (planted.table.clone(), vec![target])
            }
            Data::Trajectory(trajectory) => forward_differences(trajectory)?,
        };
        let dictionary = data.dictionary();
        let problems = targets
            .iter()
            .map(|target| {
                let problem = Problem::new(target.clone(), dictionary.clone())?;
                let rows = [Ok(table.clone())].into_iter();
                let parts = Parts::reduce(&problem, rows, &Cut::default(), 1, &mut ())?;
                Ok((problem, parts))
            })
            .collect::<eqlearn::Result<_>>()?;
        Ok(Self { data, problems })
    }

    /// The data.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// An equation without terms for each target: what a method that failed has to show.
    pub fn no_equations(&self) -> Vec<Equation> {
        let problems = self.problems.iter();
        let empty = |(problem, _): &(Problem, Parts)| {
            Equation::without_terms(&problem.left_side().target())
        };
        problems.map(empty).collect()
    }

    /// What a contender learns.
    ///
    /// # Errors
    /// Whatever keeps the method from an answer; and having been stopped.
    pub fn learn(&self, contender: Contender, go_on: &GoOn<'_>) -> eqlearn::Result<Vec<Equation>> {
        let settings = contender.settings();
        let run = on_one_thread();
        let mut observer = Asking(go_on);
        if let Data::Trajectory(trajectory) = &self.data
            && contender.rows() != RowScheme::Forward
        {
            return discover_from(trajectory, contender, &run, &mut observer);
        }
        let problems = self.problems.iter();
        problems
            .map(|(problem, parts)| {
                let study = learn(problem, parts, &settings, &run, &mut observer)?;
                Ok(equation(&study))
            })
            .collect()
    }
}

/// The samples but the last, and for each state its forward difference over the step.
fn forward_differences(trajectory: &Trajectory) -> eqlearn::Result<(Table, Vec<LeftSide>)> {
    let states = trajectory.known.states;
    let samples = trajectory.columns.iter().zip(states).map(|(column, name)| {
        let before = &column[..column.len() - 1];
        (name.to_string(), before.to_vec())
    });
    let flow = |state: &&str| LeftSide::Flow {
        state: (*state).to_string(),
    };
    let targets: Vec<LeftSide> = states.iter().map(flow).collect();
    let slopes = trajectory.columns.iter().zip(&targets).map(|(x, target)| {
        let slopes = x
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) / trajectory.step);
        (target.to_string(), slopes.collect())
    });
    Ok((Table::new(samples.chain(slopes).collect())?, targets))
}

/// From the trajectory itself, with rows of the contender's own.
fn discover_from(
    trajectory: &Trajectory,
    contender: Contender,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> eqlearn::Result<Vec<Equation>> {
    let known = trajectory.known;
    let record = known.recorded(trajectory.step, [trajectory.columns.clone()]);
    let settings = Discover {
        rows: contender.rows(),
        learn: contender.settings(),
        ..Discover::default()
    };
    let dictionary = known.dictionary(4, 6);
    let found = discover(&record, &dictionary, &settings, run, observer)?;
    Ok(found.studies().iter().map(equation).collect())
}

/// A study's answer, the constant apart where it is always in.
fn equation(study: &Study) -> Equation {
    let mut equation = Equation::without_terms(&study.problem().left_side().target());
    let Some(model) = study.model() else {
        return equation;
    };
    let forced = !study.settings().space.centre.is_empty();
    for (term, &coefficient) in model.terms().iter().zip(model.coefficients()) {
        if forced && term.is_constant() {
            equation.constant = Some(coefficient);
        } else {
            equation.terms.push(term.to_string());
            equation.coefficients.push(coefficient);
        }
    }
    equation
}

/// The best models of each size on a planted table, the constant always in: with their evidence.
pub(super) fn best_of_sizes(planted: &Planted, space: Search) -> Vec<(usize, Vec<Listed>)> {
    let reduction = reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
    let settings = Settings {
        method: Method::BestSubset,
        space: Search {
            centre: Support::from_iter([0]),
            ..space
        },
        ..Settings::default()
    };
    let run = on_one_thread();
    let study = learn(&planted.problem, &reduction, &settings, &run, &mut ())
        .expect("planted data can be searched");
    let found = study.found().expect("best subsets come in lists");
    let listed = |candidate: &Candidate| {
        let ranked = study.ranking().find(&candidate.support.with(0));
        let evidence = ranked.and_then(|ranked| study.log_evidence(ranked));
        Listed {
            support: candidate.support.clone(),
            one_minus_r2: candidate.one_minus_r2,
            log_evidence: evidence.unwrap_or(f64::NEG_INFINITY),
        }
    };
    let of_size = |list: &SizeList| (list.size, list.best.iter().map(listed).collect());
    found.sizes.iter().map(of_size).collect()
}

/// Scenarios run side by side, so each has one thread.
fn on_one_thread() -> Run<'static> {
    Run {
        threads: 1,
        ..Run::default()
    }
}
