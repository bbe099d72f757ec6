//! From words to the dictionary, and what it owes to the values of the data.

use std::path::PathBuf;

use super::units::Homogeneous;
use super::{AskError, Checked, Command, Constant, GroupingError, MAX_DEGREE, MAX_POWER, Request};
use crate::data::table::{Files, ReadOptions, Source, Table};
use crate::error::Result;
use crate::terms::Extent;
use crate::terms::dictionary::{Degree, Dictionary, Products};
use crate::terms::powers::Powers;
use crate::terms::problem::Problem;
use crate::terms::term::Term;

impl Request {
    /// The powers of a feature that are asked for.
    pub(super) fn powers(&self) -> Result<Option<Powers>> {
        let Some(text) = &self.powers else {
            return Ok(None);
        };
        let other = [
            ("max-power", self.max_power.is_some()),
            ("only-terms", self.only_terms == Some(true)),
        ];
        if let Some((other, _)) = other.into_iter().find(|(_, said)| *said) {
            return Err(AskError::PowersTwice { other }.into());
        }
        match Powers::parse(text) {
            Ok(powers) => Ok(Some(powers)),
            Err(range) => Err(AskError::Value {
                word: "powers".into(),
                value: format!("{text:?}"),
                range: range.into(),
            }
            .into()),
        }
    }
}

impl Checked {
    /// The dictionary over these features. Where it depends on their values and nothing is known of
    /// these, they are taken to be positive.
    pub(super) fn dictionary(
        &self,
        features: &[String],
        extents: Option<&[Extent]>,
        units: Option<&Homogeneous>,
    ) -> Result<Dictionary> {
        let (dictionary, _) = self.with_given(features, extents, units)?;
        self.checked_by_units(dictionary, units)
    }

    /// The dictionary with the terms that are given, and those of them that were there already.
    fn with_given(
        &self,
        features: &[String],
        extents: Option<&[Extent]>,
        units: Option<&Homogeneous>,
    ) -> Result<(Dictionary, Vec<(String, String)>)> {
        let texts = self.request.plain_terms();
        let dictionary = if self.request.only_terms == Some(true) {
            let added = self.added_constant(features, &texts);
            Dictionary::new(features)?.with(added)?
        } else {
            self.products(features, extents, units)?
        };
        dictionary.and_new(texts)
    }

    /// Remarks on given terms that the dictionary over these features has already.
    ///
    /// # Errors
    /// Those of terms.
    pub fn remarks_on_terms(&self, features: &[String]) -> Result<Vec<String>> {
        if self.request.terms.is_empty() {
            return Ok(Vec::new());
        }
        let (_, repeated) = self.with_given(features, None, None)?;
        Ok(repeated.into_iter().map(is_there).collect())
    }

    /// The products of powers of the features.
    fn products(
        &self,
        features: &[String],
        extents: Option<&[Extent]>,
        units: Option<&Homogeneous>,
    ) -> Result<Dictionary> {
        let Request {
            max_power,
            max_degree,
            constant,
            ..
        } = self.request;
        let constant = constant != Some(Constant::None);
        let Some(powers) = self.request.powers()? else {
            // Who asks for a degree wants the powers that it allows.
            let power = max_power.unwrap_or(max_degree.unwrap_or(0).max(MAX_POWER));
            let degree = max_degree.unwrap_or(MAX_DEGREE);
            let all = Dictionary::monomials(features, power, degree, constant)?;
            return Ok(match units {
                Some(units) => all.only(|term| units.admits(term)),
                None => all,
            });
        };
        let unknown = vec![Extent::POSITIVE; features.len()];
        let of_dimension = units.map(|units| |term: &Term| units.admits(term));
        let degree = max_degree.map_or(Degree::AtMost(MAX_DEGREE), Degree::Given);
        let products = Products {
            powers,
            degree,
            constant,
            extents: extents.unwrap_or(&unknown),
            wanted: of_dimension
                .as_ref()
                .map(|wanted| wanted as &dyn Fn(&Term) -> bool),
        };
        Dictionary::products(features, &products)
    }

    /// The constant, if it is asked for and not among these texts.
    fn added_constant(&self, features: &[String], texts: &[&str]) -> Option<Term> {
        let constant = self.request.constant;
        let asked = matches!(constant, Some(Constant::Free | Constant::Forced));
        let is_constant =
            |text: &&str| Term::parse(text, features).is_ok_and(|term| term.is_constant());
        (asked && !texts.iter().any(is_constant)).then(Term::constant)
    }

    /// Whether the dictionary depends on the values of the data. That of a triangle does not: it is
    /// the same for all files, so that their triangles can be merged.
    fn depends_on_values(&self) -> bool {
        self.request.powers.is_some() && self.command != Command::Reduce
    }

    /// The same problem with the terms that the values of the features allow. The tables are read
    /// only if that depends on them.
    ///
    /// # Errors
    /// Those of the tables, and of a dictionary that is too large.
    pub fn settled(
        &self,
        problem: Problem,
        tables: impl Iterator<Item = Result<Table>>,
    ) -> Result<Problem> {
        if !self.depends_on_values() {
            return Ok(problem);
        }
        let features = problem.dictionary().features().to_vec();
        let extents = Extent::of_columns(&features, tables)?;
        let units = self.units_of(&features, problem.left_side())?;
        let dictionary = self.dictionary(&features, Some(&extents), units.as_ref())?;
        Ok(problem.with_dictionary(dictionary))
    }

    /// The same for the rows of files, the first of which is open. If they have to be read for it,
    /// the source that is returned starts with its first row again.
    ///
    /// # Errors
    /// As [`settled`](Self::settled).
    pub fn settled_on_files(
        &self,
        problem: Problem,
        first: Source,
        rest: &[PathBuf],
        options: ReadOptions,
    ) -> Result<(Problem, Source)> {
        if !self.depends_on_values() {
            return Ok((problem, first));
        }
        if self.group().is_some() && !first.can_be_opened_again() {
            return Err(GroupingError::Stream.into());
        }
        let columns = problem.columns();
        let (first, again) = first.twice(&columns)?;
        let files = Files::new(first, rest.to_vec(), options, columns)?;
        Ok((self.settled(problem, files)?, again))
    }
}

/// The remark on a given term that the dictionary has already.
pub(super) fn is_there((text, known): (String, String)) -> String {
    if text == known {
        format!("{text} is in the dictionary already")
    } else {
        format!("{text} is in the dictionary already, as {known}")
    }
}
