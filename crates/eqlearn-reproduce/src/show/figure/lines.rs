//! Lines without dots, over axes that follow from them.

use kuva::plot::{LegendPosition, LinePlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::Series;
use super::style::{LINES, panel};

/// A panel of many points.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The common axis.
    pub x_label: String,
    /// The quantity.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
}

impl Lines {
    pub(super) fn draw(&self) -> (Vec<Plot>, Layout) {
        let line = |(place, series): (usize, &Series)| {
            let line = LinePlot::new()
                .with_data(series.points.clone())
                .with_color(LINES[place % LINES.len()])
                .with_stroke_width(1.4);
            if series.label.is_empty() {
                line.into()
            } else {
                line.with_legend(&series.label).into()
            }
        };
        let plots: Vec<Plot> = self.series.iter().enumerate().map(line).collect();
        let layout = Layout::auto_from_plots(&plots)
            .with_x_label(&self.x_label)
            .with_y_label(&self.y_label)
            .with_legend_position(LegendPosition::OutsideRightTop);
        (plots, panel(layout, ""))
    }

    pub(super) fn numbers(&self) -> Vec<[String; 4]> {
        let of_series = |series: &Series| {
            let one = |(x, y): &(f64, f64)| {
                let quantity = format!("{} at {} {x}", self.y_label, self.x_label);
                [series.label.clone(), String::new(), quantity, y.to_string()]
            };
            series.points.iter().map(one).collect::<Vec<_>>()
        };
        self.series.iter().flat_map(of_series).collect()
    }
}
