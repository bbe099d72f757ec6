//! Figures: panels of boxes, maps and curves. Drawn as SVG and PNG by a plotting library, with the
//! numbers behind them as CSV.
//!
//! Only this module and those below it name the plotting library.

mod boxes;
mod curves;
mod lines;
mod map;
mod style;

use std::path::Path;

use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{LegendEntry, LegendShape};
use kuva::render::figure::Figure as Drawing;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::Scene;

pub use boxes::{Boxes, Group};
pub use curves::{Curves, Series};
pub use lines::Lines;
pub use map::Map;
pub use style::shade;

use super::sheet::Sheet;
use crate::{Result, Trouble};

/// One part of a figure.
#[derive(Debug, Clone)]
pub enum Panel {
    /// Box plots side by side.
    Boxes(Boxes),
    /// Which models have which terms.
    Map(Map),
    /// Lines over a common axis.
    Curves(Curves),
    /// Lines of many points.
    Lines(Lines),
}

/// A picture with its words.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its name in files.
    pub name: String,
    /// What it shows, and how to read it.
    pub caption: String,
    /// Panels per row.
    pub columns: usize,
    /// The width of a panel, in points.
    pub width: f64,
    /// The height of each row of panels, in points.
    pub heights: Vec<f64>,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// What the colours mean: words and colour.
    pub legend: Vec<(String, String)>,
}

/// Pixels per point of the PNG files.
const RESOLUTION: f32 = 2.0;

impl Figure {
    fn scene(&self) -> Scene {
        let drawn: Vec<(Vec<Plot>, Layout)> = self.panels.iter().map(Panel::draw).collect();
        let (plots, layouts) = drawn.into_iter().unzip();
        let rows = self.panels.len().div_ceil(self.columns);
        let mut drawing = Drawing::new(rows, self.columns)
            .with_plots(plots)
            .with_layouts(layouts)
            .with_cell_size(self.width, self.heights.first().copied().unwrap_or(300.0));
        for (row, height) in self.heights.iter().enumerate() {
            drawing = drawing.with_row_height(row, *height);
        }
        if self.panels.len() > 1 {
            drawing = drawing.with_labels_lowercase();
        }
        if !self.legend.is_empty() {
            let entry = |(label, color): &(String, String)| LegendEntry {
                label: label.clone(),
                color: color.clone(),
                shape: LegendShape::Rect,
                dasharray: None,
            };
            drawing = drawing
                .with_shared_legend_right_middle()
                .with_shared_legend_entries(self.legend.iter().map(entry).collect())
                .with_keep_panel_legends();
        }
        drawing.render()
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        SvgBackend::new().render_scene(&self.scene())
    }

    /// The figure as PNG.
    ///
    /// # Errors
    /// What the plotting library reports.
    pub fn png(&self) -> Result<Vec<u8>> {
        let drawn = RasterBackend::new()
            .with_scale(RESOLUTION)
            .render_scene(&self.scene());
        drawn.map_err(|problem| Trouble::Figure {
            name: self.name.clone(),
            problem,
        })
    }

    /// The numbers behind the figure, one per row.
    pub fn numbers(&self) -> Sheet {
        let header = ["panel", "group", "part", "quantity", "value"];
        let mut sheet = Sheet::new(&self.name, &self.caption, &header);
        for (place, panel) in self.panels.iter().enumerate() {
            for [group, part, quantity, value] in panel.numbers() {
                let panel = (place + 1).to_string();
                sheet.rows.push(vec![panel, group, part, quantity, value]);
            }
        }
        sheet
    }

    /// Writes the figure as SVG and PNG and its numbers as CSV.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(Trouble::file("make", folder))?;
        let files: [(&str, Vec<u8>); 3] = [
            ("svg", self.svg().into_bytes()),
            ("png", self.png()?),
            ("csv", self.numbers().csv().into_bytes()),
        ];
        for (kind, bytes) in files {
            let path = folder.join(format!("{}.{kind}", self.name));
            std::fs::write(&path, bytes).map_err(Trouble::file("write", &path))?;
        }
        Ok(())
    }
}

impl Panel {
    fn draw(&self) -> (Vec<Plot>, Layout) {
        match self {
            Self::Boxes(boxes) => boxes.draw(),
            Self::Map(map) => map.draw(),
            Self::Curves(curves) => curves.draw(),
            Self::Lines(lines) => lines.draw(),
        }
    }

    /// Group, part, quantity and value of everything that is drawn.
    fn numbers(&self) -> Vec<[String; 4]> {
        match self {
            Self::Boxes(boxes) => boxes.numbers(),
            Self::Map(map) => map.numbers(),
            Self::Curves(curves) => curves.numbers(),
            Self::Lines(lines) => lines.numbers(),
        }
    }
}
