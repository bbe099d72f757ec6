//! The flags of single methods, made from what the methods declare.

use std::collections::BTreeMap;

use clap::builder::TypedValueParser as _;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use eqlearn::Request;
use eqlearn::ask::{Described, described_knobs};
use eqlearn::methods::declare::Kind;
use serde_json::Value;

use super::words::word_of;

/// Where `--help` lists them.
pub(super) const HEADING: &str = "Knobs of single methods";

/// The values of the knobs that were given. Each knob belongs to the methods that its help names.
#[derive(Debug, Clone, Default)]
pub(super) struct KnobArgs {
    given: BTreeMap<String, Value>,
}

impl KnobArgs {
    pub(super) fn fill(&self, request: &mut Request) {
        request.knobs.clone_from(&self.given);
    }
}

impl Args for KnobArgs {
    fn augment_args(command: Command) -> Command {
        described_knobs()
            .into_iter()
            .map(flag)
            .fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for KnobArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut knobs = Self::default();
        knobs.update_from_arg_matches(matches)?;
        Ok(knobs)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for knob in described_knobs() {
            if let Some(value) = matches.get_one::<Value>(knob.name) {
                self.given.insert(knob.name.to_string(), value.clone());
            }
        }
        Ok(())
    }
}

fn flag(knob: Described) -> Arg {
    let Described { name, kind, help } = knob;
    let flag = Arg::new(name).long(name).help(help).help_heading(HEADING);
    let read = move |text: &str| {
        let value = kind.parse(text);
        value.ok_or_else(|| format!("it must be {}", kind.range()))
    };
    let words = || {
        let words = kind.words().into_iter();
        let words = words.map(|(word, meaning)| (word, meaning, ())).collect();
        word_of(words).try_map(move |word: String| read(&word))
    };
    match kind {
        Kind::Number => flag
            .value_name("X")
            .allow_negative_numbers(true)
            .value_parser(read),
        Kind::Whole { .. } => flag.value_name("N").value_parser(read),
        Kind::Wholes => flag.value_name("N,N").value_parser(read),
        Kind::Choice(_) | Kind::Method { .. } => {
            flag.value_name(name.to_uppercase()).value_parser(words())
        }
        // On if nothing else is said; a value would otherwise be taken for a file.
        Kind::Switch => flag
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on")
            .value_name("on|off")
            .value_parser(words()),
    }
}
