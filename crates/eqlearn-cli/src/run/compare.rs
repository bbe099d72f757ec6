//! `eqlearn compare`: every method side by side on the same problem.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum as _;
use eqlearn::search::Run;
use eqlearn::tell::compare::{Comparison, MethodReport, held_out};
use eqlearn::{Discover, Parts, Problem, Reduction, Settings, discover, learn};

use crate::args::Method;
use crate::args::methods::CompareArgs;
use crate::comparison_page::comparison_page;
use crate::input;
use crate::knobs;
use crate::output::{cannot_write, command_line, note, print, write_file};
use crate::page::Look;
use crate::progress::Watch;
use crate::record;
use crate::report::{Destination, of_comparison};
use crate::run::fit::ask_for_target;
use crate::trouble::Trouble;

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Trouble> {
    refuse_flags_of_fit(args)?;
    if is_about_trajectories(args) {
        return of_trajectories(args);
    }
    if !args.more.is_empty() {
        return Err(Trouble::new("several files are several trajectories")
            .hint("add --time COLUMN or --dt STEP, or name one file"));
    }
    let methods = knobs::choose_all(&methods(args), &args.knobs)?;
    let source = input::open(&args.data.path, &args.data.reading)?;
    let Some(target) = &args.target else {
        return Err(ask_for_target(&source));
    };
    let weights = args.weights.as_deref();
    let problem = input::problem(
        &source,
        target,
        weights,
        &args.dictionary,
        args.data.reading.quiet,
    )?;
    let settings = methods
        .into_iter()
        .map(|chosen| {
            let space = input::settings(&problem, &args.dictionary, &args.search, chosen.method)?;
            Ok(Settings {
                tune: chosen.cut.is_some(),
                refit: args.knobs.refit,
                ..space
            })
        })
        .collect::<Result<Vec<Settings>, Trouble>>()?;
    let mut watch = Watch::new(
        !args.data.reading.quiet && !args.data.reading.no_progress,
        args.search.time_limit,
    );
    let mut batches = source.batches(&problem.columns())?;
    let threads = input::threads(&args.data.reading);
    let cut = knobs::cut_for_all(&args.knobs);
    let parts = Parts::reduce(&problem, batches.by_ref(), &cut, threads, &mut watch)?;
    if batches.dropped() > 0 && !args.data.reading.quiet {
        let rows = batches.dropped();
        note(&format!("{rows} rows with missing values were left out"));
    }
    let reports = settings
        .iter()
        .map(|settings| report(&problem, &parts, settings, threads, &mut watch));
    let comparison = Comparison::new(&problem, &parts, reports.collect());
    drop(watch);
    let comparisons = std::slice::from_ref(&comparison);
    write_report(
        args,
        comparisons,
        problem.dictionary().features(),
        &settings,
    )?;
    show(args, comparisons)?;
    Ok(exit_code(&[comparison]))
}

fn is_about_trajectories(args: &CompareArgs) -> bool {
    args.record.time.is_some() || args.record.dt.is_some() || args.record.discrete
}

