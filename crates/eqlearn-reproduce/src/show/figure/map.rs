//! Which of the best models have which terms: a column per model, a row per term.

use kuva::plot::annotations::ReferenceLine;
use kuva::plot::{MarkerShape, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::style::{ALIGNED, BLUE, FAINT, ORANGE, panel};

/// A panel of squares.
#[derive(Debug, Clone)]
pub struct Map {
    /// What the columns are.
    pub x_label: String,
    /// The terms that occur, top row first, and whether each is in the truth.
    pub terms: Vec<(String, bool)>,
    /// The rows of each model's terms, best model first.
    pub models: Vec<Vec<usize>>,
    /// The place of the true model.
    pub truth: Option<usize>,
}

impl Map {
    fn squares(&self, of_truth: bool) -> Vec<(f64, f64)> {
        let rows = self.terms.len();
        let of_model = |(place, model): (usize, &Vec<usize>)| {
            let chosen = model.iter().filter(|row| self.terms[**row].1 == of_truth);
            let at = |row: &usize| ((place + 1) as f64, (rows - row) as f64);
            chosen.map(at).collect::<Vec<_>>()
        };
        self.models.iter().enumerate().flat_map(of_model).collect()
    }

    pub(super) fn draw(&self) -> (Vec<Plot>, Layout) {
        let size = if self.models.len() > 40 { 3.4 } else { 4.6 };
        let plot = |of_truth: bool, colour: &str| {
            ScatterPlot::new()
                .with_data(self.squares(of_truth))
                .with_marker(MarkerShape::Square)
                .with_color(colour)
                .with_size(size)
                .into()
        };
        let plots: Vec<Plot> = vec![plot(false, BLUE), plot(true, ORANGE)];
        let names = self.terms.iter().rev().map(|(name, _)| name.clone());
        let layout = Layout::new(
            (0.5, self.models.len() as f64 + 0.5),
            (0.5, self.terms.len() as f64 + 0.5),
        )
        .with_y_categories(names.collect())
        .with_x_label(&self.x_label)
        .with_x_axis_min(0.0)
        .with_x_axis_max(self.models.len() as f64 + 1.0)
        .with_x_tick_step(5.0)
        .with_force_margins(ALIGNED.0, ALIGNED.1);
        let mut layout = panel(layout, "").with_tick_size(10).with_show_grid(false);
        for (row, (_, true_term)) in self.terms.iter().enumerate() {
            if *true_term {
                let line = ReferenceLine::horizontal((self.terms.len() - row) as f64);
                layout = layout.with_reference_line(line.with_color(ORANGE).with_stroke_width(0.6));
            }
        }
        if let Some(place) = self.truth {
            let line = ReferenceLine::vertical((place + 1) as f64).with_color(FAINT);
            layout = layout.with_reference_line(line.with_dasharray("none"));
        }
        (plots, layout)
    }

    pub(super) fn numbers(&self) -> Vec<[String; 4]> {
        let of_model = |(place, model): (usize, &Vec<usize>)| {
            let one = |row: &usize| {
                let (name, in_truth) = &self.terms[*row];
                let quantity = if *in_truth { "true term" } else { "other term" };
                [
                    format!("model {}", place + 1),
                    name.clone(),
                    quantity.to_string(),
                    "1".to_string(),
                ]
            };
            model.iter().map(one).collect::<Vec<_>>()
        };
        self.models.iter().enumerate().flat_map(of_model).collect()
    }
}
