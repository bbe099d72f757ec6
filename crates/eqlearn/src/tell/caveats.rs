//! Warnings about an answer, in words that a scientist understands.
//!
//! Each caveat has a stable code for programs and a sentence for people. They come from the study:
//! the posterior over the listed models, the lists themselves, and the shape of the data. Warnings
//! that need the rows are in [`diagnose`](crate::tell::diagnose).

use crate::beyond::{FEWEST, is_unjudged};
use crate::error::counted;
use crate::judge::imitation::Imitation;
use crate::judge::misfit::{Remedy, WARNED};
use crate::judge::ranking::Ranked;
use crate::learn::Study;
use crate::learn::model::with_error;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::tell::verdict::probability;
use crate::tell::warning::{Code, Warning};

/// Odds below which two models count as indistinguishable: a factor of twenty.
const AMBIGUOUS: f64 = 20.0;

/// Odds below which the data have no opinion.
const EVEN: f64 = 3.0;

/// A factor beyond which what is left are rounding errors, or as good as these.
const EXACT: f64 = 1e9;

/// A residual this small in units of the target is that of numbers with sixteen digits.
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Terms in a list at most.
const NAMED: usize = 8;

/// All warnings about a study.
pub fn caveats(study: &Study) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let none = study.why_none();
    warnings.extend(none.map(|why| Warning::new(Code::NoEquation, why)));
    warnings.extend(outside(study));
    warnings.extend(imitation(study));
    warnings.extend(unjudged(study).filter(|_| study.weighs_models()));
    warnings.extend(few_rows(study.reduction()));
    warnings.extend(rank_deficient(study));
    if let Some(answer) = study.answer() {
        // A regression method has one answer and compares it with no others.
        if study.regressed().is_none() {
            warnings.extend(ambiguous(study, answer));
            warnings.extend(exchangeable(study, answer));
            warnings.extend(size_limit(study, answer));
            warnings.extend(uncertain_terms(study, answer));
        }
        warnings.extend(too_good(study, answer));
    }
    warnings.extend(knob_at_edge(study));
    warnings.extend(unproven(study));
    warnings.extend(not_consistent(study));
    warnings
}

/// The terms of a support, without those that are always in.
fn chosen_terms(study: &Study, support: &Support) -> String {
    let names = study.names(&support.minus(&study.settings().space.centre));
    if names.is_empty() {
        "no term at all".into()
    } else {
        names.join(", ")
    }
}

/// Nothing shows whether the law is among those listed.
fn unjudged(study: &Study) -> Option<Warning> {
    let n_rows = study.reduction().n_obs();
    (n_rows < FEWEST && is_unjudged(study)).then(|| {
        let message = format!(
            "there are too few rows ({n_rows}) to tell whether the law is among the equations \
             listed: {FEWEST} are needed"
        );
        Warning::new(Code::MisfitUnjudged, message)
    })
}

/// The law is probably none of those listed.
fn outside(study: &Study) -> Option<Warning> {
    let misfit = study
        .misfit()
        .filter(|misfit| misfit.log_bayes_factor > WARNED)?;
    let remedy = study.remedy().map_or(String::new(), in_words);
    let message = format!(
        "the law is probably none of the equations listed (probability {}): the residuals \
         follow a smooth function of the features, so a term is missing{remedy}",
        probability(misfit.probability)
    );
    Some(Warning::new(Code::Misfit, message))
}

/// The equation looks like an approximation of another law.
fn imitation(study: &Study) -> Option<Warning> {
    let why = match study.imitation()? {
        Imitation::Long => "it has many terms of a rich vocabulary",
        Imitation::Series => {
            "its terms are functions of one combination of the features, as those of a series are"
        }
        Imitation::Roots => "it is a power of a sum of terms whose powers are no whole numbers",
        Imitation::Curve => {
            "the rows lie on a curve over one variable, and some equation as complicated as this \
             one fits any such curve within this noise"
        }
    };
    let message = format!("the equation may be an approximation of another law: {why}");
    Some(Warning::new(Code::Imitation, message))
}

