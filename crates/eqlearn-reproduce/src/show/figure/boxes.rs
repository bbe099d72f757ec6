//! Box plots in groups, as in the paper: a box of quartiles, whiskers, crosses for outliers, a line
//! at the median and a dot at the mean.

use kuva::plot::annotations::{ReferenceLine, ShadedRegion, TextAnnotation};
use kuva::plot::{BoxPlot, LinePlot, MarkerShape, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::style::{FAINT, INK, panel, shade};
use crate::show::statistics::BoxNumbers;

/// A panel of boxes.
#[derive(Debug, Clone)]
pub struct Boxes {
    /// What it shows.
    pub title: String,
    /// The quantity, with its unit.
    pub y_label: String,
    /// The range of the quantity.
    pub y_range: (f64, f64),
    /// The distance of its ticks.
    pub y_step: f64,
    /// What the boxes of each group stand for.
    pub parts: Vec<String>,
    /// The groups.
    pub groups: Vec<Group>,
    /// A value to compare with.
    pub target: Option<f64>,
}

/// Boxes side by side with one name.
#[derive(Debug, Clone)]
pub struct Group {
    /// The name.
    pub label: String,
    /// Words above the boxes.
    pub note: Option<String>,
    /// Whether it is drawn in the colour that stands out.
    pub stands_out: bool,
    /// One box for each part; none where there are no values.
    pub boxes: Vec<Option<BoxNumbers>>,
}

impl Boxes {
    /// Places of a group: one per box, one free, and one more if the count would be even: the
    /// name stands in the middle.
    fn places(&self) -> usize {
        if self.parts.len() < 2 {
            return 1;
        }
        (self.parts.len() + 1) | 1
    }

    /// The middle of a box.
    fn at(&self, group: usize, part: usize) -> f64 {
        let places = self.places();
        let free = places - self.parts.len();
        (group * places + part + 1 + free / 2) as f64
    }

    fn middle(&self, group: usize) -> f64 {
        let places = self.places();
        (group * places + places / 2 + 1) as f64
    }

    fn drawn(&self) -> impl Iterator<Item = (f64, &BoxNumbers)> {
        let boxes = self.groups.iter().enumerate().flat_map(|(g, group)| {
            let parts = group.boxes.iter().enumerate();
            parts.map(move |(p, numbers)| (g, p, numbers))
        });
        boxes.filter_map(|(g, p, numbers)| Some((self.at(g, p), numbers.as_ref()?)))
    }

    pub(super) fn draw(&self) -> (Vec<Plot>, Layout) {
        let mut plots = vec![self.boxes().into()];
        plots.extend(self.whiskers());
        let means: Vec<(f64, f64)> = self.drawn().map(|(x, n)| (x, n.mean)).collect();
        let dot = if self.parts.len() < 2 { 2.8 } else { 2.0 };
        let halo = ScatterPlot::new().with_data(means.clone());
        plots.push(halo.with_color("white").with_size(dot + 1.2).into());
        let dots = ScatterPlot::new().with_data(means);
        plots.push(dots.with_color(INK).with_size(dot).into());
        let crosses = ScatterPlot::new()
            .with_data(self.crosses())
            .with_marker(MarkerShape::Cross)
            .with_marker_stroke_width(0.8);
        plots.push(crosses.with_color(FAINT).with_size(2.4).into());
        let layout = self.layout(&plots);
        (plots, layout)
    }

    fn boxes(&self) -> BoxPlot {
        let places = self.places();
        let (mut plot, mut colours) = (BoxPlot::new().with_width(0.78), Vec::new());
        for place in 1..=places * self.groups.len() {
            let found = self.groups.iter().enumerate().find_map(|(g, group)| {
                let part =
                    (0..self.parts.len()).find(|&p| (self.at(g, p) - place as f64).abs() < 0.5)?;
                Some((group, part))
            });
            let numbers = found.and_then(|(group, part)| group.boxes[part].as_ref());
            let five = numbers.map_or_else(Vec::new, |n| self.five(n));
            plot = plot.with_group("", five);
            colours.push(found.map_or_else(
                || "none".to_string(),
                |(group, part)| shade(part, self.parts.len(), group.stands_out),
            ));
        }
        plot.with_group_colors(colours)
    }

    /// Five numbers with the quartiles of the box. A flat box becomes a thin bar, so that its
    /// colour can be seen.
    fn five(&self, numbers: &BoxNumbers) -> Vec<f64> {
        let thin = 0.012 * (self.y_range.1 - self.y_range.0);
        let (first, third) = if numbers.third - numbers.first < thin {
            (numbers.median - thin, numbers.median + thin)
        } else {
            (numbers.first, numbers.third)
        };
        vec![first, first, numbers.median, third, third]
    }

    fn whiskers(&self) -> Vec<Plot> {
        let line = |points: Vec<(f64, f64)>| {
            let line = LinePlot::new().with_data(points);
            line.with_color(INK).with_stroke_width(0.9).into()
        };
        let of_box = |(x, n): (f64, &BoxNumbers)| {
            let cap = 0.2;
            let whisker =
                |from: f64, to: f64| vec![(x, from), (x, to), (x - cap, to), (x + cap, to)];
            let mut lines = Vec::new();
            if n.low < n.first {
                lines.push(line(whisker(n.first, n.low)));
            }
            if n.high > n.third {
                lines.push(line(whisker(n.third, n.high)));
            }
            lines
        };
        self.drawn().flat_map(of_box).collect()
    }

    /// Outliers, those that would lie on each other once.
    fn crosses(&self) -> Vec<(f64, f64)> {
        let (low, high) = self.y_range;
        let grain = (high - low) / 150.0;
        let mut crosses: Vec<(f64, f64)> = Vec::new();
        for (x, numbers) in self.drawn() {
            let mut last = f64::NEG_INFINITY;
            for &y in &numbers.outliers {
                if y - last > grain && (low..=high).contains(&y) {
                    crosses.push((x, y));
                    last = y;
                }
            }
        }
        crosses
    }

    fn layout(&self, plots: &[Plot]) -> Layout {
        let places = self.places();
        let mut labels = vec![String::new(); places * self.groups.len()];
        for (g, group) in self.groups.iter().enumerate() {
            labels[g * places + places / 2].clone_from(&group.label);
        }
        let layout = Layout::auto_from_plots(plots)
            .with_x_categories(labels)
            .with_y_label(&self.y_label)
            .with_y_axis_min(self.y_range.0)
            .with_y_axis_max(self.y_range.1)
            .with_y_tick_step(self.y_step)
            .with_tick_length(0.0);
        let mut layout = panel(layout, &self.title);
        if places > 1 {
            for g in (0..self.groups.len()).step_by(2) {
                let (left, right) = ((g * places) as f64 + 0.5, ((g + 1) * places) as f64 + 0.5);
                let band = ShadedRegion::vertical(left, right).with_color("#888888");
                layout = layout.with_shaded_region(band.with_opacity(0.10));
            }
        }
        if let Some(target) = self.target {
            let line = ReferenceLine::horizontal(target).with_color(FAINT);
            layout = layout.with_reference_line(line.with_dasharray("none"));
        }
        let top = self.target.unwrap_or(self.y_range.1);
        for (g, group) in self.groups.iter().enumerate() {
            if let Some(note) = &group.note {
                let text = TextAnnotation::new(note, self.middle(g), top);
                layout = layout.with_annotation(text.with_font_size(12).with_color(INK));
            }
        }
        layout
    }

    pub(super) fn numbers(&self) -> Vec<[String; 4]> {
        let mut rows = Vec::new();
        for group in &self.groups {
            for (part, numbers) in self.parts.iter().zip(&group.boxes) {
                let Some(n) = numbers else { continue };
                let quantities = [
                    ("values", n.count as f64),
                    ("low whisker", n.low),
                    ("first quartile", n.first),
                    ("median", n.median),
                    ("third quartile", n.third),
                    ("high whisker", n.high),
                    ("mean", n.mean),
                    ("outliers", n.outliers.len() as f64),
                ];
                let row = |(quantity, value): (&str, f64)| {
                    let quantity = quantity.to_string();
                    [
                        group.label.clone(),
                        part.clone(),
                        quantity,
                        value.to_string(),
                    ]
                };
                rows.extend(quantities.map(row));
            }
        }
        rows
    }
}
