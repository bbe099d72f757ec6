//! How a page looks at this terminal: colours, width, and how much is told.

use std::io::IsTerminal as _;

use terminal_size::terminal_size;

use crate::args::Color;

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
        let columns = std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
            .or_else(|| terminal_size().map(|(width, _)| usize::from(width.0)));
        Self {
            colours,
            verbose,
            width: columns.unwrap_or(100).max(60),
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
