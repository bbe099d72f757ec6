//! How well systems are identified and forecast: overall, by number of samples, by time step.

use crate::paper::{Line, PaperExperiment, label};
use crate::show::figure::{Boxes, Figure, Group, Panel, shade};
use crate::show::statistics::BoxNumbers;
use crate::show::tables::{BY_SIZE, BY_STEP, Split, methods, of};

/// Something that is measured on each line.
struct Measure {
    name: &'static str,
    y_label: &'static str,
    words: &'static str,
    values: fn(&Line) -> Vec<f64>,
}

const MEASURES: [Measure; 3] = [
    Measure {
        name: "identified",
        y_label: "equations identified",
        words: "The number of equations, of three, whose terms are exactly the true ones.",
        values: |line| vec![line.outcome.n_right() as f64],
    },
    Measure {
        name: "mae",
        y_label: "log₁₀ MAE",
        words: "The mean absolute error of forecasts from initial values on the attractor, on a \
            logarithmic scale; forecasts that did not reach the end are left out.",
        values: |line| errors(line, 1.0),
    },
    Measure {
        name: "mae-times-terms",
        y_label: "log₁₀ (MAE × terms)",
        words: "The same times the number of terms of the learned system.",
        values: |line| errors(line, line.outcome.score.n_model as f64),
    },
];

fn errors(line: &Line, factor: f64) -> Vec<f64> {
    let followed = line.outcome.score.mae.iter().flatten();
    let scaled = followed.map(|mae| mae * factor).filter(|mae| *mae > 0.0);
    scaled.map(f64::log10).collect()
}

/// One figure per measure, each with three panels as in the paper.
pub fn figures(experiment: PaperExperiment, lines: &[Line]) -> Vec<Figure> {
    let one = |measure: &Measure| figure(experiment, lines, measure);
    MEASURES.iter().map(one).collect()
}

fn figure(experiment: PaperExperiment, lines: &[Line], measure: &Measure) -> Figure {
    let range = range(lines, measure);
    let mut overall = boxes(lines, measure, None, range);
    if measure.name == "identified" {
        overall.target = Some(3.0);
        for (group, method) in overall.groups.iter_mut().zip(methods(lines)) {
            let own: Vec<&Line> = of(lines, &method).collect();
            let complete = own.iter().filter(|line| line.outcome.is_complete()).count();
            let share = 100.0 * complete as f64 / own.len() as f64;
            group.note = Some(format!("{share:.0} %"));
        }
    }
    let splits = [&BY_SIZE, &BY_STEP];
    let mut panels = vec![Panel::Boxes(overall)];
    panels.extend(splits.map(|split| Panel::Boxes(boxes(lines, measure, Some(split), range))));
    let legend = splits.iter().flat_map(|split| {
        let values = split.values(lines);
        let count = values.len();
        let one = move |(place, value): (usize, f64)| {
            let words = format!("{} = {value}", split.symbol);
            (words, shade(place, count, false))
        };
        values.into_iter().enumerate().map(one).collect::<Vec<_>>()
    });
    let above = if measure.name == "identified" {
        " Above the grey line of the overall panel: the share of scenarios in which the whole \
         system was."
    } else {
        ""
    };
    Figure {
        name: format!("{}-{}", experiment.name(), measure.name),
        caption: format!(
            "{}. {}{above} From top to bottom: all scenarios, by the number of samples N, by the \
             time step Δt; darker shades are larger values, orange is ours. Box: quartiles; line: \
             median; dot: mean; whiskers: 1.5 interquartile ranges; crosses: beyond.",
            experiment.title(),
            measure.words
        ),
        columns: 1,
        width: 1000.0,
        heights: vec![270.0; 3],
        panels,
        legend: legend.collect(),
    }
}

/// The range of all values, in whole steps.
fn range(lines: &[Line], measure: &Measure) -> (f64, f64) {
    if measure.name == "identified" {
        return (-0.5, 4.0);
    }
    let values = lines.iter().flat_map(measure.values);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (0.0, 1.0);
    }
    (low.floor(), high.ceil().max(low.floor() + 1.0))
}

fn boxes(lines: &[Line], measure: &Measure, split: Option<&Split>, range: (f64, f64)) -> Boxes {
    let values = split.map_or_else(Vec::new, |split| split.values(lines));
    let parts = match split {
        None => vec!["all".to_string()],
        Some(split) => values
            .iter()
            .map(|value| format!("{} = {value}", split.symbol))
            .collect(),
    };
    let group = |method: &String| {
        let own = || of(lines, method);
        let numbers = |lines: &mut dyn Iterator<Item = &Line>| {
            BoxNumbers::new(&lines.flat_map(measure.values).collect::<Vec<_>>())
        };
        let boxes = match split {
            None => vec![numbers(&mut own())],
            Some(split) => values
                .iter()
                .map(|&value| numbers(&mut own().filter(|line| split.is(line, value))))
                .collect(),
        };
        Group {
            label: label(method).to_string(),
            note: None,
            stands_out: method == "best",
            boxes,
        }
    };
    Boxes {
        title: split.map_or_else(
            || "all scenarios".to_string(),
            |split| format!("by {}", split.symbol),
        ),
        y_label: measure.y_label.to_string(),
        y_range: range,
        y_step: if range.1 - range.0 > 8.0 { 2.0 } else { 1.0 },
        parts,
        groups: methods(lines).iter().map(group).collect(),
        target: None,
    }
}
