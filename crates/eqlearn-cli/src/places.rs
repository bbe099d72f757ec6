//! Where results are written, checked before the work that they are the result of.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::trouble::Trouble;

/// A file to write, and the flag that names it.
pub(crate) type Place<'a> = (&'static str, Option<&'a PathBuf>);

/// Refuses places that cannot be written to, that are named twice, or that hold the data.
pub(crate) fn check(places: &[Place<'_>], data: &[PathBuf]) -> Result<(), Trouble> {
    let named = places
        .iter()
        .filter_map(|(flag, path)| Some((*flag, (*path)?)));
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, path) in named {
        let hint = match missing_folder(path) {
            Some(_) => format!("make the folder, or change {flag}"),
            None => format!("change {flag}"),
        };
        check_one(path).map_err(|trouble| trouble.hint(hint))?;
        let Some(place) = resolved(path).filter(|_| !is_special(path)) else {
            continue;
        };
        let shown = path.display();
        if data
            .iter()
            .any(|file| resolved(file).as_ref() == Some(&place))
        {
            let message = format!("{flag} would overwrite the data in {shown}");
            return Err(Trouble::new(message).hint(format!("choose another name for {flag}")));
        }
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
            let message = format!("{other} and {flag} both name {shown}");
            return Err(Trouble::new(message).hint("choose two names"));
        }
        seen.push((flag, place));
    }
    Ok(())
}

/// Tries to write here, and leaves nothing behind.
fn check_one(path: &Path) -> Result<(), Trouble> {
    if is_special(path) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(unwritable(path, &ErrorKind::IsADirectory.into()));
    }
    let beside = beside(path)?;
    File::create(&beside).map_err(|error| unwritable(path, &error))?;
    // A leftover of no bytes cannot be helped if this fails.
    let _ = std::fs::remove_file(&beside);
    Ok(())
}

/// The file that is filled before it takes its place.
pub(crate) fn beside(path: &Path) -> Result<PathBuf, Trouble> {
    let not_a_file = || Trouble::new(format!("{} is not a file name", path.display()));
    let mut name = path.file_name().ok_or_else(not_a_file)?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(name))
}

/// Whether there is something that is neither a file nor a folder: a device, a pipe.
pub(crate) fn is_special(path: &Path) -> bool {
    let there = std::fs::metadata(path);
    there.is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Why a file cannot be written.
pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Trouble {
    let reason = match (error.kind(), missing_folder(path)) {
        (_, Some(folder)) => format!("there is no folder {}", folder.display()),
        (ErrorKind::IsADirectory, _) => "it is a folder".into(),
        (ErrorKind::PermissionDenied, _) => "permission denied".into(),
        _ => error.to_string(),
    };
    Trouble::new(format!("cannot write {}: {reason}", path.display()))
}

/// The folder that a file would be in, if it is not there.
fn missing_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.filter(|folder| !folder.is_dir())
}

/// Where a path leads, whether or not a file is there.
fn resolved(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let there = std::fs::canonicalize(path).ok();
    there.or_else(|| Some(std::fs::canonicalize(folder).ok()?.join(path.file_name()?)))
}
