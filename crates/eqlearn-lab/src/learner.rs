//! Where the library is asked to learn.

use eqlearn::search::{Run, Search, search};
use eqlearn::{
    Dictionary, Discover, Method, Problem, Reduction, Settings, Study, Support, Trajectories,
    discover, learn,
};

use crate::sets::Made;

/// Where the constant of the dictionary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Constant {
    /// Always in the model, as in the paper.
    Forced,
    /// A term like any other.
    Free,
}

/// The settings of a method.
pub(crate) fn settings(method: Method, constant: Constant) -> Settings {
    Settings {
        method,
        space: Search {
            centre: (0..usize::from(constant == Constant::Forced)).collect(),
            ..Search::default()
        },
        ..Settings::default()
    }
}

/// The terms that a method chooses for a planted table, without a constant that is always in.
pub(crate) fn chosen(made: &Made, settings: &Settings) -> Support {
    let study = study_of(&made.planted.problem, &made.reduction, settings);
    chosen_by(&study).into_iter().collect()
}

/// All that learning an equation gave.
pub(crate) fn study_of(problem: &Problem, reduction: &Reduction, settings: &Settings) -> Study {
    let run = on_one_thread();
    learn(problem, reduction, settings, &run, &mut ()).expect("planted data can be searched")
}

/// The terms that a method chooses for each equation of a system, as text.
pub(crate) fn discovered(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    settings: &Discover,
) -> Vec<Vec<String>> {
    let run = on_one_thread();
    let found = discover(trajectories, dictionary, settings, &run, &mut ())
        .expect("made data can be searched");
    let texts = |study: &Study| {
        let terms = chosen_by(study).into_iter();
        terms.map(|term| study.term(term).to_string()).collect()
    };
    found.studies().iter().map(texts).collect()
}

fn chosen_by(study: &Study) -> Vec<usize> {
    let support = study.answer().map(|answer| answer.fit.support());
    let terms = support.map_or(&[][..], Support::indices).iter().copied();
    terms
        .filter(|&term| !study.settings().space.centre.contains(term))
        .collect()
}

/// The best supports of every size, the constant always in but not listed.
pub(crate) fn best_supports(reduction: &Reduction, space: Search) -> Vec<Support> {
    let space = Search {
        centre: Support::from_iter([0]),
        ..space
    };
    let found = search(&reduction.triangle(), &space, &on_one_thread(), &mut ())
        .expect("planted data can be searched");
    let best = found.sizes.into_iter().flat_map(|size| size.best);
    best.map(|candidate| candidate.support).collect()
}

/// Scenarios run side by side, so each has one thread.
fn on_one_thread() -> Run<'static> {
    Run {
        threads: 1,
        ..Run::default()
    }
}
