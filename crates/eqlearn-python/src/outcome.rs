//! What learning gave, as the Python sources read it: one object per result.

use eqlearn::learn::grouped::{GroupRanked, GroupedStudy};
use eqlearn::tell::document::Document;
use eqlearn::{Dictionary, ModelFile, Study};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::model::Model;
use crate::system::System;
use crate::trouble::exception;

/// A model that was compared: its terms by place, its score, its probability and `1 − R²`.
type Ranked = (Vec<usize>, f64, f64, f64);

/// What learning one equation gave.
///
/// It holds what is read from it, not the study itself, which holds the triangle of all rows:
/// results are kept, and pickled to other processes.
#[pyclass(frozen, eq, module = "eqlearn._native")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// The result document, as JSON.
    #[pyo3(get)]
    document: String,
    /// The equation, or what is best without one (the constant alone, or nothing), and how it was
    /// made.
    file: ModelFile,
    /// All terms that there were to choose from.
    #[pyo3(get)]
    terms: Vec<String>,
    /// The place of the constant among them.
    #[pyo3(get)]
    constant: Option<usize>,
    /// Every model that was compared, best first.
    #[pyo3(get)]
    ranking: Vec<Ranked>,
    /// The answer's place in the ranking; None if the data support no equation.
    #[pyo3(get)]
    answer: Option<usize>,
    /// For each term the probability that it belongs in the equation.
    #[pyo3(get)]
    inclusion: Vec<f64>,
    /// How many rounds or sizes it took.
    #[pyo3(get)]
    rounds: usize,
    /// Whether it converged within the rounds that were allowed.
    #[pyo3(get)]
    settled: bool,
}

/// An outcome in a pickle: its fields in order, the model file as text.
type Pickled = (
    String,
    String,
    Vec<String>,
    Option<usize>,
    Vec<Ranked>,
    Option<usize>,
    Vec<f64>,
    (usize, bool),
);

impl Outcome {
    /// The outcome of a study with its result document.
    pub(crate) fn new(study: &Study, document: &Document) -> Self {
        let dictionary = study.problem().dictionary();
        let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
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
            file: ModelFile::new(vec![study.model_or_empty()], settings),
            terms: texts(dictionary),
            constant: dictionary
                .terms()
                .iter()
                .position(eqlearn::Term::is_constant),
            ranking: ranking.models().iter().map(ranked).collect(),
            answer: study.place(),
            inclusion: ranking.inclusion().to_vec(),
            rounds: rounds.count,
            settled: rounds.settled,
        }
    }
}

impl Outcome {
    /// The outcome of one law for several experiments with its result document.
    pub(crate) fn of_groups(study: &GroupedStudy, document: &Document) -> Self {
        let dictionary = study.problem().dictionary();
        let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
        let ranked = |ranked: &GroupRanked| {
            (
                ranked.fit.support().indices().to_vec(),
                ranked.score,
                ranked.probability,
                ranked.fit.share_of(study.baseline()),
            )
        };
        Self {
            document: serde_json::to_string(document)
                .expect("the document holds nothing that JSON cannot"),
            file: ModelFile::of_groups(&study.model_or_empty(), settings),
            terms: texts(dictionary),
            constant: dictionary
                .terms()
                .iter()
                .position(eqlearn::Term::is_constant),
            ranking: study.models().iter().map(ranked).collect(),
            answer: study.answer().map(|_| 0),
            inclusion: study.inclusion(),
            rounds: study.found().lists.len().max(1),
            settled: true,
        }
    }
}

#[pymethods]
impl Outcome {
    #[new]
    fn from_pickle(pickled: Pickled) -> PyResult<Self> {
        let (document, file, terms, constant, ranking, answer, inclusion, (rounds, settled)) =
            pickled;
        Ok(Self {
            document,
            file: ModelFile::from_json(&file).map_err(|error| exception(&error))?,
            terms,
            constant,
            ranking,
            answer,
            inclusion,
            rounds,
            settled,
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Pickled,)) {
        let this = self.clone();
        let pickled = (
            this.document,
            self.model_file(),
            this.terms,
            this.constant,
            this.ranking,
            this.answer,
            this.inclusion,
            (this.rounds, this.settled),
        );
        (py.get_type::<Self>(), (pickled,))
    }

    /// The equation, or what is best without one: the constant alone, or nothing.
    #[getter]
    fn model(&self) -> Model {
        Model {
            inner: self.file.equations()[0].clone(),
        }
    }

    /// The equation of each experiment by its name, for one law of several experiments.
    #[getter]
    fn experiments(&self) -> Vec<(String, Model)> {
        let Some(law) = self.file.grouped() else {
            return Vec::new();
        };
        let model = |inner: &eqlearn::Model| Model {
            inner: inner.clone(),
        };
        let each = law.names().iter().cloned();
        each.zip(law.models().iter().map(model)).collect()
    }

    /// The text of the model file.
    fn model_file(&self) -> String {
        self.file.to_json()
    }

    /// One coefficient per term that there was to choose from.
    #[getter]
    fn coefficients(&self) -> Vec<f64> {
        let model = &self.file.equations()[0];
        let mut all = vec![0.0; self.terms.len()];
        for (term, &coefficient) in model.term_texts().iter().zip(model.coefficients()) {
            let place = self.terms.iter().position(|candidate| candidate == term);
            all[place.expect("a model has terms of the dictionary")] = coefficient;
        }
        all
    }
}

/// States without noise: the name of the time, the states, and for each stretch without a gap its
/// trajectory, its times and a column for each state.
pub(crate) type Cleaned = (String, Vec<String>, Vec<(String, Vec<f64>, Vec<Vec<f64>>)>);

/// What was learned from trajectories.
#[pyclass(frozen, get_all, module = "eqlearn._native")]
#[derive(Debug)]
pub(crate) struct Discovery {
    /// The result document, as JSON.
    pub(crate) document: String,
    /// The system, if every state has an equation.
    pub(crate) system: Option<System>,
    /// One per state.
    pub(crate) outcomes: Vec<Outcome>,
    /// The record without its noise, if states and coefficients were fitted together.
    pub(crate) cleaned: Option<Cleaned>,
    /// At how many gaps the record was cut.
    pub(crate) n_gaps: usize,
    /// How many stretches were too short to use.
    pub(crate) n_short: usize,
    /// What the record tells about the next step.
    pub(crate) hints: Vec<String>,
}

pub(crate) fn texts(dictionary: &Dictionary) -> Vec<String> {
    dictionary.terms().iter().map(ToString::to_string).collect()
}
