//! What to say of a law for several experiments: which coefficients differ, and what to keep in
//! mind.

use std::collections::BTreeMap;

use crate::data::table::Table;
use crate::error::{Result, counted};
use crate::learn::grouped::{Equality, GroupedStudy};
use crate::learn::model::with_error;
use crate::numeric::beta::f_tail;
use crate::observe::Observer;
use crate::reduce::groups::{Groups, Labelled};
use crate::tell::caveats::ROUNDING;
use crate::tell::diagnose::Diagnosis;
use crate::tell::document::worth_sharing;
use crate::tell::verdict::probability;
use crate::tell::warning::{Code, Warning};
use crate::terms::problem::Problem;

/// Coefficients differ where chance alone would make them differ as much with a smaller
/// probability.
const DIFFERS: f64 = 0.05;

/// Odds below which two laws count as indistinguishable: a factor of twenty.
const AMBIGUOUS: f64 = 20.0;

/// One experiment is noisier than the others where chance has a smaller probability.
const NOISIER: f64 = 1e-4;

/// Experiments that are named in a sentence.
const NAMED: usize = 5;

/// Which coefficients differ and by how much, and what the data say about sharing.
pub(crate) fn in_words(study: &GroupedStudy) -> Vec<String> {
    let Some(sharing) = study.sharing() else {
        return Vec::new();
    };
    let column = study.groups().column();
    let mut said: Vec<String> = (sharing.terms.iter())
        .map(|one| equality(study, one, column))
        .collect();
    if let Some((shared, gain)) = worth_sharing(study) {
        let names = study.names(&shared);
        let what = match names.as_slice() {
            [] => "no coefficient shared".to_string(),
            names => {
                let names: Vec<String> = names.iter().map(|name| named(name)).collect();
                format!("one coefficient of {} for all", names.join(", "))
            }
        };
        said.push(format!(
            "with {what} the law is more probable (odds {})",
            odds(gain)
        ));
    }
    if let (Some(free), Some(all)) = (sharing.all_free(), sharing.all_shared()) {
        let gain = free.score - all.score;
        let (winner, loser) = if gain >= 0.0 {
            ("all coefficients free", "all shared")
        } else {
            ("all coefficients shared", "all free")
        };
        if gain.is_finite() {
            let odds = odds(gain.abs());
            said.push(format!("{winner} against {loser}: odds {odds}"));
        }
    }
    said
}

/// Odds from their logarithm.
fn odds(log: f64) -> String {
    if log > 1e6_f64.ln() {
        "over a million to 1".into()
    } else if log > 10.0_f64.ln() {
        format!("{:.0} to 1", log.exp())
    } else {
        format!("{:.1} to 1", log.exp())
    }
}

fn equality(study: &GroupedStudy, one: &Equality, column: &str) -> String {
    let name = named(&study.term(one.term).to_string());
    let Some(p) = one.p else {
        return format!("{name}: too few rows to tell whether it is the same in all");
    };
    let p_in_words = match p {
        p if p < 0.0005 => "p below 0.001".to_string(),
        p => format!("p = {}", probability(p)),
    };
    let mean = with_error(one.mean, one.mean_error);
    if p >= DIFFERS {
        return format!(
            "{name} is the same in all, {mean}, as far as the data tell ({p_in_words})"
        );
    }
    let share = 100.0 * one.spread / one.mean.abs();
    let share = if share < 1000.0 {
        format!(", {} %", two_digits(share))
    } else {
        String::new()
    };
    let spread = two_digits(one.spread);
    format!(
        "{name} differs between values of {column} ({p_in_words}): by {spread} on average{share}"
    )
}

/// A number with two digits.
fn two_digits(x: f64) -> String {
    let short = format!("{x:.1e}");
    let rounded: f64 = short.parse().unwrap_or(x);
    let size = rounded.abs();
    if size > 0.0 && !(1e-3..1e5).contains(&size) {
        return short;
    }
    // The second digit stays where it is a zero.
    let decimals = [(0.01, 4), (0.1, 3), (1.0, 2), (10.0, 1)];
    let decimals = decimals.into_iter().find(|(above, _)| size < *above);
    let decimals = decimals.map_or(0, |(_, decimals)| decimals);
    format!("{rounded:.decimals$}")
}

/// A term in a sentence.
fn named(term: &str) -> String {
    match term {
        "1" => "the constant".into(),
        term => term.into(),
    }
}

/// What a careful reader should know.
pub(crate) fn caveats(study: &GroupedStudy) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(no_equation(study));
    warnings.extend(one_group(study));
    warnings.extend(limited(study));
    warnings.extend(undetermined(study));
    warnings.extend(ambiguous(study));
    warnings.extend(size_limit(study));
    warnings.extend(uncertain_terms(study));
    warnings.extend(too_good(study));
    warnings.extend(noisier(study));
    warnings.extend(stopped(study));
    warnings
}

