//! The page that `--report` writes.

use std::path::Path;

use eqlearn::data::field::Field;
use eqlearn::dynamics::start::Scales;
use eqlearn::learn::grouped::GroupedStudy;
use eqlearn::tell::compare::Comparison;
use eqlearn::tell::document::Document;
use eqlearn::{
    Conclusion, Discovery, FieldDiscovery, FollowedField, Problem, Settings, Study, Table,
    Trajectories,
};
use eqlearn_report::{
    About, Board, Motion, Pictures, Sample, Symbols, comparison_html, field_html, html,
};
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
    /// The units of columns, as the header gives them.
    pub(crate) units: &'a [(String, String)],
}

impl Destination<'_> {
    fn about<'b>(&'b self, symbols: &'b Symbols, settings: &'b Value) -> About<'b> {
        About {
            data: self.data,
            symbols,
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
    let problem = study.problem();
    let features = problem.dictionary().features();
    let symbols = Symbols::new(features, [problem.left_side()], to.units);
    let board = Board::of_study(study, document.equations.first(), &symbols);
    let sample = Sample::new(rows, document.n_obs, study, &board, &symbols);
    let board = board.with_sample(sample);
    let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
    let about = to.about(&symbols, &settings);
    write_text(to.path, &html(document, &[board], None, &about))
}

/// The page of one law for several experiments.
pub(crate) fn of_groups(
    to: &Destination<'_>,
    study: &GroupedStudy,
    document: &Document,
) -> Result<(), Trouble> {
    let problem = study.problem();
    let features = problem.dictionary().features();
    let symbols = Symbols::new(features, [problem.left_side()], to.units);
    let settings = serde_json::to_value(study.settings()).expect("settings are plain data");
    let about = to.about(&symbols, &settings);
    write_text(to.path, &html(document, &[], None, &about))
}

/// The page of a system.
pub(crate) fn of_system(
    to: &Destination<'_>,
    discovery: &Discovery,
    conclusion: &Conclusion,
    record: &Trajectories,
) -> Result<(), Trouble> {
    let studies = discovery.studies();
    let problems = studies.iter().map(Study::problem);
    let features = studies[0].problem().dictionary().features();
    let symbols = Symbols::new(features, problems.map(Problem::left_side), to.units);
    let document = &conclusion.document;
    let named = discovery.states().iter().zip(studies);
    let boards = named.map(|(state, study)| {
        let told = document.equations.iter().find(|one| one.target == *state);
        Board::of_study(study, told, &symbols)
    });
    let boards: Vec<Board> = boards.collect();
    let choice = discovery.choice();
    let followed = discovery.followed(record);
    let scales = Scales::new(followed, &choice.noise, choice.time_scale);
    let (system, cleaned) = (conclusion.system.as_ref(), discovery.cleaned());
    let motion = Motion::new(followed, cleaned, system, scales, &symbols);
    let settings = serde_json::to_value(discovery.settings()).expect("settings are plain data");
    let about = to.about(&symbols, &settings);
    let page = html(document, &boards, Some(&motion), &about);
    write_text(to.path, &page)
}

/// The page of a field.
pub(crate) fn of_field(
    to: &Destination<'_>,
    discovery: &FieldDiscovery,
    document: &Document,
    record: &Field,
    followed: Option<&FollowedField>,
) -> Result<(), Trouble> {
    let studies = discovery.studies();
    let problems = studies.iter().map(Study::problem);
    let features = studies[0].problem().dictionary().features();
    let symbols = Symbols::new(features, problems.map(Problem::left_side), to.units);
    let named = discovery.names().quantities().iter().zip(studies);
    let boards = named.map(|(quantity, study)| {
        let told = document
            .equations
            .iter()
            .find(|one| one.target == *quantity);
        Board::of_study(study, told, &symbols)
    });
    let boards: Vec<Board> = boards.collect();
    let pictures = Pictures::new(record, followed, &discovery.choice().noise);
    let settings = serde_json::to_value(discovery.settings()).expect("settings are plain data");
    let about = to.about(&symbols, &settings);
    write_text(to.path, &field_html(document, &boards, &pictures, &about))
}

/// The page of a comparison.
pub(crate) fn of_comparison(
    to: &Destination<'_>,
    comparisons: &[Comparison],
    features: &[String],
    settings: &[Settings],
) -> Result<(), Trouble> {
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let left = comparisons.iter().map(|one| &one.left_side);
    let symbols = Symbols::new(features, left, to.units);
    let about = to.about(&symbols, &settings);
    write_text(to.path, &comparison_html(comparisons, &about))
}
