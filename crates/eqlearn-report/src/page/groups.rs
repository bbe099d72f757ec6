//! One law for several experiments: the coefficients of each, drawn and listed.

use std::fmt::{self, Write as _};

use eqlearn::tell::document::{GroupTerm, GroupsReport};
use eqlearn::terms::term::escape_xml as escape;
use eqlearn::with_error;

use super::answer::in_line;
use super::{About, Page};
use crate::math::coefficient_symbol;
use crate::number::{full, on_demand, typeset};

/// Experiments in a chart at most.
const MOST: usize = 60;

/// Sizes of a chart: the room for names, for values, and the height of a line.
const NAMES: f64 = 150.0;
const VALUES: f64 = 330.0;
const LINE: f64 = 17.0;

impl Page {
    pub(super) fn groups(&mut self, report: &GroupsReport, about: &About<'_>) -> fmt::Result {
        let column = about.symbols.of(&report.column);
        let free: Vec<&GroupTerm> = (report.terms.iter())
            .filter(|term| term.symbol.is_some())
            .collect();
        writeln!(
            self.text,
            "<section class=\"together\">\n<h2>What differs between values of \
             <math>{column}</math></h2>"
        )?;
        for said in &report.said {
            writeln!(self.text, "<p>{}.</p>", escape(said))?;
        }
        self.text.push_str("</section>\n");
        if free.is_empty() {
            return Ok(());
        }
        if report.names.len() <= MOST {
            self.text.push_str("<div class=\"figures\">\n");
            for term in &free {
                self.values(report, term, about)?;
            }
            self.text.push_str("</div>\n");
        }
        let name = |term: &&GroupTerm| heading(term, &column, about);
        let names: Vec<String> = free.iter().map(name).collect();
        let column = format!("<math>{column}</math>");
        let mut head = vec![column.as_str(), "rows"];
        head.extend(names.iter().map(String::as_str));
        self.open_table(&format!("Coefficients by {}", report.column), &head)?;
        for (group, name) in report.names.iter().enumerate() {
            let rows = report.n_obs[group];
            write!(
                self.text,
                "<tr><td>{}<td class=\"number\">{rows}",
                escape(name)
            )?;
            for term in &free {
                write!(self.text, "<td class=\"number\">{}", value(term, group))?;
            }
            self.text.push_str("</tr>\n");
        }
        self.close_table();
        Ok(())
    }

    /// The coefficient of one term in each experiment, with error bars of two standard errors.
    fn values(
        &mut self,
        report: &GroupsReport,
        term: &GroupTerm,
        about: &About<'_>,
    ) -> fmt::Result {
        let known = (0..report.names.len()).filter_map(|group| {
            let value = term.coefficients[group]?;
            let error = term.std_errors[group].unwrap_or(0.0);
            (value.is_finite() && error.is_finite()).then_some((group, value, 2.0 * error))
        });
        let known: Vec<(usize, f64, f64)> = known.collect();
        let ends = |sign: f64| {
            known
                .iter()
                .map(move |(_, value, error)| value + sign * error)
        };
        let low = ends(-1.0).fold(f64::INFINITY, f64::min);
        let high = ends(1.0).fold(f64::NEG_INFINITY, f64::max);
        let span = high - low;
        if span.is_nan() || span <= 0.0 {
            return Ok(());
        }
        let x = |value: f64| NAMES + 10.0 + VALUES * (value - low) / span;
        let height = LINE * (report.names.len() as f64 + 1.5);
        let column = about.symbols.of(&report.column);
        writeln!(
            self.text,
            "<figure><figcaption><span>{}</span></figcaption>\n<svg class=\"chart\" \
             viewBox=\"0 0 {:.0} {height:.0}\" role=\"img\" \
             aria-label=\"Coefficients of {} by {}\">",
            heading(term, &column, about),
            NAMES + VALUES + 20.0,
            escape(&term.term),
            escape(&report.column)
        )?;
        for (group, value, error) in &known {
            let y = LINE * (*group as f64 + 0.8);
            writeln!(
                self.text,
                "<text x=\"{NAMES:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><line \
                 class=\"grid\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><line \
                 class=\"line\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><circle \
                 class=\"dot on\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3\"/>",
                y + 4.0,
                escape(&shortened(&report.names[*group])),
                x(low),
                x(high),
                x(value - error),
                x(value + error),
                x(*value)
            )?;
        }
        let y = height - 4.0;
        for (value, anchor) in [(low, "start"), (high, "end")] {
            let text = typeset(&with_error(value, Some(0.02 * span)));
            let text = text.split('(').next().unwrap_or_default().to_string();
            let at = x(value);
            writeln!(
                self.text,
                "<text x=\"{at:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            )?;
        }
        self.text.push_str("</svg></figure>\n");
        Ok(())
    }
}

/// The symbol of a coefficient and its term.
fn heading(term: &GroupTerm, column: &str, about: &About<'_>) -> String {
    let symbol = term.symbol.as_deref().unwrap_or_default();
    let number: String = symbol.chars().filter(char::is_ascii_digit).collect();
    let symbol = coefficient_symbol(&number, column);
    let of = match term.term.as_str() {
        "1" => "the constant".to_string(),
        term => in_line(term, about.symbols),
    };
    format!("<math>{symbol}</math>, {of}")
}

/// A coefficient with its error, all digits on demand.
fn value(term: &GroupTerm, group: usize) -> String {
    let Some(value) = term.coefficients[group] else {
        return "–".into();
    };
    let error = term.std_errors[group];
    let long = error.map_or_else(|| full(value), |e| format!("{} ± {}", full(value), full(e)));
    on_demand(&typeset(&with_error(value, error)), &long)
}

/// A name that fits beside a chart.
fn shortened(name: &str) -> String {
    const LETTERS: usize = 22;
    if name.chars().count() <= LETTERS {
        return name.to_string();
    }
    let start: String = name.chars().take(LETTERS - 1).collect();
    format!("{start}…")
}
