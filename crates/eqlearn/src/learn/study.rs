//! What was learned, and from what: an immutable value.

use std::collections::BTreeMap;

use super::Settings;
use super::model::Model;
use crate::judge::criterion::{Judged, Sample};
use crate::judge::imitation::{self, Imitation};
use crate::judge::misfit::{Misfit, Remedy};
use crate::judge::ranking::{Ranked, Ranking, Yardstick};
use crate::methods::{How, Patience, Pick, Proposal, Regressed, Stepwise, Votes};
use crate::reduce::support::Support;
use crate::reduce::{Fit, Reduction};
use crate::search::Found;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// What was learned, with all that it speaks of: the problem, the rows, the settings, the models
/// that were compared, how they were found, and which one is the answer.
#[derive(Debug, Clone)]
pub struct Study {
    problem: Problem,
    reduction: Reduction,
    settings: Settings,
    yardstick: Yardstick,
    ranking: Ranking,
    how: How,
    /// The method's own choice, if it has a rule.
    choice: Option<Support>,
    /// The answer's place in the ranking; none if the data support no equation.
    answer: Option<usize>,
    /// The answer with parameters that least squares in the target's own units gave, where those
    /// of the linear fit are not the same.
    polished: Option<Polished>,
    /// Where the terms are from.
    vocabulary: Vocabulary,
    /// Whether the law seems to be outside; none if that was not or cannot be judged.
    misfit: Option<Misfit>,
    /// What would lower the residuals, where that was tried.
    remedy: Option<Remedy>,
    /// Why the answer may be an approximation of another law, where that was asked.
    imitation: Option<Imitation>,
}

/// The answer of a study, fitted in the target's own units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polished {
    /// The equation.
    pub(crate) model: Model,
    /// The length of its residual vector.
    pub(crate) residual_norm: f64,
    /// Its residual sum of squares as a share of that of the target.
    pub(crate) share: f64,
}

/// The log of the odds against an equation that nobody would consider.
const UNLIKELY: f64 = 100.0;

impl Study {
    /// Ranks what a method proposes. Its own choice is the answer, or else the best of the ranking,
    /// unless that is the empty equation.
    pub(crate) fn new(
        problem: &Problem,
        reduction: &Reduction,
        settings: &Settings,
        proposal: Proposal,
    ) -> Self {
        let (centre, yardstick) = (
            &settings.space.centre,
            settings.yardstick(reduction.n_terms()),
        );
        let ranking = Ranking::new(reduction, centre, &proposal.supports, &yardstick);
        let place = match &proposal.choice {
            Some(choice) => ranking.place(&choice.union(centre)),
            None => Some(0),
        };
        let study = Self {
            problem: problem.clone(),
            reduction: reduction.clone(),
            settings: settings.clone(),
            yardstick,
            ranking,
            how: proposal.how,
            choice: proposal.choice,
            answer: None,
            polished: None,
            vocabulary: Vocabulary::Monomials,
            misfit: None,
            remedy: None,
            imitation: None,
        };
        study.choosing(place)
    }

    /// The same study with another answer by its place in the ranking. An equation without a chosen
    /// term is no answer: the terms that are always in, or a constant alone, unless it is a rate of
    /// change that is constant.
    #[must_use]
    pub fn choosing(self, place: Option<usize>) -> Self {
        let answer = place.filter(|&place| self.says_something(&self.ranking.models()[place]));
        Self {
            answer,
            polished: None,
            misfit: None,
            remedy: None,
            imitation: None,
            ..self
        }
    }

    /// The same study with its answer fitted in the target's own units.
    #[must_use]
    pub(crate) fn polished_by(self, polished: Polished) -> Self {
        Self {
            polished: Some(polished),
            ..self
        }
    }

    /// The same study with another patience for searches to come.
    #[must_use]
    pub(crate) fn with_patience(self, patience: Patience) -> Self {
        let settings = Settings {
            patience,
            ..self.settings
        };
        Self { settings, ..self }
    }

