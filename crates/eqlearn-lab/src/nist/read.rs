//! The files of NIST as tables.

use eqlearn::Table;
use eqlearn_reproduce::known::stream;
use rand::seq::SliceRandom;

use super::forms::Form;

/// The column that is explained.
pub(super) const TARGET: &str = "y";

/// A set as NIST publishes it, with the form of its law.
#[derive(Debug)]
pub(crate) struct Set {
    pub(super) form: &'static Form,
    pub(super) certified: Vec<f64>,
    /// The certified sum of squares.
    pub(super) rss: f64,
    /// The rows with the target of the form: for Nelson's set its logarithm.
    pub(super) of_form: Table,
    /// The rows as published, in another order.
    pub(super) shuffled: Table,
}

impl Set {
    pub(super) fn read(form: &'static Form) -> Self {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../eqlearn/tests/data/nist_nonlinear"
        );
        let text = std::fs::read_to_string(format!("{folder}/{}.dat", form.name));
        let text = text.expect("the library's tests hold the file");
        let parameters = text
            .lines()
            .filter(|line| line.trim_start().starts_with('b') && line.contains(" = "));
        let parameters = parameters.map(numbers).filter(|line| line.len() == 4);
        let sum = text.lines().find(|line| line.contains("Sum of Squares:"));
        let data = text.rfind("\nData:").expect("every file has data");
        let mut rows: Vec<Vec<f64>> = text[data + 1..]
            .lines()
            .skip(1)
            .map(numbers)
            .filter(|row| row.len() > 1)
            .collect();
        let of_form = table(&rows, |y| if form.has_log_target() { y.ln() } else { y });
        rows.shuffle(&mut stream(1, 70, 0, 0));
        Self {
            form,
            certified: parameters.map(|line| line[2]).collect(),
            rss: sum.map_or(f64::NAN, |line| numbers(line)[0]),
            of_form,
            shuffled: table(&rows, |y| y),
        }
    }
}

fn numbers(line: &str) -> Vec<f64> {
    let words = line.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

fn table(rows: &[Vec<f64>], target: impl Fn(f64) -> f64) -> Table {
    let n_features = rows.first().map_or(0, |row| row.len() - 1);
    let name = |j: usize| match n_features {
        1 => "x".to_string(),
        _ => format!("x{j}"),
    };
    let feature = |j: usize| (name(j), rows.iter().map(|row| row[j]).collect());
    let target = rows.iter().map(|row| target(row[0])).collect();
    let columns = (1..=n_features).map(feature);
    Table::new(columns.chain([(TARGET.to_string(), target)]).collect())
        .expect("finite columns of equal length")
}