/// Success if any method found any equation.
fn exit_code(comparisons: &[Comparison]) -> ExitCode {
    let mut methods = comparisons.iter().flat_map(|c| &c.methods);
    if methods.any(|method| method.equation.is_some()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Every method learns the whole system from its own rows, which follow what it learned; then state by state.
fn of_trajectories(args: &CompareArgs) -> Result<ExitCode, Trouble> {
    if args.target.is_some() || args.weights.is_some() {
        return Err(Trouble::new(
            "trajectories have states, and --target and --weights are for tables",
        )
        .hint("leave them out; --states names the states"));
    }
    record::check(&args.record, &args.dictionary.features)?;
    let paths = [vec![args.data.path.clone()], args.more.clone()].concat();
    let trajectories = record::read(&paths, &args.data.reading, &args.record)?;
    let (rows, order) = (record::rows(&args.record)?, record::order(&args.record));
    let dictionary = input::dictionary(&order.features(&trajectories)?, &args.dictionary)?;
    let mut watch = Watch::new(
        !args.data.reading.quiet && !args.data.reading.no_progress,
        args.search.time_limit,
    );
    let run = Run {
        threads: input::threads(&args.data.reading),
        ..Run::default()
    };
    let mut states: Vec<(Problem, Reduction, Vec<MethodReport>)> = Vec::new();
    let (mut failed, mut used) = (Vec::new(), Vec::new());
    for chosen in knobs::choose_all(&methods(args), &args.knobs)? {
        let problem = Problem::new(
            rows.left_side(&trajectories.states()[0]),
            dictionary.clone(),
        )?;
        let learn = input::settings(&problem, &args.dictionary, &args.search, chosen.method)?;
        let settings = Discover {
            rows,
            order,
            // Neighbouring rows share samples, so folds of them are no test.
            learn: Settings {
                tune: false,
                refit: args.knobs.refit,
                ..learn
            },
        };
        used.push(settings.learn.clone());
        let before = watch.elapsed();
        let found = discover(&trajectories, &dictionary, &settings, &run, &mut watch);
        let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
        let discovery = match found {
            Ok(discovery) => discovery,
            Err(error) => {
                failed.push(MethodReport::failed(&settings.learn, &error, seconds));
                continue;
            }
        };
        for (place, study) in discovery.studies().iter().enumerate() {
            if place == states.len() {
                let (problem, rows) = (study.problem().clone(), study.reduction().clone());
                states.push((problem, rows, Vec::new()));
            }
            states[place].2.push(MethodReport::new(study, seconds));
        }
    }
    drop(watch);
    let of_state = |(problem, rows, reports): (Problem, Reduction, Vec<MethodReport>)| {
        let all = [reports, failed.clone()].concat();
        Comparison::without_folds(&problem, &rows, all)
    };
    let comparisons: Vec<Comparison> = states.into_iter().map(of_state).collect();
    write_report(args, &comparisons, dictionary.features(), &used)?;
    show(args, &comparisons)?;
    Ok(exit_code(&comparisons))
}

/// The page to look at, if one is wanted.
fn write_report(
    args: &CompareArgs,
    comparisons: &[Comparison],
    features: &[String],
    settings: &[Settings],
) -> Result<(), Trouble> {
    let Some(path) = &args.report else {
        return Ok(());
    };
    let to = Destination {
        path,
        data: &args.data.path.display().to_string(),
        command: &command_line(),
    };
    of_comparison(&to, comparisons, features, settings)
}

/// The methods that were asked for, each once.
fn methods(args: &CompareArgs) -> Vec<Method> {
    let mut methods = args.methods.clone();
    if methods.is_empty() {
        let all = Method::value_variants().iter().copied();
        methods = all.filter(|method| *method != Method::BestSubset).collect();
    }
    let mut once = Vec::new();
    methods.retain(|method| {
        let new = !once.contains(method);
        once.push(*method);
        new
    });
    methods
}

fn refuse_flags_of_fit(args: &CompareArgs) -> Result<(), Trouble> {
    if args.search.method != Method::Best {
        return Err(
            Trouble::new("compare runs several methods, and --method names one")
                .hint("name those to compare with --methods A,B,C"),
        );
    }
    if args.search.checkpoint.is_some() {
        return Err(Trouble::new("compare has no --checkpoint")
            .hint("run a long search alone: eqlearn fit … --checkpoint FILE"));
    }
    Ok(())
}

/// One method: its answer, its time, and its error on rows left out. A failure is a report too.
fn report(
    problem: &Problem,
    parts: &Parts,
    settings: &Settings,
    threads: usize,
    watch: &mut Watch,
) -> MethodReport {
    let run = Run {
        threads,
        ..Run::default()
    };
    let before = watch.elapsed();
    let learned = learn(problem, parts, settings, &run, watch);
    let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
    match learned {
        Ok(study) => {
            let held_out = held_out(problem, parts, settings, &run, watch).ok();
            MethodReport::new(&study, seconds).with_held_out(held_out)
        }
        Err(error) => MethodReport::failed(settings, &error, seconds),
    }
}

/// One comparison for a table, one per state for trajectories.
fn show(args: &CompareArgs, comparisons: &[Comparison]) -> Result<(), Trouble> {
    if let Some(path) = &args.plot_data {
        write_file(path, |file| write_plot_data(comparisons, file))?;
    }
    if args.json {
        let json = match comparisons {
            [one] if !is_about_trajectories(args) => serde_json::to_string_pretty(one),
            all => serde_json::to_string_pretty(all),
        };
        let json = json.expect("the comparison holds nothing that JSON cannot");
        return print(&(json + "\n"));
    }
    let look = Look::new(args.color, args.data.reading.verbose);
    let pages = comparisons.iter().map(|one| comparison_page(one, look));
    print(&pages.collect::<Vec<_>>().join("\n"))
}

/// One number per row: the target, which method, what it is, of what, and how much.
fn write_plot_data(comparisons: &[Comparison], out: &mut dyn Write) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    writer
        .write_record(["target", "method", "quantity", "key", "value"])
        .map_err(failed)?;
    for comparison in comparisons {
        for report in &comparison.methods {
            for (quantity, key, value) in numbers(report) {
                let value = value.to_string();
                let row = [&comparison.target, &report.method, quantity, &key, &value];
                writer.write_record(row).map_err(failed)?;
            }
        }
    }
    writer.flush().map_err(cannot_write)
}

fn numbers(report: &MethodReport) -> Vec<(&'static str, String, f64)> {
    let single = [
        ("size", report.size.map(|size| size as f64)),
        ("one_minus_r2", report.one_minus_r2),
        ("log_evidence", report.log_evidence),
        ("cv_error", report.cv_error),
        ("cv_std_error", report.cv_std_error),
        ("seconds", Some(report.seconds)),
    ];
    let single = single
        .into_iter()
        .filter_map(|(quantity, value)| Some((quantity, String::new(), value?)));
    let coefficients = report
        .terms
        .iter()
        .map(|entry| ("coefficient", entry.term.clone(), entry.coefficient));
    let curve = report.tuning.iter().flat_map(|tuning| &tuning.curve);
    let curve = curve.filter_map(|tried| {
        let error = tried.error?;
        Some(("tuning_error", tried.value.to_string(), error))
    });
    single.chain(coefficients).chain(curve).collect()
}
