//! The states over time, as a picture.

use eqlearn::Simulation;
use eqlearn_reproduce::show::figure::{Figure, Lines, Panel, Series};

/// Points of a line: more cannot be seen.
const MOST_POINTS: usize = 2000;

/// One panel per state, one line per run.
pub(super) fn svg(time: &str, states: &[String], runs: &[Simulation]) -> String {
    let panel = |(place, state): (usize, &String)| {
        let series = runs.iter().enumerate();
        let series = series.map(|(number, run)| Series {
            label: if runs.len() > 1 {
                format!("run {}", number + 1)
            } else {
                String::new()
            },
            points: points(&run.times, &run.states[place]),
            errors: Vec::new(),
        });
        Panel::Lines(Lines {
            x_label: time.to_string(),
            y_label: state.clone(),
            series: series.collect(),
        })
    };
    let panels: Vec<Panel> = states.iter().enumerate().map(panel).collect();
    let figure = Figure {
        name: String::new(),
        caption: String::new(),
        columns: 1,
        width: 720.0,
        heights: vec![240.0; panels.len()],
        panels,
        legend: Vec::new(),
    };
    figure.svg()
}

/// Every so many points, and the last.
fn points(times: &[f64], values: &[f64]) -> Vec<(f64, f64)> {
    let mut all = times.iter().copied().zip(values.iter().copied());
    let every = times.len().div_ceil(MOST_POINTS).max(1);
    let mut some: Vec<(f64, f64)> = all.clone().step_by(every).collect();
    if !(times.len() - 1).is_multiple_of(every) {
        some.extend(all.next_back());
    }
    some
}
