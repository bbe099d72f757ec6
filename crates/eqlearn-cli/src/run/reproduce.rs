//! `eqlearn reproduce`: the paper's experiments again.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use eqlearn::search::Shard;
use eqlearn_reproduce::paper::runtime::{self, Effort};
use eqlearn_reproduce::paper::{
    Contender, PaperExperiment, Plan, Reproduction, Size, export, score_outside,
};
use eqlearn_reproduce::runner;
use eqlearn_reproduce::show::Presentation;

use crate::args::reproduce::{ReproduceArgs, What};
use crate::output::{note, print};
use crate::progress::{Bar, interrupted};
use crate::trouble::Trouble;

pub(crate) fn run(args: &ReproduceArgs) -> Result<ExitCode, Trouble> {
    let plan = plan(args);
    let experiments = experiments(args.what);
    if let Some(folder) = &args.export {
        let count = export(&plan, &experiments, folder)?;
        print(&format!(
            "{count} data sets in {}, described in scenarios.jsonl\n",
            folder.display()
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(models) = &args.score {
        let count = score_outside(&plan, models, &args.out)?;
        say(args, &format!("{count} models of others were scored"));
    } else if !args.redraw && run_all(args, &plan, &experiments)?.is_break() {
        note("stopped; the same command goes on from here");
        return Ok(ExitCode::FAILURE);
    }
    if let Some(shard) = args.shard {
        let out = args.out.display();
        say(args, &format!("{} is in {out}", shard.words()));
        return Ok(ExitCode::SUCCESS);
    }
    let presentation = Presentation::read(&args.out, args.seed)?;
    if presentation.is_empty() {
        return Err(
            Trouble::new(format!("there are no results in {}", args.out.display()))
                .hint("leave out --redraw to run the experiments, or name their folder with --out"),
        );
    }
    for sheet in presentation.sheets() {
        print(&(sheet.text() + "\n"))?;
    }
    presentation.write(&args.out)?;
    say(
        args,
        &format!("look at {}", args.out.join("index.html").display()),
    );
    Ok(ExitCode::SUCCESS)
}

fn say(args: &ReproduceArgs, text: &str) {
    if !args.quiet {
        note(text);
    }
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

fn experiments(what: What) -> Vec<PaperExperiment> {
    match what {
        What::Polynomials => vec![PaperExperiment::Polynomials],
        What::Lorenz => vec![PaperExperiment::Lorenz],
        What::Rabinovich => vec![PaperExperiment::Rabinovich],
        What::Runtime => Vec::new(),
        What::All => PaperExperiment::ALL.to_vec(),
    }
}

/// Runs what is missing. The runtime study comes first, while the cores are idle.
fn run_all(
    args: &ReproduceArgs,
    plan: &Plan,
    experiments: &[PaperExperiment],
) -> Result<ControlFlow<()>, Trouble> {
    let is_first = args.shard.is_none_or(|shard| shard.number() == 1);
    let measures = is_first && matches!(args.what, What::Runtime | What::All);
    if measures && measure(args)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    for &experiment in experiments {
        if run_one(args, plan, experiment)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn go_on() -> ControlFlow<()> {
    if interrupted() {
        return ControlFlow::Break(());
    }
    ControlFlow::Continue(())
}

fn measure(args: &ReproduceArgs) -> Result<ControlFlow<()>, Trouble> {
    let effort = if args.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    let bar = Bar::new(!args.quiet && !args.no_progress);
    let started = Instant::now();
    let mut watch = |share: f64| {
        bar.show(share, started, "runtime of the search");
        go_on()
    };
    Ok(runtime::run(args.seed, effort, &args.out, &mut watch)?)
}

fn run_one(
    args: &ReproduceArgs,
    plan: &Plan,
    experiment: PaperExperiment,
) -> Result<ControlFlow<()>, Trouble> {
    let bar = Bar::new(!args.quiet && !args.no_progress);
    let started = Instant::now();
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let mut watch = |progress: &runner::Progress| {
        let what = format!(
            "{}: {} of {} scenarios",
            experiment.title(),
            progress.done,
            progress.total
        );
        bar.show(progress.share, started, &what);
        go_on()
    };
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let reproduction = Reproduction::new(plan, experiment);
    Ok(runner::run(
        &reproduction,
        shard,
        &args.out,
        threads,
        &mut watch,
    )?)
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
