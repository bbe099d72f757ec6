//! `eqlearn compare`: every method side by side on the same problem.

use std::io::Write;
use std::process::ExitCode;

use eqlearn::ask::{Checked, Command};
use eqlearn::beyond::Asked;
use eqlearn::search::Run;
use eqlearn::tell::compare::{Comparison, MethodReport, held_out, is_plain};
use eqlearn::{
    Beyond, Gathered, Method, Parts, Problem, Reduction, Settings, discover, learn, learn_beyond,
};

use crate::args::methods::CompareArgs;
use crate::input;
use crate::output::{cannot_write, command_line, print, print_json, write_file};
use crate::places;
use crate::progress::Watch;
use crate::record;
use crate::report::{Destination, of_comparison};
use crate::terminal::{self, Look};
use crate::trouble::Trouble;

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Trouble> {
    let request = args.request();
    let command = request.comparison();
    let checked = request.check(command)?;
    let places = [
        ("--report", args.report.as_ref()),
        ("--plot-data", args.plot_data.as_ref()),
    ];
    let data = [std::slice::from_ref(&args.data.path), &args.more].concat();
    places::check(&places, &data)?;
    if command == Command::CompareTrajectories {
        return of_trajectories(args, checked);
    }
    if !args.more.is_empty() {
        return Err(
            Trouble::new("several files are read as trajectories, which need times")
                .hint("add --time COLUMN or --dt STEP, or name one file"),
        );
    }
    let reading = &args.data.reading;
    let source = input::open(&args.data.path, reading)?;
    let checked = checked.in_names_of(&source);
    let (problem, source) = input::problem(&checked, source, &[], reading)?;
    let settings = checked.settings_of_each(problem.dictionary())?;
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, checked.limit());
    let mut batches = source.batches(&problem.columns())?;
    let run = checked.run(None);
    let cut = checked.cut().unwrap_or_default();
    let gathered = Gathered::new(
        &problem,
        batches.by_ref(),
        Some(&cut),
        run.threads,
        &mut watch,
    )?;
    input::left_out(reading, batches.dropped());
    let rows = Contest {
        problem: &problem,
        gathered: &gathered,
        parts: gathered.parts().expect("rows were cut"),
        beyond: checked.beyond(&problem)?,
    };
    let reports = settings
        .iter()
        .map(|settings| rows.report(settings, &run, &mut watch));
    let comparison = Comparison::new(&problem, rows.parts, reports.collect());
    drop(watch);
    let comparisons = std::slice::from_ref(&comparison);
    let features = problem.dictionary().features();
    tell(
        args,
        comparisons,
        features,
        &settings,
        checked.header_units(),
    )?;
    Ok(exit_code(&[comparison]))
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

/// Every method learns the whole system; how rows are made may depend on what it learned. Then the
/// answers are compared state by state.
fn of_trajectories(args: &CompareArgs, checked: Checked) -> Result<ExitCode, Trouble> {
    let paths = [vec![args.data.path.clone()], args.more.clone()].concat();
    let reading = &args.data.reading;
    let (checked, trajectories) = record::read(&paths, reading, checked)?;
    let (dictionary, all) = checked.discover_by_each(&trajectories)?;
    let mut watch = Watch::new(!reading.quiet && !reading.no_progress, checked.limit());
    let run = checked.run(None);
    let mut states: Vec<(Problem, Reduction, Vec<MethodReport>)> = Vec::new();
    let mut failed = Vec::new();
    for settings in &all {
        let before = watch.elapsed();
        let found = discover(&trajectories, &dictionary, settings, &run, &mut watch);
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
    let used: Vec<Settings> = all.into_iter().map(|settings| settings.learn).collect();
    let units = checked.header_units();
    tell(args, &comparisons, dictionary.features(), &used, units)?;
    Ok(exit_code(&comparisons))
}

/// Prints the comparison, and then writes the files that are wanted: whatever happens to these, the
/// answer is not lost.
fn tell(
    args: &CompareArgs,
    comparisons: &[Comparison],
    features: &[String],
    settings: &[Settings],
    units: &[(String, String)],
) -> Result<(), Trouble> {
    let talk = args.data.reading.talk();
    let printed = show(args, comparisons);
    let plotted = args.plot_data.as_ref().map_or(Ok(()), |path| {
        write_file(path, |file| write_plot_data(comparisons, file))?;
        talk.written("numbers", path);
        Ok(())
    });
    let shown = write_report(args, comparisons, features, settings, units);
    printed.and(plotted).and(shown)
}

/// The page to look at, if one is wanted.
fn write_report(
    args: &CompareArgs,
    comparisons: &[Comparison],
    features: &[String],
    settings: &[Settings],
    units: &[(String, String)],
) -> Result<(), Trouble> {
    let Some(path) = &args.report else {
        return Ok(());
    };
    let to = Destination {
        path,
        data: &args.data.path.display().to_string(),
        command: &command_line(),
        units,
    };
    of_comparison(&to, comparisons, features, settings)?;
    args.data.reading.talk().written("page", path);
    Ok(())
}

/// What all methods learn from.
struct Contest<'a> {
    problem: &'a Problem,
    gathered: &'a Gathered,
    parts: &'a Parts,
    /// How far best looks beyond the dictionary, as it does in `fit`.
    beyond: Beyond,
}

impl Contest<'_> {
    /// One method: its answer, its time, and its error on rows left out. A failure is a report too.
    fn report(&self, settings: &Settings, run: &Run<'_>, watch: &mut Watch) -> MethodReport {
        let before = watch.elapsed();
        let learned = if settings.method == Method::Best {
            self.learn_beyond(settings, run, watch)
        } else {
            let study = learn(self.problem, self.parts, settings, run, watch);
            study.map(|study| (MethodReport::new(&study, 0.0), true))
        };
        let seconds = watch.elapsed().saturating_sub(before).as_secs_f64();
        match learned {
            Ok((report, in_dictionary)) => {
                let folds =
                    in_dictionary.then(|| held_out(self.problem, self.parts, settings, run, watch));
                let report = report.with_held_out(folds.and_then(Result::ok));
                MethodReport { seconds, ..report }
            }
            Err(error) => MethodReport::failed(settings, &error, seconds),
        }
    }

    /// What best learns, and whether it is in the dictionary.
    fn learn_beyond(
        &self,
        settings: &Settings,
        run: &Run<'_>,
        watch: &mut Watch,
    ) -> eqlearn::Result<(MethodReport, bool)> {
        let kept = self.gathered.kept();
        let asked = Asked {
            problem: self.problem,
            data: self.gathered.data(),
            kept,
            settings,
        };
        let learned = learn_beyond(&asked, &self.beyond, run, watch)?;
        let report = MethodReport::of_learned(&learned, self.problem, kept, 0.0)?;
        Ok((report, is_plain(&learned)))
    }
}

/// One comparison for a table, one per state for trajectories.
fn show(args: &CompareArgs, comparisons: &[Comparison]) -> Result<(), Trouble> {
    if args.json {
        return match comparisons {
            [one] if args.request().comparison() == Command::Compare => print_json(one),
            all => print_json(&all),
        };
    }
    let look = Look::new(args.color, args.data.reading.verbose);
    let pages = comparisons
        .iter()
        .map(|one| terminal::comparison(one, look));
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
