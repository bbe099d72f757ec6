//! From a reduction to one equation, and how sure one can be of it.
//!
//! A method proposes supports; [`Ranking`] fits, scores and weighs them; the best is the answer, unless the method
//! has one of its own or nothing beats the empty equation.

mod jointly;
pub mod model;
mod regress;

use serde::{Deserialize, Serialize};

pub use jointly::learn_jointly;
pub use regress::Own;

pub use crate::methods::Method;

use crate::error::{PartsProblem, Result};
use crate::judge::criterion::{Criterion, EvidencePrior, Judged, Sample, SizePrior};
use crate::judge::ranking::{Ranked, Ranking, Yardstick};
use crate::learn::model::Model;
use crate::methods::{Consistency, Proposal, Stepwise, Votes, bayes_stepwise, ols, vote};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Data, Reduction};
use crate::search::{Found, Run, Search, SearchPart, Shard, SizeList, search, search_shard};
use crate::terms::problem::Problem;

/// What to learn: the method, the supports that there are to choose from, and what makes one better.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `method` | `Best` | how supports are found |
/// | `space` | sizes up to 8, 25 kept | the supports to choose from |
/// | `criterion` | `Residual` | what makes a model better, for `Best` and `BestSubset`; the paper's methods use its evidence |
/// | `size_prior` | uniform over models | composed with the criterion |
/// | `evidence` | the paper's | the prior of the evidence |
/// | `consistency` | the paper's | how votes are counted |
/// | `tune` | true | cross-validation chooses the knob of a regression method, where the data come in folds |
/// | `refit` | false | least squares on the terms that a regression method chose, in place of its own coefficients |
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
    /// Whether cross-validation chooses the knob of a regression method, where the data come in folds.
    pub tune: bool,
    /// Whether least squares on the chosen terms replaces a regression method's own coefficients.
    pub refit: bool,
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
        }
    }
}

/// What was learned, and from what.
#[derive(Debug, Clone)]
pub struct Study {
    /// All models that were compared.
    pub ranking: Ranking,
    /// The answer's place in the ranking; none if the data support no equation.
    pub answer: Option<usize>,
    /// How models were compared.
    pub yardstick: Yardstick,
    /// The exact lists, for the methods that make them.
    pub found: Option<Found>,
    /// The votes, for the paper's methods.
    pub votes: Option<Votes>,
    /// The walk, for the stepwise method.
    pub walk: Option<Stepwise>,
    /// What a regression method proposed, with how its knob was chosen.
    pub proposal: Option<Proposal>,
    /// The answer's own coefficients, where they are not those of its fit.
    pub own: Option<Own>,
}

impl Study {
    /// The paper's log evidence of a model, if it has one.
    pub fn log_evidence(&self, ranked: &Ranked, settings: &Settings) -> Option<f64> {
        let (fit, baseline) = (&ranked.fit, self.ranking.baseline());
        let judged = Judged {
            fit,
            baseline,
            n_candidates: self.yardstick.n_candidates,
        };
        Some(settings.evidence.log_evidence(&judged)).filter(|value| value.is_finite())
    }

    /// The learned model, if there is one.
    pub fn answer(&self) -> Option<&Ranked> {
        self.answer.map(|place| &self.ranking.models()[place])
    }

    /// The learned equation: with the method's own coefficients, or else those of least squares.
    pub fn model(&self, problem: &Problem) -> Option<Model> {
        let fit = &self.answer()?.fit;
        Some(match &self.own {
            Some(own) => {
                Model::with_coefficients(problem, fit, &own.coefficients, own.residual_norm)
            }
            None => Model::new(problem, fit),
        })
    }

    /// The best model besides the answer.
    pub fn runner_up(&self) -> Option<&Ranked> {
        let mut others = self
            .ranking
            .models()
            .iter()
            .enumerate()
            .filter(|(place, _)| Some(*place) != self.answer);
        others.next().map(|(_, ranked)| ranked)
    }
}