    /// The same study, of terms of this vocabulary, with what was found of its misfit.
    #[must_use]
    pub(crate) fn judged(self, vocabulary: Vocabulary, misfit: Option<Misfit>) -> Self {
        Self {
            vocabulary,
            misfit,
            ..self
        }
    }

    /// The same study with terms that were tried beside those of its answer.
    #[must_use]
    pub(crate) fn with_remedy(self, remedy: Option<Remedy>) -> Self {
        Self { remedy, ..self }
    }

    /// The answer in the target's own units, where it is not that of the linear fit.
    pub(crate) fn polished(&self) -> Option<&Polished> {
        self.polished.as_ref()
    }

    /// Where the terms are from.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// Whether the law seems to be outside the dictionary; none if that was not or cannot be
    /// judged.
    pub fn misfit(&self) -> Option<Misfit> {
        self.misfit
    }

    /// The terms that were tried beside those of an answer with a misfit, where richer vocabularies
    /// were not to be used.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }

    fn says_something(&self, model: &Ranked) -> bool {
        let support = model.fit.support();
        let is_rate = self.problem.left_side().is_rate();
        let is_law = |&term: &usize| is_rate || !self.term(term).is_constant();
        // Terms that were all given are the answer whatever they are.
        let given = matches!(self.how, How::Given);
        *support != self.settings.space.centre && (given || support.indices().iter().any(is_law))
    }

    /// The same study with other scores of its models, one for each place, and the same answer:
    /// the ranking and its probabilities follow the scores.
    #[must_use]
    pub(crate) fn rescored(self, scores: &[f64]) -> Self {
        let support = self.answer().map(|answer| answer.fit.support().clone());
        let ranking = self.ranking.rescored(scores);
        let answer = support.and_then(|support| ranking.place(&support));
        Self {
            ranking,
            answer,
            ..self
        }
    }

    /// The same study without an answer: nothing scores zero, and the method's choice this much.
    #[must_use]
    pub(crate) fn refuted(self, score: f64) -> Self {
        let top = self.answer().map_or(0.0, |answer| answer.score);
        let nothing = self.ranking.baseline().support().clone();
        let rated = |model: &Ranked| {
            if *model.fit.support() == nothing {
                0.0
            } else {
                model.score - top + score
            }
        };
        let scores: Vec<f64> = self.ranking.models().iter().map(rated).collect();
        Self {
            choice: None,
            ..self.rescored(&scores).choosing(None)
        }
    }

    /// The score of each model on another sample, where each has a size and a share of the
    /// baseline's sum of squares; none for methods with a rule or an evidence of their own.
    pub(crate) fn scores_on(
        &self,
        sample: &Sample,
        size_and_share: &dyn Fn(&Ranked) -> (usize, f64),
    ) -> Option<Vec<f64>> {
        if !matches!(self.how, How::Lists(_)) {
            return None;
        }
        let Yardstick {
            criterion,
            size_prior,
            ..
        } = &self.yardstick;
        let score = |model: &Ranked| {
            let (size, share) = size_and_share(model);
            let score = criterion.score_of_residual(sample, size, share)?;
            Some(score + size_prior.log_prior(sample, size))
        };
        self.ranking.models().iter().map(score).collect()
    }

    /// The same study of other supports, with scores that are known from elsewhere and one of them
    /// as the answer. What was judged of the answer before holds no longer.
    #[must_use]
    pub(crate) fn ranked_by(self, scores: &BTreeMap<Support, f64>, answer: &Support) -> Self {
        let always_in = &self.settings.space.centre;
        let lowest = scores.values().copied().fold(f64::INFINITY, f64::min);
        let mut scores = scores.clone();
        // A ranking always has the empty equation.
        scores.entry(always_in.clone()).or_insert(lowest - UNLIKELY);
        let ranking = Ranking::of_scores(&self.reduction, always_in, &scores);
        let place = ranking.place(answer);
        Self { ranking, ..self }.choosing(place)
    }

