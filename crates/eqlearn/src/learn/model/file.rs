//! The model file: what `predict` and `simulate` need, and how it was made.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::error::{JsonProblem, Result};
use crate::learn::LearnError;

/// The schema of the model file.
const SCHEMA: &str = "eqlearn-model/1";

/// Saved models, with the settings and the version that made them.
///
/// ```
/// # use eqlearn::*;
/// # let table = Table::new(vec![("x".into(), vec![0., 1., 2.]), ("y".into(), vec![1., 3.1, 4.9])])?;
/// # let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// # let model = Model::new(&problem, &reduce_table(&problem, &table)?.fit(&Support::from_iter([0, 1])));
/// let text = ModelFile::new(vec![model.clone()], serde_json::json!({"method": "ols"})).to_json();
/// assert_eq!(ModelFile::from_json(&text)?.equations(), [model]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    schema: String,
    version: String,
    settings: serde_json::Value,
    equations: Vec<Model>,
}

impl ModelFile {
    /// A file of these models.
    pub fn new(equations: Vec<Model>, settings: serde_json::Value) -> Self {
        let (schema, version) = (SCHEMA.to_string(), env!("CARGO_PKG_VERSION").to_string());
        Self {
            schema,
            version,
            settings,
            equations,
        }
    }

    /// One model per target.
    pub fn equations(&self) -> &[Model] {
        &self.equations
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let text =
            serde_json::to_string_pretty(self).expect("a model holds nothing that JSON cannot");
        text + "\n"
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// Text that is not JSON, another schema, or a missing or malformed field, which is named.
    pub fn from_json(text: &str) -> Result<Self> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| LearnError::ModelFile(error.into()))?;
        match value.get("schema").and_then(serde_json::Value::as_str) {
            Some(SCHEMA) => {}
            Some(other) => {
                let problem = JsonProblem::OtherSchema {
                    found: other.to_string(),
                    version: None,
                    known: SCHEMA,
                };
                return Err(LearnError::ModelFile(problem).into());
            }
            None => return Err(LearnError::ModelFile(JsonProblem::NoSchema).into()),
        }
        let file: Self =
            serde_json::from_value(value).map_err(|error| LearnError::ModelFile(error.into()))?;
        for model in &file.equations {
            model.check()?;
        }
        Ok(file)
    }
}

impl Model {
    /// That the parts of a model from a file fit together.
    fn check(&self) -> Result<(), LearnError> {
        let n_terms = self.terms().len();
        let errors = self.std_errors.as_ref().map_or(n_terms, Vec::len);
        let covariance = self.covariance.as_ref().map_or(n_terms, Vec::len);
        for (field, length) in [
            ("coefficients", self.coefficients.len()),
            ("std_errors", errors),
            ("covariance", covariance),
        ] {
            if length != n_terms {
                return Err(LearnError::ModelLists {
                    field,
                    length,
                    n_terms,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dictionary, Problem, Reduction, Support};

    #[test]
    fn a_model_near_the_end_of_all_numbers_survives_its_file() {
        let x: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
        let y: [f64; 4] = [2.1e300, 3.9e300, 6.2e300, 7.8e300];
        let problem = Problem::new("y", Dictionary::parse(["x"], ["x"]).unwrap()).unwrap();
        let fit = Reduction::from_columns(&[&x, &y]).fit(&Support::from_iter([0]));
        let model = Model::new(&problem, &fit);
        assert!(model.covariance().is_none() && model.std_errors().is_some());
        let text = ModelFile::new(vec![model.clone()], serde_json::Value::Null).to_json();
        assert_eq!(ModelFile::from_json(&text).unwrap().equations(), [model]);
    }
}
