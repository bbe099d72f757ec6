//! The coefficients of several experiments, and which of them differ.

use std::fmt::{self, Write as _};

use eqlearn::tell::document::{GroupTerm, GroupsReport};
use eqlearn::with_error;

use super::Look;
use super::fold::{numbers, sentence};

/// Experiments in the table at most, unless more is asked for.
const MOST: usize = 24;

/// The table of coefficients, one line for each experiment, and what is said about them.
pub(super) fn write_groups(text: &mut String, report: &GroupsReport, look: Look) -> fmt::Result {
    let value = |term: &GroupTerm, group: usize| match term.coefficients[group] {
        Some(value) => with_error(value, term.std_errors[group]),
        None => "–".into(),
    };
    let name = |term: &GroupTerm| match &term.symbol {
        Some(symbol) => {
            let short = symbol.split('[').next().unwrap_or_default();
            format!("{short}: {}", look.term(&term.term))
        }
        None => look.term(&term.term),
    };
    let (free, shared): (Vec<&GroupTerm>, Vec<&GroupTerm>) =
        report.terms.iter().partition(|term| term.symbol.is_some());
    if !free.is_empty() {
        let names: Vec<String> = free.iter().map(|term| name(term)).collect();
        let mut header = vec![report.column.as_str(), "rows"];
        header.extend(names.iter().map(String::as_str));
        let row = |group: usize| {
            let own = [report.names[group].clone(), report.n_obs[group].to_string()];
            let values = free.iter().map(|term| value(term, group));
            own.into_iter().chain(values).collect()
        };
        let most = if look.verbose { usize::MAX } else { MOST };
        let rows: Vec<Vec<String>> = (0..report.names.len()).take(most).map(row).collect();
        numbers(text, &header, &rows, look)?;
        if report.names.len() > rows.len() {
            let more = report.names.len() - rows.len();
            writeln!(text, "  and {more} more, with --verbose or in --json")?;
        }
    }
    if !shared.is_empty() {
        if !free.is_empty() {
            text.push('\n');
        }
        let rows: Vec<Vec<String>> = shared
            .iter()
            .map(|term| vec![name(term), value(term, 0)])
            .collect();
        numbers(text, &["in all", "coefficient"], &rows, look)?;
    }
    if !report.said.is_empty() {
        text.push('\n');
    }
    for said in &report.said {
        text.push_str(&sentence(&look.term(said), "  ", look));
    }
    Ok(())
}