    /// The same study with this share of all probability for its models: there are rivals in other
    /// studies of the same rows.
    #[must_use]
    pub(crate) fn sharing(self, share: f64) -> Self {
        let ranking = self.ranking.sharing(share);
        Self { ranking, ..self }
    }

    /// The same study, asked whether its answer looks like an approximation of another law, which
    /// then takes its share of the probability. `log_odds` are those of the answer against all that
    /// follow the same curve.
    #[must_use]
    pub(crate) fn suspected(self, log_odds: f64) -> Self {
        let on_a_curve = (log_odds < 0.0).then_some(Imitation::Curve);
        let looks_like = self.looks_like();
        let study = match looks_like {
            Some(_) => self.sharing(imitation::RIGHT),
            None => self,
        };
        Self {
            imitation: looks_like.or(on_a_curve),
            ..study.sharing(1.0 / (1.0 + (-log_odds).exp()))
        }
    }

    /// The sign of an approximation in the answer, if there is one.
    pub(crate) fn looks_like(&self) -> Option<Imitation> {
        let model = self.model()?;
        let below = model.denominator().map_or(0, |below| below.terms().len());
        imitation::imitation(&imitation::Equation {
            vocabulary: self.vocabulary,
            transform: model.left_side().transform(),
            terms: model.terms(),
            below,
        })
    }

    /// Why the answer may be an approximation of another law.
    pub(crate) fn imitation(&self) -> Option<Imitation> {
        self.imitation
    }

    /// Why there is no equation, in words; none if there is one.
    pub fn why_none(&self) -> Option<String> {
        if self.answer.is_some() {
            return None;
        }
        let target = self.problem.left_side().target();
        let proven = self.how.proven() != Some(false);
        let best = self.ranking.best().fit.support();
        let is_constant = |&term: &usize| self.term(term).is_constant();
        Some(if !proven {
            format!(
                "the search was stopped before it found an equation of {target}; \
                 this does not mean that there is none"
            )
        } else if !self.weighs_models() || self.choice.is_some() {
            let method = self.settings.method.name();
            format!("the method {method} leaves no term in the equation of {target}")
        } else if best.indices().iter().any(is_constant) {
            format!("nothing in the dictionary explains {target} better than a constant")
        } else {
            format!("nothing in the dictionary explains {target} better than chance")
        })
    }

    /// The target, and the terms that there were to choose from.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The rows it was learned from.
    pub fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// How it was learned.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How models were compared.
    pub fn yardstick(&self) -> &Yardstick {
        &self.yardstick
    }

    /// All models that were compared.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// How the method found them.
    pub fn how(&self) -> &How {
        &self.how
    }

    /// The exact lists, for the methods that make them.
    pub fn found(&self) -> Option<&Found> {
        self.how.found()
    }

    /// The votes, for the paper's methods.
    pub fn votes(&self) -> Option<&Votes> {
        match &self.how {
            How::Votes(votes) => Some(votes),
            _ => None,
        }
    }

    /// The walk, for the stepwise method.
    pub fn walk(&self) -> Option<&Stepwise> {
        match &self.how {
            How::Walk(walk) => Some(walk),
            _ => None,
        }
    }

    /// What a regression method found, for those with coefficients of their own.
    pub fn regressed(&self) -> Option<&Regressed> {
        match &self.how {
            How::Own(regressed) => Some(regressed),
            _ => None,
        }
    }

    /// Whether models were compared with each other, so that their probabilities are meaningful.
    pub fn weighs_models(&self) -> bool {
        !matches!(self.how, How::Own(_) | How::Given)
    }

    /// The answer; none if the data support no equation.
    pub fn answer(&self) -> Option<&Ranked> {
        self.answer.map(|place| &self.ranking.models()[place])
    }

    /// The answer's place in the ranking.
    pub fn place(&self) -> Option<usize> {
        self.answer
    }

    /// The best model besides the answer.
    pub fn runner_up(&self) -> Option<&Ranked> {
        let models = self.ranking.models().iter().enumerate();
        let mut others = models.filter(|(place, _)| Some(*place) != self.answer);
        others.next().map(|(_, ranked)| ranked)
    }

