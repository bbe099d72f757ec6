//! Pictures as inline SVG. Colours come from the page's style, so that they follow its light and dark scheme.

use std::fmt::Write as _;

use eqlearn::document::{Equation, SearchReport};

use crate::escape;

const WIDTH: f64 = 640.0;

/// Residual of the best model of each size on a logarithmic scale, the chosen size marked.
pub(crate) fn sizes(search: &SearchReport, chosen: Option<usize>) -> Option<String> {
    const HEIGHT: f64 = 260.0;
    const LEFT: f64 = 70.0;
    const BOTTOM: f64 = 40.0;
    let points: Vec<(usize, f64)> = search
        .sizes
        .iter()
        .filter_map(|size| Some((size.size, size.best.first()?.one_minus_r2)))
        .filter(|point| point.1 > 0.0)
        .collect();
    let (first, last) = (points.first()?, points.last()?);
    let least = points.iter().map(|p| p.1).fold(1.0, f64::min);
    let decades = (1..320).find(|&d| 10_f64.powi(-d) <= least)?;
    let x = |size: usize| {
        let span = (last.0 - first.0).max(1) as f64;
        LEFT + (size - first.0) as f64 / span * (WIDTH - LEFT - 20.0)
    };
    let y = |value: f64| {
        let share = -value.log10() / f64::from(decades);
        10.0 + share * (HEIGHT - BOTTOM - 10.0)
    };
    let mut svg = open(
        HEIGHT,
        "Unexplained share of the variance of the best equation of each size",
    );
    for decade in (0..=decades).filter(|d| d % (decades / 6).max(1) == 0) {
        let at = y(10_f64.powi(-decade));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">−{decade}</tspan></text>",
            WIDTH - 20.0,
            LEFT - 8.0,
            at + 4.0
        );
    }
    let line: Vec<String> = points
        .iter()
        .map(|&(size, value)| format!("{:.1},{:.1}", x(size), y(value)))
        .collect();
    let _ = write!(
        svg,
        "<polyline class=\"line\" points=\"{}\"/>",
        line.join(" ")
    );
    for &(size, value) in &points {
        let class = if Some(size) == chosen {
            "dot chosen"
        } else {
            "dot"
        };
        let _ = write!(
            svg,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>{size} terms: 1 − R² = {value:e}</title></circle>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{size}</text>",
            x(size),
            y(value),
            x(size),
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">terms</text></svg>",
        f64::midpoint(LEFT, WIDTH - 20.0),
        HEIGHT - 4.0
    );
    Some(svg)
}

/// Which terms the best models of each size have: a row per term, a column per model.
pub(crate) fn term_map(search: &SearchReport, answer: Option<&Equation>) -> Option<String> {
    const MODELS: usize = 6;
    const CELL: f64 = 13.0;
    let models: Vec<(usize, usize, &eqlearn::document::ListedModel)> = search
        .sizes
        .iter()
        .flat_map(|size| {
            let best = size.best.iter().take(MODELS).enumerate();
            best.map(|(rank, model)| (size.size, rank, model))
        })
        .collect();
    let mut terms: Vec<(&str, usize)> = Vec::new();
    for term in models.iter().flat_map(|m| &m.2.terms) {
        match terms.iter_mut().find(|known| known.0 == term) {
            Some(known) => known.1 += 1,
            None => terms.push((term, 1)),
        }
    }
    terms.sort_by_key(|term| std::cmp::Reverse(term.1));
    terms.truncate(30);
    if terms.is_empty() {
        return None;
    }
    let longest = terms.iter().map(|t| t.0.chars().count()).max()?;
    let left = 12.0 + 7.5 * longest.clamp(4, 24) as f64;
    let height = 26.0 + CELL * terms.len() as f64;
    let mut svg = open(height, "Terms of the best equations of each size");
    let mut at = left;
    let mut last_size = 0;
    for (size, rank, model) in models {
        if size != last_size {
            at += if last_size == 0 { 0.0 } else { 6.0 };
            let _ = write!(svg, "<text x=\"{:.1}\" y=\"14\">{size}</text>", at + 1.0);
            last_size = size;
        }
        let is_answer = answer.is_some_and(|answer| {
            answer.terms.len() == model.terms.len()
                && answer
                    .terms
                    .iter()
                    .all(|entry| model.terms.contains(&entry.term))
        });
        for (row, (term, _)) in terms.iter().enumerate() {
            let inside = model.terms.iter().any(|t| t == term);
            let class = match (inside, is_answer) {
                (true, true) => "cell chosen",
                (true, false) => "cell in",
                (false, _) => "cell",
            };
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{at:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>size {size}, place {}: {} (1 − R² = {:e})</title></rect>",
                22.0 + CELL * row as f64,
                CELL - 2.0,
                CELL - 2.0,
                rank + 1,
                escape(&model.terms.join(" + ")),
                model.one_minus_r2
            );
        }
        at += CELL;
    }
    for (row, (term, _)) in terms.iter().enumerate() {
        let shown: String = term.chars().take(24).collect();
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            32.0 + CELL * row as f64,
            escape(&shown)
        );
    }
    Some(
        svg.replace(
            "viewBox=\"0 0 640",
            &format!("viewBox=\"0 0 {:.0}", at.max(WIDTH)),
        ) + "</svg>",
    )
}

/// A bar of a share between 0 and 1.
pub(crate) fn bar(share: f64) -> String {
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" role=\"img\" aria-label=\"{share:.3}\"><rect class=\"track\" width=\"100\" height=\"10\"/>\
         <rect class=\"fill\" width=\"{:.1}\" height=\"10\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

fn open(height: f64, label: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-label=\"{label}\">")
}
