//! From words to what is learned from fields.

use super::command::OF_FIELDS;
use super::{AskError, Checked, Command, Constant, Request};
use crate::data::field::FieldOptions;
use crate::data::table::ReadOptions;
use crate::dynamics::rows::second_order::Order;
use crate::error::Result;
use crate::fields::dictionary::{Derivatives, parse};
use crate::fields::discover::DiscoverField;
use crate::fields::names::Names;
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;

impl Request {
    /// Whether equations of fields are learned or those of trajectories: the former if a word about
    /// fields is said.
    pub fn discovery(&self) -> Command {
        let said = self.said();
        if OF_FIELDS
            .iter()
            .any(|word| said.iter().any(|said| said == word))
        {
            Command::DiscoverField
        } else {
            Command::Discover
        }
    }

    pub(super) fn check_field(&self) -> Result<()> {
        if self.axes.as_ref().is_none_or(Vec::is_empty) {
            return Err(AskError::NoAxes.into());
        }
        if self.has_inner() {
            return Err(AskError::InnerOfField.into());
        }
        if let Some(order) = self.order.filter(|order| !(1..=2).contains(order)) {
            return Err(AskError::Value {
                word: "order".into(),
                value: order.to_string(),
                range: "1 or 2".into(),
            }
            .into());
        }
        let widths = self.half_widths.iter().flatten();
        if let Some(&value) = { widths }.find(|w| !(w.is_finite() && **w > 0.0)) {
            let (word, what) = ("half-widths", "half width");
            return Err(AskError::NotAboveZero { word, what, value }.into());
        }
        Ok(())
    }
}

/// Terms that were there already: as given, and as spelled.
type Repeated = Vec<(String, String)>;

impl Checked {
    /// How a field is read; `table` is for files that are long tables.
    pub fn field_options(&self, table: ReadOptions) -> FieldOptions {
        FieldOptions {
            axes: self.request.axes.clone().unwrap_or_default(),
            quantities: self.request.field.clone().unwrap_or_default(),
            periodic: self.request.periodic.clone(),
            table,
        }
    }

    /// The terms that may be in the equations of these quantities, and the settings.
    ///
    /// # Errors
    /// A term that has no meaning for these quantities and axes.
    ///
    /// # Panics
    /// If fields are not what the request is about.
    pub fn discover_field(&self, names: &Names) -> Result<(Dictionary, DiscoverField)> {
        let (texts, _) = self.texts_of_field(names)?;
        let dictionary = parse(names, &texts)?;
        let same = |texts: &[String]| -> Result<Vec<String>> {
            let all = texts.iter().flat_map(|text| Term::split(text));
            all.map(|text| spelled(names, text)).collect()
        };
        let mut own = self.clone();
        own.request.require = same(&self.request.require)?;
        own.request.exclude = same(&self.request.exclude)?;
        let learn = own.settings_of_each(&dictionary)?.swap_remove(0);
        let order = match self.request.order {
            Some(2) => Order::Second,
            _ => Order::First,
        };
        let half_widths = self.request.half_widths.clone();
        let settings = DiscoverField {
            learn,
            order,
            half_widths,
        };
        Ok((dictionary, settings))
    }

    /// Remarks on given terms that are in the dictionary of these quantities already.
    ///
    /// # Errors
    /// Those of terms.
    pub fn remarks_on_terms_of_field(&self, names: &Names) -> Result<Vec<String>> {
        let (_, repeated) = self.texts_of_field(names)?;
        let remarks = repeated.into_iter().map(super::dictionary::is_there);
        Ok(remarks.collect())
    }

    /// The texts of all terms in one spelling, and those that are given and were there already.
    fn texts_of_field(&self, names: &Names) -> Result<(Vec<String>, Repeated)> {
        let mut texts = if self.request.only_terms == Some(true) {
            let asked = matches!(
                self.request.constant,
                Some(Constant::Free | Constant::Forced)
            );
            asked.then(|| "1".to_string()).into_iter().collect()
        } else {
            self.derivatives(names)?
        };
        let mut repeated = Vec::new();
        for given in self.request.plain_terms() {
            let text = spelled(names, given)?;
            if texts.contains(&text) {
                repeated.push((given.to_string(), text));
            } else {
                texts.push(text);
            }
        }
        Ok((texts, repeated))
    }

    /// The derivatives of products of powers, within the powers and orders that are asked for.
    fn derivatives(&self, names: &Names) -> Result<Vec<String>> {
        let request = &self.request;
        let default = Derivatives::default();
        // Who asks for a power wants the degree that it needs.
        let degree = request
            .max_degree
            .unwrap_or_else(|| default.max_power.max(request.max_power.unwrap_or(0)));
        let terms = Derivatives {
            max_order: request.max_order.unwrap_or(default.max_order),
            max_power: degree,
            mixed: request.mixed.unwrap_or(default.mixed),
            constant: request.constant != Some(Constant::None),
        };
        let power = request.max_power.unwrap_or(degree);
        terms.dictionary_within(names, power).map(|dictionary| {
            let terms = dictionary.terms().iter();
            terms.map(Term::to_string).collect()
        })
    }
}

/// A term in the spelling of dictionaries: `u_yx` as `u_xy`, `(u^2)_x` as `u*u_x`.
fn spelled(names: &Names, text: &str) -> Result<String> {
    let dictionary = parse(names, [text])?;
    Ok(dictionary.terms()[0].to_string())
}
