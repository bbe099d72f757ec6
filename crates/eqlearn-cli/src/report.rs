//! The page that `--report` writes.

use std::path::Path;

use eqlearn::tell::compare::Comparison;
use eqlearn::tell::document::Document;
use eqlearn::{Conclusion, Discovery, Settings, Study, Table, Trajectories};
use eqlearn_report::{About, Board, Motion, Sample, comparison_html, html};
use serde_json::Value;

use crate::output::write_text;
use crate::trouble::Trouble;

/// Where a page goes, and what it says of its origin.
pub(crate) struct Destination<'a> {
    pub(crate) path: &'a Path,
    /// The name of the data.
    pub(crate) data: &'a str,
    /// What was typed.
    pub(crate) command: &'a str,
}

impl Destination<'_> {
    fn about<'b>(&'b self, features: &'b [String], settings: &'b Value) -> About<'b> {
        About {
            data: self.data,
            features,
            command: self.command,
            settings,
        }
    }
}

/// The page of one equation: it also tells that there is none. `rows` are some of the data.
pub(crate) fn of_equation(
    to: &Destination<'_>,
    study: &Study,
    document: &Document,
    rows: &[Table],
) -> Result<(), Trouble> {
    let features = study.problem().dictionary().features();
    let board = Board::of_study(study);
    let sample = Sample::new(rows, document.n_obs, &board, features);
    let board = board.with_sample(sample);
    let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
    let about = to.about(features, &settings);
    write_text(to.path, &html(document, &[board], None, &about))
}

/// The page of a system.
pub(crate) fn of_system(
    to: &Destination<'_>,
    discovery: &Discovery,
    conclusion: &Conclusion,
    record: &Trajectories,
) -> Result<(), Trouble> {
    let studies = discovery.studies();
    let boards: Vec<Board> = studies.iter().map(Board::of_study).collect();
    let motion = Motion::new(discovery.followed(record), conclusion.system.as_ref());
    let features = studies[0].problem().dictionary().features();
    let settings = serde_json::to_value(discovery.settings()).expect("settings are plain data");
    let about = to.about(features, &settings);
    let page = html(&conclusion.document, &boards, motion.as_ref(), &about);
    write_text(to.path, &page)
}

/// The page of a comparison.
pub(crate) fn of_comparison(
    to: &Destination<'_>,
    comparisons: &[Comparison],
    features: &[String],
    settings: &[Settings],
) -> Result<(), Trouble> {
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let about = to.about(features, &settings);
    write_text(to.path, &comparison_html(comparisons, &about))
}
