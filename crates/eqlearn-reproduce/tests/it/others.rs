//! Exported data, and models that come back.

use eqlearn_reproduce::paper::{PaperExperiment, export, read_outside, score_outside};
use eqlearn_reproduce::show::Presentation;

use crate::folder::Folder;
use crate::runs::tiny;

const TRUE_LORENZ: &str = r#"{"data":"lorenz-000","method":"theirs","equations":[
    {"target":"z","terms":["y*x","z"],"coefficients":[1.0,-2.6666666666666665]},
    {"target":"x","terms":["x","y"],"coefficients":[-10,10]},
    {"target":"y","terms":["x","y","z*x"],"coefficients":[28,-1,-1]}]}"#;

fn on_one_line(text: &str) -> String {
    text.replace('\n', " ") + "\n"
}

#[test]
fn exported_data_have_a_file_and_a_description_each() {
    let (folder, plan) = (Folder::new("others-export"), tiny(1));
    let experiments = [PaperExperiment::Polynomials, PaperExperiment::Lorenz];
    let count = export(&plan, &experiments, folder.path()).unwrap();
    assert_eq!(count, 8);
    let index = folder.read("scenarios.jsonl");
    assert_eq!(index.lines().count(), 8);
    for line in index.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let csv = folder.read(entry["file"].as_str().unwrap());
        let rows = entry["scenario"]["n_obs"].as_u64().unwrap();
        assert_eq!(csv.lines().count() as u64, rows + 1);
        let header = csv.lines().next().unwrap();
        assert!(["x1,x2,x3,y", "t,x,y,z"].contains(&header), "{header}");
    }
}

#[test]
fn the_true_system_scores_three_equations_and_hardly_any_error() {
    let (folder, plan) = (Folder::new("others-score"), tiny(1));
    let wrong = r#"{"data":"polynomials-2-001","method":"theirs","equations":[
        {"target":"y","terms":["x1^4"],"coefficients":[1]}]}"#;
    let models = folder.write(
        "models.jsonl",
        &(on_one_line(TRUE_LORENZ) + &on_one_line(wrong)),
    );
    assert_eq!(score_outside(&plan, &models, folder.path()).unwrap(), 2);
    let lorenz = &read_outside(folder.path(), PaperExperiment::Lorenz).unwrap()[0];
    assert_eq!(lorenz.outcome.score.right, [true; 3]);
    assert_eq!(lorenz.outcome.score.n_model, 7);
    assert_eq!(lorenz.outcome.score.mae.len(), 3);
    assert!(
        lorenz
            .outcome
            .score
            .mae
            .iter()
            .all(|mae| mae.unwrap() < 0.01)
    );
    let polynomial = &read_outside(folder.path(), PaperExperiment::Polynomials).unwrap()[0];
    assert_eq!(polynomial.outcome.score.n_diff, [-1]);
    let shown = Presentation::read(folder.path(), 1).unwrap();
    let first = |chapter: usize| shown.chapters[chapter].sheets[0].rows[0][0].clone();
    assert_eq!([first(0), first(1)], ["theirs", "theirs"]);
}

#[test]
fn a_line_that_cannot_be_scored_is_named_with_the_reason() {
    let folder = Folder::new("others-bad");
    let cases = [
        (
            TRUE_LORENZ.replace("lorenz-000", "lorenz-999"),
            "lorenz-999",
        ),
        (TRUE_LORENZ.replace("theirs", "lasso"), "contenders"),
        (
            TRUE_LORENZ.replace("[28,-1,-1]", "[28,-1]"),
            "2 coefficients",
        ),
        (TRUE_LORENZ.replace("z*x", "z*w"), "w"),
        (
            TRUE_LORENZ.replace("\"target\":\"z\"", "\"target\":\"x\""),
            "more than one",
        ),
    ];
    for (text, reason) in cases {
        let good = on_one_line(TRUE_LORENZ);
        let models = folder.write("models.jsonl", &(good + &on_one_line(&text)));
        let refused = score_outside(&tiny(1), &models, folder.path()).unwrap_err();
        let words = refused.to_string();
        assert!(
            words.starts_with("line 2 of ") && words.contains(reason),
            "{words} should say {reason}"
        );
    }
}
