//! The files of an experiment: its lines, always a beginning of the same whole, and beside them its times.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use eqlearn::search::Shard;
use serde::{Deserialize, Serialize};

use super::{Experiment, Line, Result, Scenario, Trouble};

/// How long a contender took on a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The scenario.
    pub scenario: Scenario,
    /// The contender.
    pub method: String,
    /// Seconds from folded rows to equations, on one thread; for a contender with rows of its own, from the trajectory.
    pub seconds: f64,
}

/// Where the lines of an experiment are, or those of one share of it.
pub fn lines_path(out: &Path, experiment: Experiment, shard: Shard) -> PathBuf {
    out.join(format!("{}{}.jsonl", experiment.name(), suffix(shard)))
}

/// Where its times are.
pub fn times_path(out: &Path, experiment: Experiment, shard: Shard) -> PathBuf {
    let (name, shard) = (experiment.name(), suffix(shard));
    out.join(format!("{name}-times{shard}.jsonl"))
}

fn suffix(shard: Shard) -> String {
    match shard {
        Shard::WHOLE => String::new(),
        shard => format!("-{}-of-{}", shard.number(), shard.of()),
    }
}

/// Results by scenario and contender.
pub type Results = BTreeMap<(String, String), (Line, Timing)>;

/// What other processes have finished: the lines of all shares in the folder that have their times.
///
/// # Errors
/// A file that cannot be read, or a line that is no result.
pub fn finished_shares(out: &Path, experiment: Experiment) -> Result<Results> {
    let mut found = Results::new();
    for shard in shares_in(out, experiment)? {
        let key = |scenario: &Scenario, method: &str| (scenario.to_string(), method.to_string());
        let lines = read_lines_of(&lines_path(out, experiment, shard))?;
        let mut times: BTreeMap<_, Timing> = read_times_of(&times_path(out, experiment, shard))?
            .into_iter()
            .map(|timing| (key(&timing.scenario, &timing.method), timing))
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

/// The shares of an experiment that have a file in the folder.
fn shares_in(out: &Path, experiment: Experiment) -> Result<Vec<Shard>> {
    let shard = |name: &str| -> Option<Shard> {
        let rest = name.strip_prefix(experiment.name())?.strip_prefix('-')?;
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
pub struct Ledger {
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
    pub fn open(
        out: &Path,
        experiment: Experiment,
        shard: Shard,
        keys: &[(Scenario, &str)],
    ) -> Result<Self> {
        std::fs::create_dir_all(out).map_err(Trouble::file("make", out))?;
        let path = lines_path(out, experiment, shard);
        let text = read_if_there(&path)?;
        let lines = parse(&path, whole_lines(&text))?;
        for (place, line) in lines.iter().enumerate() {
            let expected = keys.get(place);
            if !expected.is_some_and(|(scenario, method)| {
                line.scenario == *scenario && line.method == *method
            }) {
                let words = |scenario: &Scenario, method: &str| format!("{method} on {scenario}");
                return Err(Trouble::OtherRun {
                    path,
                    line: place + 1,
                    found: words(&line.scenario, &line.method),
                    expected: expected.map_or_else(
                        || "no more lines".to_string(),
                        |(scenario, method)| words(scenario, method),
                    ),
                });
            }
        }
        let times_path = times_path(out, experiment, shard);
        Ok(Self {
            lines: open_after_last_line(&path)?,
            times: open_after_last_line(&times_path)?,
            path,
            times_path,
            n_lines: lines.len(),
        })
    }

    /// How many lines there were when the files were opened.
    pub fn n_lines(&self) -> usize {
        self.n_lines
    }

    /// Adds the results of one scenario, in one write each, so that a kill cuts at most one line.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&mut self, results: &[(Line, Timing)]) -> Result<()> {
        let text: String = results.iter().map(|(line, _)| line.to_json()).collect();
        let done = self.lines.write_all(text.as_bytes());
        done.map_err(Trouble::file("write", &self.path))?;
        let json = |timing: &Timing| serde_json::to_string(timing).expect("plain data") + "\n";
        let text: String = results.iter().map(|(_, timing)| json(timing)).collect();
        let done = self.times.write_all(text.as_bytes());
        done.map_err(Trouble::file("write", &self.times_path))
    }
}

/// Opens a file to add lines to it, without the line at its end that a kill may have cut.
pub(super) fn open_after_last_line(path: &Path) -> Result<File> {
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
pub(super) fn read_if_there(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(Trouble::file("read", path)),
    }
}

/// The whole lines of an experiment; none if it was not run.
///
/// # Errors
/// A file that cannot be read, or a line that is no result.
pub fn read_lines(out: &Path, experiment: Experiment) -> Result<Vec<Line>> {
    read_lines_of(&lines_path(out, experiment, Shard::WHOLE))
}

/// The whole lines of a file; none if it is not there.
pub(super) fn read_lines_of(path: &Path) -> Result<Vec<Line>> {
    let text = read_if_there(path)?;
    parse(path, whole_lines(&text))
}

fn parse(path: &Path, text: &str) -> Result<Vec<Line>> {
    let one = |(place, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| Trouble::BadLine {
            path: path.to_path_buf(),
            line: place + 1,
            problem: error.to_string(),
        })
    };
    text.lines().enumerate().map(one).collect()
}

/// The times of an experiment, the last of each scenario and contender; none if it was not run. A line that was cut off is left out.
///
/// # Errors
/// A file that cannot be read.
pub fn read_times(out: &Path, experiment: Experiment) -> Result<Vec<Timing>> {
    read_times_of(&times_path(out, experiment, Shard::WHOLE))
}

fn read_times_of(path: &Path) -> Result<Vec<Timing>> {
    let text = read_if_there(path)?;
    let parsed = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(parsed.collect())
}
