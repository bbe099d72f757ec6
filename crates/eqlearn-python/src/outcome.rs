//! What learning one equation gave, as plain values.

use eqlearn::tell::document::Document;
use eqlearn::{Dictionary, ModelFile, Study};
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
    /// The equation; if there is none, the constant alone or nothing.
    model: Model,
    /// All terms that there were to choose from.
    terms: Vec<String>,
    /// The place of the constant among them.
    constant: Option<usize>,
    /// One coefficient per term.
    coefficients: Vec<f64>,
    /// Of each model of the ranking, best first: its terms by place, its score, its probability and
    /// `1 − R²`.
    ranking: Vec<(Vec<usize>, f64, f64, f64)>,
    /// The answer's place in the ranking.
    answer: Option<usize>,
    /// For each term the probability that it belongs in the equation.
    inclusion: Vec<f64>,
    /// How many rounds or sizes it took.
    rounds: usize,
    /// Whether it converged within the rounds that were allowed.
    settled: bool,
}

impl Outcome {
    /// The outcome of a study with its result document.
    pub(crate) fn new(study: &Study, document: &Document) -> Self {
        let dictionary = study.problem().dictionary();
        let saved = serde_json::to_value(study.settings()).expect("settings are plain data");
        let file = |model| ModelFile::new(vec![model], saved).to_json();
        let model = study.model_or_empty();
        let ranking = study.ranking();
        let ranked = |ranked: &eqlearn::judge::ranking::Ranked| {
            (
                ranked.fit.support().indices().to_vec(),
                ranked.score,
                ranked.probability,
                ranked.fit.share_of(ranking.baseline()),
            )
        };
        let rounds = study.how().rounds();
        Self {
            document: serde_json::to_string(document)
                .expect("the document holds nothing that JSON cannot"),
            model_file: study.model().map(file),
            terms: texts(dictionary),
            constant: dictionary
                .terms()
                .iter()
                .position(eqlearn::Term::is_constant),
            coefficients: spread(dictionary, &model),
            model: Model { inner: model },
            ranking: ranking.models().iter().map(ranked).collect(),
            answer: study.place(),
            inclusion: ranking.inclusion().to_vec(),
            rounds: rounds.count,
            settled: rounds.settled,
        }
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
