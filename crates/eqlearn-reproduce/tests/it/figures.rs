//! Figures show every method, every part and every panel. The lines are made up, so that a change
//! of a method changes no figure.

use std::fmt::Write as _;

use eqlearn_reproduce::paper::runtime::Measured;
use eqlearn_reproduce::paper::{
    Contender, Equation, Illustration, Line, Outcome, PaperExperiment, Plan, Score, Size,
};
use eqlearn_reproduce::show::figure::Figure;
use eqlearn_reproduce::show::figures;

/// What a reader sees of an SVG file: how many of each element, and all words.
fn structure(figure: &Figure) -> String {
    let svg = figure.svg();
    let mut text = format!("{}\n", figure.name);
    for element in ["rect", "circle", "line", "path", "text"] {
        let count = svg.matches(&format!("<{element}")).count();
        let _ = writeln!(text, "{element} {count}");
    }
    let words = svg.split("<text").skip(1).filter_map(|part| {
        let inside = part.split_once('>')?.1;
        Some(inside.split("</text>").next()?.trim().to_string())
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    let _ = writeln!(text, "words: {}", words.join(" | "));
    text
}

fn made_up(experiment: PaperExperiment) -> Vec<Line> {
    let plan = Plan {
        size: Size {
            polynomials: 4,
            every: 7,
            forecasts: 3,
        },
        seed: 1,
        contenders: Contender::ALL.to_vec(),
    };
    let mut lines = Vec::new();
    for (place, scenario) in plan.scenarios(experiment).into_iter().enumerate() {
        for (rank, contender) in plan.contenders(experiment).into_iter().enumerate() {
            let wobble = f64::from(u32::try_from((place * 7 + rank * 3) % 11).unwrap());
            let right: Vec<bool> = (0..3).map(|e| (place + e) % (rank + 1) == 0).collect();
            let n_diff = i32::try_from(rank).unwrap() - 8;
            lines.push(Line {
                scenario: scenario.clone(),
                method: contender.name().to_string(),
                outcome: Outcome {
                    equations: vec![Equation::without_terms("y")],
                    score: Score {
                        n_diff: vec![n_diff + i32::try_from(place % 5).unwrap()],
                        right: if experiment == PaperExperiment::Polynomials {
                            right[..1].to_vec()
                        } else {
                            right
                        },
                        n_model: rank + 1,
                        mae: vec![Some(0.1 + wobble), Some(3.0 + wobble), None],
                    },
                    trouble: None,
                },
            });
        }
    }
    lines
}

#[test]
fn the_figure_of_polynomials_has_a_panel_per_size_and_names_every_method() {
    let figure = figures::polynomials::figure(&made_up(PaperExperiment::Polynomials));
    insta::assert_snapshot!(structure(&figure));
}

#[test]
fn the_figures_of_a_system_have_a_panel_for_all_by_n_and_by_step() {
    for experiment in [PaperExperiment::Lorenz, PaperExperiment::Rabinovich] {
        let all = figures::dynamics::figures(experiment, &made_up(experiment));
        let text: String = all.iter().map(structure).collect();
        insta::assert_snapshot!(experiment.name(), text);
    }
}

#[test]
fn the_illustrations_name_their_terms() {
    let example = Illustration::new(1);
    let text = structure(&figures::illustration::by_size(&example))
        + &structure(&figures::illustration::rankings(&example));
    insta::assert_snapshot!(text);
}

#[test]
fn the_figure_of_runtime_has_three_panels_with_ours_and_the_paper() {
    let mut measured = Vec::new();
    for (n_terms, n_obs) in [(2, 20), (3, 65), (4, 95)] {
        for size in 1..=5_u32 {
            measured.push(Measured {
                seed: 1,
                n_terms,
                number: 0,
                n_obs,
                size: size as usize,
                subsets: 71_u128.pow(size),
                enumerated: 71,
                seconds: 1e-9 * 71_f64.powi(size.cast_signed()),
                seconds_of_one_fit: 1e-5,
            });
        }
    }
    insta::assert_snapshot!(structure(&figures::runtime::figure(&measured)));
}

#[test]
fn the_numbers_behind_a_figure_are_those_of_its_boxes() {
    let lines = made_up(PaperExperiment::Lorenz);
    let sheet = figures::dynamics::figures(PaperExperiment::Lorenz, &lines)[0].numbers();
    let value = |group: &str, part: &str, quantity: &str| {
        let row = sheet
            .rows
            .iter()
            .find(|row| row[0] == "1" && row[1] == group && row[2] == part && row[3] == quantity);
        row.unwrap()[4].parse::<f64>().unwrap()
    };
    let own: Vec<f64> = lines
        .iter()
        .filter(|line| line.method == "lars")
        .map(|line| f64::from(u32::try_from(line.outcome.n_right()).unwrap()))
        .collect();
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    assert!((value("LARS", "all", "mean") - mean).abs() < 1e-12);
    assert!((value("LARS", "all", "values") - own.len() as f64).abs() < 1e-12);
}

#[test]
fn a_png_file_is_a_picture() {
    let figure = figures::polynomials::figure(&made_up(PaperExperiment::Polynomials));
    let png = figure.png().unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert!(png.len() > 10_000, "{} bytes", png.len());
}
