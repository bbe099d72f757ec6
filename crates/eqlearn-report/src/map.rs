//! The map of terms and models: a row per term, a column per model, to be pointed at and pinned.

use std::fmt::Write as _;

use eqlearn::terms::term::escape_xml as escape;

use crate::board::Board;

const CELL: f64 = 15.0;
const TOP: f64 = 22.0;

/// The map; columns are radio buttons, so that a keyboard and a screen reader can choose one.
pub(crate) fn term_map(board: &Board, slanted: bool) -> Option<String> {
    let rows = &board.terms[..board.n_rows];
    if rows.is_empty() {
        return None;
    }
    let longest = rows.iter().map(|term| term.text.chars().count()).max()?;
    let left = 12.0 + 7.5 * longest.clamp(4, 24) as f64;
    let top = if slanted { 86.0 } else { TOP };
    let height = top + CELL * rows.len() as f64 + 4.0;
    let mut columns = String::new();
    let mut at = left;
    let mut group = None;
    for (m, model) in board.models.iter().enumerate() {
        if group != Some(&model.group) {
            at += if group.is_none() || slanted { 0.0 } else { 7.0 };
            let name = escape(&model.group);
            let (x, y) = (at + 0.5 * CELL, top - 8.0);
            let _ = if slanted {
                write!(
                    columns,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" transform=\"rotate(-50 {x:.1} \
                     {y:.1})\">{name}</text>"
                )
            } else {
                write!(columns, "<text x=\"{at:.1}\" y=\"{y:.1}\">{name}</text>")
            };
            group = Some(&model.group);
        }
        write_column(&mut columns, board, m, (at, top));
        at += CELL;
    }
    let width = at + if slanted { 60.0 } else { 10.0 };
    let mut names = String::new();
    for (row, term) in rows.iter().enumerate() {
        let shown: String = term.text.chars().take(24).collect();
        let y = top + CELL * row as f64;
        let _ = write!(
            names,
            "<line class=\"grid\" x1=\"{left:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            y + CELL,
            y + CELL,
            left - 6.0,
            y + 11.5,
            escape(&shown)
        );
    }
    let target = escape(&board.target);
    Some(format!(
        "<svg class=\"map\" viewBox=\"0 0 {width:.0} {height:.0}\" style=\"min-width: {:.0}px; \
         max-width: {:.0}px\" \
         role=\"radiogroup\" aria-label=\"Models of {target}: choose one to look \
         at\">{names}{columns}</svg>",
        0.8 * width,
        1.4 * width
    ))
}

/// The column of one model, with its upper left corner here.
fn write_column(columns: &mut String, board: &Board, m: usize, (at, top): (f64, f64)) {
    let model = &board.models[m];
    let is_answer = board.answer == Some(m);
    let terms: Vec<&str> = model
        .terms
        .iter()
        .map(|&t| board.terms[t].text.as_str())
        .collect();
    let _ = write!(
        columns,
        "<g class=\"model{}\" role=\"radio\" aria-checked=\"{is_answer}\" tabindex=\"{}\" \
         data-model=\"{m}\" aria-label=\"{}: {}\">\
         <rect class=\"column\" x=\"{:.1}\" y=\"{:.1}\" width=\"{CELL}\" height=\"{:.1}\" \
         rx=\"3\"/>",
        if is_answer { " answer" } else { "" },
        if is_answer || (board.answer.is_none() && m == 0) {
            0
        } else {
            -1
        },
        escape(&model.name),
        escape(&if terms.is_empty() {
            "no terms".to_string()
        } else {
            terms.join(" + ")
        }),
        at,
        top - 2.0,
        CELL * board.n_rows as f64 + 4.0
    );
    for &term in model.terms.iter().filter(|&&term| term < board.n_rows) {
        let _ = write!(
            columns,
            "<rect class=\"in\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             rx=\"2\"/>",
            at + 1.5,
            top + 1.5 + CELL * term as f64,
            CELL - 3.0,
            CELL - 3.0
        );
    }
    columns.push_str("</g>");
}
