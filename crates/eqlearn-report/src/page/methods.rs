//! The page of a comparison: who uses which term, and what each method found.

use std::fmt::{self, Write as _};

use eqlearn::tell::compare::{Comparison, MethodReport};
use eqlearn::tell::warning::Warning;
use eqlearn::terms::term::escape_xml as escape;

use super::Page;
use super::models::folded;
use crate::board::Board;
use crate::map::{Heads, term_map};
use crate::number::{explained, full, on_demand, rounded, typeset};

impl Page {
    pub(super) fn comparison(
        &mut self,
        comparison: &Comparison,
        board: &Board,
        place: usize,
    ) -> fmt::Result {
        writeln!(
            self.text,
            "<section class=\"board\" data-board=\"{place}\">\n<h2><math>{}</math></h2>",
            board.left
        )?;
        if let Some(map) = term_map(board, Heads::Names) {
            self.text.push_str(
                "<p class=\"soft\">A column is a method. Point at one to see its equation, click \
                 to pin it; with a keyboard: arrows, Enter, Escape.</p>\n",
            );
            self.beside(&map);
        }
        let head = [
            "method",
            "terms",
            "explains",
            "log evidence",
            "error on held-out rows",
            "seconds",
            "equation",
        ];
        self.open_table(&format!("Methods for {}", comparison.target), &head)?;
        for report in &comparison.methods {
            self.method(report)?;
        }
        self.close_table();
        let warnings = comparison.methods.iter().flat_map(|report| {
            let one = |w: &Warning| format!("{}: {}", report.method, w.message);
            report.warnings.iter().map(one)
        });
        let warnings: Vec<String> = warnings.collect();
        self.warnings(warnings.iter().map(String::as_str))?;
        self.text.push_str("</section>\n");
        Ok(())
    }

    fn method(&mut self, report: &MethodReport) -> fmt::Result {
        let or_dash =
            |value: Option<f64>, show: &dyn Fn(f64) -> String| value.map_or("–".to_string(), show);
        let found = match (&report.failure, &report.equation) {
            (Some(failure), _) => escape(failure),
            (None, Some(equation)) => folded(equation),
            (None, None) => "no equation".into(),
        };
        writeln!(
            self.text,
            "<tr><td class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{}<td \
             class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{:.3}<td>{found}</tr>",
            escape(&report.method),
            report.size.map_or("–".to_string(), |size| size.to_string()),
            or_dash(report.one_minus_r2, &|v| {
                on_demand(&explained(v), &format!("1 − R² = {}", full(v)))
            }),
            or_dash(report.log_evidence, &|v| {
                on_demand(&typeset(&format!("{v:.1}")), &full(v))
            }),
            or_dash(report.cv_error, &|v| on_demand(&rounded(v, 3), &full(v))),
            report.seconds,
        )
    }
}
