//! A model that `--save` wrote, for the commands that use one.

use std::path::Path;

use eqlearn::{Format, ModelFile};

use crate::trouble::Trouble;

/// Reads a model. `data` is what was given besides: the two are easily swapped.
pub(crate) fn read(path: &Path, data: Option<&Path>) -> Result<ModelFile, Trouble> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| Trouble::new(format!("cannot read the model {shown}: {error}")))?;
    let read = |bytes: &[u8]| ModelFile::from_json(&String::from_utf8_lossy(bytes));
    let error = match read(&text) {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    let is_model = |path: &&Path| std::fs::read(path).is_ok_and(|bytes| read(&bytes).is_ok());
    if let Some(model) = data.filter(is_model) {
        let model = model.display();
        return Err(
            Trouble::new(format!("{model} is the model, and {shown} is not")).hint(format!(
                "the model comes first: eqlearn predict {model} {shown}"
            )),
        );
    }
    if Format::of_path(path).is_ok() {
        let message = format!("{shown} is a table, not a model");
        return Err(Trouble::new(message).hint("a model is what --save wrote"));
    }
    Err(Trouble::new(format!("{shown}: {error}")))
}
