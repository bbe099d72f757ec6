//! `eqlearn predict`: a saved model on new rows.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use eqlearn::ask::LabelledRows;
use eqlearn::learn::model::GroupedModel;
use eqlearn::{Batches, Model};

use crate::args::PredictArgs;
use crate::input;
use crate::model;
use crate::output::{cannot_write, write_file};
use crate::places;
use crate::trouble::Trouble;

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode, Trouble> {
    let path = &args.model;
    let data = [path.clone(), args.data.path.clone()];
    places::check(&[("--out", args.out.as_ref())], &data)?;
    let file = model::read(path, Some(&args.data.path))?;
    if let Some(model) = file.grouped() {
        return by_experiment(args, &model);
    }
    let models = file.equations();
    let mut columns: Vec<String> = models.iter().flat_map(Model::needed).collect();
    columns.sort();
    columns.dedup();
    let source = input::open(&args.data.path, &args.data.reading)?;
    if columns.is_empty() {
        // A constant has a value in every row, whatever is in it.
        let numeric = source.columns().iter().find(|column| column.is_numeric());
        columns.extend(numeric.map(|column| column.name.clone()));
    }
    let mut batches = source.batches(&columns)?;
    match &args.out {
        Some(out) => write_file(out, |file| write_predictions(models, &mut batches, file))?,
        None => write_predictions(
            models,
            &mut batches,
            &mut BufWriter::new(std::io::stdout().lock()),
        )?,
    }
    input::left_out(&args.data.reading, batches.dropped());
    Ok(ExitCode::SUCCESS)
}

/// Predictions of a law that differs between experiments.
fn by_experiment(args: &PredictArgs, model: &GroupedModel) -> Result<ExitCode, Trouble> {
    let reading = &args.data.reading;
    let source = input::open(&args.data.path, reading)?;
    let options = input::options(reading)?;
    let files = (source, Vec::new());
    let mut rows = LabelledRows::new(files, options, model.needed(), model.column())?;
    let target = model.models().first().map_or(String::new(), Model::target);
    let mut write = |out: &mut dyn Write| -> Result<(), Trouble> {
        let mut writer = csv::Writer::from_writer(out);
        let failed = |error: csv::Error| cannot_write(error.into());
        writer.write_record([&target]).map_err(failed)?;
        for batch in rows.by_ref() {
            for value in model.predict(&batch?)? {
                writer.write_record([value.to_string()]).map_err(failed)?;
            }
        }
        writer.flush().map_err(cannot_write)
    };
    match &args.out {
        Some(out) => write_file(out, |file| write(file))?,
        None => write(&mut BufWriter::new(std::io::stdout().lock()))?,
    }
    if let Some(remark) = rows.remark() {
        reading.talk().note(&remark);
    }
    Ok(ExitCode::SUCCESS)
}

/// One column per model, as CSV.
fn write_predictions(
    models: &[Model],
    batches: &mut Batches,
    out: &mut dyn Write,
) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    writer
        .write_record(models.iter().map(Model::target))
        .map_err(failed)?;
    for batch in batches {
        let batch = batch?;
        let predicted = models
            .iter()
            .map(|model| model.predict(&batch))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.n_rows() {
            writer
                .write_record(predicted.iter().map(|column| column[row].to_string()))
                .map_err(failed)?;
        }
    }
    writer.flush().map_err(cannot_write)
}
