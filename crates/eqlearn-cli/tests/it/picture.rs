//! The picture of a terminal in the book and on the front page, drawn from what is really said.
//! `EQLEARN_BOOK=refresh cargo test -p eqlearn-cli --test it picture` draws it again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::Folder;

/// What is typed: without a target first, as a beginner does.
const SESSION: [&str; 2] = [
    "eqlearn fit drag.csv",
    "eqlearn fit drag.csv --target force --report drag.html",
];

/// The size of a letter and the space around the text, in pixels.
const LETTER: f64 = 8.4;
const LINE: f64 = 19.0;
const MARGIN: f64 = 18.0;

const COLUMNS: u32 = 80;

const STYLE: &str = "\
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d6dae0; \
white-space: pre; }
.bold { font-weight: bold; fill: #ffffff; }
.faint { fill: #9aa1ac; }
.mark { fill: #e5c07b; }
.typed { fill: #98c379; }";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the commands print on a terminal, in order, with their colours.
fn printed() -> String {
    let folder = Folder::new("picture");
    let data = root().join("book/src/data/drag.csv");
    folder.file("drag.csv", std::fs::read(data).unwrap());
    let program = Path::new(env!("CARGO_BIN_EXE_eqlearn"));
    let mut all = String::new();
    for typed in SESSION {
        let line = typed.replace("eqlearn", &format!("'{}'", program.display()));
        let colours = if typed.contains("--target") {
            "--color always"
        } else {
            ""
        };
        let output = Command::new("sh")
            .args(["-c", &format!("{line} {colours} 2>&1")])
            .current_dir(folder.path())
            .env("COLUMNS", COLUMNS.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        writeln!(all, "\u{1b}[32m$ {typed}\u{1b}[0m\n{}\n", said.trim_end()).unwrap();
    }
    all
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// One line: pieces between changes of colour.
fn drawn(line: &str, y: f64) -> String {
    let (mut pieces, mut letters) = (String::new(), 0);
    for (place, piece) in line.split("\u{1b}[").enumerate() {
        let (code, text) = match place {
            0 => ("0", piece),
            _ => piece.split_once('m').unwrap(),
        };
        letters += text.chars().count();
        let text = escaped(text);
        let class = match code {
            "1" => "bold",
            "2" => "faint",
            "33" => "mark",
            "32" => "typed",
            _ => {
                pieces.push_str(&text);
                continue;
            }
        };
        write!(pieces, r#"<tspan class="{class}">{text}</tspan>"#).unwrap();
    }
    let width = LETTER * f64::from(u32::try_from(letters).unwrap());
    format!(
        "<text x=\"{MARGIN}\" y=\"{y}\" textLength=\"{width:.1}\" xml:space=\"preserve\">\
         {pieces}</text>\n"
    )
}

fn picture(printed: &str) -> String {
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    let rows = f64::from(u32::try_from(lines.len()).unwrap());
    let width = LETTER * f64::from(COLUMNS) + 2.0 * MARGIN;
    let height = LINE * rows + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"A terminal: eqlearn asks \
         for the target of drag.csv, and then finds its law\">\n<style>\n{STYLE}\n</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1e2127\"/>\n"
    );
    let mut y = MARGIN + 0.75 * LINE;
    for line in lines {
        if !line.is_empty() {
            svg += &drawn(line, y);
        }
        y += LINE;
    }
    svg + "</svg>\n"
}

#[test]
fn the_picture_of_a_terminal_shows_what_is_said() {
    let path = root().join("book/src/terminal.svg");
    let now = picture(&printed());
    if std::env::var_os("EQLEARN_BOOK").is_some_and(|value| value == "refresh") {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == now,
        "the picture shows something else; EQLEARN_BOOK=refresh draws what is said now"
    );
}
