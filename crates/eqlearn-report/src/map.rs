//! The map of terms and models: a row per term, a column per model, to be pointed at and pinned.
//!
//! It is a grid of the page, not a picture: names of terms stay readable on a telephone, where the
//! models scroll below them.

use std::fmt::Write as _;

use eqlearn::terms::term::escape_xml as escape;

use crate::board::Board;

/// What stands above the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heads {
    /// A number above the first column of each group.
    Sizes,
    /// A name above each column.
    Names,
}

/// The map; columns are radio buttons, so that a keyboard and a screen reader can choose one.
pub(crate) fn term_map(board: &Board, heads: Heads) -> Option<String> {
    let rows = &board.terms[..board.n_rows];
    if rows.is_empty() {
        return None;
    }
    let mut labels = String::new();
    for (row, term) in rows.iter().enumerate() {
        // The first line of the grid is that of the heads.
        let line = row + 2;
        let _ = write!(
            labels,
            "<span class=\"label\" aria-hidden=\"true\" title=\"{}\" style=\"grid-row:{line}\">\
             <math>{}</math></span><span class=\"rule\" style=\"grid-row:{line}\"></span>",
            escape(&term.text),
            term.math
        );
    }
    let mut columns = String::new();
    let mut group = None;
    for (m, model) in board.models.iter().enumerate() {
        let is_first = group != Some(&model.group);
        group = Some(&model.group);
        write_column(&mut columns, board, m, is_first);
    }
    let kind = match heads {
        Heads::Sizes => "sizes",
        Heads::Names => "names",
    };
    let target = escape(&board.target);
    Some(format!(
        "<div class=\"map {kind}\" role=\"radiogroup\" aria-label=\"Models of {target}: choose one \
         to look at\" style=\"--rows:{};--models:{}\">{labels}{columns}</div>",
        rows.len(),
        board.models.len()
    ))
}

/// The column of one model.
fn write_column(columns: &mut String, board: &Board, m: usize, is_first: bool) {
    let model = &board.models[m];
    let is_answer = board.answer == Some(m);
    let terms = model.terms.iter().map(|&t| board.terms[t].text.as_str());
    let terms: Vec<&str> = terms.collect();
    let in_words = if terms.is_empty() {
        "no terms".to_string()
    } else {
        terms.join(" + ")
    };
    let is_start = is_answer || (board.answer.is_none() && m == 0);
    let _ = write!(
        columns,
        "<div class=\"model{}{}\" role=\"radio\" aria-checked=\"{is_answer}\" tabindex=\"{}\" \
         data-model=\"{m}\" style=\"grid-column:{}\" aria-label=\"{}: {}\">",
        if is_answer { " answer" } else { "" },
        if is_first { " first" } else { "" },
        if is_start { 0 } else { -1 },
        m + 2,
        escape(&model.name),
        escape(&in_words),
    );
    if is_first {
        let _ = write!(columns, "<b>{}</b>", escape(&model.group));
    }
    for &term in model.terms.iter().filter(|&&term| term < board.n_rows) {
        let _ = write!(columns, "<i style=\"grid-row:{}\"></i>", term + 2);
    }
    columns.push_str("</div>");
}