/// Learns one equation.
///
/// ```
/// use eqlearn::*;
///
/// // y = 2 x² − 3 z, with a little noise.
/// let x: Vec<f64> = (0..30).map(|i| (f64::from(i) * 0.7).sin() * 3.0).collect();
/// let z: Vec<f64> = (0..30).map(|i| (f64::from(i) * 1.3).cos() * 2.0).collect();
/// let y = x.iter().zip(&z).enumerate().map(|(i, (x, z))| 2.0 * x * x - 3.0 * z + 0.01 * (i as f64 * 7.9).sin());
/// let table = Table::new(vec![("x".into(), x.clone()), ("z".into(), z.clone()), ("y".into(), y.collect())])?;
///
/// let problem = Problem::new("y", Dictionary::monomials(["x", "z"], 3, 3, true)?)?;
/// let reduction = reduce_table(&problem, &table)?;
/// let study = learn(&problem, &reduction, &Settings::default(), &search::Run::default(), &mut ())?;
/// let model = Model::new(&problem, &study.answer().expect("there is a law").fit);
/// assert_eq!(model.term_texts(), ["z", "x^2"]);
/// # Ok::<(), Error>(())
/// ```
///
/// A method that has a knob chooses it by cross-validation where the data come as [`Parts`](crate::Parts).
pub fn learn<'a>(
    problem: &Problem,
    data: impl Into<Data<'a>>,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Study> {
    let data = data.into();
    let reduction = data.whole;
    let space = &settings.space;
    let yardstick = yardstick(reduction, settings);
    let rank = |supports: &[Support]| {
        Study::by_rank(
            Ranking::new(reduction, &space.centre, supports, &yardstick),
            yardstick,
        )
    };
    let study = match &settings.method {
        Method::Best => {
            let found = search_while_it_pays(reduction, settings, run, observer)?;
            Study {
                found: Some(found.clone()),
                ..rank(&listed(&found, usize::MAX))
            }
        }
        Method::BestSubset => {
            let found = search(&reduction.triangle(), space, run, observer)?;
            Study {
                found: Some(found.clone()),
                ..rank(&listed(&found, usize::MAX))
            }
        }
        Method::CsR2 | Method::CsEvidence => {
            let votes = vote(reduction, space, &settings.consistency, run, observer)?;
            let sizes = votes.sizes.iter().map(|vote| vote.list.clone()).collect();
            let found = Found {
                sizes,
                ended_early: None,
            };
            let mut supports = listed(&found, settings.consistency.kept);
            let study = if settings.method == Method::CsR2 {
                supports.push(votes.selected());
                rank(&supports).answering(&votes.selected(), &space.centre)
            } else {
                rank(&supports)
            };
            Study {
                found: Some(found),
                votes: Some(votes),
                ..study
            }
        }
        Method::Bsr => {
            // It has no hyperparameters: a limit on the size costs it recovery (DESIGN.md).
            let unlimited = Search {
                max_terms: reduction.n_obs(),
                ..space.clone()
            };
            let walk = bayes_stepwise(reduction, &unlimited, settings.evidence);
            let supports: Vec<Support> = walk
                .path
                .iter()
                .map(|(support, _)| support.clone())
                .collect();
            let study = rank(&supports).answering(walk.answer(), &space.centre);
            Study {
                walk: Some(walk),
                ..study
            }
        }
        Method::Ols => {
            let fit = ols(problem, reduction)?;
            return Ok(
                rank(std::slice::from_ref(fit.support())).answering(fit.support(), &space.centre)
            );
        }
        regression => {
            let method = regression.regression().expect("all others are regressions");
            let proposal = regress::regress(method, data, settings, run, observer)?;
            return Ok(Study::of_proposal(problem, reduction, settings, proposal));
        }
    };
    Ok(study.unless_only_constant(problem))
}

/// How models are compared under these settings.
fn yardstick(reduction: &Reduction, settings: &Settings) -> Yardstick {
    let space = &settings.space;
    let criterion = match settings.method {
        Method::CsR2 | Method::CsEvidence | Method::Bsr => Criterion::Evidence(settings.evidence),
        _ => settings.criterion,
    };
    Yardstick {
        criterion,
        size_prior: settings.size_prior,
        n_candidates: reduction.n_terms() - space.centre.len() - space.excluded.len(),
    }
}

/// The first few supports of each size.
fn listed(found: &Found, most: usize) -> Vec<Support> {
    let lists = found
        .sizes
        .iter()
        .flat_map(|size| size.best.iter().take(most));
    lists.map(|candidate| candidate.support.clone()).collect()
}

/// When a search by the default method goes on to the next size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Always, if that has no more subsets than this.
    pub cheap: u128,
    /// Otherwise only if the last size scored above all smaller ones and its residual is less than that of the size before by this share.
    pub least_drop: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            // Hundredths of a second.
            cheap: 20_000_000,
            least_drop: 0.0,
        }
    }
}

