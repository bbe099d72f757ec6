//! The rows of several experiments: one triangle for each.
//!
//! One law holds in all experiments, with the same terms. The coefficient of a term is *free*, so
//! that each experiment has its own, or *shared*, one for all. The noise level is one for all.
//!
//! # The joint fit
//!
//! Free terms are projected out of each experiment by itself. What is left of the shared terms and
//! of the target is one problem over all rows, and its residual is that of the joint fit. So a fit
//! costs as much as one per experiment, however many coefficients there are together.

mod part;

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Reduction;
use super::fit::DEPENDENT;
use super::rows::{Columns, Reduced, pool, reduce_batch};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::ReduceError;
use crate::reduce::support::Support;
use crate::terms::problem::Problem;

pub use part::GroupFit;
use part::Part;

/// Some rows, and the experiment of each.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The rows.
    pub table: Table,
    /// The names of experiments.
    pub labels: Vec<String>,
    /// For each row the place of its experiment among the labels.
    pub places: Vec<usize>,
}

impl Labelled {
    /// The rows of each label that has some, in the order of the labels.
    pub fn by_label(&self) -> impl Iterator<Item = (&str, Table)> {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); self.labels.len()];
        for (row, &place) in self.places.iter().enumerate() {
            rows[place].push(row);
        }
        let labels = self.labels.iter().map(String::as_str);
        let labelled = labels.zip(rows).filter(|(_, rows)| !rows.is_empty());
        labelled.map(|(label, rows)| (label, self.table.picked(&rows)))
    }
}

/// The rows of several experiments.
///
/// ```
/// use eqlearn::reduce::groups::Groups;
/// use eqlearn::{Reduction, Support};
///
/// // y = 2 x in one experiment, y = 3 x in the other.
/// let one = Reduction::from_columns(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]]);
/// let two = Reduction::from_columns(&[&[1.0, 2.0, 3.0], &[3.0, 6.0, 9.0]]);
/// let groups = Groups::new("run", vec![("a".into(), one), ("b".into(), two)]);
/// let fit = groups.fit(&Support::from_iter([0]), &Support::empty());
/// assert!((fit.coefficients()[1][0] - 3.0).abs() < 1e-12);
/// assert!(fit.residual_norm() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct Groups {
    column: String,
    names: Vec<String>,
    each: Vec<Reduction>,
    /// For each feature its value in each experiment, if it is constant in all of them.
    parameters: Vec<Option<Vec<f64>>>,
}

impl Groups {
    /// Experiments by name, in this order; `column` is what tells them apart.
    ///
    /// # Panics
    /// If there is none, or they do not have the same number of terms.
    pub fn new(column: impl Into<String>, groups: Vec<(String, Reduction)>) -> Self {
        let (names, each): (Vec<String>, Vec<Reduction>) = groups.into_iter().unzip();
        let n_terms = each.first().expect("there is an experiment").n_terms();
        let alike = each.iter().all(|one| one.n_terms() == n_terms);
        assert!(alike, "experiments over the same dictionary");
        Self {
            column: column.into(),
            names,
            each,
            parameters: Vec::new(),
        }
    }

    /// Reduces a stream of rows, each experiment by itself, in the order of first appearance.
    ///
    /// # Errors
    /// As [`reduce`](super::reduce).
    pub fn reduce(
        problem: &Problem,
        column: &str,
        batches: impl Iterator<Item = Result<Labelled>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let pool = pool(threads);
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut all: Vec<(String, Reduced)> = Vec::new();
        let mut n_rows = 0;
        for batch in batches {
            let batch = batch?;
            n_rows += batch.table.n_rows();
            let parts: Vec<(usize, Table)> = batch
                .by_label()
                .map(|(label, rows)| {
                    let next = all.len();
                    let place = *places.entry(label.to_string()).or_insert(next);
                    if place == next {
                        all.push((label.to_string(), Reduced::nothing(problem)));
                    }
                    (place, rows)
                })
                .collect();
            let reduce_one = |(place, rows): &(usize, Table)| {
                let before = all[*place].1.reduction.n_obs();
                Ok((*place, reduce_batch(problem, rows, before)?))
            };
            let reduced: Vec<Result<(usize, Reduced)>> =
                pool.install(|| parts.par_iter().map(reduce_one).collect());
            for one in reduced {
                let (place, new) = one?;
                let known = std::mem::replace(&mut all[place].1, Reduced::nothing(problem));
                all[place].1 = known.merge(new);
            }
            let progress = Progress {
                stage: Stage::Rows,
                done: n_rows as u128,
                total: 0,
            };
            if observer.progress(&progress).is_break() {
                return Err(Error::Stopped);
            }
        }
        if all.is_empty() {
            return Err(ReduceError::NoRowsToLearnFrom.into());
        }
        let columns = all.iter().map(|(_, one)| &one.columns);
        let columns = columns.fold(Columns::nothing(), |all, one| all.merge(one.clone()));
        columns.check(problem, n_rows)?;
        let n_features = problem.dictionary().features().len();
        let value = |feature| {
            all.iter()
                .map(|(_, one)| one.columns.constant(feature))
                .collect()
        };
        let parameters = (0..n_features).map(value).collect();
        let groups = all.into_iter().map(|(name, one)| (name, one.reduction));
        Ok(Self {
            parameters,
            ..Self::new(column, groups.collect())
        })
    }

    /// What tells the experiments apart.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The names of the experiments.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The rows of each experiment.
    pub fn each(&self) -> &[Reduction] {
        &self.each
    }

