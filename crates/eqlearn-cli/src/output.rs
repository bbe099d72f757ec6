//! Where results and words go.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

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

/// Says something on standard error that is not a result.
pub(crate) fn note(text: &str) {
    // Nothing is left to do if standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "note: {text}");
}

/// Writes a file whole or not at all: beside its place first, then moved over it.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let cannot =
        |error: std::io::Error| Trouble::new(format!("cannot write {}: {error}", path.display()));
    let not_a_file = || Trouble::new(format!("{} is not a file name", path.display()));
    let mut name = path.file_name().ok_or_else(not_a_file)?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
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
        file.write_all(text.as_bytes()).map_err(cannot_write)
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
