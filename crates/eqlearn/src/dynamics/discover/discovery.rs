//! What was learned from trajectories, and what was chosen on the way.

use serde::{Deserialize, Serialize};

use super::denoised::NOT_FITTED;
use super::misfit::Judge;
use super::{Denoised, Discover, Opinion};
use crate::beyond::parameters::Form;
use crate::beyond::{Caution, Trial};
use crate::data::trajectory::Trajectories;
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::system::System;
use crate::learn::Study;
use crate::learn::model::Model;
use crate::numeric::parallel;
use crate::reduce::support::Support;

/// What was learned, and how.
#[derive(Debug, Clone)]
pub struct Discovery {
    pub(super) settings: Discover,
    /// The states whose equations are learned: those recorded, or their velocities.
    pub(super) states: Vec<String>,
    /// Equations that hold by definition: the derivative of a state is its velocity.
    pub(super) definitions: Vec<Model>,
    /// The record with velocities, if those were states.
    pub(super) with_velocities: Option<Trajectories>,
    /// One study per state.
    pub(super) studies: Vec<Study>,
    pub(super) choice: Choice,
    /// The record without its noise, if states and coefficients were fitted together.
    pub(super) cleaned: Option<Trajectories>,
    /// For each state the vocabularies that were tried; none where the dictionary was enough.
    pub(super) tried: Vec<Vec<Trial>>,
    /// For each state what to know about the inner parameters of its law.
    pub(super) cautions: Vec<Vec<Caution>>,
    /// For each state how the terms of its law depend on inner parameters; none without such.
    pub(super) forms: Vec<Option<Form>>,
}

/// What was chosen on the way, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The kind of rows.
    #[serde(with = "by_name")]
    pub rows: RowScheme,
    /// The half width of the test functions, for the weak form.
    pub half_width: Option<f64>,
    /// The noise level of each state.
    pub noise: Vec<f64>,
    /// The mean square of what each equation leaves of its rows, in units of the noise by which
    /// neighbouring samples differ: about 1 where the equation holds. Null where rows cannot say
    /// that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chi2_per_row: Vec<Option<f64>>,
    /// The shortest time scale of the motion.
    pub time_scale: f64,
    /// The usual time step.
    pub step: f64,
    /// How many searches it took.
    pub searches: usize,
    /// Whether the last two searches agree on the terms.
    pub settled: bool,
    /// What simulations said about models that are nearly as probable; none if there were none.
    pub second_opinion: Option<Opinion>,
    /// How states and coefficients were fitted together; none if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denoised: Option<Denoised>,
    /// The reasons, in words.
    pub why: Vec<String>,
}

impl Choice {
    /// Whether simulations chose the equation of a state, against what its rows favour.
    pub fn is_chosen_by_simulation(&self, state: &str) -> bool {
        let opinion = self.second_opinion.as_ref();
        opinion.is_some_and(|opinion| opinion.changed.iter().any(|known| known == state))
    }

    /// Whether rows are whitened, so that residuals have unit variance whatever the noise level.
    pub fn is_whitened(&self) -> bool {
        matches!(self.rows, RowScheme::Weak { .. })
    }
}

impl Discovery {
    /// The equations of these states, found within the dictionary.
    pub(super) fn new(
        settings: &Discover,
        states: &[String],
        studies: Vec<Study>,
        choice: Choice,
    ) -> Self {
        Self {
            settings: settings.clone(),
            states: states.to_vec(),
            definitions: Vec::new(),
            with_velocities: None,
            cleaned: None,
            studies,
            choice,
            tried: Vec::new(),
            cautions: Vec::new(),
            forms: Vec::new(),
        }
    }

    /// What was asked.
    pub fn settings(&self) -> &Discover {
        &self.settings
    }

    /// The states whose equations are learned: those recorded, or their velocities.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// One study per state.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// What was chosen on the way.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// For each state the vocabularies that were tried, in order; none where only the dictionary
    /// itself was.
    pub fn tried(&self) -> &[Vec<Trial>] {
        &self.tried
    }

    /// What to know about the inner parameters of a state's law.
    pub fn cautions(&self, state: usize) -> &[Caution] {
        self.cautions.get(state).map_or(&[], Vec::as_slice)
    }

