//! The page: from the verdict and the answer to how it was found.

mod answer;
mod field;
mod groups;
mod methods;
mod models;
mod record;

use std::fmt::{self, Write as _};

use eqlearn::error::counted;
use eqlearn::tell::compare::Comparison;
use eqlearn::tell::document::Document;
use eqlearn::terms::term::escape_xml as escape;
use serde_json::{Value, json};

use crate::board::Board;
use crate::motion::Motion;
use crate::pictures::Pictures;
use crate::symbols::Symbols;

/// Where a result came from.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The name of the data.
    pub data: &'a str,
    /// How its quantities are written.
    pub symbols: &'a Symbols,
    /// What to type to make the page again.
    pub command: &'a str,
    /// All settings, those by default too.
    pub settings: &'a Value,
}

/// The page of a result: its document, a board for each target and, for a system, its motion.
pub fn html(
    document: &Document,
    boards: &[Board],
    motion: Option<&Motion>,
    about: &About<'_>,
) -> String {
    let headline = answer::headline(document);
    let mut page = Page::new(&headline, about.data);
    let along = motion.map_or(Along::Nothing, Along::Motion);
    let written = page.result(document, boards, along, about);
    written.expect("writing to a string cannot fail");
    page.end(boards, motion, about)
}

/// The page of a field: its document, a board for each quantity and its pictures.
pub fn field_html(
    document: &Document,
    boards: &[Board],
    pictures: &Pictures,
    about: &About<'_>,
) -> String {
    let headline = answer::headline(document);
    let mut page = Page::new(&headline, about.data);
    let written = page.result(document, boards, Along::Field(pictures), about);
    written.expect("writing to a string cannot fail");
    page.end(boards, None, about)
}

/// What stands between the answer and the models.
#[derive(Clone, Copy)]
enum Along<'a> {
    Nothing,
    Motion(&'a Motion),
    Field(&'a Pictures),
}

/// The page of a comparison: methods side by side for each target.
pub fn comparison_html(comparisons: &[Comparison], about: &About<'_>) -> String {
    let board = |comparison| Board::of_comparison(comparison, about.symbols);
    let boards: Vec<Board> = comparisons.iter().map(board).collect();
    let mut page = Page::new("Methods compared", about.data);
    for (place, (comparison, board)) in comparisons.iter().zip(&boards).enumerate() {
        page.comparison(comparison, board, place)
            .expect("writing to a string cannot fail");
    }
    let made = comparisons.first().map_or(String::new(), |first| {
        let (rows, terms) = (counted(first.n_obs, "row"), counted(first.n_terms, "term"));
        format!("{rows}, {terms}")
    });
    page.how_made(&made, about)
        .expect("writing to a string cannot fail");
    page.end(&boards, None, about)
}

/// What the page's script is made of, in the order in which the parts need each other.
const SCRIPT: [&str; 5] = [
    include_str!("script/draw.js"),
    include_str!("script/figures.js"),
    include_str!("script/models.js"),
    include_str!("script/motion.js"),
    include_str!("script/start.js"),
];

struct Page {
    text: String,
}

impl Page {
    fn new(headline: &str, data: &str) -> Self {
        let (headline, data) = (escape(headline), escape(data));
        let style = include_str!("style.css");
        let text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{headline}: {data}</title>\n\
             <style>\n{style}</style>\n</head>\n<body>\n<main>\n<p class=\"source\">{data}</p>\n\
             <h1>{headline}</h1>\n"
        );
        Self { text }
    }

    /// Closes the page, with the numbers that its script draws.
    fn end(mut self, boards: &[Board], motion: Option<&Motion>, about: &About<'_>) -> String {
        let numbers = json!({ "file": stem(about.data), "boards": boards, "motion": motion });
        // Nothing in the data may end the script that holds them.
        let numbers = numbers.to_string().replace('<', "\\u003c");
        let script = SCRIPT.concat();
        let _ = write!(
            self.text,
            "</main>\n<script type=\"application/json\" id=\"numbers\">{numbers}</script>\n\
             <script>\n\"use strict\";\n{script}</script>\n</body>\n</html>\n"
        );
        self.text
    }

    fn result(
        &mut self,
        document: &Document,
        boards: &[Board],
        along: Along<'_>,
        about: &About<'_>,
    ) -> fmt::Result {
        self.answer(document, about)?;
        if let Some(groups) = &document.groups {
            self.groups(groups, about)?;
        }
        match along {
            Along::Nothing => {}
            Along::Motion(motion) => self.motion(motion, document)?,
            Along::Field(pictures) => self.field(pictures, document, about)?,
        }
        for (place, board) in boards.iter().enumerate() {
            self.board(board, place, boards.len(), about)?;
        }
        self.searched(document, about)?;
        if let (Some(discovery), Along::Motion(motion)) = (document.motion(), along) {
            self.record(discovery, motion)?;
        }
        if let Some(field) = document.of_field() {
            self.about_field(field)?;
        }
        let made = format!(
            "{}, {}, method {}",
            counted(document.n_obs, "row"),
            counted(document.n_terms, "term"),
            document.method
        );
        self.how_made(&made, about)
    }

    fn warnings<'a>(&mut self, messages: impl Iterator<Item = &'a str>) -> fmt::Result {
        for (place, message) in messages.enumerate() {
            if place == 0 {
                self.text.push_str("<h2>What to keep in mind</h2>\n");
            }
            writeln!(self.text, "<p class=\"warning\">{}</p>", escape(message))?;
        }
        Ok(())
    }

    fn how_made(&mut self, made: &str, about: &About<'_>) -> fmt::Result {
        let settings =
            serde_json::to_string_pretty(about.settings).expect("settings are plain data");
        writeln!(
            self.text,
            "<section class=\"together\">\n<h2>How it was made</h2>\n<p class=\"soft\">{}, eqlearn \
             {}. To make it again:</p>\n<pre tabindex=\"0\">{}</pre>\n</section>\n\
             <details><summary>All settings</summary><pre tabindex=\"0\">{}</pre></details>",
            escape(made),
            env!("CARGO_PKG_VERSION"),
            escape(about.command),
            escape(&settings)
        )
    }

    /// Opens a table that scrolls where it is too wide.
    fn open_table(&mut self, name: &str, head: &[&str]) -> fmt::Result {
        let name = escape(name);
        write!(
            self.text,
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" \
             aria-label=\"{name}\"><table><thead><tr>"
        )?;
        for column in head {
            write!(self.text, "<th scope=\"col\">{column}")?;
        }
        self.text.push_str("</tr></thead><tbody>\n");
        Ok(())
    }

    fn close_table(&mut self) {
        self.text.push_str("</tbody></table></div>\n");
    }
}

/// A bar of a share between 0 and 1.
fn bar(share: f64) -> String {
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" aria-hidden=\"true\"><rect class=\"track\" \
         width=\"100\" height=\"10\"/>\
         <rect class=\"fill\" width=\"{:.1}\" height=\"10\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

/// What downloaded files are named after.
fn stem(data: &str) -> String {
    let first = data.split(", ").next().unwrap_or(data);
    let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
    let stem = name.split('.').next().unwrap_or(name);
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    stem.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn files_are_named_after_the_data() {
        assert_eq!(stem("runs/lynx and hare.csv.gz"), "lynx-and-hare");
        assert_eq!(stem("a.csv, b.csv"), "a");
    }
}
