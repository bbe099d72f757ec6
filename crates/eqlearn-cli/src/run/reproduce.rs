//! `eqlearn reproduce`: the paper's experiments again.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use eqlearn_lab::reproduce::ledger::read_lines;
use eqlearn_lab::reproduce::{Contender, Experiment, Plan, Size, runner, tables};

use crate::args::reproduce::{ReproduceArgs, What};
use crate::output::{note, print};
use crate::progress::{Bar, interrupted};
use crate::trouble::Trouble;

pub(crate) fn run(args: &ReproduceArgs) -> Result<ExitCode, Trouble> {
    let plan = plan(args);
    for experiment in experiments(args.what) {
        if run_one(args, &plan, experiment)?.is_break() {
            note("stopped; the same command goes on from here");
            return Ok(ExitCode::FAILURE);
        }
        let lines = read_lines(&args.out, experiment)?;
        for sheet in tables::sheets(experiment, &lines) {
            print(&(sheet.text() + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(args: &ReproduceArgs) -> Plan {
    Plan {
        size: if args.quick { Size::QUICK } else { Size::FULL },
        seed: args.seed,
        contenders: if args.methods.is_empty() {
            Contender::ALL.to_vec()
        } else {
            args.methods.clone()
        },
    }
}

fn experiments(what: What) -> Vec<Experiment> {
    match what {
        What::Polynomials => vec![Experiment::Polynomials],
        What::Lorenz => vec![Experiment::Lorenz],
        What::Rabinovich => vec![Experiment::Rabinovich],
        What::Runtime => Vec::new(),
        What::All => Experiment::ALL.to_vec(),
    }
}

fn run_one(
    args: &ReproduceArgs,
    plan: &Plan,
    experiment: Experiment,
) -> Result<ControlFlow<()>, Trouble> {
    let bar = Bar::new(!args.quiet && !args.no_progress);
    let started = Instant::now();
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let mut watch = |progress: &runner::Progress| {
        let what = format!(
            "{}: {} of {} scenarios",
            progress.experiment.title(),
            progress.done,
            progress.total
        );
        bar.show(progress.share, started, &what);
        if interrupted() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    Ok(runner::run(
        plan, experiment, &args.out, threads, &mut watch,
    )?)
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
