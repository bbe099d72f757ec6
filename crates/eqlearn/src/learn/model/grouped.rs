//! One law for several experiments, each with coefficients of its own.

use super::Model;
use crate::data::table::Table;
use crate::error::{Result, nearest};
use crate::learn::LearnError;
use crate::reduce::groups::Labelled;

/// One law for several experiments: an equation for each, of the same terms.
///
/// ```
/// use eqlearn::learn::model::GroupedModel;
/// use eqlearn::{Dictionary, Model};
///
/// let law = |w| Model::given("y", Dictionary::parse(["x"], ["x"])?, &[w]);
/// let names = vec!["a".to_string(), "b".to_string()];
/// let model = GroupedModel::new("run", names, vec![law(1.0)?, law(3.0)?]);
/// assert_eq!(model.of("b").expect("it is known").coefficients(), [3.0]);
/// assert!(model.of("c").is_none());
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedModel {
    column: String,
    names: Vec<String>,
    models: Vec<Model>,
}

impl GroupedModel {
    /// The equation of each experiment; `column` tells them apart.
    ///
    /// # Panics
    /// If there is not one name for each.
    pub fn new(column: impl Into<String>, names: Vec<String>, models: Vec<Model>) -> Self {
        assert_eq!(names.len(), models.len(), "one name for each equation");
        Self {
            column: column.into(),
            names,
            models,
        }
    }

    /// The column that tells experiments apart.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The experiments.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The equation of each.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The equation of an experiment, if it is known.
    pub fn of(&self, name: &str) -> Option<&Model> {
        let place = self.names.iter().position(|known| known == name)?;
        Some(&self.models[place])
    }

    /// The columns besides that of experiments that a table needs for predictions.
    pub fn needed(&self) -> Vec<String> {
        self.models.first().map_or(Vec::new(), Model::needed)
    }

    /// The target's value for every row.
    ///
    /// # Errors
    /// An experiment that is not known, and those of [`Model::predict`].
    pub fn predict(&self, rows: &Labelled) -> Result<Vec<f64>> {
        let mut predicted = vec![0.0; rows.table.n_rows()];
        for (place, label) in rows.labels.iter().enumerate() {
            let own = rows.places.iter().enumerate();
            let own = own.filter(|(_, group)| **group == place);
            let own: Vec<usize> = own.map(|(row, _)| row).collect();
            let Some(&first) = own.first() else {
                continue;
            };
            let table: Table = rows.table.picked(&own);
            let model = self.of(label).ok_or_else(|| LearnError::UnknownGroup {
                column: self.column.clone(),
                group: label.clone(),
                row: rows.table.row_number(first),
                nearest: nearest(label, &self.names).map(String::from),
                known: self.names.clone(),
            })?;
            for (row, value) in own.into_iter().zip(model.predict(&table)?) {
                predicted[row] = value;
            }
        }
        Ok(predicted)
    }
}