fn no_equation(study: &GroupedStudy) -> Option<Warning> {
    let target = study.problem().left_side().target();
    study.answer().is_none().then(|| {
        let message = if study.found().is_exact() {
            format!("nothing in the dictionary explains {target} better than a constant or chance")
        } else {
            format!(
                "the search was stopped before it found an equation of {target}; this does not \
                 mean that there is none"
            )
        };
        Warning::new(Code::NoEquation, message)
    })
}

fn one_group(study: &GroupedStudy) -> Option<Warning> {
    let groups = study.groups();
    (groups.each().len() == 1).then(|| {
        let message = format!(
            "{} is {} in all rows: there is one experiment, so nothing is compared",
            groups.column(),
            groups.names()[0]
        );
        Warning::new(Code::OneGroup, message)
    })
}

/// The smallest experiment limits the size.
fn limited(study: &GroupedStudy) -> Option<Warning> {
    let limit = study.limit()?;
    // A search that ended by itself did not miss anything.
    let ended = study.found().ended_early.is_some();
    let groups = study.groups();
    let sizes = groups
        .each()
        .iter()
        .map(super::super::reduce::Reduction::n_obs);
    let (n_obs, name) = sizes.zip(groups.names()).min_by_key(|(n, _)| *n)?;
    (!ended).then(|| {
        let message = format!(
            "{} {name} has only {}: laws with more than {} of its own were not searched",
            groups.column(),
            counted(n_obs, "row"),
            counted(limit, "coefficient")
        );
        Warning::new(Code::FewRows, message)
    })
}

/// Some rows do not determine all coefficients of the law.
fn undetermined(study: &GroupedStudy) -> Option<Warning> {
    let fit = &study.answer()?.fit;
    let groups = study.groups();
    let named: Vec<&str> = (groups.names().iter().zip(fit.dependent()))
        .filter(|(_, dependent)| !dependent.is_empty())
        .map(|(name, _)| name.as_str())
        .collect();
    (!named.is_empty()).then(|| {
        let message = format!(
            "not all coefficients of {} {} are determined by its rows: those that are not count \
             as 0",
            groups.column(),
            listed(&named)
        );
        Warning::new(Code::RankDeficient, message)
    })
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(NAMED).copied();
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn ambiguous(study: &GroupedStudy) -> Option<Warning> {
    let (answer, other) = (study.answer()?, study.runner_up()?);
    let odds = (answer.score - other.score).exp();
    let centre = &study.settings().space.centre;
    let terms = study.names(&other.fit.support().minus(centre));
    let terms = if terms.is_empty() {
        "no term at all".to_string()
    } else {
        terms.join(", ")
    };
    (odds < AMBIGUOUS).then(|| {
        let message = format!(
            "an equation with {terms} is less probable, but not ruled out (odds {odds:.1} to 1)"
        );
        Warning::new(Code::Ambiguous, message)
    })
}

fn size_limit(study: &GroupedStudy) -> Option<Warning> {
    let space = &study.settings().space;
    let size = study.answer()?.fit.support().len() - space.centre.len();
    (size == space.max_terms).then(|| {
        let message = format!(
            "the equation has as many terms as the search allows ({size}): a larger one may be \
             better"
        );
        Warning::new(Code::SizeLimit, message)
    })
}

fn uncertain_terms(study: &GroupedStudy) -> Option<Warning> {
    let inclusion = study.inclusion();
    let chosen = study
        .answer()?
        .fit
        .support()
        .minus(&study.settings().space.centre);
    let unsure = chosen
        .indices()
        .iter()
        .filter(|&&term| inclusion[term] < 0.9);
    let unsure: Vec<String> = unsure
        .map(|&term| format!("{} ({:.2})", study.term(term), inclusion[term]))
        .collect();
    (!unsure.is_empty()).then(|| {
        let message = format!(
            "these terms are in the equation with a probability below 0.9: {}",
            unsure.join(", ")
        );
        Warning::new(Code::UncertainTerms, message)
    })
}

/// Residuals at the level of rounding errors cannot rank laws.
fn too_good(study: &GroupedStudy) -> Option<Warning> {
    let share = study.answer()?.fit.share_of(study.baseline());
    (share <= ROUNDING * ROUNDING).then(|| {
        Warning::new(
            Code::NoResidual,
            "the equation fits to the last digit: without noise there are no error bars, and \
             alternatives cannot be judged",
        )
    })
}

/// Experiments whose residuals are larger than those of the others, although one noise level is
/// assumed for all.
fn noisier(study: &GroupedStudy) -> Option<Warning> {
    let groups = study.groups();
    let fit = &study.answer()?.fit;
    let freedom = fit.degrees_of_freedom() as f64;
    let (n_all, n_groups) = (groups.n_obs() as f64, groups.each().len() as f64);
    let norms = groups.residual_norms(fit);
    let total: f64 = norms.iter().map(|norm| norm * norm).sum();
    if fit.share_of(study.baseline()) <= ROUNDING * ROUNDING {
        return None;
    }
    let mut found = Vec::new();
    for ((norm, rows), name) in norms.iter().zip(groups.each()).zip(groups.names()) {
        // Each experiment has its share of the degrees of freedom.
        let own = freedom * rows.n_obs() as f64 / n_all;
        let (inside, outside) = (norm * norm, total - norm * norm);
        if own < 1.0 || freedom - own < 1.0 || outside <= 0.0 {
            continue;
        }
        let ratio = inside / own / (outside / (freedom - own));
        if f_tail(ratio, own, freedom - own) * n_groups < NOISIER {
            found.push((name.as_str(), ratio.sqrt()));
        }
    }
    let largest = found
        .iter()
        .map(|(_, ratio)| *ratio)
        .fold(0.0_f64, f64::max);
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| {
        let message = format!(
            "the residuals of {} {} are up to {largest:.1} times those of the others, and one \
             noise level is assumed for all: weights by a column of noise would respect that",
            groups.column(),
            listed(&names)
        );
        Warning::new(Code::UnevenNoise, message)
    })
}

