//! The rules that need no data.

use super::knobs::MethodChoice;
use super::{AskError, Command, Request};
use crate::beyond::Noise;
use crate::error::Result;
use crate::judge::criterion::Criterion;
use crate::methods::Method;
use crate::reduce::Cut;
use crate::terms::vocabulary::Vocabulary;

/// A request that passed every rule that needs no data.
#[derive(Debug, Clone)]
pub struct Checked {
    pub(super) request: Request,
    pub(super) command: Command,
    /// One per method: one, unless methods are compared; none where rows are only reduced.
    pub(super) choices: Vec<MethodChoice>,
    /// The units that the header of the data gives, by column.
    pub(super) header_units: Vec<(String, String)>,
}

impl Request {
    /// Applies every rule that needs no data.
    ///
    /// # Errors
    /// [`AskError`], or an unknown method.
    pub fn check(self, command: Command) -> Result<Checked> {
        command.check(&self)?;
        self.check_numbers()?;
        self.criterion()?;
        self.check_terms()?;
        self.vocabulary()?;
        self.powers()?;
        self.check_units()?;
        self.check_noise_of(command)?;
        match command {
            Command::Discover | Command::CompareTrajectories => self.check_record()?,
            Command::DiscoverField => self.check_field()?,
            Command::Fit | Command::Reduce | Command::Compare => self.check_derivative()?,
        }
        let choices = if command == Command::Reduce {
            Vec::new()
        } else {
            self.choices(command)?
        };
        self.check_methods(command, &choices)?;
        self.check_inner(command, &choices)?;
        self.check_grouping(command)?;
        Ok(Checked {
            request: self,
            command,
            choices,
            header_units: Vec::new(),
        })
    }

    fn check_numbers(&self) -> Result<()> {
        let counts = [
            ("max-terms", self.max_terms),
            ("keep", self.keep),
            ("threads", self.threads),
            ("max-power", self.max_power.map(|power| power as usize)),
        ];
        if let Some((word, _)) = counts.into_iter().find(|(_, count)| *count == Some(0)) {
            return Err(AskError::Value {
                word: word.into(),
                value: "0".into(),
                range: "a whole number from 1 up".into(),
            }
            .into());
        }
        if let Some(seconds) = self.time_limit
            && (seconds.is_nan() || seconds < 0.0)
        {
            return Err(AskError::Value {
                word: "time-limit".into(),
                value: seconds.to_string(),
                range: "a number of seconds from 0 up".into(),
            }
            .into());
        }
        Ok(())
    }

