//! Where results and words go.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use crate::places::{beside, is_special, unwritable};
use crate::terminal::aside;
use crate::trouble::Trouble;

/// Prints a result on standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Trouble> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Trouble::new(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints a result as JSON.
pub(crate) fn print_json(result: &impl Serialize) -> Result<(), Trouble> {
    let json =
        serde_json::to_string_pretty(result).expect("a result holds nothing that JSON cannot");
    print(&(json + "\n"))
}

/// A write that failed midway; a reader that went away is no error here either.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_err takes"
)]
pub(crate) fn cannot_write(error: std::io::Error) -> Trouble {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return Trouble::reader_left();
    }
    Trouble::new(format!("cannot write the result: {error}"))
}

/// How much is said besides the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Nothing but errors.
    Little,
    /// What a user should know.
    Usual,
    /// How it was done too.
    Much,
}

impl Talk {
    /// As the flags `--quiet` and `--verbose` say.
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Little,
            (_, true) => Self::Much,
            _ => Self::Usual,
        }
    }

    /// Says something that is not a result, unless that is not wanted.
    pub(crate) fn note(self, text: &str) {
        if self != Self::Little {
            note(text);
        }
    }

    /// Says which file was written.
    pub(crate) fn written(self, what: &str, path: &Path) {
        self.note(&format!("{what} written to {}", path.display()));
    }
}

/// Says something on standard error that is not a result.
pub(crate) fn note(text: &str) {
    // Nothing is left to do if standard error is gone.
    let _ = write!(std::io::stderr().lock(), "{}", aside("note: ", text));
}

/// Writes a file whole or not at all: beside its place first, then moved over it. What is no file,
/// such as a device or a pipe, is written to directly.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let cannot = |error: std::io::Error| unwritable(path, &error);
    if is_special(path) {
        let mut file = BufWriter::new(File::create(path).map_err(cannot)?);
        fill(&mut file)?;
        return file.flush().map_err(cannot);
    }
    let beside = beside(path)?;
    let mut file = BufWriter::new(File::create(&beside).map_err(cannot)?);
    let written = fill(&mut file)
        .and_then(|()| {
            file.into_inner()
                .map_err(|error| cannot(error.into_error()))
        })
        .and_then(|file| file.sync_all().map_err(cannot))
        .and_then(|()| std::fs::rename(&beside, path).map_err(cannot));
    if written.is_err() {
        // The first error is the one to report; a leftover cannot be helped if this fails too.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Writes a whole text.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Trouble> {
    write_file(path, |file| {
        let written = file.write_all(text.as_bytes());
        written.map_err(|error| unwritable(path, &error))
    })
}

/// What was typed, so that it can be typed again.
pub(crate) fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:^+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("eqlearn".to_string())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}
