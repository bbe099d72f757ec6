//! One law for several experiments.
//!
//! The same terms in all, coefficients free in each or shared by all, one noise level. The lists
//! are exact, and all that they hold compete by the criterion, which counts every coefficient with
//! the rows that tell of it.

mod sharing;

use std::sync::Arc;

use super::{LearnError, Settings};
use crate::error::Result;
use crate::judge::criterion::{Criterion, Sample, Size};
use crate::judge::ranking::Yardstick;
use crate::learn::model::{GroupedModel, Model};
use crate::methods::Method;
use crate::observe::Observer;
use crate::reduce::groups::{GroupFit, Groups};
use crate::reduce::support::Support;
use crate::search::groups::{GroupRun, GroupsFound, search_groups};
use crate::terms::problem::Problem;
use crate::terms::term::Term;

pub use sharing::{Equality, Pattern, Sharing};

/// Rivals that share the probability are listed, in nats behind the best.
const RIVALS: f64 = 6.9;

/// A law for all experiments that was compared.
#[derive(Debug, Clone)]
pub struct GroupRanked {
    /// Its fit.
    pub fit: GroupFit,
    /// Its score, larger is better.
    pub score: f64,
    /// Its probability among those listed.
    pub probability: f64,
}

/// What was learned from several experiments, and from what: an immutable value.
#[derive(Debug, Clone)]
pub struct GroupedStudy {
    problem: Problem,
    groups: Arc<Groups>,
    shared: Support,
    settings: Settings,
    found: GroupsFound,
    /// The most free terms that the smallest experiment determines, if that is a limit.
    limit: Option<usize>,
    baseline: GroupFit,
    /// Best first.
    models: Vec<GroupRanked>,
    answer: Option<usize>,
    sharing: Option<Sharing>,
}

