//! One law for several experiments: what may be asked with it, and the rows by experiment.

use std::path::PathBuf;

use super::{AskError, Checked, Command, Request, Spelling};
use crate::beyond::Noise;
use crate::data::left_out;
use crate::data::table::{Batches, ColumnKind, ReadOptions, Reading, Source, Table};
use crate::error::Result;
use crate::judge::criterion::Criterion;
use crate::methods::Method;
use crate::reduce::groups::Labelled;
use crate::reduce::support::Support;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// What cannot be asked for several experiments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupingError {
    /// Shared coefficients, where nothing tells experiments apart.
    NothingApart,
    /// A word that has no meaning for several experiments.
    With {
        /// The word.
        word: String,
    },
    /// A method that cannot.
    Method {
        /// The method.
        method: &'static str,
    },
    /// The column of experiments has another part in the law.
    Column {
        /// The column.
        name: String,
        /// The word that names it too.
        word: &'static str,
    },
    /// Motion, whose records share all coefficients.
    Motion {
        /// The word.
        word: String,
    },
    /// Triangles, whose rows are not told apart.
    Triangles,
    /// Terms that depend on the values, of rows that can be read only once.
    Stream,
}

impl GroupingError {
    pub(super) fn message(&self, spelling: Spelling) -> String {
        let say = spelling.word;
        match self {
            Self::NothingApart => format!(
                "{} names coefficients that are equal in several experiments, and nothing tells \
                 these apart",
                say("shared")
            ),
            Self::With { word } => format!("{} has no meaning with {}", say(word), say("group")),
            Self::Method { method } => {
                format!("{method} cannot learn one law for several experiments")
            }
            Self::Column { name, word } => format!(
                "{name} tells experiments apart, so it cannot be in {} as well",
                say(word)
            ),
            Self::Motion { word } => format!(
                "{} is for fit; of motion, all records have the same coefficients",
                say(word)
            ),
            Self::Triangles => "the rows of a triangle cannot be told apart by experiment".into(),
            Self::Stream => {
                "which terms there are depends on the values, so the rows are read twice, and \
                 those of a stream are gone by then"
                    .into()
            }
        }
    }

    pub(super) fn remedy(&self, spelling: Spelling) -> String {
        let Spelling { word: say, with } = spelling;
        match self {
            Self::NothingApart => format!("add {}", with("group", "COLUMN")),
            Self::With { word } => format!("leave out {} or {}", say(word), say("group")),
            Self::Method { .. } => format!(
                "leave it out, or give {} or {}",
                with("method", Method::Best.name()),
                with("method", Method::BestSubset.name())
            ),
            Self::Column { .. } => "leave it out there".into(),
            Self::Motion { .. } => format!(
                "{} separates records; where coefficients may differ, discover each by itself and \
                 compare",
                say("trajectory")
            ),
            Self::Triangles => "give the table itself".into(),
            Self::Stream => "give a file".into(),
        }
    }
}

impl From<GroupingError> for crate::error::Error {
    fn from(error: GroupingError) -> Self {
        AskError::Grouping(error).into()
    }
}

impl Request {
    /// The rules about several experiments that need no data.
    pub(super) fn check_grouping(&self, command: Command) -> Result<()> {
        let Some(group) = &self.group else {
            return if self.shared.is_empty() {
                Ok(())
            } else {
                Err(GroupingError::NothingApart.into())
            };
        };
        let noise = self.shape_of_noise().filter(|noise| *noise != Noise::Even);
        let richer = self.vocabulary()?.filter(|v| *v > Vocabulary::Monomials);
        let words = [
            ("noise", noise.is_some()),
            ("robust", self.robust == Some(true)),
            ("vocabulary", richer.is_some()),
            ("terms with inner parameters", self.has_inner()),
            ("differentiate", self.differentiate.is_some()),
            ("checkpoint", self.checkpoint.is_some()),
            ("cv", self.cv.is_some()),
            ("refit", self.refit == Some(true)),
        ];
        if let Some((word, _)) = words.into_iter().find(|(_, said)| *said) {
            let word = word.to_string();
            return Err(GroupingError::With { word }.into());
        }
        if matches!(self.criterion()?, Criterion::Evidence(_)) {
            let word = "criterion evidence".to_string();
            return Err(GroupingError::With { word }.into());
        }
        for choice in self.choices(command)? {
            if !matches!(choice.method, Method::Best | Method::BestSubset) {
                let method = choice.method.name();
                return Err(GroupingError::Method { method }.into());
            }
        }
        let weights = self.column_of_rows();
        let named = [
            ("target", self.target.iter().any(|name| name == group)),
            (
                "features",
                self.features.iter().flatten().any(|name| name == group),
            ),
            (
                "categories",
                self.categories.iter().any(|name| name == group),
            ),
            ("weights", weights.is_some_and(|(_, name)| name == group)),
        ];
        match named.into_iter().find(|(_, same)| *same) {
            None => Ok(()),
            Some((word, _)) => {
                let name = group.clone();
                Err(GroupingError::Column { name, word }.into())
            }
        }
    }
}