    /// For each state how the terms of its law depend on inner parameters, where it has such.
    pub fn forms(&self) -> &[Option<Form>] {
        &self.forms
    }

    /// The record to compare simulations with: with velocities among the states if the system has
    /// them.
    pub fn followed<'a>(&'a self, record: &'a Trajectories) -> &'a Trajectories {
        self.with_velocities.as_ref().unwrap_or(record)
    }

    /// The record without its noise, as the learned system has it; none if states and coefficients
    /// were not fitted together.
    pub fn cleaned(&self) -> Option<&Trajectories> {
        self.cleaned.as_ref()
    }

    /// Why states and coefficients were not fitted together, although that was wanted.
    pub fn why_not_cleaned(&self) -> Option<&str> {
        let reasons = self.choice.why.iter().rev().map(String::as_str);
        let mut not_fitted = reasons.filter(|why| why.starts_with(NOT_FITTED));
        not_fitted.next()
    }

    /// The learned equation of a state; none if it has none.
    pub fn model(&self, state: usize) -> Option<Model> {
        let model = self.studies[state].model()?;
        Some(if self.choice.is_whitened() {
            // Whitened rows have unit noise; the model reports the noise level of the state.
            model.with_sigma(self.choice.noise[state])
        } else {
            model
        })
    }

    /// The learned system; none unless every state has an equation.
    pub fn system(&self) -> Option<System> {
        let learned = (0..self.studies.len()).map(|state| self.model(state));
        let learned: Vec<Model> = learned.collect::<Option<_>>()?;
        System::from_models([self.definitions.clone(), learned].concat())
    }

    /// The terms of each equation and their coefficients, as they are told; none where there is no
    /// equation.
    pub(super) fn laws(&self) -> Vec<(Support, Vec<f64>)> {
        let law = |study: &Study| {
            let (answer, model) = (study.answer()?, study.model()?);
            Some((answer.fit.support().clone(), model.coefficients().to_vec()))
        };
        let laws = self.studies.iter().map(law);
        laws.map(Option::unwrap_or_default).collect()
    }

    /// The same with each answer judged, where there are rows to judge by.
    pub(super) fn judged(mut self, judge: Option<&(dyn Judge + '_)>, threads: usize) -> Self {
        let Some(judge) = judge else {
            return self;
        };
        let one = |state: usize| judge.misfit(state, &self.studies[state]);
        let misfits = parallel::map(threads, self.studies.len(), one);
        let chi2 = |state: usize| self.chi2_per_row(state, judge);
        let chi2: Vec<Option<f64>> = (0..self.studies.len()).map(chi2).collect();
        if chi2.iter().any(Option::is_some) {
            self.choice.chi2_per_row = chi2;
        }
        let both = self.studies.into_iter().zip(misfits);
        self.studies = both
            .map(|(study, misfit)| {
                let vocabulary = study.vocabulary();
                study.judged(vocabulary, misfit)
            })
            .collect();
        self
    }

    /// The mean square of what the equation of a state leaves of its rows, in units of the noise by
    /// which neighbouring samples differ; none for fractions, and where the states themselves were
    /// fitted, which says more.
    fn chi2_per_row(&self, state: usize, judge: &(dyn Judge + '_)) -> Option<f64> {
        let study = &self.studies[state];
        let is_sum = study.model()?.denominator().is_none();
        let left = study.answer()?.fit.sigma()?;
        let variance = judge
            .variance(state)
            .filter(|_| is_sum && self.cleaned.is_none())?;
        Some(left.powi(2) * variance)
    }

    /// The same with another answer of one state, by its place in the ranking.
    pub(super) fn choosing(&self, state: usize, place: usize) -> Self {
        let mut other = self.clone();
        other.studies[state] = self.studies[state].clone().choosing(Some(place));
        other
    }
}

/// A kind of rows by the name that users type.
mod by_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use crate::dynamics::rows::difference::RowScheme;

    pub(super) fn serialize<S: Serializer>(rows: &RowScheme, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(rows)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RowScheme, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(de::Error::custom)
    }
}
