//! The end of `fit` and of `merge`: learns the equation and prints it in the forms asked for.

use std::process::ExitCode;

use eqlearn::beyond;
use eqlearn::search::Run;
use eqlearn::tell::document::Document;
use eqlearn::{
    Beyond, Gathered, Learned, Model, ModelFile, Problem, Settings, Study, learn_beyond,
};

use crate::args::OutputArgs;
use crate::output::{command_line, print, write_text};
use crate::page::{Look, page};
use crate::progress::Watch;
use crate::report::{Destination, of_equation};
use crate::trouble::Trouble;

/// All that an equation is learned from.
pub(crate) struct Asked<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) gathered: &'a Gathered,
    pub(crate) settings: &'a Settings,
    /// How far to look beyond the dictionary.
    pub(crate) beyond: Beyond,
    pub(crate) data_name: &'a str,
}

impl Asked<'_> {
    /// Learns, and gives the result in every form that was asked for.
    pub(crate) fn conclude(
        &self,
        run: &Run<'_>,
        mut watch: Watch,
        output: &OutputArgs,
        verbose: bool,
    ) -> Result<ExitCode, Trouble> {
        let Self {
            problem,
            gathered,
            settings,
            beyond,
            data_name,
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
        save(output, study.model().as_ref(), settings)?;
        if let Some(path) = &output.report {
            let to = Destination {
                path,
                data: data_name,
                command: &command_line(),
            };
            let rows = rows.as_deref().unwrap_or(gathered.kept());
            of_equation(&to, &study, &document, rows)?;
        }
        report(output, verbose, &document)?;
        Ok(exit_code(&study))
    }
}

fn save(output: &OutputArgs, model: Option<&Model>, settings: &Settings) -> Result<(), Trouble> {
    let (Some(path), Some(model)) = (&output.save, model) else {
        return Ok(());
    };
    let settings = serde_json::to_value(settings).expect("settings are plain data");
    let text = ModelFile::new(vec![model.clone()], settings).to_json();
    write_text(path, &text)
}

fn report(output: &OutputArgs, verbose: bool, document: &Document) -> Result<(), Trouble> {
    if output.json {
        let json = serde_json::to_string_pretty(document)
            .expect("the document holds nothing that JSON cannot");
        print(&(json + "\n"))
    } else if output.latex {
        document
            .equations
            .iter()
            .try_for_each(|equation| print(&format!("{}\n", equation.latex)))
    } else {
        print(&page(document, Look::new(output.color, verbose)))
    }
}

fn exit_code(study: &Study) -> ExitCode {
    if study.answer().is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