    /// The learned equation: with the method's own coefficients, or else those of least squares.
    pub fn model(&self) -> Option<Model> {
        let fit = &self.answer()?.fit;
        if let Some(polished) = &self.polished {
            return Some(polished.model.clone());
        }
        Some(match self.own() {
            Some(own) => {
                Model::with_coefficients(&self.problem, fit, &own.coefficients, own.residual_norm)
            }
            None => Model::new(&self.problem, fit),
        })
    }

    /// The learned equation or, without one, what the method would have said: the constant alone,
    /// or nothing.
    pub fn model_or_empty(&self) -> Model {
        if let Some(model) = self.model() {
            return model;
        }
        if let Some(Regressed { pick, .. }) = self.regressed() {
            let fit = self.reduction.fit(&pick.support);
            let norm = fit.residual_norm();
            return Model::with_coefficients(&self.problem, &fit, &pick.coefficients, norm);
        }
        let centre = &self.settings.space.centre;
        let chosen = self.choice.as_ref().map(|choice| choice.union(centre));
        let fit = chosen.map(|support| self.reduction.fit(&support));
        Model::new(
            &self.problem,
            fit.as_ref().unwrap_or(&self.ranking.best().fit),
        )
    }

    /// The answer's own coefficients, where they are not those of its fit.
    pub fn own(&self) -> Option<Own> {
        let (regressed, answer) = (self.regressed()?, self.answer()?);
        let is_pick = regressed.pick.support == *answer.fit.support();
        if self.settings.refit || !is_pick {
            return None;
        }
        Own::unless_least_squares(&regressed.pick, &answer.fit, &self.reduction)
    }

    /// One coefficient per term of the dictionary; without an answer, those of what is always in.
    pub fn coefficients(&self) -> Vec<f64> {
        let fit = self
            .answer()
            .map_or(self.ranking.baseline(), |answer| &answer.fit);
        let own = self.own();
        let values = own
            .as_ref()
            .map_or(fit.coefficients(), |own| &own.coefficients);
        dense(self.reduction.n_terms(), fit.support(), values)
    }

    /// The paper's log evidence of a model, if it has one.
    pub fn log_evidence(&self, ranked: &Ranked) -> Option<f64> {
        let judged = Judged {
            fit: &ranked.fit,
            baseline: self.ranking.baseline(),
            n_candidates: self.yardstick.n_candidates,
        };
        let value = self.settings.evidence.log_evidence(&judged);
        Some(value).filter(|value| value.is_finite())
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

/// Coefficients that differ from least squares by less than this fraction of the largest count as
/// equal.
///
/// Both are solved from the same triangle; the difference is rounding error, some thousand ulp
/// where terms are collinear.
const SAME: f64 = 1e-10;

/// A method's own coefficients, where they are not those of least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// One coefficient per term of the answer's support, in the units of the data.
    pub coefficients: Vec<f64>,
    /// The length of their residual vector.
    pub residual_norm: f64,
}

impl Own {
    /// The pick's coefficients, unless they are those of the fit.
    fn unless_least_squares(pick: &Pick, fit: &Fit, reduction: &Reduction) -> Option<Self> {
        let sizes = fit.coefficients().iter().map(|c| c.abs());
        let largest = sizes.fold(0.0_f64, f64::max);
        let pairs = pick.coefficients.iter().zip(fit.coefficients());
        if pairs.fold(0.0_f64, |a, (x, y)| a.max((x - y).abs())) <= SAME * largest {
            return None;
        }
        let all = dense(reduction.n_terms(), &pick.support, &pick.coefficients);
        Some(Self {
            coefficients: pick.coefficients.clone(),
            residual_norm: reduction.residual_norm_of(&all),
        })
    }
}

/// One coefficient per term from those of a support.
fn dense(n_terms: usize, support: &Support, values: &[f64]) -> Vec<f64> {
    let mut dense = vec![0.0; n_terms];
    for (&term, &value) in support.indices().iter().zip(values) {
        dense[term] = value;
    }
    dense
}
