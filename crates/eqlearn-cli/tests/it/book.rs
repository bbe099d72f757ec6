//! The book: every command prints what the page shows, every block of code is run by some test,
//! and every link has a target.
//!
//! Commands follow `$ ` in `console` blocks. They are run by `sh` in a folder with the files of
//! `book/src/data`; `[..]` matches anything. A command must succeed, unless the page shows its
//! error. `EQLEARN_BOOK=refresh cargo test -p eqlearn-cli --test it book` writes the current output
//! into the pages; read the difference before you commit it.

use std::fmt::Write as _;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::Folder;

/// The lines that may be in `sh` blocks (on the page about installing), each with its test.
const INSTALL: [(&str, &str); 3] = [
    // The program of this package is what all tests here run.
    (
        "cargo install --path crates/eqlearn-cli",
        "crates/eqlearn-cli/Cargo.toml",
    ),
    // Built into a wheel and installed by the check of the package.
    ("pip install .", "crates/eqlearn-python/check"),
    ("./check", "check"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn source() -> PathBuf {
    root().join("book/src")
}

/// Every page by its path below the book, with its text; the table of contents among them.
fn pages() -> Vec<(String, String)> {
    let (mut pages, mut folders) = (Vec::new(), vec![source()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                let page = path.strip_prefix(source()).unwrap().to_str().unwrap();
                pages.push((page.to_string(), read_to_string(&path).unwrap()));
            }
        }
    }
    pages.sort();
    pages
}

/// The pages with commands, by where they are below the project: the book, and its front page.
fn pages_with_commands() -> Vec<(String, String)> {
    let front = read_to_string(root().join("README.md")).unwrap();
    let of_book = pages().into_iter();
    let of_book = of_book.map(|(page, text)| (format!("book/src/{page}"), text));
    std::iter::once(("README.md".to_string(), front))
        .chain(of_book)
        .collect()
}

/// A fenced block of code.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let inside = lines.by_ref().take_while(|line| line.trim() != "```");
            blocks.push(Block {
                language,
                lines: inside.collect(),
            });
        }
    }
    blocks
}

/// A command of a page, and the output that the page shows.
struct Example<'a> {
    command: String,
    shown: Vec<&'a str>,
}

fn examples<'a>(block: &Block<'a>) -> Vec<Example<'a>> {
    let mut examples: Vec<Example<'_>> = Vec::new();
    let mut continued = false;
    for line in &block.lines {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (_, Some(last)) if continued => {
                last.command.push('\n');
                last.command.push_str(line);
            }
            (Some(command), _) => examples.push(Example {
                command: command.to_string(),
                shown: Vec::new(),
            }),
            (None, Some(last)) => last.shown.push(line),
            (None, None) => panic!("a console block starts with a command, not with {line:?}"),
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    examples
}

