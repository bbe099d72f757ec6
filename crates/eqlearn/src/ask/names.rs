//! Columns by the names that a table gives them.

use std::path::PathBuf;

use super::{Checked, Request};
use crate::data::table::{ReadOptions, Source};
use crate::error::Result;

impl Checked {
    /// The same request with columns called as the table calls them: `v` for `v (m/s)`.
    #[must_use]
    pub fn in_names_of(mut self, source: &Source) -> Self {
        let rename = |name: &mut String| *name = source.name_of(name).to_string();
        let Request {
            features,
            categories,
            target,
            weights,
            differentiate,
            time,
            states,
            inputs,
            trajectory,
            noise,
            group,
            shared,
            terms,
            require,
            exclude,
            ..
        } = &mut self.request;
        let lists = [features, states].into_iter().flatten().flatten();
        lists.chain(categories).chain(inputs).for_each(rename);
        let single = [
            target,
            weights,
            differentiate,
            time,
            trajectory,
            noise,
            group,
        ];
        single.into_iter().flatten().for_each(rename);
        let units = source.columns().iter();
        let units = units.filter_map(|c| Some((c.name.clone(), c.unit.clone()?)));
        self.header_units = units.collect();
        let columns = source.columns().iter();
        let with_unit =
            columns.filter_map(|column| Some((source.header_of(column)?, &column.name)));
        for (header, name) in with_unit {
            let (long, short) = (format!("`{header}`"), format!("`{name}`"));
            let texts = [&mut *terms, shared, require, exclude]
                .into_iter()
                .flatten();
            texts.for_each(|text| *text = text.replace(&long, &short));
        }
        self
    }

    /// The units that the header of the table gives: columns with their units.
    pub fn header_units(&self) -> &[(String, String)] {
        &self.header_units
    }

    /// The table with the columns of zeros and ones that are asked for. `rest` are further files of
    /// the same columns.
    ///
    /// # Errors
    /// As [`Source::with_categories`].
    pub fn categorised(
        &self,
        source: Source,
        rest: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Source> {
        source.with_categories(&self.request.categories, rest, options)
    }
}