/// What was tried against a misfit, as the end of a sentence.
fn in_words(remedy: &Remedy) -> String {
    let Remedy { terms, factor } = remedy;
    let terms = terms.join(" and ");
    if terms.is_empty() {
        "; no power or function of the features, nor two of them, lowers the residuals clearly"
            .into()
    } else if *factor > EXACT {
        format!("; adding {terms} leaves almost nothing of the residuals")
    } else {
        format!("; adding {terms} lowers the sum of squared residuals {factor:.1} times")
    }
}

fn few_rows(reduction: &Reduction) -> Option<Warning> {
    let (rows, terms) = (reduction.n_obs(), reduction.n_terms());
    (rows < terms).then(|| {
        let message = format!(
            "there are fewer rows ({rows}) than terms to choose from ({terms}): \
             many equations can fit by chance, more rows would help most"
        );
        Warning::new(Code::FewRows, message)
    })
}

fn rank_deficient(study: &Study) -> Option<Warning> {
    let reduction = study.reduction();
    if reduction.n_obs() < reduction.n_terms() {
        return None;
    }
    let excluded = &study.settings().space.excluded;
    let dependent = reduction.dependent().minus(excluded);
    let named: Vec<String> = dependent
        .indices()
        .iter()
        .take(5)
        .map(|&term| study.term(term).to_string())
        .collect();
    (!dependent.is_empty()).then(|| {
        let message = format!(
            "on these data {} of the {} terms {} of others ({}{}): \
             equations that differ only by such terms fit equally well",
            dependent.len(),
            reduction.n_terms() - excluded.len(),
            if dependent.len() == 1 {
                "is a combination"
            } else {
                "are combinations"
            },
            named.join(", "),
            if dependent.len() > named.len() {
                ", …"
            } else {
                ""
            },
        );
        Warning::new(Code::RankDeficient, message)
    })
}

fn ambiguous(study: &Study, answer: &Ranked) -> Option<Warning> {
    let other = study.runner_up()?;
    let odds = (answer.score - other.score).exp();
    let terms = chosen_terms(study, other.fit.support());
    if odds * AMBIGUOUS < 1.0 {
        // Methods with a rule of their own may choose another model than their criterion does.
        let against = if odds > 1e-6 {
            format!("{:.1e} to 1", odds.recip())
        } else {
            "over a million to 1".to_string()
        };
        let message = format!("the data speak for another equation, with {terms} (odds {against})");
        return Some(Warning::new(Code::NotTheMostProbable, message));
    }
    (odds < AMBIGUOUS).then(|| Warning::new(Code::Ambiguous, undecided(odds, &terms)))
}

/// That another equation is not ruled out, by the odds for this one.
fn undecided(odds: f64, terms: &str) -> String {
    if odds < 1.0 {
        let against = odds.recip();
        format!("an equation with {terms} is somewhat more probable (odds {against:.1} to 1)")
    } else if odds < EVEN {
        format!("the data cannot tell this equation from one with {terms} (odds {odds:.1} to 1)")
    } else {
        format!(
            "an equation with {terms} is less probable, but not ruled out (odds {odds:.0} to 1)"
        )
    }
}

/// Interchangeable terms: the same equation with one term swapped is nearly as probable.
fn exchangeable(study: &Study, answer: &Ranked) -> Option<Warning> {
    let ours = answer.fit.support();
    let swaps: Vec<String> = study
        .ranking()
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
                    Some(format!("{} for {}", study.term(into), study.term(out)))
                }
                _ => None,
            }
        })
        .take(3)
        .collect();
    (!swaps.is_empty()).then(|| {
        Warning::new(
            Code::ExchangeableTerms,
            format!(
                "on these data some terms are interchangeable: {}",
                swaps.join("; ")
            ),
        )
    })
}

