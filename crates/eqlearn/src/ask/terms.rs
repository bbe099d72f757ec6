//! From words to the terms that may explain a target, and to the problem.

use super::command::OF_TERMS;
use super::{AskError, Checked, Constant, GroupingError, Request};
use crate::data::table::{ColumnKind, Source, Table, derivative_name};
use crate::error::Result;
use crate::reduce::{ReduceError, TriangleFile};
use crate::terms::family::Family;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::{Problem, Weights};
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// The word for a vocabulary that follows from the data.
const AUTO: &str = "auto";

/// The highest order of a derivative.
const HIGHEST_ORDER: usize = 6;

impl Request {
    pub(super) fn check_terms(&self) -> Result<()> {
        if self.only_terms == Some(true) && self.listed_terms().is_empty() {
            return Err(AskError::NoTerms.into());
        }
        Ok(())
    }

    pub(super) fn check_derivative(&self) -> Result<()> {
        if let (Some(_), Some((word, _))) = (&self.differentiate, self.column_of_rows()) {
            return Err(AskError::WeightedDerivative { word }.into());
        }
        match (&self.differentiate, self.order) {
            (None, Some(_)) => Err(AskError::OrderOfNothing.into()),
            (Some(_), Some(order)) if !(1..=HIGHEST_ORDER).contains(&order) => {
                Err(AskError::Value {
                    word: "order".into(),
                    value: order.to_string(),
                    range: format!("a whole number from 1 to {HIGHEST_ORDER}"),
                }
                .into())
            }
            _ => Ok(()),
        }
    }

    /// The richest vocabulary that is asked for; none if that follows from the data.
    pub(super) fn vocabulary(&self) -> Result<Option<Vocabulary>> {
        let Some(word) = self.vocabulary.as_deref().filter(|word| *word != AUTO) else {
            return Ok(None);
        };
        let named = Vocabulary::named();
        let found = named.iter().find(|(known, _, _)| *known == word);
        let words = || {
            [AUTO]
                .into_iter()
                .chain(named.iter().map(|(known, _, _)| *known))
        };
        match found {
            Some((_, _, vocabulary)) => Ok(Some(*vocabulary)),
            None => Err(AskError::Value {
                word: "vocabulary".into(),
                value: format!("{word:?}"),
                range: words().collect::<Vec<_>>().join(", "),
            }
            .into()),
        }
    }

    /// The texts of the further terms.
    fn listed_terms(&self) -> Vec<&str> {
        self.terms
            .iter()
            .flat_map(|text| Term::split(text))
            .collect()
    }
}

/// Inner parameters.
impl Request {
    /// Whether some terms have inner parameters.
    pub(super) fn has_inner(&self) -> bool {
        self.listed_terms().into_iter().any(Family::is_meant)
    }

    /// The texts of the terms without inner parameters.
    pub(super) fn plain_terms(&self) -> Vec<&str> {
        let mut texts = self.listed_terms();
        texts.retain(|text| !Family::is_meant(text));
        texts
    }

    /// The families of the terms with inner parameters, with their ranges.
    pub(super) fn families(&self, features: &[String]) -> Result<Vec<Family>> {
        let mut texts = self.listed_terms();
        texts.retain(|text| Family::is_meant(text));
        let mut families = Family::parse(texts, features)?;
        for text in self.range.iter().flat_map(|text| text.split(',')) {
            let (name, ends) = range(text)?;
            Family::limit(&mut families, name, ends)?;
        }
        Ok(families)
    }
}

/// The name of an inner parameter and the ends of its range, from `a=0.01..10`.
fn range(text: &str) -> Result<(&str, (f64, f64))> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let read = || {
        let (name, ends) = text.split_once('=')?;
        let (low, high) = ends.split_once("..")?;
        let name = name.trim().trim_start_matches('?');
        Some((name, (number(low)?, number(high)?)))
    };
    read().ok_or_else(|| {
        AskError::Value {
            word: "range".into(),
            value: format!("{text:?}"),
            range: "a parameter and the ends of its range, such as a=0.01..10".into(),
        }
        .into()
    })
}

impl Checked {
    /// The problem of explaining a column by these features.
    pub fn problem_over(&self, features: &[String], target: &str) -> Result<Problem> {
        let units = self.units_of(features, &LeftSide::from(target))?;
        let dictionary = self.dictionary(features, None, units.as_ref())?;
        let problem = Problem::new(target, dictionary)?;
        match self.request.column_of_rows() {
            Some(("noise", column)) => Ok(problem
                .with_weights(column)?
                .with_meaning(Weights::Deviation)),
            Some((_, column)) => problem.with_weights(column),
            None => Ok(problem),
        }
    }

    /// The problem that a table poses, and a remark on the columns that have no part in it.
    pub fn problem(&self, source: &Source) -> Result<(Problem, Option<String>)> {
        let target = self.target(source)?;
        let (features, remark) = if let Some(given) = self.given_features() {
            (given.to_vec(), None)
        } else {
            let weights = self.request.column_of_rows().map(|(_, column)| column);
            let but = [target].into_iter().chain(weights).chain(self.group());
            let but: Vec<&str> = but.collect();
            numeric_columns(source, &but)
        };
        let plain = features.into_iter();
        let plain = plain.filter(|name| !source.is_categorised(name));
        let features: Vec<String> = plain.chain(source.indicators()).collect();
        if features.is_empty() {
            let (file, target) = (source.name().to_string(), target.to_string());
            return Err(AskError::NoFeatures {
                file,
                target,
                remark,
            }
            .into());
        }
        let used = [&features[..], &[target.to_string()]].concat();
        self.request.check_units_of(source, &used)?;
        Ok((self.problem_over(&features, target)?, remark))
    }

