//! What a user asks for, as the Python sources write it: JSON with the words of the command line.

use eqlearn::ask::{Checked, Command, Described, Spelling, described_knobs};
use eqlearn::methods::declare::Kind;
use eqlearn::{Method, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::trouble::exception;

/// How users of Python write what they ask for.
pub(crate) const KEYWORDS: Spelling = Spelling {
    word: keyword,
    with: |word, value| {
        // A placeholder stands for a value; a value of words is text.
        let is_placeholder = value.chars().all(char::is_uppercase);
        let quote = if is_placeholder { "" } else { "'" };
        format!("{}={quote}{value}{quote}", keyword(word))
    },
};

fn keyword(word: &str) -> String {
    match word {
        "lambda" => "lambda_".to_string(),
        _ => word.replace('-', "_"),
    }
}

/// Reads what the Python sources wrote.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A request that makes sense.
pub(crate) fn checked(text: &str, command: Command) -> PyResult<Checked> {
    let request = Request::from_json(text);
    let checked = request.and_then(|request| request.check(command));
    checked.map_err(|error| exception(&error))
}

/// The keywords of a command, such as `fit` or `discover`; those of fields are `discover`'s too.
#[pyfunction]
pub(crate) fn keywords(command: &str) -> PyResult<Vec<String>> {
    let command = match command {
        "fit" => Command::Fit,
        "discover" => Command::Discover,
        "discover fields" => Command::DiscoverField,
        "reduce" => Command::Reduce,
        _ => return Err(PyValueError::new_err(format!("there is no {command}"))),
    };
    let words = command.takes().into_iter();
    Ok(words.map(keyword).collect())
}

/// All methods with the knobs that each has, as JSON.
#[pyfunction]
pub(crate) fn methods() -> String {
    let described = described_knobs();
    let example = |name: &str| {
        let is_it = |knob: &&Described| knob.name == name;
        let knob = described
            .iter()
            .find(is_it)
            .expect("all knobs are described");
        match (knob.kind, knob.kind.words().first()) {
            (Kind::Switch, _) => json!(true),
            (Kind::Wholes, _) => json!([3]),
            (_, Some((word, _))) => json!(word),
            _ => json!(3),
        }
    };
    let methods = Method::declarations().map(|method| {
        let knobs = method.knobs.iter().chain(method.tuner);
        let knobs = knobs.map(|knob| (keyword(knob.name), example(knob.name)));
        (method.name, knobs.collect::<serde_json::Map<_, _>>())
    });
    let methods: Vec<_> = methods.collect();
    json!(methods).to_string()
}
