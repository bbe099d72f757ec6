//! The result of one law for several experiments.

use serde::{Deserialize, Serialize};

use super::{
    Document, Equation, Kind, ListedModel, RunnerUp, SCHEMA, SearchReport, SizeReport, TermEntry,
};
use crate::learn::grouped::{Equality, GroupRanked, GroupedStudy, Pattern};
use crate::learn::model::{Model, with_error};
use crate::reduce::groups::GroupFit;
use crate::reduce::support::Support;
use crate::search::groups::GroupList;
use crate::tell::grouped::{caveats, in_words};
use crate::tell::warning::Warning;
use crate::terms::term::{Term, latex_name};
use crate::terms::vocabulary::Vocabulary;

/// What differs between experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupsReport {
    /// The column that tells experiments apart.
    pub column: String,
    /// The experiments.
    pub names: Vec<String>,
    /// How many rows each has.
    pub n_obs: Vec<usize>,
    /// The root mean square of the residuals of each.
    pub residual: Vec<f64>,
    /// The terms of the law, in the order of the equation.
    pub terms: Vec<GroupTerm>,
    /// Ways to share the law's coefficients, the most probable first; empty if there are too many
    /// to weigh, or a single experiment.
    pub sharing: Vec<SharingReport>,
    /// Which coefficients differ, and what to share, in words.
    pub said: Vec<String>,
}

/// A term of a law for several experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupTerm {
    /// The term.
    pub term: String,
    /// What stands for its coefficient in the equation: `c1[run]`; null if all have the same.
    pub symbol: Option<String>,
    /// Its coefficient in each experiment; null where the rows of one do not determine it.
    pub coefficients: Vec<Option<f64>>,
    /// The standard error of each.
    pub std_errors: Vec<Option<f64>>,
    /// Whether the coefficients are equal; null for a shared term.
    pub equality: Option<EqualityReport>,
}

/// Whether the coefficients of a term are equal in all experiments.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EqualityReport {
    /// The probability that equal coefficients look as different by chance; null without a degree
    /// of freedom.
    pub p: Option<f64>,
    /// The standard deviation between experiments, without that by the coefficients' own errors.
    pub spread: f64,
}

/// A way to share the coefficients of a law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharingReport {
    /// The terms with one coefficient for all experiments.
    pub shared: Vec<String>,
    /// The log of the odds against the most probable way.
    pub log_odds: f64,
    /// Its probability among all ways.
    pub probability: f64,
}

impl Document {
    /// What was learned from several experiments in this many seconds. `checks` are the warnings
    /// about residuals, which need the rows.
    pub fn of_groups(study: &GroupedStudy, checks: Vec<Warning>, seconds: f64) -> Self {
        let equation = study.answer().map(|answer| equation(study, answer));
        let lists = study.found().lists.iter();
        Self {
            schema: SCHEMA.to_string(),
            kind: Kind::Equation,
            method: study.settings().method.name().to_string(),
            n_obs: study.groups().n_obs(),
            n_terms: study.groups().n_terms(),
            equations: equation.into_iter().collect(),
            search: Some(SearchReport {
                sizes: lists.map(|list| size(study, list)).collect(),
                ended_early: study.found().ended_early,
                seconds,
            }),
            regression: None,
            votes: None,
            vocabularies: Vec::new(),
            warnings: [caveats(study), checks].concat(),
            groups: study.answer().map(|answer| report(study, answer)),
            discovery: None,
        }
    }
}

fn size(study: &GroupedStudy, one: &GroupList) -> SizeReport {
    let centre = &study.settings().space.centre;
    let n_groups = study.groups().each().len();
    SizeReport {
        size: one.list.size,
        subsets: one.list.subsets,
        coefficients: Some(one.free * n_groups + one.shared),
        exact: one.list.exact,
        best: (one.list.best.iter())
            .map(|candidate| ListedModel {
                terms: study.names(&candidate.support.union(centre)),
                one_minus_r2: candidate.one_minus_r2,
                log_evidence: None,
            })
            .collect(),
        certificate: one.list.certificate,
    }
}

/// What stands for each free coefficient, in the order of the terms.
fn symbols(study: &GroupedStudy, fit: &GroupFit) -> Vec<Option<String>> {
    let mut count = 0;
    let symbol = |term: &usize| {
        let several = study.groups().each().len() > 1;
        (several && !fit.shared().contains(*term)).then(|| {
            count += 1;
            format!("c{count}[{}]", study.groups().column())
        })
    };
    fit.support().indices().iter().map(symbol).collect()
}