impl Checked {
    /// The column that tells experiments apart, if there are to be several.
    pub fn group(&self) -> Option<&str> {
        self.request.group.as_deref()
    }

    /// The terms whose coefficients are the same in all experiments.
    ///
    /// # Errors
    /// A term that the dictionary does not have.
    pub fn shared(&self, problem: &Problem) -> Result<Support> {
        let texts = self.request.shared.iter();
        let texts = texts.flat_map(|text| Term::split(text));
        texts.map(|text| problem.dictionary().find(text)).collect()
    }

    /// The rows of a table and of further files, each with its experiment; none if all rows are one
    /// experiment.
    ///
    /// # Errors
    /// A column that does not exist or holds no numbers or text. The rows themselves fail as those
    /// of [`Files`](crate::Files) do.
    pub fn labelled(
        &self,
        first: Source,
        rest: Vec<PathBuf>,
        options: ReadOptions,
        problem: &Problem,
    ) -> Result<Option<LabelledRows>> {
        let rows = |group| LabelledRows::new((first, rest), options, problem.columns(), group);
        self.group().map(rows).transpose()
    }
}

/// The rows of one or several files, each with its experiment. The same label is the same
/// experiment in all files.
#[derive(Debug)]
pub struct LabelledRows {
    columns: Vec<String>,
    group: String,
    options: ReadOptions,
    waiting: std::vec::IntoIter<PathBuf>,
    open: Batches,
    dropped_before: u64,
}

/// The rows of one table: its experiments are in the last column.
fn open(source: Source, columns: &[String], group: &str) -> Result<Batches> {
    let name = source.name_of(group);
    let kind = source.columns().iter().find(|column| column.name == name);
    let reading = match kind.map(|column| column.kind) {
        Some(ColumnKind::Text | ColumnKind::Date) => Reading::Label,
        _ => Reading::Number,
    };
    let numbers = columns.iter().map(|name| (name.as_str(), Reading::Number));
    let asked: Vec<(&str, Reading)> = numbers.chain([(group, reading)]).collect();
    source.batches_as(&asked)
}

impl LabelledRows {
    /// These columns of a table that is open already, and then of others, with the experiment of
    /// each row by the column `group`.
    ///
    /// # Errors
    /// As [`Source::batches`].
    pub fn new(
        (first, rest): (Source, Vec<PathBuf>),
        options: ReadOptions,
        columns: Vec<String>,
        group: &str,
    ) -> Result<Self> {
        let open = open(first, &columns, group)?;
        Ok(Self {
            columns,
            group: group.to_string(),
            options,
            waiting: rest.into_iter(),
            open,
            dropped_before: 0,
        })
    }

    /// What to say of rows that were left out so far, because a chosen value is missing.
    pub fn remark(&self) -> Option<String> {
        let dropped = self.dropped_before + self.open.dropped();
        (dropped > 0).then(|| left_out(dropped))
    }

    fn label(&self, table: Table) -> Labelled {
        let place = self.columns.len();
        let values = table
            .columns()
            .last()
            .expect("experiments are the last column");
        let texts = self.open.labels(place);
        let mut labels: Vec<String> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let places = values
            .iter()
            .map(|value| {
                *known.entry(value.to_bits()).or_insert_with(|| {
                    labels.push(name_of(*value, texts));
                    labels.len() - 1
                })
            })
            .collect();
        Labelled {
            table,
            labels,
            places,
        }
    }
}

/// What an experiment is called: its text, or its number.
fn name_of(value: f64, texts: &[String]) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "labels are numbered from 0"
    )]
    let text = texts.get(value as usize);
    text.cloned().unwrap_or_else(|| value.to_string())
}

impl Iterator for LabelledRows {
    type Item = Result<Labelled>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.open.next() {
                return Some(batch.map(|table| self.label(table)));
            }
            let path = self.waiting.next()?;
            let next = Source::open(path, &self.options).and_then(|source| {
                let file = source.name().to_string();
                open(source, &self.columns, &self.group).map_err(|error| error.in_file(&file))
            });
            match next {
                Ok(next) => {
                    self.dropped_before += self.open.dropped();
                    self.open = next;
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
