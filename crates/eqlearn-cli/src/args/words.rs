//! Words that the library names, as values of flags.

use std::fmt::Display;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Help that tells a default, which is the library's.
pub(super) fn defaulted(help: &str, default: impl Display) -> String {
    format!("{help} [default: {default}]")
}

/// A parser that takes one of these words, each with its meaning, and gives what it stands for.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    named: Vec<(&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    word_of(named.clone()).map(move |word| {
        let mut named = named.iter();
        let found = named.find(|(known, _, _)| *known == word);
        found.expect("the parser knows no other words").2.clone()
    })
}

/// A parser that takes one of these words.
pub(super) fn word_of<T>(named: Vec<(&'static str, &'static str, T)>) -> PossibleValuesParser {
    let values = named.into_iter().map(|(word, meaning, _)| {
        let value = PossibleValue::new(word);
        if meaning.is_empty() {
            value
        } else {
            value.help(meaning)
        }
    });
    PossibleValuesParser::new(values)
}

/// A parser of `on` and `off`.
pub(super) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    one_of(vec![("on", "", true), ("off", "", false)])
}

/// The list, if there is anything in it.
pub(super) fn list(words: &[String]) -> Option<Vec<String>> {
    (!words.is_empty()).then(|| words.to_vec())
}
