//! What learning one equation gave, as plain values.

use eqlearn::tell::document::Document;
use eqlearn::{Dictionary, Method, ModelFile, Problem, Reduction, Settings, Study};
use pyo3::prelude::*;

use crate::model::Model;

/// What learning one equation gave.
#[pyclass(frozen, get_all, module = "eqlearn._native")]
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// The result document, as JSON.
    document: String,
    /// The model file, as JSON; None if the data support no equation.
    model_file: Option<String>,
    /// The equation, or what is best without one: the constant alone, or nothing.
    model: Model,
    /// All terms that there were to choose from.
    terms: Vec<String>,
    /// The place of the constant among them.
    constant: Option<usize>,
    /// One coefficient per term.
    coefficients: Vec<f64>,
    /// Of each model that was compared, best first: its terms by place, its score, its probability and `1 − R²`.
    ranking: Vec<(Vec<usize>, f64, f64, f64)>,
    /// The answer's place in the ranking.
    answer: Option<usize>,
    /// For each term the probability that it belongs in the equation.
    inclusion: Vec<f64>,
    /// How many rounds or sizes it took.
    rounds: usize,
    /// Whether it ended by itself, not because no more rounds were allowed.
    settled: bool,
}

/// The parts that an outcome is made of.
pub(crate) struct Learned<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) reduction: &'a Reduction,
    pub(crate) settings: &'a Settings,
    pub(crate) study: &'a Study,
}

impl Learned<'_> {
    /// The outcome with its result document.
    pub(crate) fn outcome(&self, document: &Document) -> Outcome {
        let dictionary = self.problem.dictionary();
        let model = self.study.model(self.problem);
        let saved = serde_json::to_value(self.settings).expect("settings are plain data");
        let file = |model: &eqlearn::Model| ModelFile::new(vec![model.clone()], saved).to_json();
        let model_file = model.as_ref().map(file);
        let model = model.unwrap_or_else(|| self.without_equation());
        let ranking = &self.study.ranking;
        let ranked = |ranked: &eqlearn::judge::ranking::Ranked| {
            (
                ranked.fit.support().indices().to_vec(),
                ranked.score,
                ranked.probability,
                ranked.fit.share_of(ranking.baseline()),
            )
        };
        Outcome {
            document: serde_json::to_string(document)
                .expect("the document holds nothing that JSON cannot"),
            model_file,
            terms: texts(dictionary),
            constant: dictionary
                .terms()
                .iter()
                .position(eqlearn::Term::is_constant),
            coefficients: spread(dictionary, &model),
            model: Model { inner: model },
            ranking: ranking.models().iter().map(ranked).collect(),
            answer: self.study.answer,
            inclusion: ranking.inclusion().to_vec(),
            rounds: self.rounds(),
            settled: self.settled(),
        }
    }

    /// A method's own answer or else the best of the ranking: both are the constant alone, or nothing.
    fn without_equation(&self) -> eqlearn::Model {
        let proposal = self.study.proposal.as_ref();
        if let Some(pick) = proposal.and_then(|proposal| proposal.pick.as_ref()) {
            let fit = self.reduction.fit(&pick.support);
            let norm = fit.residual_norm();
            return eqlearn::Model::with_coefficients(self.problem, &fit, &pick.coefficients, norm);
        }
        let centre = &self.settings.space.centre;
        let walked = self.study.walk.as_ref().map(|walk| walk.answer().clone());
        let support = match (&self.settings.method, walked, &self.study.votes) {
            (_, Some(answer), _) => answer.union(centre),
            (Method::CsR2, _, Some(votes)) => votes.selected().union(centre),
            _ => self.study.ranking.best().fit.support().clone(),
        };
        eqlearn::Model::new(self.problem, &self.reduction.fit(&support))
    }

    fn rounds(&self) -> usize {
        let study = self.study;
        let of_method = study.proposal.as_ref().and_then(|p| p.rounds);
        let of_method = of_method.map(|rounds| rounds.count);
        let of_search = || study.found.as_ref().map(|found| found.sizes.len());
        let of_walk = || study.walk.as_ref().map(|walk| walk.path.len());
        let rounds = of_method.or_else(of_search).or_else(of_walk);
        rounds.unwrap_or(1).max(1)
    }

    fn settled(&self) -> bool {
        let proposal = self.study.proposal.as_ref();
        proposal
            .and_then(|proposal| proposal.rounds)
            .is_none_or(|rounds| rounds.settled)
    }
}

pub(crate) fn texts(dictionary: &Dictionary) -> Vec<String> {
    dictionary.terms().iter().map(ToString::to_string).collect()
}

/// One coefficient per term of the dictionary.
fn spread(dictionary: &Dictionary, model: &eqlearn::Model) -> Vec<f64> {
    let mut all = vec![0.0; dictionary.len()];
    for (term, &coefficient) in model.terms().iter().zip(model.coefficients()) {
        let place = dictionary
            .position(term)
            .expect("a model has terms of the dictionary");
        all[place] = coefficient;
    }
    all
}
