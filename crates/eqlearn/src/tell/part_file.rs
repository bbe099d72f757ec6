//! The part file: what one share of a search found, for `eqlearn merge`.
//!
//! The first part also holds what the final result needs: the problem, its triangle and the first
//! rows. The others are small.

use serde::{Deserialize, Serialize};

use crate::ask::{Command, Request};
use crate::beyond::Beyond;
use crate::data::table::Table;
use crate::error::{JsonProblem, Result};
use crate::learn::Settings;
use crate::reduce::Reduction;
use crate::search::{Merged, PartDifference, PartsError, SearchPart};
use crate::tell::gather::Gathered;
use crate::terms::problem::Problem;

/// The schema of the part file.
const SCHEMA: &str = "eqlearn-part/1";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One part of a search, with the settings and the version that made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartFile {
    schema: String,
    version: String,
    settings: Settings,
    search: SearchPart,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
}

/// Rows as named columns.
type Batch = Vec<(String, Vec<f64>)>;

/// What was searched: enough to fit, weigh and check once all parts are there.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The name of the data.
    pub data: String,
    /// What was asked, in words.
    pub request: Request,
    /// The target and the terms.
    pub problem: Problem,
    reduction: Reduction,
    /// The first rows, batch by batch; none if they are elsewhere.
    kept: Option<Vec<Batch>>,
}

impl Basis {
    /// What was gathered from these data for this problem.
    pub fn new(data: String, request: Request, problem: Problem, gathered: &Gathered) -> Self {
        let columns = |table: &Table| {
            let both = table.names().iter().cloned().zip(table.columns());
            both.map(|(name, values)| (name, values.to_vec())).collect()
        };
        Self {
            data,
            request,
            problem,
            reduction: gathered.data().whole.clone(),
            kept: gathered
                .has_rows()
                .then(|| gathered.kept().iter().map(columns).collect()),
        }
    }

    /// How far to look beyond the dictionary, as it was asked.
    ///
    /// # Errors
    /// A request that makes no sense: the file was changed by hand.
    pub fn beyond(&self) -> Result<Beyond> {
        let checked = self.request.clone().check(Command::Fit)?;
        checked.beyond(&self.problem)
    }

    /// The rows as they were gathered.
    ///
    /// # Errors
    /// Columns that do not make a table: the file was changed by hand.
    pub fn gathered(&self) -> Result<Gathered> {
        let tables = |kept: &Vec<Batch>| {
            let tables = kept.iter().cloned().map(Table::new);
            tables.collect::<Result<Vec<Table>>>()
        };
        let kept = self.kept.as_ref().map(tables).transpose()?;
        Ok(Gathered::again(self.reduction.clone(), kept))
    }
}

impl PartFile {
    /// The file of a part; its basis is kept if it is the first.
    pub fn new(settings: Settings, search: SearchPart, basis: impl FnOnce() -> Basis) -> Self {
        let is_first = search.shard.number() == 1;
        Self {
            schema: SCHEMA.to_string(),
            version: VERSION.to_string(),
            settings,
            search,
            basis: is_first.then(basis),
        }
    }

    /// What the search found.
    pub fn search(&self) -> &SearchPart {
        &self.search
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a part holds nothing that JSON cannot") + "\n"
    }

    /// Reads the text of a file of this name.
    ///
    /// # Errors
    /// Text that is no part, or one of another version.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let refuse = |problem: JsonProblem| {
            let name = name.to_string();
            PartsError::NotAPart { name, problem }
        };
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| refuse(error.into()))?;
        let field = |name: &str| value.get(name).and_then(serde_json::Value::as_str);
        match (field("schema"), field("version")) {
            (Some(SCHEMA), Some(VERSION) | None) => {}
            (Some(SCHEMA), Some(version)) => {
                let (found, ours) = (version.to_string(), VERSION);
                return Err(refuse(JsonProblem::OtherVersion { found, ours }).into());
            }
            (None, _) => return Err(refuse(JsonProblem::NoSchema).into()),
            (Some(other), version) => {
                let problem = JsonProblem::OtherSchema {
                    found: other.to_string(),
                    version: version.map(String::from),
                    known: SCHEMA,
                };
                return Err(refuse(problem).into());
            }
        }
        Ok(serde_json::from_str(text).map_err(|error| refuse(error.into()))?)
    }
}

/// All parts of a search, ready to conclude from.
#[derive(Debug)]
pub struct Whole {
    /// How it was searched.
    pub settings: Settings,
    /// What was searched.
    pub basis: Basis,
    /// What all parts found together.
    pub found: Merged,
}

impl Whole {
    /// Puts named parts together, in any order.
    ///
    /// # Errors
    /// A part that is foreign, missing or there twice, by name.
    pub fn new(files: Vec<(String, PartFile)>) -> Result<Self> {
        let settings = files.first().map(|(_, file)| file.settings.clone());
        let settings = settings.ok_or(PartsError::NoParts)?;
        if let Some((name, _)) = files.iter().find(|(_, file)| file.settings != settings) {
            let (name, difference) = (name.clone(), PartDifference::Settings);
            return Err(PartsError::Foreign { name, difference }.into());
        }
        let part = |(name, file): &(String, PartFile)| (name.clone(), file.search.clone());
        let parts: Vec<(String, SearchPart)> = files.iter().map(part).collect();
        let found = Merged::new(&parts, settings.space.keep)?;
        let is_first = |file: &PartFile| file.search.shard.number() == 1;
        let mut first = files.into_iter().filter(|(_, file)| is_first(file));
        let (name, first) = first.next().ok_or(PartsError::NoParts)?;
        Ok(Self {
            settings,
            basis: first.basis.ok_or(PartsError::NoBasis { name })?,
            found,
        })
    }
}