fn equation(study: &GroupedStudy, answer: &GroupRanked) -> Equation {
    let (fit, baseline) = (&answer.fit, study.baseline());
    let models = study.models_of_answer().expect("there is an answer");
    let left = study.problem().left_side();
    let inclusion = study.inclusion();
    let sharing = study.sharing();
    let entry = |(place, &term): (usize, &usize)| {
        let equality = sharing.and_then(|s| s.terms.iter().find(|one| one.term == term));
        let own = || {
            let errors = models[0].std_errors();
            (models[0].coefficients()[place], errors.map(|e| e[place]))
        };
        let (coefficient, std_error) = equality.map_or_else(own, |e| (e.mean, e.mean_error));
        TermEntry {
            term: study.term(term).to_string(),
            coefficient,
            std_error,
            inclusion: Some(inclusion[term]),
        }
    };
    let one_minus_r2 = fit.share_of(baseline);
    let norm = fit.residual_norm();
    let symbols = symbols(study, fit);
    let plain = |term: &Term| term.to_string();
    let text = sum(&models[0], &symbols, " ", &plain, &|text| text);
    let latex = sum(&models[0], &symbols, r" \, ", &Term::latex, &in_latex);
    Equation {
        target: left.target(),
        left_side: left.clone(),
        text: format!("{left} = {text}"),
        latex: format!("{} = {latex}", latex_name(&left.to_string())),
        terms: fit
            .support()
            .indices()
            .iter()
            .enumerate()
            .map(entry)
            .collect(),
        numerator: None,
        denominator: None,
        parameters: Vec::new(),
        r2: 1.0 - one_minus_r2,
        one_minus_r2,
        rss: Some(norm * norm).filter(|rss| rss.is_finite()),
        sigma: fit.sigma().filter(|sigma| sigma.is_finite()),
        log_evidence: None,
        probability: Some(answer.probability),
        runner_up: study.runner_up().map(|other| RunnerUp {
            terms: study.names(other.fit.support()),
            probability: Some(other.probability),
        }),
        misfit: None,
        vocabulary: Vocabulary::Monomials,
    }
}

/// A coefficient in LaTeX: `c1[run]` with its number and its column below the line.
fn in_latex(text: String) -> String {
    let parts = text.strip_prefix('c').and_then(|rest| rest.split_once('['));
    match parts {
        Some((number, column)) => {
            let column = latex_name(column.trim_end_matches(']'));
            format!("c_{{{number},{column}}}")
        }
        None => text,
    }
}

/// `symbol term ± coefficient term …`.
fn sum(
    model: &Model,
    symbols: &[Option<String>],
    space: &str,
    shown: &dyn Fn(&Term) -> String,
    number: &dyn Fn(String) -> String,
) -> String {
    let mut text = String::new();
    let terms = model.terms().iter().zip(symbols).enumerate();
    for (place, (term, symbol)) in terms {
        let value = model.coefficients()[place];
        let error = model.std_errors().map(|errors| errors[place]);
        let negative = symbol.is_none() && value.is_sign_negative();
        text.push_str(match (place, negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        let coefficient = match symbol {
            Some(symbol) => symbol.clone(),
            None => with_error(value.abs(), error),
        };
        text.push_str(&number(coefficient));
        if term.is_one() {
            continue;
        }
        text.push_str(space);
        if term.needs_brackets() {
            text.extend(["(", &shown(term), ")"]);
        } else {
            text.push_str(&shown(term));
        }
    }
    text
}

fn report(study: &GroupedStudy, answer: &GroupRanked) -> GroupsReport {
    let (groups, fit) = (study.groups(), &answer.fit);
    let models = study.models_of_answer().expect("there is an answer");
    let sharing = study.sharing();
    let symbols = symbols(study, fit);
    let term = |(place, &term): (usize, &usize)| {
        let known = |group: usize| !fit.dependent()[group].contains(term);
        let of = |value: &dyn Fn(&Model) -> Option<f64>| -> Vec<Option<f64>> {
            let each = models.iter().enumerate();
            each.map(|(group, model)| value(model).filter(|_| known(group)))
                .collect()
        };
        let equality = sharing.and_then(|s| s.terms.iter().find(|one| one.term == term));
        GroupTerm {
            term: study.term(term).to_string(),
            symbol: symbols[place].clone(),
            coefficients: of(&|model| Some(model.coefficients()[place])),
            std_errors: of(&|model| Some(model.std_errors()?[place])),
            equality: equality.map(|Equality { p, spread, .. }| EqualityReport {
                p: *p,
                spread: *spread,
            }),
        }
    };
    let patterns = sharing.map_or(&[][..], |sharing| &sharing.patterns);
    let best = patterns.first().map_or(0.0, |one| one.score);
    let pattern = |one: &Pattern| SharingReport {
        shared: study.names(&one.shared),
        log_odds: one.score - best,
        probability: one.probability,
    };
    let norms = groups.residual_norms(fit);
    let sizes: Vec<usize> = groups
        .each()
        .iter()
        .map(crate::reduce::Reduction::n_obs)
        .collect();
    let residual = norms.iter().zip(&sizes);
    GroupsReport {
        column: groups.column().to_string(),
        names: groups.names().to_vec(),
        residual: residual
            .map(|(norm, n)| norm / (*n as f64).sqrt())
            .collect(),
        n_obs: sizes,
        terms: fit
            .support()
            .indices()
            .iter()
            .enumerate()
            .map(term)
            .collect(),
        sharing: patterns
            .iter()
            .filter(|one| one.score.is_finite())
            .map(pattern)
            .collect(),
        said: in_words(study),
    }
}

/// The terms that the most probable way to share has besides those that are shared already.
pub(crate) fn worth_sharing(study: &GroupedStudy) -> Option<(Support, f64)> {
    let (sharing, answer) = (study.sharing()?, study.answer()?);
    let own = sharing
        .patterns
        .iter()
        .find(|one| one.shared == *answer.fit.shared())?;
    let best = sharing.patterns.first()?;
    (best.shared != own.shared).then(|| (best.shared.clone(), best.score - own.score))
}
