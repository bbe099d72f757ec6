//! Everything that may be asked for, as words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::AskError;
use crate::error::{Result, nearest};
use crate::judge::criterion::SizePrior;

/// What a user asks of `fit`, `discover`, `compare` or `reduce`, besides where the data are and
/// where results go.
///
/// The fields have the names of the flags; what was not said is `None` or empty.
///
/// ```
/// use eqlearn::ask::{Command, Request};
///
/// let words = r#"{"target": "y", "method": "lasso", "knobs": {"alpha": 0.1}}"#;
/// let checked = Request::from_json(words)?.check(Command::Fit)?;
/// assert!(checked.cut().is_none(), "nothing is left to choose by cross-validation");
///
/// let words = r#"{"target": "y", "method": "ols", "exclude": "x^2"}"#;
/// let wrong = Request::from_json(words)?.check(Command::Fit).unwrap_err();
/// assert!(wrong.to_string().starts_with("ols takes all terms"));
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Request {
    /// The inputs; all other numeric columns if not given.
    pub features: Option<Vec<String>>,
    /// Columns of text that become columns of zeros and ones.
    #[serde(deserialize_with = "texts")]
    pub categories: Vec<String>,
    /// The column to explain.
    pub target: Option<String>,
    /// A column of row weights.
    pub weights: Option<String>,
    /// A column that tells experiments apart, of numbers or text: one law holds in all of them.
    pub group: Option<String>,
    /// Terms whose coefficients are the same in all experiments; a text may hold several, separated
    /// by commas.
    #[serde(deserialize_with = "texts")]
    pub shared: Vec<String>,
    /// The column by which the target is differentiated before it is explained.
    pub differentiate: Option<String>,
    /// The order of that derivative; for trajectories 2 to learn accelerations.
    pub order: Option<usize>,

    /// The column of times.
    pub time: Option<String>,
    /// The time step, where there is no column of times.
    pub dt: Option<f64>,
    /// The states; all other numeric columns if not given.
    pub states: Option<Vec<String>>,
    /// Known inputs: usable in terms, with no equation of their own.
    #[serde(deserialize_with = "texts")]
    pub inputs: Vec<String>,
    /// A column that separates trajectories, of numbers or text.
    pub trajectory: Option<String>,
    /// Whether terms may use time itself.
    pub time_as_feature: Option<bool>,
    /// How trajectories become rows.
    pub derivative: Option<String>,
    /// The half width of the test functions of the weak form.
    pub half_width: Option<f64>,
    /// Whether the next value of each state is learned instead of its derivative.
    pub discrete: Option<bool>,
    /// Whether coefficients are fitted to the trajectories themselves.
    pub refine: Option<bool>,
    /// Whether states and coefficients of all equations are fitted together: `auto`, `on`, `off`.
    pub denoise: Option<String>,

    /// The axes of a field, time first.
    pub axes: Option<Vec<String>>,
    /// The quantities of a field; if none are named, the only array that is no axis.
    pub field: Option<Vec<String>>,
    /// The directions of space in which a field is periodic.
    #[serde(deserialize_with = "texts")]
    pub periodic: Vec<String>,
    /// The highest derivative of a field along an axis of space.
    pub max_order: Option<u32>,
    /// Whether derivatives along several axes at once are among the terms of a field.
    pub mixed: Option<bool>,
    /// The half widths of the test functions along each axis of a field, time first.
    pub half_widths: Option<Vec<f64>>,

    /// The highest power of one feature in a monomial; 4 if not given, or the degree that is given
    /// if that is higher.
    pub max_power: Option<u32>,
    /// The highest total power of a monomial.
    pub max_degree: Option<u32>,
    /// The powers of a feature in a product, such as `-2..4`, or `-2..4/2` in halves.
    pub powers: Option<String>,
    /// The units of columns and constants, such as `V=m^3`; a text may hold several, separated by
    /// commas.
    #[serde(deserialize_with = "texts")]
    pub units: Vec<String>,
    /// Further terms; a text may hold several, separated by commas.
    #[serde(deserialize_with = "texts")]
    pub terms: Vec<String>,
    /// Where inner parameters are looked for, such as `a=0.01..10`; a text may hold several,
    /// separated by commas.
    #[serde(deserialize_with = "texts")]
    pub range: Vec<String>,
    /// Whether those are the only terms.
    pub only_terms: Option<bool>,
    /// How rich the terms may be: `auto`, or the name of a vocabulary.
    pub vocabulary: Option<String>,
    /// How the noise of the target varies from row to row: a word, or the name of the column that
    /// holds the standard deviation of each row.
    pub noise: Option<String>,
    /// Whether rows that do not belong are left out.
    pub robust: Option<bool>,
    /// What to do about the constant; if not given, as the method has it.
    pub constant: Option<Constant>,

    /// The name of the method.
    pub method: Option<String>,
    /// The names of the methods to compare.
    pub methods: Option<Vec<String>>,
    /// The largest equation searched.
    pub max_terms: Option<usize>,
    /// Supports kept of each size.
    pub keep: Option<usize>,
    /// Terms that must be in the equation.
    #[serde(deserialize_with = "texts")]
    pub require: Vec<String>,
    /// Terms that must not be in the equation.
    #[serde(deserialize_with = "texts")]
    pub exclude: Vec<String>,
    /// The name of what makes one equation better than another.
    pub criterion: Option<String>,
    /// How likely sizes are beforehand.
    pub size_prior: Option<SizePrior>,
    /// Whether the paper's methods leave out terms without a vote at two successive sizes.
    pub prune: Option<bool>,
    /// Values of the knobs of single methods, by name.
    pub knobs: BTreeMap<String, Value>,
    /// Folds of the cross-validation that chooses a knob which is not given; 0 for none.
    pub cv: Option<usize>,
    /// Whether least squares replaces the coefficients of a method.
    pub refit: Option<bool>,

    /// Threads to use; all cores if not given.
    pub threads: Option<usize>,
    /// Seconds after which the search stops.
    pub time_limit: Option<f64>,
    /// A file that keeps the progress of a search.
    pub checkpoint: Option<PathBuf>,
}

