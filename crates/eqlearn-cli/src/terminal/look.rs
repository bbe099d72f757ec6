//! How a page looks at this terminal: colours, width, and how much is told.

use std::io::IsTerminal as _;

use terminal_size::terminal_size;

use super::fold::{short, three};
use crate::args::Color;

/// Characters per line where there is no window.
const USUAL: usize = 100;

/// A window that is narrower folds lines itself.
const NARROWEST: usize = 60;

/// The width that the environment asks for.
pub(super) fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// How much a page shows.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) colours: bool,
    pub(crate) verbose: bool,
    /// Characters per line.
    pub(crate) width: usize,
}

impl Look {
    pub(crate) fn new(color: Color, verbose: bool) -> Self {
        let colours = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        let own = || terminal_size().map(|(width, _)| usize::from(width.0));
        let width = columns().or_else(own).unwrap_or(USUAL);
        Self {
            colours,
            verbose,
            width: width.max(NARROWEST),
        }
    }

    /// No colours and no more than is needed.
    pub(super) fn plain(width: usize) -> Self {
        Self {
            colours: false,
            verbose: false,
            width: width.max(NARROWEST),
        }
    }

    /// A number: three digits, or all.
    pub(super) fn number(self, x: f64) -> String {
        if !self.verbose {
            three(x)
        } else if (1e-3..1e6).contains(&x.abs()) {
            x.to_string()
        } else {
            format!("{x:e}")
        }
    }

    /// Terms, or words about them: with short numbers, or all digits.
    pub(super) fn term(self, text: &str) -> String {
        if self.verbose {
            text.to_string()
        } else {
            short(text)
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What a warning starts with.
    pub(crate) fn mark(self) -> String {
        self.paint("33", "!")
    }
}
