//! Dictionaries of terms with derivatives.
//!
//! Derivatives are features: the dictionary of `u`, `u_x` and `u*u_x` is an ordinary one over the
//! features `u` and `u_x`. What users write is brought into one spelling first: `u_yx` becomes
//! `u_xy`, `lap(u)` becomes `u_xx+u_yy`, `div(u, v)` becomes `u_x+v_y`, and `(u^2)_x` becomes
//! `u*u_x`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::names::Names;
use crate::fields::term::{Function, Part, weak_form, written};
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;

/// A dictionary of derivatives of powers, `∂^α(u^j v^k)`.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `max_order` | 4 | the highest derivative along an axis of space |
/// | `max_power` | 3 | the highest degree of what is differentiated |
/// | `mixed` | false | whether derivatives along several axes at once are among them |
/// | `constant` | true | whether 1 is among them |
///
/// ```
/// use eqlearn::fields::dictionary::Derivatives;
/// use eqlearn::fields::names::Names;
///
/// let names = Names::new(["u"], ["t", "x"])?;
/// let terms = Derivatives { max_order: 2, max_power: 2, ..Derivatives::default() };
/// let dictionary = terms.dictionary(&names)?;
/// let terms: Vec<String> = dictionary.terms().iter().map(ToString::to_string).collect();
/// assert_eq!(terms, ["1", "u", "u^2", "u_x", "u*u_x", "u_xx", "(u^2)_xx"]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Derivatives {
    /// The highest derivative along an axis of space.
    pub max_order: u32,
    /// The highest degree of what is differentiated.
    pub max_power: u32,
    /// Whether derivatives along several axes at once are among them, up to `max_order` in all.
    pub mixed: bool,
    /// Whether the constant is among them.
    pub constant: bool,
}

impl Default for Derivatives {
    fn default() -> Self {
        Self {
            max_order: 4,
            max_power: 3,
            mixed: false,
            constant: true,
        }
    }
}

impl Derivatives {
    /// The dictionary over these names, by the number of derivatives and then by degree.
    ///
    /// # Errors
    /// If there would be too many terms.
    pub fn dictionary(&self, names: &Names) -> Result<Dictionary> {
        self.dictionary_within(names, self.max_power)
    }

    /// The same with no higher power of a single quantity than this.
    pub(crate) fn dictionary_within(&self, names: &Names, power: u32) -> Result<Dictionary> {
        let quantities = names.quantities();
        let functions = Dictionary::monomials(quantities, power, self.max_power, false)?;
        let constant = self.constant.then(|| "1".to_string());
        let mut texts: Vec<String> = constant.into_iter().collect();
        for orders in self.orders(names.axes().len()) {
            for function in functions.terms() {
                let part = Part {
                    coefficient: 1.0,
                    orders: orders.clone(),
                    function: Function::of(function, names)?,
                };
                texts.extend(written(&part, names).map(|written| written.text));
            }
        }
        parse(names, &texts)
    }