fn stopped(study: &GroupedStudy) -> Option<Warning> {
    let unfinished = study.found().lists.iter().find(|one| !one.list.exact)?;
    let message = format!(
        "the search was stopped at {}: that list is not proven",
        counted(unfinished.list.size, "term")
    );
    Some(Warning::new(Code::Stopped, message))
}

/// Rows kept in memory for the check of the residuals.
const KEPT_ROWS: usize = 1 << 15;

/// All that is left of a table of several experiments: the triangle of each, and the first rows.
#[derive(Debug)]
pub struct GatheredGroups {
    groups: Groups,
    kept: Vec<Labelled>,
}

impl GatheredGroups {
    /// Reduces all rows in one pass, each experiment by itself.
    ///
    /// # Errors
    /// Those of the batches and of [`Groups::reduce`].
    pub fn new(
        problem: &Problem,
        column: &str,
        batches: impl Iterator<Item = Result<Labelled>>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let (mut kept, mut n_rows) = (Vec::new(), 0);
        let tee = batches.inspect(|batch| {
            if let Ok(batch) = batch {
                n_rows += batch.table.n_rows();
                if n_rows <= KEPT_ROWS {
                    kept.push(batch.clone());
                }
            }
        });
        let groups = Groups::reduce(problem, column, tee, threads, observer)?;
        Ok(Self { groups, kept })
    }

    /// The rows of all experiments.
    pub fn groups(&self) -> Groups {
        self.groups.clone()
    }

    /// The warnings from the residuals of an answer: each once, with the experiments that it is
    /// about.
    ///
    /// # Errors
    /// A study of other columns than these.
    pub fn checks(&self, study: &GroupedStudy) -> Result<Vec<Warning>> {
        let Some(model) = study.model() else {
            return Ok(Vec::new());
        };
        let problem = study.problem();
        let weights = problem
            .weights()
            .map(|name| (name.to_string(), problem.meaning()));
        let mut rows: BTreeMap<&str, Vec<Table>> = BTreeMap::new();
        for (label, table) in self.kept.iter().flat_map(Labelled::by_label) {
            rows.entry(label).or_default().push(table);
        }
        let mut found: BTreeMap<Code, (Vec<&str>, String)> = BTreeMap::new();
        for (name, model) in model.names().iter().zip(model.models()) {
            let Some(diagnosis) = Diagnosis::new(model) else {
                continue;
            };
            let mut diagnosis = diagnosis.weighted_by(weights.clone());
            for table in rows.get(name.as_str()).into_iter().flatten() {
                diagnosis.add(table)?;
            }
            for warning in diagnosis.warnings() {
                let first = || (Vec::new(), warning.message.clone());
                found.entry(warning.code).or_insert_with(first).0.push(name);
            }
        }
        let told = |(code, (names, message)): (Code, (Vec<&str>, String))| {
            let (column, names) = (study.groups().column(), listed(&names));
            Warning::new(code, format!("{column} {names}: {message}"))
        };
        Ok(found.into_iter().map(told).collect())
    }
}
