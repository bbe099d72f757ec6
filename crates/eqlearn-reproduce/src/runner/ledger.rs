//! The files of an experiment: its lines, always a prefix of the complete file, and its times.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use eqlearn::search::Shard;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::line::json_line;
use super::{Experiment, Line, LineOf, Timing};
use crate::{Result, Trouble};

fn lines_path(out: &Path, name: &str, shard: Shard) -> PathBuf {
    out.join(format!("{name}{}.jsonl", suffix(shard)))
}

fn times_path(out: &Path, name: &str, shard: Shard) -> PathBuf {
    out.join(format!("{name}-times{}.jsonl", suffix(shard)))
}

fn suffix(shard: Shard) -> String {
    match shard {
        Shard::WHOLE => String::new(),
        shard => format!("-{}-of-{}", shard.number(), shard.of()),
    }
}

/// Lines and times that exist already, by the words of the scenario and the name of the method.
pub(super) type Finished<E> =
    BTreeMap<(String, String), (LineOf<E>, Timing<<E as Experiment>::Scenario>)>;

/// What other processes have finished: the lines of all shards in the folder that have their times.
pub(super) fn finished_shares<E: Experiment>(experiment: &E, out: &Path) -> Result<Finished<E>> {
    let name = experiment.name();
    let key = |scenario: &E::Scenario, method: &str| (scenario.to_string(), method.to_string());
    let mut found = Finished::<E>::new();
    for shard in shares_in(out, name)? {
        let lines: Vec<LineOf<E>> = read_lines_of(&lines_path(out, name, shard))?;
        let mut times: BTreeMap<_, Timing<E::Scenario>> =
            read_times_of(&times_path(out, name, shard))?
                .into_iter()
                .map(|timing: Timing<E::Scenario>| (key(&timing.scenario, &timing.method), timing))
                .collect();
        for line in lines {
            let key = key(&line.scenario, &line.method);
            if let Some(timing) = times.remove(&key) {
                found.insert(key, (line, timing));
            }
        }
    }
    Ok(found)
}

/// The shards of an experiment that have a file in the folder.
fn shares_in(out: &Path, name: &str) -> Result<Vec<Shard>> {
    let shard = |file: &str| -> Option<Shard> {
        let rest = file.strip_prefix(name)?.strip_prefix('-')?;
        let (number, of) = rest.strip_suffix(".jsonl")?.split_once("-of-")?;
        Shard::new(number.parse().ok()?, of.parse().ok()?)
    };
    let entries = match std::fs::read_dir(out) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(Trouble::file("read", out))?,
    };
    let mut shares = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Trouble::file("read", out))?;
        shares.extend(entry.file_name().to_str().and_then(shard));
    }
    shares.sort_unstable();
    Ok(shares)
}

/// Open files to which results are added.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    lines: File,
    times_path: PathBuf,
    times: File,
    n_lines: usize,
}

impl Ledger {
    /// Opens the files of an experiment after its last whole line.
    ///
    /// # Errors
    /// Files that cannot be read or written; lines that are not those of `keys`, in that order.
    pub(super) fn open<E: Experiment>(
        experiment: &E,
        shard: Shard,
        out: &Path,
        keys: &[(&E::Scenario, &str)],
    ) -> Result<Self> {
        std::fs::create_dir_all(out).map_err(Trouble::file("make", out))?;
        let path = lines_path(out, experiment.name(), shard);
        let lines: Vec<LineOf<E>> = read_lines_of(&path)?;
        for (place, line) in lines.iter().enumerate() {
            let found = (&line.scenario, line.method.as_str());
            let expected = keys.get(place);
            if expected != Some(&found) {
                return Err(Trouble::OtherRun {
                    path,
                    line: place + 1,
                    found: words(&found),
                    expected: expected.map_or_else(|| "no more lines".to_string(), words),
                });
            }
        }
        let times_path = times_path(out, experiment.name(), shard);
        Ok(Self {
            lines: open_after_last_line(&path)?,
            times: open_after_last_line(&times_path)?,
            path,
            times_path,
            n_lines: lines.len(),
        })
    }

    /// How many lines there were when the files were opened.
    pub(super) fn n_lines(&self) -> usize {
        self.n_lines
    }

    /// Adds the results of one scenario, in one write per file: a kill cuts at most one line.
    pub(super) fn write<S: Serialize, O: Serialize>(
        &mut self,
        results: &[(Line<S, O>, Timing<S>)],
    ) -> Result<()> {
        let text: String = results.iter().map(|(line, _)| json_line(line)).collect();
        let done = self.lines.write_all(text.as_bytes());
        done.map_err(Trouble::file("write", &self.path))?;
        let text: String = results.iter().map(|(_, time)| json_line(time)).collect();
        let done = self.times.write_all(text.as_bytes());
        done.map_err(Trouble::file("write", &self.times_path))
    }
}

fn words<S: Display>((scenario, method): &(&S, &str)) -> String {
    format!("{method} on {scenario}")
}

/// Opens a file to add lines to it, without the line at its end that a kill may have cut.
pub(crate) fn open_after_last_line(path: &Path) -> Result<File> {
    let whole = whole_lines(&read_if_there(path)?).len() as u64;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let opened = options.open(path).and_then(|mut file| {
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    });
    opened.map_err(Trouble::file("write", path))
}

/// A text up to its last whole line.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// The text of a file; none if it is not there.
pub(crate) fn read_if_there(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(Trouble::file("read", path)),
    }
}

/// The whole lines of the experiment of this name; none if it was not run.
///
/// # Errors
/// A file that cannot be read, or a line that is no result.
pub fn read_lines<S, O>(out: &Path, name: &str) -> Result<Vec<Line<S, O>>>
where
    S: DeserializeOwned,
    O: DeserializeOwned,
{
    read_lines_of(&lines_path(out, name, Shard::WHOLE))
}

/// The whole lines of a file; none if it is not there.
pub(crate) fn read_lines_of<L: DeserializeOwned>(path: &Path) -> Result<Vec<L>> {
    let text = read_if_there(path)?;
    let one = |(place, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| Trouble::BadLine {
            path: path.to_path_buf(),
            line: place + 1,
            problem: error.to_string(),
        })
    };
    whole_lines(&text).lines().enumerate().map(one).collect()
}

/// The times of the experiment of this name; none if it was not run. A line that was cut off is
/// left out.
///
/// # Errors
/// A file that cannot be read.
pub fn read_times<S: DeserializeOwned>(out: &Path, name: &str) -> Result<Vec<Timing<S>>> {
    read_times_of(&times_path(out, name, Shard::WHOLE))
}

fn read_times_of<S: DeserializeOwned>(path: &Path) -> Result<Vec<Timing<S>>> {
    let text = read_if_there(path)?;
    let parsed = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(parsed.collect())
}