/// The lines that a command prints on both of its streams, in order.
fn said(command: &str, folder: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_eqlearn"));
    let path = std::env::join_paths(
        [program.parent().unwrap().to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path.unwrap())
        .envs([("COLUMNS", "100"), ("NO_COLOR", "1"), ("LC_ALL", "C")])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<String> = text.lines().map(|line| line.trim_end().into()).collect();
    let tells_itself = command.contains("$?") || command.contains('|');
    let expected = match lines.first() {
        _ if tells_itself => 0,
        _ if lines.iter().any(|line| line.starts_with("error:")) => 2,
        Some(line) if line == "no equation" => 1,
        _ => 0,
    };
    assert_eq!(output.status.code(), Some(expected), "{command}\n{text}");
    lines
}

/// The line with its long numbers cut to ten digits: the last digits depend on the compiler.
fn rounded(line: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let (mut short, mut rest) = (String::new(), line);
    while let Some(start) = rest.find(is_number) {
        let end = rest[start..].find(|c| !is_number(c));
        let end = end.map_or(rest.len(), |length| start + length);
        short.push_str(&rest[..start]);
        match rest[start..end].parse::<f64>() {
            Ok(number) if end - start > 13 => write!(short, "{number:.9e}").unwrap(),
            _ => short.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    short + rest
}

/// Whether a line is what a page shows, where `[..]` is anything.
fn fits(shown: &str, line: &str) -> bool {
    let (shown, line) = (&*rounded(shown), &*rounded(line));
    let mut parts = shown.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some(place) = rest.find(part) else {
            return false;
        };
        rest = &rest[place + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|part| part.is_empty() || line.ends_with(part))
}

/// The page with the current output of its commands, and where it differs from the page.
fn page_as_said(page: &str, text: &str) -> (String, String) {
    let folder = Folder::new(&format!("book-{}", page.replace('/', "-")));
    for entry in std::fs::read_dir(source().join("data")).unwrap() {
        let path = entry.unwrap().path();
        folder.file(
            path.file_name().unwrap().to_str().unwrap(),
            std::fs::read(&path).unwrap(),
        );
    }
    let (mut new, mut differences) = (text.to_string(), String::new());
    let consoles = blocks(text).into_iter().filter(|b| b.language == "console");
    for example in consoles.flat_map(|block| examples(&block)) {
        let lines = said(&example.command, folder.path());
        let same = lines.len() == example.shown.len()
            && lines
                .iter()
                .zip(&example.shown)
                .all(|(line, shown)| fits(shown, line));
        if same {
            continue;
        }
        writeln!(differences, "{page}: $ {}", example.command).unwrap();
        // Lines that match stay as they are.
        let written: Vec<&str> = lines
            .iter()
            .map(|line| {
                let same = example.shown.iter().find(|shown| fits(shown, line));
                same.map_or(line.as_str(), |shown| *shown)
            })
            .collect();
        for line in example.shown.iter().filter(|line| !written.contains(line)) {
            writeln!(differences, "- {line}").unwrap();
        }
        for line in written.iter().filter(|line| !example.shown.contains(line)) {
            writeln!(differences, "+ {line}").unwrap();
        }
        let whole = |lines: &[&str]| {
            [&[&format!("$ {}", example.command)[..]], lines, &[""]]
                .concat()
                .join("\n")
        };
        new = new.replacen(&whole(&example.shown), &whole(&written), 1);
    }
    (new, differences)
}

#[test]
fn commands_say_what_stands_below_them() {
    let refresh = std::env::var_os("EQLEARN_BOOK").is_some_and(|value| value == "refresh");
    let mut all = String::new();
    for (page, text) in pages_with_commands() {
        let (new, differences) = page_as_said(&page, &text);
        if refresh && new != text {
            std::fs::write(root().join(&page), new).unwrap();
        }
        all.push_str(&differences);
    }
    assert!(
        refresh || all.is_empty(),
        "the book shows something else; EQLEARN_BOOK=refresh writes what is said now\n{all}"
    );
}

/// The file that a block includes, if it does.
fn included<'a>(block: &Block<'a>) -> Option<&'a str> {
    let [line] = block.lines[..] else { return None };
    line.strip_prefix("{{#include ")?.strip_suffix("}}")
}

#[test]
fn mdbook_renders_the_book() {
    let folder = Folder::new("book-rendered");
    let mut book = mdbook_driver::MDBook::load(root().join("book")).unwrap();
    book.config.build.build_dir = folder.path().join("html");
    book.build().unwrap();
    for (page, _) in pages().iter().filter(|(page, _)| page != "SUMMARY.md") {
        let page = folder.path().join("html").join(page).with_extension("html");
        let text = read_to_string(&page).unwrap();
        assert!(text.contains("<main>"), "{}", page.display());
        // An include that was not found stays as it was written.
        assert!(!text.contains("{{#"), "{}", page.display());
    }
}

#[test]
fn somebody_runs_every_block_of_code() {
    let run_in_rust = read_to_string(root().join("crates/eqlearn/tests/it/examples.rs")).unwrap();
    for (page, text) in pages() {
        for block in blocks(&text) {
            let start = block.lines.first().copied().unwrap_or_default();
            let ran = match block.language {
                "console" => start.starts_with("$ "),
                // The tests of the Python package run all scripts.
                "python" => included(&block).is_some_and(|file| file.starts_with("../scripts/")),
                "rust" => included(&block).is_some_and(|file| {
                    let examples = file.strip_prefix("../../crates/eqlearn/");
                    let name = examples.and_then(|file| file.strip_suffix(":all"));
                    name.is_some_and(|name| run_in_rust.contains(&format!("\"../../{name}\"")))
                }),
                "sh" => block.lines.iter().all(|line| {
                    let known = INSTALL.iter().find(|(command, _)| command == line);
                    page == "install.md"
                        && known.is_some_and(|(_, file)| root().join(file).exists())
                }),
                _ => false,
            };
            assert!(
                ran,
                "{page}: nobody runs this {} block: {start}",
                block.language
            );
        }
    }
}

/// The name by which a heading can be linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of links and images outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let targets = line.split("](").skip(1).filter(|_| !code);
        links.extend(
            targets
                .filter_map(|rest| rest.split_once(')'))
                .map(|(target, _)| target),
        );
    }
    links
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_contents() {
    let pages = pages();
    let contents = &pages
        .iter()
        .find(|(page, _)| page == "SUMMARY.md")
        .unwrap()
        .1;
    for (page, text) in &pages {
        assert!(
            page == "SUMMARY.md" || links(contents).contains(&page.as_str()),
            "{page} is not in the contents"
        );
        let folder = source().join(page).parent().unwrap().to_path_buf();
        for link in links(text)
            .into_iter()
            .filter(|link| !link.starts_with("http"))
        {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                source().join(page)
            } else {
                folder.join(file)
            };
            assert!(
                target.exists(),
                "{page} links to {link}, which is not there"
            );
            if !place.is_empty() {
                let text = read_to_string(&target).unwrap();
                let mut headings = text.lines().filter_map(|line| line.strip_prefix('#'));
                assert!(
                    headings.any(|heading| anchor(heading.trim_start_matches('#')) == place),
                    "{page} links to {link}, and there is no such heading"
                );
            }
        }
        for line in text.lines().filter(|line| line.starts_with("{{#include ")) {
            let file = line
                .trim_start_matches("{{#include ")
                .trim_end_matches("}}");
            let (file, part) = file.split_once(':').unwrap_or((file, ""));
            let text = read_to_string(folder.join(file)).unwrap_or_default();
            assert!(
                !text.is_empty(),
                "{page} includes {file}, which is not there"
            );
            assert!(
                part.is_empty() || text.contains(&format!("ANCHOR: {part}")),
                "{page}: {line}"
            );
        }
    }
}

#[test]
fn open_places_fit_anything_and_the_rest_only_itself() {
    assert!(fits("a [..] c", "a b b c"));
    assert!(fits("eqlearn [..]", "eqlearn 0.1.0"));
    assert!(fits("x [..] y [..] z", "x 1 y 2 y z"));
    assert!(fits("same", "same"));
    assert!(fits("1,0.9686051310565675", "1,0.9686051310565474"));
    assert!(!fits("1,0.96860513", "1,0.96860514"));
    assert!(!fits("same", "same but longer"));
    assert!(!fits("a [..] c", "a b c d"));
}
