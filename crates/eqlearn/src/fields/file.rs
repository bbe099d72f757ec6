//! Systems of fields in model files.

use crate::error::Result;
use crate::fields::names::Names;
use crate::fields::system::FieldSystem;
use crate::learn::model::{Model, ModelFile};
use crate::terms::left_side::LeftSide;

impl FieldSystem {
    /// The model file of the system, with the settings that it was learned with.
    pub fn to_file(&self, settings: serde_json::Value) -> ModelFile {
        let axes = self.names().axes().to_vec();
        ModelFile::new(self.equations().to_vec(), settings).with_axes(axes)
    }

    /// The system in a model file; none if the file holds something else.
    ///
    /// # Errors
    /// Names that could be read in two ways.
    pub fn from_file(file: &ModelFile) -> Result<Option<Self>> {
        let quantity = |model: &Model| match model.left_side() {
            LeftSide::Evolution { of, .. } => Some(of.clone()),
            _ => None,
        };
        let quantities: Option<Vec<String>> = file.equations().iter().map(quantity).collect();
        let Some(quantities) = quantities.filter(|_| !file.axes().is_empty()) else {
            return Ok(None);
        };
        let names = Names::new(quantities, file.axes().to_vec())?;
        Ok(Self::from_models(names, file.equations().to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::dictionary::parse;

    #[test]
    fn a_system_comes_back_from_its_file() {
        let names = Names::new(["u"], ["t", "x"]).unwrap();
        let left = LeftSide::Evolution {
            of: "u".into(),
            time: "t".into(),
            order: 1,
        };
        let dictionary = parse(&names, ["u*u_x", "(u^2)_xx"]).unwrap();
        let model = Model::given(left, dictionary, &[-1.0, 0.1]).unwrap();
        let system = FieldSystem::from_models(names, vec![model]).unwrap();
        let text = system.to_file(serde_json::Value::Null).to_json();
        let file = ModelFile::from_json(&text).unwrap();
        assert_eq!(FieldSystem::from_file(&file).unwrap().unwrap(), system);
    }

    #[test]
    fn another_file_holds_no_field() {
        let dictionary = crate::Dictionary::parse(["x"], ["x"]).unwrap();
        let model = Model::given("y", dictionary, &[2.0]).unwrap();
        let file = ModelFile::new(vec![model], serde_json::Value::Null);
        assert!(FieldSystem::from_file(&file).unwrap().is_none());
    }
}
