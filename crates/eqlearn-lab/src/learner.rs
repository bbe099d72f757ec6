//! Where the library is asked to learn.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use eqlearn::ask::Command;
use eqlearn::beyond::Asked;
use eqlearn::observe::Progress;
use eqlearn::search::{Run, Search, search};
use eqlearn::{
    Dictionary, Discover, Learned, Method, Model, Observer, Problem, Reduction, Request, Settings,
    Study, Support, Table, Trajectories, discover, learn, learn_beyond, reduce_table,
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
    found.studies().iter().map(texts).collect()
}

/// The equation of each state by the default method; none where the data support none.
pub(crate) fn discovered_models(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
) -> Vec<Option<Model>> {
    let (settings, run) = (Discover::default(), on_one_thread());
    let found = discover(trajectories, dictionary, &settings, &run, &mut ())
        .expect("made data can be searched");
    let states = 0..found.studies().len();
    states.map(|state| found.model(state)).collect()
}

/// What a discovery says of one state.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The equation; none if the data support none.
    pub(crate) model: Option<Model>,
    /// Its terms as text.
    pub(crate) terms: Vec<String>,
    /// The misfit, where that was judged.
    pub(crate) log_bayes_factor: Option<f64>,
}

/// The equation of each state, and its misfit.
pub(crate) fn judged(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    settings: &Discover,
) -> Vec<Judged> {
    let run = on_one_thread();
    let found = discover(trajectories, dictionary, settings, &run, &mut ())
        .expect("made data can be searched");
    let judged = |(state, study): (usize, &Study)| Judged {
        model: found.model(state),
        terms: texts(study),
        log_bayes_factor: study.misfit().map(|misfit| misfit.log_bayes_factor),
    };
    found.studies().iter().enumerate().map(judged).collect()
}

/// The chosen terms as text.
fn texts(study: &Study) -> Vec<String> {
    let terms = chosen_by(study).into_iter();
    terms.map(|term| study.term(term).to_string()).collect()
}

/// What a fit says of a table.
#[derive(Debug)]
pub(crate) struct Found {
    /// The equation; none if the data support none.
    pub(crate) model: Option<Model>,
    /// The equation as printed.
    pub(crate) text: String,
    /// How many terms it has: of a fraction, those of numerator and denominator.
    pub(crate) n_terms: usize,
    /// Its probability among the equations listed.
    pub(crate) probability: Option<f64>,
    /// The probability that the law is none of those listed, where that was judged.
    pub(crate) misfit: Option<f64>,
}

/// The longest time for one table: with nine columns the plain dictionary has 4915 terms.
const PATIENCE: Duration = Duration::from_mins(1);

/// Learns a target as `eqlearn fit` does, without any flag or with a vocabulary; none if it was
/// stopped before anything was found.
pub(crate) fn fitted(
    table: &Table,
    target: &str,
    vocabulary: Option<&str>,
    observer: &mut dyn Observer,
) -> Option<Learned> {
    let request = Request {
        target: Some(target.to_string()),
        vocabulary: vocabulary.map(ToString::to_string),
        threads: Some(1),
        ..Request::default()
    };
    let checked = request.check(Command::Fit).expect("nothing odd is asked");
    let features = table.names().iter().filter(|name| *name != target);
    let features: Vec<String> = features.cloned().collect();
    let problem = checked
        .problem_over(&features, target)
        .expect("the columns are there");
    let reduction = reduce_table(&problem, table).expect("made data reduce");
    let settings = checked.settings(&problem).expect("the defaults are good");
    let asked = Asked {
        problem: &problem,
        data: (&reduction).into(),
        kept: std::slice::from_ref(table),
        settings: &settings,
    };
    let beyond = checked.beyond(&problem).expect("nothing odd is asked");
    learn_beyond(&asked, &beyond, &on_one_thread(), observer).ok()
}

/// Learns a target as `eqlearn fit` does without any flag.
pub(crate) fn fit_without_flags(table: &Table, target: &str) -> Found {
    let mut until = Until(Instant::now() + PATIENCE);
    let learned = fitted(table, target, None, &mut until);
    let Some(Learned { study, .. }) = learned else {
        // Too many columns for the time: nothing is claimed.
        return Found {
            text: String::new(),
            n_terms: 0,
            probability: None,
            misfit: None,
            model: None,
        };
    };
    let model = study.model();
    let below = |model: &Model| model.denominator().map_or(0, |below| below.terms().len());
    Found {
        text: model.as_ref().map_or_else(String::new, ToString::to_string),
        n_terms: model
            .as_ref()
            .map_or(0, |model| model.terms().len() + below(model)),
        probability: study.answer().map(|answer| answer.probability),
        misfit: study.misfit().map(|misfit| misfit.probability),
        model,
    }
}

/// Stops the work at a time.
struct Until(Instant);

impl Observer for Until {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if Instant::now() >= self.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
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