/// Learns one law for several experiments; those of its terms that are `shared` have one
/// coefficient for all.
///
/// ```
/// use eqlearn::learn::grouped::learn_grouped;
/// use eqlearn::reduce::groups::{Groups, Labelled};
/// use eqlearn::*;
///
/// // y = w x + 2 with w = 1 in one experiment and w = 3 in the other.
/// let x: Vec<f64> = (0..20).map(|i| f64::from(i % 10)).collect();
/// let run = |i: usize| i / 10;
/// let noise = |i: usize| 0.01 * (i as f64 * 7.9).sin();
/// let law = |i: usize| [1.0, 3.0][run(i)] * x[i] + 2.0 + noise(i);
/// let y = (0..20).map(law).collect();
/// let table = Table::new(vec![("x".into(), x.clone()), ("y".into(), y)])?;
/// let labels = vec!["a".into(), "b".into()];
/// let rows = Labelled { table, labels, places: (0..20).map(run).collect() };
///
/// let problem = Problem::new("y", Dictionary::monomials(["x"], 3, 3, true)?)?;
/// let groups = Groups::reduce(&problem, "run", [Ok(rows)].into_iter(), 1, &mut ())?;
/// let (shared, settings) = (Support::empty(), Settings::default());
/// let study = learn_grouped(&problem, groups, &shared, &settings, &mut ())?;
/// let models = study.models_of_answer().expect("there is a law");
/// assert_eq!(models[1].to_string(), "y = 1.999(4) + 3.0000(8) x");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// A method without exact lists, a criterion that needs more than residuals, an experiment of a
/// single row.
pub fn learn_grouped(
    problem: &Problem,
    groups: Groups,
    shared: &Support,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<GroupedStudy> {
    let ends_early = match settings.method {
        Method::Best => true,
        Method::BestSubset => false,
        _ => {
            let method = settings.method.name();
            return Err(LearnError::MethodOfGroups { method }.into());
        }
    };
    let settings = settings.without_copies_in(problem, &groups, shared);
    let centre = &settings.space.centre;
    let scale = Scale::new(&groups, shared, &settings)?;
    let limit = most_free(&groups, shared, &settings)?;
    let score = |free: usize, shared: usize, share: f64| scale.score(free, shared, share);
    let mut run = GroupRun {
        max_free: limit,
        ..GroupRun::default()
    };
    if ends_early {
        run.score = Some(&score);
        run.rivals = RIVALS;
        run.cheap = Some(settings.patience.cheap);
    }
    let found = search_groups(&groups, shared, &settings.space, &run, observer)?;
    if found.lists.iter().all(|one| one.list.best.is_empty()) && !found.is_exact() {
        let n_terms = groups.n_terms();
        return Err(LearnError::NothingSearched { n_terms }.into());
    }
    let baseline = groups.fit(centre, shared);
    let listed = found.lists.iter().flat_map(|one| &one.list.best);
    let mut supports: Vec<Support> = listed.map(|one| one.support.union(centre)).collect();
    supports.push(centre.clone());
    supports.sort_unstable();
    supports.dedup();
    let rank = |support: &Support| {
        let fit = groups.fit(support, shared);
        let score = scale.score_of(&fit, &baseline, centre);
        GroupRanked {
            fit,
            score,
            probability: 0.0,
        }
    };
    let mut models: Vec<GroupRanked> = supports.iter().map(rank).collect();
    weigh(&mut models);
    let is_law = |model: &GroupRanked| {
        let terms = model.fit.support().indices();
        *model.fit.support() != *centre
            && (terms.iter()).any(|&term| !problem.dictionary().terms()[term].is_constant())
    };
    let answer = is_law(&models[0]).then_some(0);
    let sharing = answer.map(|place| Sharing::new(&groups, &models[place].fit, &scale, &baseline));
    Ok(GroupedStudy {
        problem: problem.clone(),
        groups: Arc::new(groups),
        shared: shared.clone(),
        found,
        limit,
        baseline,
        models,
        answer,
        sharing,
        settings,
    })
}

/// Orders models by score, ties by support, and turns scores into probabilities.
fn weigh(models: &mut [GroupRanked]) {
    models.sort_by(|a, b| {
        let supports = || a.fit.support().cmp(b.fit.support());
        b.score.total_cmp(&a.score).then_with(supports)
    });
    let best = models[0].score;
    let weight = |score: f64| (score - best).exp();
    let total: f64 = models.iter().map(|model| weight(model.score)).sum();
    for model in models {
        model.probability = weight(model.score) / total;
    }
}

/// The most free terms that the smallest experiment determines; none if it determines all that may
/// be chosen.
fn most_free(groups: &Groups, shared: &Support, settings: &Settings) -> Result<Option<usize>> {
    let sizes = groups
        .each()
        .iter()
        .map(super::super::reduce::Reduction::n_obs);
    let smallest = sizes.zip(groups.names()).min_by_key(|(n_obs, _)| *n_obs);
    let (n_obs, name) = smallest.expect("there is an experiment");
    let space = &settings.space;
    let free = |terms: &Support| terms.minus(shared).len();
    let always = free(&space.centre);
    let needed = (always + free(&space.required)).max(1);
    if n_obs < needed.max(2) && groups.n_terms() > shared.len() {
        return Err(LearnError::FewRowsOfGroup {
            column: groups.column().to_string(),
            group: name.clone(),
            n_obs,
            n_terms: needed,
        }
        .into());
    }
    let most = n_obs - always;
    let candidates = groups.n_terms() - free(&space.excluded) - always - shared.len();
    Ok((most < candidates.min(space.max_terms)).then_some(most))
}

/// How laws for several experiments are scored.
#[derive(Debug)]
struct Scale {
    yardstick: Yardstick,
    sample: Sample,
    n_groups: usize,
    /// The sum over the experiments of the logarithm of their rows, and that of all rows.
    log_rows: f64,
    log_all: f64,
}

impl Scale {
    fn new(groups: &Groups, shared: &Support, settings: &Settings) -> Result<Self> {
        let yardstick = settings.yardstick(groups.n_terms());
        if matches!(yardstick.criterion, Criterion::Evidence(_)) {
            return Err(LearnError::EvidenceOfGroups.into());
        }
        let centre = &settings.space.centre;
        let free = centre.minus(shared).len();
        let log = |n: usize| (n.max(1) as f64).ln();
        let n_groups = groups.each().len();
        Ok(Self {
            sample: Sample {
                n_obs: groups.n_obs(),
                always_in: free * n_groups + centre.len() - free,
                n_candidates: yardstick.n_candidates,
            },
            yardstick,
            n_groups,
            log_rows: groups.each().iter().map(|one| log(one.n_obs())).sum(),
            log_all: log(groups.n_obs()),
        })
    }

    /// The size of a law with this many free and shared terms.
    fn size(&self, free: usize, shared: usize) -> Size {
        Size {
            terms: free + shared,
            coefficients: free * self.n_groups + shared,
            log_rows: Some(free as f64 * self.log_rows + shared as f64 * self.log_all),
        }
    }

    fn score(&self, free: usize, shared: usize, share: f64) -> f64 {
        let (size, criterion) = (self.size(free, shared), &self.yardstick.criterion);
        let score = criterion.score_of_residual(&self.sample, size, share);
        let score = score.expect("the criterion needs the residual only");
        score
            + self
                .yardstick
                .size_prior
                .log_prior(&self.sample, size.terms)
    }

    /// The score of a fit, all of whose terms count.
    fn score_of_all(&self, fit: &GroupFit, baseline: &GroupFit) -> f64 {
        let sample = Sample {
            always_in: 0,
            ..self.sample
        };
        let shared = fit.shared().len();
        let size = self.size(fit.support().len() - shared, shared);
        let share = fit.share_of(baseline);
        let score = (self.yardstick.criterion).score_of_residual(&sample, size, share);
        score.expect("the criterion needs the residual only")
    }

    /// The score of a fit, whose terms in the centre do not count.
    fn score_of(&self, fit: &GroupFit, baseline: &GroupFit, centre: &Support) -> f64 {
        let chosen = fit.support().minus(centre);
        let shared = chosen.len() - chosen.minus(fit.shared()).len();
        let share = fit.share_of(baseline);
        self.score(chosen.len() - shared, shared, share)
    }
}

impl GroupedStudy {
    /// The target, and the terms that there were to choose from.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The rows of all experiments.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The terms that have one coefficient for all experiments if they are in the law.
    pub fn shared(&self) -> &Support {
        &self.shared
    }

    /// How it was learned.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The exact lists.
    pub fn found(&self) -> &GroupsFound {
        &self.found
    }

    /// The most free terms that the smallest experiment determines, where the search could have
    /// gone further.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// The fit of the terms that are always in.
    pub fn baseline(&self) -> &GroupFit {
        &self.baseline
    }

    /// All laws that were compared, best first.
    pub fn models(&self) -> &[GroupRanked] {
        &self.models
    }

    /// The answer; none if the data support no equation.
    pub fn answer(&self) -> Option<&GroupRanked> {
        self.answer.map(|place| &self.models[place])
    }

    /// The best law besides the answer.
    pub fn runner_up(&self) -> Option<&GroupRanked> {
        let models = self.models.iter().enumerate();
        let mut others = models.filter(|(place, _)| Some(*place) != self.answer);
        others.next().map(|(_, ranked)| ranked)
    }

    /// Which coefficients of the answer differ between experiments.
    pub fn sharing(&self) -> Option<&Sharing> {
        self.sharing.as_ref()
    }

    /// For each term of the dictionary, the probability that it belongs in the law.
    pub fn inclusion(&self) -> Vec<f64> {
        let mut inclusion = vec![0.0_f64; self.groups.n_terms()];
        for model in &self.models {
            for &term in model.fit.support().indices() {
                inclusion[term] = (inclusion[term] + model.probability).min(1.0);
            }
        }
        inclusion
    }

    /// The equation of each experiment by the answer, in their order, with one noise level for all.
    pub fn models_of_answer(&self) -> Option<Vec<Model>> {
        Some(self.models_of(&self.answer()?.fit))
    }

    /// The law by the answer, to be saved and for predictions.
    pub fn model(&self) -> Option<GroupedModel> {
        let (column, names) = (self.groups.column(), self.groups.names().to_vec());
        Some(GroupedModel::new(column, names, self.models_of_answer()?))
    }

    /// The same or, without an answer, what is best without one: the terms that are always in.
    pub fn model_or_empty(&self) -> GroupedModel {
        let (column, names) = (self.groups.column(), self.groups.names().to_vec());
        let empty = || GroupedModel::new(column, names, self.models_of(&self.models[0].fit));
        self.model().unwrap_or_else(empty)
    }

    fn models_of(&self, fit: &GroupFit) -> Vec<Model> {
        let finite = |rows: &Vec<Vec<f64>>| rows.iter().flatten().all(|v| v.is_finite());
        let covariances = self.groups.covariances(fit);
        // Variances that overflow are left out: no file could hold them.
        let covariances = covariances.filter(|all| all.iter().all(finite));
        let model = |(place, rows): (usize, &crate::reduce::Reduction)| {
            let covariance = covariances.as_ref().map(|all| all[place].clone());
            let one = rows.fit(fit.support());
            let model = Model::new(&self.problem, &one);
            let model = model.refined(fit.coefficients()[place].clone(), covariance);
            model.learned_from(fit.sigma(), rows.n_obs())
        };
        self.groups.each().iter().enumerate().map(model).collect()
    }

    /// A term of the dictionary.
    pub fn term(&self, place: usize) -> &Term {
        &self.problem.dictionary().terms()[place]
    }

    /// The terms of a support as text.
    pub fn names(&self, support: &Support) -> Vec<String> {
        let terms = support.indices().iter();
        terms.map(|&term| self.term(term).to_string()).collect()
    }
}