    /// The table with the derivative of the target, the problem of explaining that by all else, and
    /// how many rows were left out for missing values; none if no derivative is asked for.
    pub fn differentiated(&self, source: &Source) -> Result<Option<Derivative>> {
        let Some(by) = &self.request.differentiate else {
            return Ok(None);
        };
        let target = self.target(source)?;
        let order = self.request.order.unwrap_or(1);
        let given = self.given_features().map(<[String]>::to_vec);
        let mut columns = given.unwrap_or_else(|| numeric_columns(source, &[]).0);
        let lower = |k: usize| derivative_name(target, by, k);
        // Lower derivatives are made here, not read.
        columns.retain(|name| (1..order).all(|k| *name != lower(k)));
        let mut read = columns.clone();
        for name in [target, by] {
            if !read.iter().any(|known| known == name) {
                read.push(name.to_string());
            }
        }
        self.request.check_units_of(source, &read)?;
        let features: Vec<String> = columns.into_iter().chain((1..order).map(lower)).collect();
        let left = LeftSide::Derivative {
            of: target.into(),
            by: by.into(),
            order,
        };
        let units = self.units_of(&features, &left)?;
        let dictionary = self.dictionary(&features, None, units.as_ref())?;
        let problem = Problem::new(left, dictionary)?;
        Ok(Some(Derivative {
            problem,
            read,
            target: target.to_string(),
            by: by.clone(),
            order,
        }))
    }

    /// What the triangles were made for; anything else is refused.
    pub fn problem_of(&self, triangles: &[TriangleFile]) -> Result<Problem> {
        if self.request.has_inner() {
            return Err(AskError::TriangleInner.into());
        }
        if self.group().is_some() {
            return Err(GroupingError::Triangles.into());
        }
        // Whether they have a constant is checked below.
        let of_terms = OF_TERMS.iter().filter(|word| **word != "constant");
        let mut settled = of_terms.chain(&["features", "weights"]).copied();
        let said = self.request.said();
        let late = settled.find(|word| said.iter().any(|said| said == word));
        if let Some(word) = late {
            return Err(AskError::TooLate { word: word.into() }.into());
        }
        if self.request.differentiate.is_some() {
            return Err(AskError::TriangleDerivative.into());
        }
        if self.request.column_of_noise().is_some() {
            return Err(AskError::TooLate {
                word: "noise".into(),
            }
            .into());
        }
        let richer = self
            .request
            .vocabulary()?
            .is_some_and(|v| v > Vocabulary::Monomials);
        let of_rows = richer
            .then_some("vocabulary")
            .or(self.request.of_uneven_rows());
        if let Some(word) = of_rows {
            return Err(AskError::TriangleRows { word }.into());
        }
        let first = triangles.first().ok_or(ReduceError::NoRowsToLearnFrom)?;
        let problem = first.problem();
        if let Some(asked) = self.request.target.clone()
            && asked != problem.target()
        {
            let target = problem.target();
            return Err(AskError::OtherTarget { target, asked }.into());
        }
        let has_constant = problem.dictionary().has_constant();
        if let Some(constant) = self.request.constant
            && has_constant == (constant == Constant::None)
        {
            return Err(AskError::TooLateConstant {
                constant,
                has_constant,
            }
            .into());
        }
        Ok(problem.clone())
    }

    fn given_features(&self) -> Option<&[String]> {
        let features = self.request.features.as_deref()?;
        (!features.is_empty()).then_some(features)
    }

    fn target(&self, source: &Source) -> Result<&str> {
        let columns = || source.columns().iter();
        self.request.target.as_deref().ok_or_else(|| {
            let last = columns().rfind(|column| column.is_numeric());
            AskError::NoTarget {
                file: source.name().to_string(),
                columns: columns()
                    .map(|column| (column.name.clone(), column.content()))
                    .collect(),
                example: last.map_or("y", |column| &column.name).to_string(),
            }
            .into()
        })
    }
}

/// The problem of explaining a derivative, and the table that it is taken from.
#[derive(Debug)]
pub struct Derivative {
    /// The problem.
    pub problem: Problem,
    /// The columns to read.
    pub read: Vec<String>,
    target: String,
    by: String,
    order: usize,
}

impl Derivative {
    /// The table with the derivatives, from one with the columns to read.
    pub fn of(&self, table: &Table) -> Result<Table> {
        table.differentiated(&self.target, &self.by, self.order)
    }
}

/// The names of the columns of numbers but these, and a remark on those that are left out.
pub fn numeric_columns(source: &Source, but: &[&str]) -> (Vec<String>, Option<String>) {
    let others = || {
        let columns = source.columns().iter();
        columns.filter(|column| !but.contains(&column.name.as_str()))
    };
    let names = others().filter(|column| column.is_numeric());
    let names = names.map(|column| column.name.clone()).collect();
    let left_out = others().filter(|column| {
        let used = column.is_numeric() || source.is_categorised(&column.name);
        !used && column.kind != ColumnKind::Empty
    });
    let left_out: Vec<String> = left_out
        .map(|column| format!("{:?} ({})", column.name, column.kind))
        .collect();
    let remark = format!("left out, not numbers: {}", left_out.join(", "));
    (names, (!left_out.is_empty()).then_some(remark))
}
