//! The model file: what `predict` and `simulate` need, and how it was made.

use serde::{Deserialize, Serialize};

use super::{Denominator, GroupedModel, Model, Parameter};
use crate::error::{JsonProblem, Result};
use crate::learn::LearnError;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;

/// The schema of the model file.
const SCHEMA: &str = "eqlearn-model/1";

/// Saved models, with the settings and the version that made them.
///
/// ```
/// # use eqlearn::*;
/// # let (x, y) = (vec![0., 1., 2.], vec![1., 3.1, 4.9]);
/// # let table = Table::new(vec![("x".into(), x), ("y".into(), y)])?;
/// # let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// # let fit = reduce_table(&problem, &table)?.fit(&Support::from_iter([0, 1]));
/// # let model = Model::new(&problem, &fit);
/// let text = ModelFile::new(vec![model.clone()], serde_json::json!({"method": "ols"})).to_json();
/// assert_eq!(ModelFile::from_json(&text)?.equations(), [model]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    schema: String,
    version: String,
    settings: serde_json::Value,
    /// The axes of a field, time first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    axes: Vec<String>,
    equations: Vec<Model>,
    /// What tells the equations apart, where they are one law for several experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Apart>,
}

/// What tells experiments apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Apart {
    column: String,
    names: Vec<String>,
}

impl ModelFile {
    /// A file of these models.
    pub fn new(equations: Vec<Model>, settings: serde_json::Value) -> Self {
        let (schema, version) = (SCHEMA.to_string(), env!("CARGO_PKG_VERSION").to_string());
        Self {
            schema,
            version,
            settings,
            axes: Vec::new(),
            equations,
            groups: None,
        }
    }

    /// The same for equations of a field with these axes.
    #[must_use]
    pub(crate) fn with_axes(self, axes: Vec<String>) -> Self {
        Self { axes, ..self }
    }

    /// The axes of a field, time first; empty for all other equations.
    pub fn axes(&self) -> &[String] {
        &self.axes
    }

    /// A file of one law for several experiments.
    pub fn of_groups(model: &GroupedModel, settings: serde_json::Value) -> Self {
        Self {
            groups: Some(Apart {
                column: model.column().to_string(),
                names: model.names().to_vec(),
            }),
            ..Self::new(model.models().to_vec(), settings)
        }
    }

    /// The law for several experiments, if it is one.
    pub fn grouped(&self) -> Option<GroupedModel> {
        let Apart { column, names } = self.groups.clone()?;
        Some(GroupedModel::new(column, names, self.equations.clone()))
    }

    /// One model per target, or per experiment.
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
        let (names, n_equations) = (file.groups.as_ref(), file.equations.len());
        if let Some(names) = names.filter(|apart| apart.names.len() != n_equations) {
            let (names, equations) = (names.names.len(), n_equations);
            return Err(LearnError::ModelGroups { names, equations }.into());
        }
        Ok(file)
    }
}

/// A model as its file has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Saved {
    target: String,
    /// What the equation gives, if that is no column of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<LeftSide>,
    #[serde(flatten)]
    dictionary: Dictionary,
    coefficients: Vec<f64>,
    std_errors: Option<Vec<f64>>,
    covariance: Option<Vec<Vec<f64>>>,
    sigma: Option<f64>,
    n_obs: usize,
    /// What the sum of terms is divided by, if the law is a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denominator: Option<Denominator>,
    /// The inner parameters, whose values are in the terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter>,
}

impl From<Model> for Saved {
    fn from(model: Model) -> Self {
        let is_column = matches!(model.left, LeftSide::Column { .. });
        Self {
            target: model.target(),
            left: (!is_column).then_some(model.left),
            dictionary: model.dictionary,
            coefficients: model.coefficients,
            std_errors: model.std_errors,
            covariance: model.covariance,
            sigma: model.sigma,
            n_obs: model.n_obs,
            denominator: model.denominator,
            parameters: model.parameters,
        }
    }
}

impl From<Saved> for Model {
    fn from(saved: Saved) -> Self {
        let left = saved.left.unwrap_or_else(|| {
            let features = saved.dictionary.features();
            unsaid(&saved.target, features)
        });
        Self {
            left,
            dictionary: saved.dictionary,
            coefficients: saved.coefficients,
            std_errors: saved.std_errors,
            covariance: saved.covariance,
            sigma: saved.sigma,
            n_obs: saved.n_obs,
            denominator: saved.denominator,
            parameters: saved.parameters,
        }
    }
}

/// The left side that a file without the field `left` means: `x'` and `x+` are the motion of a
/// feature `x`, as in files of earlier versions and those written by hand.
fn unsaid(target: &str, features: &[String]) -> LeftSide {
    let state = |mark: char| {
        let state = target.strip_suffix(mark)?.to_string();
        features.contains(&state).then_some(state)
    };
    if let Some(state) = state('\'') {
        return LeftSide::Flow { state };
    }
    match state('+') {
        Some(state) => LeftSide::Next { state },
        None => target.into(),
    }
}

impl Model {
    /// That the parts of a model from a file fit together.
    fn check(&self) -> Result<(), LearnError> {
        if let Some(below) = &self.denominator
            && below.coefficients.len() != below.terms().len()
        {
            return Err(LearnError::ModelLists {
                field: "denominator",
                length: below.coefficients.len(),
                n_terms: below.terms().len(),
            });
        }
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
