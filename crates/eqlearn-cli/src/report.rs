//! The page that `--report` writes.

use std::path::Path;

use eqlearn::tell::compare::Comparison;
use eqlearn::tell::document::Document;
use eqlearn::{
    Discover, Discovery, Problem, Reduction, Settings, Study, System, Table, Trajectories,
};
use eqlearn_report::{About, Board, Motion, Sample, comparison_html, html, left_side};
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

/// What an equation was learned from.
pub(crate) struct Learned<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) reduction: &'a Reduction,
    pub(crate) settings: &'a Settings,
    pub(crate) study: &'a Study,
}

/// The page of one equation: it also tells that there is none. `rows` are some of the data.
pub(crate) fn of_equation(
    to: &Destination<'_>,
    learned: &Learned<'_>,
    document: &Document,
    rows: &[Table],
) -> Result<(), Trouble> {
    let Learned {
        problem,
        reduction,
        settings,
        study,
    } = learned;
    let features = problem.dictionary().features();
    let left = left_side(problem.target());
    let board = Board::of_study(problem, reduction, settings, study, left);
    let sample = Sample::new(rows, reduction.n_obs(), &board, features);
    let board = board.with_sample(sample);
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let about = to.about(features, &settings);
    write_text(to.path, &html(document, &[board], None, &about))
}

/// The page of a system.
pub(crate) fn of_system(
    to: &Destination<'_>,
    discovery: &Discovery,
    settings: &Discover,
    document: &Document,
    system: Option<&System>,
    record: &Trajectories,
) -> Result<(), Trouble> {
    let parts = discovery.problems.iter().zip(&discovery.reductions);
    let board = |((problem, reduction), study): ((&Problem, &Reduction), &Study)| {
        let left = left_side(problem.target());
        Board::of_study(problem, reduction, &settings.learn, study, left)
    };
    let boards: Vec<Board> = parts.zip(&discovery.studies).map(board).collect();
    let motion = Motion::new(record, system);
    let features = discovery
        .problems
        .first()
        .map(|p| p.dictionary().features());
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let about = to.about(features.unwrap_or_default(), &settings);
    write_text(to.path, &html(document, &boards, motion.as_ref(), &about))
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
