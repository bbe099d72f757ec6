//! How well random polynomials are identified: `N_diff` of every method, and how often it is exact.

use crate::paper::{Line, label};
use crate::show::figure::{Boxes, Figure, Group, Panel};
use crate::show::statistics::BoxNumbers;
use crate::show::tables::{Summary, methods, of};

/// The lowest `N_diff` that is drawn. Methods that keep dozens of terms are far below; their boxes
/// end here.
const LOWEST: f64 = -12.0;

/// One panel per number of terms.
pub fn figure(lines: &[Line]) -> Figure {
    let panel = |n_terms: usize| {
        let group = |method: &String| {
            let own = of(lines, method).filter(|line| line.scenario.n_terms == Some(n_terms));
            let values: Vec<f64> = own
                .clone()
                .map(|line| f64::from(line.outcome.score.n_diff[0]).max(LOWEST))
                .collect();
            let exact = Summary::new(own).map(|summary| 100.0 * summary.complete);
            Group {
                label: label(method).to_string(),
                note: exact.map(|exact| format!("{exact:.0} %")),
                stands_out: method == "best",
                boxes: vec![BoxNumbers::new(&values)],
            }
        };
        Panel::Boxes(Boxes {
            title: format!("{n_terms} terms, {} rows", [20, 65, 95][n_terms - 2]),
            y_label: "N_diff".to_string(),
            y_range: (LOWEST, 6.0),
            y_step: 2.0,
            parts: vec!["all".to_string()],
            groups: methods(lines).iter().map(group).collect(),
            target: Some(n_terms as f64),
        })
    };
    Figure {
        name: "polynomials".to_string(),
        caption: format!(
            "Random polynomials with 2, 3 and 4 terms: the number of true terms found minus that \
             of wrong terms found. The grey line is the best possible; above it, how often exactly \
             the true terms were found. Box: quartiles; line: median; dot: mean; whiskers: 1.5 \
             interquartile ranges; crosses: beyond. Values below {LOWEST} are drawn at {LOWEST}."
        ),
        columns: 1,
        width: 1080.0,
        heights: vec![290.0; 3],
        panels: (2..=4).map(panel).collect(),
        legend: Vec::new(),
    }
}
