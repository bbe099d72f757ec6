//! `eqlearn compare`: every method side by side on the same problem.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum as _;
use eqlearn::compare::{Comparison, MethodReport, held_out};
use eqlearn::search::Run;
use eqlearn::{Parts, Problem, Settings, learn};

use crate::args::Method;
use crate::args::methods::CompareArgs;
use crate::comparison_page::comparison_page;
use crate::input;
use crate::knobs;
use crate::output::{cannot_write, note, print, write_file};
use crate::page::Look;
use crate::progress::Watch;
use crate::run::fit::ask_for_target;
use crate::trouble::Trouble;

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Trouble> {
    refuse_flags_of_fit(args)?;
    let methods = knobs::choose_all(&methods(args), &args.knobs)?;
    let source = input::open(&args.data)?;
    let Some(target) = &args.target else {
        return Err(ask_for_target(&source));
    };
    let weights = args.weights.as_deref();
    let problem = input::problem(&source, target, weights, &args.dictionary, args.data.quiet)?;
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
        !args.data.quiet && !args.data.no_progress,
        args.search.time_limit,
    );
    let mut batches = source.batches(&problem.columns())?;
    let threads = input::threads(&args.data);
    let cut = knobs::cut_for_all(&args.knobs);
    let parts = Parts::reduce(&problem, batches.by_ref(), &cut, threads, &mut watch)?;
    if batches.dropped() > 0 && !args.data.quiet {
        let rows = batches.dropped();
        note(&format!("{rows} rows with missing values were left out"));
    }
    let reports = settings
        .iter()
        .map(|settings| report(&problem, &parts, settings, threads, &mut watch));
    let comparison = Comparison::new(&problem, &parts, reports.collect());
    drop(watch);
    show(args, &comparison)?;
    let learned = comparison.methods.iter().any(|m| m.equation.is_some());
    Ok(if learned {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
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
            MethodReport::new(problem, parts.whole(), settings, &study, seconds)
                .with_held_out(held_out)
        }
        Err(error) => MethodReport::failed(settings, &error, seconds),
    }
}

fn show(args: &CompareArgs, comparison: &Comparison) -> Result<(), Trouble> {
    if let Some(path) = &args.plot_data {
        write_file(path, |file| write_plot_data(comparison, file))?;
    }
    if args.json {
        let json = serde_json::to_string_pretty(comparison)
            .expect("the comparison holds nothing that JSON cannot");
        return print(&(json + "\n"));
    }
    print(&comparison_page(
        comparison,
        Look::new(args.color, args.data.verbose),
    ))
}

/// One number per row: which method, what it is, of what, and how much.
fn write_plot_data(comparison: &Comparison, out: &mut dyn Write) -> Result<(), Trouble> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| cannot_write(error.into());
    writer
        .write_record(["method", "quantity", "key", "value"])
        .map_err(failed)?;
    for report in &comparison.methods {
        for (quantity, key, value) in numbers(report) {
            writer
                .write_record([report.method.as_str(), quantity, &key, &value.to_string()])
                .map_err(failed)?;
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
