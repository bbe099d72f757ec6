//! Models that others learned from exported data, scored as ours are.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::attractor::Attractor;
use super::{Contender, Equation, Line, Outcome, PaperExperiment, Plan, Scenario, Score, Size};
use crate::runner::{json_line, read_lines_of};
use crate::{Result, Trouble};

/// What others send in: one line per data set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    /// The name of the data, as in `scenarios.jsonl`.
    data: String,
    /// The name of the method.
    method: String,
    /// One equation per target, in any order.
    equations: Vec<Equation>,
}

/// Where the scored lines of others are.
fn path(out: &Path, experiment: PaperExperiment) -> PathBuf {
    out.join(format!("{}-others.jsonl", experiment.name()))
}

/// Scores a file of models and writes the lines beside those of the contenders. Gives the number
/// of models.
///
/// # Errors
/// Files that cannot be read or written; a bad line, with what is wrong.
pub fn score(plan: &Plan, models: &Path, out: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(models).map_err(Trouble::file("read", models))?;
    let full = Plan {
        size: Size::FULL,
        ..plan.clone()
    };
    let scenarios = PaperExperiment::ALL.map(|experiment| full.scenarios(experiment));
    let known: Vec<&Scenario> = scenarios.iter().flatten().collect();
    let attractors =
        PaperExperiment::ALL.map(|e| Attractor::new(e, plan.seed, plan.size.forecasts));
    let mut lines = Vec::new();
    for (place, text) in text.lines().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let line = score_one(text, &known, &attractors).map_err(|problem| Trouble::BadLine {
            path: models.to_path_buf(),
            line: place + 1,
            problem,
        })?;
        lines.push(line);
    }
    std::fs::create_dir_all(out).map_err(Trouble::file("make", out))?;
    for experiment in PaperExperiment::ALL {
        let own = lines.iter().filter(|l| l.scenario.experiment == experiment);
        let text: String = own.map(json_line).collect();
        if !text.is_empty() {
            let path = path(out, experiment);
            std::fs::write(&path, text).map_err(Trouble::file("write", &path))?;
        }
    }
    Ok(lines.len())
}

fn score_one(
    text: &str,
    known: &[&Scenario],
    attractors: &[Option<Attractor>; 3],
) -> std::result::Result<Line, String> {
    let sent: Sent = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if Contender::ALL.iter().any(|c| c.name() == sent.method) {
        return Err(format!(
            "{:?} is the name of one of our contenders; choose another",
            sent.method
        ));
    }
    let scenario = known.iter().find(|s| s.id() == sent.data);
    let scenario = *scenario.ok_or_else(|| format!("there are no data {:?}", sent.data))?;
    let data = scenario.data();
    let equations = in_order(&sent.equations, &data.targets())?;
    let place = PaperExperiment::ALL
        .iter()
        .position(|e| *e == scenario.experiment);
    let attractor = place.and_then(|place| attractors[place].as_ref());
    let go_on = || ControlFlow::Continue(());
    let score =
        Score::new(&data, &equations, attractor, &go_on).map_err(|error| error.to_string())?;
    Ok(Line {
        scenario: scenario.clone(),
        method: sent.method,
        outcome: Outcome {
            equations,
            score,
            trouble: None,
        },
    })
}

/// One equation per target, in the order of the targets.
fn in_order(
    equations: &[Equation],
    targets: &[String],
) -> std::result::Result<Vec<Equation>, String> {
    if let Some(strange) = equations.iter().find(|e| !targets.contains(&e.target)) {
        return Err(format!(
            "there is no target {:?}; there are {}",
            strange.target,
            targets.join(", ")
        ));
    }
    let of = |target: &String| {
        let mut own = equations.iter().filter(|e| e.target == *target);
        let (first, second) = (own.next(), own.next());
        match (first, second) {
            (_, Some(_)) => Err(format!("{target:?} has more than one equation")),
            (None, None) => Ok(Equation::without_terms(target)),
            (Some(equation), None) if equation.terms.len() == equation.coefficients.len() => {
                Ok(equation.clone())
            }
            (Some(equation), None) => Err(format!(
                "the equation of {target:?} has {} terms and {} coefficients",
                equation.terms.len(),
                equation.coefficients.len()
            )),
        }
    };
    targets.iter().map(of).collect()
}

/// The scored lines of others; none if nobody sent any.
///
/// # Errors
/// A file that cannot be read, or a line that is no result.
pub fn read(out: &Path, experiment: PaperExperiment) -> Result<Vec<Line>> {
    read_lines_of(&path(out, experiment))
}
