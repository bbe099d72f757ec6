//! From words to settings and a run.

use std::time::Duration;

use super::knobs::MethodChoice;
use super::{AskError, Checked, Command, Constant, KEEP, MAX_TERMS};
use crate::beyond::Beyond;
use crate::error::Result;
use crate::judge::criterion::{Criterion, SizePrior};
use crate::learn::Settings;
use crate::methods::Method;
use crate::reduce::support::Support;
use crate::search::{Elsewhere, Run, Search};
use crate::terms::dictionary::Dictionary;
use crate::terms::limits::Limits;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

impl super::Request {
    /// Whether which terms may be in the law is the user's choice.
    pub(super) fn settles_terms(&self) -> bool {
        self.only_terms == Some(true) || !self.require.is_empty() || !self.exclude.is_empty()
    }

    /// The criterion that is asked for.
    pub(super) fn criterion(&self) -> Result<Criterion> {
        let named = Criterion::named();
        let Some(name) = &self.criterion else {
            return Ok(Criterion::Residual);
        };
        let found = named.iter().find(|(known, _, _)| known == name);
        found.map(|(_, _, criterion)| *criterion).ok_or_else(|| {
            let known: Vec<&str> = named.iter().map(|(known, _, _)| *known).collect();
            AskError::Value {
                word: "criterion".into(),
                value: format!("{name:?}"),
                range: known.join(", "),
            }
            .into()
        })
    }
}

impl Checked {
    /// The settings for a problem.
    ///
    /// # Panics
    /// If rows were only to be reduced.
    pub fn settings(&self, problem: &Problem) -> Result<Settings> {
        self.settings_of_several(std::slice::from_ref(problem))
    }

    /// The settings for several targets of the same dictionary.
    ///
    /// # Panics
    /// If rows were only to be reduced, or there is no problem.
    pub fn settings_of_several(&self, problems: &[Problem]) -> Result<Settings> {
        let choice = self.choices.first().expect("a method was chosen");
        check_limits(&choice.method, problems.len())?;
        self.settings_by(choice, problems[0].dictionary())
    }

    /// The settings for a dictionary by each method that is compared.
    pub fn settings_of_each(&self, dictionary: &Dictionary) -> Result<Vec<Settings>> {
        let settings = |choice: &MethodChoice| {
            check_limits(&choice.method, 1)?;
            self.settings_by(choice, dictionary)
        };
        self.choices.iter().map(settings).collect()
    }

    /// How far to look beyond the dictionary. Terms that were given, required or excluded are a
    /// wish that a richer vocabulary would not respect, so then only the misfit is judged.
    ///
    /// # Errors
    /// A term with inner parameters that is no formula of these features, or a range of none of
    /// them.
    pub fn beyond(&self, problem: &Problem) -> Result<Beyond> {
        let request = &self.request;
        let features = problem.dictionary().features();
        let families = request.families(features)?;
        self.check_families(&families, problem)?;
        let units = self.units_of(features, problem.left_side())?;
        Ok(Beyond {
            vocabulary: self.richest(),
            limits: Limits {
                powers: request.powers()?,
                units: units.map(|homogeneous| homogeneous.units),
            },
            families,
            noise: request.shape_of_noise().unwrap_or_default(),
            robust: request.robust.unwrap_or(false),
        })
    }

    /// The richest vocabulary; none if that follows from the data.
    fn richest(&self) -> Option<Vocabulary> {
        let request = &self.request;
        let asked = request.vocabulary().expect("it was checked");
        asked.or(request.settles_terms().then_some(Vocabulary::Monomials))
    }

    /// Whether a law may be found although the dictionary has none of its terms.
    pub(super) fn goes_beyond(&self) -> bool {
        let is_best = |choice: &MethodChoice| choice.method == Method::Best;
        let plain = self.richest() == Some(Vocabulary::Monomials)
            || self
                .request
                .criterion()
                .is_ok_and(|c| c != Criterion::Residual);
        self.command == Command::Fit
            && (self.request.has_inner() || !plain && self.choices.iter().all(is_best))
    }

    /// How to run: here, or elsewhere.
    pub fn run<'a>(&self, elsewhere: Option<&'a dyn Elsewhere>) -> Run<'a> {
        Run {
            threads: self.threads(),
            checkpoint: self.request.checkpoint.clone(),
            elsewhere,
            ..Run::default()
        }
    }

    /// The number of threads to use, 0 for all cores.
    pub fn threads(&self) -> usize {
        self.request.threads.unwrap_or(0)
    }

    /// When to stop.
    pub fn limit(&self) -> Option<Duration> {
        // A time that is too long for a duration is no limit.
        Duration::try_from_secs_f64(self.request.time_limit?).ok()
    }

    fn settings_by(&self, choice: &MethodChoice, dictionary: &Dictionary) -> Result<Settings> {
        let request = &self.request;
        let method = choice.method.clone();
        let constant = dictionary.terms().iter().position(Term::is_constant);
        let forced = self.forces_constant(&method);
        let centre: Support = constant.filter(|_| forced).into_iter().collect();
        let named = |texts: &[String]| -> Result<Support> {
            let texts = texts.iter().flat_map(|text| Term::split(text));
            let places = texts.map(|text| dictionary.find(text));
            let places = places.collect::<Result<Vec<usize>>>()?;
            let others = places.into_iter().filter(|&term| !centre.contains(term));
            Ok(others.collect())
        };
        let keep = request.keep.unwrap_or(KEEP);
        let space = Search {
            max_terms: request.max_terms.unwrap_or(MAX_TERMS),
            keep,
            required: named(&request.require)?,
            excluded: named(&request.exclude)?,
            centre: centre.clone(),
            ..Search::default()
        };
        let mut settings = Settings {
            method,
            space,
            criterion: request.criterion()?,
            size_prior: request.size_prior.unwrap_or(SizePrior::UniformModels),
            tune: choice.cut.is_some(),
            refit: request.refit.unwrap_or(false),
            ..Settings::default()
        };
        settings.consistency.kept = keep;
        settings.consistency.prune = request.prune.unwrap_or(true);
        Ok(settings)
    }

    /// Whether the constant is always in, so that R² is about the mean: given, or the method's
    /// default.
    fn forces_constant(&self, method: &Method) -> bool {
        match self.request.constant {
            Some(Constant::Forced) => true,
            Some(Constant::Free) => *method == Method::Ols,
            Some(Constant::None) => false,
            None => method.centres(),
        }
    }
}

/// Refuses limits that are not one per target.
fn check_limits(method: &Method, targets: usize) -> Result<()> {
    let Method::Miosr(miosr) = method else {
        return Ok(());
    };
    match &miosr.group_sparsity {
        Some(groups) if groups.len() != targets => Err(AskError::Limits {
            word: "group-sparsity",
            limits: groups.len(),
            targets,
        }
        .into()),
        _ => Ok(()),
    }
}