/// Decides one share of the search that a method makes; [`learn`] takes all of them together where its run has them
/// ([`Merged`](crate::search::Merged)).
///
/// # Errors
/// A method that makes no search, or several of which each depends on the one before.
pub fn learn_shard(
    reduction: &Reduction,
    settings: &Settings,
    shard: Shard,
    known: &[(String, SearchPart)],
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<SearchPart> {
    let (triangle, space) = (reduction.triangle(), &settings.space);
    let mut decide = |run: &Run<'_>| search_shard(&triangle, space, shard, known, run, observer);
    match &settings.method {
        Method::Best => while_it_pays(reduction, settings, run, decide),
        Method::BestSubset => decide(run),
        other => {
            let method = other.name().to_string();
            Err(PartsProblem::NotSplittable { method }.into())
        }
    }
}

/// The exact lists of all sizes that can still win.
fn search_while_it_pays(
    reduction: &Reduction,
    settings: &Settings,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Found> {
    let triangle = reduction.triangle();
    while_it_pays(reduction, settings, run, |run| {
        search(&triangle, &settings.space, run, observer)
    })
}

/// Searches with a run that ends where no larger support can score above the best found (the residual of all terms together bounds
/// them all). Before that proof is there, a costly size is searched only as the settings' [`Patience`] says; otherwise the lists
/// end there and say so.
fn while_it_pays<T>(
    reduction: &Reduction,
    settings: &Settings,
    run: &Run<'_>,
    search: impl FnOnce(&Run<'_>) -> T,
) -> T {
    let n_candidates = yardstick(reduction, settings).n_candidates;
    let sample = Sample {
        n_obs: reduction.n_obs(),
        always_in: settings.space.centre.len(),
        n_candidates,
    };
    let bound = |size: usize, share: f64| {
        let prior = settings.size_prior.log_prior(&sample, size);
        settings
            .criterion
            .score_of_residual(&sample, size, share)
            .map(|score| score + prior)
    };
    let score = |size: usize, share: f64| bound(size, share).unwrap_or(f64::INFINITY);
    let go_on = |sizes: &[SizeList], subsets: u128| {
        let best = |list: &SizeList| {
            list.best
                .first()
                .and_then(|c| bound(list.size, c.one_minus_r2))
        };
        let scores: Option<Vec<f64>> = sizes.iter().map(best).collect();
        match scores.as_deref() {
            Some([before @ .., last]) if subsets > settings.patience.cheap => {
                // The empty equation scores 0.
                let rises = before.iter().chain([&0.0]).all(|score| score < last);
                rises && residual_drop(sizes) >= settings.patience.least_drop
            }
            _ => true,
        }
    };
    // The evidence needs more than a residual, so no residual bounds it.
    let bounded = bound(1, 0.5).is_some();
    let run = Run {
        score: bounded.then_some(&score as _),
        go_on: Some(&go_on),
        ..run.clone()
    };
    search(&run)
}

/// By what share the best of the last size leaves less than the best of the size before.
fn residual_drop(sizes: &[SizeList]) -> f64 {
    let residual = |list: Option<&SizeList>| Some(list?.best.first()?.one_minus_r2);
    let mut lists = sizes.iter().rev();
    let (last, before) = (residual(lists.next()), residual(lists.next()));
    1.0 - last.unwrap_or(0.0) / before.unwrap_or(1.0)
}

impl Study {
    /// The study whose answer is the best of the ranking.
    fn by_rank(ranking: Ranking, yardstick: Yardstick) -> Self {
        let answer = (ranking.best().fit.support() != ranking.baseline().support()).then_some(0);
        Self {
            ranking,
            answer,
            yardstick,
            found: None,
            votes: None,
            walk: None,
            proposal: None,
            own: None,
        }
    }

    /// The study of what a regression method proposes.
    fn of_proposal(
        problem: &Problem,
        reduction: &Reduction,
        settings: &Settings,
        proposal: Proposal,
    ) -> Self {
        let yardstick = yardstick(reduction, settings);
        let centre = &settings.space.centre;
        let ranking = Ranking::new(reduction, centre, &proposal.supports, &yardstick);
        Self::by_rank(ranking, yardstick)
            .proposed(proposal, reduction, settings)
            .unless_only_constant(problem)
    }

    /// The study whose answer is a regression method's own.
    fn proposed(self, proposal: Proposal, reduction: &Reduction, settings: &Settings) -> Self {
        let Some(pick) = &proposal.pick else {
            return Self {
                proposal: Some(proposal),
                ..self
            };
        };
        let study = self.answering(&pick.support, &settings.space.centre);
        let own = study
            .answer()
            .filter(|_| !settings.refit)
            .and_then(|answer| Own::unless_least_squares(pick, &answer.fit, reduction));
        Self {
            own,
            proposal: Some(proposal),
            ..study
        }
    }

    /// A constant alone is no law: the same study without an answer if that is all it has.
    fn unless_only_constant(mut self, problem: &Problem) -> Self {
        let terms = problem.dictionary().terms();
        let says_something = |ranked: &Ranked| {
            ranked
                .fit
                .support()
                .indices()
                .iter()
                .any(|&term| !terms[term].is_constant())
        };
        self.answer = self
            .answer
            .filter(|&place| says_something(&self.ranking.models()[place]));
        self
    }

    /// The same study with a method's own answer.
    fn answering(mut self, support: &Support, centre: &Support) -> Self {
        let support = support.union(centre);
        let place = self
            .ranking
            .models()
            .iter()
            .position(|model| *model.fit.support() == support);
        self.answer = place.filter(|_| support != *centre);
        self
    }
}