    /// The word by which rows are to count differently, if there is one.
    pub(super) fn of_uneven_rows(&self) -> Option<&'static str> {
        match (self.shape_of_noise(), self.robust) {
            (Some(Noise::Relative), _) => Some("noise"),
            (_, Some(true)) => Some("robust"),
            _ => None,
        }
    }

    /// How the noise varies, if a word says it.
    pub(super) fn shape_of_noise(&self) -> Option<Noise> {
        let word = self.noise.as_deref()?;
        let mut named = Noise::named().into_iter();
        named
            .find(|(known, _, _)| *known == word)
            .map(|(_, _, noise)| noise)
    }

    /// The column of standard deviations, if one is named in place of a word.
    pub(super) fn column_of_noise(&self) -> Option<&str> {
        let is_word = self.shape_of_noise().is_some();
        self.noise.as_deref().filter(|_| !is_word)
    }

    /// The column that says how precise rows are, by weights or standard deviations, and the word
    /// for it.
    pub(super) fn column_of_rows(&self) -> Option<(&'static str, &str)> {
        let weights = self.weights.as_deref().map(|column| ("weights", column));
        weights.or(self.column_of_noise().map(|column| ("noise", column)))
    }

    /// Options that none of the chosen methods has.
    fn check_methods(&self, command: Command, choices: &[MethodChoice]) -> Result<()> {
        let methods = || choices.iter().map(|choice| &choice.method);
        let unable = |method: &&Method| !method.declaration().resumes;
        if let Some(method) = methods().find(unable)
            && self.checkpoint.is_some()
        {
            let all = Method::declarations();
            let able = all.filter(|method| method.resumes);
            return Err(AskError::CheckpointBy {
                method: method.name(),
                able: able.map(|method| method.name).collect(),
            }
            .into());
        }
        if self.weights.is_some() && self.column_of_noise().is_some() {
            let (word, known) = ("noise", "weights");
            return Err(AskError::NoiseAndWeights { word, known }.into());
        }
        if let (Some(word), Some((known, _))) = (self.of_uneven_rows(), self.column_of_rows()) {
            return Err(AskError::NoiseAndWeights { word, known }.into());
        }
        self.check_best(command, choices)?;
        // The terms of a system are those of all its states, and units allow each only some.
        let by_units = !self.units.is_empty() && command.is_about_motion();
        let excludes = [("exclude", !self.exclude.is_empty()), ("units", by_units)];
        let word = excludes.into_iter().find(|(_, said)| *said);
        if let Some((word, _)) = word
            && methods().any(|method| *method == Method::Ols)
        {
            let method = Method::Ols.name();
            return Err(AskError::ExcludedFromAll { method, word }.into());
        }
        Ok(())
    }

    /// Only best looks beyond the dictionary and at single rows. Beside others that are compared
    /// with it, these words are for it alone.
    fn check_best(&self, command: Command, choices: &[MethodChoice]) -> Result<()> {
        let richer = self
            .vocabulary()?
            .is_some_and(|v| v > Vocabulary::Monomials);
        if richer && self.criterion()? != Criterion::Residual {
            return Err(AskError::Value {
                word: "criterion".into(),
                value: format!("{:?}", self.criterion.as_deref().unwrap_or_default()),
                range: "residual, by which all vocabularies are compared".into(),
            }
            .into());
        }
        let word = self.of_uneven_rows();
        let Some(word) = word.or(richer.then_some("vocabulary")) else {
            return Ok(());
        };
        let is_best = |choice: &&MethodChoice| choice.method == Method::Best;
        if command.compares() && choices.iter().any(|choice| is_best(&choice)) {
            return Ok(());
        }
        match choices.iter().find(|choice| !is_best(choice)) {
            Some(other) => Err(AskError::NoMeaning {
                word: word.into(),
                methods: vec![other.method.name().into()],
                able: vec![Method::Best.name()],
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Rows that are reduced are not judged, so that only a column tells their noise.
    fn check_noise_of(&self, command: Command) -> Result<()> {
        if command == Command::Reduce && self.shape_of_noise().is_some() {
            return Err(AskError::Value {
                word: "noise".into(),
                value: format!("{:?}", self.noise.as_deref().unwrap_or_default()),
                range: "the column with the standard deviation of each row".into(),
            }
            .into());
        }
        Ok(())
    }

    /// Inner parameters are found by `fit` and `discover`, and by the methods that say which terms
    /// are in.
    fn check_inner(&self, command: Command, choices: &[MethodChoice]) -> Result<()> {
        if !self.has_inner() {
            return Ok(());
        }
        if !matches!(command, Command::Fit | Command::Discover) {
            return Err(AskError::InnerOf { command }.into());
        }
        let able = |method: &Method| matches!(method, Method::Best | Method::Ols);
        match choices.iter().find(|choice| !able(&choice.method)) {
            Some(choice) => {
                let method = choice.method.name();
                Err(AskError::InnerBy { method }.into())
            }
            None => Ok(()),
        }
    }
}

impl Checked {
    /// What was asked for, in words.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// How rows are to be cut; none where no method needs parts of them.
    pub fn cut(&self) -> Option<Cut> {
        if self.command == Command::Compare {
            return Some(self.request.cut_of_comparison());
        }
        self.choices.first()?.cut
    }
}
