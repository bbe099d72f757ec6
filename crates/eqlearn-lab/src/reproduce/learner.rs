//! One contender on one scenario.

use std::ops::ControlFlow;

use eqlearn::data::trajectory::{Record, TimeFeature};
use eqlearn::observe::{Observer, Progress};
use eqlearn::search::Run;
use eqlearn::{
    Cut, Discover, LeftSide, Parts, Problem, RowScheme, Study, Table, Trajectories, discover, learn,
};

use super::Contender;
use super::line::Equation;
use super::scenario::{Data, Trajectory};

/// Rows that every contender with the same rows shares: reduced once, in five folds.
#[derive(Debug)]
pub struct Prepared {
    data: Data,
    /// One problem per target, with its rows.
    problems: Vec<(Problem, Parts)>,
}

/// Passes a request to stop on to the library.
struct Asking<'a>(&'a dyn Fn() -> ControlFlow<()>);

impl Observer for Asking<'_> {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        (self.0)()
    }
}

impl Prepared {
    /// Folds the rows: those of a table as they are, those of a trajectory by forward differences.
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
    pub fn learn(
        &self,
        contender: Contender,
        go_on: &dyn Fn() -> ControlFlow<()>,
    ) -> eqlearn::Result<Vec<Equation>> {
        let settings = contender.settings();
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let mut observer = Asking(go_on);
        if let Data::Trajectory(trajectory) = &self.data
            && contender.rows() != RowScheme::Forward
        {
            return follow(trajectory, contender, &run, &mut observer);
        }
        self.problems
            .iter()
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
fn follow(
    trajectory: &Trajectory,
    contender: Contender,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> eqlearn::Result<Vec<Equation>> {
    let known = trajectory.known;
    let n_obs = trajectory.columns[0].len();
    let record = Record {
        name: known.name.to_string(),
        times: (0..n_obs).map(|i| i as f64 * trajectory.step).collect(),
        states: trajectory.columns.clone(),
        inputs: Vec::new(),
    };
    let none: [&str; 0] = [];
    let record = Trajectories::new("t", known.states, &none, TimeFeature::No, vec![record])?;
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
