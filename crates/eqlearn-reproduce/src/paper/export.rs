//! The data of scenarios as files, so that others can run their methods on them.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::scenario::Data;
use super::{PaperExperiment, Plan, Scenario};
use crate::runner::json_line;
use crate::{Result, Trouble};

/// What a file of data is about.
#[derive(Debug, Serialize)]
struct Entry {
    /// The name that models for these data refer to; the file is named after it.
    data: String,
    /// The file.
    file: String,
    /// The targets: a column, or states whose time derivatives are sought.
    targets: Vec<String>,
    /// The scenario.
    scenario: Scenario,
}

/// Writes a CSV file per scenario, and `scenarios.jsonl`, which says what each is. Gives the number
/// of scenarios.
///
/// # Errors
/// Files that cannot be written.
pub fn export(plan: &Plan, experiments: &[PaperExperiment], folder: &Path) -> Result<usize> {
    std::fs::create_dir_all(folder).map_err(Trouble::file("make", folder))?;
    let mut index = String::new();
    let mut count = 0;
    for scenario in experiments.iter().flat_map(|&e| plan.scenarios(e)) {
        let data = scenario.data();
        let file = format!("{}.csv", scenario.id());
        let path = folder.join(&file);
        std::fs::write(&path, csv(&data)).map_err(Trouble::file("write", &path))?;
        let entry = Entry {
            data: scenario.id(),
            file,
            targets: data.targets(),
            scenario,
        };
        index += &json_line(&entry);
        count += 1;
    }
    let path = folder.join("scenarios.jsonl");
    std::fs::write(&path, index).map_err(Trouble::file("write", &path))?;
    Ok(count)
}

/// The columns with all digits; the times of a trajectory come first.
fn csv(data: &Data) -> String {
    let (names, columns): (Vec<String>, Vec<Vec<f64>>) = match data {
        Data::Table(planted) => {
            let columns = planted.table.columns().map(<[f64]>::to_vec);
            (planted.table.names().to_vec(), columns.collect())
        }
        Data::Trajectory(trajectory) => {
            let n_obs = trajectory.columns[0].len();
            let times = (0..n_obs).map(|i| i as f64 * trajectory.step).collect();
            let states = trajectory.known.states.iter().map(ToString::to_string);
            let names = std::iter::once("t".to_string()).chain(states);
            let columns = std::iter::once(times).chain(trajectory.columns.clone());
            (names.collect(), columns.collect())
        }
    };
    let mut text = names.join(",") + "\n";
    for row in 0..columns[0].len() {
        for (place, column) in columns.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{}", column[row]);
        }
        text.push('\n');
    }
    text
}
