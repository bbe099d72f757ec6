//! Lines with dots over a common axis.

use kuva::plot::annotations::ReferenceLine;
use kuva::plot::{LegendPosition, LinePlot, LineStyle, MarkerShape, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::style::{ALIGNED, FAINT, LINES, panel};

/// A panel of lines.
#[derive(Debug, Clone)]
pub struct Curves {
    /// What it shows.
    pub title: String,
    /// The common axis.
    pub x_label: String,
    /// Its range.
    pub x_range: (f64, f64),
    /// The distance of its ticks.
    pub x_step: f64,
    /// The quantity, with its unit.
    pub y_label: String,
    /// Whether it spans powers of ten.
    pub log_y: bool,
    /// The lines.
    pub series: Vec<Series>,
    /// A place on the common axis to mark.
    pub mark: Option<f64>,
    /// Whether it stands above a map, with which it must line up.
    pub above_map: bool,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Series {
    /// What it is; no words, no legend.
    pub label: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Half the length of the error bar of each point; empty for none.
    pub errors: Vec<f64>,
}

const STYLES: [LineStyle; 4] = [
    LineStyle::Solid,
    LineStyle::Dashed,
    LineStyle::Dotted,
    LineStyle::DashDot,
];

const MARKS: [MarkerShape; 4] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
];

impl Curves {
    pub(super) fn draw(&self) -> (Vec<Plot>, Layout) {
        let mut plots: Vec<Plot> = Vec::new();
        for (place, series) in self.series.iter().enumerate() {
            let colour = LINES[place % LINES.len()];
            let line = LinePlot::new()
                .with_data(series.points.clone())
                .with_color(colour)
                .with_stroke_width(1.4)
                .with_line_style(STYLES[place % STYLES.len()].clone());
            plots.push(line.into());
            let mut dots = ScatterPlot::new()
                .with_data(series.points.clone())
                .with_color(colour)
                .with_marker(MARKS[place % MARKS.len()])
                .with_size(3.2);
            if !series.errors.is_empty() {
                dots = dots.with_y_err(series.errors.iter().copied());
            }
            if !series.label.is_empty() {
                dots = dots.with_legend(&series.label);
            }
            plots.push(dots.into());
        }
        let layout = Layout::auto_from_plots(&plots)
            .with_x_label(&self.x_label)
            .with_y_label(&self.y_label)
            .with_x_axis_min(self.x_range.0)
            .with_x_axis_max(self.x_range.1)
            .with_x_tick_step(self.x_step)
            .with_legend_position(if self.above_map {
                LegendPosition::InsideTopLeft
            } else {
                LegendPosition::OutsideRightTop
            });
        let mut layout = panel(layout, &self.title);
        if self.log_y {
            layout = layout.with_log_y();
        }
        if self.above_map {
            layout = layout.with_force_margins(ALIGNED.0, ALIGNED.1);
        }
        if let Some(at) = self.mark {
            let line = ReferenceLine::vertical(at).with_color(FAINT);
            layout = layout.with_reference_line(line.with_dasharray("none"));
        }
        (plots, layout)
    }

    pub(super) fn numbers(&self) -> Vec<[String; 4]> {
        let of_series = |series: &Series| {
            let one = |(x, y): &(f64, f64)| {
                let quantity = format!("{} at {} {x}", self.y_label, self.x_label);
                let part = String::new();
                [series.label.clone(), part, quantity, y.to_string()]
            };
            series.points.iter().map(one).collect::<Vec<_>>()
        };
        self.series.iter().flat_map(of_series).collect()
    }
}
