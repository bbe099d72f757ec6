//! What a careful reader should know about an answer, in words a scientist understands.
//!
//! Each caveat has a stable code for programs and a sentence for people. They come from what a study knows: the
//! posterior over the listed models, the lists themselves, and the shape of the data. What only the rows can tell is in
//! [`diagnose`](crate::tell::diagnose).

use crate::judge::ranking::Ranked;
use crate::learn::model::with_error;
use crate::learn::{Settings, Study};
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::tell::warning::Warning;
use crate::terms::problem::Problem;

/// Odds below which two models count as not told apart: a factor of twenty.
const AMBIGUOUS: f64 = 20.0;

/// Everything to be said about a study.
pub fn caveats(
    problem: &Problem,
    reduction: &Reduction,
    settings: &Settings,
    study: &Study,
) -> Vec<Warning> {
    let text = Names {
        problem,
        always_in: &settings.space.centre,
    };
    let mut warnings = Vec::new();
    warnings.extend(few_rows(reduction));
    warnings.extend(rank_deficient(&text, reduction));
    if let Some(answer) = study.answer() {
        // A regression method has one answer and weighs no others against it.
        if study.proposal.is_none() {
            warnings.extend(ambiguous(&text, study, answer));
            warnings.extend(exchangeable(&text, study, answer));
            warnings.extend(size_limit(settings, answer));
            warnings.extend(uncertain_terms(&text, study, answer));
        }
        warnings.extend(too_good(answer));
    }
    warnings.extend(knob_at_edge(study));
    warnings.extend(unproven(study));
    warnings.extend(not_consistent(study));
    warnings
}

struct Names<'a> {
    problem: &'a Problem,
    always_in: &'a Support,
}

impl Names<'_> {
    fn term(&self, term: usize) -> String {
        self.problem.dictionary().terms()[term].to_string()
    }

    /// The terms of a support, without those that are always in.
    fn support(&self, support: &Support) -> String {
        let chosen = support
            .indices()
            .iter()
            .filter(|&&term| !self.always_in.contains(term));
        let names: Vec<String> = chosen.map(|&term| self.term(term)).collect();
        if names.is_empty() {
            "no term at all".into()
        } else {
            names.join(", ")
        }
    }
}

fn warning(code: &str, message: impl Into<String>) -> Warning {
    Warning {
        code: code.into(),
        message: message.into(),
    }
}

fn few_rows(reduction: &Reduction) -> Option<Warning> {
    let (rows, terms) = (reduction.n_obs(), reduction.n_terms());
    (rows < terms).then(|| {
        let message = format!("there are fewer rows ({rows}) than terms to choose from ({terms}): many equations can fit by chance, more rows would help most");
        warning("few-rows", message)
    })
}

fn rank_deficient(text: &Names<'_>, reduction: &Reduction) -> Option<Warning> {
    if reduction.n_obs() < reduction.n_terms() {
        return None;
    }
    let dependent = reduction.dependent();
    let named: Vec<String> = dependent
        .indices()
        .iter()
        .take(5)
        .map(|&term| text.term(term))
        .collect();
    (!dependent.is_empty()).then(|| {
        let message = format!(
            "on these data {} of the {} terms are combinations of others ({}{}): equations that differ only by such terms fit alike",
            dependent.len(), reduction.n_terms(), named.join(", "),
            if dependent.len() > named.len() { ", …" } else { "" },
        );
        warning("rank-deficient", message)
    })
}

fn ambiguous(text: &Names<'_>, study: &Study, answer: &Ranked) -> Option<Warning> {
    let other = study.runner_up()?;
    let odds = (answer.score - other.score).exp();
    let terms = text.support(other.fit.support());
    if odds * AMBIGUOUS < 1.0 {
        // Methods with a rule of their own may choose what their own yardstick does not.
        let against = if odds > 1e-6 {
            format!("{:.1e} to 1", odds.recip())
        } else {
            "over a million to 1".to_string()
        };
        let message = format!("the data speak for another equation, with {terms} (odds {against})");
        return Some(warning("not-the-most-probable", message));
    }
    (odds < AMBIGUOUS).then(|| {
        let message = format!(
            "the data cannot tell this equation from one with {terms} (odds {odds:.1} to 1)"
        );
        warning("ambiguous", message)
    })
}

