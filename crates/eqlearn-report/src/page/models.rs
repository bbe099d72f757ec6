//! The other models: the map, the charts beside it, and what was searched.

use std::fmt::{self, Write as _};

use eqlearn::LeftSide;
use eqlearn::error::counted;
use eqlearn::tell::document::{Document, SizeReport, TriedVocabulary};
use eqlearn::terms::term::escape_xml as escape;

use super::answer::{in_line, nowrap};
use super::{About, Page, bar};
use crate::board::Board;
use crate::map::{Heads, term_map};
use crate::number::{explained, full, on_demand, probability, rounded, typeset};

/// Terms in the table of probabilities at most.
const MOST: usize = 12;

impl Page {
    /// The map, and what it says about the model that is pointed at.
    pub(super) fn board(
        &mut self,
        board: &Board,
        place: usize,
        n_boards: usize,
        about: &About<'_>,
    ) -> fmt::Result {
        let Some(map) = term_map(board, Heads::Sizes) else {
            return Ok(());
        };
        let of = if n_boards > 1 {
            format!(" of <math>{}</math>", board.left)
        } else {
            String::new()
        };
        let answer = match board.answer {
            Some(_) => "; orange is the answer",
            None => "",
        };
        writeln!(
            self.text,
            "<section class=\"board\" data-board=\"{place}\">\n<h2>The best models{of}, by number \
             of terms</h2>\n<p class=\"soft\">A column is a model, best first within its \
             size{answer}. Point at one to see it, click to pin it; with a keyboard: arrows, \
             Enter, Escape.</p>"
        )?;
        self.beside(&map);
        self.text
            .push_str("<div class=\"figures\" data-charts></div>\n");
        if !board.inclusion.is_empty() {
            writeln!(
                self.text,
                "<div class=\"together\"><h3>Does a term belong in the equation{of}?</h3>"
            )?;
            let name = format!("Inclusion probabilities of {}", board.target);
            self.open_table(&name, &["term", "probability"])?;
            for (term, share) in board.inclusion.iter().take(MOST) {
                writeln!(
                    self.text,
                    "<tr><td>{}<td class=\"number\">{} {}</tr>",
                    in_line(term, about.symbols),
                    bar(*share),
                    on_demand(&probability(*share), &full(*share))
                )?;
            }
            self.close_table();
            self.text.push_str("</div>\n");
        }
        self.text.push_str("</section>\n");
        Ok(())
    }

    /// A map, with the place beside it where the script shows the model that is pointed at.
    pub(super) fn beside(&mut self, map: &str) {
        let _ = writeln!(
            self.text,
            "<div class=\"beside\">\n<div class=\"wide\">{map}</div>\n<div class=\"details\" \
             role=\"region\" tabindex=\"0\" aria-live=\"polite\" aria-label=\"The model that is \
             pointed at\"><noscript>Scripts are off, so single models cannot be shown.</noscript>\
             </div>\n</div>"
        );
    }

    /// What was searched, and what was tried beyond the dictionary.
    pub(super) fn searched(&mut self, document: &Document, about: &About<'_>) -> fmt::Result {
        if let Some(search) = &document.search {
            self.sizes(None, &search.sizes, about)?;
        }
        for lists in document.lists() {
            let left = LeftSide::Flow {
                state: lists.state.clone(),
            };
            let symbol = match document.of_field() {
                Some(_) => about.symbols.of(&lists.state),
                None => about.symbols.left(&left),
            };
            self.sizes(Some((&lists.state, &symbol)), &lists.sizes, about)?;
        }
        self.vocabularies(&document.vocabularies)
    }

    fn sizes(
        &mut self,
        state: Option<(&str, &str)>,
        sizes: &[SizeReport],
        about: &About<'_>,
    ) -> fmt::Result {
        let symbol = state.map(|(_, symbol)| format!(" for <math>{symbol}</math>"));
        let of = state.map_or(String::new(), |(state, _)| format!(" for {state}"));
        writeln!(
            self.text,
            "<div class=\"together\"><h2>What was searched{}</h2>",
            symbol.unwrap_or_default()
        )?;
        let head = [
            "terms",
            "best of this size",
            "explains",
            "subsets",
            "proven",
        ];
        self.open_table(&format!("Best model of each size{of}"), &head)?;
        for size in sizes {
            let Some(best) = size.best.first() else {
                continue;
            };
            let terms: Vec<String> = best
                .terms
                .iter()
                .map(|t| in_line(t, about.symbols))
                .collect();
            let left = best.one_minus_r2;
            let own = size.coefficients.map_or(String::new(), |count| {
                format!(" with {}", counted(count, "coefficient"))
            });
            let subsets = if size.subsets < 10_000_000 {
                size.subsets.to_string()
            } else {
                on_demand(&rounded(size.subsets as f64, 2), &size.subsets.to_string())
            };
            writeln!(
                self.text,
                "<tr><td class=\"number\">{}{own}<td>{}<td class=\"number\">{}<td \
                 class=\"number\">{subsets}<td>{}</tr>",
                size.size,
                nowrap(&terms),
                on_demand(&explained(left), &format!("1 − R² = {}", full(left))),
                if size.exact { "yes" } else { "not finished" }
            )?;
        }
        self.close_table();
        self.text.push_str("</div>\n");
        Ok(())
    }

    fn vocabularies(&mut self, tried: &[TriedVocabulary]) -> fmt::Result {
        if tried.is_empty() {
            return Ok(());
        }
        self.text
            .push_str("<div class=\"together\"><h2>Beyond the dictionary</h2>\n");
        let head = ["vocabulary", "terms", "log odds", "misfit", "best equation"];
        self.open_table("Vocabularies that were tried", &head)?;
        for one in tried {
            let misfit = one.misfit.map_or("–".into(), |m| {
                on_demand(&probability(m.probability), &full(m.probability))
            });
            writeln!(
                self.text,
                "<tr><td>{}<td class=\"number\">{}<td class=\"number\">{}<td \
                 class=\"number\">{misfit}<td>{}</tr>",
                one.vocabulary.word(),
                one.n_terms,
                on_demand(
                    &typeset(&format!("{:.1}", one.log_odds)),
                    &full(one.log_odds)
                ),
                folded(&one.equation)
            )?;
        }
        self.close_table();
        self.text.push_str("</div>\n");
        Ok(())
    }
}

/// Letters of an equation that is not folded at most.
const LONG: usize = 60;

/// An equation as text; a long one opens on demand.
pub(super) fn folded(equation: &str) -> String {
    if equation.chars().count() <= LONG {
        return format!("<code>{}</code>", escape(equation));
    }
    let start: String = equation.chars().take(LONG - 1).collect();
    format!(
        "<details class=\"fold\"><summary><code>{}…</code></summary><code>{}</code></details>",
        escape(start.trim_end()),
        escape(equation)
    )
}