    /// The orders along each axis, time first, the lowest first and the first axis first.
    fn orders(&self, n_axes: usize) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![vec![0]];
        for _ in 1..n_axes {
            let longer = |orders: &Vec<u32>| {
                let left = self.max_order - orders.iter().sum::<u32>();
                let orders = orders.clone();
                (0..=left).map(move |n| [orders.clone(), vec![n]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        let is_pure = |orders: &Vec<u32>| orders.iter().filter(|&&n| n > 0).count() <= 1;
        all.retain(|orders| self.mixed || is_pure(orders));
        all.sort_by_key(|orders| {
            let high_first: Vec<u32> = orders.iter().map(|&n| self.max_order - n).collect();
            (orders.iter().sum::<u32>(), high_first)
        });
        all
    }
}

/// The dictionary of the terms with these texts.
///
/// ```
/// use eqlearn::fields::dictionary::parse;
/// use eqlearn::fields::names::Names;
///
/// let names = Names::new(["u"], ["t", "x", "y"])?;
/// let dictionary = parse(&names, ["u", "(u^2)_x", "lap(u)", "u_yx"])?;
/// let terms: Vec<String> = dictionary.terms().iter().map(ToString::to_string).collect();
/// assert_eq!(terms, ["u", "u*u_x", "u_xx+u_yy", "u_xy"]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// A text that is no term, a term that has no weak form, or one that is there twice.
pub fn parse(
    names: &Names,
    texts: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Dictionary> {
    let mut reader = Reader {
        names,
        features: BTreeSet::new(),
    };
    let texts: Vec<String> = texts
        .into_iter()
        .map(|text| reader.expand(text.as_ref()))
        .collect::<Result<_>>()?;
    let features: Vec<String> = reader.features();
    let term = |text: &String| -> Result<Term> {
        let term = Term::parse(text, &features)?;
        weak_form(&term, names)?;
        Ok(term.monic())
    };
    let terms: Vec<Term> = texts.iter().map(term).collect::<Result<_>>()?;
    Dictionary::new(features.clone())?.with(terms)
}

/// Brings texts into one spelling and collects the features in them.
struct Reader<'a> {
    names: &'a Names,
    /// Derivatives: how many there are, along which axes (the first ones first), and of what.
    features: BTreeSet<(u32, Reverse<Vec<u32>>, String)>,
}

impl Reader<'_> {
    /// The quantities, then the derivatives that were met.
    fn features(&self) -> Vec<String> {
        let derivatives = self.features.iter();
        let named = derivatives.map(|(_, orders, of)| self.names.feature(of, &orders.0));
        self.names
            .quantities()
            .iter()
            .cloned()
            .chain(named)
            .collect()
    }

    fn expand(&mut self, text: &str) -> Result<String> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(name) = word(rest) {
                rest = &rest[name.len()..];
                if rest.starts_with('(') {
                    let (inside, behind) = parenthesis(rest, text)?;
                    expanded.push_str(&self.call(name, inside, text)?);
                    rest = behind;
                } else {
                    expanded.push_str(&self.feature(name));
                }
            } else if first == '(' {
                let (inside, behind) = parenthesis(rest, text)?;
                rest = behind;
                if let Some(by) = word(behind).filter(|word| word.starts_with('_')) {
                    rest = &behind[by.len()..];
                    let orders = self.names.orders(&by[1..]);
                    let orders = orders.ok_or_else(|| FieldsError::UnknownDirection {
                        name: format!("({inside}){by}"),
                        axes: self.names.axes().to_vec(),
                    })?;
                    expanded.push_str(&self.derivative(inside, &orders, text)?);
                } else {
                    expanded.push('(');
                    expanded.push_str(&self.expand(inside)?);
                    expanded.push(')');
                }
            } else {
                expanded.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(expanded)
    }

    /// A name as it is spelled; what is no derivative is left to the grammar of terms.
    fn feature(&mut self, name: &str) -> String {
        let Some(read) = self.names.derivative(name) else {
            return name.to_string();
        };
        self.note(read.of, &read.orders)
    }

    /// The name of a derivative, which is a feature from now on.
    fn note(&mut self, of: &str, orders: &[u32]) -> String {
        let total: u32 = orders.iter().sum();
        if total > 0 {
            self.features
                .insert((total, Reverse(orders.to_vec()), of.to_string()));
        }
        self.names.feature(of, orders)
    }

    fn call(&mut self, name: &str, inside: &str, whole: &str) -> Result<String> {
        let n_axes = self.names.axes().len();
        let along = |axis: usize, order: u32| {
            let mut orders = vec![0; n_axes];
            orders[axis] = order;
            orders
        };
        match name {
            "lap" => {
                let axes = 1..n_axes;
                let along = axes.map(|axis| self.derivative(inside, &along(axis, 2), whole));
                let all: Vec<String> = along.collect::<Result<_>>()?;
                Ok(format!("({})", all.join("+")))
            }
            "div" => {
                let components = Term::split(inside);
                if components.len() + 1 != n_axes {
                    return Err(FieldsError::Divergence {
                        text: whole.to_string(),
                        space: self.names.axes()[1..].to_vec(),
                        n: components.len(),
                    }
                    .into());
                }
                let both = components.iter().enumerate();
                let all = both.map(|(i, part)| self.derivative(part, &along(i + 1, 1), whole));
                let all: Vec<String> = all.collect::<Result<_>>()?;
                Ok(format!("({})", all.join("+")))
            }
            _ => Ok(format!("{name}({})", self.expand(inside)?)),
        }
    }

    /// The derivative of what is in parentheses, as a sum of features with their factors.
    fn derivative(&mut self, inside: &str, orders: &[u32], whole: &str) -> Result<String> {
        let mut inner = Reader {
            names: self.names,
            features: BTreeSet::new(),
        };
        let expanded = inner.expand(inside)?;
        let term = Term::parse(&expanded, &inner.features())?;
        let parts = weak_form(&term, self.names).map_err(|_| FieldsError::NotAFunction {
            text: whole.to_string(),
            quantities: self.names.quantities().to_vec(),
        })?;
        let mut texts = Vec::new();
        for part in parts {
            let both = part.orders.iter().zip(orders);
            let part = Part {
                orders: both.map(|(a, b)| a + b).collect(),
                ..part
            };
            let Some(written) = written(&part, self.names) else {
                continue;
            };
            self.note(&written.of, &part.orders);
            texts.push(written.text);
        }
        if texts.is_empty() {
            return Ok("0".into());
        }
        Ok(format!("({})", texts.join("+")))
    }
}

/// The word that a text begins with.
fn word(text: &str) -> Option<&str> {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_outside = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    starts.then(|| &text[..text.find(is_outside).unwrap_or(text.len())])
}

/// What is in the parenthesis that a text begins with, and what is behind it.
fn parenthesis<'a>(text: &'a str, whole: &str) -> Result<(&'a str, &'a str)> {
    let mut depth = 0_usize;
    for (place, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Ok((&text[1..place], &text[place + 1..]));
        }
    }
    Err(FieldsError::Parentheses {
        text: whole.to_string(),
    }
    .into())
}
