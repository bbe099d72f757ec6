//! The rules that need no data.

use super::knobs::MethodChoice;
use super::{AskError, Command, Request};
use crate::beyond::Noise;
use crate::error::Result;
use crate::methods::Method;
use crate::reduce::Cut;

/// A request that passed every rule that needs no data.
#[derive(Debug, Clone)]
pub struct Checked {
    pub(super) request: Request,
    pub(super) command: Command,
    /// One per method: one, unless methods are compared; none where rows are only reduced.
    pub(super) choices: Vec<MethodChoice>,
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
        if command.is_about_trajectories() {
            self.check_record()?;
        } else {
            self.check_derivative()?;
        }
        let choices = if command == Command::Reduce {
            Vec::new()
        } else {
            self.choices(command)?
        };
        self.check_methods(&choices)?;
        self.check_inner(command, &choices)?;
        Ok(Checked {
            request: self,
            command,
            choices,
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
        match (self.noise, self.robust) {
            (Some(Noise::Relative), _) => Some("noise"),
            (_, Some(true)) => Some("robust"),
            _ => None,
        }
    }

    /// Options that none of the chosen methods has.
    fn check_methods(&self, choices: &[MethodChoice]) -> Result<()> {
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
        if let Some(word) = self.of_uneven_rows() {
            if self.weights.is_some() {
                return Err(AskError::NoiseAndWeights { word }.into());
            }
            if let Some(method) = methods().find(|method| **method != Method::Best) {
                return Err(AskError::NoMeaning {
                    word: word.into(),
                    methods: vec![method.name().into()],
                    able: vec![Method::Best.name()],
                }
                .into());
            }
        }
        if !self.exclude.is_empty() && methods().any(|method| *method == Method::Ols) {
            let method = Method::Ols.name();
            return Err(AskError::ExcludedFromAll { method }.into());
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
