//! From words to methods with their settings: which knobs are fixed, and which cross-validation
//! chooses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{AskError, Command, FOLDS, Request};
use crate::error::{Result, nearest};
use crate::methods::Method;
use crate::methods::declare::{Chosen, Declaration, Kind, Knob};
use crate::reduce::Cut;

/// Blocks of each fold that an ensemble draws from.
const BLOCKS_PER_FOLD: usize = 8;

/// A method with its settings, and how rows are cut for it.
#[derive(Debug, Clone)]
pub(super) struct MethodChoice {
    pub(super) method: Method,
    /// None where the method needs no parts.
    pub(super) cut: Option<Cut>,
}

/// A knob of one or several methods, for users.
#[derive(Debug)]
pub struct Described {
    /// The word that users type.
    pub name: &'static str,
    /// What its value may be.
    pub kind: &'static Kind,
    /// What it means, and to which methods.
    pub help: String,
}

/// All knobs, each once, with what they mean to the methods that have them.
pub fn described_knobs() -> Vec<Described> {
    let all = Method::declarations;
    let own = all().flat_map(|method| method.knobs);
    let tuners = all().flat_map(|method| method.tuner);
    let mut described: Vec<Described> = Vec::new();
    for knob in own.chain(tuners) {
        if described.iter().any(|known| known.name == knob.name) {
            continue;
        }
        let mut meanings: Vec<(&str, Vec<&str>)> = Vec::new();
        for method in all() {
            let Some(own) = method.knobs.iter().find(|own| own.name == knob.name) else {
                continue;
            };
            match meanings.iter_mut().find(|(text, _)| *text == own.meaning) {
                Some((_, methods)) => methods.push(method.name),
                None => meanings.push((own.meaning, vec![method.name])),
            }
        }
        let told = meanings
            .iter()
            .map(|(meaning, methods)| format!("{}: {meaning}", methods.join(", ")));
        let help = match told.collect::<Vec<_>>() {
            // One of cross-validation, which means the same to all.
            none if none.is_empty() => capitalised(knob.meaning),
            told => told.join("; "),
        };
        described.push(Described {
            name: knob.name,
            kind: &knob.kind,
            help,
        });
    }
    described
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

impl Request {
    /// The methods that are asked for, each with its settings.
    pub(super) fn choices(&self, command: Command) -> Result<Vec<MethodChoice>> {
        if command.is_about_motion() {
            self.check_shared_samples()?;
        }
        if self.cv == Some(1) {
            return Err(AskError::OneFold.into());
        }
        let methods = self.declarations(command)?;
        self.check_knobs(&methods, command)?;
        let choice = |method: &&'static Declaration| self.choice(method, command);
        methods.iter().map(choice).collect()
    }

    /// How rows are cut for a comparison: for the folds of its errors and for an ensemble's blocks.
    pub(super) fn cut_of_comparison(&self) -> Cut {
        Cut {
            folds: self.cv.filter(|&folds| folds > 0).unwrap_or(FOLDS),
            blocks_per_fold: BLOCKS_PER_FOLD,
        }
    }

    /// The methods that are asked for, each once. By default a comparison is of all but
    /// best-subset, whose lists are those of best.
    fn declarations(&self, command: Command) -> Result<Vec<&'static Declaration>> {
        let names = match (command.compares(), &self.methods) {
            (false, _) => vec![self.method.clone().unwrap_or_else(|| "best".into())],
            (true, Some(names)) if !names.is_empty() => names.clone(),
            (true, _) => {
                let all = Method::declarations().map(|method| method.name);
                let compared = all.filter(|name| *name != Method::BestSubset.name());
                compared.map(String::from).collect()
            }
        };
        let mut methods: Vec<&'static Declaration> = Vec::new();
        for name in names {
            let method = name.parse::<Method>()?.declaration();
            if !methods.iter().any(|known| known.name == method.name) {
                methods.push(method);
            }
        }
        Ok(methods)
    }

    /// Neighbouring rows of a trajectory are not independent test data.
    fn check_shared_samples(&self) -> Result<()> {
        let cv = self.cv.filter(|&folds| folds > 0).map(|_| "cv");
        let tuners = Method::declarations();
        let tuners: Vec<&str> = tuners.flat_map(|m| m.tuner).map(|knob| knob.name).collect();
        let knobs = self.knobs.keys().map(String::as_str);
        let knobs = knobs.filter(|knob| tuners.contains(knob));
        let words: Vec<String> = cv.into_iter().chain(knobs).map(String::from).collect();
        if words.is_empty() {
            return Ok(());
        }
        Err(AskError::SharedSamples { words }.into())
    }

    /// Refuses a knob that none of the methods has.
    fn check_knobs(&self, methods: &[&'static Declaration], command: Command) -> Result<()> {
        let cv = self.cv.map(|_| "cv");
        let refit = self.refit.filter(|&refit| refit).map(|_| "refit");
        let given = self.knobs.keys().map(String::as_str);
        let has = |method: &Declaration, word: &str| has(method, word, &self.knobs);
        for word in given.chain(cv).chain(refit) {
            // Folds are also those of a comparison's errors, which every method has.
            let of_errors = word == "cv" && command.compares();
            if of_errors || methods.iter().any(|method| has(method, word)) {
                continue;
            }
            let all = Method::declarations();
            let able = all.filter(|method| has(method, word));
            let able: Vec<&str> = able.map(|method| method.name).collect();
            if able.is_empty() {
                return Err(unknown(word).into());
            }
            return Err(AskError::NoMeaning {
                word: word.into(),
                methods: methods
                    .iter()
                    .map(|m| called(m, word, &self.knobs))
                    .collect(),
                able,
            }
            .into());
        }
        Ok(())
    }

    fn choice(&self, method: &'static Declaration, command: Command) -> Result<MethodChoice> {
        let cut = match method.chosen {
            Chosen::Nothing => None,
            Chosen::Blocks => Some(Cut {
                blocks_per_fold: BLOCKS_PER_FOLD,
                ..Cut::default()
            }),
            Chosen::Size => self.cut_unless(None)?,
            Chosen::Knob(knob) => self.cut_unless(Some(knob))?,
            // A limit is no choice: with folds, sizes up to it are tried.
            Chosen::UpTo(knob) => self.cut_unless(self.cv.is_none().then_some(knob))?,
        };
        Ok(MethodChoice {
            method: method_of(method, &self.knobs)?,
            // Rows of a trajectory are not cut.
            cut: cut.filter(|_| !command.is_about_motion()),
        })
    }

    /// How rows are cut to choose a knob, unless it is given.
    fn cut_unless(&self, knob: Option<&'static str>) -> Result<Option<Cut>> {
        let folds = self.cv.unwrap_or(FOLDS);
        if let Some(knob) = knob.filter(|&knob| self.knobs.contains_key(knob)) {
            if self.cv.is_some_and(|folds| folds > 0) {
                return Err(AskError::Fixed { knob }.into());
            }
            return Ok(None);
        }
        Ok((folds > 0).then_some(Cut {
            folds,
            ..Cut::default()
        }))
    }
}

/// The values of knobs by name.
type Knobs = BTreeMap<String, Value>;

/// The method that another one is made of, and the knobs that are handed on to it.
fn base(
    method: &Declaration,
    knobs: &Knobs,
) -> Option<(&'static Declaration, &'static [&'static str])> {
    let made_of = |knob: &Knob| match knob.kind {
        Kind::Method { among, hands_on } => {
            let named = knobs.get(knob.name);
            let found = among
                .iter()
                .find(|base| named.is_some_and(|name| name == base.name));
            Some((*found.unwrap_or(&among[0]), hands_on))
        }
        _ => None,
    };
    method.knobs.iter().find_map(made_of)
}

/// Whether a word has a meaning to a method.
fn has(method: &Declaration, word: &str, knobs: &Knobs) -> bool {
    match word {
        "cv" => !matches!(method.chosen, Chosen::Nothing | Chosen::Blocks),
        "refit" => !method.knobs.is_empty(),
        _ => {
            let own = method
                .knobs
                .iter()
                .chain(method.tuner)
                .any(|knob| knob.name == word);
            own || base(method, knobs)
                .is_some_and(|(base, hands_on)| hands_on.contains(&word) && has(base, word, knobs))
        }
    }
}

/// A method's name, with its base method where the option depends on it.
fn called(method: &Declaration, word: &str, knobs: &Knobs) -> String {
    match base(method, knobs) {
        Some((base, hands_on)) if hands_on.contains(&word) => {
            format!("{} of {}", method.name, base.name)
        }
        _ => method.name.into(),
    }
}

/// The error about a knob that no method has.
fn unknown(word: &str) -> AskError {
    let knobs = described_knobs()
        .into_iter()
        .map(|knob| knob.name.to_string());
    let known: Vec<String> = knobs.chain(Request::words()).collect();
    AskError::UnknownWord {
        word: word.into(),
        nearest: nearest(word, &known).map(String::from),
    }
}

/// The method with the knobs that it has; all others keep their defaults.
fn method_of(method: &Declaration, knobs: &Knobs) -> Result<Method> {
    let settings = settings(method, knobs)?;
    let value = if method.knobs.is_empty() {
        json!(method.name)
    } else {
        json!({ method.name: settings })
    };
    Ok(serde_json::from_value(value).expect("knobs are declared as the settings have them"))
}

/// The settings that these knobs fill.
fn settings(method: &Declaration, knobs: &Knobs) -> Result<Map<String, Value>> {
    let mut settings = Map::new();
    for knob in method.knobs.iter().chain(method.tuner) {
        let given = knobs.get(knob.name);
        let value = given.map(|value| {
            knob.kind.setting(value).ok_or_else(|| AskError::Value {
                word: knob.name.into(),
                value: value.to_string(),
                range: knob.kind.range(),
            })
        });
        let value = value.transpose()?;
        if let (Kind::Method { .. }, Some((base, hands_on))) = (&knob.kind, base(method, knobs)) {
            let handed = knobs
                .iter()
                .filter(|(name, _)| hands_on.contains(&name.as_str()));
            let handed: Knobs = handed
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            settings.insert(
                knob.field.into(),
                json!({ base.name: self::settings(base, &handed)? }),
            );
        } else if let Some(value) = value {
            fill(&mut settings, knob.field, value);
        }
    }
    Ok(settings)
}

/// Puts a value into a field, or into the field of a field.
fn fill(settings: &mut Map<String, Value>, field: &str, value: Value) {
    match field.split_once('.') {
        None => {
            settings.insert(field.into(), value);
        }
        Some((outer, inner)) => {
            let entry = settings.entry(outer).or_insert_with(|| json!({}));
            if let Value::Object(fields) = entry {
                fill(fields, inner, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
