//! What to learn, and by which rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::criterion::{Criterion, EvidencePrior, SizePrior};
use crate::judge::ranking::Yardstick;
use crate::methods::Method;
use crate::methods::{Consistency, Patience, Task};
use crate::reduce::groups::Groups;
use crate::reduce::support::Support;
use crate::reduce::{Data, Reduction};
use crate::search::{Run, Search};
use crate::terms::dictionary::Dictionary;
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

    /// The same without powers that are copies on these rows: of a column of zeros and ones all
    /// powers are one, and of −1, 0 and 1 every other one. The first of them stands for all, or one
    /// that is required.
    ///
    /// Copies of an equation would share its probability, which is that of one law.
    #[must_use]
    pub(super) fn without_copies(&self, problem: &Problem, reduction: &Reduction) -> Self {
        let mut settings = self.clone();
        // Least squares on all given terms chooses nothing.
        if matches!(self.method, Method::Ols) {
            return settings;
        }
        let space = &mut settings.space;
        let stays = space.required.union(&space.centre);
        for group in copies(problem.dictionary(), reduction, &space.excluded) {
            let first = group.iter().find(|&&term| stays.contains(term));
            let kept = *first.unwrap_or(&group[0]);
            let others = group.into_iter().filter(|&term| term != kept);
            let others = others.filter(|&term| !stays.contains(term));
            space.excluded = space.excluded.union(&others.collect());
        }
        settings
    }

    /// The same for several experiments: without powers of shared terms that are copies on all
    /// rows, and without free terms that are, in every experiment, a multiple of one before them
    /// because of a feature that is constant there.
    #[must_use]
    pub(super) fn without_copies_in(
        &self,
        problem: &Problem,
        groups: &Groups,
        shared: &Support,
    ) -> Self {
        let whole = groups.whole();
        let mut settings = self.without_copies(problem, &whole);
        let dictionary = problem.dictionary();
        let space = &mut settings.space;
        let stays = space.required.union(&space.centre);
        let free: Vec<usize> = (0..dictionary.len())
            .filter(|&term| !shared.contains(term) && !space.excluded.contains(term))
            .collect();
        let has_parameter = |term: usize| {
            let features = dictionary.terms()[term].features();
            features
                .iter()
                .any(|(place, _)| groups.is_parameter(*place))
        };
        let is_multiple = |term: usize| {
            let plain = free.iter().filter(|&&other| !has_parameter(other));
            plain
                .into_iter()
                .any(|&other| groups.is_multiple(term, other))
        };
        let copies = free.iter().copied();
        let copies = copies.filter(|&term| !stays.contains(term));
        let copies = copies.filter(|&term| has_parameter(term) && is_multiple(term));
        space.excluded = space.excluded.union(&copies.collect());
        settings
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

/// Monomials of the same features that are proportional to each other on these rows, in the order
/// of the dictionary.
fn copies(dictionary: &Dictionary, reduction: &Reduction, excluded: &Support) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Vec<usize>, Vec<Vec<usize>>> = BTreeMap::new();
    for (place, term) in dictionary.terms().iter().enumerate() {
        let Some(powers) = term.powers().filter(|powers| !powers.is_empty()) else {
            continue;
        };
        if excluded.contains(place) {
            continue;
        }
        let features = powers.into_iter().map(|(feature, _)| feature).collect();
        let known = groups.entry(features).or_default();
        let same = |group: &&mut Vec<usize>| reduction.is_copy(group[0], place);
        match known.iter_mut().find(same) {
            Some(group) => group.push(place),
            None => known.push(vec![place]),
        }
    }
    let groups = groups.into_values().flatten();
    groups.filter(|group| group.len() > 1).collect()
}
