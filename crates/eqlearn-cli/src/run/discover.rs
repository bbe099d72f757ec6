//! `eqlearn discover`: dx/dt = f(x) from trajectories.

use std::process::ExitCode;

use eqlearn::search::Run;
use eqlearn::tell::document::Document;
use eqlearn::terms::term::Language;
use eqlearn::{
    Coefficients, Conclusion, Discover, ModelFile, Order, Problem, Settings, System, conclude,
    discover,
};

use crate::args::{Code, DiscoverArgs};
use crate::input;
use crate::knobs;
use crate::output::{command_line, print, write_text};
use crate::page::{Look, page};
use crate::progress::Watch;
use crate::record;
use crate::report::{Destination, of_system};
use crate::trouble::Trouble;

pub(crate) fn run(args: &DiscoverArgs) -> Result<ExitCode, Trouble> {
    refuse_flags_of_fit(args)?;
    record::check(&args.record, &args.dictionary.features)?;
    let trajectories = record::read(&args.paths, &args.reading, &args.record)?;
    let (rows, order) = (record::rows(&args.record)?, record::order(&args.record));
    if args.refine && order == Order::Second {
        return Err(
            Trouble::new("coefficients of accelerations cannot be refined")
                .hint("leave out --refine, or record velocities and use them as states"),
        );
    }
    let features = order.features(&trajectories)?;
    let dictionary = input::dictionary(&features, &args.dictionary)?;
    let problem = Problem::new(
        rows.left_side(&trajectories.states()[0]),
        dictionary.clone(),
    )?;
    // Neighbouring rows share samples, so folds of them are no test: a knob is given, or has its peer's value.
    let chosen = knobs::choose(args.search.method, &args.knobs)?;
    let settings = Discover {
        rows,
        order,
        learn: Settings {
            tune: false,
            refit: args.knobs.refit,
            ..input::settings(&problem, &args.dictionary, &args.search, chosen.method)?
        },
    };
    let run = Run {
        threads: input::threads(&args.reading),
        ..Run::default()
    };
    let mut watch = Watch::new(
        !args.reading.quiet && !args.reading.no_progress,
        args.search.time_limit,
    );
    let discovery = discover(&trajectories, &dictionary, &settings, &run, &mut watch)?;
    drop(watch);
    let coefficients = if args.refine {
        Coefficients::OfMotion
    } else {
        Coefficients::OfRows
    };
    let conclusion = conclude(&discovery, &trajectories, coefficients)?;
    if let Some(path) = &args.output.report {
        let names: Vec<String> = args.paths.iter().map(|p| p.display().to_string()).collect();
        let to = Destination {
            path,
            data: &names.join(", "),
            command: &command_line(),
        };
        of_system(&to, &discovery, &conclusion, &trajectories)?;
    }
    let Conclusion { system, document } = conclusion;
    report(args, &document, system.as_ref(), &settings)?;
    Ok(if system.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn refuse_flags_of_fit(args: &DiscoverArgs) -> Result<(), Trouble> {
    if args.search.checkpoint.is_some() {
        return Err(
            Trouble::new("discover has no --checkpoint: it searches several times")
                .hint("leave it out; --time-limit ends a long search"),
        );
    }
    let knobs = &args.knobs;
    let cross_validates = knobs.cv.is_some_and(|folds| folds > 0)
        || knobs.rule.is_some()
        || knobs.points.is_some()
        || knobs.refinements.is_some();
    if cross_validates {
        return Err(Trouble::new(
            "neighbouring rows of a trajectory share samples, so folds of them are no test",
        )
        .hint("leave out --cv, --rule, --points and --refinements, and give the knob itself"));
    }
    Ok(())
}

fn report(
    args: &DiscoverArgs,
    document: &Document,
    system: Option<&System>,
    settings: &Discover,
) -> Result<(), Trouble> {
    if let (Some(path), Some(system)) = (&args.output.save, system) {
        let settings = serde_json::to_value(settings).expect("settings are plain data");
        let text = ModelFile::new(system.equations().to_vec(), settings).to_json();
        write_text(path, &text)?;
    }
    if args.output.json {
        let json = serde_json::to_string_pretty(document)
            .expect("the document holds nothing that JSON cannot");
        return print(&(json + "\n"));
    }
    match (args.code, system) {
        (Some(code), Some(system)) => print(&system.code(match code {
            Code::Python => Language::Python,
            Code::Julia => Language::Julia,
            Code::Rust => Language::Rust,
        })),
        _ if args.output.latex => match system {
            Some(system) => print(&(system.latex() + "\n")),
            None => Ok(()),
        },
        _ => print(&page(
            document,
            Look::new(args.output.color, args.reading.verbose),
        )),
    }
}