/// Terms that can stand for each other: the same equation with one term swapped is nearly as probable.
fn exchangeable(text: &Names<'_>, study: &Study, answer: &Ranked) -> Option<Warning> {
    let ours = answer.fit.support();
    let swaps: Vec<String> = study
        .ranking
        .models()
        .iter()
        .filter(|model| {
            model.fit.support().len() == ours.len()
                && (answer.score - model.score).exp() < AMBIGUOUS
        })
        .filter_map(|model| {
            let theirs = model.fit.support();
            let mut out = ours
                .indices()
                .iter()
                .filter(|&&term| !theirs.contains(term));
            let mut into = theirs
                .indices()
                .iter()
                .filter(|&&term| !ours.contains(term));
            match (out.next(), out.next(), into.next()) {
                (Some(&out), None, Some(&into)) => {
                    Some(format!("{} for {}", text.term(into), text.term(out)))
                }
                _ => None,
            }
        })
        .take(3)
        .collect();
    (!swaps.is_empty()).then(|| {
        warning(
            "exchangeable-terms",
            format!(
                "on these data some terms can stand for others: {}",
                swaps.join("; ")
            ),
        )
    })
}

fn size_limit(settings: &Settings, answer: &Ranked) -> Option<Warning> {
    let size = answer.fit.support().len() - settings.space.centre.len();
    (size == settings.space.max_terms).then(|| {
        warning("size-limit", format!("the equation has as many terms as the search allows ({size}): a larger one may be better"))
    })
}

fn uncertain_terms(text: &Names<'_>, study: &Study, answer: &Ranked) -> Option<Warning> {
    let inclusion = study.ranking.inclusion();
    let chosen = answer
        .fit
        .support()
        .indices()
        .iter()
        .filter(|&&term| !text.always_in.contains(term));
    let unsure: Vec<String> = chosen
        .filter(|&&term| inclusion[term] < 0.9)
        .map(|&term| format!("{} ({:.2})", text.term(term), inclusion[term]))
        .collect();
    (!unsure.is_empty()).then(|| {
        warning(
            "uncertain-terms",
            format!(
                "these terms are in the equation with a probability below 0.9: {}",
                unsure.join(", ")
            ),
        )
    })
}

/// A residual at the level of rounding cannot rank models.
fn too_good(answer: &Ranked) -> Option<Warning> {
    let at_rounding = answer.fit.residual_norm() <= 0.0;
    at_rounding.then(|| {
        warning(
            "no-residual",
            "the equation fits to the last digit: there is no noise to judge alternatives by",
        )
    })
}

fn unproven(study: &Study) -> Option<Warning> {
    if study
        .proposal
        .as_ref()
        .is_some_and(|p| p.proven == Some(false))
    {
        let message = "the search was stopped: a better equation of this size may exist";
        return Some(warning("stopped", message));
    }
    let found = study.found.as_ref()?;
    let unfinished = found.sizes.iter().find(|size| !size.exact);
    if let Some(size) = unfinished {
        let certificate = &size.certificate;
        let share = (certificate.excluded + certificate.enumerated) as f64 / size.subsets as f64;
        let message = format!(
            "the search was stopped at {} terms after {:.1} % of the subsets: that list is not proven",
            size.size,
            100.0 * share
        );
        return Some(warning("stopped", message));
    }
    None
}

/// A chosen value at the end of what was tried may not be the best there is.
fn knob_at_edge(study: &Study) -> Option<Warning> {
    let tuning = study.proposal.as_ref()?.tuning.as_ref()?;
    tuning.at_edge.then(|| {
        let message = format!(
            "cross-validation chose {} = {}, at the end of the values it tried: one beyond may do better",
            tuning.knob,
            with_error(tuning.chosen, None)
        );
        warning("knob-at-edge", message)
    })
}

fn not_consistent(study: &Study) -> Option<Warning> {
    let votes = study.votes.as_ref()?;
    (!votes.consistent).then(|| warning("not-consistent", "no two successive sizes agreed on the terms; the answer is what the last size rated highly"))
}