    /// How many rows there are together.
    pub fn n_obs(&self) -> usize {
        self.each.iter().map(Reduction::n_obs).sum()
    }

    /// The number of terms.
    pub fn n_terms(&self) -> usize {
        self.each[0].n_terms()
    }

    /// The value of a feature in each experiment, if it is constant in all of them: a known
    /// parameter of the experiments.
    pub fn parameter(&self, feature: usize) -> Option<&[f64]> {
        self.parameters.get(feature)?.as_deref()
    }

    /// Whether a feature is constant in each experiment.
    pub(crate) fn is_parameter(&self, feature: usize) -> bool {
        self.parameter(feature).is_some()
    }

    /// Whether one term is, in every experiment, a multiple of another.
    pub(crate) fn is_multiple(&self, term: usize, other: usize) -> bool {
        self.each.iter().all(|one| one.is_multiple(term, other))
    }

    /// The rows of all as if they were one experiment.
    pub fn whole(&self) -> Reduction {
        Reduction::merge_all(self.n_terms(), &self.each)
    }

    /// Least squares on one support; those of its terms that are `shared` have one coefficient for
    /// all experiments.
    ///
    /// # Panics
    /// If the support names a term that is not there.
    pub fn fit(&self, support: &Support, shared: &Support) -> GroupFit {
        let shared: Support = common(support, shared);
        let free = support.minus(&shared);
        let parts: Vec<Part<'_>> = self.each.iter().map(|one| Part::new(one, &free)).collect();
        let (joint, joint_dependent) = self.joint(&parts, &shared);
        let mut fit = GroupFit {
            support: support.clone(),
            n_obs: self.n_obs(),
            residual_norm: joint.residual_norm(),
            coefficients: Vec::new(),
            dependent: Vec::new(),
            n_coefficients: shared.len() - joint_dependent.len(),
            shared: shared.clone(),
        };
        let kept = shared.minus(&joint_dependent);
        for part in &parts {
            let known = |term: usize| match kept.indices().binary_search(&term) {
                Ok(place) => joint.coefficients()[place],
                Err(_) => 0.0,
            };
            let own = part.complete(&kept, &known);
            let value = |&term: &usize| match part.independent.indices().binary_search(&term) {
                Ok(place) => own[place],
                Err(_) => known(term),
            };
            fit.coefficients
                .push(support.indices().iter().map(value).collect());
            let dependent = free.minus(&part.independent);
            fit.dependent.push(dependent.union(&joint_dependent));
            fit.n_coefficients += part.independent.len();
        }
        fit
    }

    /// The fit of the shared terms once the free ones are projected out, and those of them that
    /// are linear combinations of others.
    fn joint(&self, parts: &[Part<'_>], shared: &Support) -> (super::Fit, Support) {
        let left: Vec<Reduction> = parts.iter().map(|part| part.left(shared)).collect();
        let left = Reduction::merge_all(shared.len(), &left);
        // What is left of a combination of free terms is rounding error.
        let gone = |place: &usize| {
            let term = shared.indices()[*place];
            let whole = length(self.each.iter().map(|one| one.column_norm(term)));
            left.column_norm(*place) <= DEPENDENT * whole
        };
        let gone: Support = (0..shared.len()).filter(gone).collect();
        let all: Support = (0..shared.len()).collect();
        let first = left.fit(&all.minus(&gone));
        let dependent = gone.union(first.dependent());
        let terms = |places: &Support| {
            let places = places.indices().iter();
            places.map(|&place| shared.indices()[place]).collect()
        };
        let fit = left.fit(&all.minus(&dependent));
        (fit, terms(&dependent))
    }

    /// The covariance of the coefficients of each experiment, row by row; none without a degree of
    /// freedom to estimate the noise from.
    ///
    /// # Formula
    /// ```text
    /// free:    σ² (FᵀF)⁻¹ + B V Bᵀ,   shared: V,   both: −B V
    /// ```
    /// `V` is the covariance of the shared coefficients, and `B` what the free terms `F` explain of
    /// the shared ones.
    pub fn covariances(&self, fit: &GroupFit) -> Option<Vec<Vec<Vec<f64>>>> {
        let sigma = fit.sigma()?;
        let free = fit.support.minus(&fit.shared);
        let parts: Vec<Part<'_>> = self.each.iter().map(|one| Part::new(one, &free)).collect();
        let (joint, dependent) = self.joint(&parts, &fit.shared);
        let kept = fit.shared.minus(&dependent);
        let of_shared = joint.covariance_at(sigma);
        let of = |part: &Part<'_>| part.covariance(&fit.support, &kept, &of_shared, sigma);
        Some(parts.iter().map(of).collect())
    }

    /// The length of the residual vector of each experiment.
    pub fn residual_norms(&self, fit: &GroupFit) -> Vec<f64> {
        let each = self.each.iter().zip(&fit.coefficients);
        each.map(|(rows, coefficients)| {
            let mut dense = vec![0.0; rows.n_terms()];
            for (&term, &value) in fit.support.indices().iter().zip(coefficients) {
                dense[term] = value;
            }
            rows.residual_norm_of(&dense)
        })
        .collect()
    }
}

/// The terms that are in both.
fn common(one: &Support, other: &Support) -> Support {
    let terms = one.indices().iter().copied();
    terms.filter(|&term| other.contains(term)).collect()
}

/// The length of a vector whose parts have these lengths, without overflow in between.
pub(crate) fn length(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0_f64, f64::hypot)
}
