//! The paper's three charts of runtime, with ours beside its figure.

use crate::paper::runtime::Measured;
use crate::show::figure::{Curves, Figure, Panel, Series};
use crate::show::sheet::Sheet;
use crate::show::statistics::median;

/// What the paper says a model takes: "well below one millisecond", with the axis ending there.
pub const PAPER_SECONDS: f64 = 1e-3;

/// The sizes that were measured, ascending.
fn sizes(measured: &[Measured]) -> Vec<usize> {
    let mut sizes: Vec<usize> = measured.iter().map(|m| m.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The median of a quantity by size, over polynomials with some number of terms or all.
fn medians(
    measured: &[Measured],
    n_terms: Option<usize>,
    quantity: &dyn Fn(&Measured) -> f64,
) -> Vec<(f64, f64)> {
    let of_size = |size: usize| {
        let own = measured
            .iter()
            .filter(|m| m.size == size && n_terms.is_none_or(|n_terms| m.n_terms == n_terms));
        let values: Vec<f64> = own.map(quantity).collect();
        Some((size as f64, median(&values)?))
    };
    sizes(measured).into_iter().filter_map(of_size).collect()
}

/// Time per model, size of the model space, time per size.
pub fn figure(measured: &[Measured]) -> Figure {
    let largest = sizes(measured).last().copied().unwrap_or(1) as f64;
    let per_subset = |m: &Measured| m.seconds / m.subsets as f64;
    let subsets = |m: &Measured| m.subsets as f64;
    let enumerated = |m: &Measured| (m.enumerated as f64).max(1.0);
    let ours = |quantity: &dyn Fn(&Measured) -> f64| -> Vec<Series> {
        [(2, 20), (3, 65), (4, 95)]
            .into_iter()
            .map(|(n_terms, rows)| Series {
                label: format!("ours, {rows} rows"),
                points: medians(measured, Some(n_terms), quantity),
                errors: Vec::new(),
            })
            .collect()
    };
    let series = |label: &str, quantity: &dyn Fn(&Measured) -> f64| Series {
        label: label.to_string(),
        points: medians(measured, None, quantity),
        errors: Vec::new(),
    };
    let mut per_model = ours(&per_subset);
    per_model.push(series("one fit by QR", &|m| m.seconds_of_one_fit));
    per_model.push(series("the paper's 1 ms", &|_| PAPER_SECONDS));
    let mut space = vec![series("models of this size", &subsets)];
    space.push(series("looked at one by one", &enumerated));
    let mut per_size = ours(&|m| m.seconds);
    per_size.push(series("every model at 1 ms", &|m| {
        PAPER_SECONDS * m.subsets as f64
    }));
    let panel = |title: &str, y_label: &str, series: Vec<Series>| {
        Panel::Curves(Curves {
            title: title.to_string(),
            x_label: "terms m".to_string(),
            x_range: (0.5, largest + 0.5),
            x_step: 1.0,
            y_label: y_label.to_string(),
            log_y: true,
            series,
            mark: None,
            above_map: false,
        })
    };
    Figure {
        name: "runtime".to_string(),
        caption: "The comprehensive search over all models with m of 71 terms, on one thread \
            (medians over random polynomials): time per model of the space, size of the space and \
            how many of its models had to be looked at one by one, time for the proven list of the \
            25 best. With 20 and 65 rows there are fewer rows than terms, and bounds exclude \
            little."
            .to_string(),
        columns: 1,
        width: 820.0,
        heights: vec![300.0; 3],
        panels: vec![
            panel("time per model", "seconds", per_model),
            panel("size of the model space", "models", space),
            panel("time per size", "seconds", per_size),
        ],
        legend: Vec::new(),
    }
}

/// The same as a table.
pub fn sheet(measured: &[Measured]) -> Sheet {
    let header = [
        "terms m",
        "models",
        "looked at, 95 rows",
        "ns per model, 20 rows",
        "65 rows",
        "95 rows",
        "one fit by QR, µs",
        "s per size, 20 rows",
        "65 rows",
        "95 rows",
    ];
    let title = "Runtime of the comprehensive search on one thread (medians); the paper needs \
        about 1 ms per model";
    let mut sheet = Sheet::new("runtime-table", title, &header);
    for size in sizes(measured) {
        let at = |n_terms: Option<usize>, quantity: &dyn Fn(&Measured) -> f64| {
            let all = medians(measured, n_terms, quantity);
            all.iter()
                .find(|(x, _)| (*x - size as f64).abs() < 0.5)
                .map(|(_, value)| *value)
        };
        let show = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "–".to_string(), |value| format!("{value:.digits$}"))
        };
        let per_model = |n_terms: usize| {
            show(
                at(Some(n_terms), &|m| 1e9 * m.seconds / m.subsets as f64),
                3,
            )
        };
        let per_size = |n_terms: usize| show(at(Some(n_terms), &|m| m.seconds), 5);
        sheet.rows.push(vec![
            size.to_string(),
            show(at(None, &|m| m.subsets as f64), 0),
            show(at(Some(4), &|m| m.enumerated as f64), 0),
            per_model(2),
            per_model(3),
            per_model(4),
            show(at(None, &|m| 1e6 * m.seconds_of_one_fit), 1),
            per_size(2),
            per_size(3),
            per_size(4),
        ]);
    }
    sheet
}
