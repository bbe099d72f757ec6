//! What a folder of results has to show: tables, figures and the page.

use std::path::Path;

use super::figure::Figure;
use super::sheet::Sheet;
use super::{claims, figures, page, tables};
use crate::paper::{Illustration, Line, PaperExperiment, read_outside, runtime};
use crate::runner::{read_lines, read_times};
use crate::{Result, Trouble};

/// One experiment, ready to be shown.
#[derive(Debug)]
pub struct Chapter {
    /// The experiment.
    pub experiment: PaperExperiment,
    /// Its lines, those of others after ours.
    pub lines: Vec<Line>,
    /// Its tables, the most important first.
    pub sheets: Vec<Sheet>,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// What the paper says of it.
    pub claims: Vec<claims::Claim>,
}

/// All that a folder of results has to show.
#[derive(Debug)]
pub struct Presentation {
    /// The experiments that were run.
    pub chapters: Vec<Chapter>,
    /// The illustrations of the appendix.
    pub illustrations: Vec<Figure>,
    /// The runtime study, if it was made.
    pub runtime: Option<(Sheet, Figure)>,
}

impl Presentation {
    /// Reads the results in a folder; `seed` chooses the polynomial of the illustrations.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn read(out: &Path, seed: u64) -> Result<Self> {
        let mut chapters = Vec::new();
        for experiment in PaperExperiment::ALL {
            let mut lines = read_lines(out, experiment.name())?;
            lines.extend(read_outside(out, experiment)?);
            if lines.is_empty() {
                continue;
            }
            let mut sheets = tables::sheets(experiment, &lines);
            let times = read_times(out, experiment.name())?;
            if !times.is_empty() {
                sheets.push(tables::times(experiment, &times));
            }
            chapters.push(Chapter {
                experiment,
                sheets,
                figures: match experiment {
                    PaperExperiment::Polynomials => vec![figures::polynomials::figure(&lines)],
                    _ => figures::dynamics::figures(experiment, &lines),
                },
                claims: claims::claims(experiment, &lines),
                lines,
            });
        }
        let has_polynomials = chapters
            .iter()
            .any(|chapter| chapter.experiment == PaperExperiment::Polynomials);
        let illustrations = if has_polynomials {
            let example = Illustration::new(seed);
            vec![
                figures::illustration::by_size(&example),
                figures::illustration::rankings(&example),
            ]
        } else {
            Vec::new()
        };
        let measured = runtime::read(out)?;
        let runtime = (!measured.is_empty()).then(|| {
            (
                figures::runtime::sheet(&measured),
                figures::runtime::figure(&measured),
            )
        });
        Ok(Self {
            chapters,
            illustrations,
            runtime,
        })
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.chapters.is_empty() && self.runtime.is_none()
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let of_chapters = self.chapters.iter().flat_map(|chapter| &chapter.figures);
        let of_runtime = self.runtime.iter().map(|(_, figure)| figure);
        of_chapters.chain(&self.illustrations).chain(of_runtime)
    }

    /// All tables.
    pub fn sheets(&self) -> impl Iterator<Item = &Sheet> {
        let of_chapters = self.chapters.iter().flat_map(|chapter| &chapter.sheets);
        of_chapters.chain(self.runtime.iter().map(|(sheet, _)| sheet))
    }

    /// Writes tables, figures and the page into the folder.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&self, out: &Path) -> Result<()> {
        let folder = out.join("figures");
        for figure in self.figures() {
            figure.write(&folder)?;
        }
        let folder = out.join("tables");
        std::fs::create_dir_all(&folder).map_err(Trouble::file("make", &folder))?;
        for sheet in self.sheets() {
            let path = folder.join(format!("{}.csv", sheet.name));
            std::fs::write(&path, sheet.csv()).map_err(Trouble::file("write", &path))?;
        }
        let path = out.join("index.html");
        std::fs::write(&path, page::html(self)).map_err(Trouble::file("write", &path))
    }
}
