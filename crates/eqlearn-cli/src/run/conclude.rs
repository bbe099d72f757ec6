//! The end of `fit` and of `merge`: learns the equation and prints it in the forms asked for.

use std::process::ExitCode;

use eqlearn::beyond;
use eqlearn::search::Run;
use eqlearn::tell::document::Document;
use eqlearn::{
    Beyond, FieldSystem, Gathered, Learned, Model, ModelFile, Problem, Settings, Study,
    learn_beyond,
};
use serde::Serialize;

use crate::args::OutputArgs;
use crate::output::{Talk, command_line, print, print_json, write_text};
use crate::progress::Watch;
use crate::report::{Destination, of_equation};
use crate::terminal::{Look, result};
use crate::trouble::Trouble;

/// All that an equation is learned from.
pub(crate) struct Asked<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) gathered: &'a Gathered,
    pub(crate) settings: &'a Settings,
    /// How far to look beyond the dictionary.
    pub(crate) beyond: Beyond,
    pub(crate) data_name: &'a str,
    /// The units of columns, as the header gives them.
    pub(crate) units: &'a [(String, String)],
}

impl Asked<'_> {
    /// Learns, and gives the result in every form that was asked for.
    pub(crate) fn conclude(
        &self,
        run: &Run<'_>,
        mut watch: Watch,
        output: &OutputArgs,
        talk: Talk,
    ) -> Result<ExitCode, Trouble> {
        let Self {
            problem,
            gathered,
            settings,
            beyond,
            data_name,
            units,
        } = self;
        let before = watch.elapsed();
        let asked = beyond::Asked {
            problem,
            data: gathered.data(),
            kept: gathered.kept(),
            settings,
        };
        let learned = learn_beyond(&asked, beyond, run, &mut watch)?;
        let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
        drop(watch);
        let checks = gathered.checks_of(&learned)?;
        let Learned {
            study, rows, tried, ..
        } = learned;
        let document = Document::new(&study, checks, seconds);
        let document = document.after_trying(&tried);
        // The answer first: whatever happens to files, it is not lost.
        let printed = print_document(output, talk, &document);
        let saved = save(output, talk, study.model().as_ref(), settings);
        let shown = output.report.as_ref().map_or(Ok(()), |path| {
            let to = Destination {
                path,
                data: data_name,
                command: &command_line(),
                units,
            };
            let rows = rows.as_deref().unwrap_or(gathered.kept());
            of_equation(&to, &study, &document, rows)?;
            talk.written("page", path);
            Ok(())
        });
        printed.and(saved).and(shown)?;
        Ok(exit_code(&study))
    }
}

fn save(
    output: &OutputArgs,
    talk: Talk,
    model: Option<&Model>,
    settings: &Settings,
) -> Result<(), Trouble> {
    let models = model.map(|model| vec![model.clone()]);
    save_models(output, talk, models, settings)
}

/// The same for the equations of a field.
pub(crate) fn save_field(
    output: &OutputArgs,
    talk: Talk,
    system: Option<&FieldSystem>,
    settings: &impl Serialize,
) -> Result<(), Trouble> {
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let file = system.map(|system| system.to_file(settings));
    write_model(output, talk, file.as_ref())
}

/// Writes the model file, if one is wanted and there is a model.
pub(crate) fn save_models(
    output: &OutputArgs,
    talk: Talk,
    models: Option<Vec<Model>>,
    settings: &impl Serialize,
) -> Result<(), Trouble> {
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let file = models.map(|models| ModelFile::new(models, settings));
    write_model(output, talk, file.as_ref())
}

fn write_model(output: &OutputArgs, talk: Talk, file: Option<&ModelFile>) -> Result<(), Trouble> {
    let Some(path) = &output.save else {
        return Ok(());
    };
    let Some(file) = file else {
        talk.note(&format!(
            "there is no model to save: {} was not written",
            path.display()
        ));
        return Ok(());
    };
    write_text(path, &file.to_json())?;
    talk.written("model", path);
    Ok(())
}

pub(super) fn print_document(
    output: &OutputArgs,
    talk: Talk,
    document: &Document,
) -> Result<(), Trouble> {
    if output.json {
        print_json(document)
    } else if output.latex {
        document
            .equations
            .iter()
            .try_for_each(|equation| print(&format!("{}\n", equation.latex)))
    } else {
        print(&result(
            document,
            Look::new(output.color, talk == Talk::Much),
        ))
    }
}

fn exit_code(study: &Study) -> ExitCode {
    if study.answer().is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
