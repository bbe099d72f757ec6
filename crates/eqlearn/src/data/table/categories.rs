//! Columns of text as columns of zeros and ones, one per text.
//!
//! With the texts steel, copper and wood of a column `material`, `material_copper` is 1 in the rows
//! of copper and 0 elsewhere, and so is `material_wood`. The first text that appears has no column:
//! it is where all others are 0, since a third column would be one minus the two.

use std::path::PathBuf;

use super::meaning::Reading;
use super::{ColumnKind, ReadOptions, Source};
use crate::data::TableError;
use crate::error::Result;

/// More texts than this are no categories.
const MOST: usize = 50;

/// A column of text, and its texts in the order of their first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Categories {
    pub(super) column: String,
    pub(super) labels: Vec<String>,
}

impl Categories {
    /// The names of the columns of zeros and ones.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let labels = self.labels.iter().skip(1);
        labels.map(|label| format!("{}_{label}", self.column))
    }

    fn note(&self) -> String {
        let Self { column, labels } = self;
        let names: Vec<String> = self.names().collect();
        match names.as_slice() {
            [] => format!("{column} is {} in all rows, so it is left out", labels[0]),
            [name] => format!(
                "{name} is 1 where {column} is {}, and 0 elsewhere",
                labels[1]
            ),
            names => format!(
                "{} are 1 where {column} is that, and all 0 where it is {}",
                names.join(", "),
                labels[0]
            ),
        }
    }
}

impl Source {
    /// The same rows, where these columns of text can be used as columns of zeros and ones. The
    /// texts are those of this table and of the files in `rest`, all of which are read for it.
    ///
    /// # Errors
    /// A column that does not exist or holds no text, too many texts, a stream of text, which is
    /// read once.
    pub fn with_categories(
        self,
        names: &[String],
        rest: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Source> {
        if names.is_empty() {
            return Ok(self);
        }
        let (mut source, first) = self.two()?;
        let mut all = first.texts_of(names)?;
        for path in rest {
            let more = Source::open(path, options)?.texts_of(names)?;
            for (known, more) in all.iter_mut().zip(more) {
                let mut new = more.labels;
                new.retain(|label| !known.labels.contains(label));
                known.labels.extend(new);
            }
        }
        for Categories { column, labels } in &all {
            if labels.len() > MOST {
                return Err(TableError::TooManyCategories {
                    file: source.name,
                    column: column.clone(),
                    most: MOST,
                }
                .into());
            }
        }
        source.notes.extend(all.iter().map(Categories::note));
        source.categories = all;
        Ok(source)
    }

    /// The texts of these columns.
    fn texts_of(self, names: &[String]) -> Result<Vec<Categories>> {
        for name in names {
            let column = self.column_named(name)?;
            if column.kind != ColumnKind::Text {
                return Err(TableError::NoCategories {
                    file: self.name.clone(),
                    column: name.clone(),
                    kind: column.kind.title(),
                }
                .into());
            }
        }
        let asked = names.iter().map(|name| (name.as_str(), Reading::Label));
        let mut batches = self.batches_as(&asked.collect::<Vec<_>>())?;
        batches.by_ref().try_for_each(|batch| batch.map(drop))?;
        let categories = |(place, column): (usize, &String)| Categories {
            column: column.clone(),
            labels: batches.labels(place).to_vec(),
        };
        Ok(names.iter().enumerate().map(categories).collect())
    }
}
