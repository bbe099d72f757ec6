//! What a method tells users about itself: its name, its habits and its knobs.
//!
//! Each method declares these beside its settings. Flags, help texts, completions, Python's
//! keywords and the rules about them are made from the declarations, so that a new knob is one
//! entry in one file.

use serde_json::Value;

/// A method as users meet it.
#[derive(Debug)]
pub struct Declaration {
    /// The name that users type.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether its habit is to have the constant in every equation, so that R² is about the mean.
    ///
    /// scikit-learn centres, and so does the paper; for `PySINDy` the constant is a term like any
    /// other.
    pub centres: bool,
    /// Whether every term stays in the equation, so that there is nothing to rank.
    pub keeps_all_terms: bool,
    /// Whether it makes a search that can go on from a checkpoint.
    pub resumes: bool,
    /// Its knobs; a method without knobs has no settings.
    pub knobs: &'static [Knob],
    /// What cross-validation chooses for it.
    pub chosen: Chosen,
    /// The knobs of that cross-validation.
    pub tuner: &'static [Knob],
}

impl Declaration {
    /// A method without habits and without knobs.
    pub const PLAIN: Self = Self {
        name: "",
        summary: "",
        centres: false,
        keeps_all_terms: false,
        resumes: false,
        knobs: &[],
        chosen: Chosen::Nothing,
        tuner: &[],
    };
}

/// What cross-validation chooses for a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Nothing.
    Nothing,
    /// This knob, unless it is given.
    Knob(&'static str),
    /// A number of terms. This knob fixes it; where folds are asked for, it is the largest tried.
    UpTo(&'static str),
    /// A number of terms that no knob fixes.
    Size,
    /// Nothing: models are found on blocks of rows.
    Blocks,
}

/// A number or a choice that a user may give to a method.
#[derive(Debug)]
pub struct Knob {
    /// The word that users type.
    pub name: &'static str,
    /// The field of the method's settings that it fills; a dot leads into a field.
    pub field: &'static str,
    /// What it means to the method.
    pub meaning: &'static str,
    /// What its value may be.
    pub kind: Kind,
}

/// What the value of a knob may be.
#[derive(Debug)]
pub enum Kind {
    /// A number; the method says which numbers have a meaning.
    Number,
    /// A whole number from this up.
    Whole {
        /// The smallest.
        least: u64,
    },
    /// Several whole numbers.
    Wholes,
    /// One of a few words.
    Choice(&'static [Choice]),
    /// On or off.
    Switch,
    /// Another method, which is given some of the knobs.
    Method {
        /// The methods to choose from; the first if none is named.
        among: &'static [&'static Declaration],
        /// The knobs that are handed on to it.
        hands_on: &'static [&'static str],
    },
}

/// A word to choose.
#[derive(Debug)]
pub struct Choice {
    /// The word that users type.
    pub word: &'static str,
    /// What the settings call it.
    pub setting: &'static str,
    /// What it means; empty where the word says it.
    pub meaning: &'static str,
}

/// What a limit on the number of terms is, for users.
pub(super) const SPARSITY: &str = "at most this many terms; with folds, chosen up to it";

/// The knob of methods that may work on terms of unit length.
pub(super) const NORMALIZE: Knob = switch(
    "normalize",
    "normalize_columns",
    "work on terms of unit length",
);

/// The knob of methods that may end with least squares.
pub(super) const UNBIAS: Knob = switch(
    "unbias",
    "unbias",
    "end with least squares on the chosen terms",
);

/// What a variant is, for users.
pub(super) const VARIANT: &str = "as its paper has it, or as `PySINDy` computes it";

/// The variants as users call them.
pub(super) const VARIANTS: &[Choice] = &[
    Choice {
        word: "textbook",
        setting: "textbook",
        meaning: "",
    },
    Choice {
        word: "pysindy",
        setting: "py-sindy",
        meaning: "",
    },
];

/// A knob that is a number.
pub const fn number(name: &'static str, field: &'static str, meaning: &'static str) -> Knob {
    let kind = Kind::Number;
    Knob {
        name,
        field,
        meaning,
        kind,
    }
}

/// A knob that counts something, from `least` up.
pub const fn whole(
    name: &'static str,
    field: &'static str,
    least: u64,
    meaning: &'static str,
) -> Knob {
    let kind = Kind::Whole { least };
    Knob {
        name,
        field,
        meaning,
        kind,
    }
}

/// A knob that is on or off.
pub const fn switch(name: &'static str, field: &'static str, meaning: &'static str) -> Knob {
    let kind = Kind::Switch;
    Knob {
        name,
        field,
        meaning,
        kind,
    }
}

/// A knob with a few words to choose from.
pub const fn choice(
    name: &'static str,
    field: &'static str,
    choices: &'static [Choice],
    meaning: &'static str,
) -> Knob {
    let kind = Kind::Choice(choices);
    Knob {
        name,
        field,
        meaning,
        kind,
    }
}

impl Kind {
    /// The words to choose from, with their meanings; empty for numbers.
    pub fn words(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Number | Self::Whole { .. } | Self::Wholes => Vec::new(),
            Self::Switch => vec![("on", ""), ("off", "")],
            Self::Choice(choices) => choices.iter().map(|c| (c.word, c.meaning)).collect(),
            Self::Method { among, .. } => among.iter().map(|m| (m.name, "")).collect(),
        }
    }

    /// The value that a text stands for; none if it stands for none of this kind.
    pub fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Self::Number => Some(Value::from(text.parse::<f64>().ok()?)),
            Self::Whole { .. } => Some(Value::from(text.parse::<u64>().ok()?)),
            Self::Wholes => {
                let numbers = text.split(',').map(|part| part.trim().parse::<u64>());
                Some(Value::from(numbers.collect::<Result<Vec<_>, _>>().ok()?))
            }
            Self::Switch => match text {
                "on" => Some(Value::Bool(true)),
                "off" => Some(Value::Bool(false)),
                _ => None,
            },
            Self::Choice(_) | Self::Method { .. } => Some(Value::from(text)),
        }
        .filter(|value| self.setting(value).is_some())
    }

    /// What the settings call a value; none if it is not of this kind.
    pub fn setting(&self, value: &Value) -> Option<Value> {
        let sound = match self {
            Self::Number => value.as_f64().is_some_and(f64::is_finite),
            Self::Whole { least } => value.as_u64().is_some_and(|number| number >= *least),
            Self::Wholes => value
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_u64)),
            Self::Switch => value.is_boolean(),
            Self::Method { among, .. } => among.iter().any(|method| value == method.name),
            Self::Choice(choices) => {
                let known = choices.iter().find(|choice| value == choice.word)?;
                return Some(Value::from(known.setting));
            }
        };
        sound.then(|| value.clone())
    }

    /// What a value must be, in words.
    pub fn range(&self) -> String {
        match self {
            Self::Number => "a finite number".into(),
            Self::Whole { least } => format!("a whole number from {least} up"),
            Self::Wholes => "a list of whole numbers".into(),
            Self::Switch => "true or false".into(),
            Self::Choice(_) | Self::Method { .. } => {
                let words: Vec<&str> = self.words().into_iter().map(|(word, _)| word).collect();
                words.join(" or ")
            }
        }
    }
}
