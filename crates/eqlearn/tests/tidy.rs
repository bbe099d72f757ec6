//! What ARCHITECTURE.md promises of the sources, checked by reading them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The stages of the library, in the order in which data flow.
const STAGES: [&str; 15] = [
    "error", "observe", "numeric", "data", "terms", "reduce", "search", "judge", "methods",
    "learn", "beyond", "dynamics", "fields", "ask", "tell",
];

/// Which files of the library may name a foreign crate: the beginnings of their paths.
const CRATES: [(&str, &[&str]); 12] = [
    ("rustfft", &["numeric/fourier"]),
    ("diffsol", &["dynamics/simulate"]),
    ("pulp", &["numeric/vector"]),
    ("rand", &["methods/ensemble"]),
    ("csv", &["data/table"]),
    ("calamine", &["data/table"]),
    ("parquet", &["data/table"]),
    ("netcdf_reader", &["data/field"]),
    ("zip", &["data/table"]),
    ("zstd", &["data/table"]),
    ("flate2", &["data/table"]),
    ("rayon", &["numeric/parallel", "reduce"]),
];

/// Where the clock is read: to stop after a given time, and to estimate the time of a search.
const CLOCK: [&str; 2] = ["observe.rs", "search/decide/plan.rs"];

/// The longest line of a source file.
const LINE: usize = 100;

/// A source file by its path below some folder, with its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines of code before the unit tests, by number, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        let before_tests = lines.take_while(|(_, line)| *line != "#[cfg(test)]");
        let code = before_tests.map(|(i, line)| (i + 1, line.trim_start()));
        code.filter(|(_, line)| !line.starts_with("//"))
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/")
    }

    /// The stage that it belongs to.
    fn stage(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files with this ending below a folder.
fn sources(folder: &Path, ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder of the project can be read") {
            let path = entry.expect("a folder of the project can be read").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                let is_made = ["target", "node_modules", "__pycache__"].contains(&name.as_str());
                if !is_made && !name.starts_with(".venv") {
                    open.push(path);
                }
            } else if name.ends_with(ending) {
                let below = path.strip_prefix(folder).expect("it is below the folder");
                found.push(Source {
                    path: below.to_string_lossy().into_owned(),
                    text: fs::read_to_string(&path).expect("sources are text"),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "{} has no {ending}", folder.display());
    found
}

fn library() -> Vec<Source> {
    let all = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), ".rs");
    all.into_iter().filter(|source| !source.is_test()).collect()
}

fn assert_none(wrong: &[String], what: &str) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

/// The names that follow `crate::` in a line of code.
fn used_stages(line: &str) -> impl Iterator<Item = String> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        rest[..end.unwrap_or(rest.len())].to_string()
    })
}

#[test]
fn a_stage_uses_only_those_before_it() {
    let place = |stage: &str| STAGES.iter().position(|known| *known == stage);
    let mut wrong = Vec::new();
    for source in library() {
        // The front page lists all stages, and the one error type is made of theirs.
        if ["lib.rs", "error.rs"].contains(&source.path.as_str()) {
            continue;
        }
        let Some(own) = place(source.stage()) else {
            wrong.push(format!("{} is in no stage", source.path));
            continue;
        };
        for (number, line) in source.code() {
            for used in used_stages(line) {
                if place(&used).is_none_or(|used| used > own) {
                    wrong.push(format!("{}:{number} uses {used}", source.path));
                }
            }
        }
    }
    assert_none(&wrong, "arrows that point up");
}

#[test]
fn foreign_crates_are_named_in_their_place_only() {
    let mut wrong = Vec::new();
    for source in library() {
        for (number, line) in source.code() {
            for (foreign, places) in CRATES {
                let named = line.contains(&format!("{foreign}::"))
                    && !line.contains(&format!("_{foreign}::"))
                    && !line.contains(&format!("::{foreign}::"));
                if named && !places.iter().any(|place| source.path.starts_with(place)) {
                    wrong.push(format!("{}:{number} names {foreign}", source.path));
                }
            }
        }
    }
    assert_none(&wrong, "crates out of place");
}

#[test]
fn the_clock_is_read_where_it_is_said() {
    let mut wrong = Vec::new();
    for source in library() {
        let reads = |(_, line): &(usize, &str)| {
            line.contains("Instant::now") || line.contains("SystemTime")
        };
        let reads = source.code().any(|line| reads(&line));
        if reads && !CLOCK.contains(&source.path.as_str()) {
            wrong.push(source.path.clone());
        }
    }
    assert_none(&wrong, "the clock is read in");
}

#[test]
fn the_library_reads_no_environment_and_prints_nothing() {
    let mut wrong = Vec::new();
    for source in library() {
        for (number, line) in source.code() {
            let said = ["std::env::", "println!", "print!(", "dbg!("];
            if said.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{}:{number} {line}", source.path));
            }
        }
    }
    assert_none(&wrong, "a library is silent");
}

#[test]
fn the_walks_of_the_architecture_lead_through_functions_that_exist() {
    let page = fs::read_to_string(workspace().join("ARCHITECTURE.md")).expect("it is there");
    let step = |line: &str| {
        let mut quoted = line.split('`').skip(1).step_by(2).map(String::from);
        let is_numbered = line.starts_with(|c: char| c.is_ascii_digit());
        let (file, function) = (quoted.next()?, quoted.next()?);
        (is_numbered && file.starts_with("crates/")).then_some((file, function))
    };
    let steps: Vec<(String, String)> = page.lines().filter_map(step).collect();
    assert!(steps.len() > 30, "{} steps", steps.len());
    let missing = steps.iter().filter(|(file, function)| {
        let text = fs::read_to_string(workspace().join(file)).unwrap_or_default();
        let starts = [
            format!("fn {function}("),
            format!("fn {function}<"),
            format!("def {function}("),
        ];
        !starts.iter().any(|start| text.contains(start))
    });
    let missing: Vec<String> = missing.map(|(file, f)| format!("{file} {f}")).collect();
    assert_none(&missing, "steps that are no function");
}

#[test]
fn every_module_says_what_it_holds() {
    let all = sources(&workspace().join("crates"), ".rs");
    let silent = all.iter().filter(|source| {
        let first = source.text.lines().next().unwrap_or_default();
        !(first.starts_with("//!") || first.starts_with("#![doc"))
    });
    let silent: Vec<String> = silent.map(|source| source.path.clone()).collect();
    assert_none(&silent, "files without a header");
}

#[test]
fn no_line_of_a_source_is_longer_than_a_hundred_characters() {
    let kinds = [
        ("crates", ".rs"),
        ("crates", ".py"),
        ("crates", ".pyi"),
        ("bench", ".py"),
        ("book", ".py"),
    ];
    let mut long: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (folder, ending) in kinds {
        for source in sources(&workspace().join(folder), ending) {
            let lines = source.text.lines().enumerate();
            let over = lines.filter(|(_, line)| line.chars().count() > LINE);
            let over: Vec<usize> = over.map(|(i, _)| i + 1).collect();
            if !over.is_empty() {
                long.insert(source.path, over);
            }
        }
    }
    let long: Vec<String> = long
        .iter()
        .map(|(path, lines)| format!("{path}: {lines:?}"))
        .collect();
    assert_none(&long, "lines over 100 characters");
}
