//! What a user asks for, as the Python sources write it down: JSON with the words of the command line.

use std::path::PathBuf;
use std::time::Duration;

use eqlearn::judge::criterion::{Criterion, EvidencePrior, SizePrior};
use eqlearn::search::{Cluster, Elsewhere, Run, Search};
use eqlearn::{Cut, Dictionary, Method, Problem, Result, Settings, Support, Term};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Everything but the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) dictionary: DictionaryRequest,
    pub(crate) method: Method,
    max_terms: usize,
    keep: usize,
    require: Vec<String>,
    exclude: Vec<String>,
    criterion: CriterionName,
    size_prior: SizePrior,
    prune: bool,
    pub(crate) refit: bool,
    /// Folds of cross-validation, or of an ensemble's blocks; none where nothing is chosen by it.
    pub(crate) cut: Option<CutInto>,
    pub(crate) threads: usize,
    pub(crate) time_limit: Option<f64>,
    checkpoint: Option<PathBuf>,
}

/// The terms to choose from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DictionaryRequest {
    max_power: u32,
    max_degree: u32,
    terms: Vec<String>,
    only_terms: bool,
    constant: Option<Constant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Constant {
    Free,
    Forced,
    None,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CutInto {
    folds: usize,
    blocks_per_fold: usize,
}

impl From<CutInto> for Cut {
    fn from(cut: CutInto) -> Self {
        Self {
            folds: cut.folds,
            blocks_per_fold: cut.blocks_per_fold,
        }
    }
}

/// The names of the command line, each with its usual parameter.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CriterionName {
    Residual,
    Evidence,
    Bic,
    Ebic,
    Aic,
    Aicc,
    #[serde(rename = "adjusted-r2")]
    AdjustedR2,
    UnitInformation,
    HyperG,
    ZellnerSiow,
}

impl From<CriterionName> for Criterion {
    fn from(name: CriterionName) -> Self {
        match name {
            CriterionName::Residual => Self::Residual,
            CriterionName::Evidence => Self::Evidence(EvidencePrior::default()),
            CriterionName::Bic => Self::Bic,
            CriterionName::Ebic => Self::Ebic { gamma: 1.0 },
            CriterionName::Aic => Self::Aic,
            CriterionName::Aicc => Self::Aicc,
            CriterionName::AdjustedR2 => Self::AdjustedRSquared,
            CriterionName::UnitInformation => Self::UnitInformation,
            CriterionName::HyperG => Self::HyperG { a: 3.0 },
            CriterionName::ZellnerSiow => Self::ZellnerSiow,
        }
    }
}

/// Reads what the Python sources wrote.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| {
        // The place in a text that no user wrote helps nobody.
        let message = error.to_string();
        let words = message.split(" at line ").next().unwrap_or_default();
        PyValueError::new_err(words.to_string())
    })
}

impl DictionaryRequest {
    /// The dictionary over these features.
    pub(crate) fn dictionary(&self, features: &[String]) -> Result<Dictionary> {
        let base = if self.only_terms {
            Dictionary::new(features)?
        } else {
            let constant = self.constant != Some(Constant::None);
            Dictionary::monomials(features, self.max_power, self.max_degree, constant)?
        };
        let asks_for_constant = matches!(self.constant, Some(Constant::Free | Constant::Forced));
        let lists_constant = self
            .terms
            .iter()
            .any(|text| Term::parse(text, features).is_ok_and(|term| term.is_constant()));
        let base = if self.only_terms && asks_for_constant && !lists_constant {
            base.with([Term::constant()])?
        } else {
            base
        };
        base.and_parse(&self.terms)
    }
}

impl Request {
    /// The settings for a problem over this dictionary.
    pub(crate) fn settings(&self, dictionary: &Dictionary) -> Result<Settings> {
        let constant = dictionary.terms().iter().position(Term::is_constant);
        let forced = match self.dictionary.constant {
            Some(Constant::Forced) => true,
            Some(Constant::Free) => self.method == Method::Ols,
            Some(Constant::None) => false,
            None => self.method.centres(),
        };
        let centre: Support = constant.filter(|_| forced).into_iter().collect();
        let named = |texts: &[String]| -> Result<Support> {
            let places = texts.iter().map(|text| dictionary.find(text));
            let places = places.collect::<Result<Vec<usize>>>()?;
            Ok(places
                .into_iter()
                .filter(|&term| !centre.contains(term))
                .collect())
        };
        let space = Search {
            max_terms: self.max_terms,
            keep: self.keep,
            required: named(&self.require)?,
            excluded: named(&self.exclude)?,
            centre: centre.clone(),
            ..Search::default()
        };
        let mut settings = Settings {
            method: self.method.clone(),
            space,
            criterion: self.criterion.into(),
            size_prior: self.size_prior,
            tune: self.cut.is_some(),
            refit: self.refit,
            ..Settings::default()
        };
        settings.consistency.kept = self.keep;
        settings.consistency.prune = self.prune;
        Ok(settings)
    }

    /// How to run, here or elsewhere.
    pub(crate) fn run<'a>(&self, cluster: Option<&'a Cluster<'a>>) -> Run<'a> {
        Run {
            threads: self.threads,
            checkpoint: self.checkpoint.clone(),
            elsewhere: cluster.map(|cluster| cluster as &dyn Elsewhere),
            ..Run::default()
        }
    }

    /// When to stop.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let seconds = self.time_limit?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// One problem per target.
    pub(crate) fn problems(
        &self,
        features: &[String],
        targets: &[String],
        weights: Option<&str>,
    ) -> Result<Vec<Problem>> {
        let dictionary = self.dictionary.dictionary(features)?;
        let problem = |target: &String| {
            let problem = Problem::new(target, dictionary.clone())?;
            match weights {
                Some(column) => problem.with_weights(column),
                None => Ok(problem),
            }
        };
        targets.iter().map(problem).collect()
    }
}
