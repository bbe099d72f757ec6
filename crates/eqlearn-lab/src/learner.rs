//! Where the library is asked to learn.

use std::ops::ControlFlow;
use std::time::Instant;

use eqlearn::ask::Command;
use eqlearn::beyond::Asked;
use eqlearn::observe::Progress;
use eqlearn::search::{Run, Search, search};
use eqlearn::tell::caveats::caveats;
use eqlearn::tell::document::Document;
use eqlearn::tell::warning::Code;
use eqlearn::{
    Dictionary, Discover, Discovery, Learned, Method, Model, Observer, Problem, Reduction, Request,
    Settings, Study, Support, Table, Trajectories, discover, learn, learn_beyond, reduce_table,
};

use eqlearn_reproduce::known::Planted;

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
    discovered_by(trajectories, dictionary, &Discover::default())
}

/// The same with other settings.
pub(crate) fn discovered_by(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    settings: &Discover,
) -> Vec<Option<Model>> {
    let found = discovery(trajectories, dictionary, settings);
    let states = 0..found.studies().len();
    states.map(|state| found.model(state)).collect()
}

/// All that a discovery gave.
pub(crate) fn discovery(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    settings: &Discover,
) -> Discovery {
    let run = on_one_thread();
    discover(trajectories, dictionary, settings, &run, &mut ()).expect("made data can be searched")
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
    /// The mean square of what is left of rows or samples, in units of the noise that neighbouring
    /// ones show, where that is known.
    pub(crate) chi2: Option<f64>,
    /// Whether that is a warning.
    pub(crate) excess: bool,
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
    let warnings = Document::system(&found, None, None).warnings;
    let judged = |(state, study): (usize, &Study)| Judged {
        model: found.model(state),
        terms: texts(study),
        log_bayes_factor: study.misfit().map(|misfit| misfit.log_bayes_factor),
        chi2: chi2(&found, state),
        excess: {
            let of_state = format!("{}:", found.states()[state]);
            let mut all = warnings.iter();
            all.any(|w| w.code == Code::ExcessResiduals && w.message.starts_with(&of_state))
        },
    };
    found.studies().iter().enumerate().map(judged).collect()
}

fn chi2(found: &Discovery, state: usize) -> Option<f64> {
    let choice = found.choice();
    let of_samples = choice.denoised.as_ref().map(|denoised| &denoised.states);
    let of_samples = of_samples.and_then(|states| states.get(state));
    let of_rows = choice.chi2_per_row.get(state).copied().flatten();
    of_samples.map(|one| one.chi2_per_sample).or(of_rows)
}

/// The chosen terms as text.
fn texts(study: &Study) -> Vec<String> {
    let terms = chosen_by(study).into_iter();
    terms.map(|term| study.term(term).to_string()).collect()
}

/// What a fit says of a table.
#[derive(Debug, Default)]
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
    /// Whether it says that the rows are too few to judge that.
    pub(crate) unjudged: bool,
}

/// The longest time for one table in seconds: with nine columns the plain dictionary has 4915
/// terms.
const PATIENCE: f64 = 60.0;

/// Learns a target as `eqlearn fit` does with a vocabulary, or without any flag.
pub(crate) fn fitted(table: &Table, target: &str, vocabulary: Option<&str>) -> Learned {
    let request = Request {
        target: Some(target.to_string()),
        vocabulary: vocabulary.map(ToString::to_string),
        ..Request::default()
    };
    fit(table, &request).expect("made data can be searched")
}

/// Learns a target as `eqlearn fit` does without any flag.
pub(crate) fn fit_without_flags(table: &Table, target: &str) -> Found {
    let request = Request {
        target: Some(target.to_string()),
        time_limit: Some(PATIENCE),
        ..Request::default()
    };
    // Too many columns for the time: nothing is claimed.
    fit(table, &request).map_or_else(Found::default, |found| Found::new(&found.study))
}

/// Learns as `eqlearn fit` does with these flags; none if there was no time for it.
pub(crate) fn fit(table: &Table, request: &Request) -> Option<Learned> {
    let request = Request {
        threads: Some(1),
        ..request.clone()
    };
    let target = request.target.clone().expect("there is a target");
    let weights = request.weights.clone();
    let checked = request.check(Command::Fit).expect("nothing odd is asked");
    let is_feature = |name: &&String| **name != target && Some(*name) != weights.as_ref();
    let features: Vec<String> = table.names().iter().filter(is_feature).cloned().collect();
    let problem = checked
        .problem_over(&features, &target)
        .expect("the columns are there");
    let reduction = reduce_table(&problem, table).expect("made data reduce");
    let settings = checked.settings(&problem).expect("the settings are good");
    let mut until = Until(checked.limit().map(|limit| Instant::now() + limit));
    let asked = Asked {
        problem: &problem,
        data: (&reduction).into(),
        kept: std::slice::from_ref(table),
        settings: &settings,
    };
    let beyond = checked.beyond(&problem).expect("the terms are good");
    learn_beyond(&asked, &beyond, &on_one_thread(), &mut until).ok()
}

impl Found {
    /// What a study says.
    pub(crate) fn new(study: &Study) -> Self {
        let model = study.model();
        let below = |model: &Model| model.denominator().map_or(0, |below| below.terms().len());
        Self {
            text: model.as_ref().map_or_else(String::new, ToString::to_string),
            n_terms: model
                .as_ref()
                .map_or(0, |model| model.terms().len() + below(model)),
            probability: study.answer().map(|answer| answer.probability),
            misfit: study.misfit().map(|misfit| misfit.probability),
            unjudged: caveats(study)
                .iter()
                .any(|warning| warning.code == Code::MisfitUnjudged),
            model,
        }
    }

    /// How many numbers of the equation are fitted to the data.
    pub(crate) fn n_parameters(&self) -> usize {
        let model = self.model.as_ref();
        let is_fraction = model.is_some_and(|model| model.denominator().is_some());
        let inner = model.map_or(0, |model| model.parameters().len());
        self.n_terms + inner - usize::from(is_fraction)
    }

    /// How many terms it and the truth do not share; a fraction or a law of a function of the
    /// target shares none.
    pub(crate) fn differences(&self, planted: &Planted) -> usize {
        let dictionary = planted.problem.dictionary();
        let truth: Vec<String> = planted
            .truth
            .indices()
            .iter()
            .map(|&term| dictionary.terms()[term].to_string())
            .collect();
        let is_sum = |model: &&Model| {
            model.denominator().is_none() && model.left_side().transform().is_none()
        };
        let sum = self.model.as_ref().filter(is_sum);
        let own = sum.map_or_else(Vec::new, Model::term_texts);
        let shared = own.iter().filter(|term| truth.contains(term)).count();
        self.n_terms + truth.len() - 2 * shared
    }
}

/// Stops the work at a time, if there is one.
struct Until(Option<Instant>);

impl Observer for Until {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.0.is_some_and(|end| Instant::now() >= end) {
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
