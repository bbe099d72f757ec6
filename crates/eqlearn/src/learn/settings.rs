//! What to learn, and by which rules.

use serde::{Deserialize, Serialize};

use crate::judge::criterion::{Criterion, EvidencePrior, SizePrior};
use crate::judge::ranking::Yardstick;
use crate::methods::Method;
use crate::methods::{Consistency, Patience, Task};
use crate::reduce::Data;
use crate::search::{Run, Search};
use crate::terms::problem::Problem;

/// What to learn: the method, the supports that there are to choose from, and what makes one
/// better.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `method` | `Best` | how supports are found |
/// | `space` | sizes up to 8, 25 kept | the supports to choose from |
/// | `criterion` | `Residual` | ranks the models of `Best` and `BestSubset` |
/// | `size_prior` | uniform over models | composed with the criterion |
/// | `evidence` | the paper's | the prior of the evidence |
/// | `consistency` | the paper's | how votes are counted |
/// | `tune` | true | with folds, cross-validation chooses the knob of a regression method |
/// | `refit` | false | replace a regression method's own coefficients by least squares |
/// | `n_candidates` | none | how many terms there were before a screening, if there was one |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How supports are found.
    pub method: Method,
    /// The supports to choose from; its `centre` is what is always in.
    pub space: Search,
    /// What makes a model better.
    pub criterion: Criterion,
    /// How likely sizes are beforehand.
    pub size_prior: SizePrior,
    /// The prior of the paper's evidence.
    pub evidence: EvidencePrior,
    /// How votes are counted by the paper's methods.
    pub consistency: Consistency,
    /// When the default method ends its search.
    #[serde(skip)]
    pub patience: Patience,
    /// Whether cross-validation chooses the knob of a regression method, where the data come in
    /// folds.
    pub tune: bool,
    /// Whether least squares on the chosen terms replaces a regression method's own coefficients.
    pub refit: bool,
    /// How many terms there were to choose from before a screening left those of the problem; the
    /// prior counts them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_candidates: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            space: Search::default(),
            criterion: Criterion::Residual,
            size_prior: SizePrior::default(),
            evidence: EvidencePrior::default(),
            consistency: Consistency::default(),
            patience: Patience::default(),
            tune: true,
            refit: false,
            n_candidates: None,
        }
    }
}

impl Settings {
    /// How models of a dictionary are compared.
    pub(super) fn yardstick(&self, n_terms: usize) -> Yardstick {
        let space = &self.space;
        let n_terms = self.n_candidates.unwrap_or(n_terms);
        Yardstick {
            criterion: self.method.seam().criterion(self.criterion, self.evidence),
            size_prior: self.size_prior,
            n_candidates: n_terms - space.centre.len() - space.excluded.len(),
        }
    }

    /// What the method is asked.
    pub fn task<'a>(&'a self, problem: &'a Problem, data: Data<'a>, run: &'a Run<'a>) -> Task<'a> {
        let folds = if self.tune { data.folds } else { &[] };
        Task {
            problem,
            data: Data { folds, ..data },
            space: &self.space,
            yardstick: self.yardstick(data.whole.n_terms()),
            evidence: self.evidence,
            consistency: &self.consistency,
            patience: self.patience,
            run,
        }
    }
}
