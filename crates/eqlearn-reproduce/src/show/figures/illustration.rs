//! The best models of three sizes as maps of terms, and the two rankings of all of them.

use eqlearn::Support;

use crate::paper::{Illustration, Listed};
use crate::show::figure::{Curves, Figure, Map, Panel, Series};

/// One map per size, with `1 − R²` of each model above it.
pub fn by_size(example: &Illustration) -> Figure {
    let all: Vec<&Listed> = example.sizes.iter().flat_map(|(_, m)| m).collect();
    let terms = occurring(&all);
    let columns: Vec<Column<'_>> = example
        .sizes
        .iter()
        .map(|(size, models)| Column {
            title: format!("m = {size} terms"),
            models: models.iter().collect(),
            y_label: "ln(1 − R²)",
            values: models.iter().map(|l| l.one_minus_r2.ln()).collect(),
        })
        .collect();
    figure(
        "models-by-size",
        format!(
            "The {} best models by R² of each size on one random polynomial with three terms \
             (number {}). A column is a model, best first; a square is a term that it has, orange \
             if it is in the truth. The true model (grey line) is the best of its size, and larger \
             models keep choosing its terms. Above: ln(1 − R²) of each model.",
            columns[0].models.len(),
            example.number
        ),
        example,
        &terms,
        &columns,
    )
}

/// All models of the lists, by R² and by evidence.
pub fn rankings(example: &Illustration) -> Figure {
    let (by_r2, by_evidence) = (example.by_r2(), example.by_evidence());
    let most = by_evidence[0].log_evidence;
    let columns = [
        Column {
            title: "ranked by R²".to_string(),
            models: by_r2.iter().collect(),
            y_label: "ln(1 − R²)",
            values: by_r2.iter().map(|l| l.one_minus_r2.ln()).collect(),
        },
        Column {
            title: "ranked by evidence".to_string(),
            models: by_evidence.iter().collect(),
            y_label: "Δ ln p(y|M)",
            values: by_evidence.iter().map(|l| l.log_evidence - most).collect(),
        },
    ];
    let terms = occurring(&columns[0].models);
    let place = |list: &[Listed]| {
        let at = list.iter().position(|l| l.support == example.truth);
        at.map_or_else(
            || "nowhere".to_string(),
            |at| format!("at place {}", at + 1),
        )
    };
    figure(
        "rankings",
        format!(
            "The same {} models in one list: by R² the largest come first and the true model is \
             {}; by the paper's evidence it is {} (grey line). Above: ln(1 − R²), and the log \
             evidence below that of the first; its differences are small where hardly anything is \
             left unexplained.",
            by_r2.len(),
            place(&by_r2),
            place(&by_evidence)
        ),
        example,
        &terms,
        &columns,
    )
}

/// A list of models, and a number for each.
struct Column<'a> {
    title: String,
    models: Vec<&'a Listed>,
    y_label: &'static str,
    values: Vec<f64>,
}

/// The terms that some model has, in the dictionary's order.
fn occurring(models: &[&Listed]) -> Support {
    let none = Support::empty();
    models
        .iter()
        .fold(none, |all, listed| all.union(&listed.support))
}

fn figure(
    name: &str,
    caption: String,
    example: &Illustration,
    terms: &Support,
    columns: &[Column<'_>],
) -> Figure {
    let rows: Vec<(String, bool)> = terms
        .indices()
        .iter()
        .map(|&term| (example.terms[term].clone(), example.truth.contains(term)))
        .collect();
    let truth_in = |models: &[&Listed]| models.iter().position(|l| l.support == example.truth);
    let curve = |column: &Column<'_>| {
        let models = &column.models;
        let points = column.values.iter().enumerate();
        let points = points.map(|(place, value)| ((place + 1) as f64, *value));
        Panel::Curves(Curves {
            title: column.title.clone(),
            x_label: String::new(),
            x_range: (0.0, models.len() as f64 + 1.0),
            x_step: 5.0,
            y_label: column.y_label.to_string(),
            log_y: false,
            series: vec![Series {
                label: String::new(),
                points: points.filter(|(_, y)| y.is_finite()).collect(),
                errors: Vec::new(),
            }],
            mark: truth_in(models).map(|place| (place + 1) as f64),
            above_map: true,
        })
    };
    let map = |column: &Column<'_>| {
        let models = &column.models;
        let row_of = |term: &usize| {
            let place = terms.indices().binary_search(term);
            place.expect("every term of a model occurs")
        };
        let of_model = |listed: &&Listed| listed.support.indices().iter().map(row_of).collect();
        Panel::Map(Map {
            x_label: "model".to_string(),
            terms: rows.clone(),
            models: models.iter().map(of_model).collect(),
            truth: truth_in(models),
        })
    };
    Figure {
        name: name.to_string(),
        caption,
        columns: columns.len(),
        width: if columns.len() > 2 { 460.0 } else { 700.0 },
        heights: vec![180.0, 90.0 + 13.0 * rows.len() as f64],
        panels: columns
            .iter()
            .map(curve)
            .chain(columns.iter().map(map))
            .collect(),
        legend: Vec::new(),
    }
}
