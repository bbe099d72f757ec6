//! Vocabularies in turns, richer ones only while the law is still outside.

use super::attempt::{Attempt, Known, Plan, attempt};
use super::factor::factored;
use super::plans::{
    Scope, Tier, function_plans, later_family_plans, later_fraction_plans, plain_function_plans,
    power_plans,
};
use super::rows::Rows;
use super::symmetry::reduced;
use super::view::View;
use super::{Beyond, FEW, best};
use crate::error::{Error, Result};
use crate::observe::{Observer, Progress, Stage};
use crate::search::Run;
use crate::terms::vocabulary::Vocabulary;

/// A law of so many terms needs no name for what they may be the series of.
const SIMPLE: usize = 2;

/// Tries one tier after the other, and adds what it finds to the attempts.
pub(super) fn explore(
    rows: &Rows<'_>,
    attempts: &mut Vec<Attempt>,
    beyond: &Beyond,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<()> {
    let base = attempts[0].study.clone();
    let tiers: [(Vocabulary, &Tier); 5] = [
        (Vocabulary::Powers, &power_plans),
        (Vocabulary::Functions, &plain_function_plans),
        (Vocabulary::Functions, &function_plans),
        (Vocabulary::Fractions, &later_fraction_plans),
        (Vocabulary::Parameters, &later_family_plans),
    ];
    let richest = beyond.vocabulary.unwrap_or(Vocabulary::Parameters);
    // Few rows cannot show that a short equation is not the law; others may fit as well.
    let are_few = rows.len() < FEW;
    let views = views(rows);
    let plain = View::plain(rows);
    let scope = Scope {
        rows,
        view: &plain,
        limits: &beyond.limits,
        left: base.problem().left_side(),
    };
    for (_, plans) in tiers.into_iter().filter(|(tier, _)| *tier <= richest) {
        let of_all = plans(&scope);
        for view in views.iter().map(Some).chain([None]) {
            let own = view.map(|view| with_choices(plans(&Scope { view, ..scope }), &of_all));
            for plan in own.as_ref().unwrap_or(&of_all) {
                let best_so_far = &attempts[best(attempts)];
                let is_rich = plan.vocabulary > Vocabulary::Functions;
                let is_simple = best_so_far.is_direct() && best_so_far.size() <= SIMPLE;
                let is_settled = is_simple && best_so_far.is_short() && !are_few;
                if plan.vocabulary > richest || is_rich && is_settled || plan.list.terms.is_empty()
                {
                    continue;
                }
                let progress = Progress {
                    stage: Stage::Vocabularies,
                    done: attempts.len() as u128,
                    total: 0,
                };
                if observer.progress(&progress).is_break() {
                    return Ok(());
                }
                let known = Known {
                    rows,
                    base: &base,
                    limits: &beyond.limits,
                    to_beat: best_so_far.score,
                };
                match attempt(&known, plan, run, observer) {
                    // What was found until then is an answer.
                    Err(Error::Stopped) => return Ok(()),
                    outcome => attempts.extend(outcome?),
                }
                if attempts[best(attempts)].is_plain() {
                    return Ok(());
                }
            }
            if attempts[best(attempts)].is_short() && !are_few {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Plans of a view, each with the number of terms that there would be without it: the factor and
/// the variables were chosen too.
fn with_choices(mut plans: Vec<Plan>, of_all: &[Plan]) -> Vec<Plan> {
    for plan in &mut plans {
        let same = of_all.iter().filter(|all| all.transform == plan.transform);
        plan.n_choices = same.map(|all| all.list.n_candidates).max().unwrap_or(0);
    }
    plans
}

/// The ways to look at the law besides as a function of all features, with few variables first.
pub(super) fn views(rows: &Rows<'_>) -> Vec<View> {
    let factored = factored(rows);
    let mut views = Vec::new();
    views.extend(reduced(rows, &factored));
    let inverse = views.first().and_then(|view: &View| view.inverse(rows));
    views.extend(inverse);
    if factored.has_factor() {
        views.push(factored);
    }
    views
}
