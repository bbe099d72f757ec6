//! A settings file: each key is a flag, unless the user typed it.

use std::ffi::OsString;
use std::io::ErrorKind;

use clap::CommandFactory as _;
use eqlearn::error::nearest;
use toml::{Table, Value};

use crate::args::Cli;
use crate::trouble::Trouble;

/// The command line with the flags of a `--config` file put in after the command's name.
pub(crate) fn expand(args: Vec<OsString>) -> Result<Vec<OsString>, Trouble> {
    let Some(path) = config_path(&args) else {
        return Ok(args);
    };
    let shown = path.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Trouble::new(format!("cannot read the settings {shown}: {}", why(&error)))
    })?;
    let table: Table = text
        .parse()
        .map_err(|error| Trouble::new(format!("{shown}: {error}")))?;
    check_keys(&table, &args, &shown)?;
    let mut flags = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| !is_typed(&args, key)) {
        push_flag(&mut flags, key, value).map_err(|kind| {
            Trouble::new(format!(
                "{shown}: the key {key:?} holds {kind}, which no flag takes"
            ))
        })?;
    }
    let command = args.len().min(2);
    let (before, after) = args.split_at(command);
    Ok(before
        .iter()
        .cloned()
        .chain(flags)
        .chain(after.iter().cloned())
        .collect())
}

/// Why a file cannot be read.
fn why(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        _ => error.to_string(),
    }
}

/// Refuses keys that are no flags of the command.
fn check_keys(table: &Table, args: &[OsString], shown: &str) -> Result<(), Trouble> {
    let cli = Cli::command();
    let name = args.get(1).and_then(|name| name.to_str());
    let Some(command) = name.and_then(|name| cli.find_subcommand(name)) else {
        return Ok(());
    };
    let flags = command.get_arguments().filter_map(clap::Arg::get_long);
    let flags: Vec<String> = flags.map(String::from).collect();
    let Some(key) = table.keys().find(|key| !flags.contains(key)) else {
        return Ok(());
    };
    let name = command.get_name();
    let hint = match nearest(key, &flags) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("`eqlearn {name} --help` lists the flags"),
    };
    let message = format!("{shown}: the key {key:?} is no flag of `eqlearn {name}`");
    Err(Trouble::new(message).hint(hint))
}

fn config_path(args: &[OsString]) -> Option<OsString> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--config" {
            return args.next().cloned();
        }
        if let Some(path) = arg.to_str().and_then(|arg| arg.strip_prefix("--config=")) {
            return Some(path.into());
        }
    }
    None
}

/// Whether a flag was typed: lists would be joined otherwise.
fn is_typed(args: &[OsString], key: &str) -> bool {
    let flag = |arg: &OsString| {
        let name = arg.to_str()?.strip_prefix("--")?;
        Some(name.split_once('=').map_or(name, |(name, _)| name) == key)
    };
    args.iter().any(|arg| flag(arg).unwrap_or(false))
}

fn push_flag(flags: &mut Vec<OsString>, key: &str, value: &Value) -> Result<(), &'static str> {
    let mut push = |value: String| flags.push(format!("--{key}={value}").into());
    let on_or_off = |on: bool| if on { "on" } else { "off" }.to_string();
    match value {
        Value::String(text) => push(text.clone()),
        Value::Integer(number) => push(number.to_string()),
        Value::Float(number) => push(number.to_string()),
        Value::Boolean(on) if takes_value(key) => push(on_or_off(*on)),
        Value::Boolean(true) => flags.push(format!("--{key}").into()),
        Value::Boolean(false) => {}
        Value::Array(values) => {
            for value in values {
                push_flag(flags, key, value)?;
            }
        }
        Value::Datetime(_) => return Err("a date"),
        Value::Table(_) => return Err("a table"),
    }
    Ok(())
}

/// Whether a flag has a value, such as `on` or `off`.
fn takes_value(key: &str) -> bool {
    let cli = Cli::command();
    let mut flags = cli.get_subcommands().flat_map(clap::Command::get_arguments);
    flags.any(|flag| flag.get_long() == Some(key) && flag.get_action().takes_values())
}
