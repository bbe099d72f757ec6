//! Lines do not depend on threads, nor on being cut off.

use std::ops::ControlFlow;

use eqlearn::search::Shard;
use eqlearn_reproduce::paper::{Contender, PaperExperiment, Plan, Reproduction, Size};
use eqlearn_reproduce::runner::{Progress, Watch};
use eqlearn_reproduce::{Result, Trouble, runner};

use crate::folder::Folder;

/// Two polynomials of each size and two scenarios of a system, with methods of all kinds.
pub(crate) fn tiny(seed: u64) -> Plan {
    Plan {
        size: Size {
            polynomials: 2,
            every: 40,
            forecasts: 3,
        },
        seed,
        contenders: vec![
            Contender::Lasso,
            Contender::CsR2,
            Contender::Bsr,
            Contender::Stlsq,
            Contender::Best,
        ],
    }
}

fn run(
    plan: &Plan,
    experiment: PaperExperiment,
    folder: &Folder,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<ControlFlow<()>> {
    let reproduction = Reproduction::new(plan, experiment);
    runner::run(&reproduction, Shard::WHOLE, folder.path(), threads, watch)
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn lines(test: &str, plan: &Plan, experiment: PaperExperiment, threads: usize) -> String {
    let folder = Folder::new(test);
    let ended = run(plan, experiment, &folder, threads, &mut go_on);
    assert!(ended.unwrap().is_continue());
    folder.read(&format!("{}.jsonl", experiment.name()))
}

#[test]
fn one_and_two_threads_write_the_same_bytes_and_two_seeds_do_not() {
    for experiment in [PaperExperiment::Polynomials, PaperExperiment::Lorenz] {
        let both = [1, 2].map(|seed| {
            let plan = tiny(seed);
            let one = lines("runs-threads", &plan, experiment, 1);
            assert!(
                one == lines("runs-threads", &plan, experiment, 2),
                "{} differs with the number of threads",
                experiment.name()
            );
            let expected = plan.scenarios(experiment).len() * plan.contenders.len();
            assert_eq!(one.lines().count(), expected);
            one
        });
        assert!(both[0] != both[1]);
    }
}

#[test]
fn a_run_that_was_stopped_or_killed_goes_on_to_the_same_bytes() {
    let (plan, experiment) = (tiny(1), PaperExperiment::Polynomials);
    let whole = lines("runs-whole", &plan, experiment, 1);
    let folder = Folder::new("runs-stopped");
    let mut stop_after_two = |progress: &Progress| {
        if progress.done >= 2 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let ended = run(&plan, experiment, &folder, 2, &mut stop_after_two);
    assert!(ended.unwrap().is_break());
    let part = folder.read("polynomials.jsonl");
    assert!(whole.starts_with(&part) && part.len() < whole.len());
    assert!(part.ends_with('\n'));
    assert!(part.lines().count() >= 2 * plan.contenders.len());

    // A kill may cut a line anywhere, and a scenario between two methods.
    for cut in [part.len() - 40, part.len() + 25, 7] {
        folder.write("polynomials.jsonl", &whole[..cut]);
        let ended = run(&plan, experiment, &folder, 2, &mut go_on);
        assert!(ended.unwrap().is_continue());
        assert!(
            folder.read("polynomials.jsonl") == whole,
            "after a cut at byte {cut}"
        );
    }
}

#[test]
fn results_of_another_run_are_not_mixed_in() {
    let folder = Folder::new("runs-other");
    let experiment = PaperExperiment::Polynomials;
    assert!(run(&tiny(1), experiment, &folder, 2, &mut go_on).is_ok());
    let before = folder.read("polynomials.jsonl");
    let refused = run(&tiny(2), experiment, &folder, 2, &mut go_on).unwrap_err();
    assert!(matches!(refused, Trouble::OtherRun { line: 1, .. }));
    let words = refused.to_string();
    assert!(
        words.contains("polynomials.jsonl") && words.contains("seed 1") && words.contains("seed 2"),
        "{words}"
    );
    assert_eq!(before, folder.read("polynomials.jsonl"));
}

#[test]
fn the_grids_have_the_counts_of_the_paper() {
    let plan = Plan {
        size: Size::FULL,
        ..tiny(1)
    };
    let counts = PaperExperiment::ALL.map(|experiment| plan.scenarios(experiment).len());
    assert_eq!(counts, [300, 80, 84]);
    let nine = Contender::ALL.iter().filter(|c| c.is_of_the_paper());
    assert_eq!(nine.count(), 9);
}

#[test]
fn a_quick_run_meets_every_step_and_size() {
    let plan = Plan {
        size: Size::QUICK,
        ..tiny(1)
    };
    for (experiment, sizes) in [
        (PaperExperiment::Lorenz, 4),
        (PaperExperiment::Rabinovich, 6),
    ] {
        let scenarios = plan.scenarios(experiment);
        let distinct = |value: &dyn Fn(usize) -> u64| {
            let mut all: Vec<u64> = (0..scenarios.len()).map(value).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        assert_eq!(distinct(&|i| scenarios[i].n_obs as u64), sizes);
        assert_eq!(distinct(&|i| scenarios[i].step.unwrap().to_bits()), 5);
    }
}