/// What to do about the constant term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// A candidate like any other.
    Free,
    /// Always in: R² is about the mean.
    Forced,
    /// Absent.
    None,
}

impl Constant {
    /// The habits that users can name, each with what it is.
    pub fn named() -> Vec<(&'static str, &'static str, Self)> {
        vec![
            ("free", "A candidate like any other", Self::Free),
            ("forced", "Always in: R² is about the mean", Self::Forced),
            ("none", "Absent", Self::None),
        ]
    }

    /// The word that users type.
    pub fn word(self) -> &'static str {
        let mut named = Self::named().into_iter();
        let found = named.find(|(_, _, constant)| *constant == self);
        found.expect("all are named").0
    }
}

impl Request {
    /// The request in an object of JSON: words with their values.
    ///
    /// # Errors
    /// A word that no request has, or a value that cannot be that of its word.
    pub fn from_json(text: &str) -> Result<Self> {
        let words: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            let (word, range) = ("request".to_string(), error.to_string());
            AskError::Value {
                word,
                value: text.to_string(),
                range,
            }
        })?;
        let read = |words: Map<String, Value>| serde_json::from_value(Value::Object(words));
        if let Ok(request) = read(words.clone()) {
            return Ok(request);
        }
        // One word at a time, to name the one that is wrong.
        for (word, value) in words {
            let known = Self::words();
            if !known.contains(&word) {
                let nearest = nearest(&word, &known).map(String::from);
                return Err(AskError::UnknownWord { word, nearest }.into());
            }
            let one = Map::from_iter([(word.clone(), value.clone())]);
            if let Err(error) = read(one) {
                let value = value.to_string();
                let range = in_words(&error.to_string());
                return Err(AskError::Value { word, value, range }.into());
            }
        }
        unreachable!("words that can be read one by one can be read together")
    }

    /// All words that a request may hold.
    pub fn words() -> Vec<String> {
        let (words, _): (Vec<_>, Vec<_>) = Self::default().values().into_iter().unzip();
        words
    }

    /// The words that were said.
    pub(super) fn said(&self) -> Vec<String> {
        let is_said = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(values) => !values.is_empty(),
            Value::Object(values) => !values.is_empty(),
            _ => true,
        };
        let said = self
            .values()
            .into_iter()
            .filter(|(_, value)| is_said(value));
        said.map(|(word, _)| word).collect()
    }

    fn values(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            _ => unreachable!("a request is an object of plain data"),
        }
    }
}

/// One text, or several.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected text, or a list of texts")]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(deserializer)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

/// What a value must be, from what a reader of JSON expected.
fn in_words(error: &str) -> String {
    let expected = error.split("expected ").nth(1).unwrap_or(error);
    match expected {
        "usize" | "u32" | "u64" => "a whole number from 0 up".into(),
        "f64" => "a number".into(),
        "a string" | "path string" => "text".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        words => words.replace('`', "").replace("one of ", ""),
    }
}
