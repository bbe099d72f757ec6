//! `eqlearn fit`: y = f(features) from a table.

use std::fmt::Write as _;
use std::process::ExitCode;

use eqlearn::document::{self, Document, Equation, Kind};
use eqlearn::methods::ols;
use eqlearn::{Model, ModelFile, Reduction, Source, Support, with_error};

use crate::args::{FitArgs, Method};
use crate::output::{note, print, write_file};
use crate::progress::Bar;
use crate::trouble::Trouble;
use crate::{input, output};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Trouble> {
    let source = input::open(&args.data)?;
    let Some(target) = &args.target else {
        return Err(ask_for_target(&source));
    };
    let quiet = args.data.quiet;
    let problem = input::problem(
        &source,
        target,
        args.weights.as_deref(),
        &args.dictionary,
        quiet,
    )?;
    let reduction = reduce(args, source, &problem)?;

    let baseline = if input::constant_is_forced(&args.dictionary, problem.dictionary()) {
        Support::from_iter([0])
    } else {
        Support::empty()
    };
    let baseline = reduction.fit(&baseline);
    let fit = match args.method {
        Method::Ols => ols(&problem, &reduction)?,
    };
    let model = Model::new(&problem, &fit);
    let document = Document {
        schema: document::SCHEMA.to_string(),
        kind: Kind::Equation,
        method: args.method.name(),
        n_obs: reduction.n_obs(),
        n_terms: reduction.n_terms(),
        equations: vec![Equation::new(&model, &fit, &baseline)],
        warnings: Vec::new(),
    };
    if let Some(path) = &args.output.save {
        let settings = serde_json::json!({ "method": document.method });
        let text = ModelFile::new(vec![model], settings).to_json();
        write_file(path, |file| {
            file.write_all(text.as_bytes())
                .map_err(output::cannot_write)
        })?;
    }
    if args.output.json {
        let json = serde_json::to_string_pretty(&document)
            .expect("the document holds nothing that JSON cannot");
        print(&(json + "\n"))?;
    } else {
        print(&page(&document))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn reduce(
    args: &FitArgs,
    source: Source,
    problem: &eqlearn::Problem,
) -> Result<Reduction, Trouble> {
    let mut bar = Bar::new(!args.data.quiet && !args.data.no_progress);
    let mut batches = source.batches(&problem.columns())?;
    let reduction = eqlearn::reduce(problem, &mut batches, input::threads(&args.data), &mut bar)?;
    drop(bar);
    let dropped = batches.dropped();
    if dropped > 0 && !args.data.quiet {
        note(&format!("{dropped} rows with missing values were left out"));
    }
    Ok(reduction)
}

fn ask_for_target(source: &Source) -> Trouble {
    let columns: Vec<String> = source
        .columns()
        .iter()
        .map(|c| format!("\n  {} ({})", c.name, c.kind))
        .collect();
    let numeric = source.columns().iter().find(|c| c.is_numeric());
    let example = numeric.map_or("y", |c| c.name.as_str());
    Trouble::new(format!(
        "which column is to be explained? {} has{}",
        source.name(),
        columns.concat()
    ))
    .hint(format!(
        "add --target COLUMN, for example --target {example}"
    ))
}

/// The result for people.
fn page(document: &Document) -> String {
    let mut text = String::new();
    for equation in &document.equations {
        write_equation(&mut text, equation).expect("writing to a string cannot fail");
    }
    let _ = writeln!(
        text,
        "{} rows, {} terms, method {}",
        document.n_obs, document.n_terms, document.method
    );
    text
}

fn write_equation(text: &mut String, equation: &Equation) -> std::fmt::Result {
    writeln!(text, "{}\n", equation.text)?;
    let width = equation
        .terms
        .iter()
        .map(|t| t.term.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    writeln!(
        text,
        "  {:width$}  {:>18}  {:>12}  {:>9}",
        "term", "coefficient", "std. error", "t"
    )?;
    for term in &equation.terms {
        let error = term.std_error.map_or("–".into(), |e| format!("{e:.3e}"));
        let t = term
            .std_error
            .filter(|e| *e > 0.0)
            .map_or("–".into(), |e| format!("{:.2}", term.coefficient / e));
        let coefficient = with_error(term.coefficient, term.std_error);
        writeln!(
            text,
            "  {:width$}  {coefficient:>18}  {error:>12}  {t:>9}",
            term.term
        )?;
    }
    let sigma = equation.sigma.map_or("–".into(), |s| format!("{s:.6e}"));
    writeln!(
        text,
        "\n1 − R² = {:.6e}   σ = {sigma}",
        equation.one_minus_r2
    )
}