fn size_limit(study: &Study, answer: &Ranked) -> Option<Warning> {
    let space = &study.settings().space;
    let size = answer.fit.support().len() - space.centre.len();
    if size == study.yardstick().n_candidates && study.weighs_models() {
        let message = format!(
            "all terms of the dictionary are used ({size}): there was nothing to choose from, \
             and the law may need terms that are not there"
        );
        return Some(Warning::new(Code::AllTerms, message));
    }
    (size == space.max_terms).then(|| {
        let message = format!(
            "the equation has as many terms as the search allows ({size}): \
             a larger one may be better"
        );
        Warning::new(Code::SizeLimit, message)
    })
}

fn uncertain_terms(study: &Study, answer: &Ranked) -> Option<Warning> {
    let inclusion = study.ranking().inclusion();
    let chosen = answer.fit.support().minus(&study.settings().space.centre);
    let chosen = chosen.indices().iter();
    let mut unsure: Vec<String> = chosen
        .filter(|&&term| inclusion[term] < 0.9)
        .map(|&term| format!("{} ({:.2})", study.term(term), inclusion[term]))
        .collect();
    // A method that takes all terms would list them all.
    let more = match unsure.len().checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    unsure.truncate(NAMED);
    (!unsure.is_empty()).then(|| {
        let named = unsure.join(", ");
        let message =
            format!("these terms are in the equation with a probability below 0.9: {named}{more}");
        Warning::new(Code::UncertainTerms, message)
    })
}

/// Residuals at the level of rounding errors cannot rank models.
fn too_good(study: &Study, answer: &Ranked) -> Option<Warning> {
    let share = answer.fit.share_of(study.ranking().baseline());
    (share <= ROUNDING * ROUNDING).then(|| {
        Warning::new(
            Code::NoResidual,
            "the equation fits to the last digit: without noise there are no error bars, and \
             alternatives cannot be judged",
        )
    })
}

fn unproven(study: &Study) -> Option<Warning> {
    if study
        .regressed()
        .is_some_and(|own| own.proven == Some(false))
    {
        let message = "the search was stopped: a better equation of this size may exist";
        return Some(Warning::new(Code::Stopped, message));
    }
    let found = study.found()?;
    let unfinished = found.sizes.iter().find(|size| !size.exact);
    if let Some(size) = unfinished {
        let certificate = &size.certificate;
        let share = (certificate.excluded + certificate.enumerated) as f64 / size.subsets as f64;
        let message = format!(
            "the search was stopped at {} after {:.1} % of the subsets: \
             that list is not proven",
            counted(size.size, "term"),
            100.0 * share
        );
        return Some(Warning::new(Code::Stopped, message));
    }
    None
}

/// A chosen value at an end of the grid may not be the best.
fn knob_at_edge(study: &Study) -> Option<Warning> {
    let tuning = study.regressed()?.tuning.as_ref()?;
    tuning.at_edge.then(|| {
        let message = format!(
            "cross-validation chose {} = {}, at the end of the values it tried: \
             one beyond may do better",
            tuning.knob,
            with_error(tuning.chosen, None)
        );
        Warning::new(Code::KnobAtEdge, message)
    })
}

fn not_consistent(study: &Study) -> Option<Warning> {
    let votes = study.votes()?;
    (!votes.consistent).then(|| {
        let message = "no two successive sizes agreed on the terms; \
                       the answer has those that the best equations of the last size share";
        Warning::new(Code::NotConsistent, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_told_for_the_one_that_has_them() {
        insta::assert_snapshot!(
            [0.3, 1.4, 15.0].map(|odds| undecided(odds, "x, y")).join("\n"),
            @"
        an equation with x, y is somewhat more probable (odds 3.3 to 1)
        the data cannot tell this equation from one with x, y (odds 1.4 to 1)
        an equation with x, y is less probable, but not ruled out (odds 15 to 1)
        "
        );
    }
}
